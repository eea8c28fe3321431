//! Terms, and a map from their hashes back to their texts.
//!
//! An [`crate::Analyzer`] drops cached words to stay small, so it cannot return texts later. A
//! caller that ranks terms keeps a vocabulary for as long as it keeps the hashes (a template, a
//! site).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;
use tantivy::tokenizer::TextAnalyzer;
use xxhash_rust::xxh3::xxh3_64;

use crate::filters::MAX_CHARS;

/// Maximum bytes of a word that may give a term; longer words are not cached.
pub(crate) const LONGEST: usize = MAX_CHARS * char::MAX.len_utf8();

/// One term of a text, as returned by [`Analyzer::analyze`](crate::Analyzer::analyze).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// xxh3 of the term's text; equal for equal terms of any language and run.
    pub hash: u64,
    /// The stemmed word.
    pub text: &'a str,
}

/// Returns the hash of a word's term, and appends the term's text.
pub(crate) fn term_of(
    word_to_term: &mut TextAnalyzer,
    word: &str,
    text: &mut String,
) -> Option<u64> {
    let mut stream = word_to_term.token_stream(word);
    stream.next().map(|token| {
        text.push_str(&token.text);
        xxh3_64(token.text.as_bytes())
    })
}

/// Term hash → text. Two terms with one hash (never seen; 2⁻⁶⁴ a pair) would share the first's
/// text.
#[derive(Debug)]
pub struct Vocabulary {
    /// An id that is unique in the process.
    number: u64,
    /// Hash and end of the text, in the order learnt; some terms more than once.
    terms: Vec<(u64, usize)>,
    texts: String,
    /// The first index of each hash. Computed on first use, because learning is far more frequent.
    places: OnceLock<FxHashMap<u64, usize>>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self::new()
    }
}

impl Vocabulary {
    /// Creates an empty vocabulary.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            terms: Vec::new(),
            texts: String::new(),
            places: OnceLock::new(),
        }
    }

    /// The id, which is unique in the process; above 0.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Adds a term's text.
    #[inline]
    pub fn learn(&mut self, term: Term<'_>) {
        self.places.take();
        self.texts.push_str(term.text);
        self.terms.push((term.hash, self.texts.len()));
    }

    /// Adds all terms of another vocabulary, as when pages were read by several threads.
    pub fn merge(&mut self, other: &Self) {
        for (place, &(hash, _)) in other.terms.iter().enumerate() {
            self.learn(Term { hash, text: other.text_at(place) });
        }
    }

    /// The text of a term, if it was learnt.
    pub fn text(&self, hash: u64) -> Option<&str> {
        self.places().get(&hash).map(|&place| self.text_at(place))
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.places().len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number of terms that were added, some more than once.
    #[cfg(test)]
    pub(crate) fn learnt(&self) -> usize {
        self.terms.len()
    }

    fn places(&self) -> &FxHashMap<u64, usize> {
        self.places.get_or_init(|| {
            let mut places = FxHashMap::default();
            places.reserve(self.terms.len());
            for (place, &(hash, _)) in self.terms.iter().enumerate() {
                places.entry(hash).or_insert(place);
            }
            places
        })
    }

    fn text_at(&self, place: usize) -> &str {
        let from = if place == 0 { 0 } else { self.terms[place - 1].1 };
        &self.texts[from..self.terms[place].1]
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn texts_come_back() {
        let mut vocabulary = Vocabulary::new();
        for (hash, text) in [(1, "run"), (2, "münch"), (1, "run")] {
            vocabulary.learn(Term { hash, text });
        }
        assert_eq!(vocabulary.len(), 2);
        assert_eq!(vocabulary.text(2), Some("münch"));
        assert_eq!(vocabulary.text(3), None);

        let mut merged = Vocabulary::new();
        merged.learn(Term { hash: 3, text: "see" });
        merged.merge(&vocabulary);
        assert_eq!((merged.text(1), merged.text(3), merged.len()), (Some("run"), Some("see"), 3));
    }
}
