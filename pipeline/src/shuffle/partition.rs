//! Groups everything that is read by site, within bounded memory.
//!
//! Gives the same sites as [`crate::stages::group`], which keeps everything in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use grouping::matching::{Candidate, Original, Settled, halves, whole};
use grouping::{
    Address, Capture, Copies, MOST_HOPS, Redirects, Revisit, Tracking, Visited, drop_of, redirect,
    settle, site_key,
};
use jiff::Timestamp;
use model::{Drop, DropReason, FeedItem, Origin};
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use crate::revisits::{Originals, Revisits, nowhere};
use crate::shuffle::places::{PagePlace, Places, copy_of, stored};
use crate::shuffle::sorted::{self, Item, Merged, Sorter, write_all};
use crate::shuffle::spool::{PARTS, SAVED, Spool};
use crate::shuffle::stored::{Head, Html, Stored};
use crate::stages::group::own_address;
use crate::stages::read::{Intake, Source};

impl Capture for Stored {
    fn url(&self) -> &str {
        &self.head.url
    }

    fn fetched(&self) -> Option<Timestamp> {
        self.head.fetched
    }

    fn origin(&self) -> &Origin {
        &self.head.origin
    }

    fn digest(&self) -> u128 {
        whole(self.head.content)
    }
}

/// A feed item with the hash and key of the site it leads to; sorts in the order of sites.
pub(crate) type ItemOfSite = (u64, String, FeedItem);
/// A drop with the digest of its payload.
pub(crate) type DropOfPayload = (Drop, Option<(u64, u64)>);

/// Receives what is read, from many threads.
#[derive(Debug)]
pub(crate) struct Partitioner<'a> {
    spool: &'a Spool,
    folder: &'a Path,
    tracking: Tracking,
    sites: Mutex<FxHashSet<u64>>,
    pages: AtomicU64,
    saved: AtomicBool,
    revisits: Mutex<Revisits>,
    feeds: Mutex<Sorter<(u64, u64)>>,
    items: Mutex<Sorter<FeedItem>>,
    redirects: Mutex<Sorter<(Address, String)>>,
    drops: Mutex<Sorter<DropOfPayload>>,
    failure: Mutex<Option<io::Error>>,
}

/// Everything that was read, in order.
#[derive(Debug)]
pub(crate) struct Partitioned {
    /// What was dropped while reading.
    pub(crate) drops: Sorter<DropOfPayload>,
    /// Feed items of the sites.
    pub(crate) items: Sorter<ItemOfSite>,
    /// Hashes of the keys of all sites, in the order of outputs.
    pub(crate) sites: Vec<u64>,
    pub(crate) totals: Totals,
}

/// Totals of what was read.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, serde::Serialize)]
pub(crate) struct Totals {
    /// Sites with pages.
    pub(crate) sites: usize,
    /// Pages, including older captures.
    pub(crate) pages: u64,
    /// Feed items of these sites.
    pub(crate) items: u64,
    /// Feed items whose site has no page.
    pub(crate) unmatched_items: u64,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

const DROPS: &str = "drops";
const ITEMS: &str = "items";
const SITES: &str = "sites";
const REVISITS: &str = "revisits";

impl<'a> Partitioner<'a> {
    /// Pages go to `spool`; other things go to files in `folder`, which must exist, when they are many.
    pub(crate) fn new(spool: &'a Spool, folder: &'a Path, tracking: Tracking) -> Self {
        Self {
            spool,
            folder,
            tracking,
            sites: Mutex::default(),
            pages: AtomicU64::new(0),
            saved: AtomicBool::new(false),
            revisits: Mutex::new(Revisits::new(&folder.join(REVISITS))),
            feeds: Mutex::new(Sorter::new(folder.join("feeds"))),
            items: Mutex::new(Sorter::new(folder.join("items-read"))),
            redirects: Mutex::new(Sorter::new(folder.join("redirects"))),
            drops: Mutex::new(Sorter::new(folder.join("drops-read"))),
            failure: Mutex::default(),
        }
    }

    /// Takes one thing from the input with this number. Returns whether it could be stored;
    /// [`Partitioner::finish`] reports the error.
    pub(crate) fn take(&self, input: usize, intake: Intake, source: Source) -> bool {
        match self.try_take(input, intake, source) {
            Ok(()) => true,
            Err(error) => {
                locked(&self.failure).get_or_insert(error);
                false
            }
        }
    }

    fn try_take(&self, input: usize, intake: Intake, source: Source) -> io::Result<()> {
        let digest = source.digest;
        match intake {
            Intake::Page(page) if page.url.starts_with("file:") => {
                let canonical = own_address(&page);
                self.saved(stored(input, page, &source, canonical))
            }
            Intake::Page(page) => self.page(stored(input, page, &source, None)),
            Intake::Feed(of_feed) => {
                if let Some(digest) = digest {
                    self.feed(halves(digest))?;
                }
                of_feed.into_iter().try_for_each(|item| self.item(item))
            }
            Intake::Redirect { from, to } => match redirect(&from, to, &self.tracking) {
                Some(redirect) => self.redirect(redirect),
                None => Ok(()),
            },
            Intake::Revisit(revisit) => self.revisit(revisit),
            Intake::Drop(drop) => self.dropped((drop, digest.map(halves))),
        }
    }

    /// A saved file, whose address depends on the others.
    pub(crate) fn saved(&self, page: Stored) -> io::Result<()> {
        self.saved.store(true, Ordering::Relaxed);
        self.spool.put(SAVED, page)
    }

    /// A feed with this payload digest.
    pub(crate) fn feed(&self, digest: (u64, u64)) -> io::Result<()> {
        locked(&self.feeds).push(digest, 0)
    }

    /// A feed item.
    pub(crate) fn item(&self, item: FeedItem) -> io::Result<()> {
        let content = item.content.as_ref().map_or(0, String::len);
        let bytes = item.link.len() + item.title.len() + item.description.len() + content;
        locked(&self.items).push(item, bytes)
    }

    /// A redirect.
    pub(crate) fn redirect(&self, redirect: (Address, String)) -> io::Result<()> {
        let bytes = redirect.0.key.len() + redirect.1.len();
        locked(&self.redirects).push(redirect, bytes)
    }

    /// A revisit.
    pub(crate) fn revisit(&self, revisit: Revisit) -> io::Result<()> {
        locked(&self.revisits).push(revisit)
    }

    /// Something that was dropped while reading.
    pub(crate) fn dropped(&self, drop: DropOfPayload) -> io::Result<()> {
        let (of, _) = &drop;
        let bytes = of.url.len() + of.detail.len() + of.origin.record_id.len();
        locked(&self.drops).push(drop, bytes)
    }

    /// Counts a page of a site, by hash, that is not processed here.
    pub(crate) fn note_page(&self, site: u64) {
        locked(&self.sites).insert(site);
        self.pages.fetch_add(1, Ordering::Relaxed);
    }

    /// A page whose address is known.
    pub(crate) fn page(&self, page: Stored) -> io::Result<()> {
        let Some(site) = site_key(&page.head.url) else {
            return self.dropped((drop_of("", &page, DropReason::BadUrl, String::new()), None));
        };
        let hash = xxh3_64(site.as_bytes());
        self.note_page(hash);
        self.spool.put(Spool::part_of(hash), page)
    }

    /// Finishes: resolves the addresses of saved files, revisits, and the sites of feed items. If pages are
    /// on disk, everything else is written there too, for [`Partitioned::reopen`].
    pub(crate) fn finish(self) -> io::Result<Partitioned> {
        if let Some(error) = locked(&self.failure).take() {
            return Err(error);
        }
        if self.saved.load(Ordering::Relaxed) {
            self.name_saved_files()?;
        }
        self.settle_revisits()?;
        let drops = self.take_sorter(&self.drops);
        let (items, led, unmatched_items) = self.lead_items()?;
        let mut sites: Vec<u64> = locked(&self.sites).drain().collect();
        sites.sort_unstable();
        let pages = self.pages.load(Ordering::Relaxed);
        let totals = Totals { sites: sites.len(), pages, items: led, unmatched_items };
        if !self.spool.is_on_disk() {
            return Ok(Partitioned { drops, items, sites, totals });
        }
        self.spool.flush()?;
        write_all(&self.folder.join(DROPS), drops.finish()?)?;
        write_all(&self.folder.join(ITEMS), items.finish()?)?;
        write_all(&self.folder.join(SITES), sites.into_iter().map(Ok))?;
        Partitioned::reopen(self.folder, totals)
    }

    fn name_saved_files(&self) -> io::Result<()> {
        let saved = self.spool.take(SAVED)?;
        let mut named: BTreeMap<String, u32> = BTreeMap::new();
        for address in saved.iter().filter_map(|page| page.head.canonical.as_ref()) {
            *named.entry(address.clone()).or_default() += 1;
        }
        for mut page in saved {
            // An address that several files declare is ignored.
            if let Some(address) = page.head.canonical.take()
                && named.get(&address) == Some(&1)
            {
                page.head.url = address;
                page.head.declared = None;
            }
            self.page(page)?;
        }
        Ok(())
    }

    /// Finds the originals of revisits: pages, or drops.
    fn settle_revisits(&self) -> io::Result<()> {
        let path = self.folder.join(REVISITS);
        let none = Revisits::new(&path);
        let revisits = std::mem::replace(&mut *locked(&self.revisits), none);
        let Some(mut originals) = Originals::of(revisits, &path)? else { return Ok(()) };
        locked(&self.items).park()?;
        locked(&self.redirects).park()?;
        let mut offered = Ok(());
        let mut places = Places::default();
        self.spool.each(&mut |page| {
            let place = places.next(page);
            if offered.is_ok() {
                let Head { origin, url, fetched, digest, .. } = &page.head;
                let (url, digest) = (Some(url.as_str()), digest.map(whole));
                let of = Candidate { origin, url, is_page: true, fetched: *fetched, digest };
                offered = originals.offer(&of, || Original::Page(place));
            }
        })?;
        offered?;
        let origin = &nowhere();
        for digest in self.take_sorter(&self.feeds).finish()? {
            let digest = Some(whole(digest?));
            let of = Candidate { origin, url: None, is_page: false, fetched: None, digest };
            originals.offer(&of, || Original::Feed)?;
        }
        let mut offered = Ok(());
        locked(&self.drops).each(&mut |(drop, digest)| {
            if offered.is_ok() {
                let (origin, url) = (&drop.origin, Some(drop.url.as_str()));
                let digest = digest.map(whole);
                let of = Candidate { origin, url, is_page: false, fetched: None, digest };
                offered = originals.offer(&of, || Original::Drop(drop.reason, drop.detail.clone()));
            }
        })?;
        offered?;
        let mut copies: Sorter<(PagePlace, Visited)> = Sorter::new(self.folder.join("revisited"));
        originals.settle(&mut |settled| match settled {
            Settled::Page(visited, place) => {
                let bytes = visited.url.len() + visited.origin.record_id.len();
                copies.push((place, visited), bytes)
            }
            Settled::Drop(drop) => self.dropped((drop, None)),
        })?;
        self.copy(copies)
    }

    /// Copies pages for the revisits that found them unchanged.
    fn copy(&self, copies: Sorter<(PagePlace, Visited)>) -> io::Result<()> {
        let mut bytes = 0;
        copies.each(&mut |((_, _, length), _)| bytes += length)?;
        if !self.spool.has_room_for(bytes) {
            // The HTML is shared in memory, not copied.
            self.spool.spill()?;
        }
        let mut copies = copies.finish()?;
        let mut places = Places::default();
        let (mut held, mut copied) = (Vec::new(), Ok(()));
        self.spool.each(&mut |page| {
            let place = places.next(page);
            while copied.is_ok() && copies.peek().is_some_and(|(of, _)| *of == place) {
                copied = copies.next().transpose().and_then(|copy| match (copy, &page.html) {
                    (None, _) => Ok(()),
                    // Its part is locked.
                    (Some((_, visited)), Html::Held(_) | Html::Surveyed(_)) => {
                        held.push(copy_of(page, visited));
                        Ok(())
                    }
                    (Some((_, visited)), _) => self.page(copy_of(page, visited)),
                });
            }
        })?;
        copied?;
        held.into_iter().try_for_each(|copy| self.page(copy))
    }

    /// Takes a sorter out, leaving an empty one.
    fn take_sorter<T: Item>(&self, of: &Mutex<Sorter<T>>) -> Sorter<T> {
        std::mem::replace(&mut locked(of), Sorter::new(self.folder.join("spent")))
    }

    /// Follows redirects from feed items to sites with pages; counts those that lead elsewhere.
    fn lead_items(&self) -> io::Result<(Sorter<ItemOfSite>, u64, u64)> {
        let hops = self.hops()?;
        let pages = self.pages_on_the_way(&hops)?;
        let items = self.take_sorter(&self.items);
        let sites = locked(&self.sites);
        let mut led = Sorter::new(self.folder.join("items-led"));
        let (mut found, mut unmatched_items) = (0, 0);
        let mut last: Option<FeedItem> = None;
        for item in items.finish()? {
            let mut item = item?;
            if last.as_ref() == Some(&item) {
                continue;
            }
            last = Some(item.clone());
            item.link = hops.follow(item.link, &self.tracking, &|address| pages.contains(address));
            match site_key(&item.link).map(|key| (xxh3_64(key.as_bytes()), key)) {
                Some((hash, key)) if sites.contains(&hash) => {
                    let bytes = item.link.len() + item.description.len() + 200;
                    found += 1;
                    led.push((hash, key, item), bytes)?;
                }
                _ => unmatched_items += 1,
            }
        }
        Ok((led, found, unmatched_items))
    }

    /// The redirects that links of feed items follow: few of all those read.
    fn hops(&self) -> io::Result<Redirects> {
        let key = |link: &str| self.tracking.address(link).map(|address| address.key);
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        locked(&self.items).each(&mut |item| wanted.extend(key(&item.link)))?;
        let redirects = locked(&self.redirects);
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut hops: BTreeSet<(Address, String)> = BTreeSet::new();
        for _ in 0..MOST_HOPS {
            if wanted.is_empty() {
                break;
            }
            let mut next: BTreeSet<String> = BTreeSet::new();
            redirects.each(&mut |hop| {
                if wanted.contains(&hop.0.key) && hops.insert(hop.clone()) {
                    next.extend(key(&hop.1));
                }
            })?;
            seen.append(&mut wanted);
            next.retain(|key| !seen.contains(key));
            wanted = next;
        }
        Ok(Redirects::of(hops.into_iter()))
    }

    /// The addresses on the way of feed items' links that belong to pages, where this matters.
    fn pages_on_the_way(&self, hops: &Redirects) -> io::Result<BTreeSet<Address>> {
        let mut doubtful: BTreeSet<Address> = BTreeSet::new();
        let mut see = |item: &FeedItem| doubtful.extend(hops.doubtful(&item.link, &self.tracking));
        locked(&self.items).each(&mut see)?;
        let mut pages = BTreeSet::new();
        if !doubtful.is_empty() {
            self.spool.each(&mut |page| {
                let address = self.tracking.address(&page.head.url);
                pages.extend(address.filter(|address| doubtful.contains(address)));
            })?;
        }
        Ok(pages)
    }
}

impl Partitioned {
    /// Opens what an earlier process wrote to disk.
    pub(crate) fn reopen(folder: &Path, totals: Totals) -> io::Result<Self> {
        let (drops, items) = (folder.join(DROPS), folder.join(ITEMS));
        let sites = sorted::Stored::open(&folder.join(SITES))?.collect::<io::Result<_>>()?;
        Ok(Self { drops: Sorter::of_file(drops), items: Sorter::of_file(items), sites, totals })
    }
}

/// A site to process.
#[derive(Debug)]
pub(crate) struct StoredSite {
    pub(crate) key: String,
    /// The best capture of every page, by address.
    pub(crate) pages: Vec<Stored>,
    pub(crate) items: Vec<FeedItem>,
    /// All other captures; those of one address best first.
    pub(crate) others: Vec<Stored>,
}

impl StoredSite {
    /// Weight of the pages that are in memory at once.
    pub(crate) fn weight(&self) -> u64 {
        let best = self.pages.iter().map(|page| page.head.weight).sum();
        // Other captures are tried one per address at a time.
        let mut largest: BTreeMap<&str, u64> = BTreeMap::new();
        for other in &self.others {
            let weight = largest.entry(&other.head.url).or_default();
            *weight = other.head.weight.max(*weight);
        }
        largest.into_values().sum::<u64>().max(best)
    }
}

/// Passes on all sites in the order of outputs, by (hash of the key, key), until stopped.
pub(crate) fn each_site(
    spool: &Spool,
    items: &mut Merged<ItemOfSite>,
    hand: &mut dyn FnMut(StoredSite) -> io::Result<ControlFlow<()>>,
) -> io::Result<()> {
    for part in 0..PARTS {
        let mut sites: BTreeMap<(u64, String), Vec<Stored>> = BTreeMap::new();
        spool.take_each(part, &mut |page| {
            let key = site_key(&page.head.url).unwrap_or_default();
            sites.entry((xxh3_64(key.as_bytes()), key)).or_default().push(page);
        })?;
        for ((hash, key), pages) in sites {
            let Copies { best: pages, others } = settle(pages);
            let mut of_site = Vec::new();
            // Before them are items of sites that are done and whose pages were not loaded.
            while items.peek().is_some_and(|(h, k, _)| (*h, k) <= (hash, &key)) {
                let item = items.next().transpose()?.filter(|(h, k, _)| (*h, k) == (hash, &key));
                of_site.extend(item.map(|(_, _, item)| item));
            }
            let waiting = StoredSite { key, pages, items: of_site, others };
            if hand(waiting)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}
