//! The terms of a sample of pages, against which further pages are ranked one by one.

use rustc_hash::FxHashMap;

use crate::ranking::{RankedTerms, TfIdfConfig, Weigh, term_counts, top_terms};
use crate::vocabulary::Vocabulary;

/// How many pages of a sample have each term.
#[derive(Clone, Debug, Default)]
pub struct Background {
    frequencies: FxHashMap<u64, u32>,
    pages: usize,
}

impl Background {
    /// Counts the terms of a sample, and ranks those of each of its pages as [`tf_idf`](crate::tf_idf)
    /// does. A page is the list of its term hashes, with repetitions, in any order.
    pub fn ranked<P: AsRef<[u64]>>(
        pages: &[P],
        vocabulary: &Vocabulary,
        config: &TfIdfConfig,
    ) -> (Self, Vec<RankedTerms>) {
        let counts: Vec<_> = pages.iter().map(|page| term_counts(page.as_ref())).collect();
        let mut frequencies = FxHashMap::<u64, u32>::default();
        frequencies.reserve(counts.iter().map(FxHashMap::len).max().unwrap_or(0));
        for &hash in counts.iter().flat_map(FxHashMap::keys) {
            *frequencies.entry(hash).or_default() += 1;
        }
        let weigh = Weigh::among(pages.len(), config.weighting);
        let rank = |counts: &FxHashMap<u64, u32>| {
            let weights =
                counts.iter().map(|(&hash, &tf)| (hash, weigh.of(tf, frequencies[&hash])));
            let weighted = weights.filter(|&(_, weight)| weight > 0.0).collect();
            top_terms(weighted, vocabulary, config.top)
        };
        let ranked = counts.iter().map(rank).collect();
        (Self { frequencies, pages: pages.len() }, ranked)
    }

    /// Ranks the terms of a page that is not of the sample, as [`tf_idf`](crate::tf_idf) would if that
    /// one page were added to it. Terms that the vocabulary never learnt are left out.
    pub fn rank(&self, page: &[u64], vocabulary: &Vocabulary, config: &TfIdfConfig) -> RankedTerms {
        let weigh = Weigh::among(self.pages + 1, config.weighting);
        let weighted = term_counts(page).into_iter().map(|(hash, tf)| {
            let df = self.frequencies.get(&hash).copied().unwrap_or(0) + 1;
            (hash, weigh.of(tf, df))
        });
        let weighted = weighted.filter(|&(_, weight)| weight > 0.0).collect();
        top_terms(weighted, vocabulary, config.top)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ranking::Weighting;
    use crate::term::Term;
    use crate::tfidf::tf_idf;

    proptest! {
        #[test]
        fn a_further_page_is_ranked_as_one_of_all(
            sample in prop::collection::vec(prop::collection::vec(0_u64..12, 0..40), 0..4),
            page in prop::collection::vec(0_u64..12, 0..40),
        ) {
            let mut vocabulary = Vocabulary::new();
            let texts: Vec<_> = (0..12).map(|n| format!("t{n}")).collect();
            for (hash, text) in texts.iter().enumerate() {
                vocabulary.learn(Term { hash: hash as u64, text });
            }
            let config = TfIdfConfig { weighting: Weighting::Log, top: 10 };
            let ranked = Background::ranked(&sample, &vocabulary, &config).0;
            let ranked = ranked.rank(&page, &vocabulary, &config);
            let mut all = sample;
            all.push(page);
            prop_assert_eq!(tf_idf(&all, &vocabulary, &config).pop(), Some(ranked));
        }
    }
}
