//! Stage 2, group.
//!
//! Takes: everything read: pages, feed items, redirects.
//! Gives: sites in emission order, each with its pages sorted and the feed items that point to them.
//! Why: the site is the unit of memory, parallelism and output from here on.
//! Drops: other copies of a URL (`duplicate-url`) and pages without a host (`bad-url`).

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use model::{Drop, DropReason, FeedItem, Origin, Page, Site, Stage};
use xxhash_rust::xxh3::xxh3_64;

use super::read::Intake;
use crate::addresses::{Address, PagesByLink};
use crate::config::GroupConfig;
use crate::redirects::{Redirects, redirect};
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
    let mut redirects: Vec<(Address, String)> = Vec::new();
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
            Intake::Redirect { from, to } => redirects.extend(redirect(&from, to, &tracking)),
            Intake::Revisit(revisit) => grouped.drops.push(revisit.without_original()),
            Intake::Drop(drop) => grouped.drops.push(drop),
        }
    }
    items.sort();
    items.dedup();
    let redirects = Redirects::of(redirects.into_iter());
    let doubtful: BTreeSet<Address> =
        items.iter().flat_map(|item| redirects.doubtful(&item.link, &tracking)).collect();
    let of_pages = sites.values().flat_map(|site| &site.pages);
    let pages: BTreeSet<Address> = match doubtful.is_empty() {
        true => BTreeSet::new(),
        false => of_pages.filter_map(|page| tracking.address(&page.url)).collect(),
    };
    for mut item in items {
        item.link = redirects.follow(item.link, &tracking, &|address| pages.contains(address));
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

/// The copies of the pages of a site.
#[derive(Debug)]
pub(crate) struct Copies<V> {
    /// The best of each address, in the order of addresses.
    pub(crate) best: Vec<V>,
    /// All others, in the same order, those of one address the better first.
    pub(crate) others: Vec<V>,
}

/// Sorts the copies of the pages of a site. Of one address complete copies come first, then later ones.
pub(crate) fn settle<V: Visit>(mut pages: Vec<V>) -> Copies<V> {
    pages.sort_by(|a, b| {
        let truncated = |page: &V| page.origin().truncated.is_some();
        (a.url().cmp(b.url()))
            .then_with(|| truncated(a).cmp(&truncated(b)))
            .then_with(|| b.fetched().cmp(&a.fetched()))
            .then_with(|| b.origin().cmp(a.origin()))
    });
    let mut copies: Copies<V> = Copies { best: Vec::new(), others: Vec::new() };
    for page in pages {
        match copies.best.last() {
            Some(last) if last.url() == page.url() => copies.others.push(page),
            _ => copies.best.push(page),
        }
    }
    copies
}

/// A time as drops tell it.
pub(crate) fn when(fetched: Option<Timestamp>) -> String {
    fetched.map_or_else(|| "at a time unknown".to_owned(), |time| time.to_string())
}

/// Why a copy is left out: the one that was fetched then is kept.
pub(crate) fn duplicate(site: &str, copy: &impl Visit, kept: Option<Timestamp>) -> Drop {
    drop_of(site, copy, DropReason::DuplicateUrl, kept_instead(copy.origin(), kept))
}

/// The same in words.
pub(crate) fn kept_instead(copy: &Origin, kept: Option<Timestamp>) -> String {
    let when = when(kept);
    match &copy.truncated {
        Some(why) => format!("truncated ({why}); the copy fetched {when} is kept"),
        None => format!("the copy fetched {when} is kept"),
    }
}

/// Joins the feed items of a site to its pages, of which there are so many: gives for each page the
/// indices of the items that point to it.
pub fn join(items: &[FeedItem], links: &PagesByLink, pages: usize) -> Vec<Vec<u32>> {
    let mut joined = vec![Vec::new(); pages];
    for (i, item) in items.iter().enumerate() {
        for &page in links.pages(&item.link) {
            joined[page as usize].push(i as u32);
        }
    }
    for (page, of_page) in (0..).zip(&mut joined).filter(|(_, of_page)| of_page.len() > 1) {
        keep_own(page, of_page, items, links);
    }
    joined
}

/// Items with other titles whose links differ in the value of a tracking parameter are of other
/// pages, which the crawl lacks; only exact links are left then.
fn keep_own(page: u32, of_page: &mut Vec<u32>, items: &[FeedItem], links: &PagesByLink) {
    let item = |i: &u32| &items[*i as usize];
    let is_own = |i: &u32| links.is_exact(&item(i).link, page);
    let others = of_page.iter().filter(|i| !is_own(i)).map(item);
    let titles: BTreeSet<&str> = others.clone().map(|other| other.title.as_str()).collect();
    if titles.len() < 2 {
        return;
    }
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for address in others.filter_map(|other| links.site().address(&other.link)) {
        for (name, value) in address.parameters() {
            values.entry(name.to_owned()).or_default().insert(value.to_owned());
        }
    }
    if values.values().any(|values| values.len() > 1) {
        of_page.retain(is_own);
    }
}
