//! The tantivy tokenizer and token filters of all analyzers, modelled on tantivy's `simple_tokenizer.rs` and `lower_caser.rs`.
//!
//! tantivy's own `SimpleTokenizer` makes one token of a complete Chinese sentence and splits words
//! at their combining marks.

use model::contain_panics;
use rust_stemmers::Algorithm;
use tantivy::tokenizer::{
    Language, RawTokenizer, StopWordFilter, TextAnalyzer, Token, TokenFilter, TokenStream,
    Tokenizer,
};

use crate::scanner::{Apostrophe, Scanner};
use crate::script::Script;

/// Splits text into words, and into pairs of characters for scripts without spaces.
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

/// The longest word that can be a term, in characters.
pub(crate) const MAX_CHARS: usize = 64;

/// Whether a raw token has a length that a term may have.
fn is_term_length(word: &str) -> bool {
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

/// A token filter made of a function, which may change the text of a token and returns whether to keep the token.
#[derive(Clone)]
pub(crate) struct WordFilter<F>(F);

impl<F> TokenFilter for WordFilter<F>
where
    F: FnMut(&mut String) -> bool + Clone + Send + Sync + 'static,
{
    type Tokenizer<T: Tokenizer> = FilteredTokenizer<T, F>;

    fn transform<T: Tokenizer>(self, tokenizer: T) -> FilteredTokenizer<T, F> {
        FilteredTokenizer { tokenizer, filter: self.0 }
    }
}

#[derive(Clone)]
pub(crate) struct FilteredTokenizer<T, F> {
    tokenizer: T,
    filter: F,
}

impl<T: Tokenizer, F> Tokenizer for FilteredTokenizer<T, F>
where
    F: FnMut(&mut String) -> bool + Clone + Send + Sync + 'static,
{
    type TokenStream<'a> = FilteredStream<'a, T::TokenStream<'a>, F>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        FilteredStream { tail: self.tokenizer.token_stream(text), filter: &mut self.filter }
    }
}

pub(crate) struct FilteredStream<'a, T, F> {
    tail: T,
    filter: &'a mut F,
}

impl<T: TokenStream, F: FnMut(&mut String) -> bool> TokenStream for FilteredStream<'_, T, F> {
    fn advance(&mut self) -> bool {
        while self.tail.advance() {
            if (self.filter)(&mut self.tail.token_mut().text) {
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

/// Passes only words of term length.
///
/// Too short: a single letter or digit, unless it is Chinese, Japanese, Thai … or a Korean
/// syllable, where one character may be a word; marks of the general block (accents encoded
/// separately) do not count. Numbers of two digits or more are kept. Too long: over 64 characters,
/// which is leftover markup or encoded data rather than language. tantivy's own limit of 40 bytes
/// would lose long German compounds and any 14 Chinese characters.
pub(crate) fn length_filter() -> impl TokenFilter {
    WordFilter(|word: &mut String| is_term_length(word))
}

/// The stop word filters of a language; empty if it has no list.
///
/// tantivy has Snowball's lists for twelve languages, and for English only the 33 words of Lucene's
/// `EnglishAnalyzer`, which lack every pronoun and auxiliary verb. In Forest a stop word counts
/// neither as signifier nor as other term (§3.1), so for English the remaining closed-class words
/// are added here, corresponding to the lists of other languages. Contractions are listed as this
/// crate's tokenizer joins them, unless that gives another word ("she'll"). For languages without a
/// list, see [`crate::FrequentTerms`].
pub(crate) fn stop_word_filters(language: Option<Language>) -> Vec<StopWordFilter> {
    let Some(language) = language else { return Vec::new() };
    let mut filters: Vec<_> = StopWordFilter::new(language).into_iter().collect();
    if language == Language::English {
        let words = ENGLISH.split_whitespace().map(str::to_owned);
        filters.push(StopWordFilter::remove(words));
    }
    filters
}

/// English closed-class words that are not in Lucene's list.
const ENGLISH: &str = "
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself its itself them theirs themselves
    who whom whose which what those
    am were been being have has had having do does did doing done
    would should could can cannot ought shall
    because until while about against between through during before after above below
    from up down out off over under upon again further once than also
    here when where why how all any both each few more most other some
    nor only own same so too very just
    im ive youre youve youll youd theyre theyve theyll theyd weve itll hes shes thats
    isnt arent wasnt werent hasnt havent hadnt doesnt dont didnt
    wont wouldnt shant shouldnt cant couldnt mustnt lets whats heres theres
";

/// The languages supported by tantivy and the Snowball stemmers, with the stemmer; `None` for Greek, whose stemmer panics.
pub(crate) const LANGUAGES: [(&str, Language, Option<Algorithm>); 18] = [
    ("ar", Language::Arabic, Some(Algorithm::Arabic)),
    ("da", Language::Danish, Some(Algorithm::Danish)),
    ("de", Language::German, Some(Algorithm::German)),
    ("el", Language::Greek, None),
    ("en", Language::English, Some(Algorithm::English)),
    ("es", Language::Spanish, Some(Algorithm::Spanish)),
    ("fi", Language::Finnish, Some(Algorithm::Finnish)),
    ("fr", Language::French, Some(Algorithm::French)),
    ("hu", Language::Hungarian, Some(Algorithm::Hungarian)),
    ("it", Language::Italian, Some(Algorithm::Italian)),
    ("nl", Language::Dutch, Some(Algorithm::Dutch)),
    ("no", Language::Norwegian, Some(Algorithm::Norwegian)),
    ("pt", Language::Portuguese, Some(Algorithm::Portuguese)),
    ("ro", Language::Romanian, Some(Algorithm::Romanian)),
    ("ru", Language::Russian, Some(Algorithm::Russian)),
    ("sv", Language::Swedish, Some(Algorithm::Swedish)),
    ("ta", Language::Tamil, Some(Algorithm::Tamil)),
    ("tr", Language::Turkish, Some(Algorithm::Turkish)),
];

/// Replaces each token, in lower case, by its stem: the Snowball stemmers of `rust-stemmers` (tantivy 0.27 itself stems with
/// `frostem`).
///
/// `rust-stemmers` 1.2.0 works on byte offsets. Every stemmer was run over tens of millions of
/// words: random letters, random Unicode, dictionary words with random edits, and chains of its own
/// suffixes. Only the Greek one panics ("ισαισα"); Greek therefore uses tantivy's, which passed the
/// same test. All calls are guarded nevertheless: a word that a stemmer panics on is left unchanged,
/// and so is a word whose stem would be empty (Greek "ηςώ").
pub(crate) fn stem_filter(language: Language) -> impl TokenFilter {
    let mut stemmer = Stemmer::new(language);
    WordFilter(move |word: &mut String| {
        if let Some(stem) = stemmer.other_stem(word) {
            *word = stem;
        }
        true
    })
}

/// Stems one word at a time.
#[derive(Clone)]
enum Stemmer {
    Snowball(Algorithm),
    Tantivy(TextAnalyzer),
}

impl Stemmer {
    fn new(language: Language) -> Self {
        let known = LANGUAGES.iter().find(|known| known.1 == language);
        match known.and_then(|known| known.2) {
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
    use super::*;
    use proptest::prelude::*;
    use tantivy::tokenizer::WhitespaceTokenizer;

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

    fn remaining(language: Option<Language>, text: &str) -> Vec<String> {
        let mut builder = TextAnalyzer::builder(WhitespaceTokenizer::default()).dynamic();
        for filter in stop_word_filters(language) {
            builder = builder.filter_dynamic(filter);
        }
        let mut words = Vec::new();
        builder.build().token_stream(text).process(&mut |token| words.push(token.text.clone()));
        words
    }

    #[test]
    fn lists_of_tantivy() {
        assert_eq!(remaining(Some(Language::German), "der wald und die seen"), ["wald", "seen"]);
        assert_eq!(remaining(Some(Language::Russian), "книга и я"), ["книга"]);
    }

    #[test]
    fn english_has_its_pronouns_and_auxiliaries() {
        let text = "they have seen the hell which you dont know";
        assert_eq!(remaining(Some(Language::English), text), ["seen", "hell", "know"]);
    }

    #[test]
    fn no_list() {
        assert_eq!(remaining(Some(Language::Turkish), "bu kitap"), ["bu", "kitap"]);
        assert_eq!(remaining(None, "the book"), ["the", "book"]);
    }

    fn stem(language: Language, word: &str) -> String {
        let filter = stem_filter(language);
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
            for (_, language, algorithm) in LANGUAGES {
                // Without the guard, so that a panic fails the test.
                if let Some(algorithm) = algorithm {
                    rust_stemmers::Stemmer::create(algorithm).stem(&word);
                }
                prop_assert!(!stem(language, &word).is_empty(), "{:?} {:?}", language, word);
            }
        }
    }
}
