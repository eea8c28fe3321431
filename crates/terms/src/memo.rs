//! A bounded cache of the terms of words, so that a repeated word costs one look-up.
//!
//! Invariant: it stores the values of a pure function, so its state affects only the time of an analysis.

use rustc_hash::FxHashMap;

use crate::vocabulary::Term;

/// Maximum number of cached raw words: more than the usual vocabulary of a site.
const CAPACITY: usize = 1 << 16;

/// Maximum bytes of the words and of the texts of their terms, besides those of the last word: twice what [`CAPACITY`] words of a
/// language take.
const TEXTS: usize = 2 << 20;

/// The terms of raw words.
#[derive(Default)]
pub(crate) struct TermCache {
    /// By word, the index of its term; `None` if it has none.
    places: FxHashMap<Box<str>, Option<u32>>,
    /// Hashes and texts.
    terms: Vec<(u64, Box<str>)>,
    /// Total length of the words and texts, in bytes.
    letters: usize,
}

impl TermCache {
    /// The word's term, which `analyze` computes for a word that is not cached.
    #[inline]
    pub(crate) fn term(
        &mut self,
        word: &str,
        analyze: impl FnOnce(&str) -> Option<(u64, Box<str>)>,
    ) -> Option<Term<'_>> {
        let place = match self.places.get(word) {
            Some(place) => *place,
            None => self.add(word, analyze(word)),
        };
        let (hash, text) = &self.terms[place? as usize];
        Some(Term { hash: *hash, text })
    }

    #[cold]
    fn add(&mut self, word: &str, term: Option<(u64, Box<str>)>) -> Option<u32> {
        if self.places.len() >= CAPACITY || self.letters > TEXTS {
            *self = Self::default();
        }
        self.letters += word.len() + term.as_ref().map_or(0, |(_, text)| text.len());
        let place = term.is_some().then_some(self.terms.len() as u32);
        self.terms.extend(term);
        self.places.insert(word.into(), place);
        place
    }

    /// Approximate memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<(Box<str>, Option<u32>)>()
            + self.terms.capacity() * size_of::<(u64, Box<str>)>()
            + self.letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(_: &str) -> Option<(u64, Box<str>)> {
        Some((1, "run".into()))
    }

    #[test]
    fn a_known_word_is_not_analysed_again() {
        let never = |word: &str| unreachable!("{word} is known");
        let mut memo = TermCache::default();
        for word in ["runs", "ran"] {
            assert_eq!(memo.term(word, run), Some(Term { hash: 1, text: "run" }));
            assert_eq!(memo.term(word, never), Some(Term { hash: 1, text: "run" }));
        }
        assert_eq!(memo.term("the", |_| None), None);
        assert_eq!(memo.term("the", never), None);
    }

    #[test]
    fn words_and_texts_are_bounded() {
        for width in [1, 160] {
            let mut memo = TermCache::default();
            for number in 0..CAPACITY + 5_000 {
                let word = format!("{number:0width$}");
                let hash = number as u64;
                let term = memo.term(&word, |word| Some((hash, word.into())));
                assert_eq!(term, Some(Term { hash, text: &word }));
                assert!(memo.places.len() <= CAPACITY && memo.letters <= TEXTS + 2 * width.max(8));
            }
            assert!(memo.bytes() < 5 * TEXTS, "{}", memo.bytes());
        }
    }
}
