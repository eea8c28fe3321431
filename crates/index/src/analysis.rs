//! Turns articles into index terms and documents.
//!
//! Terms are computed where a site is processed, in parallel for many sites. They are sent as bytes
//! to the one thread that writes the index.

use std::borrow::Cow;
use std::cell::RefCell;

use jiff::Timestamp;
use model::{Access, Article, Doubt, Gone, Quality, Verdict, rounded};
use serde::{Deserialize, Serialize};
use sink::parse_instant;
use tantivy::schema::document::ReferenceValueLeaf::{Date, F64, Str, U64};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{DateTime, TantivyDocument};
use terms::{AnalyzedWord, Analyzers, Language, Script, detect};

use crate::schema::IndexFields;

/// The code for documents of unknown language (BCP 47).
pub(crate) const UNKNOWN: &str = "und";

thread_local! {
    static ANALYZERS: RefCell<Analyzers> = RefCell::new(Analyzers::new());
}

/// A term and its position in the text.
pub(crate) type Placed<'a> = (usize, Cow<'a, str>);

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Analysed<'a> {
    /// Primary subtag of the language that the texts were analysed in.
    #[serde(borrow)]
    language: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) title: Vec<Placed<'a>>,
    #[serde(borrow)]
    pub(crate) body: Vec<Placed<'a>>,
}

impl Analysed<'_> {
    pub(crate) fn new(article: &Article) -> Self {
        let title = article.title.as_deref().unwrap_or_default();
        Self::of_texts(language_of(article), title, &article.text)
    }

    pub(crate) fn of_texts(language: Option<Language>, title: &str, text: &str) -> Self {
        ANALYZERS.with_borrow_mut(|analyzers| {
            let mut placed = |text| placed(analyzers, language, text);
            let (title, body) = (placed(title), placed(text));
            let language = language.map_or(UNKNOWN.into(), |l| l.to_string().into());
            Analysed { language, title, body }
        })
    }

    /// Returns the approximate size in memory of the document with this text and these terms, in bytes.
    pub(crate) fn bytes(&self, text: &str) -> usize {
        let terms = self.title.iter().chain(&self.body);
        text.len() + terms.map(|(_, term)| term.len() + 40).sum::<usize>()
    }

    /// Returns the document of the article, marked if its address is `gone`, and its approximate size in memory in bytes.
    pub(crate) fn document(
        self,
        article: &Article,
        gone: Option<&Gone>,
        fields: &IndexFields,
    ) -> (TantivyDocument, usize) {
        let bytes = self.bytes(&article.text);
        let mut document = TantivyDocument::new();
        if let Some(title) = &article.title {
            document.add_pre_tokenized_text(fields.title, tokens(title, self.title));
        }
        document.add_pre_tokenized_text(fields.body, tokens(&article.text, self.body));
        for author in &article.authors {
            document.add_text(fields.authors, author);
        }
        let Quality { precision, recall, repeated, links, boilerplate, elsewhere } =
            article.quality;
        let number = |number: u32| U64(number.into());
        let share = |share: f64| F64(rounded(share));
        let values = [
            (fields.url, Some(Str(&article.url))),
            (fields.site, Some(Str(&article.site))),
            (fields.language, Some(Str(&self.language))),
            (fields.template, Some(Str(&article.template))),
            (fields.truncated, article.origin.truncated.as_deref().map(Str)),
            (fields.health, article.health.map(Verdict::as_str).map(Str)),
            (fields.doubt, article.doubt.map(Doubt::as_str).map(Str)),
            (fields.site_name, article.site_name.as_deref().map(Str)),
            (fields.section, article.section.as_deref().map(Str)),
            (fields.license, article.license.as_deref().map(Str)),
            (fields.access, article.access.map(Access::as_str).map(Str)),
            (fields.content_hash, Some(Str(&article.content_hash))),
            (fields.published, article.published.as_deref().and_then(date_of).map(Date)),
            (fields.fetched, article.fetched.and_then(date_time).map(Date)),
            (fields.model_revision, article.model_revision.map(number)),
            (fields.word_count, Some(number(article.word_count))),
            (fields.language_score, article.language_score.map(share)),
            (fields.confidence, Some(share(article.confidence))),
            (fields.precision, precision.map(share)),
            (fields.recall, recall.map(share)),
            (fields.repeated, Some(share(repeated))),
            (fields.links, Some(share(links))),
            (fields.boilerplate, boilerplate.map(share)),
            (fields.elsewhere, Some(share(elsewhere))),
        ];
        for (field, value) in values {
            if let Some(value) = value {
                document.add_leaf_field_value(field, value);
            }
        }
        for passage in &article.passages {
            // A passage contains only texts and numbers: this cannot fail.
            if let Ok(serde_json::Value::Object(own)) = serde_json::to_value(passage) {
                let own = own.into_iter().map(|(name, value)| (name, value.into())).collect();
                document.add_object(fields.passages, own);
            }
        }
        if let Some(gone) = gone {
            add_gone(&mut document, gone, fields);
        }
        (document, bytes)
    }
}

/// Records in a document that the address of its article is gone.
pub(crate) fn add_gone(document: &mut TantivyDocument, gone: &Gone, fields: &IndexFields) {
    let Some(at) = date_time(gone.at) else { return };
    document.add_date(fields.gone, at);
    document.add_u64(fields.gone_status, gone.status.into());
    if let Some(moved_to) = &gone.moved_to {
        document.add_text(fields.moved_to, moved_to);
    }
}

/// Returns the language to analyse an article in: its `language`, else the one detected in its text.
fn language_of(article: &Article) -> Option<Language> {
    let named = article.language.as_deref().and_then(Language::from_tag);
    named.or_else(|| detect(&article.text).map(|found| found.language))
}

/// Returns the terms of a text. A lower-case word that differs from its term is added at the same
/// position. Of a pair of characters, the first is added too, and at the end of a run also the
/// second, so that single characters can be searched for.
fn placed(
    analyzers: &mut Analyzers,
    language: Option<Language>,
    text: &str,
) -> Vec<Placed<'static>> {
    let mut placed = Vec::new();
    let mut last: Option<(usize, char)> = None;
    analyzers.get(language).analyze_words(text, &mut |AnalyzedWord { position, raw, term }| {
        let pair = pair_of(raw);
        if let Some((at, c)) = last.take()
            && pair.is_none_or(|(first, _)| first != c)
        {
            placed.push((at, c.to_string().into()));
        }
        placed.push((position, term.text.to_owned().into()));
        if let Some((first, second)) = pair {
            placed.push((position, first.to_string().into()));
            last = Some((position, second));
        } else if raw != term.text {
            // Character by character, as tantivy's `LowerCaser` does.
            let word: String = raw.chars().flat_map(char::to_lowercase).collect();
            if word != term.text {
                placed.push((position, word.into()));
            }
        }
    });
    placed.extend(last.map(|(at, c)| (at, c.to_string().into())));
    placed
}

/// Returns the characters of a word that is a pair in a script without spaces.
fn pair_of(word: &str) -> Option<(char, char)> {
    let mut chars = word.chars();
    let pair = (chars.next()?, chars.next()?);
    let unspaced = |c| Script::of(c).is_some_and(Script::is_unspaced);
    (chars.next().is_none() && unspaced(pair.0) && unspaced(pair.1)).then_some(pair)
}

pub(crate) fn tokens(text: &str, placed: Vec<Placed<'_>>) -> PreTokenizedString {
    let token = |(position, term): Placed<'_>| Token {
        position,
        text: term.into_owned(),
        ..Token::default()
    };
    PreTokenizedString { text: text.to_owned(), tokens: placed.into_iter().map(token).collect() }
}

/// Parses a date for tantivy; `None` if it is invalid or out of range. Tantivy counts nanoseconds
/// from 1970 in 64 bits.
fn date_of(text: &str) -> Option<DateTime> {
    parse_instant(text).and_then(date_time)
}

/// Converts an instant for tantivy; `None` if it is not between 1677 and 2262.
pub(crate) fn date_time(instant: Timestamp) -> Option<DateTime> {
    i64::try_from(instant.as_nanosecond()).ok().map(DateTime::from_timestamp_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, text: &str, expected: &[(usize, &str)]) {
        let found = placed(&mut Analyzers::new(), Language::from_tag(code), text);
        let found: Vec<(usize, &str)> = found.iter().map(|(at, term)| (*at, &**term)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_stand_beside_their_stems() {
        check(
            "en",
            "The Storks on O'Shea's roof NEST",
            &[(1, "stork"), (1, "storks"), (3, "oshea"), (3, "osheas"), (4, "roof"), (5, "nest")],
        );
        let pairs =
            [(0, "北京"), (0, "北"), (1, "京大"), (1, "京"), (2, "大学"), (2, "大"), (2, "学")];
        check("zh", "北京大学", &pairs);
        check("zh", "北京 ab 桥", &[(0, "北京"), (0, "北"), (0, "京"), (1, "ab"), (2, "桥")]);
    }

    #[test]
    fn they_travel_as_bytes() {
        let analysed = Analysed {
            language: "en".into(),
            title: vec![(0, "a\\\"\n".into())],
            body: vec![(3, "ü".into()), (3, "ue".into())],
        };
        let bytes = serde_json::to_vec(&[&analysed]).unwrap();
        let back: Vec<Analysed<'_>> = serde_json::from_slice(&bytes).unwrap();
        assert_eq!((&back[0].title, &back[0].body), (&analysed.title, &analysed.body));
    }

    #[test]
    fn dates_that_tantivy_cannot_hold_are_left_out() {
        assert!(date_of("2026-01-12").is_some());
        assert!(date_of("1066-10-14").is_none());
    }
}
