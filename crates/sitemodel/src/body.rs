//! The body of an article, and the methods that need only one page.

use dom::xpath::position_paths;
use dom::{Document, NodeId};
use forest::SignifierCounts;
use model::{FeedItem, Route};
use pagewise::Redundant;

use crate::engine::Engine;
use crate::settings::{SignifierChoice, SignifyConfig, Tables};
use crate::stages::signify::{SiblingPage, SignifiedPage, signify};

/// The nodes of an article's body, and how they were found.
#[derive(Clone, Debug, Default)]
pub struct ArticleBody {
    /// Nodes whose subtrees are the body, in document order, without overlap.
    pub nodes: Vec<NodeId>,
    /// Nodes inside them whose subtrees do not belong to the body.
    pub prune: Vec<NodeId>,
    /// XPath expressions that select the nodes.
    pub xpath: Vec<String>,
    /// XPath expressions of the nodes removed from them.
    pub prune_xpath: Vec<String>,
    /// XPath of the node before which the body ends.
    pub cut: Option<String>,
    /// Readers' comments.
    pub comments: String,
    /// Name of the engine that found them.
    pub engine: String,
    /// How they were found.
    pub route: Route,
    /// Version of the wrapper, 0 without one.
    pub wrapper_version: u32,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// The text, if it is not that of the nodes.
    pub text: Option<String>,
}

/// Confidence of single-page methods: nothing confirms what they find.
const PAGE_WISE_CONFIDENCE: f64 = 0.3;

/// Finds the body with a single-page engine; `None` if it finds none, or the engine needs siblings.
/// BlockExtractor leaves out the blocks that siblings share, if these are known.
pub fn page_wise(
    sibling: &SiblingPage<'_>,
    engine: Engine,
    redundant: Option<&Redundant>,
    tables: &Tables,
) -> Option<ArticleBody> {
    let document = &sibling.page.document;
    match engine {
        Engine::PageWise(method) => {
            let nodes = match redundant {
                Some(redundant) => redundant.blocks(document, &tables.methods.blocks),
                None => pagewise::extract(document, method, &tables.methods),
            };
            body_of(document, engine, nodes)
        }
        Engine::Sigfeed => body_of(document, engine, sigfeed(sibling, &tables.signify)),
        Engine::Description => {
            let text = Some(description(sibling.feed_items)?);
            Some(ArticleBody { text, ..found(document, engine, Vec::new()) })
        }
        Engine::Grove | Engine::Forest(_) => None,
    }
}

fn body_of(document: &Document, engine: Engine, nodes: Vec<NodeId>) -> Option<ArticleBody> {
    (!nodes.is_empty()).then(|| found(document, engine, nodes))
}

fn found(document: &Document, engine: Engine, nodes: Vec<NodeId>) -> ArticleBody {
    ArticleBody {
        xpath: position_paths(document, &nodes),
        nodes,
        engine: engine.name().to_owned(),
        route: Route::PageWise,
        confidence: PAGE_WISE_CONFIDENCE,
        ..ArticleBody::default()
    }
}

/// The `div` densest in the keywords of the page's feed items; `None` without feed items.
fn sigfeed(sibling: &SiblingPage<'_>, config: &SignifyConfig) -> Vec<NodeId> {
    if sibling.feed_items.is_empty() {
        return Vec::new();
    }
    let config = SignifyConfig { source: SignifierChoice::Feeds, ..config.clone() };
    let signified = signify(&[*sibling], &config);
    let counts = |s: &SignifiedPage| {
        forest::sigfeed(&sibling.page.document, &SignifierCounts::new(&s.terms, &s.weights))
    };
    signified.first().and_then(counts).into_iter().collect()
}

/// Title and description of the first feed item that has any.
fn description(feed_items: &[&FeedItem]) -> Option<String> {
    feed_items
        .iter()
        .map(|item| format!("{}\n\n{}", item.title, item.description).trim().to_owned())
        .find(|text| !text.is_empty())
}
