//! Document frequencies of a sample of pages, against which further pages are ranked one by one.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::ranking::{RankedTerms, TfIdfConfig, Weigh, term_counts, top_terms};
use crate::vocabulary::Vocabulary;

/// The number of pages of a sample that contain each term.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Background {
    #[serde(serialize_with = "model::sorted::map")]
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

    /// Ranks the terms of any page as if it were in the sample, so that a page of the sample is
    /// ranked as by [`Background::ranked`]: a term that is on no page of the sample counts as one
    /// that is on a single page. Terms that are not in the vocabulary are left out.
    pub fn rank(&self, page: &[u64], vocabulary: &Vocabulary, config: &TfIdfConfig) -> RankedTerms {
        let weigh = Weigh::among(self.pages, config.weighting);
        let weighted = term_counts(page).into_iter().map(|(hash, tf)| {
            let df = self.frequencies.get(&hash).copied().unwrap_or(1);
            (hash, weigh.of(tf, df))
        });
        let weighted = weighted.filter(|&(_, weight)| weight > 0.0).collect();
        top_terms(weighted, vocabulary, config.top)
    }

    /// Checks that these can be the counts of a sample of at most `most_pages` pages, for values
    /// that were deserialized.
    ///
    /// # Errors
    /// Describes what is wrong.
    pub fn check(&self, most_pages: usize) -> Result<(), String> {
        if self.pages > most_pages {
            return Err(format!("terms of {} pages, more than {most_pages}", self.pages));
        }
        let counts = |&frequency: &u32| (1..=self.pages).contains(&(frequency as usize));
        match self.frequencies.values().find(|frequency| !counts(frequency)) {
            Some(frequency) => Err(format!("a term is on {frequency} of {} pages", self.pages)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ranking::TermWeighting;
    use crate::term::Term;
    use crate::tfidf::tf_idf;

    proptest! {
        #[test]
        fn a_page_of_the_sample_is_ranked_as_in_it(
            sample in prop::collection::vec(prop::collection::vec(0_u64..12, 0..40), 1..4),
        ) {
            let mut vocabulary = Vocabulary::new();
            let texts: Vec<_> = (0..12).map(|n| format!("t{n}")).collect();
            for (hash, text) in texts.iter().enumerate() {
                vocabulary.learn(Term { hash: hash as u64, text });
            }
            let config = TfIdfConfig { weighting: TermWeighting::Log, top: 10 };
            let (background, ranked) = Background::ranked(&sample, &vocabulary, &config);
            prop_assert_eq!(background.check(sample.len()), Ok(()));
            for (page, ranked) in sample.iter().zip(&ranked) {
                prop_assert_eq!(&background.rank(page, &vocabulary, &config), ranked);
            }
            prop_assert_eq!(tf_idf(&sample, &vocabulary, &config), ranked);
        }
    }
}
