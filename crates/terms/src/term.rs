//! A term.

use tantivy::tokenizer::TextAnalyzer;
use xxhash_rust::xxh3::xxh3_64;

use crate::length::MAX_CHARS;

/// Longest word in bytes that may give a term; longer ones are not cached.
pub(crate) const LONGEST: usize = MAX_CHARS * char::MAX.len_utf8();

/// One term of a text, as returned by [`Analyzer::analyze`](crate::Analyzer::analyze).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// xxh3 of the term's text; equal for equal terms of any language and run.
    pub hash: u64,
    /// The stemmed word.
    pub text: &'a str,
}

/// The hash of a word's term; appends its text.
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
