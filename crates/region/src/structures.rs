//! Adds what makes lists and tables whole, and headings, code, quotations and the like that stand between the texts of an
//! article.

use dom::{Document, LocalName, NodeId, class_tokens, is_heading, local_name, local_names};

use crate::allowed::meant;
use crate::code::{BAR, is_code_block};
use crate::embed::quoted_post;
use crate::texts::PageTexts;

/// Most bytes of text of a structure that is added.
const LONGEST: u32 = 12_000;
/// Longest source of a quotation, and caption of a table, in bytes.
const LONGEST_SOURCE: u32 = 240;
/// Share of a list's text that must be the article's for the rest to be added.
const SHARE: f64 = 0.3;

pub(crate) fn may_be_added(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "ul" "ol" "dl" "table" "pre" "blockquote" "details" "h1" "h2" "h3" "h4" "h5" "h6"
        )
    )
}

/// Whether an element is a box with a note, by its role (WAI-ARIA 1.2, DPUB-ARIA 1.0) or the name that generators of documentation and
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

/// Includes what belongs to the article among `structures`, which are in document order. What completes the article's text is
/// also part of it (`read`), as are headings, tables and code between its parts; boxes are only shown.
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
    let mut code_end = 0;
    // The top of the last block of code, and whether it is for code.
    let mut top_of_code: Option<(NodeId, bool)> = None;
    for &id in structures {
        let (own, text) = (texts.own(id), texts.text(id));
        let may_be_code = own == 0
            && text > 0
            && id >= code_end
            && (texts.is_between(id) || stands_behind(texts, id));
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
        } else if text <= LONGEST && !is_heading(id) && stands_between(texts, id) {
            include_subtree(document, id, include);
            if is_table(document, id)
                || id > texts.last
                || quoted_post(document, id, texts.base).is_none() && stands_amid(texts, id, read)
            {
                include_subtree(document, id, read);
                add_source(texts, id, include, read);
            }
        }
    }
    // Headings come before what they are headings of: the last are decided first.
    for &id in structures.iter().rev().filter(|&&id| is_heading(id)) {
        let belongs =
            texts.text(id) > 0 && texts.own(id) == 0 && id < texts.last && id > texts.first;
        if belongs && texts.top(id).is_some_and(|top| precedes_included(texts, id, top, include)) {
            include_subtree(document, id, include);
            if !texts.is_linked(id) {
                include_subtree(document, id, read);
            }
        }
    }
}

fn include_subtree(document: &Document, id: NodeId, include: &mut [bool]) {
    include[id as usize..document.node(id).end as usize].fill(true);
}

/// Whether the next text after a heading is included, and the element around the heading holds hardly anything else.
fn precedes_included(
    texts: &PageTexts<'_>,
    heading: NodeId,
    top: NodeId,
    include: &[bool],
) -> bool {
    let document = texts.document;
    let end = document.node(heading).end;
    let has_text = |id: &NodeId| texts.all.range(*id, *id + 1) > 0;
    let next = (end..document.len() as NodeId).find(has_text);
    next.is_some_and(|next| include[next as usize]) && texts.text(top) <= texts.text(heading) + 20
}

/// Whether a structure without text of the article belongs to it: it stands between two texts of the article, its text
/// is not that of links to other pages, and hardly anything else is in its top.
fn stands_between(texts: &PageTexts<'_>, id: NodeId) -> bool {
    let document = texts.document;
    let text = texts.text(id);
    (texts.is_between(id) || stands_behind(texts, id))
        && (!texts.is_linked(id) || is_nested_list_of_links(texts, id))
        && !is_list_of_cards(texts, id)
        && texts.top(id).is_some_and(|top| texts.text(top) <= text + text / 4 + 20)
        && (!is_table(document, id) || !is_layout(document, id))
}

/// Whether a structure directly follows the last text of an article within the element that has most of it, and continues it: code, a
/// table, or a list or quotation that the text before it announces with a colon.
fn stands_behind(texts: &PageTexts<'_>, id: NodeId) -> bool {
    let document = texts.document;
    let Some(parent) = document.parent(id).filter(|_| id > texts.last) else { return false };
    let continues = || match meant(document, id) {
        Some(local_names!("pre" "table")) => true,
        Some(local_names!("ul" "ol" "dl" "blockquote")) => {
            let text = document.text(texts.last).unwrap_or_default();
            text.trim_end().ends_with([':', '\u{ff1a}'])
        }
        _ => false,
    };
    texts.own(parent) * 2 > texts.kept.total()
        && continues()
        && texts.all.range(texts.last + 1, id) == 0
}

/// Bytes of text from which on a link is as long as a headline.
const HEADLINE: u32 = 20;

/// Whether a list shows other pages: each item begins with a link that stands on a line of its own, or is as long as a headline, and
/// more text follows it.
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

/// Whether hardly anything but code, with the labels and buttons of each block, is in an element.
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

/// Whether the texts directly before and after what holds a structure are of the article, or, before it, `read` as such. A heading before
/// it does not count.
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

/// Whether a list of links is a part of the article that it stands amid, and no list of related pages: it has lists within its
/// items. Tables of contents lead into the page.
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

fn is_table(document: &Document, id: NodeId) -> bool {
    meant(document, id) == Some(local_name!("table"))
}

fn is_list(document: &Document, id: NodeId) -> bool {
    matches!(document.name(id), Some(&local_names!("ul" "ol")))
}

/// Includes what says whose words a quotation has, in it or in the figure around it, or the caption of a table's figure.
fn add_source(texts: &PageTexts<'_>, id: NodeId, include: &mut [bool], read: &mut [bool]) {
    let document = texts.document;
    let is_quotation = document.is(id, &local_name!("blockquote"));
    if !is_quotation && !is_table(document, id) {
        return;
    }
    let around = document.parent(id).filter(|&own| document.is(own, &local_name!("figure")));
    let of_figure = around.into_iter().flat_map(|own| document.children(own));
    let is_source = |own: &NodeId| {
        let is_named = match document.name(*own) {
            Some(&local_name!("figcaption")) => true,
            Some(&local_names!("footer" "cite")) => is_quotation,
            _ => false,
        };
        is_named && texts.own(*own) == 0 && (1..=LONGEST_SOURCE).contains(&texts.text(*own))
    };
    if let Some(source) = document.children(id).chain(of_figure).find(is_source) {
        include_subtree(document, source, include);
        include_subtree(document, source, read);
    }
}

/// Includes the rest of a structure that holds text of the article.
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
            // What is folded is not understood without it.
            let is_summary = |child: &NodeId| document.is(*child, &local_name!("summary"));
            let summary = document.children(id).find(is_summary);
            return summary.into_iter().for_each(|own| include_subtree(document, own, include));
        }
        Some(local_name!("pre")) => return include_subtree(document, id, include),
        Some(name) if is_heading(&name) => {
            return include_subtree(document, id, include);
        }
        // A note is read with its title.
        _ if is_callout(document, id) && texts.text(id) <= LONGEST && !texts.is_linked(id) => {
            return include_subtree(document, id, include);
        }
        _ => return,
    };
    let is_part = |id: &NodeId| meant(document, *id).is_some_and(|name| parts.contains(&name));
    let links = texts.is_linked(id);
    for part in document.subtree(id).skip(1).filter(is_part) {
        let text = texts.text(part);
        // Empty cells keep the others in their columns.
        let is_cell = matches!(meant(document, part), Some(local_names!("td" "th")));
        let left_out = (text > 0 || is_cell) && texts.own(part) == 0;
        if left_out
            && text <= LONGEST
            && !texts.names.is_foreign(document, part)
            && (links || !texts.is_linked(part))
        {
            include_subtree(document, part, include);
        }
    }
}

/// Longest cell of a data table, in bytes.
const LONGEST_CELL: usize = 2_500;

/// Whether a table arranges the page instead of showing data: it says so, holds other tables or headlines, has long or
/// many-paragraph cells, or a single row or column without headers.
pub(crate) fn is_layout(document: &Document, table: NodeId) -> bool {
    let role = document.attribute(table, &local_name!("role"));
    if matches!(role, Some("presentation" | "none")) {
        return true;
    }
    let (mut rows, mut cells, mut widest, mut headers, mut paragraphs) = (0, 0, 0, 0, 0);
    for id in document.subtree(table).skip(1) {
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
            Some(local_name!("p")) => {
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
