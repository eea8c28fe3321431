//! Statistics of a template's sample, to compare further pages with.

use serde::{Deserialize, Serialize};

/// Statistics of the pages that a template was learnt from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Expected {
    /// Number of pages.
    pub pages: u64,
    /// Number of these on which the wrapper found the article.
    pub by_wrapper: u64,
    /// Sum of their confidences, in thousandths, so that the sum does not depend on order.
    pub confidence: u64,
}

impl Expected {
    /// Counts a page.
    pub(crate) fn add(&mut self, by_wrapper: bool, confidence: f64) {
        self.pages += 1;
        self.by_wrapper += u64::from(by_wrapper);
        self.confidence += (confidence.clamp(0.0, 1.0) * 1000.0).round() as u64;
    }

    /// Share of pages on which the wrapper found the article.
    pub fn share_by_wrapper(&self) -> f64 {
        self.by_wrapper as f64 / self.pages.max(1) as f64
    }

    /// Mean of their confidences.
    pub fn mean_confidence(&self) -> f64 {
        self.confidence as f64 / 1000.0 / self.pages.max(1) as f64
    }
}
