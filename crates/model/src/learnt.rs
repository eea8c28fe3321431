//! The results of learning a site: signifiers and structural patterns (Forest: Oita & Senellart, §§3.1–3.4), wrappers, and
//! the summary of a site's templates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::serialize_rounded;
use crate::{SchemaVersion, TemplateKind, named, rounded};

named! {
/// Source of signifiers.
pub enum SignifierSource {
    /// The page's own terms with the highest tf-idf among its siblings (§3.1).
    TfIdf => "tfidf",
    /// Title and description of a feed item that points to the page (§3.1).
    Feed => "feed",
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
    /// Relevance (equation 5), by which patterns are ranked.
    pub relevance: f64,
}

/// An element type on a level of the tree (Definition 3), with its measures.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct StructuralPattern {
    /// The type of its elements.
    pub element: ElementType,
    /// Depth in the tree; the root element is on level 0.
    pub level: u32,
    /// Depth-first positions at which the pattern's elements were significant, ascending (Algorithm 1,
    /// `possibleDfs`).
    pub positions: Vec<u32>,
    /// The measures it was ranked by.
    pub score: PatternScore,
}

/// How well a wrapper is supported by the pages it was learnt from.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Support {
    /// Number of sibling pages it was learnt from.
    pub learnt_from: u32,
    /// Share of these pages on which its expressions select exactly the nodes that were decided on, in 0..=1.
    #[serde(serialize_with = "serialize_rounded")]
    pub exact: f64,
    /// Number of sibling pages held out from learning.
    pub held_back: u32,
    /// Number of held-out pages on which a wrapper learnt without them selects the same.
    pub held_back_agreeing: u32,
    /// 1 − relevance of the runner-up over relevance of the winner, in 0..=1.
    #[serde(serialize_with = "serialize_rounded")]
    pub runner_up_margin: f64,
}

/// An XPath 1.0 wrapper for the pages of one template.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Wrapper {
    /// Engine that learnt it.
    pub engine: String,
    /// Expressions whose nodes are the article's body, in document order, without overlap.
    pub content: Vec<String>,
    /// Expressions whose nodes are removed from the body.
    pub prune: Vec<String>,
    /// Evidence for it.
    pub support: Support,
    /// Confidence in 0..=1. Engine `grove`: the mean confidence of the articles on the pages it was learnt from, so that it can
    /// be compared with the confidence of articles. Other engines: computed from the support.
    pub confidence: f64,
    /// Starts at 1 and increases by one each time the template's wrapper is learnt again and differs.
    pub version: u32,
}

/// What was learnt about a site: the record of `wrappers/SITE.json`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct SiteSummary {
    /// Version of the format.
    pub schema: SchemaVersion,
    /// Key of the site.
    pub site: String,
    /// Whether pages were left out of the sample because of the byte limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sample_cut: bool,
    /// The templates that pages of the run belong to, in the order in which they were learnt.
    pub templates: Vec<TemplateSummary>,
    /// The site configs for its hosts, by host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub site_configs: Vec<SiteConfigUse>,
}

/// A template: the kind of its pages, its wrapper, and the patterns it was chosen from.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TemplateSummary {
    /// Its id, 12 hex digits: a hash of the layout that it was first learnt from.
    pub id: String,
    /// Kind of its pages.
    pub kind: TemplateKind,
    /// Pages of the run that belong to it.
    pub pages: usize,
    /// Hash of the tag paths that its pages share, in hexadecimal, because JSON numbers have only 53 bits.
    pub signature: String,
    /// Its wrapper, if one was learnt.
    pub wrapper: Option<WrapperRecord>,
    /// XPath 1.0 expressions of the elements that show a field, by its name in the record: `title`, `subtitle`,
    /// `authors`, `published`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Vec<String>>,
    /// Ranked structural patterns, the best first.
    pub patterns: Vec<PatternRecord>,
    /// Addresses of some of its pages.
    pub examples: Vec<String>,
}

/// A wrapper; see [`Wrapper`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct WrapperRecord {
    /// The engine that learnt it.
    pub engine: String,
    /// Rises by one each time that the template is learnt again and its expressions differ.
    pub version: u32,
    /// XPath 1.0 expressions of the body.
    pub content: Vec<String>,
    /// XPath 1.0 expressions of the nodes to remove from the body.
    pub prune: Vec<String>,
    /// Its confidence, 0 to 1.
    pub confidence: f64,
    /// Evidence for it.
    pub support: Support,
}

/// A ranked structural pattern; see [`StructuralPattern`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PatternRecord {
    /// Its element type, in readable form.
    pub element: String,
    /// Depth of its elements; `html` is 0.
    pub level: u32,
    /// The measures by which it was ranked.
    #[serde(flatten)]
    pub score: PatternScore,
}

impl From<&Wrapper> for WrapperRecord {
    fn from(wrapper: &Wrapper) -> Self {
        Self {
            engine: wrapper.engine.clone(),
            version: wrapper.version,
            content: wrapper.content.clone(),
            prune: wrapper.prune.clone(),
            confidence: rounded(wrapper.confidence),
            support: wrapper.support,
        }
    }
}

impl From<&StructuralPattern> for PatternRecord {
    fn from(pattern: &StructuralPattern) -> Self {
        let mut element = pattern.element.tag.clone();
        for (name, value) in &pattern.element.attributes {
            element.push_str(&format!("[@{name}~{value:?}]"));
        }
        if let Some(dfs) = pattern.element.dfs {
            element.push_str(&format!("[@dfs={dfs}]"));
        }
        let PatternScore { j, u, i, relevance, .. } = pattern.score;
        let score = PatternScore {
            j: rounded(j),
            u: rounded(u),
            i: rounded(i),
            relevance: rounded(relevance),
            ..pattern.score
        };
        Self { element, level: pattern.level, score }
    }
}

/// Counts of the pages on which a site config was used.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct SiteConfigUse {
    /// The host it is for; with a leading dot, its subdomains.
    pub host: String,
    /// Expressions of the body, in the order they are tried.
    pub body: Vec<String>,
    /// Pages of the host.
    pub pages: usize,
    /// Pages on which it found a body.
    pub matched: usize,
    /// Of those, pages on which the engine's text was used instead, because the body contained almost nothing of it.
    pub overruled: usize,
}

impl SiteSummary {
    /// Adds the summary of another part of the same site: sums the pages of templates that both have, and adds the other
    /// templates.
    pub fn absorb(&mut self, other: Self) {
        for template in other.templates {
            match self.templates.iter_mut().find(|known| known.id == template.id) {
                Some(known) => known.pages += template.pages,
                None => self.templates.push(template),
            }
        }
        for config in other.site_configs {
            match self.site_configs.iter_mut().find(|known| known.host == config.host) {
                Some(known) => {
                    known.pages += config.pages;
                    known.matched += config.matched;
                    known.overruled += config.overruled;
                }
                None => self.site_configs.push(config),
            }
        }
        self.sample_cut |= other.sample_cut;
    }
}
