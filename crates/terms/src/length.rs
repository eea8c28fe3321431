//! Token filter: removes words that are too short or too long to be terms.
//!
//! Too short: a single letter or digit, unless it is Chinese, Japanese, Thai … or a Korean
//! syllable, where one character may be a word; marks of the general block (accents encoded
//! separately) do not count. Numbers of two digits or more are kept. Too long: over 64 characters,
//! which is leftover markup or encoded data rather than language. tantivy's own limit of 40 bytes
//! would lose long German compounds and any 14 Chinese characters.

use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

use crate::script::Script;

/// The longest word that can be a term, in characters.
pub(crate) const MAX_CHARS: usize = 64;

/// Whether a raw token has a length that a term may have.
pub(crate) fn is_term_length(word: &str) -> bool {
    let is_letter = |c: &char| !('\u{300}'..='\u{36f}').contains(c);
    let mut letters = word.chars().filter(is_letter);
    let (first, second) = (letters.next(), letters.next());
    let long_enough = match (first, second) {
        (Some(_), Some(_)) => true,
        (Some(only), None) => {
            Script::of(only).is_some_and(|script| script.is_unspaced() || script == Script::Hangul)
        }
        _ => false,
    };
    long_enough && (word.len() <= MAX_CHARS || word.chars().nth(MAX_CHARS).is_none())
}

/// Passes only words of term length.
#[derive(Clone)]
pub(crate) struct LengthFilter;

impl TokenFilter for LengthFilter {
    type Tokenizer<T: Tokenizer> = LengthTokenizer<T>;

    fn transform<T: Tokenizer>(self, tokenizer: T) -> LengthTokenizer<T> {
        LengthTokenizer { tokenizer }
    }
}

#[derive(Clone)]
pub(crate) struct LengthTokenizer<T> {
    tokenizer: T,
}

impl<T: Tokenizer> Tokenizer for LengthTokenizer<T> {
    type TokenStream<'a> = LengthStream<T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        LengthStream { tail: self.tokenizer.token_stream(text) }
    }
}

pub(crate) struct LengthStream<T> {
    tail: T,
}

impl<T: TokenStream> TokenStream for LengthStream<T> {
    fn advance(&mut self) -> bool {
        while self.tail.advance() {
            if is_term_length(&self.tail.token().text) {
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.tail.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.tail.token_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words() {
        for term in ["ab", "42", "中", "の", "집", "है"] {
            assert!(is_term_length(term), "{term}");
        }
        for other in ["", "a", "é", "e\u{301}", "7", "я"] {
            assert!(!is_term_length(other), "{other}");
        }
    }

    #[test]
    fn long_words() {
        assert!(is_term_length(&"a".repeat(64)) && is_term_length(&"я".repeat(64)));
        assert!(!is_term_length(&"a".repeat(65)) && !is_term_length(&"я".repeat(65)));
    }
}
