//! The pages of segments: in memory, or in files from which only the heads are read until a page is needed.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use grouping::{Copies, settle};
use input::read::SiteFile;
use model::{FeedItem, Page, PageHtml};

use super::file::{ListedRow, StepFile, StepWriter};
use super::sorted::{Item, Merged, Sorter};
use crate::file::{RowKind, SegmentRow, decoded, hash_of};
use crate::site_files::SiteFiles;

use super::stored::{FilePlace, HtmlPlace, StoredHead, StoredPage, unpack};

/// Number of partitions of the sites, by hash: few enough to search all files once per partition, enough that the page heads
/// of one partition stay small even for a terabyte.
const PARTS: usize = 256;

/// Number of pages that are copied at a time.
const AT_ONCE: usize = 64;

/// A feed item with the hash and key of the site it leads to; sorts in the order of sites.
type ItemOfSite = (u64, String, FeedItem);
/// A file of a site, such as `robots.txt`, with the hash and key of the site; sorts in the order of sites.
type FileOfSite = (u64, String, SiteFile);
/// A stored page that has another address than its row, with the hash and key of its site; sorts in the order of sites.
type AddedPage = (u64, String, FilePlace, Vec<u8>);

/// The pages of segments.
#[derive(Debug)]
pub struct SegmentPages {
    held: Vec<Mutex<Vec<StoredPage>>>,
    files: Vec<StepFile>,
}

/// Feed items, site files and added pages of all sites, in the order of sites. Added pages were found while sites were formed.
#[derive(Debug)]
pub struct SiteExtras {
    /// Feed items that lead to the sites.
    pub items: Merged<ItemOfSite>,
    files: Merged<FileOfSite>,
    added: Merged<AddedPage>,
    /// Name of the robot whose rules apply.
    robot: String,
}

/// Collects the parts of [`SiteExtras`], in any order.
#[derive(Debug)]
pub(crate) struct SiteExtrasBuilder {
    pub items: Sorter<ItemOfSite>,
    pub files: Sorter<FileOfSite>,
    pub added: Sorter<AddedPage>,
}

impl SiteExtrasBuilder {
    /// Sorts everything that was collected. `robot` names the robot whose rules in site files apply.
    pub(crate) fn finish(self, robot: &str) -> io::Result<SiteExtras> {
        Ok(SiteExtras {
            items: self.items.finish()?,
            files: self.files.finish()?,
            added: self.added.finish()?,
            robot: robot.to_owned(),
        })
    }
}

/// A site to process.
#[derive(Debug)]
pub struct StoredSite {
    /// The registrable domain, or the folder of saved pages.
    pub key: String,
    /// The best capture of every page, by address.
    pub pages: Vec<StoredPage>,
    /// The feed items that lead to the site.
    pub items: Vec<FeedItem>,
    /// All other captures; those of one address are sorted best first.
    pub others: Vec<StoredPage>,
}

impl StoredSite {
    /// Number of captures of its pages, older ones included.
    pub fn captures(&self) -> usize {
        self.pages.len() + self.others.len()
    }

    /// Weight in bytes of the pages that are in memory at the same time.
    pub fn weight(&self) -> u64 {
        let best = self.pages.iter().map(|page| page.head.weight).sum();
        // The other captures of an address are tried one at a time.
        let mut largest: BTreeMap<&str, u64> = BTreeMap::new();
        for other in &self.others {
            let weight = largest.entry(&other.head.url).or_default();
            *weight = other.head.weight.max(*weight);
        }
        largest.into_values().sum::<u64>().max(best)
    }
}

fn part_of(hash: u64) -> usize {
    (hash >> 56) as usize
}

pub(crate) fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn filed(file: u32, row: ListedRow) -> io::Result<StoredPage> {
    let head: StoredHead = decoded(row.record.data())?;
    let place = FilePlace { file, row: row.number, id: row.id };
    Ok(StoredPage { head, html: HtmlPlace::Filed(place), site: row.site })
}

pub(crate) fn added_page((_, site, place, head): &AddedPage) -> io::Result<StoredPage> {
    Ok(StoredPage { head: decoded(head)?, html: HtmlPlace::Filed(*place), site: site.clone() })
}

/// Takes the items of a site, and skips those of the sites before it.
fn of_site<T: Item>(
    items: &mut Merged<(u64, String, T)>,
    hash: u64,
    key: &str,
) -> io::Result<Vec<T>> {
    let mut found = Vec::new();
    while let Some(next) = items.next_if(|(of, own, _)| (*of, own.as_str()) <= (hash, key))? {
        found.extend(((next.0, &*next.1) == (hash, key)).then_some(next.2));
    }
    Ok(found)
}

impl SegmentPages {
    /// Combines pages in memory, whose sites are known, with the pages in files.
    pub fn new(pages: Vec<StoredPage>, files: Vec<StepFile>) -> Self {
        let held = (0..PARTS).map(|_| Mutex::default()).collect();
        let all = Self { held, files };
        pages.into_iter().for_each(|page| all.hold(page));
        all
    }

    /// Adds a page in memory.
    pub fn hold(&self, page: StoredPage) {
        locked(&self.held[part_of(page.hash())]).push(page);
    }

    /// Adds a page that is in memory or in one of the files. A page in a file is passed to `to`.
    pub(crate) fn add(&self, page: StoredPage, to: &mut SiteExtrasBuilder) -> io::Result<()> {
        let HtmlPlace::Filed(place) = page.html else {
            self.hold(page);
            return Ok(());
        };
        let head = rmp_serde::to_vec(&page.head).map_err(io::Error::other)?;
        let bytes = head.len() + page.site.len();
        to.added.push((page.hash(), page.site, place, head), bytes)
    }

    /// Visits every page whose site was known when it was read, always in the same order.
    pub fn each(&self, see: &mut dyn FnMut(&StoredPage) -> io::Result<()>) -> io::Result<()> {
        for held in &self.held {
            locked(held).iter().try_for_each(&mut *see)?;
        }
        for (number, file) in (0..).zip(&self.files) {
            let is_page = |kind, _| kind == RowKind::Page;
            file.each(true, &is_page, &mut |row| see(&filed(number, row)?))?;
        }
        Ok(())
    }

    /// Takes the wanted pages of a partition: moves them out of memory, or lists them from files. `wants` gets the site hash.
    fn take_part(
        &self,
        part: usize,
        wants: &dyn Fn(u64) -> bool,
        take: &mut dyn FnMut(StoredPage),
    ) -> io::Result<()> {
        let held = std::mem::take(&mut *locked(&self.held[part]));
        held.into_iter().filter(|page| wants(page.hash())).for_each(&mut *take);
        let range = (part as u64) << 56..=((part as u64) << 56 | u64::MAX >> 8);
        for (number, file) in (0..).zip(&self.files) {
            file.each_in(&range, &|hash| wants(hash), &mut |row| {
                take(filed(number, row)?);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Passes the wanted sites to `hand` in the order of outputs, which is by (hash of the key, key), until `hand` stops it.
    pub fn each_site(
        &self,
        with: &mut SiteExtras,
        wants: &dyn Fn(u64) -> bool,
        hand: &mut dyn FnMut(StoredSite) -> io::Result<std::ops::ControlFlow<()>>,
    ) -> io::Result<()> {
        for part in 0..PARTS {
            let mut sites: BTreeMap<(u64, String), Vec<StoredPage>> = BTreeMap::new();
            let mut take = |page: StoredPage| {
                sites.entry((page.hash(), page.site.clone())).or_default().push(page);
            };
            self.take_part(part, wants, &mut take)?;
            while let Some(added) = with.added.next_if(|(hash, ..)| part_of(*hash) == part)? {
                if wants(added.0) {
                    take(added_page(&added)?);
                }
            }
            for ((hash, key), mut pages) in sites {
                let mut files = SiteFiles::default();
                of_site(&mut with.files, hash, &key)?.into_iter().for_each(|file| files.add(file));
                for page in &mut pages {
                    if let Some(rules) = files.rules_of(&page.head.url, &with.robot) {
                        page.head.notes.get_or_insert_default().site = rules;
                    }
                }
                let Copies { best: pages, others } = settle(pages);
                let items = of_site(&mut with.items, hash, &key)?;
                if hand(StoredSite { key, pages, items, others })?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Reads the HTML of pages that are in files into memory, still compressed.
    pub fn fetch(&self, pages: &mut [StoredPage]) -> io::Result<()> {
        let mut places: Vec<(FilePlace, usize)> = (pages.iter().enumerate())
            .filter_map(|(at, page)| match page.html {
                HtmlPlace::Filed(place) => Some((place, at)),
                HtmlPlace::Held(_) | HtmlPlace::Packed(_) => None,
            })
            .collect();
        places.sort_unstable();
        for of_file in places.chunk_by(|(a, _), (b, _)| a.file == b.file) {
            let file = self.files.get(of_file[0].0.file as usize);
            let file = file.ok_or_else(|| io::Error::other("a page is in none of the files"))?;
            let rows: Vec<u32> = of_file.iter().map(|(place, _)| place.row).collect();
            for (html, (_, at)) in file.htmls(&rows)?.into_iter().zip(of_file) {
                pages[*at].html = HtmlPlace::Packed(html);
            }
        }
        Ok(())
    }

    /// Loads the pages of a site, with their HTML.
    pub fn load(&self, site: &str, mut pages: Vec<StoredPage>) -> io::Result<Vec<Page>> {
        self.fetch(&mut pages)?;
        let load = |StoredPage { head, html, .. }| {
            let html: PageHtml = match html {
                HtmlPlace::Held(html) => html,
                HtmlPlace::Packed(packed) => unpack(&packed, head.length)?.into(),
                HtmlPlace::Filed(_) => return Err(io::Error::other("a page is not loaded")),
            };
            Ok(head.into_page(site, html))
        };
        pages.into_iter().map(load).collect()
    }
}

/// Merges files into one, whose rows are in the order of a single segment; returns the number of pages.
///
/// # Errors
/// If a file cannot be read or written.
pub fn merge(files: Vec<StepFile>, to: &mut StepWriter) -> io::Result<u64> {
    let mut rows = Vec::new();
    let mut saved = Vec::new();
    for (number, file) in (0..).zip(&files) {
        file.each(true, &|kind, _| kind != RowKind::Page, &mut |row| {
            if row.kind == RowKind::Saved {
                saved.push(filed(number, row)?);
                return Ok(());
            }
            let html = match row.kind {
                RowKind::Input => file.html(row.number)?,
                _ => Vec::new(),
            };
            let ListedRow { kind, site, id, record, .. } = row;
            rows.push(SegmentRow { kind, site, id, record: record.data().to_vec(), html });
            Ok(())
        })?;
    }
    write_rows(rows, to)?;
    let pages = SegmentPages::new(Vec::new(), files);
    let mut count = 0;
    let mut write = |mut some: Vec<StoredPage>| {
        some.sort_by_cached_key(order_of);
        count += some.len() as u64;
        // In chunks: a partition may have many pages.
        while !some.is_empty() {
            let rest = some.split_off(some.len().min(AT_ONCE));
            pages.fetch(&mut some)?;
            std::mem::replace(&mut some, rest)
                .into_iter()
                .try_for_each(|page| write_page(page, to))?;
        }
        Ok::<_, io::Error>(())
    };
    write(saved)?;
    for part in 0..PARTS {
        let mut some = Vec::new();
        pages.take_part(part, &|_| true, &mut |page| some.push(page))?;
        write(some)?;
    }
    Ok(count)
}

/// Writes the rows that are not pages, sorted.
pub(crate) fn write_rows(mut rows: Vec<SegmentRow>, to: &mut StepWriter) -> io::Result<()> {
    rows.sort_by(|a, b| (a.kind, &a.record, &a.html).cmp(&(b.kind, &b.record, &b.html)));
    rows.into_iter().try_for_each(|row| to.push(row))
}

/// Sort key of a page within a segment.
pub(crate) fn order_of(page: &StoredPage) -> (u64, String, String, u64) {
    (hash_of(&page.site), page.site.clone(), page.head.url.clone(), page.id())
}

/// Writes a page, which must be compressed.
pub(crate) fn write_page(page: StoredPage, file: &mut StepWriter) -> io::Result<()> {
    let kind = if page.site.is_empty() { RowKind::Saved } else { RowKind::Page };
    let row = SegmentRow::of(kind, &page.site, page.id(), &page.head)?;
    let HtmlPlace::Packed(html) = page.html else {
        return Err(io::Error::other("a page is not compressed"));
    };
    file.push(SegmentRow { html, ..row })
}
