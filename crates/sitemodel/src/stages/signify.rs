//! Signify.
//!
//! Takes: the sibling pages a template is learnt from, and the feed items that point to them.
//! Gives: per page its terms in document order and its signifiers, heaviest first.
//! Why: signifiers show which part of a page is its own content (Forest §3.1).
//! Drops: nothing; a page without signifiers gives no evidence.

use std::cell::RefCell;
use std::collections::BTreeMap;

use forest::PageTerms;
use model::{FeedItem, SignifierSource, Signifiers};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use terms::{
    Analyzers, Background, FrequentConfig, FrequentTerms, Language, RankedTerms, TfIdfConfig,
    Vocabulary,
};

use crate::parsed::ParsedPage;
use crate::settings::{SignifierChoice, SignifyConfig};
use dom::NodeId;

/// A page with its feed items.
#[derive(Clone, Copy, Debug)]
pub struct SiblingPage<'a> {
    /// The page.
    pub page: &'a ParsedPage<'a>,
    /// Feed items that point to it.
    pub feed_items: &'a [&'a FeedItem],
}

/// A page's terms and signifiers.
#[derive(Debug)]
pub struct SignifiedPage {
    /// All terms of the page.
    pub terms: PageTerms,
    /// Its signifiers by name.
    pub signifiers: Signifiers,
    /// The same by hash, for counting.
    pub weights: Vec<(u64, f64)>,
    /// The language all siblings were analysed in.
    pub language: Option<Language>,
}

thread_local! {
    // Analyzers cache words, so they are kept per thread. Results do not depend on the cache.
    static ANALYZERS: RefCell<Analyzers> = RefCell::new(Analyzers::new());
}

/// What is needed to find signifiers of further pages as in a sample.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct SampleTerms {
    language: Option<Language>,
    frequent: FrequentTerms,
    background: Background,
}

/// Finds the signifiers of sibling pages. All pages are analysed in the language of most of them,
/// so that their terms can be compared. Linear in the pages' text.
pub fn signify(siblings: &[SiblingPage<'_>], config: &SignifyConfig) -> Vec<SignifiedPage> {
    signify_sample(siblings, config).0
}

/// [`signify`] for the sample of a template: also returns what is needed for further pages.
pub(crate) fn signify_sample(
    siblings: &[SiblingPage<'_>],
    config: &SignifyConfig,
) -> (Vec<SignifiedPage>, SampleTerms) {
    let language = language_of_most(siblings);
    let (mut terms, vocabulary) = analyze_all(siblings, language);
    let hashes: Vec<&[u64]> = terms.iter().map(PageTerms::all).collect();
    let has_stop_words = ANALYZERS.with_borrow_mut(|a| a.get(language).has_stop_words());
    let frequent = if has_stop_words {
        FrequentTerms::default()
    } else {
        // For languages without a list of stop words, it is made from the siblings.
        FrequentTerms::of(&hashes, &FrequentConfig { share: 0.8, min_pages: 5 })
    };
    if !frequent.hashes().is_empty() {
        for page in &mut terms {
            page.retain(|term| !frequent.contains(term));
        }
    }
    let hashes: Vec<&[u64]> = terms.iter().map(PageTerms::all).collect();
    let (background, ranked) = Background::ranked(&hashes, &vocabulary, &tf_idf_config(config));
    let signified = (siblings.iter().zip(terms).zip(ranked))
        .map(|((sibling, terms), ranked)| signified(sibling, terms, ranked, language, config))
        .collect();
    (signified, SampleTerms { language, frequent, background })
}

impl SampleTerms {
    /// Validates the terms of a sample of at most `most_pages` pages, after deserialisation.
    pub(crate) fn check(&self, most_pages: usize) -> Result<(), String> {
        if !self.frequent.hashes().is_sorted() {
            return Err("the frequent terms are not in order".to_owned());
        }
        self.background.check(most_pages)
    }

    /// Finds the signifiers of a page as if it were in the sample: they depend on no other page, and for a
    /// page of the sample are those of [`signify_sample`].
    pub(crate) fn signify(
        &self,
        sibling: &SiblingPage<'_>,
        config: &SignifyConfig,
    ) -> SignifiedPage {
        let mut vocabulary = Vocabulary::new();
        let mut terms = analyze(sibling.page, self.language, &mut vocabulary);
        if !self.frequent.hashes().is_empty() {
            terms.retain(|term| !self.frequent.contains(term));
        }
        let ranked = self.background.rank(terms.all(), &vocabulary, &tf_idf_config(config));
        signified(sibling, terms, ranked, self.language, config)
    }
}

fn tf_idf_config(config: &SignifyConfig) -> TfIdfConfig {
    TfIdfConfig { weighting: config.weighting, top: config.top }
}

/// A page with its terms and signifiers; those of its feed items if that source is chosen and there are any.
fn signified(
    sibling: &SiblingPage<'_>,
    terms: PageTerms,
    ranked: RankedTerms,
    language: Option<Language>,
    config: &SignifyConfig,
) -> SignifiedPage {
    let from_feed = match config.source {
        SignifierChoice::Feeds => feed_terms(sibling.feed_items, language, config.top),
        SignifierChoice::TfIdf => None,
    };
    let (source, ranked) = match from_feed {
        Some(ranked) => (SignifierSource::Feed, ranked),
        None => (SignifierSource::TfIdf, ranked),
    };
    let weights = ranked.hashes.iter().copied().zip(ranked.terms.iter().map(|t| t.1));
    SignifiedPage {
        terms,
        weights: weights.collect(),
        language,
        signifiers: Signifiers { source, terms: ranked.terms },
    }
}

/// The language of most of the first few siblings: detection is slow, and siblings are similar.
fn language_of_most(siblings: &[SiblingPage<'_>]) -> Option<Language> {
    const VOTERS: usize = 5;
    let mut votes: BTreeMap<Language, usize> = BTreeMap::new();
    for language in siblings.iter().take(VOTERS).filter_map(|s| language_of(s.page)) {
        *votes.entry(language).or_default() += 1;
    }
    votes.into_iter().max_by_key(|&(language, n)| (n, std::cmp::Reverse(language))).map(|v| v.0)
}

/// The terms of sibling pages, and their texts. Pages that one thread analyses share a vocabulary: most
/// of their words are the same.
fn analyze_all(
    siblings: &[SiblingPage<'_>],
    language: Option<Language>,
) -> (Vec<PageTerms>, Vocabulary) {
    let several = siblings.par_iter().fold(<(Vec<_>, Vocabulary)>::default, |mut all, sibling| {
        all.0.push(analyze(sibling.page, language, &mut all.1));
        all
    });
    let join = |mut all: (Vec<_>, Vocabulary), more: (Vec<_>, Vocabulary)| {
        all.0.extend(more.0);
        all.1.merge(&more.1);
        all
    };
    several.reduce_with(join).unwrap_or_default()
}

fn analyze(
    page: &ParsedPage<'_>,
    language: Option<Language>,
    vocabulary: &mut Vocabulary,
) -> PageTerms {
    ANALYZERS.with_borrow_mut(|analyzers| {
        let document = &page.document;
        let texts = document.ids().map(|id| document.text(id).unwrap_or_default());
        let (terms, starts) = analyzers.get(language).learn(texts, vocabulary);
        PageTerms::new(terms, starts)
    })
}

/// The terms of a text in a language, in order.
pub(crate) fn terms_of(text: &str, language: Option<Language>) -> Vec<u64> {
    let mut terms = Vec::new();
    ANALYZERS.with_borrow_mut(|analyzers| {
        analyzers.get(language).analyze(text, &mut |term| terms.push(term.hash));
    });
    terms
}

/// The terms of title and description, each once and of equal weight, in order (§3.1). Feed descriptions are
/// sometimes whole articles: at most twice `top` terms are taken, from the beginning. `None` if no item has
/// any text.
fn feed_terms(items: &[&FeedItem], language: Option<Language>, top: usize) -> Option<RankedTerms> {
    let mut ranked = RankedTerms::default();
    ANALYZERS.with_borrow_mut(|analyzers| {
        for text in items.iter().flat_map(|item| [&item.title, &item.description]) {
            analyzers.get(language).analyze(text, &mut |term| {
                if ranked.hashes.len() < 2 * top && !ranked.hashes.contains(&term.hash) {
                    ranked.hashes.push(term.hash);
                    ranked.terms.push((term.text.to_owned(), 1.0));
                }
            });
        }
    });
    (!ranked.hashes.is_empty()).then_some(ranked)
}

/// Detects the language of a page's text: text nodes outside links, the longest first, since these are most
/// likely the article in any layout.
pub fn language_of(parsed: &ParsedPage<'_>) -> Option<Language> {
    const ENOUGH: usize = 4096;
    let ParsedPage { document, words, link_words, .. } = parsed;
    let mut texts: Vec<(u32, NodeId)> = document
        .ids()
        .filter(|&id| document.text(id).is_some())
        .map(|id| (words.sum(document, id) - link_words.sum(document, id), id))
        .filter(|t| t.0 > 0)
        .collect();
    let longest_first = |&(words, id): &(u32, NodeId)| (std::cmp::Reverse(words), id);
    // A few are usually enough.
    const FEW: usize = 32;
    if texts.len() > FEW {
        texts.select_nth_unstable_by_key(FEW, longest_first);
        let few: usize =
            texts[..FEW].iter().map(|t| document.text(t.1).map_or(0, |text| text.len() + 1)).sum();
        if few >= ENOUGH {
            texts.truncate(FEW);
        }
    }
    texts.sort_unstable_by_key(longest_first);
    let mut sample = String::new();
    for (_, id) in texts {
        sample.push_str(document.text(id).unwrap_or_default());
        sample.push('\n');
        if sample.len() >= ENOUGH {
            break;
        }
    }
    terms::detect(&sample).map(|found| found.language)
}
