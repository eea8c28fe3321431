//! The body of an article as one page alone shows it.

use dom::{Document, NodeId};
use model::{FeedItem, Route};

use crate::engine::Engine;
use crate::parsed::ParsedPage;

/// The nodes of an article's body and how they were found.
#[derive(Clone, Debug)]
pub struct Body {
    /// Nodes whose subtrees are the body, in document order, without overlap.
    pub nodes: Vec<NodeId>,
    /// XPath expressions that select them.
    pub xpath: Vec<String>,
    /// Name of the engine that found them.
    pub engine: String,
    /// How they were found.
    pub route: Route,
    /// Version of the wrapper, 0 without one.
    pub wrapper_version: u32,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// The text, where it is not the nodes' own.
    pub text: Option<String>,
}

/// Confidence of methods that look at one page: nothing confirms what they find.
const PAGE_WISE_CONFIDENCE: f64 = 0.3;

/// Finds the body with a method that looks at one page. `None` if it finds none.
pub fn page_wise(
    parsed: &ParsedPage<'_>,
    engine: Engine,
    feed_items: &[&FeedItem],
) -> Option<Body> {
    let document = &parsed.document;
    let (nodes, text) = match engine {
        Engine::PageWise(method) => (pagewise::extract(document, method), None),
        Engine::Description => (Vec::new(), Some(description(feed_items)?)),
        Engine::Sigfeed | Engine::Forest(_) => return None,
    };
    if nodes.is_empty() && text.is_none() {
        return None;
    }
    Some(Body {
        xpath: nodes.iter().map(|&node| position_path(document, node)).collect(),
        nodes,
        engine: engine.name().to_owned(),
        route: Route::PageWise,
        wrapper_version: 0,
        confidence: PAGE_WISE_CONFIDENCE,
        text,
    })
}

/// Title and description of the first feed item that has any.
fn description(feed_items: &[&FeedItem]) -> Option<String> {
    feed_items
        .iter()
        .map(|item| format!("{}\n\n{}", item.title, item.description).trim().to_owned())
        .find(|text| !text.is_empty())
}

/// The path of one node of one page, by positions: it says where, for this page only. A text node
/// is `text()[n]` of its element.
pub fn position_path(document: &Document, node: NodeId) -> String {
    let mut steps: Vec<String> = Vec::new();
    for id in document.ancestors(node) {
        let parent = document.parent(id);
        let same = |other: NodeId| document.name(other) == document.name(id);
        let place = parent.map_or(1, |p| {
            document.children(p).take_while(|&c| c <= id).filter(|&c| same(c)).count()
        });
        steps.push(match document.name(id) {
            Some(name) if parent.is_none() => format!("/{name}"),
            Some(name) => format!("/{name}[{place}]"),
            None => format!("/text()[{place}]"),
        });
    }
    steps.reverse();
    steps.concat()
}
