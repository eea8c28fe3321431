//! Stop words by document frequency, for languages without a list.
//!
//! A function word is on nearly every page, but so is a site's menu, and the words of menus must
//! still be counted as other terms: they are what Forest's U subtracts (§3.1). The difference is
//! that a menu word occurs equally often on every page, while the frequency of a function word
//! depends on the length of the article. So a term is frequent if most pages have it and no single
//! count is shared by more than half of all pages.
//!
//! Measured on English pages without using their list (414 pages of 52 layouts, share 0.8; by
//! tokens): without the second condition 83 % of the stop words are found and 67 % of the other
//! words outside the articles are lost; with it 80 % and 22 %, and in the articles 12 % instead of
//! 19.

use serde::{Deserialize, Serialize};

use crate::ranking::term_counts;

/// Parameters of [`FrequentTerms::of`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrequentConfig {
    /// Minimum share of pages that contain a term: 0.8 is the measured value.
    pub share: f64,
    /// Minimum number of pages; fewer are not representative of a language: 5.
    pub min_pages: usize,
}

/// Terms that are treated as stop words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct FrequentTerms {
    hashes: Vec<u64>,
}

impl FrequentTerms {
    /// The frequent terms of sibling pages; empty if there are too few pages. A page is the list of
    /// its term hashes, with repetitions, in any order.
    pub fn of<P: AsRef<[u64]>>(pages: &[P], config: &FrequentConfig) -> Self {
        if pages.len() < config.min_pages {
            return Self::default();
        }
        let counts: Vec<_> = pages.iter().map(|page| term_counts(page.as_ref())).collect();
        let mut by_term: Vec<(u64, u32)> = counts.into_iter().flatten().collect();
        by_term.sort_unstable();
        let least = config.share * pages.len() as f64;
        let is_frequent = |counts: &&[(u64, u32)]| {
            let same = counts.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0);
            counts.len() as f64 >= least && same * 2 <= pages.len()
        };
        let terms = by_term.chunk_by(|a, b| a.0 == b.0).filter(is_frequent);
        Self { hashes: terms.map(|counts| counts[0].0).collect() }
    }

    /// Whether a term is treated as a stop word.
    pub fn contains(&self, hash: u64) -> bool {
        self.hashes.binary_search(&hash).is_ok()
    }

    /// Their hashes, ascending.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: FrequentConfig = FrequentConfig { share: 0.8, min_pages: 5 };
    const FUNCTION_WORD: u64 = 1;
    const MENU_WORD: u64 = 2;
    const TOPIC: u64 = 3;

    /// Pages on which the function word occurs 2, 3, 4 … times, the menu word twice.
    fn pages(count: usize) -> Vec<Vec<u64>> {
        let page = |n: usize| {
            let mut page = vec![MENU_WORD; 2];
            page.extend(vec![FUNCTION_WORD; n + 2]);
            page.extend(vec![TOPIC; if n == 0 { 9 } else { 0 }]);
            page
        };
        (0..count).map(page).collect()
    }

    #[test]
    fn function_words_yes_menus_and_topics_no() {
        let frequent = FrequentTerms::of(&pages(6), &CONFIG);
        assert_eq!(frequent.hashes(), [FUNCTION_WORD]);
        assert!(frequent.contains(FUNCTION_WORD) && !frequent.contains(MENU_WORD));
    }

    #[test]
    fn too_few_pages_say_nothing() {
        assert_eq!(FrequentTerms::of(&pages(4), &CONFIG), FrequentTerms::default());
    }

    #[test]
    fn one_page_in_five_may_lack_the_word() {
        let mut pages = pages(5);
        pages[4] = vec![MENU_WORD];
        assert!(FrequentTerms::of(&pages, &CONFIG).contains(FUNCTION_WORD));
        pages[3] = vec![MENU_WORD];
        assert!(!FrequentTerms::of(&pages, &CONFIG).contains(FUNCTION_WORD));
    }
}
