//! The body of an article as one page alone shows it.

use dom::xpath::position_paths;
use dom::{Document, NodeId};
use forest::SignifierCounts;
use model::{FeedItem, Route};
use pagewise::{Method, Parameters};
use rayon::prelude::*;

use crate::config::{Config, SignifierChoice, SignifyConfig};
use crate::engine::Engine;
use crate::parsed::ParsedPage;
use crate::stages::signify::{Sibling, SignifiedPage, signify};

/// The nodes of an article's body and how they were found.
#[derive(Clone, Debug)]
pub struct Body {
    /// Nodes whose subtrees are the body, in document order, without overlap.
    pub nodes: Vec<NodeId>,
    /// Nodes inside them whose subtrees are not.
    pub prune: Vec<NodeId>,
    /// XPath expressions that select the nodes.
    pub xpath: Vec<String>,
    /// XPath expressions that select what is taken out of them.
    pub prune_xpath: Vec<String>,
    /// XPath of the node the body ends before.
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
    /// The text, where it is not the nodes' own.
    pub text: Option<String>,
}

/// Confidence of methods that look at one page: nothing confirms what they find.
const PAGE_WISE_CONFIDENCE: f64 = 0.3;

/// Most sibling pages compared with each other at a time for redundant blocks.
const REDUNDANCY_PAGES: usize = 100;

/// A page and the feed items that point to it.
pub type Listed<'a> = (&'a ParsedPage<'a>, Vec<&'a FeedItem>);

/// Finds the bodies of sibling pages with an engine that needs no learning; for engines that learn,
/// all are `None`. BlockExtractor alone looks across the pages (its redundancy step).
pub fn bodies(pages: &[Listed<'_>], engine: Engine, config: &Config) -> Vec<Option<Body>> {
    if engine == Engine::PageWise(Method::Blocks) && pages.len() > 1 {
        let parameters = Parameters::from(&config.methods);
        let chunks = pages.par_chunks(REDUNDANCY_PAGES);
        return chunks
            .flat_map_iter(|chunk| {
                let documents: Vec<&Document> = chunk.iter().map(|(p, _)| &p.document).collect();
                let kept = pagewise::without_redundant(&documents, &parameters.blocks);
                let of_page = |(document, nodes)| body_of(document, engine, nodes);
                documents.into_iter().zip(kept).map(of_page).collect::<Vec<_>>()
            })
            .collect();
    }
    pages.par_iter().map(|(page, items)| page_wise(page, engine, items, config)).collect()
}

/// Finds the body with an engine that looks at one page. `None` if it finds none.
pub fn page_wise(
    parsed: &ParsedPage<'_>,
    engine: Engine,
    feed_items: &[&FeedItem],
    config: &Config,
) -> Option<Body> {
    let document = &parsed.document;
    match engine {
        Engine::PageWise(method) => {
            let parameters = Parameters::from(&config.methods);
            body_of(document, engine, pagewise::extract(document, method, &parameters))
        }
        Engine::Sigfeed => body_of(document, engine, sigfeed(parsed, feed_items, &config.signify)),
        Engine::Description => {
            let text = Some(description(feed_items)?);
            Some(Body { text, ..found(document, engine, Vec::new()) })
        }
        Engine::Grove | Engine::Forest(_) => None,
    }
}

fn body_of(document: &Document, engine: Engine, nodes: Vec<NodeId>) -> Option<Body> {
    (!nodes.is_empty()).then(|| found(document, engine, nodes))
}

fn found(document: &Document, engine: Engine, nodes: Vec<NodeId>) -> Body {
    Body {
        xpath: position_paths(document, &nodes),
        prune: Vec::new(),
        prune_xpath: Vec::new(),
        cut: None,
        comments: String::new(),
        nodes,
        engine: engine.name().to_owned(),
        route: Route::PageWise,
        wrapper_version: 0,
        confidence: PAGE_WISE_CONFIDENCE,
        text: None,
    }
}

/// The `div` densest in the keywords of the page's feed items; nothing without any.
fn sigfeed(
    parsed: &ParsedPage<'_>,
    feed_items: &[&FeedItem],
    config: &SignifyConfig,
) -> Vec<NodeId> {
    if feed_items.is_empty() {
        return Vec::new();
    }
    let config = SignifyConfig { source: SignifierChoice::Feeds, ..config.clone() };
    let page = Sibling { index: 0, page: parsed, feed_items };
    let signified = signify(&[page], &config);
    let counts = |s: &SignifiedPage| {
        forest::sigfeed(&parsed.document, &SignifierCounts::new(&s.terms, &s.weights))
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
