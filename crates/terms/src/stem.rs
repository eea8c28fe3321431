//! Token filter: the Snowball stemmers of `rust-stemmers`, as a tantivy filter.
//!
//! Modelled on `tantivy/src/tokenizer/lower_caser.rs` and `stemmer.rs` (tantivy 0.27 itself stems
//! with `frostem`). Tokens must be in lower case.
//!
//! `rust-stemmers` 1.2.0 works on byte offsets. Every stemmer was run over tens of millions of
//! words: random letters, random Unicode, dictionary words with random edits, and chains of its own
//! suffixes. Only the Greek one panics ("ισαισα"); Greek therefore uses tantivy's, which passed the
//! same test. All calls are guarded nevertheless: a word that a stemmer panics on is left unchanged,
//! and so is a word whose stem would be empty (Greek "ηςώ").

use model::contain_panics;
use rust_stemmers::Algorithm;
use tantivy::tokenizer::{
    Language, RawTokenizer, TextAnalyzer, Token, TokenFilter, TokenStream, Tokenizer,
};

/// The stemmer for one of tantivy's languages; `None` for Greek, whose stemmer panics.
pub(crate) fn algorithm(language: Language) -> Option<Algorithm> {
    Some(match language {
        Language::Arabic => Algorithm::Arabic,
        Language::Danish => Algorithm::Danish,
        Language::Dutch => Algorithm::Dutch,
        Language::English => Algorithm::English,
        Language::Finnish => Algorithm::Finnish,
        Language::French => Algorithm::French,
        Language::German => Algorithm::German,
        Language::Greek => return None,
        Language::Hungarian => Algorithm::Hungarian,
        Language::Italian => Algorithm::Italian,
        Language::Norwegian => Algorithm::Norwegian,
        Language::Portuguese => Algorithm::Portuguese,
        Language::Romanian => Algorithm::Romanian,
        Language::Russian => Algorithm::Russian,
        Language::Spanish => Algorithm::Spanish,
        Language::Swedish => Algorithm::Swedish,
        Language::Tamil => Algorithm::Tamil,
        Language::Turkish => Algorithm::Turkish,
    })
}

/// Replaces each token by its stem.
#[derive(Clone)]
pub(crate) struct StemFilter {
    language: Language,
}

impl StemFilter {
    pub(crate) fn new(language: Language) -> Self {
        Self { language }
    }
}

impl TokenFilter for StemFilter {
    type Tokenizer<T: Tokenizer> = StemTokenizer<T>;

    fn transform<T: Tokenizer>(self, tokenizer: T) -> StemTokenizer<T> {
        StemTokenizer { stemmer: Stemmer::new(self.language), tokenizer }
    }
}

#[derive(Clone)]
pub(crate) struct StemTokenizer<T> {
    stemmer: Stemmer,
    tokenizer: T,
}

impl<T: Tokenizer> Tokenizer for StemTokenizer<T> {
    type TokenStream<'a> = StemStream<'a, T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        StemStream { stemmer: &mut self.stemmer, tail: self.tokenizer.token_stream(text) }
    }
}

pub(crate) struct StemStream<'a, T> {
    stemmer: &'a mut Stemmer,
    tail: T,
}

impl<T: TokenStream> TokenStream for StemStream<'_, T> {
    fn advance(&mut self) -> bool {
        if !self.tail.advance() {
            return false;
        }
        let word = &mut self.tail.token_mut().text;
        if let Some(stem) = self.stemmer.other_stem(word) {
            *word = stem;
        }
        true
    }

    fn token(&self) -> &Token {
        self.tail.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.tail.token_mut()
    }
}

/// Stems one word at a time.
#[derive(Clone)]
enum Stemmer {
    Snowball(Algorithm),
    Tantivy(TextAnalyzer),
}

impl Stemmer {
    fn new(language: Language) -> Self {
        match algorithm(language) {
            Some(algorithm) => Self::Snowball(algorithm),
            None => {
                let filter = tantivy::tokenizer::Stemmer::new(language);
                Self::Tantivy(TextAnalyzer::builder(RawTokenizer::default()).filter(filter).build())
            }
        }
    }

    /// The stem of `word`, if it differs from the word.
    fn other_stem(&mut self, word: &str) -> Option<String> {
        let stem = contain_panics(|| match self {
            Self::Snowball(algorithm) => {
                rust_stemmers::Stemmer::create(*algorithm).stem(word).into_owned()
            }
            Self::Tantivy(analyzer) => analyzer
                .token_stream(word)
                .next()
                .map(|token| token.text.clone())
                .unwrap_or_default(),
        });
        stem.ok().filter(|stem| !stem.is_empty() && stem != word)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[rustfmt::skip]
    const ALL: [Language; 18] = [
        Language::Arabic, Language::Danish, Language::Dutch, Language::English, Language::Finnish,
        Language::French, Language::German, Language::Greek, Language::Hungarian, Language::Italian,
        Language::Norwegian, Language::Portuguese, Language::Romanian, Language::Russian,
        Language::Spanish, Language::Swedish, Language::Tamil, Language::Turkish,
    ];

    fn stem(language: Language, word: &str) -> String {
        let filter = StemFilter::new(language);
        let mut analyzer = TextAnalyzer::builder(RawTokenizer::default()).filter(filter).build();
        let mut stream = analyzer.token_stream(word);
        assert!(stream.advance());
        stream.token().text.clone()
    }

    #[test]
    fn inflections_share_a_stem() {
        assert_eq!(stem(Language::English, "running"), stem(Language::English, "runs"));
        assert_eq!(stem(Language::German, "häuser"), stem(Language::German, "hauses"));
        assert_eq!(stem(Language::Russian, "книгами"), stem(Language::Russian, "книга"));
    }

    #[test]
    fn a_word_that_makes_a_stemmer_panic_is_kept() {
        let stem = Stemmer::Snowball(Algorithm::Greek).other_stem("ισαισα");
        assert_eq!(stem, None);
        assert_eq!(self::stem(Language::Greek, "ηςώ"), "ηςώ");
    }

    fn words() -> impl Strategy<Value = String> {
        prop_oneof![
            r"\PC{1,20}",
            "[a-zäöüßéèêçñãõøåæşğıőűțș]{1,24}",
            "[а-яё]{1,24}",
            r"[\u{621}-\u{652}\u{660}-\u{669}]{1,16}",
            r"[\u{b80}-\u{bff}]{1,16}",
            "[a-z'’\u{301}\u{307}İ中😀]{1,16}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn no_stemmer_in_use_panics_or_empties_a_word(word in words()) {
            for language in ALL {
                // Without the guard, so that a panic fails the test.
                if let Some(algorithm) = algorithm(language) {
                    rust_stemmers::Stemmer::create(algorithm).stem(&word);
                }
                prop_assert!(!stem(language, &word).is_empty(), "{:?} {:?}", language, word);
            }
        }
    }
}
