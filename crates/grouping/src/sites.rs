//! Pages and feed items by site, all in memory.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use model::{Drop, DropReason, FeedItem, Page, Site};
use xxhash_rust::xxh3::xxh3_64;

use crate::address::Address;
use crate::captures::{drop_of, duplicate, settle};
use crate::redirects::{Redirects, redirect};
use crate::site_key::site_key;
use crate::tracking::Tracking;

/// Pages and feed items, put in order.
#[derive(Debug, Default)]
pub struct Sites {
    /// Sites, sorted by (hash of the key, key): the order of all outputs.
    pub sites: Vec<Site>,
    /// What was left out, in no order: duplicates of an address and pages without a site.
    pub drops: Vec<Drop>,
    /// Feed items whose site has no page here.
    pub unmatched_items: u64,
}

/// Puts pages and feed items together by site: of each address the best capture, and the feed items
/// whose links lead to the site once redirects are followed. A redirect is the address that was asked
/// for and the one it led to. The result does not depend on the order of what is given.
pub fn group_by_site(
    pages: Vec<Page>,
    mut items: Vec<FeedItem>,
    redirects: Vec<(String, String)>,
    tracking: &Tracking,
) -> Sites {
    let mut grouped = Sites::default();
    let mut sites: BTreeMap<String, Site> = BTreeMap::new();
    for mut page in pages {
        match site_key(&page.url) {
            Some(key) => {
                page.site.clone_from(&key);
                let new = || Site { key: key.clone(), pages: Vec::new(), feed_items: Vec::new() };
                sites.entry(key.clone()).or_insert_with(new).pages.push(page);
            }
            None => grouped.drops.push(drop_of("", &page, DropReason::BadUrl, String::new())),
        }
    }
    items.sort();
    items.dedup();
    let redirects =
        Redirects::of(redirects.into_iter().filter_map(|(from, to)| redirect(&from, to, tracking)));
    let doubtful: BTreeSet<Address> =
        items.iter().flat_map(|item| redirects.doubtful(&item.link, tracking)).collect();
    let of_pages = sites.values().flat_map(|site| &site.pages);
    let pages: BTreeSet<Address> = match doubtful.is_empty() {
        true => BTreeSet::new(),
        false => of_pages.filter_map(|page| tracking.address(&page.url)).collect(),
    };
    for mut item in items {
        item.link = redirects.follow(item.link, tracking, &|address| pages.contains(address));
        match site_key(&item.link).and_then(|key| sites.get_mut(&key)) {
            Some(site) => site.feed_items.push(item),
            None => grouped.unmatched_items += 1,
        }
    }
    grouped.sites = sites.into_values().collect();
    grouped.sites.sort_by_cached_key(|s| (xxh3_64(s.key.as_bytes()), s.key.clone()));
    for site in &mut grouped.sites {
        // Redirects may have changed the order.
        site.feed_items.sort();
        let copies = settle(std::mem::take(&mut site.pages));
        site.pages = copies.best;
        let kept: BTreeMap<&str, Option<Timestamp>> =
            site.pages.iter().map(|page| (&*page.url, page.fetched)).collect();
        let others = copies.others.iter();
        grouped.drops.extend(others.map(|copy| {
            let kept = kept.get(&*copy.url).copied().flatten();
            duplicate(&site.key, copy, kept)
        }));
    }
    grouped
}
