//! Weights of terms, and the terms of a page ordered by weight.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::vocabulary::Vocabulary;

/// How the frequency of a term on its page is weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weighting {
    /// tf·ln(N/df), as in the paper.
    Log,
    /// (1 + ln tf)·ln(N/df): repetition on the page has less weight.
    Sublinear,
}

/// Parameters of [`tf_idf`](crate::tf_idf).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TfIdfConfig {
    /// How the frequency of a term on its page is weighted.
    pub weighting: Weighting,
    /// Maximum number of terms of a page (the paper's k).
    pub top: usize,
}

/// The terms of one page, heaviest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankedTerms {
    /// Text and weight (> 0), by descending weight, ties by text.
    pub terms: Vec<(String, f64)>,
    /// Their hashes, in the same order.
    pub hashes: Vec<u64>,
}

/// The weights of terms for a given number of siblings.
pub(crate) struct Weigh {
    /// ln(N/df) by df.
    idf: Vec<f64>,
    weighting: Weighting,
}

impl Weigh {
    pub(crate) fn among(siblings: usize, weighting: Weighting) -> Self {
        let idf = (0..=siblings).map(|df| libm::log(siblings as f64 / df as f64)).collect();
        Self { idf, weighting }
    }

    /// Weight of a term that occurs `tf` times on a page and on `df` of the siblings.
    pub(crate) fn of(&self, tf: u32, df: u32) -> f64 {
        if self.idf.len() == 2 {
            return f64::from(tf);
        }
        let idf = self.idf[df as usize];
        match self.weighting {
            Weighting::Log => f64::from(tf) * idf,
            Weighting::Sublinear => (1.0 + libm::log(f64::from(tf))) * idf,
        }
    }
}

/// The distinct terms of a page with their counts, by hash, in any order.
pub(crate) fn term_counts(page: &[u64]) -> FxHashMap<u64, u32> {
    let mut counts = FxHashMap::default();
    counts.reserve(page.len() / 2);
    for &term in page {
        *counts.entry(term).or_default() += 1;
    }
    counts
}

/// The terms with the highest weights, with their texts.
pub(crate) fn top_terms(
    mut weighted: Vec<(u64, f64)>,
    vocabulary: &Vocabulary,
    top: usize,
) -> RankedTerms {
    let known =
        |&(hash, weight): &(u64, f64)| vocabulary.text(hash).map(|text| (weight, text, hash));
    let mut terms: Vec<(f64, &str, u64)> = Vec::new();
    if top > 0 && top < weighted.len() {
        // Only terms that weigh as much as the last one taken must be compared by their texts.
        let (_, last, _) = weighted.select_nth_unstable_by(top - 1, |a, b| b.1.total_cmp(&a.1));
        let least = last.1;
        let enough = weighted.iter().filter(|term| term.1 >= least).map(known);
        terms = enough.collect::<Option<_>>().unwrap_or_default();
    }
    if terms.is_empty() {
        terms.extend(weighted.iter().filter_map(known));
    }
    terms.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    terms.truncate(top);
    RankedTerms {
        terms: terms.iter().map(|&(weight, text, _)| (text.to_owned(), weight)).collect(),
        hashes: terms.iter().map(|&(_, _, hash)| hash).collect(),
    }
}
