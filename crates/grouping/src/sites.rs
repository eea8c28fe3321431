//! Groups pages and feed items by site, all in memory.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use model::{Drop, DropReason, FeedItem, Page, Site};
use xxhash_rust::xxh3::xxh3_64;

use crate::address::Address;
use crate::captures::{drop_of, duplicate, settle};
use crate::redirects::{Redirects, redirect};
use crate::site_key::site_key;
use crate::tracking::Tracking;

/// Pages and feed items, grouped by site.
#[derive(Debug, Default)]
pub struct Sites {
    /// Sites, sorted by (hash of the key, key): the order of all outputs.
    pub sites: Vec<Site>,
    /// Drops, in no order: duplicates of an address and pages without a site.
    pub drops: Vec<Drop>,
    /// Feed items whose site has no page.
    pub unmatched_items: u64,
}

/// Groups pages and feed items by site: the best capture of each address, and the feed items whose links lead
/// to the site after redirects. A redirect is a pair of requested address and target. The result does not
/// depend on the order of the arguments.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::{feed_item, page};

    fn tracking() -> Tracking {
        Tracking::new(&["utm_*".into()])
    }

    #[test]
    fn pages_and_items_come_together_by_site() {
        let mut old = page("https://www.e.org/a", "old");
        old.origin.record_id = "1".to_owned();
        let mut new = page("https://www.e.org/a", "new");
        new.fetched = Some(Timestamp::UNIX_EPOCH);
        let pages = vec![old, page("https://f.org/", "f"), new, page("mailto:x", "no host")];
        let items = vec![
            feed_item("https://go.example/1?utm_source=x", "by a redirect"),
            feed_item("https://f.org/b", "F"),
            feed_item("https://f.org/b", "F"),
            feed_item("https://gone.example/", "G"),
        ];
        let redirects = vec![("https://go.example/1".to_owned(), "https://e.org/a".to_owned())];
        let Sites { sites, drops, unmatched_items } =
            group_by_site(pages, items, redirects, &tracking());
        let mut shown: Vec<_> = (sites.iter())
            .map(|site| {
                let htmls: Vec<&str> = site.pages.iter().map(|page| &*page.html).collect();
                let links: Vec<&str> = site.feed_items.iter().map(|item| &*item.link).collect();
                (&*site.key, htmls, links)
            })
            .collect();
        shown.sort_unstable();
        let expected = [
            ("e.org", vec!["new"], vec!["https://e.org/a"]),
            ("f.org", vec!["f"], vec!["https://f.org/b"]),
        ];
        assert_eq!(shown, expected);
        assert!(sites.is_sorted_by_key(|site| xxh3_64(site.key.as_bytes())));
        assert!(sites.iter().all(|site| site.pages.iter().all(|page| page.site == site.key)));
        let reasons: Vec<DropReason> = drops.iter().map(|drop| drop.reason).collect();
        assert_eq!(reasons, [DropReason::BadUrl, DropReason::DuplicateUrl]);
        assert_eq!((drops[1].origin.record_id.as_str(), unmatched_items), ("1", 1));
    }

    proptest! {
        #[test]
        fn order_does_not_matter(
            pages in prop::collection::vec(("[ab]\\.org", "[ab]?", "[xy]"), 0..8),
            items in prop::collection::vec(("[abc]\\.org", "[ab]?"), 0..6),
            redirects in prop::collection::vec(("[abc]\\.org/[ab]?", "[abc]\\.org/[ab]?"), 0..4),
        ) {
            let group = |turn: bool| {
                let turned = |mut order: Vec<usize>| {
                    if turn {
                        order.reverse();
                    }
                    order
                };
                let page_at = |at: usize| {
                    let (host, path, html) = &pages[at];
                    page(&format!("https://{host}/{path}"), html)
                };
                let item_at = |at: usize| {
                    let (host, path) = &items[at];
                    feed_item(&format!("https://{host}/{path}"), "")
                };
                let redirect_at = |at: usize| {
                    let (from, to) = &redirects[at];
                    (format!("https://{from}"), format!("https://{to}"))
                };
                let of = |len: usize| turned((0..len).collect()).into_iter();
                let mut grouped = group_by_site(
                    of(pages.len()).map(page_at).collect(),
                    of(items.len()).map(item_at).collect(),
                    of(redirects.len()).map(redirect_at).collect(),
                    &tracking(),
                );
                grouped.drops.sort();
                format!("{grouped:?}")
            };
            prop_assert_eq!(group(false), group(true));
        }
    }
}
