//! The groups of sibling pages in a sweep: pages of the archives, in the layouts given by the gold.

use std::collections::BTreeMap;

use model::{FeedItem, Page, Site};
use score::aggregate::template_groups;
use site::learn::ParsedSite;
use sitemodel::{ParsedPage, Settings};

use crate::gold::{GoldPage, pages_by_url};

/// Sibling pages of one layout, and the expected results.
pub(super) struct SiblingGroup<'g> {
    /// The pages, and the feed items of their sites, as a separate site.
    site: Site,
    gold: Vec<&'g GoldPage>,
}

/// The pages of a group, parsed, in the order in which a run samples them.
pub(super) struct ParsedGroup<'a> {
    /// Each page with the feed items that link to it.
    pub(super) pages: Vec<(&'a ParsedPage<'a>, Vec<&'a FeedItem>)>,
    pub(super) gold: Vec<&'a GoldPage>,
}

/// Groups the gold's pages by data set and layout, as far as they were read; layouts of fewer than
/// `fewest` pages are omitted. Ordered by name.
pub(super) fn groups<'g>(
    gold: &'g [GoldPage],
    sites: Vec<Site>,
    fewest: usize,
) -> Vec<SiblingGroup<'g>> {
    let by_url = pages_by_url(gold);
    let mut found: Vec<(&GoldPage, Page)> = Vec::new();
    let mut feeds: BTreeMap<String, Vec<FeedItem>> = BTreeMap::new();
    for site in sites {
        let of_gold = |page: Page| Some((*by_url.get(page.url.as_str())?, page));
        found.extend(site.pages.into_iter().filter_map(of_gold));
        feeds.insert(site.key, site.feed_items);
    }
    let keys: Vec<_> =
        found.iter().map(|(gold, _)| (gold.dataset.as_str(), gold.template.as_deref())).collect();
    let mut groups: BTreeMap<(&str, &str), SiblingGroup<'_>> = BTreeMap::new();
    for ((gold, page), key) in found.into_iter().zip(template_groups(&keys, fewest)) {
        let Some(key) = key else { continue };
        let group = groups.entry(key).or_insert_with(|| {
            let site = Site { key: key.1.to_owned(), pages: Vec::new(), feed_items: Vec::new() };
            SiblingGroup { site, gold: Vec::new() }
        });
        // A layout may be shared by several sites.
        if group.site.pages.iter().all(|other| other.site != page.site) {
            group.site.feed_items.extend_from_slice(&feeds[&page.site]);
        }
        group.site.pages.push(page);
        group.gold.push(gold);
    }
    groups.into_values().collect()
}

impl SiblingGroup<'_> {
    pub(super) fn len(&self) -> usize {
        self.gold.len()
    }

    /// Parses the pages and joins them with the feed items.
    pub(super) fn parse(&self, settings: &Settings) -> ParsedSite<'_> {
        ParsedSite::of(&self.site, settings)
    }

    /// Number of pages that a feed item links to.
    pub(super) fn listed_by_feeds(&self, settings: &Settings) -> usize {
        let parsed = self.parse(settings);
        parsed.items().iter().filter(|items| !items.is_empty()).count()
    }

    /// The parsed pages in the order in which a run samples them.
    pub(super) fn siblings<'a>(&'a self, parsed: &'a ParsedSite<'a>) -> ParsedGroup<'a> {
        let order = parsed.in_sample_order(0..parsed.pages.len() as u32);
        let mut items = parsed.items();
        let mut page =
            |&m: &u32| (&parsed.pages[m as usize], std::mem::take(&mut items[m as usize]));
        ParsedGroup {
            pages: order.iter().map(&mut page).collect(),
            gold: order.iter().map(|&m| self.gold[m as usize]).collect(),
        }
    }
}
