//! Stage 4, signify.
//!
//! Takes: the sibling pages a template is learnt from, and the feed items that point to them.
//! Gives: per page its terms in document order and its signifiers, heaviest first.
//! Why: signifiers are the clues that tell where on a page its own content is (Forest §3.1).
//! Drops: nothing; a page without any signifier simply gives no evidence.

use std::cell::RefCell;
use std::collections::BTreeMap;

use forest::PageTerms;
use model::{FeedItem, SignifierSource, Signifiers};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use terms::{
    Analyzers, FrequentConfig, FrequentTerms, Language, RankedTerms, TfIdfConfig, Vocabulary,
    tf_idf,
};

use crate::config::{SignifierChoice, SignifyConfig, Weighting};
use crate::parsed::{ParsedPage, language_of};

/// A sibling page as this stage takes it.
#[derive(Clone, Copy, Debug)]
pub struct Sibling<'a> {
    /// Index of the page in its site.
    pub index: u32,
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
}

thread_local! {
    // Analyzers remember the words they have seen; keeping them per thread keeps them warm. What
    // they give does not depend on what they remember.
    static ANALYZERS: RefCell<Analyzers> = RefCell::new(Analyzers::new());
}

/// Finds the signifiers of sibling pages. All pages are analysed in the language of most of them,
/// so that their terms can be compared. Linear in the pages' text.
pub fn signify(siblings: &[Sibling<'_>], config: &SignifyConfig) -> Vec<SignifiedPage> {
    let language = language_of_most(siblings);
    let (mut terms, vocabularies): (Vec<PageTerms>, Vec<Vocabulary>) =
        siblings.par_iter().map(|sibling| analyze(sibling.page, language)).unzip();
    let mut vocabulary = Vocabulary::new();
    for own in &vocabularies {
        vocabulary.merge(own);
    }
    let hashes: Vec<&[u64]> = terms.iter().map(PageTerms::all).collect();
    let has_stop_words = ANALYZERS.with_borrow_mut(|a| a.get(language).has_stop_words());
    if !has_stop_words {
        // Languages without a list of stop words get one from the siblings themselves.
        let frequent = FrequentTerms::of(&hashes, &FrequentConfig { share: 0.8, min_pages: 5 });
        for page in &mut terms {
            page.retain(|term| !frequent.contains(term));
        }
    }
    let hashes: Vec<&[u64]> = terms.iter().map(PageTerms::all).collect();
    let weighting = match config.weighting {
        Weighting::Log => terms::Weighting::Log,
        Weighting::Sublinear => terms::Weighting::Sublinear,
    };
    let ranked = tf_idf(&hashes, &vocabulary, &TfIdfConfig { weighting, top: config.top });
    let from_feeds = match config.source {
        SignifierChoice::Feeds => feed_terms(siblings, language, config.top),
        SignifierChoice::TfIdf => siblings.iter().map(|_| None).collect(),
    };
    siblings
        .iter()
        .zip(terms)
        .zip(ranked.into_iter().zip(from_feeds))
        .map(|((sibling, terms), (ranked, from_feed))| {
            let (source, ranked) = match from_feed {
                Some(ranked) => (SignifierSource::Feed, ranked),
                None => (SignifierSource::TfIdf, ranked),
            };
            let weights = ranked.hashes.iter().copied().zip(ranked.terms.iter().map(|t| t.1));
            SignifiedPage {
                terms,
                weights: weights.collect(),
                signifiers: Signifiers { page: sibling.index, source, terms: ranked.terms },
            }
        })
        .collect()
}

/// The language of most of the first few siblings: they are alike, and detection is dear.
fn language_of_most(siblings: &[Sibling<'_>]) -> Option<Language> {
    const VOTERS: usize = 5;
    let mut votes: BTreeMap<Language, usize> = BTreeMap::new();
    for language in siblings.iter().take(VOTERS).filter_map(|s| language_of(s.page)) {
        *votes.entry(language).or_default() += 1;
    }
    votes.into_iter().max_by_key(|&(language, n)| (n, std::cmp::Reverse(language))).map(|v| v.0)
}

fn analyze(page: &ParsedPage<'_>, language: Option<Language>) -> (PageTerms, Vocabulary) {
    ANALYZERS.with_borrow_mut(|analyzers| {
        let analyzer = analyzers.get(language);
        let mut vocabulary = Vocabulary::new();
        let terms = PageTerms::new(&page.document, |text, out| {
            analyzer.analyze(text, &mut |term| {
                vocabulary.learn(term);
                out.push(term.hash);
            });
        });
        (terms, vocabulary)
    })
}

/// Per page the terms of title and description of its feed items, each once and of equal weight,
/// in order (§3.1). Feed descriptions are sometimes whole articles: at most twice `top` terms are
/// taken, from the beginning. Terms that more than half of the siblings' items have (the site's
/// name in each title) say nothing about one page and are left out, which the paper does not.
/// `None` for pages whose items say nothing.
fn feed_terms(
    siblings: &[Sibling<'_>],
    language: Option<Language>,
    top: usize,
) -> Vec<Option<RankedTerms>> {
    let of_items: Vec<Vec<(u64, String)>> = ANALYZERS.with_borrow_mut(|analyzers| {
        let analyzer = analyzers.get(language);
        let terms_of = |sibling: &Sibling<'_>| {
            let mut terms: Vec<(u64, String)> = Vec::new();
            for text in sibling.feed_items.iter().flat_map(|i| [&i.title, &i.description]) {
                analyzer.analyze(text, &mut |term| {
                    if terms.iter().all(|t| t.0 != term.hash) {
                        terms.push((term.hash, term.text.to_owned()));
                    }
                });
            }
            terms
        };
        siblings.iter().map(terms_of).collect()
    });
    let mut pages_with: FxHashMap<u64, usize> = FxHashMap::default();
    for (hash, _) in of_items.iter().flatten() {
        *pages_with.entry(*hash).or_default() += 1;
    }
    let common = |hash: &u64| siblings.len() > 2 && pages_with[hash] * 2 > siblings.len();
    of_items
        .into_iter()
        .map(|terms| {
            let own = terms.into_iter().filter(|(hash, _)| !common(hash)).take(2 * top);
            let (hashes, terms): (Vec<u64>, Vec<(String, f64)>) =
                own.map(|(hash, text)| (hash, (text, 1.0))).unzip();
            (!hashes.is_empty()).then_some(RankedTerms { terms, hashes })
        })
        .collect()
}
