//! The body of an article, the methods that need only one page, and the agreement of two texts of a page.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dom::xpath::position_paths;
use dom::{Document, NodeId, text_of};
use forest::SignifierCounts;
use model::{FeedItem, Route};
use pagewise::Redundant;
use terms::letters::is_alphanumeric;

use crate::engine::Engine;
use crate::settings::{SignifierChoice, SignifyConfig, Tables};
use crate::stages::signify::{SiblingPage, SignifiedPage, signify};

/// The nodes of an article's body, and how they were found.
#[derive(Clone, Debug, Default)]
pub struct ArticleBody {
    /// Nodes whose subtrees are the body, in document order, without overlap except within pruned ones.
    pub nodes: Vec<NodeId>,
    /// Nodes inside them whose subtrees do not belong to the body.
    pub prune: Vec<NodeId>,
    /// XPath expressions that select `nodes`.
    pub xpath: Vec<String>,
    /// XPath expressions that select `prune`.
    pub prune_xpath: Vec<String>,
    /// XPath of the node before which the body ends.
    pub cut: Option<String>,
    /// Readers' comments.
    pub comments: String,
    /// Name of the engine that found the body.
    pub engine: String,
    /// How the body was found.
    pub route: Route,
    /// Version of the wrapper; 0 without one.
    pub wrapper_version: u32,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Expected precision and recall, 0 to 1, if the decision trees predict them.
    pub(crate) expected: Option<[f64; 2]>,
    /// Share of words in paragraphs that the template repeats, if it is known.
    pub(crate) boilerplate: Option<f64>,
    /// The posts of a thread, in document order; empty if it is not a thread.
    pub(crate) posts: Vec<ThreadPost>,
    /// Hashes of its elements that no page of the template's sample has; see [`grove::JudgedPage::new_elements`].
    pub(crate) new_elements: Vec<u64>,
    /// What does not belong to the text of these posts, nor is shown with it: quotations of earlier posts, profiles, labels.
    pub(crate) left_out: Vec<NodeId>,
    /// The document that has the body instead, if the page's elements do not have it.
    pub elsewhere: Option<Arc<Document>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ThreadPost {
    /// The element of the whole post, including posts that answer it.
    pub(crate) element: NodeId,
    /// The element with its text.
    pub(crate) content: NodeId,
    /// The texts with the name of its author, and perhaps of its editor, if that stands at the same place.
    pub(crate) authors: Vec<NodeId>,
    /// Texts with a date and elements that declare one, each with its place. It may be the date when the author joined.
    pub(crate) dates: Vec<(usize, NodeId)>,
    /// Elements within the content that contain nothing but labels.
    pub(crate) labels: Vec<NodeId>,
    /// Nodes outside of the content that contain nothing but names, dates, labels, and what depends on the author.
    pub(crate) beside: Vec<NodeId>,
}

impl ArticleBody {
    pub(crate) fn text(&self, page: &Document) -> String {
        match &self.elsewhere {
            Some(elsewhere) => text_of(elsewhere, &[0], &[]),
            None => text_of(page, &self.nodes, &self.prune),
        }
    }
}

/// Confidence of single-page methods, whose results nothing confirms.
const PAGE_WISE_CONFIDENCE: f64 = 0.3;

/// Finds the body with a single-page engine; `None` if it finds none or the engine needs siblings. BlockExtractor leaves
/// out the blocks that siblings share, if they are known.
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
            let html = metadata::paragraphs_of(&description(sibling.feed_items)?);
            let elsewhere = Some(Arc::new(dom::parse(&html)));
            Some(ArticleBody { elsewhere, ..found(document, engine, Vec::new()) })
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

/// Finds the `div` with the highest density of keywords from the page's feed items; nothing without feed items.
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

/// Title and description of the first feed item that has either.
fn description(feed_items: &[&FeedItem]) -> Option<String> {
    feed_items
        .iter()
        .map(|item| format!("{}\n\n{}", item.title, item.description).trim().to_owned())
        .find(|text| !text.is_empty())
}

/// Returns the agreement of two texts of a page, 0 to 1: twice the number of shared words over the number of words of
/// both. In scripts without spaces, each character is a word. Two empty texts agree. Takes n log n time.
pub fn agreement(a: &str, b: &str) -> f64 {
    let (a, b) = (words(a), words(b));
    let all = a.values().sum::<u64>() + b.values().sum::<u64>();
    if all == 0 {
        return 1.0;
    }
    let shared: u64 =
        a.iter().map(|(word, count)| (*count).min(b.get(word).copied().unwrap_or(0))).sum();
    2.0 * shared as f64 / all as f64
}

/// Returns the share of the word pairs of `part` that `whole` has, too. Takes n log n time.
pub(crate) fn contained(part: &str, whole: &str) -> f64 {
    let (mut of_part, mut of_whole) = (Vec::new(), Vec::new());
    each_word(part, |word| of_part.push(word));
    each_word(whole, |word| of_whole.push(word));
    let pairs: BTreeSet<&[&str]> = of_whole.windows(2).collect();
    let shared = of_part.windows(2).filter(|pair| pairs.contains(pair)).count();
    shared as f64 / of_part.len().saturating_sub(1).max(1) as f64
}

fn words(text: &str) -> BTreeMap<&str, u64> {
    let mut words = BTreeMap::new();
    each_word(text, |word| *words.entry(word).or_insert(0) += 1);
    words
}

fn each_word<'t>(text: &'t str, mut add: impl FnMut(&'t str)) {
    for word in text.split(|c| !is_alphanumeric(c)).filter(|word| !word.is_empty()) {
        if word.is_ascii() || word.chars().all(has_words) {
            add(word);
        } else {
            let characters = word.char_indices().map(|(at, c)| &word[at..at + c.len_utf8()]);
            characters.for_each(&mut add);
        }
    }
}

/// Whether the script of a character separates words by spaces: scripts before those of East and South-East Asia in
/// Unicode, and Hangul.
fn has_words(c: char) -> bool {
    c < '\u{0E00}' || ('\u{AC00}'..='\u{D7A3}').contains(&c)
}
