//! Fragments as trees.

use dom::{Document, Keep, NodeId, ParseOptions, parse_with};

use crate::{Picture, Pictures};

/// The tree of a fragment.
pub(crate) fn parsed(html: &str) -> Document {
    let page = format!("<!doctype html><html><body>{html}</body></html>");
    parse_with(&page, &ParseOptions { keep: Keep::Everything, ..ParseOptions::CONTENT })
}

/// The body of a parsed fragment.
pub(crate) fn body(document: &Document) -> NodeId {
    document.ids().find(|&id| is(document, id, "body")).unwrap_or(0)
}

/// Whether a node is an element of this name.
pub(crate) fn is(document: &Document, id: NodeId, name: &str) -> bool {
    document.name(id).is_some_and(|own| **own == *name)
}

/// The value of an attribute.
pub(crate) fn attribute<'a>(document: &'a Document, id: NodeId, name: &str) -> Option<&'a str> {
    document.element(id)?.attributes().find(|(own, _)| ***own == *name).map(|found| found.1)
}

/// All addresses that a picture may be loaded from, the best first.
pub(crate) fn sources(document: &Document, id: NodeId) -> Vec<String> {
    let own = attribute(document, id, "src").map(str::to_owned);
    let set = attribute(document, id, "srcset").unwrap_or_default();
    let candidates = set.split(", ").filter_map(|c| c.split_ascii_whitespace().next());
    let mut sources: Vec<String> =
        own.into_iter().chain(candidates.map(|c| c.replace("%2C", ","))).collect();
    let mut seen = std::collections::BTreeSet::new();
    sources.retain(|source| source.starts_with("http") && seen.insert(source.clone()));
    sources
}

/// The bytes of a picture, by the first of its addresses that has any.
pub(crate) fn picture<'a>(
    document: &Document,
    id: NodeId,
    pictures: &'a Pictures,
) -> Option<(String, &'a Picture)> {
    sources(document, id)
        .into_iter()
        .find_map(|source| Some((source.clone(), pictures.get(&source)?)))
}
