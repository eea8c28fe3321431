//! The tantivy `Tokenizer` of all analyzers: [`Scanner`] tokens with offsets and positions.
//!
//! tantivy's own `SimpleTokenizer` makes one token of a complete Chinese sentence and splits words
//! at their combining marks. Modelled on `tantivy/src/tokenizer/simple_tokenizer.rs`.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::scanner::{Apostrophe, Scanner};

/// Words, and pairs of characters for scripts without spaces.
#[derive(Clone)]
pub(crate) struct WordTokenizer {
    apostrophe: Apostrophe,
    token: Token,
}

impl WordTokenizer {
    pub(crate) fn new(apostrophe: Apostrophe) -> Self {
        Self { apostrophe, token: Token::default() }
    }
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordTokenStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordTokenStream<'a> {
        self.token.reset();
        WordTokenStream { scanner: Scanner::new(text, self.apostrophe), token: &mut self.token }
    }
}

/// The tokens of one text.
pub(crate) struct WordTokenStream<'a> {
    scanner: Scanner<'a>,
    token: &'a mut Token,
}

impl TokenStream for WordTokenStream<'_> {
    fn advance(&mut self) -> bool {
        self.token.text.clear();
        let Some(span) = self.scanner.next() else { return false };
        self.token.position = self.token.position.wrapping_add(1);
        self.token.offset_from = span.from;
        self.token.offset_to = span.to;
        self.token.text.push_str(self.scanner.word(span));
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_know_where_they_come_from() {
        let mut tokenizer = WordTokenizer::new(Apostrophe::Joins);
        let mut tokens = Vec::new();
        tokenizer.token_stream("Isn't 東京都?").process(&mut |token: &Token| {
            tokens.push((token.position, token.offset_from, token.offset_to, token.text.clone()));
        });
        let expected = [(0, 0, 5, "Isnt"), (1, 6, 12, "東京"), (2, 9, 15, "京都")];
        assert_eq!(tokens, expected.map(|(at, from, to, text)| (at, from, to, text.to_owned())));
    }
}
