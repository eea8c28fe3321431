//! The pages of the gold as a run sees them: by site and template, cut into blocks, labelled.

use std::collections::BTreeMap;

use grove::PageBlocks;
use model::{FeedItem, Site};
use rayon::prelude::*;

use super::labels::{Labels, label};
use crate::{
    commands::evaluate::GoldPage,
    config::Config,
    parsed::{ParsedPage, parse_page},
    site::{feed_items_of, joined, sample_of},
    stages::{
        cluster::{Joined, cluster},
        judge::{Common, common, read_pages},
        signify::{Sibling, SignifiedPage, signify},
    },
};

/// A page to learn from or to test on.
pub(super) struct Prepared<'a> {
    pub(super) parsed: &'a ParsedPage<'a>,
    pub(super) blocks: PageBlocks,
    /// Its gold, where it has any.
    pub(super) gold: Option<(&'a GoldPage, Labels)>,
}

/// Sibling pages of one template, at most as many as a run learns from.
pub(super) struct Siblings<'a> {
    pub(super) site: &'a str,
    pub(super) pages: Vec<Prepared<'a>>,
    pub(super) common: Common,
}

impl Siblings<'_> {
    /// Number of pages that have gold.
    pub(super) fn with_gold(&self) -> usize {
        self.pages.iter().filter(|page| page.gold.is_some()).count()
    }
}

/// Parses all pages of all sites.
pub(super) fn parse<'a>(sites: &'a [Site], config: &Config) -> Vec<Vec<ParsedPage<'a>>> {
    let of_site =
        |site: &'a Site| site.pages.par_iter().map(|page| parse_page(page, config)).collect();
    sites.par_iter().map(of_site).collect()
}

/// Clusters every site, and prepares the templates that have a page of the gold. Templates of more
/// pages than a run learns from are taken in parts of that size.
pub(super) fn templates<'a>(
    sites: &'a [Site],
    parsed: &'a [Vec<ParsedPage<'a>>],
    gold: &'a [GoldPage],
    config: &Config,
) -> Vec<Siblings<'a>> {
    let mut by_url: BTreeMap<&str, &GoldPage> = BTreeMap::new();
    for page in gold {
        by_url.entry(&page.url).or_insert(page);
    }
    let of_site = |(site, parsed): (&'a Site, &'a Vec<ParsedPage<'a>>)| -> Vec<Siblings<'a>> {
        let joined = joined(site, parsed, config);
        let mut prepared = Vec::new();
        for template in cluster(&joined, parsed, &config.cluster).templates {
            let members = sample_of(&template, parsed, template.members.len());
            for part in members.chunks(config.rank.learn_from) {
                prepared.extend(siblings(&joined, part, parsed, &by_url, config, &site.key));
            }
        }
        prepared
    };
    sites.par_iter().zip(parsed).flat_map_iter(of_site).collect()
}

fn siblings<'a>(
    joined: &Joined<'_>,
    members: &[u32],
    parsed: &'a [ParsedPage<'a>],
    gold: &BTreeMap<&str, &'a GoldPage>,
    config: &Config,
    site: &'a str,
) -> Option<Siblings<'a>> {
    let gold_of = |m: u32| gold.get(parsed[m as usize].page.url.as_str()).copied();
    if !members.iter().any(|&m| gold_of(m).is_some()) {
        return None;
    }
    let items: Vec<Vec<&FeedItem>> = members.iter().map(|&m| feed_items_of(joined, m)).collect();
    let siblings: Vec<Sibling<'_>> = members
        .iter()
        .zip(&items)
        .map(|(&m, items)| Sibling { index: m, page: &parsed[m as usize], feed_items: items })
        .collect();
    let signified = signify(&siblings, &config.signify);
    let blocks = read_pages(&siblings, &signified);
    let pages: Vec<&ParsedPage<'_>> = members.iter().map(|&m| &parsed[m as usize]).collect();
    let common = common(&pages, &signified.iter().collect::<Vec<&SignifiedPage>>());
    let prepared = members
        .iter()
        .zip(blocks)
        .map(|(&m, blocks)| {
            let parsed = &parsed[m as usize];
            let gold = gold_of(m).map(|gold| (gold, label(&parsed.document, &blocks, gold)));
            Prepared { parsed, blocks, gold }
        })
        .collect();
    Some(Siblings { site, pages: prepared, common })
}
