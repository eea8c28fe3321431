//! Terms, and a map from their hashes back to their texts.
//!
//! An [`crate::Analyzer`] drops cached words to stay small, so it cannot return texts later. A
//! caller that ranks terms keeps a vocabulary for as long as it keeps the hashes (a template, a
//! site).

use rustc_hash::FxHashMap;

/// One term of a text, as returned by [`Analyzer::analyze`](crate::Analyzer::analyze).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// xxh3 of the term's text; equal for equal terms of any language and run.
    pub hash: u64,
    /// The stemmed word.
    pub text: &'a str,
}

/// Term hash → text. Two terms with one hash (never seen; 2⁻⁶⁴ a pair) would share the first's
/// text.
#[derive(Debug, Default)]
pub struct Vocabulary(FxHashMap<u64, Box<str>>);

impl Vocabulary {
    /// Adds a term's text.
    #[inline]
    pub fn learn(&mut self, term: Term<'_>) {
        self.0.entry(term.hash).or_insert_with(|| term.text.into());
    }

    /// Adds all terms of another vocabulary, as when pages were read by several threads.
    pub fn merge(&mut self, other: Self) {
        other.0.into_iter().for_each(|(hash, text)| _ = self.0.entry(hash).or_insert(text));
    }

    /// The text of a term, if it was learnt.
    pub fn text(&self, hash: u64) -> Option<&str> {
        self.0.get(&hash).map(|text| &**text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        let mut vocabulary = Vocabulary::default();
        for (hash, text) in [(1, "run"), (2, "münch"), (1, "run")] {
            vocabulary.learn(Term { hash, text });
        }
        assert_eq!((vocabulary.text(2), vocabulary.text(3)), (Some("münch"), None));
        let mut merged = Vocabulary::default();
        merged.learn(Term { hash: 3, text: "see" });
        merged.merge(vocabulary);
        assert_eq!([1, 3].map(|hash| merged.text(hash)), [Some("run"), Some("see")]);
    }
}
