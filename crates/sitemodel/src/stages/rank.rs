//! Rank.
//!
//! Takes: sibling pages with their terms and signifiers.
//! Gives: their structural patterns by descending relevance (Forest §3.4), empty without signifiers.
//! Why: the best pattern contains the articles of this template.
//! Drops: nothing.

use forest::{Frequency, PatternMeasure, Recurring, SignifierCounts};
use model::{SignifierSource, StructuralPattern};

use super::signify::SignifiedPage;
use crate::parsed::ParsedPage;

/// Ranks the structural patterns of sibling pages; `pages` and `signified` are in the same order.
pub fn rank(
    pages: &[&ParsedPage<'_>],
    signified: &[SignifiedPage],
    recurring: &Recurring,
    measure: PatternMeasure,
) -> Vec<StructuralPattern> {
    let counts: Vec<SignifierCounts<'_>> =
        signified.iter().map(|s| SignifierCounts::new(&s.terms, &s.weights)).collect();
    let siblings: Vec<forest::CountedSibling<'_>> = pages
        .iter()
        .zip(&counts)
        .map(|(page, counts)| forest::CountedSibling { document: &page.document, counts })
        .collect();
    // Feed keywords are the words of the headline; see `Frequency::Paths` for the consequences.
    let from_feeds = signified.iter().filter(|s| s.signifiers.source == SignifierSource::Feed);
    let frequency =
        if from_feeds.count() * 2 > signified.len() { Frequency::Paths } else { Frequency::Pages };
    forest::rank(&siblings, recurring, measure, frequency)
}
