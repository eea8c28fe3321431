//! Wrappers: where the articles of a template are.

use serde::{Deserialize, Serialize};

/// How well a wrapper is supported by the pages it was learnt from.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Support {
    /// Number of sibling pages it was learnt from.
    pub learnt_from: u32,
    /// Share of these on which its expressions select exactly what was decided, in 0..=1.
    pub exact: f64,
    /// Number of sibling pages held back from learning.
    pub held_back: u32,
    /// Number of these on which the same is selected without them.
    pub held_back_agreeing: u32,
    /// 1 − relevance of the runner-up over relevance of the winner, in 0..=1.
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
    /// Confidence in 0..=1. Engine `grove`: the mean of those of the articles that were found on the pages learnt
    /// from, so that it can be compared with those of articles. Other engines: from the support.
    pub confidence: f64,
    /// Starts at 1 and increases by one each time the template's wrapper is learnt again and differs.
    pub version: u32,
}
