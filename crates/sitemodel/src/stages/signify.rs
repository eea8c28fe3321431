//! Signify.
//!
//! Takes: the sibling pages a template is learnt from, and the feed items that point to them.
//! Gives: for each page its terms in document order and its signifiers, heaviest first.
//! Why: signifiers show which part of a page is its own content (Forest §3.1).
//! Drops: nothing; a page without signifiers gives no evidence.

use std::cell::RefCell;
use std::collections::BTreeMap;

use forest::PageTerms;
use model::{FeedItem, SignifierSource, Signifiers};
use rayon::prelude::*;
use terms::{
    Analyzers, FrequentConfig, FrequentTerms, Language, RankedTerms, TfIdfConfig, Vocabulary,
    rank_terms,
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
    /// The signifiers by hash, for counting.
    pub weights: Vec<(u64, f64)>,
}

thread_local! {
    // Analyzers cache words, so they are kept per thread. Results do not depend on the cache.
    static ANALYZERS: RefCell<Analyzers> = RefCell::new(Analyzers::new());
}

/// Finds the signifiers of sibling pages. All pages are analysed in the language that most of them have, so that their
/// terms can be compared. Linear in the pages' text.
pub fn signify(siblings: &[SiblingPage<'_>], config: &SignifyConfig) -> Vec<SignifiedPage> {
    let language = language_of_most(siblings);
    let (mut terms, vocabulary) = analyze_all(siblings, language);
    let hashes: Vec<&[u64]> = terms.iter().map(PageTerms::all).collect();
    let has_stop_words = ANALYZERS.with_borrow_mut(|a| a.get(language).has_stop_words());
    let frequent = if has_stop_words {
        FrequentTerms::default()
    } else {
        // A language without a list of stop words gets one that is made from the siblings.
        FrequentTerms::of(&hashes, &FrequentConfig { share: 0.8, min_pages: 5 })
    };
    if !frequent.hashes().is_empty() {
        for page in &mut terms {
            page.retain(|term| !frequent.contains(term));
        }
    }
    let hashes: Vec<&[u64]> = terms.iter().map(PageTerms::all).collect();
    let tf_idf = TfIdfConfig { weighting: config.weighting, top: config.top };
    let ranked = rank_terms(&hashes, &vocabulary, &tf_idf);
    (siblings.iter().zip(terms).zip(ranked))
        .map(|((sibling, terms), ranked)| signified(sibling, terms, ranked, language, config))
        .collect()
}

/// Finds the terms and signifiers of a page. Signifiers come from its feed items, if that source is chosen and there are any.
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
        signifiers: Signifiers { source, terms: ranked.terms },
    }
}

/// Returns the language of most of the first few siblings: detection is slow, and siblings are similar.
fn language_of_most(siblings: &[SiblingPage<'_>]) -> Option<Language> {
    const VOTERS: usize = 5;
    let mut votes: BTreeMap<Language, usize> = BTreeMap::new();
    for language in siblings.iter().take(VOTERS).filter_map(|s| language_of(s.page)) {
        *votes.entry(language).or_default() += 1;
    }
    votes.into_iter().max_by_key(|&(language, n)| (n, std::cmp::Reverse(language))).map(|v| v.0)
}

/// Returns the terms of sibling pages, and their texts. Pages that one thread analyses share a vocabulary, because most
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
        all.1.merge(more.1);
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
        let analyzer = analyzers.get(language);
        let (mut terms, mut starts) = (Vec::new(), vec![0]);
        for id in page.document.ids() {
            analyzer.analyze(page.document.text(id).unwrap_or_default(), &mut |term| {
                vocabulary.learn(term);
                terms.push(term.hash);
            });
            starts.push(terms.len() as u32);
        }
        PageTerms::new(terms, starts)
    })
}

/// Returns the terms of title and description, each once and with equal weight, in order (§3.1). Feed descriptions are
/// sometimes whole articles, so at most twice `top` terms are taken, from the beginning. `None` if no item has any text.
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

/// Detects the language of a page's text, from text nodes outside of links, the longest first: in any layout, these are
/// most likely the article.
fn language_of(parsed: &ParsedPage<'_>) -> Option<Language> {
    const ENOUGH: usize = 4096;
    let ParsedPage { document, words, link_words, .. } = parsed;
    let mut texts: Vec<(u32, NodeId)> = document
        .ids()
        .filter(|&id| document.text(id).is_some())
        .map(|id| (words.sum(document, id) - link_words.sum(document, id), id))
        .filter(|t| t.0 > 0)
        .collect();
    texts.sort_unstable_by_key(|&(words, id)| (std::cmp::Reverse(words), id));
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
