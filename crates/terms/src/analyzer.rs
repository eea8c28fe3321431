//! Text → terms: the analyzer of each language, with a cache.
//!
//! One chain defines a term, based on tantivy's `TextAnalyzer`: [`WordTokenizer`] →
//! [`length_filter`] → `LowerCaser` → `StopWordFilter` → stemmer. [`text_analyzer`] is that chain,
//! for an index; [`Analyzer`] gives the same terms with a cache of raw words in front, many times
//! faster. Forest §3.1: terms are in lower case, without stop words, stemmed.
//!
//! tantivy's `LowerCaser` is independent of the language: Turkish "I" becomes "i".

use std::collections::BTreeMap;

use tantivy::tokenizer::{Language as Tantivy, LowerCaser, RawTokenizer, TextAnalyzer, Tokenizer};
use xxhash_rust::xxh3::xxh3_64;

use crate::filters::{
    LANGUAGES, MAX_CHARS, WordTokenizer, length_filter, stem_filter, stop_word_filters,
};
use crate::language::Language;
use crate::memo::TermCache;
use crate::scanner::{Apostrophe, Scanner};
use crate::vocabulary::Term;

/// Maximum bytes of a word that may give a term.
const LONGEST: usize = MAX_CHARS * char::MAX.len_utf8();

/// A word of a text that gives a term, as returned by [`Analyzer::analyze_words`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalyzedWord<'a> {
    /// Its index in the text, from 0; stop words are counted.
    pub position: usize,
    /// As written, without apostrophes and invisible characters.
    pub raw: &'a str,
    /// The term of the word.
    pub term: Term<'a>,
}

/// Splits texts in one language into terms. For use by one thread, because it caches words. The
/// results do not depend on earlier texts.
pub struct Analyzer {
    recipe: Recipe,
    has_stop_words: bool,
    word_to_term: TextAnalyzer,
    memo: TermCache,
}

impl Analyzer {
    /// Creates the analyzer for a language. Without a language, or for one without stemmer and stop
    /// words, the terms are the words in lower case.
    pub fn for_language(language: Option<Language>) -> Self {
        let recipe = Recipe::of(language);
        let word_to_term = recipe.chain(RawTokenizer::default());
        let has_stop_words = !stop_word_filters(recipe.language).is_empty();
        Self { recipe, has_stop_words, word_to_term, memo: TermCache::default() }
    }

    /// Whether the language has a stop word list; if not, see [`crate::FrequentTerms`].
    pub fn has_stop_words(&self) -> bool {
        self.has_stop_words
    }

    /// Calls `sink` with every term of the text in order, without stop words.
    pub fn analyze(&mut self, text: &str, sink: &mut impl FnMut(Term<'_>)) {
        self.analyze_words(text, &mut |word| sink(word.term));
    }

    /// Like [`Analyzer::analyze`], with the word that each term was derived from and its position,
    /// which is also the position of the token from [`text_analyzer`].
    pub fn analyze_words(&mut self, text: &str, sink: &mut impl FnMut(AnalyzedWord<'_>)) {
        let Self { recipe, word_to_term, memo, .. } = self;
        let mut scanner = Scanner::new(text, recipe.apostrophe);
        let mut position = 0;
        while let Some(span) = scanner.next() {
            let at = position;
            position += 1;
            let word = scanner.word(span);
            if word.len() > LONGEST {
                continue;
            }
            let term = memo.term(word, |word| {
                let mut stream = word_to_term.token_stream(word);
                let text = &stream.next()?.text;
                Some((xxh3_64(text.as_bytes()), text.as_str().into()))
            });
            if let Some(term) = term {
                sink(AnalyzedWord { position: at, raw: word, term });
            }
        }
    }

    /// The rules that determine terms, with the version of this crate, for the records of a run. A
    /// test checks the versions of the crates against `Cargo.lock`.
    pub fn version() -> String {
        format!("sitegrove-terms {} {}", env!("CARGO_PKG_VERSION"), Self::rules())
    }

    /// The rules that determine terms: two outputs with the same rules have the same terms for the
    /// same text.
    pub fn rules() -> String {
        let crates = CRATES.map(|(name, version)| format!("{name} {version}")).join(", ");
        format!("rules {RULES} ({crates})")
    }
}

/// Increased with every change to this crate that changes terms.
const RULES: u32 = 1;

/// The crates whose versions affect terms and languages.
const CRATES: [(&str, &str); 5] = [
    ("rust-stemmers", "1.2.0"),
    ("frostem", "1.20260821.8"),
    ("tantivy", "0.27.0"),
    ("whichlang", "0.1.1"),
    ("whatlang", "0.18.0"),
];

/// The tantivy analyzer of a language, to register with an index. Its tokens are the texts of
/// [`Analyzer::analyze`]'s terms.
pub fn text_analyzer(language: Option<Language>) -> TextAnalyzer {
    let recipe = Recipe::of(language);
    recipe.chain(WordTokenizer::new(recipe.apostrophe))
}

/// The analyzers of one thread, created on first use. Languages with the same rules share one, so
/// there are at most twenty. All caches together have room for the words of two or three common
/// languages.
#[derive(Default)]
pub struct Analyzers {
    by_recipe: BTreeMap<RecipeKey, Analyzer>,
    last: Option<RecipeKey>,
}

type RecipeKey = (Option<&'static str>, Apostrophe);

/// Limit on the bytes of all cached words of a thread, applied when the language changes.
const REMEMBERED: usize = 16 << 20;

impl Analyzers {
    /// Creates an empty set of analyzers.
    pub fn new() -> Self {
        Self::default()
    }

    /// The analyzer for a language.
    pub fn get(&mut self, language: Option<Language>) -> &mut Analyzer {
        let recipe = Recipe::of(language);
        let all = || self.by_recipe.values().map(|own| own.memo.bytes()).sum::<usize>();
        if self.last != Some(recipe.key) && all() > REMEMBERED {
            let others = self.by_recipe.iter_mut().filter(|(key, _)| **key != recipe.key);
            others.for_each(|(_, own)| own.memo = TermCache::default());
        }
        self.last = Some(recipe.key);
        self.by_recipe.entry(recipe.key).or_insert_with(|| Analyzer::for_language(language))
    }
}

#[derive(Clone, Copy)]
struct Recipe {
    language: Option<Tantivy>,
    apostrophe: Apostrophe,
    key: RecipeKey,
}

impl Recipe {
    fn of(language: Option<Language>) -> Self {
        let code = language.as_ref().map_or("", Language::as_str);
        // Elision; the stop word lists of French and Italian contain the elided words.
        let elides = ["fr", "it", "ca", "oc"].contains(&code);
        let apostrophe = if elides { Apostrophe::Splits } else { Apostrophe::Joins };
        let known = LANGUAGES.iter().find(|known| known.0 == code);
        Self {
            language: known.map(|known| known.1),
            apostrophe,
            key: (known.map(|known| known.0), apostrophe),
        }
    }

    fn chain<T: Tokenizer>(self, tokenizer: T) -> TextAnalyzer {
        let builder = TextAnalyzer::builder(tokenizer).filter(length_filter()).filter(LowerCaser);
        let mut builder = builder.dynamic();
        for filter in stop_word_filters(self.language) {
            builder = builder.filter_dynamic(filter);
        }
        match self.language {
            Some(language) => builder.filter_dynamic(stem_filter(language)),
            None => builder,
        }
        .build()
    }
}

#[cfg(test)]
#[path = "analyzer_tests.rs"]
mod tests;
