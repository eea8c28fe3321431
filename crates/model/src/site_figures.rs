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
    /// In a run with a store of models, what changed about the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<SiteChange>,
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
