//! Adds the missing parts of lists and tables, and headings, code, quotations, rows of the same form and the like between the
//! texts of an article.

use std::collections::{BTreeMap, BTreeSet};

use dom::{
    Document, LocalName, NodeId, class_tokens, is_heading, local_name, local_names, web_url,
};

use crate::allowed::meant;
use crate::code::{BAR, is_code_block};
use crate::embed::quoted_post;
use crate::further::is_alike;
use crate::texts::PageTexts;

/// Maximum bytes of text of a structure that is added.
const LONGEST: u32 = 12_000;
/// Longest source of a quotation, and caption of a table, in bytes.
const LONGEST_SOURCE: u32 = 240;
/// Longest text beside a heading in the box around it, in bytes.
const BESIDE_HEADING: u32 = 20;
/// Bytes of brackets around a link beside a heading.
const BRACKETS: u32 = 2;
/// Longest title and source of a table in the box around it, together, in bytes.
const TITLE_AND_SOURCE: u32 = 120;
/// Minimum share of a list's text that must be the article's for the rest to be added.
const SHARE: f64 = 0.3;

pub(crate) fn may_be_added(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "ul" "ol" "dl" "table" "pre" "blockquote" "details" "h1" "h2" "h3" "h4" "h5" "h6"
        )
    )
}

/// Whether an element is a callout by its role (WAI-ARIA 1.2, DPUB-ARIA 1.0) or by the class that documentation generators and
/// note-taking programs give it.
pub(crate) fn is_callout(document: &Document, id: NodeId) -> bool {
    if !matches!(document.name(id), Some(&local_names!("div" "aside" "section"))) {
        return false;
    }
    let role = document.attribute(id, &local_name!("role"));
    matches!(role, Some("note" | "doc-tip" | "doc-notice"))
        || class_tokens(document.attribute(id, &local_name!("class")).unwrap_or_default())
            .any(|class| matches!(class, "admonition" | "callout" | "markdown-alert"))
}

/// Includes those of `structures` (in document order) that belong to the article. Additions that complete the article's text are
/// also part of the text (`read`), as are headings, tables and code between its parts; boxes are only shown.
pub(crate) fn add(
    texts: &PageTexts<'_>,
    structures: &[NodeId],
    include: &mut [bool],
    read: &mut [bool],
) {
    let document = texts.document;
    let is_addable = |id: NodeId| {
        meant(document, id).is_some_and(|name| may_be_added(&name)) || is_callout(document, id)
    };
    let is_heading = |id: NodeId| meant(document, id).is_some_and(|name| dom::is_heading(&name));
    add_rows(texts, include, read);
    let mut code_end = 0;
    // The end of the article: of its last text, or of structures added after it.
    let mut end = texts.last + 1;
    // The top of the last block of code, and whether it contains hardly anything but code.
    let mut top_of_code: Option<(NodeId, bool)> = None;
    for &id in structures {
        let (own, text) = (texts.own(id), texts.text(id));
        let may_be_code = own == 0
            && text > 0
            && id >= code_end
            && (texts.is_between(id) || stands_behind(texts, structures, id, end));
        if may_be_code && is_code_block(texts, id) {
            code_end = document.node(id).end;
            if text > LONGEST {
                continue;
            }
            let Some(top) = texts.top(id) else { continue };
            let known = top_of_code.filter(|known| known.0 == top).map(|known| known.1);
            let is_for_code = known.unwrap_or_else(|| is_for_code(texts, structures, top));
            top_of_code = Some((top, is_for_code));
            if is_for_code {
                include_subtree(document, id, include);
                include_subtree(document, id, read);
                end = end.max(code_end);
            }
            continue;
        }
        if own > 0 {
            add_source(texts, id, include, read);
        }
        if !is_addable(id) || text == 0 || own == text || include[id as usize] && own == 0 {
            continue;
        }
        if own > 0 {
            complete_structure(texts, id, include);
            complete_structure(texts, id, read);
        } else if (text <= LONGEST || is_table(document, id))
            && !is_heading(id)
            && (texts.is_between(id) || stands_behind(texts, structures, id, end))
            && belongs(texts, id)
        {
            // The box around a table has its title and source.
            let around = texts.top(id).filter(|&top| texts.linked.sum(document, top) == 0);
            let whole = around.filter(|_| is_table(document, id)).unwrap_or(id);
            include_subtree(document, whole, include);
            end = end.max(document.node(whole).end);
            if is_table(document, id)
                || id > texts.last
                || quoted_post(document, id, texts.base).is_none() && stands_amid(texts, id, read)
            {
                include_subtree(document, whole, read);
                add_source(texts, id, include, read);
            }
        }
    }
    // Headings come before the text they introduce: the last headings are decided first.
    for &id in structures.iter().rev().filter(|&&id| is_heading(id)) {
        let is_within = texts.text(id) > 0 && texts.own(id) == 0 && id < end && id > texts.first;
        if is_within && texts.top(id).is_some_and(|top| precedes_included(texts, id, top, include))
        {
            include_subtree(document, id, include);
            if !texts.is_linked(id) || leads_into_page(texts, id) {
                include_subtree(document, id, read);
            }
        }
    }
}

/// Whether the only link in or around a heading or term leads into the page, to the text under it.
fn leads_into_page(texts: &PageTexts<'_>, heading: NodeId) -> bool {
    let document = texts.document;
    let href = |id: NodeId| match document.is(id, &local_name!("a")) {
        true => document.attribute(id, &local_name!("href")),
        false => None,
    };
    let around = document.ancestors(heading).skip(1).take(2);
    let mut links = document.subtree(heading).chain(around).filter_map(href);
    links.next().is_some_and(|href| {
        href.is_empty() || href.starts_with('#') || href.starts_with("javascript:")
    }) && links.next().is_none()
}

fn include_subtree(document: &Document, id: NodeId, include: &mut [bool]) {
    include[id as usize..document.node(id).end as usize].fill(true);
}

/// Whether the next text after a heading is included, and the heading's top contains hardly anything else.
fn precedes_included(
    texts: &PageTexts<'_>,
    heading: NodeId,
    top: NodeId,
    include: &[bool],
) -> bool {
    let document = texts.document;
    let is_followed = |by: NodeId| {
        let has_text = |id: &NodeId| texts.all.range(*id, *id + 1) > 0;
        let next = (document.node(by).end..document.len() as NodeId).find(has_text);
        next.is_some_and(|next| include[next as usize])
    };
    // Beside a heading there may be a link, such as "[edit]", but no picture.
    let beside = texts.text(top).saturating_sub(texts.text(heading));
    let is_with_link = || {
        let linked = texts.linked.sum(document, top) - texts.linked.sum(document, heading);
        let mut inside = document.subtree(top);
        linked > 0
            && beside - linked.min(beside) <= BRACKETS
            && !texts.is_linked(heading)
            && !inside.any(|own| document.is(own, &local_name!("img")))
    };
    beside <= BESIDE_HEADING && (is_followed(heading) || is_followed(top) && is_with_link())
}

/// Whether a structure without text of the article, between two of its texts or after the last, belongs to it: the structure does
/// not consist of links to other pages, and its top contains hardly anything else.
fn belongs(texts: &PageTexts<'_>, id: NodeId) -> bool {
    let document = texts.document;
    let text = texts.text(id);
    // Tables may have titles and sources.
    let beside = if is_table(document, id) { TITLE_AND_SOURCE } else { 20 };
    (!texts.is_linked(id) || is_nested_list_of_links(texts, id) || is_list_of_sources(texts, id))
        && !is_list_of_cards(texts, id)
        && texts.top(id).is_some_and(|top| texts.text(top) <= text + text / 4 + beside)
        && (!is_table(document, id) || !is_layout(document, id))
}

/// Whether a structure continues an article after its end, in the element with most of its text: code, a table, a list of lines
/// (possibly after headings), or a list or quotation that the text before it announces with a colon.
fn stands_behind(texts: &PageTexts<'_>, structures: &[NodeId], id: NodeId, end: NodeId) -> bool {
    let document = texts.document;
    if id < end || document.parent(id) != Some(texts.body) {
        return false;
    }
    let is_announced = || {
        let text = document.text(texts.last).unwrap_or_default();
        texts.all.range(texts.last + 1, id) == 0 && text.trim_end().ends_with([':', '\u{ff1a}'])
    };
    let is_of_lines = || {
        let is_part = |own: NodeId| {
            document.name(own).is_none_or(|name| matches!(*name, local_names!("li" "dt" "dd")))
                || document.is_inline(own)
        };
        document.subtree(id).skip(1).all(is_part)
    };
    match meant(document, id) {
        Some(local_names!("pre" "table")) if texts.all.range(end, id) == 0 => return true,
        Some(local_names!("ul" "ol" "dl")) if is_of_lines() => {}
        Some(local_names!("ul" "ol" "dl" "blockquote")) => return is_announced(),
        _ => return false,
    }
    let between = structures[structures.partition_point(|&own| own < end)..].iter();
    let is_heading = |own: &&NodeId| {
        document.parent(**own) == Some(texts.body) && document.name(**own).is_some_and(is_heading)
    };
    let headings = between.take_while(|&&own| own < id).filter(is_heading);
    texts.all.range(end, id) == headings.map(|&own| texts.text(own)).sum::<u32>()
}

/// Minimum bytes of text of a link that is as long as a headline.
const HEADLINE: u32 = 20;

/// Whether a list shows other pages: each item begins with a link, on a line of its own or as long as a headline, and more text
/// follows.
fn is_list_of_cards(texts: &PageTexts<'_>, id: NodeId) -> bool {
    let document = texts.document;
    let is_link = |own: &NodeId| {
        document.is(*own, &local_name!("a"))
            && document.attribute(*own, &local_name!("href")).is_some_and(|to| !to.starts_with('#'))
    };
    let is_card = |item: NodeId| {
        let Some(link) = document.subtree(item).find(is_link) else { return false };
        let (from, end) = (document.node(link).end, document.node(item).end);
        let mut after = (from..end).filter(|&own| document.name(own).is_some());
        let is_block = |own| !document.is_inline(own) && !is_list(document, own);
        texts.text(link) > 0
            && texts.all.range(item, link) == 0
            && texts.all.range(from, end) > 0
            && (texts.text(link) >= HEADLINE || after.next().is_some_and(is_block))
    };
    let mut items = document.children(id).filter(|&own| texts.text(own) > 0).peekable();
    is_list(document, id)
        && items.peek().is_some()
        && !document.subtree(id).skip(1).any(|own| is_list(document, own))
        && items.all(is_card)
}

/// Minimum number of elements of the same form that are rows.
const ROWS: usize = 3;

/// Includes boxes between paragraphs with rows of the same form: facts, ingredients, lines of a chat. They are lists without list
/// elements.
fn add_rows(texts: &PageTexts<'_>, include: &mut [bool], read: &mut [bool]) {
    let document = texts.document;
    let is_heading = |id: NodeId| document.name(id).is_some_and(is_heading);
    let may_be_beside = |id: NodeId| {
        document.text(id).is_some()
            || matches!(
                document.name(id),
                Some(&local_names!("p" "ul" "ol" "dl" "table" "blockquote" "pre"))
            )
    };
    for parent in document.subtree(0).filter(|&id| document.name(id).is_some()) {
        if texts.own(parent) == 0 || texts.own(parent) == texts.text(parent) {
            continue;
        }
        let children: Vec<NodeId> =
            document.children(parent).filter(|&id| texts.text(id) > 0 && !is_heading(id)).collect();
        let runs: Vec<&[NodeId]> =
            children.chunk_by(|&a, &b| (texts.own(a) > 0) == (texts.own(b) > 0)).collect();
        let is_paragraph = |id: NodeId| document.is(id, &local_name!("p")) && texts.own(id) > 0;
        if children.iter().any(|&id| is_paragraph(id)) {
            for rows in children.chunk_by(|&a, &b| is_alike(document, a, b)) {
                for &id in titles_of_rows(texts, rows).iter().flatten() {
                    include_subtree(document, id, include);
                    include_subtree(document, id, read);
                }
            }
        }
        for around in runs.windows(3) {
            let &[before, run, after] = around else { continue };
            let neighbours = before.last().zip(after.first());
            let is_amid = neighbours.is_some_and(|(&before, &after)| {
                texts.own(before) > 0
                    && (may_be_beside(before) && may_be_beside(after)
                        || is_alike(document, before, after))
            });
            if is_amid && consists_of_rows(texts, run) {
                for &id in run {
                    include_subtree(document, id, include);
                    include_subtree(document, id, read);
                }
            }
        }
    }
}

/// Whether an element has no link with text, and no name that says that it does not belong to the article.
pub(crate) fn is_plain(texts: &PageTexts<'_>, id: NodeId) -> bool {
    let document = texts.document;
    texts.linked.sum(document, id) == 0
        && !document.subtree(id).any(|own| texts.names.is_foreign(document, own))
}

/// Whether an element that is left out is a line of its own: a source, a price, a hint.
fn is_line(texts: &PageTexts<'_>, id: NodeId) -> bool {
    let is_other = |own: NodeId| {
        matches!(
            texts.document.name(own),
            Some(&local_names!("form" "input" "select" "textarea" "button" "img" "figure"))
        )
    };
    texts.own(id) == 0
        && (1..=LONGEST_SOURCE).contains(&texts.text(id))
        && is_plain(texts, id)
        && !texts.document.subtree(id).any(is_other)
}

/// Returns titles at the same place of each row that are not text of the article: names of speakers, titles of steps.
fn titles_of_rows(texts: &PageTexts<'_>, rows: &[NodeId]) -> Vec<Vec<NodeId>> {
    let document = texts.document;
    let may_be_title =
        |id: &NodeId| texts.text(*id) > 0 && texts.own(*id) == 0 && is_plain(texts, *id);
    if rows.len() < ROWS || !rows.iter().all(|&row| texts.own(row) > 0) {
        return Vec::new();
    }
    let titles = document.children(rows[0]).filter(|id| document.name(*id).is_some());
    let of_all = titles.filter(may_be_title).filter_map(|first| {
        let of = |&row: &NodeId| {
            let mut alike = document.children(row).filter(|&own| is_alike(document, first, own));
            alike.next().filter(|own| may_be_title(own) && alike.next().is_none())
        };
        rows.iter().map(of).collect::<Option<Vec<NodeId>>>()
    });
    of_all.filter(|titles| differ(document, titles)).collect()
}

/// Whether elements have different texts.
fn differ(document: &Document, elements: &[NodeId]) -> bool {
    let mut texts = elements.iter().map(|&id| document.text_content(id));
    let first = texts.next();
    texts.any(|text| Some(text) != first)
}

/// Whether most of the text of some boxes is in rows, and they contain no link, control or picture.
fn consists_of_rows(texts: &PageTexts<'_>, boxes: &[NodeId]) -> bool {
    let document = texts.document;
    let text: u32 = boxes.iter().map(|&id| texts.text(id)).sum();
    let is_other = |id: NodeId| {
        texts.names.is_foreign(document, id)
            || matches!(
                document.name(id),
                Some(&local_names!(
                    "form" "input" "select" "textarea" "figure" "img" "picture" "video" "audio"
                    "aside" "table"
                ))
            )
    };
    if text > LONGEST
        || boxes.iter().any(|&id| texts.linked.sum(document, id) > 0)
        || boxes.iter().any(|&id| document.subtree(id).any(is_other))
    {
        return false;
    }
    let (mut rows, mut next) = (0, vec![boxes.to_vec()]);
    while let Some(beside) = next.pop() {
        let mut alike: BTreeMap<_, Vec<NodeId>> = BTreeMap::new();
        for id in beside {
            let class = document.attribute(id, &local_name!("class"));
            alike.entry((document.name(id), class)).or_default().push(id);
        }
        for (_, own) in alike {
            let is_row = |id: NodeId| {
                !document.is_inline(id)
                    && document.name(id).is_some_and(|name| {
                        matches!(*name, local_names!("div" "p" "section")) || name.contains('-')
                    })
            };
            if own.len() >= ROWS && is_row(own[0]) && differ(document, &own) {
                rows += own.iter().map(|&id| texts.text(id)).sum::<u32>();
            } else {
                let inner = |id: NodeId| {
                    document.children(id).filter(|&id| texts.text(id) > 0).collect::<Vec<_>>()
                };
                next.extend(own.into_iter().map(inner));
            }
        }
    }
    rows * 2 > text
}

/// Whether an element contains hardly anything but code, with the labels and buttons of each block.
fn is_for_code(texts: &PageTexts<'_>, structures: &[NodeId], top: NodeId) -> bool {
    let end = texts.document.node(top).end;
    let from = structures.partition_point(|&own| own < top);
    let (mut code, mut code_end) = (0, 0);
    for &own in structures[from..].iter().take_while(|&&own| own < end) {
        if own >= code_end && is_code_block(texts, own) {
            code_end = texts.document.node(own).end;
            code += texts.text(own) + BAR;
        }
    }
    texts.text(top) <= code
}

/// Whether the texts directly before and after the top of a structure are of the article; the one before may also be `read`.
/// Headings before it do not count.
fn stands_amid(texts: &PageTexts<'_>, id: NodeId, read: &[bool]) -> bool {
    let top = texts.top(id).unwrap_or(id);
    let has_text = |id: &NodeId| texts.all.range(*id, *id + 1) > 0;
    let is_in_heading = |id: NodeId| {
        let mut around = texts.document.ancestors(id).skip(1).take(4);
        around.any(|around| meant(texts.document, around).is_some_and(|name| is_heading(&name)))
    };
    let before = (texts.first..top).rev().filter(has_text).find(|&id| !is_in_heading(id));
    let after = (texts.document.node(top).end..=texts.last).find(has_text);
    let is_own = |id: NodeId| texts.kept.range(id, id + 1) > 0;
    let is_read = |id: NodeId| is_own(id) || read.get(id as usize) == Some(&true);
    before.is_some_and(is_read) && after.is_some_and(is_own)
}

/// Whether a list of links is part of the article around it, not a list of related pages: it has nested lists, and is not a table
/// of contents, whose links lead into the page.
fn is_nested_list_of_links(texts: &PageTexts<'_>, id: NodeId) -> bool {
    let document = texts.document;
    let leads_into_page = |own: NodeId| {
        let href = document.attribute(own, &local_name!("href"));
        href.is_some_and(|href| href.contains('#'))
    };
    is_list(document, id)
        && document.subtree(id).skip(1).any(|own| is_list(document, own))
        && stands_amid(texts, id, &[])
        && !document.subtree(id).any(leads_into_page)
}

/// Whether a list beside paragraphs, in their element, has titles of documents or of pages of other sites, each of another one.
/// Links to share a page have its address.
fn is_list_of_sources(texts: &PageTexts<'_>, id: NodeId) -> bool {
    let document = texts.document;
    let host = texts.base.host_str().unwrap_or_default().trim_start_matches("www.");
    let is_own = |target: &str| {
        let mut names = host.rsplit('.').skip(1).filter(|name| name.len() > 3);
        target.contains(host) || names.any(|name| target.contains(name))
    };
    let mut targets = BTreeSet::new();
    let is_source = |link: NodeId| {
        let href = document.attribute(link, &local_name!("href")).unwrap_or_default();
        let target = web_url(href, texts.base).filter(|target| {
            let kind = target.path().rsplit('.').next().unwrap_or_default();
            matches!(kind, "pdf" | "doc" | "docx" | "xls" | "xlsx" | "odt")
                || target.path().len() > 1 && !is_own(target.as_str())
        });
        texts.text(link) >= HEADLINE && target.is_some_and(|target| targets.insert(target))
    };
    let mut links = document.subtree(id).filter(|&own| document.is(own, &local_name!("a")));
    is_list(document, id)
        && document.parent(id) == Some(texts.body)
        && links.all(is_source)
        && targets.len() > 1
}

fn is_table(document: &Document, id: NodeId) -> bool {
    meant(document, id) == Some(local_name!("table"))
}

fn is_list(document: &Document, id: NodeId) -> bool {
    matches!(document.name(id), Some(&local_names!("ul" "ol")))
}

/// Includes the source of a quotation, in it or in the figure around it, or the caption of a table's figure.
fn add_source(texts: &PageTexts<'_>, id: NodeId, include: &mut [bool], read: &mut [bool]) {
    let document = texts.document;
    let is_quotation = document.is(id, &local_name!("blockquote"));
    if !is_quotation && !is_table(document, id) {
        return;
    }
    let around = document.parent(id).filter(|&own| document.is(own, &local_name!("figure")));
    let of_figure = around.into_iter().flat_map(|own| document.children(own));
    let is_source = |own: &NodeId| match document.name(*own) {
        Some(&local_names!("footer" "cite")) if !is_quotation => false,
        Some(&local_names!("figcaption" "footer" "cite")) => {
            texts.own(*own) == 0 && (1..=LONGEST_SOURCE).contains(&texts.text(*own))
        }
        // The last line of a quotation is its source, whatever the element.
        Some(&local_names!("div" "p")) if is_quotation => {
            let end = document.parent(*own).map_or(0, |around| document.node(around).end);
            texts.all.range(document.node(*own).end, end) == 0
                && texts.own(id) > texts.text(*own)
                && is_line(texts, *own)
        }
        _ => false,
    };
    if let Some(source) = document.children(id).chain(of_figure).find(is_source) {
        include_subtree(document, source, include);
        include_subtree(document, source, read);
    }
}

/// Includes the rest of a structure that contains text of the article.
fn complete_structure(texts: &PageTexts<'_>, id: NodeId, include: &mut [bool]) {
    let document = texts.document;
    let parts: &[LocalName] = match meant(document, id) {
        Some(local_names!("ul" "ol")) => {
            let (own, text) = (texts.own(id), texts.text(id));
            if f64::from(own) < SHARE * f64::from(text) {
                return;
            }
            &[local_name!("li")]
        }
        Some(local_name!("dl")) => &[local_name!("dt"), local_name!("dd")],
        Some(local_name!("table")) if !is_layout(document, id) => {
            &[local_name!("td"), local_name!("th"), local_name!("caption")]
        }
        Some(local_name!("details")) => {
            // The folded text is not understood without its summary.
            let is_summary = |child: &NodeId| document.is(*child, &local_name!("summary"));
            let summary = document.children(id).find(is_summary);
            return summary.into_iter().for_each(|own| include_subtree(document, own, include));
        }
        Some(local_name!("pre")) => return include_subtree(document, id, include),
        Some(name) if is_heading(&name) => {
            return include_subtree(document, id, include);
        }
        // A callout is read with its title.
        _ if is_callout(document, id) && texts.text(id) <= LONGEST && !texts.is_linked(id) => {
            return include_subtree(document, id, include);
        }
        _ => return,
    };
    let is_part = |id: &NodeId| meant(document, *id).is_some_and(|name| parts.contains(&name));
    let links = texts.is_linked(id);
    let is_term = |part: NodeId| document.is(part, &local_name!("dt"));
    for part in document.subtree(id).skip(1).filter(is_part) {
        let text = texts.text(part);
        // Empty cells keep the others in their columns.
        let is_cell = matches!(meant(document, part), Some(local_names!("td" "th")));
        let left_out = (text > 0 || is_cell) && texts.own(part) == 0;
        let is_own = |child: NodeId| document.text(child).is_some() && texts.own(child) > 0;
        if document.children(part).any(is_own) {
            let lines = document.children(part).filter(|&child| is_line(texts, child));
            lines.for_each(|line| include_subtree(document, line, include));
        }
        if left_out
            && text <= LONGEST
            && !texts.names.is_foreign(document, part)
            && (links || !texts.is_linked(part) || is_term(part) && leads_into_page(texts, part))
        {
            include_subtree(document, part, include);
        }
    }
}

/// Longest cell of a data table, in bytes.
const LONGEST_CELL: usize = 2_500;

/// Whether a table is a layout table: its role says so, it contains other tables or headlines, its cells are long or have many
/// paragraphs (elements, or texts between two line breaks), or it has a single row or column without headers.
pub(crate) fn is_layout(document: &Document, table: NodeId) -> bool {
    let role = document.attribute(table, &local_name!("role"));
    if matches!(role, Some("presentation" | "none")) {
        return true;
    }
    let (mut rows, mut cells, mut widest, mut headers, mut paragraphs) = (0, 0, 0, 0, 0);
    let mut follows_break = false;
    for id in document.subtree(table).skip(1) {
        if document.text(id).is_some_and(|text| text.trim().is_empty()) {
            continue;
        }
        let is_break = document.is(id, &local_name!("br"));
        let ends_paragraph = is_break && follows_break;
        follows_break = is_break && !follows_break;
        match meant(document, id) {
            Some(local_names!("table" "h1" "article")) => return true,
            Some(local_name!("tr")) => (rows, cells) = (rows + 1, 0),
            Some(local_name!("td")) => {
                (cells, paragraphs) = (cells + 1, 0);
                widest = widest.max(cells);
                if document.text_content(id).len() > LONGEST_CELL {
                    return true;
                }
            }
            Some(local_names!("th" "caption")) => {
                (cells, paragraphs) = (cells + 1, 0);
                widest = widest.max(cells);
                headers += 1;
            }
            Some(local_names!("p" "br" "hr")) if !is_break || ends_paragraph => {
                paragraphs += 1;
                if paragraphs > 4 {
                    return true;
                }
            }
            _ => {}
        }
    }
    (widest < 2 || rows < 2) && headers == 0
}
