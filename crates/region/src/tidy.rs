//! Puts the elements of a tree where HTML allows them, so that the tree is the same when it is written and parsed again.

use dom::{LocalName, is_heading, is_void, local_name, local_names};

use crate::tree::{At, NodeMark, RegionTree};

/// Tidies a tree: items are in lists, cells in rows of tables, captions in figures; paragraphs and headings hold no
/// blocks; links no links. What is empty is left out.
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
    // Parents before children, as what is wrapped gets new children.
    let mut next = vec![0];
    while let Some(at) = next.pop() {
        place_children(tree, at);
        next.extend(tree.nodes[at].children.iter().copied());
    }
    let order: Vec<At> = tree.below(0).collect();
    for &at in order.iter().rev() {
        settle_blocks(tree, at);
    }
    let order: Vec<At> = tree.below(0).collect();
    for &at in order.iter().rev() {
        drop_empty(tree, at);
    }
}

/// Elements that close an open paragraph (HTML §13.2.6.4.7).
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

/// Replaces an element by its children. Its id goes to the first of them that is an element without one.
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
    let links: Vec<At> = tree.below(0).filter(|&at| tree.is(at, &local_name!("a"))).collect();
    for link in links {
        for at in tree.below(link).collect::<Vec<_>>() {
            unwrap_children(tree, at, |tree, child| tree.is(child, &local_name!("a")));
        }
    }
}

/// Leaves out the children of an element that are empty.
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
    children.retain(|&child| {
        let node = &tree.nodes[child];
        match &node.name {
            None => !(node.text.is_empty() || has_space_only_of_structure && tree.is_space(child)),
            Some(name) => {
                node.children.iter().any(|&inner| !tree.is_space(inner))
                    || is_void(name)
                    || matches!(*name, local_names!("td" "th" "video" "audio"))
                    || is_of_formula(name)
                    || tree.attribute(child, &local_name!("id")).is_some()
            }
        }
    });
    tree.nodes[parent].children = children;
}

fn is_of_formula(name: &LocalName) -> bool {
    crate::allowed::formula_stays(name)
}

/// Makes captions the children of their figure, and unwraps what is only around its media.
fn settle_figure(tree: &mut RegionTree<'_>, figure: At) {
    let mut captions = Vec::new();
    let mut next = vec![figure];
    while let Some(at) = next.pop() {
        let (own, rest): (Vec<At>, Vec<At>) = tree.nodes[at]
            .children
            .iter()
            .partition(|&&child| tree.is(child, &local_name!("figcaption")));
        // A figure within a figure has captions of its own.
        next.extend(rest.iter().filter(|&&child| !tree.is(child, &local_name!("figure"))));
        tree.nodes[at].children = rest;
        captions.extend(own);
    }
    captions.sort_unstable();
    // A figure has one caption.
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

/// Wraps each run of children that `belongs` says in an element of this name; a run joins `join` directly before it.
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
        let around = match run {
            Some(around) => around,
            None => {
                let name = name(tree, child);
                let before = children.iter().rev().copied().find(|&at| !tree.is_space(at));
                let around = match before.filter(|&at| joins && tree.is(at, &name)) {
                    Some(before) => before,
                    None => {
                        let at = tree.element(name);
                        children.push(at);
                        at
                    }
                };
                run = Some(around);
                around
            }
        };
        tree.nodes[around].children.push(child);
    }
    tree.nodes[parent].children = children;
}

const WRAPPERS: &[LocalName] = &[local_name!("div"), local_name!("section"), local_name!("p")];

fn named(names: &'static [LocalName]) -> impl Fn(&RegionTree<'_>, At) -> bool {
    move |tree, at| tree.nodes[at].name.as_ref().is_some_and(|name| names.contains(name))
}

/// Puts the children of an element into those that HTML demands around them.
fn place_children(tree: &mut RegionTree<'_>, at: At) {
    const ITEMS: &[LocalName] = &[local_name!("li")];
    const TERMS: &[LocalName] = &[local_name!("dt"), local_name!("dd")];
    const GROUPS: &[LocalName] =
        &[local_name!("thead"), local_name!("tbody"), local_name!("tfoot")];
    const CELLS: &[LocalName] = &[local_name!("td"), local_name!("th")];
    const ROWS: &[LocalName] = &[local_name!("tr")];
    const COLUMNS: &[LocalName] = &[local_name!("col")];
    const OF_TABLES: &[LocalName] = &[
        local_name!("thead"),
        local_name!("tbody"),
        local_name!("tfoot"),
        local_name!("caption"),
        local_name!("colgroup"),
    ];
    const OF_COLUMNS: &[LocalName] = &[local_name!("colgroup"), local_name!("col")];
    const DIVISIONS: &[LocalName] = &[local_name!("div"), local_name!("section")];
    const OF_RUBY: &[LocalName] = &[local_name!("rt"), local_name!("rp")];
    const BESIDE_ROWS: &[LocalName] =
        &[local_name!("caption"), local_name!("colgroup"), local_name!("col")];
    let Some(mut name) = tree.nodes[at].name.clone() else { return };
    let other = |names: &'static [LocalName]| {
        let is_named = named(names);
        move |tree: &RegionTree<'_>, at: At| !is_named(tree, at)
    };
    let is_beside =
        |tree: &RegionTree<'_>, child: At| tree.is_space(child) || named(BESIDE_ROWS)(tree, child);
    if name == local_name!("table")
        && tree.nodes[at].children.iter().all(|&child| is_beside(tree, child))
    {
        // Without rows it is no table.
        name = local_name!("div");
        tree.nodes[at].name = Some(name.clone());
    }
    if name == local_name!("details") && !begin_with_summary(tree, at) {
        // Nothing says what is folded.
        name = local_name!("div");
        tree.nodes[at].name = Some(name.clone());
        tree.nodes[at].attributes.retain(|a| a.0 != local_name!("open"));
    }
    match name {
        local_names!("ul" "ol") => {
            unwrap_children(tree, at, named(WRAPPERS));
            wrap_runs(tree, at, |_, _| local_name!("li"), other(ITEMS), true);
            return;
        }
        local_name!("dl") => {
            unwrap_children(tree, at, named(DIVISIONS));
            wrap_runs(tree, at, |_, _| local_name!("dd"), other(TERMS), false);
            return;
        }
        local_name!("table") => {
            wrap_runs(tree, at, |_, _| local_name!("colgroup"), named(COLUMNS), false);
            wrap_runs(tree, at, |_, _| local_name!("tbody"), other(OF_TABLES), false);
            begin_with_caption(tree, at);
            return;
        }
        local_names!("thead" "tbody" "tfoot") => {
            unwrap_children(tree, at, named(OF_TABLES));
            wrap_runs(tree, at, |_, _| local_name!("tr"), other(ROWS), false);
            return;
        }
        local_name!("tr") => {
            unwrap_children(tree, at, |tree, child| {
                named(ROWS)(tree, child) || named(OF_TABLES)(tree, child)
            });
            wrap_runs(tree, at, |_, _| local_name!("td"), other(CELLS), false);
            return;
        }
        local_name!("colgroup") => {
            let mut columns = std::mem::take(&mut tree.nodes[at].children);
            columns.retain(|&child| named(COLUMNS)(tree, child));
            tree.nodes[at].children = columns;
            return;
        }
        _ => {}
    }
    // Anywhere else, parts of lists and tables need one around them.
    let list = |tree: &RegionTree<'_>, item: At| match tree.nodes[item].mark {
        NodeMark::Numbered => local_name!("ol"),
        _ => local_name!("ul"),
    };
    let in_ruby = name == local_name!("ruby");
    unwrap_children(tree, at, |tree, child| {
        let is = |names| named(names)(tree, child);
        is(GROUPS) || is(OF_COLUMNS) || is(ROWS) || !in_ruby && is(OF_RUBY)
    });
    wrap_runs(tree, at, list, named(ITEMS), false);
    wrap_runs(tree, at, |_, _| local_name!("dl"), named(TERMS), false);
    let children = tree.nodes[at].children.clone();
    let mut is_first = true;
    for child in children {
        let Some(own) = tree.nodes[child].name.clone() else { continue };
        let renamed = match own {
            local_names!("td" "th") => Some(local_name!("div")),
            local_name!("caption") => Some(local_name!("p")),
            local_name!("figcaption") if name != local_name!("figure") => Some(local_name!("p")),
            local_name!("summary") if name != local_name!("details") || !is_first => {
                Some(local_name!("p"))
            }
            _ => None,
        };
        if let Some(renamed) = renamed {
            tree.nodes[child].name = Some(renamed);
            tree.nodes[child].attributes.retain(|a| matches!(a.0, local_names!("id" "lang" "dir")));
        }
        is_first = false;
    }
}

/// Puts the summary of `details` before everything else. Returns whether there is one.
fn begin_with_summary(tree: &mut RegionTree<'_>, details: At) -> bool {
    let is_summary = |&child: &At| tree.is(child, &local_name!("summary"));
    let Some(at) = tree.nodes[details].children.iter().position(is_summary) else { return false };
    tree.nodes[details].children[..=at].rotate_right(1);
    true
}

/// Puts the caption of a table before everything else; of several, the others are added to the first.
fn begin_with_caption(tree: &mut RegionTree<'_>, table: At) {
    let (captions, rest): (Vec<At>, Vec<At>) = tree.nodes[table]
        .children
        .iter()
        .partition(|&&child| tree.is(child, &local_name!("caption")));
    join_captions(tree, &captions);
    tree.nodes[table].children = captions.first().copied().into_iter().chain(rest).collect();
}

/// Adds the content of captions to the first of them.
fn join_captions(tree: &mut RegionTree<'_>, captions: &[At]) {
    let Some((&first, further)) = captions.split_first() else { return };
    for &other in further {
        let inner = std::mem::take(&mut tree.nodes[other].children);
        let space = tree.text(" ");
        tree.nodes[first].children.push(space);
        tree.nodes[first].children.extend(inner);
    }
}

/// Renames paragraphs that hold blocks, and unwraps blocks in headings.
fn settle_blocks(tree: &mut RegionTree<'_>, at: At) {
    let Some(name) = tree.nodes[at].name.clone() else { return };
    let holds_block = |tree: &RegionTree<'_>| {
        tree.below(at).skip(1).any(|below| tree.nodes[below].name.as_ref().is_some_and(is_block))
    };
    if name == local_name!("p") && holds_block(tree) {
        tree.nodes[at].name = Some(local_name!("div"));
    } else if is_heading(&name) {
        let wraps = named(WRAPPERS);
        let unwanted = |tree: &RegionTree<'_>, child: At| {
            wraps(tree, child) || tree.nodes[child].name.as_ref().is_some_and(is_heading)
        };
        if tree.nodes[at].children.iter().any(|&child| unwanted(tree, child)) {
            // Words of different blocks stay apart.
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
