//! Stage 2, group.
//!
//! Takes: everything read: pages, feed items, redirects.
//! Gives: sites in emission order, each with its pages sorted and the feed items that point to them.
//! Why: the site is the unit of memory, parallelism and output from here on.
//! Drops: older copies of a URL (`duplicate-url`) and pages without a host (`bad-url`).

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::{Drop, DropReason, FeedItem, Origin, Page, Site, Stage};
use xxhash_rust::xxh3::xxh3_64;

use super::read::Intake;
use crate::config::GroupConfig;
use crate::urls::{Tracking, site_of};

/// What the read stage gave, put in order.
#[derive(Debug, Default)]
pub struct Grouped {
    /// Sites, sorted by (hash of the key, key): the order of all outputs.
    pub sites: Vec<Site>,
    /// What was dropped while reading and grouping, sorted.
    pub drops: Vec<Drop>,
    /// Feed items whose site has no page here.
    pub strangers: u64,
}

/// Puts pages and feed items together by site. The result does not depend on the order of
/// `intakes`.
pub fn group(intakes: Vec<Intake>, config: &GroupConfig) -> Grouped {
    let tracking = Tracking::new(&config.tracking_parameters);
    let mut grouped = Grouped::default();
    let mut sites: BTreeMap<String, Site> = BTreeMap::new();
    let mut redirects: BTreeMap<String, String> = BTreeMap::new();
    let mut items: Vec<FeedItem> = Vec::new();
    for intake in name_saved_files(intakes) {
        match intake {
            Intake::Page(mut page) => match site_of(&page.url) {
                Some(key) => {
                    page.site.clone_from(&key);
                    let new =
                        || Site { key: key.clone(), pages: Vec::new(), feed_items: Vec::new() };
                    sites.entry(key.clone()).or_insert_with(new).pages.push(page);
                }
                None => grouped.drops.push(drop_of("", &page, DropReason::BadUrl, String::new())),
            },
            Intake::Feed(feed_items) => items.extend(feed_items),
            Intake::Redirect { from, to } => {
                if let (Some(from), Some(key)) = (tracking.key(&from), tracking.key(&to))
                    && from != key
                {
                    // Of several targets the first by name, whatever order they were read in.
                    let kept = redirects.entry(from).or_insert_with(|| to.clone());
                    if to < *kept {
                        *kept = to;
                    }
                }
            }
            Intake::Revisit(revisit) => grouped.drops.push(revisit.without_original()),
            Intake::Drop(drop) => grouped.drops.push(drop),
        }
    }
    items.sort();
    items.dedup();
    for mut item in items {
        item.link = follow(item.link, &redirects, &tracking);
        match site_of(&item.link).and_then(|key| sites.get_mut(&key)) {
            Some(site) => site.feed_items.push(item),
            None => grouped.strangers += 1,
        }
    }
    grouped.sites = sites.into_values().collect();
    grouped.sites.sort_by_cached_key(|s| (xxh3_64(s.key.as_bytes()), s.key.clone()));
    for site in &mut grouped.sites {
        // Redirects may have changed the order.
        site.feed_items.sort();
        let pages = std::mem::take(&mut site.pages);
        site.pages = settle(&site.key, pages, &mut grouped.drops);
    }
    grouped.drops.sort();
    grouped
}

/// The canonical address that a saved file names, where it is one of the web.
pub(crate) fn own_address(page: &Page) -> Option<String> {
    if !page.url.starts_with("file:") {
        return None;
    }
    let document = dom::parse(&page.html);
    let canonical = url::Url::parse(document.head().link("canonical")?).ok()?;
    matches!(canonical.scheme(), "http" | "https").then(|| canonical.into())
}

/// Saved files take the canonical address they name, unless another file names the same.
fn name_saved_files(mut intakes: Vec<Intake>) -> Vec<Intake> {
    let mut named: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, intake) in intakes.iter().enumerate() {
        if let Intake::Page(page) = intake
            && let Some(canonical) = own_address(page)
        {
            named.entry(canonical).or_default().push(i);
        }
    }
    for (canonical, files) in named {
        if let [file] = files[..]
            && let Intake::Page(page) = &mut intakes[file]
        {
            page.url = canonical;
        }
    }
    intakes
}

/// A page left out here.
pub(crate) fn drop_of(site: &str, page: &impl Visit, reason: DropReason, detail: String) -> Drop {
    let (site, url) = (site.to_owned(), page.url().to_owned());
    Drop { site, url, origin: page.origin().clone(), stage: Stage::Group, reason, detail }
}

/// Redirects that are followed one after the other.
pub(crate) const MOST_HOPS: usize = 10;

/// Where a link leads in the end, by the redirects seen in the input.
pub(crate) fn follow(
    link: String,
    redirects: &BTreeMap<String, String>,
    tracking: &Tracking,
) -> String {
    let mut link = link;
    for _ in 0..MOST_HOPS {
        match tracking.key(&link).and_then(|key| redirects.get(&key)) {
            Some(next) => link.clone_from(next),
            None => break,
        }
    }
    link
}

/// A page as grouping sees it, whether its HTML is at hand or not.
pub(crate) trait Visit {
    /// Its address.
    fn url(&self) -> &str;
    /// When it was fetched.
    fn fetched(&self) -> Option<Timestamp>;
    /// Where it lies.
    fn origin(&self) -> &Origin;
}

impl Visit for Page {
    fn url(&self) -> &str {
        &self.url
    }

    fn fetched(&self) -> Option<Timestamp> {
        self.fetched
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }
}

/// Sorts the pages of a site and keeps the latest copy of each URL.
pub(crate) fn settle<V: Visit>(site: &str, mut pages: Vec<V>, drops: &mut Vec<Drop>) -> Vec<V> {
    // Latest first within a URL; the later record wins a tie.
    pages.sort_by(|a, b| {
        (a.url().cmp(b.url()))
            .then_with(|| b.fetched().cmp(&a.fetched()))
            .then_with(|| b.origin().cmp(a.origin()))
    });
    let mut kept: Vec<V> = Vec::with_capacity(pages.len());
    for page in pages {
        match kept.last() {
            Some(last) if last.url() == page.url() => {
                let when = last.fetched();
                let when = when.map_or_else(|| "at a time unknown".to_owned(), |t| t.to_string());
                let detail = format!("the copy fetched {when} is kept");
                drops.push(drop_of(site, &page, DropReason::DuplicateUrl, detail));
            }
            _ => kept.push(page),
        }
    }
    kept
}

/// Joins the feed items of a site to its pages by normalised URL: the page's own, or the canonical
/// one it names. Takes the pages' addresses and, for each, its canonical one; gives for each page
/// the indices of the items that point to it.
pub fn join(
    addresses: &[&str],
    items: &[FeedItem],
    canonical: &[Option<String>],
    config: &GroupConfig,
) -> Vec<Vec<u32>> {
    let mut joined = vec![Vec::new(); addresses.len()];
    if items.is_empty() {
        return joined;
    }
    let tracking = Tracking::new(&config.tracking_parameters);
    let mut by_key: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (i, address) in addresses.iter().enumerate() {
        if let Some(key) = tracking.key(address) {
            by_key.entry(key).or_default().push(i as u32);
        }
    }
    for (i, canonical) in canonical.iter().enumerate() {
        // A canonical address only helps where no page has that address itself; pages that all
        // name the home page say nothing.
        if let Some(key) = canonical.as_deref().and_then(|c| tracking.key(c)) {
            let pages = by_key.entry(key).or_default();
            if pages.is_empty() {
                pages.push(i as u32);
            }
        }
    }
    for (i, item) in items.iter().enumerate() {
        for &page in tracking.key(&item.link).and_then(|key| by_key.get(&key)).into_iter().flatten()
        {
            joined[page as usize].push(i as u32);
        }
    }
    joined
}
