//! The figures of a site.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::characters::CharacterCounts;
use crate::night::SiteChange;

/// The figures of one site.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SiteFigures {
    /// Key of the site.
    pub site: String,
    /// Pages that reached it.
    pub pages: usize,
    /// Its layouts.
    pub layouts: usize,
    /// Layouts with a wrapper.
    pub wrappers: usize,
    /// Its articles.
    pub articles: usize,
    /// Of these, how many are doubtful.
    pub doubtful: usize,
    /// Articles by route.
    pub articles_by_route: BTreeMap<String, usize>,
    /// Mean confidence of its articles, 0 to 1; `None` without any.
    pub confidence: Option<f64>,
    /// Characters of its pages' text, without white space, and how many were kept.
    pub characters: CharacterCounts,
    /// Its wrapper that gave the most articles.
    pub best: Option<BestFigures>,
    /// Pages left out, by reason.
    pub drops: BTreeMap<String, usize>,
    /// Articles by confidence: in percent from 0 in steps of 5, each named by its lower edge.
    pub confidences: BTreeMap<u32, usize>,
    /// Articles by the characters of their text; classes are named by their lower edge.
    pub lengths: BTreeMap<u32, usize>,
    /// Articles that have each metadata field, by the name of the field.
    #[serde(default)]
    pub fields: BTreeMap<String, usize>,
    /// Articles by primary language subtag; `other` for what is no such tag.
    #[serde(default)]
    pub languages: BTreeMap<String, usize>,
    /// Articles with a date of publication, by month: `2026-01`.
    #[serde(default)]
    pub months: BTreeMap<String, usize>,
    /// Articles by page type; only with engine `grove`.
    #[serde(default)]
    pub page_types: BTreeMap<String, usize>,
    /// Doubtful articles with the lowest confidence, lowest first: at most [`SiteFigures::LISTED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worst: Vec<WorstArticle>,
    /// Templates with little evidence, those with the most pages first: at most [`SiteFigures::LISTED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weak: Vec<WeakTemplate>,
    /// In a run with a store of models, what changed about the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<SiteChange>,
}

impl SiteFigures {
    /// Maximum number of articles in `worst`, and of templates in `weak`.
    pub const LISTED: usize = 3;
}

/// A doubtful article.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct WorstArticle {
    /// Address of the page.
    pub url: String,
    /// Its title, cut to 120 characters.
    pub title: Option<String>,
    /// Id of its template; empty for none.
    pub template: String,
    /// How the body was found.
    pub route: String,
    /// Characters of its text.
    pub characters: usize,
    /// Its confidence, 0 to 1.
    pub confidence: f64,
}

/// A template with little evidence for its wrapper, or article pages without a wrapper.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct WeakTemplate {
    /// Its id.
    pub template: String,
    /// Pages of the run that belong to it.
    pub pages: usize,
    /// Whether it has a wrapper; the following numbers are 0 without one.
    pub wrapper: bool,
    /// Pages the wrapper was learnt from.
    pub learnt_from: u32,
    /// Pages held back for a test.
    pub held_back: u32,
    /// Of those, pages on which the same is selected without their vote.
    pub held_back_agreeing: u32,
    /// Confidence of the wrapper, 0 to 1; 0 without one.
    pub confidence: f64,
    /// Address of one of its pages; empty if none is known.
    pub example: String,
}

/// A wrapper, in short.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct BestFigures {
    /// Articles it gave.
    pub articles: usize,
    /// Its expressions.
    pub content: Vec<String>,
    /// Its confidence.
    pub confidence: f64,
    /// Pages it was learnt from.
    pub learnt_from: u32,
    /// Pages held back for a test.
    pub held_back: u32,
    /// Of those, pages on which the same is selected without their vote.
    pub held_back_agreeing: u32,
}
