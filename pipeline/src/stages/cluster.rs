//! Stage 3, cluster.
//!
//! Takes: the parsed pages of a site and which feed items point to them.
//! Gives: templates, each with its pages and what they are for (article, list, other).
//! Why: Forest ranks patterns over pages of one layout; over mixed layouts it is lost (F1 30).
//! Drops: nothing itself; the run drops pages of list and other templates by their kind.

use std::sync::OnceLock;

use dom::local_name;
use model::{FeedItem, Template, TemplateKind};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use url::Url;

use crate::config::ClusterConfig;
use crate::layouts::{Layout, Likeness, group_by_layout};
use crate::page_kind::{Evidence, Impression, impression, kinds};
use crate::parsed::{ParsedPage, layout_of, recurring_tokens};
use crate::urls::Tracking;

/// A site's feed items joined to its pages.
#[derive(Debug)]
pub struct Joined<'a> {
    /// Key of the site.
    pub key: &'a str,
    /// The feed items that lead to the site.
    pub feed_items: &'a [FeedItem],
    /// Per page the indices of the items that point to it.
    pub pages: Vec<Vec<u32>>,
}

/// Separates the layouts of a site. `pages` are the site's pages in the site's order.
pub fn cluster(
    site: &Joined<'_>,
    pages: &[ParsedPage<'_>],
    config: &ClusterConfig,
) -> Vec<Template> {
    let recurring = recurring_tokens(pages);
    let addresses = Addresses::of(pages.iter().map(|page| page.page.url.as_str()));
    let looks = look(site, pages, &recurring, &addresses, config);
    let templates = layouts(pages, &looks, config)
        .into_iter()
        .flat_map(|members| split_by_kind(members, &looks.impressions));
    templates
        .enumerate()
        .map(|(i, (kind, members))| template(i, site.key, kind, members, &looks))
        .collect()
}

/// A template by its number.
pub(crate) fn template(
    at: usize,
    site: &str,
    kind: TemplateKind,
    members: Vec<u32>,
    looks: &Looks,
) -> Template {
    Template {
        id: format!("t{}", at + 1),
        site: site.to_owned(),
        kind,
        signature: signature(&members, &looks.paths),
        members,
    }
}

/// How pages look.
#[derive(Debug)]
pub(crate) struct Looks {
    /// Hashes of each page's tag paths.
    pub(crate) paths: Vec<Vec<u64>>,
    /// Per page the feeds that list it.
    pub(crate) feeds: Vec<Vec<u32>>,
    /// What each page is taken for by itself.
    pub(crate) impressions: Vec<Impression>,
}

/// Looks at pages of a site, all of whose addresses are known.
pub(crate) fn look(
    site: &Joined<'_>,
    pages: &[ParsedPage<'_>],
    recurring: &FxHashSet<u64>,
    addresses: &Addresses,
    config: &ClusterConfig,
) -> Looks {
    let feeds = feeds_of_pages(site);
    let paths: Vec<Vec<u64>> = pages.par_iter().map(|page| layout_of(page, recurring)).collect();
    let mut impressions: Vec<Impression> = pages
        .par_iter()
        .zip(&feeds)
        .map(|(page, feeds)| {
            let listed_by_feed = !feeds.is_empty();
            let pages_below = addresses.below(&page.page.url);
            let min_words = config.min_words;
            impression(page, &Evidence { listed_by_feed, pages_below, min_words })
        })
        .collect();
    prove(&mut impressions, pages, addresses);
    Looks { paths, feeds, impressions }
}

/// How alike pages of one layout are, by the settings.
pub(crate) fn likeness(config: &ClusterConfig) -> Likeness {
    Likeness { threshold: config.similarity, feed_bonus: config.feed_bonus, sample: config.sample }
}

/// The pages of each layout.
pub(crate) fn layouts(
    pages: &[ParsedPage<'_>],
    looks: &Looks,
    config: &ClusterConfig,
) -> Vec<Vec<u32>> {
    let layouts: Vec<Layout<'_>> = pages
        .iter()
        .zip(looks.paths.iter().zip(&looks.feeds))
        .map(|(p, (paths, feeds))| Layout { paths, url: &p.page.url, feeds })
        .collect();
    group_by_layout(&layouts, &likeness(config))
}

/// The addresses of all pages of a site.
#[derive(Debug)]
pub(crate) struct Addresses {
    /// Without scheme, query and fragment, with a slash behind, sorted.
    paths: Vec<String>,
    urls: Vec<String>,
    /// In the form in which addresses of one page are equal; made when first asked for.
    keys: OnceLock<FxHashSet<String>>,
}

impl Addresses {
    pub(crate) fn of<'a>(urls: impl Iterator<Item = &'a str>) -> Self {
        let urls: Vec<String> = urls.map(str::to_owned).collect();
        let mut paths: Vec<String> = urls.iter().map(|url| Self::path(url)).collect();
        paths.sort_unstable();
        Self { paths, urls, keys: OnceLock::new() }
    }

    fn path(url: &str) -> String {
        let url = url.split(['?', '#']).next().unwrap_or_default();
        let (_, rest) = url.split_once("://").unwrap_or(("", url));
        format!("{}/", rest.trim_end_matches('/'))
    }

    /// The number of pages whose addresses lie below one, without query.
    fn below(&self, url: &str) -> u32 {
        let path = Self::path(url);
        let from = self.paths.partition_point(|p| *p <= path);
        self.paths[from..].iter().take_while(|p| p.starts_with(path.as_str())).count() as u32
    }

    /// Whether there is a page of an address, given in the form in which addresses of one page are equal.
    pub(crate) fn has(&self, key: &str) -> bool {
        let tracking = Tracking::new(&[]);
        let keys = || self.urls.iter().filter_map(|url| tracking.key(url)).collect();
        self.keys.get_or_init(keys).contains(key)
    }
}

/// A list leads to at least so many other pages of the crawl.
const LEADS_TO: usize = 3;

/// Finds out which of the pages that look like lists lead to other pages of the crawl.
fn prove(impressions: &mut [Impression], pages: &[ParsedPage<'_>], addresses: &Addresses) {
    let tracking = Tracking::new(&[]);
    for (impression, page) in impressions.iter_mut().zip(pages) {
        if impression.needs_proof() {
            *impression = impression.with_proof(leads_on(page, addresses, &tracking));
        }
    }
}

fn leads_on(page: &ParsedPage<'_>, addresses: &Addresses, tracking: &Tracking) -> bool {
    let Ok(base) = Url::parse(&page.page.url) else { return false };
    let own = tracking.key(&page.page.url);
    let document = &page.document;
    let links = document.ids().filter(|&id| document.is(id, &local_name!("a")));
    let mut found: FxHashSet<String> = FxHashSet::default();
    for href in links.filter_map(|id| document.attribute(id, &local_name!("href"))) {
        let to = base.join(href).ok().and_then(|url| tracking.key(url.as_str()));
        found.extend(to.filter(|to| Some(to) != own.as_ref() && addresses.has(to)));
        if found.len() >= LEADS_TO {
            return true;
        }
    }
    false
}

/// Sets the pages of a layout apart by kind, the most numerous first.
pub(crate) fn split_by_kind(
    members: Vec<u32>,
    impressions: &[Impression],
) -> impl Iterator<Item = (TemplateKind, Vec<u32>)> {
    let of_members: Vec<Impression> = members.iter().map(|&m| impressions[m as usize]).collect();
    let kinds = kinds(&of_members);
    let of =
        |kind| members.iter().zip(&kinds).filter(|(_, k)| **k == kind).map(|(&m, _)| m).collect();
    let mut parts: Vec<(TemplateKind, Vec<u32>)> =
        [TemplateKind::Article, TemplateKind::List, TemplateKind::Other]
            .into_iter()
            .map(|kind| (kind, of(kind)))
            .filter(|(_, members): &(_, Vec<u32>)| !members.is_empty())
            .collect();
    parts.sort_by_key(|(_, members)| (std::cmp::Reverse(members.len()), members[0]));
    parts.into_iter()
}

/// Per page the feeds that list it, as sorted numbers.
fn feeds_of_pages(site: &Joined<'_>) -> Vec<Vec<u32>> {
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let numbered: Vec<u32> = site
        .feed_items
        .iter()
        .map(|item| {
            let next = numbers.len() as u32;
            *numbers.entry(item.feed.as_str()).or_insert(next)
        })
        .collect();
    site.pages
        .iter()
        .map(|items| {
            let mut feeds: Vec<u32> = items.iter().map(|&i| numbered[i as usize]).collect();
            feeds.sort_unstable();
            feeds.dedup();
            feeds
        })
        .collect()
}

/// A hash of the tag paths that more than half of the members have.
fn signature(members: &[u32], paths: &[Vec<u64>]) -> u64 {
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    for &member in members {
        for &path in &paths[member as usize] {
            *counts.entry(path).or_default() += 1;
        }
    }
    let shared = counts.iter().filter(|(_, count)| **count as usize * 2 > members.len());
    // A sum does not depend on the map's order.
    shared.fold(0, |sum, (path, _)| sum.wrapping_add(path.wrapping_mul(*path | 1)))
}
