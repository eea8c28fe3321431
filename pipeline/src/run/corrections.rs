//! Applies corrections of articles to the results of a run before they are written. The extracted article is kept beside the
//! corrected one for the archive of articles.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use config::Config;
use model::{
    Article, ArticleCorrection, CorrectedField, Extracted, FieldCorrection, FieldSource,
    SiteResult, Source,
};
use sink::{KeyOf, contradicts, json_lines};
use sitemodel::stages::extract::correct_text;

use crate::run::sinks::{article_key, with_scheme};

pub(crate) struct CorrectionsByAddress<'a> {
    /// By exact address, and by address without scheme, `www.` and tracking parameters.
    by_key: BTreeMap<String, Vec<&'a ArticleCorrection>>,
    by_stripped: BTreeMap<String, Vec<&'a ArticleCorrection>>,
    key_of: KeyOf,
    words_of_passages: u32,
    corrected: AtomicU64,
    outdated: AtomicU64,
}

impl<'a> CorrectionsByAddress<'a> {
    /// The corrections from the settings; `None` if there are none.
    pub(crate) fn of(config: &'a Config) -> Option<Self> {
        let corrections = config.corrections.as_ref()?;
        let key_of = article_key(config);
        let (mut by_key, mut by_stripped) = (BTreeMap::new(), BTreeMap::new());
        for own in &corrections.all {
            let key = key_of(&with_scheme(&own.url), None);
            let add = |to: &mut BTreeMap<String, Vec<_>>, key| to.entry(key).or_default().push(own);
            add(&mut by_key, key.own);
            add(&mut by_stripped, key.stripped);
        }
        let words_of_passages = config.emit.words_of_passages();
        let (corrected, outdated) = (AtomicU64::new(0), AtomicU64::new(0));
        Some(Self { by_key, by_stripped, key_of, words_of_passages, corrected, outdated })
    }

    /// Corrects the articles of a site, which must have been parsed.
    pub(crate) fn apply(&self, result: &mut SiteResult) {
        let mut is_changed = false;
        for article in &mut result.articles {
            let key = (self.key_of)(&article.url, article.canonical.as_deref());
            let own = [Some(&key.own), key.named.as_ref()].into_iter().flatten();
            let exact = own.into_iter().find_map(|key| self.by_key.get(key));
            if let Some(corrections) = exact.or_else(|| self.by_stripped.get(&key.stripped)) {
                self.correct(article, corrections);
                is_changed = true;
            }
        }
        if is_changed {
            result.lines = json_lines(result.articles.iter().map(|own| &own.article));
        }
    }

    fn correct(&self, extracted: &mut Extracted, corrections: &[&ArticleCorrection]) {
        // The last correction of each field.
        let mut of_fields: BTreeMap<CorrectedField, &ArticleCorrection> = BTreeMap::new();
        for own in corrections {
            of_fields.extend(own.values.fields().map(|field| (field, *own)));
        }
        let before = extracted.article.clone();
        for (field, own) in of_fields {
            let is_outdated = contradicts(field, &before, own);
            self.outdated.fetch_add(is_outdated.into(), Ordering::Relaxed);
            correct_field(&mut extracted.article, field, own, is_outdated, self.words_of_passages);
        }
        self.corrected.fetch_add(1, Ordering::Relaxed);
        extracted.uncorrected = Some(Box::new(before));
    }

    /// The number of corrected articles so far, and of outdated corrections.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.corrected.load(Ordering::Relaxed), self.outdated.load(Ordering::Relaxed))
    }
}

/// Corrects a field of an article, and records the correction in it.
pub(crate) fn correct_field(
    article: &mut Article,
    field: CorrectedField,
    correction: &ArticleCorrection,
    is_outdated: bool,
    words_of_passages: u32,
) {
    let values = &correction.values;
    let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let source = |is_given: bool| {
        is_given.then(|| FieldSource { confidence: Some(1.0), ..Source::Correction.into() })
    };
    match field {
        CorrectedField::Title => {
            article.title = values.title.as_ref().and_then(given);
            article.sources.title = source(article.title.is_some());
        }
        CorrectedField::Authors => {
            article.authors = values.authors.clone().unwrap_or_default();
            article.author_kinds.clear();
            article.sources.authors = source(!article.authors.is_empty());
        }
        CorrectedField::Published => {
            article.published = values.published.as_ref().and_then(given);
            article.sources.published = source(article.published.is_some());
        }
        CorrectedField::Text => {
            correct_text(article, values.text.clone().unwrap_or_default(), words_of_passages);
        }
    }
    article.corrections.push(FieldCorrection {
        field,
        by: given(&correction.by),
        at: correction.at,
        reason: given(&correction.reason),
        outdated: is_outdated.then_some(true),
    });
}
