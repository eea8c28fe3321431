//! Forms the sites of a run from segments, within bounded memory: resolves the addresses of saved files, revisits, and the sites
//! that feed items lead to.
//!
//! For revisits, it finds the page that was found unchanged, if the inputs contain it. The rules are in [`grouping::matching`]. Here, requests and offers are sorted and merged, on disk if there are many, so that
//! any number of revisits takes little memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use config::GroupConfig;
use grouping::matching::{
    Offer, Original, OriginalCandidate, Resolved, RevisitAnswer, RevisitRequest, Settled, Settling,
    answer, offers, requests, whole,
};
use grouping::{
    Address, MOST_HOPS, NameFilter, Redirects, Revisit, Tracking, Visited, drop_of, site_key,
};
use model::{DropReason, FeedItem, Origin};
use rustc_hash::FxHashSet;
use sink::InputRecord;
use xxhash_rust::xxh3::xxh3_64;

use crate::collect::{DropOfPayload, Other, Segments};
use crate::file::{ListedRow, RowKind, StepFile, decoded};
use crate::pages::{SegmentPages, SiteExtras, SiteExtrasBuilder, added_page, filed};
use crate::sorted::{Item, Merged, Sorter};
use crate::stored::{StoredHead, StoredPage};

/// The sites that were formed from segments.
#[derive(Debug)]
pub struct SettledSites {
    /// All pages, in memory and in files.
    pub pages: SegmentPages,
    /// Everything else that belongs to the sites.
    pub of_sites: SiteExtras,
    /// Drops of reading, sorted.
    pub drops: Merged<DropOfPayload>,
    /// Hashes of the keys of all sites, in the order of outputs.
    pub hashes: Vec<u64>,
    /// How much there is.
    pub totals: Totals,
    /// The inputs, sorted by name.
    pub inputs: Vec<InputRecord>,
    /// Inputs that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// Number of records of types that contain no page.
    pub other_records: u64,
}

/// Totals of what was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Number of sites with pages.
    pub sites: usize,
    /// Number of pages, including older captures.
    pub pages: u64,
    /// Number of pages of the wanted sites.
    pub wanted_pages: u64,
    /// Number of feed items that lead to sites with pages.
    pub items: u64,
    /// Number of feed items whose site has no page.
    pub unmatched_items: u64,
}

/// Forms the sites of segments. `wants` says, by hash, which sites are wanted; it affects only `Totals::wanted_pages`. What does
/// not fit into memory is spilled to `folder`, if given.
///
/// # Errors
/// If the segment files cannot be read or contradict each other, or temporary files cannot be written.
pub fn settle_sites(
    segments: Segments,
    config: &GroupConfig,
    folder: Option<&Path>,
    wants: &dyn Fn(u64) -> bool,
) -> io::Result<SettledSites> {
    let tracking = &Tracking::new(&config.tracking_parameters);
    let Segments { pages, others, read, files } = segments;
    let (known, saved): (Vec<StoredPage>, Vec<StoredPage>) =
        pages.into_iter().partition(|page| !page.site.is_empty());
    let mut settling = SiteSettling {
        tracking,
        folder,
        sites: FxHashSet::default(),
        totals: Totals::default(),
        wants,
        saved,
        revisits: Revisits::new(folder),
        feeds: Sorter::within(folder, "feeds"),
        items: Sorter::within(folder, "items"),
        redirects: Sorter::within(folder, "redirects"),
        drops: Sorter::within(folder, "drops"),
        of_sites: SiteExtrasBuilder {
            items: Sorter::within(folder, "items-of-sites"),
            files: Sorter::within(folder, "files-of-sites"),
            added: Sorter::within(folder, "pages-of-sites"),
        },
        inputs: Vec::new(),
        unreadable: Vec::new(),
        other_records: 0,
    };
    read.0.into_iter().for_each(|input| settling.input(input));
    known.iter().for_each(|page| settling.count(page.hash()));
    others.into_iter().try_for_each(|other| settling.other(other))?;
    for (number, file) in (0..).zip(&files) {
        settling.file(number, file)?;
    }
    settling.finish(SegmentPages::new(known, files), &config.robot)
}

struct SiteSettling<'a> {
    tracking: &'a Tracking,
    folder: Option<&'a Path>,
    sites: FxHashSet<u64>,
    totals: Totals,
    wants: &'a dyn Fn(u64) -> bool,
    /// Saved files: their addresses can be resolved only when all are known.
    saved: Vec<StoredPage>,
    revisits: Revisits,
    feeds: Sorter<(u64, u64)>,
    items: Sorter<FeedItem>,
    redirects: Sorter<(Address, String)>,
    drops: Sorter<DropOfPayload>,
    of_sites: SiteExtrasBuilder,
    inputs: Vec<InputRecord>,
    unreadable: Vec<String>,
    other_records: u64,
}

impl SiteSettling<'_> {
    fn input(&mut self, input: Result<(InputRecord, u64), String>) {
        match input {
            Ok((input, others)) => {
                self.other_records += others;
                self.inputs.push(input);
            }
            Err(why) => self.unreadable.push(why),
        }
    }

    /// Counts a page of the site with this hash.
    fn count(&mut self, site: u64) {
        self.sites.insert(site);
        self.totals.pages += 1;
        self.totals.wanted_pages += u64::from((self.wants)(site));
    }

    fn other(&mut self, other: Other) -> io::Result<()> {
        let bytes = other.bytes();
        match other {
            Other::Item(item) => self.items.push(item, bytes),
            Other::Feed(digest) => self.feeds.push(digest, bytes),
            Other::SiteFile(file) => match site_key(&file.url) {
                Some(key) => self.of_sites.files.push((xxh3_64(key.as_bytes()), key, file), bytes),
                None => Ok(()),
            },
            Other::Redirect(redirect) => self.redirects.push(redirect, bytes),
            Other::Revisit(revisit) => self.revisits.push(revisit),
            Other::Drop(drop) => self.drops.push(drop, bytes),
        }
    }

    /// Reads everything from a file except its pages, which are only counted.
    fn file(&mut self, number: u32, file: &StepFile) -> io::Result<()> {
        let hashes = std::cell::RefCell::new(Vec::new());
        let wants = |kind, hash| {
            if kind == RowKind::Page {
                hashes.borrow_mut().push(hash);
            }
            kind != RowKind::Page
        };
        file.each(true, &wants, &mut |row| {
            hashes.borrow_mut().drain(..).for_each(|hash| self.count(hash));
            self.row(number, file, row)
        })?;
        hashes.into_inner().into_iter().for_each(|hash| self.count(hash));
        Ok(())
    }

    fn row(&mut self, number: u32, file: &StepFile, row: ListedRow) -> io::Result<()> {
        let record = row.record.data();
        match row.kind {
            RowKind::Input => {
                self.input(match decoded::<Option<InputRecord>>(record)? {
                    Some(input) => Ok((input, row.id)),
                    None => {
                        let why = file.html(row.number)?;
                        Err(String::from_utf8_lossy(&why).into_owned())
                    }
                });
                Ok(())
            }
            RowKind::Saved => {
                self.saved.push(filed(number, row)?);
                Ok(())
            }
            RowKind::FeedItem => self.other(Other::Item(decoded(record)?)),
            RowKind::Feed => self.other(Other::Feed(decoded(record)?)),
            RowKind::SiteFile => self.other(Other::SiteFile(decoded(record)?)),
            RowKind::Redirect => self.other(Other::Redirect(decoded(record)?)),
            RowKind::Revisit => self.other(Other::Revisit(decoded::<Revisit>(record)?)),
            RowKind::Drop => self.other(Other::Drop(decoded(record)?)),
            _ => Err(io::Error::other("a survey holds a row of another step")),
        }
    }

    fn finish(mut self, pages: SegmentPages, robot: &str) -> io::Result<SettledSites> {
        let order = |input: &InputRecord| {
            (input.file.clone(), input.listed.as_ref().map(|own| own.places.clone()))
        };
        self.inputs.sort_by_cached_key(order);
        // Two indexes may list different records of the same archive.
        let is_twice = |pair: &&[InputRecord]| {
            pair[0].file == pair[1].file
                && (pair[0].listed.is_none() || pair[0].listed == pair[1].listed)
        };
        if let Some(pair) = self.inputs.windows(2).find(is_twice) {
            let twice = format!("{} is in two of the surveys", pair[0].file);
            return Err(io::Error::other(twice + ": survey each input once"));
        }
        self.unreadable.sort_unstable();
        self.name_saved_files(&pages)?;
        self.settle_revisits(&pages)?;
        self.resolve_feed_links(&pages)?;
        let mut hashes: Vec<u64> = self.sites.into_iter().collect();
        hashes.sort_unstable();
        self.totals.sites = hashes.len();
        Ok(SettledSites {
            pages,
            of_sites: self.of_sites.finish(robot)?,
            drops: self.drops.finish()?,
            hashes,
            totals: self.totals,
            inputs: self.inputs,
            unreadable: self.unreadable,
            other_records: self.other_records,
        })
    }

    /// Adds a page whose address was unknown until now.
    fn page(&mut self, page: StoredPage, pages: &SegmentPages) -> io::Result<()> {
        if page.site.is_empty() {
            let drop = drop_of("", &page, DropReason::BadUrl, String::new());
            return self.other(Other::Drop((drop, None)));
        }
        self.count(page.hash());
        pages.add(page, &mut self.of_sites)
    }

    fn name_saved_files(&mut self, pages: &SegmentPages) -> io::Result<()> {
        let saved = std::mem::take(&mut self.saved);
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
            page.site = site_key(&page.head.url).unwrap_or_default();
            self.page(page, pages)?;
        }
        Ok(())
    }

    /// Finds the originals of revisits: pages, feeds or drops.
    fn settle_revisits(&mut self, pages: &SegmentPages) -> io::Result<()> {
        let revisits = std::mem::replace(&mut self.revisits, Revisits::new(self.folder));
        let Some(mut originals) = Originals::of(revisits, self.folder)? else { return Ok(()) };
        self.items.park()?;
        self.redirects.park()?;
        let mut place = 0_u64;
        self.each_page(pages, &mut |page| {
            let StoredHead { origin, url, fetched, digest, .. } = &page.head;
            let (url, digest) = (Some(url.as_str()), digest.map(whole));
            let of = OriginalCandidate { origin, url, is_page: true, fetched: *fetched, digest };
            originals.offer(&of, || Original::Page(place))?;
            place += 1;
            Ok(())
        })?;
        let origin = &Origin::default();
        for digest in std::mem::replace(&mut self.feeds, Sorter::in_memory()).finish()? {
            let digest = Some(whole(digest?));
            let of = OriginalCandidate { origin, url: None, is_page: false, fetched: None, digest };
            originals.offer(&of, || Original::Feed)?;
        }
        self.drops.each(&mut |(drop, digest)| {
            let (origin, url, digest) = (&drop.origin, Some(&*drop.url), digest.map(whole));
            let of = OriginalCandidate { origin, url, is_page: false, fetched: None, digest };
            originals.offer(&of, || Original::Drop(drop.reason, drop.detail.clone()))
        })?;
        let mut copies: Sorter<(u64, Visited)> = Sorter::within(self.folder, "revisited");
        originals.settle(&mut |settled| match settled {
            Settled::Page(visited, place) => {
                let bytes = visited.url.len() + visited.origin.record_id.len();
                copies.push((place, visited), bytes)
            }
            Settled::Drop(drop) => self.other(Other::Drop((drop, None))),
        })?;
        self.copy(copies, pages)
    }

    /// Copies pages for the revisits that found them unchanged. Their HTML is not copied.
    fn copy(&mut self, copies: Sorter<(u64, Visited)>, pages: &SegmentPages) -> io::Result<()> {
        let mut copies = copies.finish()?;
        let (mut place, mut held) = (0_u64, Vec::new());
        self.each_page(pages, &mut |page| {
            while let Some((_, visited)) = copies.next_if(|(of, _)| *of == place)? {
                held.push(page.copy_for(visited));
            }
            place += 1;
            Ok(())
        })?;
        // Only here, because `each_page` locks the pages.
        held.into_iter().try_for_each(|copy| self.page(copy, pages))
    }

    /// Visits every page whose site is known, always in the same order.
    fn each_page(
        &self,
        pages: &SegmentPages,
        see: &mut dyn FnMut(&StoredPage) -> io::Result<()>,
    ) -> io::Result<()> {
        pages.each(see)?;
        self.of_sites.added.each(&mut |added| see(&added_page(added)?))
    }

    /// Follows redirects from the links of feed items to sites with pages; counts the items that lead elsewhere.
    fn resolve_feed_links(&mut self, pages: &SegmentPages) -> io::Result<()> {
        let hops = self.hops()?;
        let pages = self.pages_on_the_way(&hops, pages)?;
        let items = std::mem::replace(&mut self.items, Sorter::in_memory());
        let mut last: Option<FeedItem> = None;
        for item in items.finish()? {
            let mut item = item?;
            if last.as_ref() == Some(&item) {
                continue;
            }
            last = Some(item.clone());
            item.link = hops.follow(item.link, self.tracking, &|address| pages.contains(address));
            match site_key(&item.link).map(|key| (xxh3_64(key.as_bytes()), key)) {
                Some((hash, key)) if self.sites.contains(&hash) => {
                    let bytes = item.link.len() + item.description.len() + 200;
                    self.totals.items += 1;
                    self.of_sites.items.push((hash, key, item), bytes)?;
                }
                _ => self.totals.unmatched_items += 1,
            }
        }
        Ok(())
    }

    /// Collects the redirects that links of feed items follow: few of all that were read.
    fn hops(&self) -> io::Result<Redirects> {
        let key = |link: &str| self.tracking.address(link).map(|address| address.key);
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        self.items.each(&mut |item| {
            wanted.extend(key(&item.link));
            Ok(())
        })?;
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut hops: BTreeSet<(Address, String)> = BTreeSet::new();
        for _ in 0..MOST_HOPS {
            if wanted.is_empty() {
                break;
            }
            let mut next: BTreeSet<String> = BTreeSet::new();
            self.redirects.each(&mut |hop| {
                if wanted.contains(&hop.0.key) && hops.insert(hop.clone()) {
                    next.extend(key(&hop.1));
                }
                Ok(())
            })?;
            seen.append(&mut wanted);
            next.retain(|key| !seen.contains(key));
            wanted = next;
        }
        Ok(Redirects::of(hops.into_iter()))
    }

    /// Collects the addresses in redirect chains of feed items that belong to pages, where that decides which address is taken.
    fn pages_on_the_way(
        &self,
        hops: &Redirects,
        all: &SegmentPages,
    ) -> io::Result<BTreeSet<Address>> {
        let mut doubtful: BTreeSet<Address> = BTreeSet::new();
        self.items.each(&mut |item| {
            doubtful.extend(hops.doubtful(&item.link, self.tracking));
            Ok(())
        })?;
        let mut pages = BTreeSet::new();
        if !doubtful.is_empty() {
            self.each_page(all, &mut |page| {
                let address = self.tracking.address(&page.head.url);
                pages.extend(address.filter(|address| doubtful.contains(address)));
                Ok(())
            })?;
        }
        Ok(pages)
    }
}

/// Collects revisits in any order.
#[derive(Debug)]
struct Revisits {
    /// Numbered in order of arrival.
    all: Sorter<(u64, Revisit)>,
    count: u64,
    asked: NameFilter,
}

impl Revisits {
    /// Starts an empty list. Many revisits are spilled to `folder`, if given.
    pub(crate) fn new(folder: Option<&Path>) -> Self {
        let all = Sorter::within(folder, "revisits-read");
        Self { all, count: 0, asked: NameFilter::default() }
    }

    pub(crate) fn push(&mut self, revisit: Revisit) -> io::Result<()> {
        self.asked.add_names_of(&revisit);
        self.count += 1;
        let bytes = revisit.bytes();
        self.all.push((self.count, revisit), bytes)
    }
}

/// Matches the requests of revisits with the records that are offered.
#[derive(Debug)]
struct Originals<'a, P> {
    folder: Option<&'a Path>,
    revisits: Revisits,
    offers: Sorter<Offer<P>>,
    offered: NameFilter,
}

impl<'a, P: Clone + Item> Originals<'a, P> {
    /// Starts to match these revisits; `None` if there are none. Large amounts of data are spilled to `folder`, if given.
    pub(crate) fn of(mut revisits: Revisits, folder: Option<&'a Path>) -> io::Result<Option<Self>> {
        if revisits.count == 0 {
            return Ok(None);
        }
        revisits.all.park()?;
        let offers = Sorter::within(folder, "revisits-offers");
        Ok(Some(Self { folder, revisits, offers, offered: NameFilter::default() }))
    }

    /// Offers a record as an original. The order of offers does not matter.
    fn offer(
        &mut self,
        of: &OriginalCandidate<'_>,
        original: impl Fn() -> Original<P>,
    ) -> io::Result<()> {
        let made = offers(of, &self.revisits.asked, &mut self.offered, original);
        made.into_iter().try_for_each(|offer| {
            let bytes = offer.bytes();
            self.offers.push(offer, bytes)
        })
    }

    /// Decides every revisit. Only the latest revisit of an address gives a page, so each address gets at most one copy.
    pub(crate) fn settle(
        self,
        take: &mut dyn FnMut(Settled<P>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { folder, revisits: Revisits { all: revisits, .. }, offers, offered } = self;
        let mut asked: Sorter<RevisitRequest> = Sorter::within(folder, "revisits-asks");
        revisits.each(&mut |(number, revisit)| {
            let requests = requests(*number, revisit, &offered);
            requests.into_iter().try_for_each(|request| asked.push(request, 0))
        })?;
        let mut answers: Sorter<RevisitAnswer<P>> = Sorter::within(folder, "revisits-answers");
        answer(asked.finish()?, offers.finish()?, &mut |answer| {
            let bytes = answer.original.bytes();
            answers.push(answer, bytes)
        })?;
        let mut answers = answers.finish()?;
        let mut resolved: Sorter<Resolved<P>> = Sorter::within(folder, "revisits-resolved");
        for revisit in revisits.finish()? {
            let (number, revisit) = revisit?;
            let mut original: Option<Original<P>> = None;
            while let Some(answer) = answers.next_if(|answer| answer.revisit == number)? {
                original = original.or(Some(answer.original));
            }
            let revisit = Resolved::new(revisit, original);
            let bytes = revisit.bytes();
            resolved.push(revisit, bytes)?;
        }
        let mut settling = Settling::default();
        resolved.finish()?.try_for_each(|revisit| take(settling.next(revisit?)))
    }
}
