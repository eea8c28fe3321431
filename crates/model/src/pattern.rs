//! Forest's signifiers and structural patterns (Oita & Senellart, §§3.1–3.4).

use serde::{Deserialize, Serialize};

/// Source of signifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignifierSource {
    /// The page's own terms with the highest tf-idf among its siblings (§3.1).
    TfIdf,
    /// Title and description of a feed item that points to the page (§3.1).
    Feed,
}

impl SignifierSource {
    /// The name written to outputs: `tfidf`, `feed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TfIdf => "tfidf",
            Self::Feed => "feed",
        }
    }
}

/// The terms that indicate the content of one page.
#[derive(Clone, Debug, PartialEq)]
pub struct Signifiers {
    /// Their source.
    pub source: SignifierSource,
    /// Stemmed terms with their weights (> 0), heaviest first, ties by term.
    pub terms: Vec<(String, f64)>,
}

/// The properties that identify an element across pages (Definition 2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct ElementType {
    /// Tag name.
    pub tag: String,
    /// Attributes in tolerant form (first token, digits removed), sorted by name; empty for an
    /// element identified by its `dfs` position.
    pub attributes: Vec<(String, String)>,
    /// Depth-first position among elements, for an element without attributes.
    pub dfs: Option<u32>,
}

/// Measures of one structural pattern, summed over the sibling pages it is significant in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct PatternScore {
    /// Number of sibling pages in which the pattern is significant (`p` of equation 5).
    pub pages: u32,
    /// Signifiers in the elements' text, with multiplicity (`x`), summed over pages.
    pub x: u32,
    /// Other terms in the elements' text (`y`), summed over pages.
    pub y: u32,
    /// Mean of Jeffrey's statistical density over those pages (equation 2).
    pub j: f64,
    /// Mean unexpectedness over those pages, in nats (equation 3).
    pub u: f64,
    /// Sum of informativeness I = J·U over those pages (equation 4).
    pub i: f64,
    /// Relevance (equation 5): what patterns are ranked by.
    pub relevance: f64,
}

/// An element type on a level of the tree (Definition 3), with its measures.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct StructuralPattern {
    /// Which elements.
    pub element: ElementType,
    /// Depth in the tree; the root element is on level 0.
    pub level: u32,
    /// Depth-first positions at which the pattern's elements were significant, ascending (Algorithm 1,
    /// `possibleDfs`).
    pub positions: Vec<u32>,
    /// The measures it was ranked by.
    pub score: PatternScore,
}
