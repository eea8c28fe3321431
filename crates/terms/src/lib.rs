/*!
Terms of a text, and the terms that characterise a page.

[`detect()`] determines the language of a text. An [`Analyzer`] for that language (or the [`Analyzers`] of a
thread) gives the text's terms: lower-cased, without stop words, stemmed, based on tantivy; for scripts without
spaces, pairs of characters. [`rank_terms`] ranks the terms of each page against its siblings (Forest §3.1),
with a [`Vocabulary`] that maps hashes back to text. [`FrequentTerms`]
finds the stop words of languages that have no list. [`words()`] and [`count_words`] count plain words as the
benchmark does, and [`hash_words`] hashes words to compare texts; these are not terms. [`share_repeated`] measures how much of a
text is repeated, [`is_right_to_left`] determines the direction of writing, and [`letters`] classifies characters.

Invariants: depends on nothing about pages, elements or files; takes `&str`, gives terms. Nothing here fails.
The same text gives the same terms, whatever was analysed before.

```
use sitegrove_terms::{Analyzers, TermWeighting, TfIdfConfig, Vocabulary, detect, rank_terms};

let texts = ["The storks are nesting on our roofs again.", "A roof of straw lasts thirty years."];
let (mut analyzers, mut vocabulary) = (Analyzers::new(), Vocabulary::default());
let pages: Vec<Vec<u64>> = texts
    .iter()
    .map(|text| {
        let mut hashes = Vec::new();
        let language = detect(text).map(|found| found.language);
        analyzers.get(language).analyze(text, &mut |term| {
            vocabulary.learn(term);
            hashes.push(term.hash);
        });
        hashes
    })
    .collect();
let config = TfIdfConfig { weighting: TermWeighting::Log, top: 2 };
let ranked = rank_terms(&pages, &vocabulary, &config);
assert_eq!(ranked[0].terms[0].0, "nest");
```
*/

mod analyzer;
mod chars;
mod detect;
mod filters;
mod function_words;
mod hashes;
mod language;
pub mod letters;
mod memo;
mod ranking;
mod repetition;
mod scanner;
mod script;
mod vocabulary;
mod words;

pub use analyzer::{AnalyzedWord, Analyzer, Analyzers, text_analyzer};
pub use detect::{Detected, detect};
pub use hashes::hash_words;
pub use language::Language;
pub use ranking::{
    FrequentConfig, FrequentTerms, RankedTerms, TermWeighting, TfIdfConfig, rank_terms,
};
pub use repetition::share_repeated;
pub use script::{Script, is_right_to_left};
pub use vocabulary::{Term, Vocabulary};
pub use words::{WordStarts, Words, count_words, has_words, words};
