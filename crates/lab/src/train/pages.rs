//! The pages of the gold as in a run: by site and template, split into blocks, labelled.

use std::collections::BTreeMap;

use grove::{PageBlocks, PatternId};
use model::{FeedItem, Site};
use rayon::prelude::*;
use sitegrove::stages::learn::ParsedSite;
use sitemodel::{
    ParsedPage, Settings, Sibling,
    stages::{
        cluster::cluster,
        judge::{Common, common, read_pages},
        signify::{SignifiedPage, signify},
    },
};

use super::labels::{Labels, label};
use crate::gold::GoldPage;

/// A page to learn from or to test on.
pub(super) struct Prepared<'a> {
    pub(super) parsed: &'a ParsedPage<'a>,
    pub(super) blocks: PageBlocks,
    /// Its gold, if it has any.
    pub(super) gold: Option<(&'a GoldPage, Labels)>,
}

/// Sibling pages of one template, at most as many as a run learns from.
pub(super) struct Siblings<'a> {
    pub(super) site: &'a str,
    pub(super) pages: Vec<Prepared<'a>>,
    pub(super) common: Common,
    /// For each page, the patterns of its nodes.
    pub(super) of_nodes: Vec<Vec<PatternId>>,
}

impl Siblings<'_> {
    /// Number of pages that have gold.
    pub(super) fn with_gold(&self) -> usize {
        self.pages.iter().filter(|page| page.gold.is_some()).count()
    }
}

/// Parses all pages of all sites.
pub(super) fn parse<'a>(sites: &'a [Site], settings: &Settings) -> Vec<ParsedSite<'a>> {
    sites.par_iter().map(|site| ParsedSite::of(site, settings)).collect()
}

/// Clusters every site, and prepares the templates with a page of the gold. Templates with more
/// pages than a run learns from are divided into parts of that size.
pub(super) fn templates<'a>(
    sites: &'a [Site],
    parsed: &'a [ParsedSite<'a>],
    gold: &'a [GoldPage],
    settings: &Settings,
) -> Vec<Siblings<'a>> {
    let mut by_url: BTreeMap<&str, &GoldPage> = BTreeMap::new();
    for page in gold {
        by_url.entry(&page.url).or_insert(page);
    }
    let of_site = |(site, parsed): (&'a Site, &'a ParsedSite<'a>)| -> Vec<Siblings<'a>> {
        let order = parsed.in_sample_order(0..parsed.pages.len() as u32);
        let items = parsed.items();
        let pages: Vec<Sibling<'_>> = (order.iter())
            .map(|&m| Sibling { page: &parsed.pages[m as usize], feed_items: &items[m as usize] })
            .collect();
        let (_, clusters) = cluster(&pages, parsed.addresses(), 0, settings);
        let mut prepared = Vec::new();
        for cluster in clusters {
            let members: Vec<usize> =
                cluster.members.iter().map(|&at| order[at as usize] as usize).collect();
            for part in members.chunks(settings.tables().rank.learn_from) {
                prepared.extend(siblings(parsed, &items, part, &by_url, settings, &site.key));
            }
        }
        prepared
    };
    sites.par_iter().zip(parsed).flat_map_iter(of_site).collect()
}

fn siblings<'a>(
    site: &'a ParsedSite<'a>,
    items: &[Vec<&FeedItem>],
    members: &[usize],
    gold: &BTreeMap<&str, &'a GoldPage>,
    settings: &Settings,
    key: &'a str,
) -> Option<Siblings<'a>> {
    let gold_of = |page: &ParsedPage<'_>| gold.get(page.page.url.as_str()).copied();
    let pages: Vec<&'a ParsedPage<'a>> = members.iter().map(|&m| &site.pages[m]).collect();
    if !pages.iter().any(|page| gold_of(page).is_some()) {
        return None;
    }
    let siblings: Vec<Sibling<'_>> = (pages.iter().zip(members))
        .map(|(page, &m)| Sibling { page, feed_items: &items[m] })
        .collect();
    let signified = signify(&siblings, &settings.tables().signify);
    let blocks = read_pages(&siblings, &signified);
    let (common, of_nodes) = common(&pages, &signified.iter().collect::<Vec<&SignifiedPage>>());
    let prepared = pages.into_iter().zip(blocks).map(|(parsed, blocks)| {
        let gold = gold_of(parsed).map(|gold| (gold, label(&parsed.document, &blocks, gold)));
        Prepared { parsed, blocks, gold }
    });
    Some(Siblings { site: key, pages: prepared.collect(), common, of_nodes })
}
