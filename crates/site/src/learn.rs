//! Learn: surveys a site and learns its model (`sitemodel`: cluster, signify, rank, wrap).
//!
//! Takes: the pages of a site, in memory or on disk, and the feed items that lead to it.
//! Gives: which page belongs to which article and feed item, the sample, and the [`SiteModel`] learnt from it.
//! Why: comparing sibling pages shows which part of each is the article.
//! Drops: nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use grouping::{
    AddressDigest, PageHead, PagesByLink, Part, PartHead, Parts, Sample, SampleHead, SiteAddresses,
    address_hash, choose, join_feed_items, join_parts, parts_of,
};
use model::{FeedItem, Page, Site, contain_panics};
use rayon::prelude::*;
use segment::declared::head_of;
use sitemodel::{
    EarlierReading, LearningResult, Meter, ModelStep, ParsedPage, Settings, SiblingPage,
    SiteEvidence, SiteModel, learn_parsed, parse_page,
};

/// A site as it is known before learning.
#[derive(Debug)]
pub struct Surveyed {
    pub(crate) key: String,
    items: Vec<FeedItem>,
    /// For each page, the indices of the feed items that point to it.
    joined: Vec<Vec<u32>>,
    /// Which pages form articles.
    parts: Parts,
    /// For pages that are part of another page's article, the address of that page.
    pub(crate) whole: BTreeMap<usize, String>,
    pub(crate) addresses: AddressDigest,
}

/// Parsed pages with their indices in the site; the page itself if the parser failed.
pub type ParsedPages<'a> = Vec<(usize, Result<ParsedPage<'a>, &'a Page>)>;

/// Parses pages in parallel.
pub fn parse<'a>(
    pages: &'a [(usize, Page)],
    settings: &Settings,
    meter: &dyn Meter,
) -> ParsedPages<'a> {
    let parse = |(at, page): &'a (usize, Page)| {
        let parsed = contain_panics(|| parse_page(page, settings));
        (*at, parsed.map_err(|_| page))
    };
    meter.step(ModelStep::Parse, || pages.par_iter().map(parse).collect())
}

impl Surveyed {
    /// Surveys a site with these pages, in order. `heads` is required if [`segment::declared::needs_heads`] returns true.
    pub fn of<'a>(
        key: &str,
        urls: impl Iterator<Item = &'a str> + Clone,
        items: Vec<FeedItem>,
        heads: Option<&[PageHead]>,
        settings: &Settings,
    ) -> Self {
        let addresses = AddressDigest::of(urls.clone(), settings.tracking());
        let pages = urls.clone().count();
        let key = key.to_owned();
        let Some(heads) = heads else {
            let joined = vec![Vec::new(); pages];
            let parts = join_parts(&vec![PartHead::default(); pages], &|_| None);
            return Self { key, items, joined, parts, whole: BTreeMap::new(), addresses };
        };
        let all = Arc::new(SiteAddresses::of(urls, settings.tracking().clone()));
        let links = PagesByLink::of(all, heads);
        let joined = join_feed_items(&items, &links, pages);
        let parts = parts_of(heads, &links);
        let whole = |(at, part): (usize, &Part)| match part {
            Part::Of(whole) => Some((at, heads[*whole].url.clone())),
            Part::Whole => None,
        };
        let whole = parts.pages.iter().enumerate().filter_map(whole).collect();
        Self { key, items, joined, parts, whole, addresses }
    }

    /// Adds the addresses of pages of earlier nights to those of tonight.
    pub(crate) fn widen<'a>(
        &mut self,
        tonight: impl Iterator<Item = &'a str> + Clone,
        others: impl Iterator<Item = &'a str> + Clone,
        settings: &Settings,
    ) {
        if others.clone().next().is_some() {
            self.addresses = AddressDigest::of(tonight.chain(others), settings.tracking());
        }
    }

    /// The feed items that point to a page.
    pub fn items_of(&self, page: usize) -> Vec<&FeedItem> {
        self.joined[page].iter().map(|&item| &self.items[item as usize]).collect()
    }

    /// The role of a page in its article.
    pub fn part(&self, page: usize) -> Part {
        self.parts.pages[page]
    }

    /// The pages that follow the first page of an article, in order.
    pub(crate) fn following(&self, first: usize) -> &[usize] {
        self.parts.following.get(&first).map_or(&[], Vec::as_slice)
    }

    /// Returns the units in which pages are processed: a single page, or all pages of an article.
    pub(crate) fn units(&self) -> Vec<Vec<usize>> {
        let follows = |page: &usize| match self.part(*page) {
            Part::Of(first) => self.following(first).contains(page),
            Part::Whole => false,
        };
        let unit = |first: usize| {
            std::iter::once(first).chain(self.following(first).iter().copied()).collect()
        };
        (0..self.joined.len()).filter(|page| !follows(page)).map(unit).collect()
    }

    /// Learns a model from a sample of the site, or extends `previous`. `earlier` has what earlier captures of the pages show.
    pub fn learn(
        &self,
        sample: &[SiblingPage<'_>],
        cut: bool,
        previous: Option<&SiteModel>,
        earlier: &[EarlierReading],
        settings: &Settings,
        meter: &dyn Meter,
    ) -> LearningResult {
        let evidence = SiteEvidence { site: &self.key, addresses: &self.addresses, cut, earlier };
        let learn =
            |sample: &[SiblingPage<'_>]| learn_parsed(&evidence, sample, previous, settings, meter);
        // After a panic, every page is extracted by itself.
        contain_panics(|| learn(sample)).unwrap_or_else(|panic| {
            tracing::warn!(at = %self.key, "learning failed: {panic}; please report it");
            learn(&[])
        })
    }
}

/// Chooses the sample from pages, given by address and weight. Pages with corrections come first.
pub fn sample<'a>(pages: impl Iterator<Item = (&'a str, u64)>, settings: &Settings) -> Sample {
    let has_marks = |url: &str| settings.corrections.as_ref().is_some_and(|all| all.has(url));
    let head = |(url, weight)| match SampleHead::of(url, weight) {
        head if has_marks(url) => SampleHead { hash: 0, ..head },
        head => head,
    };
    let heads: Vec<SampleHead<'_>> = pages.map(head).collect();
    choose(&heads, settings.tables().sample)
}

/// A site in memory, parsed and surveyed, for commands that examine pages.
#[derive(Debug)]
pub struct ParsedSite<'a> {
    /// The survey of the site.
    pub surveyed: Surveyed,
    /// Its pages, in the order of the site.
    pub pages: Vec<ParsedPage<'a>>,
}

impl<'a> ParsedSite<'a> {
    /// Parses and surveys a site.
    pub fn of(site: &'a Site, settings: &Settings) -> Self {
        let parse = |page| parse_page(page, settings);
        let pages: Vec<ParsedPage<'a>> = site.pages.par_iter().map(parse).collect();
        let heads: Vec<PageHead> = pages.iter().map(|page| head_of(page, settings)).collect();
        let urls = site.pages.iter().map(|page| &*page.url);
        let items = site.feed_items.clone();
        let surveyed = Surveyed::of(&site.key, urls, items, Some(&heads), settings);
        Self { surveyed, pages }
    }

    /// The digest of its addresses.
    pub fn addresses(&self) -> &AddressDigest {
        &self.surveyed.addresses
    }

    /// For each page, the feed items that point to it.
    pub fn items(&self) -> Vec<Vec<&FeedItem>> {
        (0..self.pages.len()).map(|page| self.surveyed.items_of(page)).collect()
    }

    /// Indices of pages in the order in which they are sampled.
    pub fn in_sample_order(&self, pages: impl Iterator<Item = u32>) -> Vec<u32> {
        let url = |page: u32| self.pages[page as usize].page.url.clone();
        let mut pages: Vec<u32> = pages.collect();
        pages.sort_by_cached_key(|&page| (address_hash(&url(page)), url(page)));
        pages
    }
}
