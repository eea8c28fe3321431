//! Collects what many threads read, in memory while it fits, else in files.
//!
//! A file is written whenever memory reaches the limit. It contains pages of any sites, in the order of sites. With the files, a
//! resumed run need not read the inputs again, and other processes can read the pages, too.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use grouping::matching::halves;
use grouping::{Address, Revisit, Tracking, drop_of, redirect};
use input::read::{Intake, PayloadDigest, SiteFile, own_address};
use input::reader::InputsRead;
use model::{Drop, DropReason, FeedItem, Page};
use sink::InputRecord;

use super::file::{StepFile, StepWriter};
use super::identity::StepIdentity;
use super::pages::{locked, merge, order_of, write_page, write_rows};
use super::stored::{HtmlPlace, StoredPage};
use crate::declared::DeclaredHead;
use crate::file::{RowKind, SegmentRow};

/// A drop, with the digest of the payload in its record.
pub(crate) type DropOfPayload = (Drop, Option<(u64, u64)>);

/// Something that was read and is not a page.
#[derive(Debug)]
pub(crate) enum Other {
    Item(FeedItem),
    /// The payload digest of a feed.
    Feed((u64, u64)),
    SiteFile(SiteFile),
    Redirect((Address, String)),
    Revisit(Revisit),
    Drop(DropOfPayload),
}

impl Other {
    /// Approximate size of its texts, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Item(item) => {
                let content = item.content.as_ref().map_or(0, String::len);
                item.link.len() + item.title.len() + item.description.len() + content
            }
            Self::Feed(_) => 0,
            Self::SiteFile(file) => file.url.len() + file.body.len(),
            Self::Redirect((address, to)) => address.key.len() + to.len(),
            Self::Revisit(revisit) => revisit.bytes(),
            Self::Drop((drop, _)) => {
                drop.url.len() + drop.detail.len() + drop.origin.record_id.len()
            }
        }
    }

    fn row(&self) -> io::Result<SegmentRow> {
        match self {
            Self::Item(item) => SegmentRow::of(RowKind::FeedItem, "", 0, item),
            Self::Feed(digest) => SegmentRow::of(RowKind::Feed, "", 0, digest),
            Self::SiteFile(file) => SegmentRow::of(RowKind::SiteFile, "", 0, file),
            Self::Redirect(redirect) => SegmentRow::of(RowKind::Redirect, "", 0, redirect),
            Self::Revisit(revisit) => SegmentRow::of(RowKind::Revisit, "", 0, revisit),
            Self::Drop(drop) => SegmentRow::of(RowKind::Drop, "", 0, drop),
        }
    }
}

/// Approximate size of a page without its HTML, in bytes.
const HEAD: u64 = 400;
/// Prefix of the name of the last file of a run. The number of the other files follows.
const LAST: &str = "last-of-";

/// Everything that a process read of its inputs.
#[derive(Debug)]
pub struct Segments {
    /// The pages in memory; empty if there are files.
    pub(crate) pages: Vec<StoredPage>,
    pub(crate) others: Vec<Other>,
    /// The inputs; empty if there are files, which contain them.
    pub(crate) read: InputsRead,
    pub(crate) files: Vec<StepFile>,
}

/// Collects what many threads read.
#[derive(Debug)]
pub struct Collector<'a> {
    tracking: Tracking,
    /// `None` if everything stays in memory.
    files: Option<SegmentFiles<'a>>,
    /// Set if other processes form the sites: then it also records what pages declare.
    settings: Option<sitemodel::Settings>,
    open: Mutex<OpenSegment>,
    packs: AtomicBool,
    failure: Mutex<Option<io::Error>>,
}

/// Where and when to write files for what does not fit into memory.
#[derive(Debug)]
pub struct SegmentFiles<'a> {
    /// Existing folder for the files.
    pub folder: &'a Path,
    /// Bytes in memory at which a file is written.
    pub limit: u64,
    /// Identity to write into the files.
    pub identity: StepIdentity,
    /// Counts the bytes written to the files.
    pub written: &'a AtomicU64,
}

/// What is in memory and not yet written to a file.
#[derive(Debug, Default)]
struct OpenSegment {
    pages: Vec<StoredPage>,
    others: Vec<Other>,
    bytes: u64,
    files: Vec<PathBuf>,
}

impl<'a> Collector<'a> {
    /// Spills to `files` if given, else keeps everything in memory. With `settings`, it records what pages declare.
    pub fn new(
        tracking: Tracking,
        files: Option<SegmentFiles<'a>>,
        settings: Option<sitemodel::Settings>,
    ) -> Self {
        let (open, packs, failure) = Default::default();
        Self { tracking, files, settings, open, packs, failure }
    }

    /// Adds something that was read. Returns whether it could be stored; [`Collector::finish`] returns the error.
    pub fn take(&self, intake: Intake, digest: PayloadDigest) -> bool {
        match self.try_take(intake, digest) {
            Ok(()) => true,
            Err(error) => {
                locked(&self.failure).get_or_insert(error);
                false
            }
        }
    }

    fn try_take(&self, intake: Intake, digest: PayloadDigest) -> io::Result<()> {
        let halves = digest.map(halves);
        match intake {
            Intake::Page(page) => self.page(page, digest),
            Intake::Feed(items) => {
                halves.map_or(Ok(()), |digest| self.other(Other::Feed(digest)))?;
                items.into_iter().try_for_each(|item| self.other(Other::Item(item)))
            }
            Intake::SiteFile(file) => self.other(Other::SiteFile(file)),
            Intake::Redirect { from, to } => match redirect(&from, to, &self.tracking) {
                Some(redirect) => self.other(Other::Redirect(redirect)),
                None => Ok(()),
            },
            Intake::Revisit(revisit) => self.other(Other::Revisit(revisit)),
            Intake::Drop(drop) => self.other(Other::Drop((drop, halves))),
        }
    }

    fn page(&self, page: Page, digest: Option<u128>) -> io::Result<()> {
        let is_saved = page.url.starts_with("file:");
        let canonical = if is_saved { own_address(&page) } else { None };
        let declared = self.settings.as_ref().map(|of| Box::new(DeclaredHead::of_page(&page, of)));
        let mut page = StoredPage::held(page, digest, canonical);
        page.head.declared = declared;
        if page.site.is_empty() && !is_saved {
            let drop = drop_of("", &page, DropReason::BadUrl, String::new());
            return self.other(Other::Drop((drop, None)));
        }
        if self.packs.load(Ordering::Relaxed) {
            // Outside the lock: compression takes most of the time.
            page.pack()?;
        }
        let mut open = locked(&self.open);
        open.bytes += HEAD + bytes_of(&page.html);
        open.pages.push(page);
        self.bound(&mut open)
    }

    fn other(&self, other: Other) -> io::Result<()> {
        let mut open = locked(&self.open);
        open.bytes += (other.bytes() + size_of::<Other>()) as u64;
        open.others.push(other);
        self.bound(&mut open)
    }

    /// Writes what is in memory to a file if it exceeds the limit.
    fn bound(&self, open: &mut OpenSegment) -> io::Result<()> {
        match &self.files {
            // While a file is written, its pages are in memory together with the buffers of the writer.
            Some(files) if open.bytes > files.limit / if open.files.is_empty() { 1 } else { 2 } => {
                self.packs.store(true, Ordering::Relaxed);
                let name = format!("segment-{:06}", open.files.len());
                open.write(files, &name, Vec::new())
            }
            _ => Ok(()),
        }
    }

    /// Returns everything that was collected from these inputs. If there are files, writes the rest to a last file, which marks
    /// them as complete, unless an input could not be read: that input may be readable the next time.
    ///
    /// # Errors
    /// The first error that occurred while something was stored.
    pub fn finish(self, read: InputsRead) -> io::Result<Segments> {
        if let Some(error) = locked(&self.failure).take() {
            return Err(error);
        }
        let mut open = std::mem::take(&mut *locked(&self.open));
        if open.files.is_empty() {
            let OpenSegment { pages, others, .. } = open;
            return Ok(Segments { pages, others, read, files: Vec::new() });
        }
        let before = open.files.len();
        let name = match read.0.iter().any(Result::is_err) {
            false => format!("{LAST}{before:06}"),
            true => format!("segment-{before:06}"),
        };
        if let Some(files) = &self.files {
            open.write(files, &name, rows_of(&read)?)?;
        }
        Segments::open(open.files.into_iter())
    }

    /// Writes everything that was collected to one file; returns the number of pages.
    ///
    /// # Errors
    /// As [`Collector::finish`], and if the file cannot be written.
    pub fn finish_into(
        self,
        out: &Path,
        identity: &StepIdentity,
        read: InputsRead,
    ) -> io::Result<u64> {
        let segments = self.finish(read)?;
        let mut file = StepWriter::create(out, identity)?;
        let pages = match segments.files.is_empty() {
            true => {
                let Segments { pages, others, read, .. } = segments;
                let count = pages.len() as u64;
                write_segment(pages, others, rows_of(&read)?, &mut file)?;
                count
            }
            false => merge(segments.files, &mut file)?,
        };
        file.finish()?;
        Ok(pages)
    }
}

impl OpenSegment {
    /// Writes what is in memory, and the given rows, to a file of this name.
    fn write(
        &mut self,
        files: &SegmentFiles<'_>,
        name: &str,
        rows: Vec<SegmentRow>,
    ) -> io::Result<()> {
        let path = files.folder.join(name);
        let (pages, others) = (std::mem::take(&mut self.pages), std::mem::take(&mut self.others));
        let mut file = StepWriter::create(&path, &files.identity)?;
        write_segment(pages, others, rows, &mut file)?;
        file.finish()?;
        files.written.fetch_add(std::fs::metadata(&path)?.len(), Ordering::Relaxed);
        self.files.push(path);
        self.bytes = 0;
        Ok(())
    }
}

/// Compresses pages in as many threads as there are cores, while the reading threads wait.
fn pack_all(pages: &mut [StoredPage]) -> io::Result<()> {
    if pages.iter().all(|page| !matches!(page.html, HtmlPlace::Held(_))) {
        return Ok(());
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let each = pages.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let pack = |some: &mut [StoredPage]| some.iter_mut().try_for_each(StoredPage::pack);
        let threads: Vec<_> =
            pages.chunks_mut(each).map(|some| scope.spawn(move || pack(some))).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread failed")))
        })
    })
}

impl Segments {
    /// Segments that are already in files.
    pub fn of_files(files: Vec<StepFile>) -> Self {
        Self { pages: Vec::new(), others: Vec::new(), read: InputsRead::default(), files }
    }

    /// Opens the files that another process of the same run wrote to a folder; `None` if the last of them is missing.
    ///
    /// # Errors
    /// If one of the others is missing, or a file is damaged.
    pub fn reopen(folder: &Path) -> io::Result<Option<Self>> {
        let Some(last) = last_in(folder) else { return Ok(None) };
        let before: usize = last[LAST.len()..].parse().map_err(io::Error::other)?;
        let names = (0..before).map(|number| format!("segment-{number:06}")).chain([last]);
        Self::open(names.map(|name| folder.join(name))).map(Some)
    }

    fn open(files: impl Iterator<Item = PathBuf>) -> io::Result<Self> {
        let files = files.map(|path| StepFile::open(&path));
        Ok(Self::of_files(files.collect::<io::Result<_>>()?))
    }

    /// Removes the last file because a file in the folder is damaged, so that the inputs are read again.
    pub fn forget(folder: &Path) {
        if let Some(last) = last_in(folder) {
            // If it cannot be removed, the damage is found again.
            let _ = std::fs::remove_file(folder.join(last));
        }
    }
}

/// Finds the name of the last file of a run in a folder. If there is one, the files are complete.
pub fn last_in(folder: &Path) -> Option<String> {
    let names = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.into_string().ok()).find(|name| name.starts_with(LAST))
}

fn bytes_of(html: &HtmlPlace) -> u64 {
    match html {
        HtmlPlace::Held(html) => html.len() as u64,
        HtmlPlace::Packed(bytes) => bytes.len() as u64,
        HtmlPlace::Filed(_) => 0,
    }
}

fn rows_of(read: &InputsRead) -> io::Result<Vec<SegmentRow>> {
    let row = |input: &Result<(InputRecord, u64), String>| match input {
        Ok((record, others)) => SegmentRow::of(RowKind::Input, "", *others, &Some(record)),
        Err(why) => {
            let row = SegmentRow::of(RowKind::Input, "", 0, &None::<InputRecord>)?;
            Ok(SegmentRow { html: why.clone().into_bytes(), ..row })
        }
    };
    read.0.iter().map(row).collect()
}

/// Writes a segment: rows that are not pages, then saved pages, then pages of sites, in the order of outputs.
fn write_segment(
    mut pages: Vec<StoredPage>,
    others: Vec<Other>,
    mut rows: Vec<SegmentRow>,
    file: &mut StepWriter,
) -> io::Result<()> {
    pack_all(&mut pages)?;
    for other in others {
        rows.push(other.row()?);
    }
    write_rows(rows, file)?;
    pages.sort_by_cached_key(order_of);
    pages.into_iter().try_for_each(|page| write_page(page, file))
}
