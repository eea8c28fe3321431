//! Puts the elements of a tree where HTML allows them, so that a parser reads the same tree from its HTML.

use std::collections::BTreeSet;

use dom::{LocalName, is_heading, is_void, local_name, local_names};

use crate::allowed::formula_stays;
use crate::tree::{At, NodeMark, RegionNode, RegionTree};

/// Tidies a tree. Then items are in lists, cells in rows of tables, captions in figures; paragraphs and headings contain no
/// blocks, and links no links. Empty elements are removed.
pub(crate) fn tidy(tree: &mut RegionTree<'_>) {
    let order: Vec<At> = tree.below(0).collect();
    unwrap_nested(tree);
    for &at in order.iter().rev() {
        drop_empty(tree, at);
    }
    for at in tree.below(0).collect::<Vec<_>>() {
        if tree.is(at, &local_name!("figure")) {
            settle_figure(tree, at);
        }
    }
    // Parents before children, because wrapping adds new children.
    let mut next = vec![0];
    while let Some(at) = next.pop() {
        place_children(tree, at);
        next.extend(tree.nodes[at].children.iter().copied());
    }
    let order: Vec<At> = tree.below(0).collect();
    // Whether each node breaks the line, by itself or by its content.
    let mut breaks = vec![false; tree.nodes.len()];
    for &at in order.iter().rev() {
        hoist_breaks(tree, at, &mut breaks);
        let holds_block = tree.nodes[at].children.iter().any(|&child| breaks[child]);
        settle_blocks(tree, at, holds_block);
        settle_paragraphs(tree, at, &mut breaks);
        settle_headers(tree, at);
        breaks[at] = holds_block || tree.nodes[at].name.as_ref().is_some_and(is_apart);
    }
    for list in tree.all(local_name!("ul")).collect::<Vec<_>>() {
        drop_typed_bullets(tree, list);
    }
    let order: Vec<At> = tree.below(0).collect();
    for &at in order.iter().rev() {
        drop_empty(tree, at);
    }
}

/// Drops typed bullets if all items of a list begin with the same one: lists show their own.
fn drop_typed_bullets(tree: &mut RegionTree<'_>, list: At) {
    // Dashes may be minus signs.
    let is_dash = |c: char| matches!(c, '-' | '*' | '\u{2013}' | '\u{2014}');
    let is_dot = |c: char| {
        matches!(
            c,
            '\u{b7}' | '\u{2022}' | '\u{2023}' | '\u{2043}' | '\u{2219}' | '\u{25a0}'..='\u{25ff}'
        )
    };
    let first_text = |tree: &RegionTree<'_>, item: At| {
        let is_written_so =
            |at: At| matches!(tree.nodes[at].name, Some(local_names!("code" "pre" "math")));
        let shown = |&at: &At| {
            let mut inner = tree.nodes[at].children.iter().copied().filter(|_| !is_written_so(at));
            inner.find(|&own| !tree.is_space(own))
        };
        let first = std::iter::successors(Some(item), shown).last();
        first.filter(|&at| tree.nodes[at].name.is_none())
    };
    let bullet_of = |tree: &RegionTree<'_>, text: At| {
        let mut letters = tree.nodes[text].text.trim_start().chars();
        let (bullet, next) = (letters.next()?, letters.next());
        let is_apart = next.map_or_else(|| is_dot(bullet), char::is_whitespace);
        (is_apart && (is_dot(bullet) || is_dash(bullet))).then_some(bullet)
    };
    let items = tree.nodes[list].children.iter().filter(|&&own| tree.is(own, &local_name!("li")));
    let texts: Option<Vec<At>> = items.map(|&item| first_text(tree, item)).collect();
    let Some(texts) = texts.filter(|texts| texts.len() > 1) else { return };
    let Some(bullet) = bullet_of(tree, texts[0]) else { return };
    if texts.iter().all(|&text| bullet_of(tree, text) == Some(bullet)) {
        for text in texts {
            let own =
                tree.nodes[text].text.trim_start()[bullet.len_utf8()..].trim_start().to_owned();
            tree.nodes[text].text = own.into();
        }
    }
}

/// Whether an element closes an open paragraph (HTML §13.2.6.4.7).
fn is_block(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "address" "aside" "blockquote" "dd" "details" "div" "dl" "dt" "figcaption" "figure"
            "h1" "h2" "h3" "h4" "h5" "h6" "hr" "li" "ol" "p" "pre" "section" "summary" "table"
            "ul"
        )
    )
}

/// Replaces unwanted children by their own children. The id of each goes to its first child element without an id.
fn unwrap_children(
    tree: &mut RegionTree<'_>,
    parent: At,
    unwanted: impl Fn(&RegionTree<'_>, At) -> bool,
) {
    if !tree.nodes[parent].children.iter().any(|&child| unwanted(tree, child)) {
        return;
    }
    let mut children = Vec::new();
    let mut next: Vec<At> = tree.nodes[parent].children.iter().rev().copied().collect();
    while let Some(child) = next.pop() {
        if unwanted(tree, child) {
            let id = tree.attribute(child, &local_name!("id")).map(str::to_owned);
            let inner = std::mem::take(&mut tree.nodes[child].children);
            let heir = inner.iter().copied().find(|&at| {
                tree.nodes[at].name.is_some() && tree.attribute(at, &local_name!("id")).is_none()
            });
            if let (Some(id), Some(heir)) = (id, heir) {
                tree.set(heir, local_name!("id"), id);
            }
            next.extend(inner.iter().rev());
        } else {
            children.push(child);
        }
    }
    tree.nodes[parent].children = children;
}

fn unwrap_nested(tree: &mut RegionTree<'_>) {
    for link in tree.all(local_name!("a")).collect::<Vec<_>>() {
        for at in tree.below(link).collect::<Vec<_>>() {
            unwrap_children(tree, at, |tree, child| tree.is(child, &local_name!("a")));
        }
    }
}

fn drop_empty(tree: &mut RegionTree<'_>, parent: At) {
    let has_space_only_of_structure = tree.nodes[parent].name.as_ref().is_some_and(|name| {
        matches!(
            *name,
            local_names!(
                "ul" "ol" "dl" "table" "thead" "tbody" "tfoot" "tr" "colgroup" "figure"
            )
        )
    });
    let mut children = std::mem::take(&mut tree.nodes[parent].children);
    // Empty lines separate the text before and after them.
    for &child in &children {
        let is_line = matches!(tree.nodes[child].name, Some(local_names!("p" "div")))
            && tree.nodes[child].children.iter().all(|&inner| is_any_space(tree, inner))
            && tree.attribute(child, &local_name!("id")).is_none();
        if is_line {
            tree.nodes[child] =
                RegionNode { text: " ".into(), mark: NodeMark::Gap, ..RegionNode::default() };
        }
    }
    children.retain(|&child| {
        let node = &tree.nodes[child];
        match &node.name {
            None => !(node.text.is_empty() || has_space_only_of_structure && tree.is_space(child)),
            Some(name) => {
                node.children.iter().any(|&inner| !tree.is_space(inner))
                    || is_void(name)
                    || matches!(*name, local_names!("td" "th" "video" "audio"))
                    || formula_stays(name)
                    || tree.attribute(child, &local_name!("id")).is_some()
            }
        }
    });
    tree.nodes[parent].children = children;
}

/// Moves captions directly into their figure, and unwraps elements that only contain its media.
fn settle_figure(tree: &mut RegionTree<'_>, figure: At) {
    let mut captions = Vec::new();
    let mut next = vec![figure];
    while let Some(at) = next.pop() {
        let (own, rest): (Vec<At>, Vec<At>) = tree.nodes[at]
            .children
            .iter()
            .partition(|&&child| tree.is(child, &local_name!("figcaption")));
        // A figure inside another has its own captions.
        next.extend(rest.iter().filter(|&&child| !tree.is(child, &local_name!("figure"))));
        tree.nodes[at].children = rest;
        captions.extend(own);
    }
    captions.sort_unstable();
    // A figure has at most one caption.
    join_captions(tree, &captions);
    tree.nodes[figure].children.extend(captions.first().copied());
    let holds_only_media = |tree: &RegionTree<'_>, child: At| {
        let name = tree.nodes[child].name.as_ref();
        let wraps = matches!(name, Some(&local_names!("div" "p" "span" "section")));
        wraps
            && tree.nodes[child].mark != NodeMark::Embed
            && tree.nodes[child]
                .children
                .iter()
                .all(|&inner| tree.nodes[inner].name.is_some() || tree.is_space(inner))
    };
    unwrap_children(tree, figure, holds_only_media);
}

/// Wraps each run of children for which `belongs` holds in an element; if `joins`, in such an element directly before it.
fn wrap_runs(
    tree: &mut RegionTree<'_>,
    parent: At,
    name: impl Fn(&RegionTree<'_>, At) -> LocalName,
    belongs: impl Fn(&RegionTree<'_>, At) -> bool,
    joins: bool,
) {
    if !tree.nodes[parent].children.iter().any(|&child| belongs(tree, child)) {
        return;
    }
    let mut children: Vec<At> = Vec::new();
    let mut run: Option<At> = None;
    for child in std::mem::take(&mut tree.nodes[parent].children) {
        let in_run = run.is_some() && tree.is_space(child);
        if !belongs(tree, child) && !in_run {
            run = None;
            children.push(child);
            continue;
        }
        let around = *run.get_or_insert_with(|| {
            let name = name(tree, child);
            let before = children.iter().rev().copied().find(|&at| !tree.is_space(at));
            before.filter(|&at| joins && tree.is(at, &name)).unwrap_or_else(|| {
                children.push(tree.element(name));
                tree.nodes.len() - 1
            })
        });
        tree.nodes[around].children.push(child);
    }
    tree.nodes[parent].children = children;
}

/// Turns a test of names into a test of nodes.
fn named(is_such: fn(&LocalName) -> bool) -> impl Fn(&RegionTree<'_>, At) -> bool {
    move |tree, at| tree.nodes[at].name.as_ref().is_some_and(is_such)
}

fn is_division(name: &LocalName) -> bool {
    matches!(*name, local_names!("div" "section"))
}

fn is_wrapper(name: &LocalName) -> bool {
    is_division(name) || *name == local_name!("p")
}

fn is_item(name: &LocalName) -> bool {
    *name == local_name!("li")
}

fn is_term(name: &LocalName) -> bool {
    matches!(*name, local_names!("dt" "dd"))
}

fn is_column(name: &LocalName) -> bool {
    *name == local_name!("col")
}

fn is_of_table(name: &LocalName) -> bool {
    matches!(*name, local_names!("thead" "tbody" "tfoot" "caption" "colgroup"))
}

/// Wraps the children of an element in the elements that HTML demands around them.
fn place_children(tree: &mut RegionTree<'_>, at: At) {
    let Some(mut name) = tree.nodes[at].name.clone() else { return };
    let beside_rows = named(|own| matches!(*own, local_names!("caption" "colgroup" "col")));
    let is_beside =
        |tree: &RegionTree<'_>, child: At| tree.is_space(child) || beside_rows(tree, child);
    if name == local_name!("table")
        && tree.nodes[at].children.iter().all(|&child| is_beside(tree, child))
    {
        // Without rows, it is not a table.
        name = local_name!("div");
        tree.nodes[at].name = Some(name.clone());
    }
    if name == local_name!("details") && !begin_with_summary(tree, at) {
        // Folded content needs a summary.
        name = local_name!("div");
        tree.nodes[at].name = Some(name.clone());
        tree.nodes[at].attributes.retain(|a| a.0 != local_name!("open"));
    }
    type IsSuch = fn(&LocalName) -> bool;
    // Children that are unwrapped, the element that other children are put into, and children that need no element around them.
    let (unwrapped, around, stays): (IsSuch, LocalName, IsSuch) = match name {
        local_names!("ul" "ol") => (is_division, local_name!("li"), is_item),
        local_name!("dl") => (is_division, local_name!("dd"), is_term),
        local_name!("table") => {
            wrap_runs(tree, at, |_, _| local_name!("colgroup"), named(is_column), false);
            (|_| false, local_name!("tbody"), is_of_table)
        }
        local_names!("thead" "tbody" "tfoot") => {
            (is_of_table, local_name!("tr"), |own| *own == local_name!("tr"))
        }
        local_name!("tr") => (
            |own| is_of_table(own) || *own == local_name!("tr"),
            local_name!("td"),
            |own| matches!(*own, local_names!("td" "th")),
        ),
        local_name!("colgroup") => {
            let mut columns = std::mem::take(&mut tree.nodes[at].children);
            columns.retain(|&child| named(is_column)(tree, child));
            tree.nodes[at].children = columns;
            return;
        }
        _ => return place_anywhere(tree, at, &name),
    };
    let joins = matches!(name, local_names!("ul" "ol"));
    unwrap_children(tree, at, named(unwrapped));
    wrap_runs(tree, at, |_, _| around.clone(), |tree, child| !named(stays)(tree, child), joins);
    if name == local_name!("table") {
        begin_with_caption(tree, at);
    }
}

/// Wraps the children of any other element in the elements that HTML demands around them.
fn place_anywhere(tree: &mut RegionTree<'_>, at: At, name: &LocalName) {
    let list = |tree: &RegionTree<'_>, item: At| match tree.nodes[item].mark {
        NodeMark::Numbered => local_name!("ol"),
        _ => local_name!("ul"),
    };
    let in_ruby = *name == local_name!("ruby");
    if in_ruby {
        bracket_readings(tree, at);
    }
    let around_cells =
        named(|own| matches!(*own, local_names!("thead" "tbody" "tfoot" "colgroup" "col" "tr")));
    let of_ruby = named(|own| matches!(*own, local_names!("rt" "rp")));
    unwrap_children(tree, at, |tree, child| {
        around_cells(tree, child) || !in_ruby && of_ruby(tree, child)
    });
    wrap_runs(tree, at, list, named(is_item), false);
    wrap_runs(tree, at, |_, _| local_name!("dl"), named(is_term), false);
    let mut is_first = true;
    for index in 0..tree.nodes[at].children.len() {
        let child = tree.nodes[at].children[index];
        let Some(own) = tree.nodes[child].name.clone() else { continue };
        let renamed = match own {
            local_names!("td" "th") => Some(local_name!("div")),
            local_name!("caption") => Some(local_name!("p")),
            local_name!("figcaption") if *name != local_name!("figure") => Some(local_name!("p")),
            local_name!("summary") if *name != local_name!("details") || !is_first => {
                Some(local_name!("p"))
            }
            _ => None,
        };
        if own == local_name!("figcaption")
            && renamed.is_some()
            && tree.nodes[child].mark == NodeMark::None
        {
            tree.nodes[child].mark = NodeMark::Caption;
        }
        if let Some(renamed) = renamed {
            tree.nodes[child].name = Some(renamed);
            tree.nodes[child].attributes.retain(|a| matches!(a.0, local_names!("id" "lang" "dir")));
        }
        is_first = false;
    }
}

/// Puts ruby readings in brackets, which browsers show if they cannot show readings above the text (HTML §4.5.14).
fn bracket_readings(tree: &mut RegionTree<'_>, ruby: At) {
    let is_bracket = |tree: &RegionTree<'_>, at: At| tree.is(at, &local_name!("rp"));
    if tree.nodes[ruby].children.iter().any(|&child| is_bracket(tree, child)) {
        return;
    }
    let bracket = |tree: &mut RegionTree<'_>, text: &'static str| {
        let bracket = tree.element(local_name!("rp"));
        tree.push_text(bracket, text);
        bracket
    };
    let mut children = Vec::new();
    for child in std::mem::take(&mut tree.nodes[ruby].children) {
        if tree.is(child, &local_name!("rt")) {
            children.extend([bracket(tree, "("), child, bracket(tree, ")")]);
        } else {
            children.push(child);
        }
    }
    tree.nodes[ruby].children = children;
}

/// Puts the summary of `details` before everything else. Returns whether there is one that shows something; others would be
/// dropped as empty later.
fn begin_with_summary(tree: &mut RegionTree<'_>, details: At) -> bool {
    let is_shown = |at: At| match &tree.nodes[at].name {
        None => !is_any_space(tree, at),
        Some(name) => matches!(*name, local_names!("img" "video" "audio")) || formula_stays(name),
    };
    let is_summary =
        |&child: &At| tree.is(child, &local_name!("summary")) && tree.below(child).any(is_shown);
    let Some(at) = tree.nodes[details].children.iter().position(is_summary) else { return false };
    tree.nodes[details].children[..=at].rotate_right(1);
    true
}

/// Moves the caption of a table to its start and its feet to its end. Further captions are added to the first.
fn begin_with_caption(tree: &mut RegionTree<'_>, table: At) {
    let (captions, rest): (Vec<At>, Vec<At>) = tree.nodes[table]
        .children
        .iter()
        .partition(|&&child| tree.is(child, &local_name!("caption")));
    join_captions(tree, &captions);
    // Feet are shown at the end, wherever they are written.
    let (feet, rest): (Vec<At>, Vec<At>) =
        rest.into_iter().partition(|&child| tree.is(child, &local_name!("tfoot")));
    let caption = captions.first().copied().into_iter();
    tree.nodes[table].children = caption.chain(rest).chain(feet).collect();
}

/// Joins captions into the first. Credits stay marked.
fn join_captions(tree: &mut RegionTree<'_>, captions: &[At]) {
    let Some((&first, [_, ..])) = captions.split_first() else { return };
    let mut children = Vec::new();
    for &caption in captions {
        if !children.is_empty() {
            children.push(tree.text(" "));
        }
        let mut inner = std::mem::take(&mut tree.nodes[caption].children);
        if tree.nodes[caption].mark == NodeMark::Credit {
            let credit = tree.element(local_name!("small"));
            tree.nodes[credit].mark = NodeMark::Credit;
            tree.nodes[credit].children = std::mem::replace(&mut inner, vec![credit]);
        }
        children.extend(inner);
    }
    tree.nodes[first].children = children;
    tree.nodes[first].mark = NodeMark::None;
}

/// Whether elements of this name are not part of a line of text.
fn is_apart(name: &LocalName) -> bool {
    is_block(name)
        || matches!(
            *name,
            local_names!(
                "video" "audio" "caption" "colgroup" "thead" "tbody" "tfoot" "tr" "td" "th"
            )
        )
}

/// Makes a paragraph of each run of text in an element that may contain paragraphs, if it has several runs, which empty lines
/// separate, or blocks. An element that only contains blocks is replaced by them; one that contains a line becomes a paragraph.
fn settle_paragraphs(tree: &mut RegionTree<'_>, at: At, breaks: &mut Vec<bool>) {
    let Some(name) = tree.nodes[at].name.clone() else { return };
    let holds_blocks = at == 0
        || matches!(name, local_names!("div" "section" "aside" "address" "blockquote" "details"));
    if !holds_blocks && !matches!(name, local_names!("li" "dd" "td" "th" "figcaption")) {
        return;
    }
    if at != 0 && is_line(tree, &tree.nodes[at].children, breaks) {
        if name == local_name!("div") && tree.nodes[at].mark != NodeMark::Note {
            tree.nodes[at].name = Some(local_name!("p"));
        }
        return;
    }
    let before = std::mem::take(&mut tree.nodes[at].children);
    let has_blocks = before.iter().any(|&child| breaks[child]);
    let mut children: Vec<At> = Vec::with_capacity(before.len());
    let mut runs = 0;
    for part in split_at_gaps(tree, &before, breaks, &mut runs) {
        match part {
            FlowPart::Block(child) if tree.is(child, &local_name!("p")) => {
                children.extend(split_paragraph(tree, child, breaks));
            }
            FlowPart::Block(child) if is_only_around_blocks(tree, child, breaks) => {
                children.append(&mut tree.nodes[child].children);
            }
            FlowPart::Block(child) => children.push(child),
            FlowPart::Run(run) if (holds_blocks && (has_blocks || at == 0)) || runs > 1 => {
                let paragraph = tree.element(local_name!("p"));
                tree.nodes[paragraph].children = run;
                children.push(paragraph);
            }
            FlowPart::Run(run) => children.extend(run),
        }
    }
    tree.nodes[at].children = children;
    breaks.resize(tree.nodes.len(), true);
    if name == local_name!("div")
        && !has_blocks
        && runs == 1
        && tree.nodes[at].mark != NodeMark::Note
    {
        tree.nodes[at].name = Some(local_name!("p"));
    }
}

enum FlowPart {
    Block(At),
    /// Consecutive texts and inline elements.
    Run(Vec<At>),
}

/// Divides children into blocks and runs of text, which end at empty lines and at gaps. Counts the runs.
fn split_at_gaps(
    tree: &RegionTree<'_>,
    children: &[At],
    breaks: &[bool],
    runs: &mut usize,
) -> Vec<FlowPart> {
    let mut parts = Vec::new();
    let mut run: Vec<At> = Vec::new();
    let mut line_breaks = 0;
    let is_break = |at: At| tree.is(at, &local_name!("br"));
    let mut end_run = |run: &mut Vec<At>, parts: &mut Vec<FlowPart>| {
        let from = run.iter().position(|&at| !is_blank(tree, at)).unwrap_or(run.len());
        let to = run.iter().rposition(|&at| !is_blank(tree, at)).map_or(from, |last| last + 1);
        if from < to {
            *runs += 1;
            parts.push(FlowPart::Run(run[from..to].to_vec()));
        }
        run.clear();
    };
    for &child in children {
        if breaks[child] {
            end_run(&mut run, &mut parts);
            parts.push(FlowPart::Block(child));
            line_breaks = 0;
            continue;
        }
        line_breaks = match is_any_space(tree, child) {
            true => line_breaks,
            false if is_break(child) => line_breaks + 1,
            false => 0,
        };
        if line_breaks > 1 || tree.nodes[child].mark == NodeMark::Gap {
            end_run(&mut run, &mut parts);
        }
        run.push(child);
    }
    end_run(&mut run, &mut parts);
    parts
}

/// Whether children are already one run of text: without blocks, line breaks, gaps, or white space at the ends.
fn is_line(tree: &RegionTree<'_>, children: &[At], breaks: &[bool]) -> bool {
    let is_part = |&at: &At| {
        !breaks[at] && !tree.is(at, &local_name!("br")) && tree.nodes[at].mark != NodeMark::Gap
    };
    let has_text = |at: Option<&At>| at.is_some_and(|&at| !is_any_space(tree, at));
    has_text(children.first()) && has_text(children.last()) && children.iter().all(is_part)
}

/// Whether a node is white space or a line break.
fn is_blank(tree: &RegionTree<'_>, at: At) -> bool {
    is_any_space(tree, at) || tree.is(at, &local_name!("br"))
}

/// Whether a node is white space, including no-break spaces.
fn is_any_space(tree: &RegionTree<'_>, at: At) -> bool {
    tree.nodes[at].name.is_none() && tree.nodes[at].text.chars().all(char::is_whitespace)
}

/// Moves empty lines out of inline children of an element, which are divided there.
fn hoist_breaks(tree: &mut RegionTree<'_>, at: At, breaks: &mut Vec<bool>) {
    let is_divided = |&child: &At| {
        let name = tree.nodes[child].name.as_ref();
        name.is_some_and(dom::is_inline)
            && has_empty_line(tree, &tree.nodes[child].children)
            && !name.is_some_and(|name| formula_stays(name))
    };
    if !tree.nodes[at].children.iter().any(is_divided) || tree.is(at, &local_name!("pre")) {
        return;
    }
    let divided: Vec<bool> = tree.nodes[at].children.iter().map(is_divided).collect();
    let children = std::mem::take(&mut tree.nodes[at].children);
    let mut hoisted = Vec::with_capacity(children.len() + 4);
    for (child, is_divided) in children.into_iter().zip(divided) {
        if !is_divided {
            hoisted.push(child);
            continue;
        }
        let inner = std::mem::take(&mut tree.nodes[child].children);
        let mut rest = &inner[..];
        let mut around = child;
        while !rest.is_empty() {
            // The next empty line: its start and end.
            let starts = (0..rest.len()).filter(|&from| tree.is(rest[from], &local_name!("br")));
            let line = { starts }.find_map(|from| {
                let blank = rest[from..].iter().take_while(|&&at| is_blank(tree, at)).count();
                has_empty_line(tree, &rest[from..from + blank]).then_some((from, from + blank))
            });
            let (end, next) = line.unwrap_or((rest.len(), rest.len()));
            tree.nodes[around].children = rest[..end].to_vec();
            breaks.resize(tree.nodes.len(), false);
            breaks[around] = rest[..end].iter().any(|&inner| breaks[inner]);
            hoisted.push(around);
            hoisted.extend(&rest[end..next]);
            rest = &rest[next..];
            if !rest.is_empty() {
                let name = tree.nodes[child].name.clone().unwrap_or(local_name!("span"));
                let mut attributes = tree.nodes[child].attributes.clone();
                attributes.retain(|own| own.0 != local_name!("id"));
                around = tree.element(name);
                tree.nodes[around].attributes = attributes;
            }
        }
    }
    tree.nodes[at].children = hoisted;
}

/// Whether two line breaks follow each other among nodes.
fn has_empty_line(tree: &RegionTree<'_>, nodes: &[At]) -> bool {
    let mut shown = nodes.iter().filter(|&&at| !is_any_space(tree, at));
    let mut before = false;
    shown.any(|&at| {
        let is_break = tree.is(at, &local_name!("br"));
        std::mem::replace(&mut before, is_break) && is_break
    })
}

/// Splits a paragraph at its empty lines.
fn split_paragraph(tree: &mut RegionTree<'_>, paragraph: At, breaks: &[bool]) -> Vec<At> {
    if is_line(tree, &tree.nodes[paragraph].children, breaks) {
        return vec![paragraph];
    }
    let mut runs = 0;
    let children = std::mem::take(&mut tree.nodes[paragraph].children);
    let parts = split_at_gaps(tree, &children, breaks, &mut runs);
    if runs < 2 {
        let ends_with_break =
            children.last().is_some_and(|&last| !parts.is_empty() && is_blank(tree, last));
        tree.nodes[paragraph].children = match parts.into_iter().next() {
            Some(FlowPart::Run(run))
                if ends_with_break && !children.iter().any(|&at| breaks[at]) =>
            {
                run
            }
            _ => children,
        };
        return vec![paragraph];
    }
    let runs = parts.into_iter().filter_map(|part| match part {
        FlowPart::Run(run) => Some(run),
        FlowPart::Block(_) => None,
    });
    let mut paragraphs = Vec::new();
    for run in runs {
        let at = match paragraphs.is_empty() {
            true => paragraph,
            false => tree.element(local_name!("p")),
        };
        tree.nodes[at].children = run;
        paragraphs.push(at);
    }
    paragraphs
}

/// Whether a division has no attributes and contains only blocks.
fn is_only_around_blocks(tree: &RegionTree<'_>, at: At, breaks: &[bool]) -> bool {
    let node = &tree.nodes[at];
    tree.is(at, &local_name!("div"))
        && node.attributes.is_empty()
        && node.mark == NodeMark::None
        && node.children.iter().all(|&child| breaks[child] || tree.is_space(child))
}

/// Makes the first row of a table a header row if all of it is bold, and removes rows that repeat the headers.
fn settle_headers(tree: &mut RegionTree<'_>, table: At) {
    if !tree.is(table, &local_name!("table")) {
        return;
    }
    let groups = tree.nodes[table].children.clone();
    let rows: Vec<(At, At)> = groups
        .iter()
        .flat_map(|&group| tree.nodes[group].children.iter().map(move |&row| (group, row)))
        .filter(|&(_, row)| tree.is(row, &local_name!("tr")))
        .collect();
    let Some((&(_, first), rest)) = rows.split_first() else { return };
    let cells = |tree: &RegionTree<'_>, row: At| -> Vec<At> { tree.shown_children(row).collect() };
    let own = cells(tree, first);
    let is_header = |tree: &RegionTree<'_>, at: At| tree.is(at, &local_name!("th"));
    let is_bold = |tree: &RegionTree<'_>, cell: At| {
        let has_text =
            tree.below(cell).any(|at| tree.nodes[at].name.is_none() && !tree.is_space(at));
        let is_strong = |&at: &At| matches!(tree.nodes[at].name, Some(local_names!("b" "strong")));
        let inside = tree.below(cell).find(is_strong).map_or(0, |at| tree.text_of(at).len());
        has_text && inside == tree.text_of(cell).len()
    };
    if rest.is_empty() || own.len() < 2 {
        return;
    }
    if own.iter().all(|&cell| is_bold(tree, cell)) {
        for &cell in &own {
            tree.nodes[cell].name = Some(local_name!("th"));
        }
    }
    if !own.iter().all(|&cell| is_header(tree, cell)) {
        return;
    }
    let texts = |tree: &RegionTree<'_>, row: At| -> Vec<String> {
        cells(tree, row).into_iter().map(|cell| tree.text_of(cell)).collect()
    };
    let headers = texts(tree, first);
    let repeats = |&&(_, row): &&(At, At)| {
        let own = cells(tree, row);
        own.iter().all(|&cell| is_header(tree, cell)) && texts(tree, row) == headers
    };
    let repeated: BTreeSet<At> = rest.iter().filter(repeats).map(|own| own.1).collect();
    if !repeated.is_empty() {
        for group in groups {
            tree.nodes[group].children.retain(|child| !repeated.contains(child));
        }
    }
}

/// Renames paragraphs that contain blocks, and unwraps blocks in headings.
fn settle_blocks(tree: &mut RegionTree<'_>, at: At, holds_block: bool) {
    let Some(name) = tree.nodes[at].name.clone() else { return };
    if name == local_name!("p") && holds_block {
        tree.nodes[at].name = Some(local_name!("div"));
    } else if is_heading(&name) {
        let wraps = named(is_wrapper);
        let unwanted = |tree: &RegionTree<'_>, child: At| {
            wraps(tree, child) || tree.nodes[child].name.as_ref().is_some_and(is_heading)
        };
        if tree.nodes[at].children.iter().any(|&child| unwanted(tree, child)) {
            // Spaces keep the words of different blocks apart.
            let mut spaced = Vec::new();
            for child in std::mem::take(&mut tree.nodes[at].children) {
                if unwanted(tree, child) && !spaced.is_empty() {
                    spaced.push(tree.text(" "));
                }
                spaced.push(child);
            }
            tree.nodes[at].children = spaced;
            unwrap_children(tree, at, unwanted);
        }
    }
}
