//! Pages between reading and processing: in memory while they fit, else in files on disk. They are
//! partitioned by the hash of their site, so that sites come out in the order of outputs.

mod part;

use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::{Page, PageHtml};

use self::part::Part;
use crate::frames::{HEADER, read_frame_at};
use crate::shuffle::stored::{Head, Html, PlaceInSurvey, SourceRecord, Stored};

pub(crate) use self::part::Extent;

/// Number of parts: few enough for each to have a buffer and an open file, enough that the pages of one part
/// without their HTML are small even for a terabyte.
pub(crate) const PARTS: usize = 256;
/// The part of saved files, whose sites are known only after all of them are read.
pub(crate) const SAVED: usize = PARTS;
/// Approximate bytes of a page without its HTML.
const HEAD: u64 = 400;
/// zstd's fastest regular level: 450 MB/s on HTML, compressed to about a sixth.
const LEVEL: i32 = 1;

/// The pages of a run.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    parts: Vec<Mutex<Part>>,
    /// Bytes in memory, and their limit.
    held: AtomicU64,
    limit: u64,
    spilling: AtomicBool,
    packed: AtomicU64,
    /// Gives the HTML of pages that were surveyed by other processes.
    surveys: Option<Arc<dyn Surveys>>,
}

/// The HTML of surveyed pages.
pub(crate) trait Surveys: std::fmt::Debug + Send + Sync {
    /// The HTML of a page, compressed as [`pack`] does.
    ///
    /// # Errors
    /// If its survey cannot be read.
    fn packed(&self, of: PlaceInSurvey) -> io::Result<Vec<u8>>;
}

thread_local! {
    static PACKER: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
}

/// Compresses HTML.
///
/// # Errors
/// If the compressor cannot be made.
pub(crate) fn pack(html: &str) -> io::Result<Vec<u8>> {
    PACKER.with_borrow_mut(|packer| {
        if packer.is_none() {
            *packer = Some(zstd::bulk::Compressor::new(LEVEL)?);
        }
        match packer {
            Some(packer) => packer.compress(html.as_bytes()),
            None => Ok(Vec::new()),
        }
    })
}

/// The HTML of a page, of which the length is known.
///
/// # Errors
/// If it is damaged.
pub(crate) fn unpack(packed: &[u8], length: u64) -> io::Result<String> {
    let html = zstd::bulk::decompress(packed, usize::try_from(length).unwrap_or(usize::MAX))?;
    String::from_utf8(html).map_err(io::Error::other)
}

fn locked(part: &Mutex<Part>) -> MutexGuard<'_, Part> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Spool {
    /// An empty spool. Its folder is created when more than `limit` bytes are in memory.
    pub(crate) fn new(folder: &Path, limit: u64) -> Self {
        Self {
            folder: folder.to_owned(),
            parts: (0..=PARTS).map(|_| Mutex::default()).collect(),
            held: AtomicU64::new(0),
            limit,
            spilling: AtomicBool::new(false),
            packed: AtomicU64::new(0),
            surveys: None,
        }
    }

    /// An empty spool for pages whose HTML is in surveys: it is not copied, and their heads stay in memory.
    pub(crate) fn of_surveys(surveys: Arc<dyn Surveys>) -> Self {
        let mut spool = Self::new(Path::new(""), u64::MAX);
        spool.surveys = Some(surveys);
        spool
    }

    fn surveyed(&self, place: PlaceInSurvey) -> io::Result<Vec<u8>> {
        let surveys = self.surveys.as_ref();
        surveys.ok_or_else(|| io::Error::other("a page is in no survey"))?.packed(place)
    }

    /// Opens files that another process wrote. `None` if they do not have their recorded sizes.
    pub(crate) fn reopen(folder: &Path, extents: &[Extent]) -> io::Result<Option<Self>> {
        let mut spool = Self::new(folder, 0);
        if extents.len() != PARTS {
            return Ok(None);
        }
        for (part, &extent) in extents.iter().enumerate() {
            let bytes = match fs::metadata(spool.path(part)) {
                Ok(of) => of.len(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
                Err(error) => return Err(error),
            };
            if bytes != extent.bytes {
                return Ok(None);
            }
            spool.parts[part] = Mutex::new(Part::filed(extent));
        }
        spool.spilling.store(true, Ordering::Relaxed);
        Ok(Some(spool))
    }

    /// Sizes of the files of all parts, for [`Spool::reopen`].
    pub(crate) fn extents(&self) -> io::Result<Vec<Extent>> {
        let of_part = |part: &Mutex<Part>| Ok(locked(part).flush()?.unwrap_or_default());
        self.parts[..PARTS].iter().map(of_part).collect()
    }

    /// Creates a new folder for a spool and removes unfinished files of an earlier process. Only the owner
    /// may read or write it.
    pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        if let Some(above) = folder.parent() {
            fs::create_dir_all(above)?;
        }
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)
    }

    /// The part of a site with this hash. Parts are in the order of hashes.
    pub(crate) fn part_of(hash: u64) -> usize {
        (hash >> 56) as usize
    }

    fn path(&self, part: usize) -> PathBuf {
        self.folder.join(format!("part-{part:03}"))
    }

    /// Whether pages are written to files.
    pub(crate) fn is_on_disk(&self) -> bool {
        self.spilling.load(Ordering::Relaxed)
    }

    /// Bytes written to files so far.
    pub(crate) fn bytes_on_disk(&self) -> u64 {
        self.packed.load(Ordering::Relaxed)
    }

    /// Stores a page. Called from many threads.
    pub(crate) fn put(&self, part: usize, page: Stored) -> io::Result<()> {
        let cost = page.head.length + HEAD;
        {
            let mut to = locked(&self.parts[part]);
            let Part::Held(held) = &mut *to else {
                // Compressed without the lock: pages never return from files to memory.
                drop(to);
                return self.write(part, page);
            };
            held.push(page);
        }
        if self.held.fetch_add(cost, Ordering::Relaxed) + cost > self.limit {
            self.spill()
        } else {
            Ok(())
        }
    }

    /// Whether `bytes` more of HTML fit into memory.
    pub(crate) fn has_room_for(&self, bytes: u64) -> bool {
        !self.is_on_disk() && self.held.load(Ordering::Relaxed).saturating_add(bytes) <= self.limit
    }

    /// Writes all pages to files, now and from now on.
    pub(crate) fn spill(&self) -> io::Result<()> {
        if self.spilling.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        for (at, part) in self.parts.iter().enumerate() {
            let before = std::mem::replace(&mut *locked(part), Part::filed(Extent::default()));
            if let Part::Held(held) = before {
                held.into_iter().try_for_each(|page| self.write(at, page))?;
            }
        }
        self.held.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn write(&self, part: usize, page: Stored) -> io::Result<()> {
        // Compressed before the part is locked: this takes most of the time.
        let packed = match &page.html {
            Html::Held(html) => pack(html)?,
            Html::Packed { part, at, bytes } => self.read(*part, *at, *bytes)?,
            Html::Fetched(packed) => packed.clone(),
            Html::Surveyed(place) => self.surveyed(*place)?,
        };
        let head = rmp_serde::to_vec(&page.head).map_err(io::Error::other)?;
        let bytes = locked(&self.parts[part]).write(&self.path(part), &head, &packed)?;
        self.packed.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Flushes all files.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.parts.iter().try_for_each(|part| locked(part).flush().map(drop))
    }

    /// Takes the pages of a part out of memory, or lists those in its file.
    pub(crate) fn take(&self, part: usize) -> io::Result<Vec<Stored>> {
        let mut pages = Vec::new();
        self.take_each(part, &mut |page| pages.push(page))?;
        Ok(pages)
    }

    /// The same, one page after the other.
    pub(crate) fn take_each(&self, part: usize, take: &mut dyn FnMut(Stored)) -> io::Result<()> {
        if let Part::Held(held) = &mut *locked(&self.parts[part]) {
            std::mem::take(held).into_iter().for_each(take);
            return Ok(());
        }
        self.list(part, take)
    }

    /// Visits every page, in memory or in files.
    pub(crate) fn each(&self, see: &mut dyn FnMut(&Stored)) -> io::Result<()> {
        for part in 0..PARTS {
            if let Part::Held(held) = &*locked(&self.parts[part]) {
                held.iter().for_each(&mut *see);
                continue;
            }
            self.list(part, &mut |page| see(&page))?;
        }
        Ok(())
    }

    /// Visits the pages of a part in memory.
    pub(crate) fn each_held(
        &self,
        part: usize,
        see: &mut dyn FnMut(&Head, SourceRecord) -> io::Result<()>,
    ) -> io::Result<()> {
        let not_held = || Err(io::Error::other("a page is not held"));
        let Part::Held(held) = &*locked(&self.parts[part]) else { return not_held() };
        held.iter().try_for_each(|page| match &page.html {
            Html::Held(_) => see(&page.head, page.source),
            Html::Packed { .. } | Html::Fetched(_) | Html::Surveyed(_) => not_held(),
        })
    }

    /// Removes all pages.
    pub(crate) fn clear(&self) -> io::Result<()> {
        for part in &self.parts {
            *locked(part) = Part::default();
        }
        self.held.store(0, Ordering::Relaxed);
        self.packed.store(0, Ordering::Relaxed);
        self.spilling.store(false, Ordering::Relaxed);
        if self.folder.exists() { fs::remove_dir_all(&self.folder) } else { Ok(()) }
    }

    /// Lists the pages in a part's file.
    fn list(&self, part: usize, see: &mut dyn FnMut(Stored)) -> io::Result<()> {
        let Some(put) = locked(&self.parts[part]).flush()? else { return Ok(()) };
        part::list(&self.path(part), part, put, see)
    }

    fn read(&self, part: usize, at: u64, bytes: u32) -> io::Result<Vec<u8>> {
        locked(&self.parts[part]).flush()?;
        Opened::default().read(self, part, at, bytes)
    }

    /// The HTML of a page, compressed; frees it if it is in memory.
    pub(crate) fn packed(&self, page: &mut Stored) -> io::Result<Vec<u8>> {
        match std::mem::replace(&mut page.html, Html::Held(PageHtml::default())) {
            Html::Held(html) => pack(&html),
            Html::Fetched(packed) => Ok(packed),
            Html::Packed { part, at, bytes } => self.read(part, at, bytes),
            Html::Surveyed(place) => self.surveyed(place),
        }
    }

    /// Loads pages into memory, still compressed.
    pub(crate) fn fetch(&self, pages: &mut [Stored]) -> io::Result<()> {
        let mut opened = Opened::default();
        for page in pages {
            if let Html::Packed { part, at, bytes } = page.html {
                page.html = Html::Fetched(opened.read(self, part, at, bytes)?);
            }
        }
        Ok(())
    }

    /// The pages of a site, with their HTML.
    pub(crate) fn load(&self, site: &str, pages: Vec<Stored>) -> io::Result<Vec<Page>> {
        let mut opened = Opened::default();
        let load = |Stored { head, html, .. }| {
            let html = match html {
                Html::Held(html) => html,
                Html::Fetched(packed) => unpack(&packed, head.length)?.into(),
                Html::Surveyed(place) => unpack(&self.surveyed(place)?, head.length)?.into(),
                Html::Packed { part, at, bytes } => {
                    unpack(&opened.read(self, part, at, bytes)?, head.length)?.into()
                }
            };
            let Head { url, fetched, origin, charset, .. } = head;
            Ok(Page { url, site: site.to_owned(), fetched, origin, charset, html })
        };
        pages.into_iter().map(load).collect()
    }
}

/// Keeps the last file open: all pages of a site are in one part.
#[derive(Debug, Default)]
struct Opened(Option<(usize, File)>);

impl Opened {
    fn read(&mut self, of: &Spool, part: usize, at: u64, bytes: u32) -> io::Result<Vec<u8>> {
        let file = match &mut self.0 {
            Some((open, file)) if *open == part => file,
            other => &mut other.insert((part, File::open(of.path(part))?)).1,
        };
        read_frame_at(file, &of.path(part), at, HEADER + bytes as usize)
    }
}

#[cfg(test)]
mod tests {
    use model::{Charset, CharsetEvidence, Origin, Overruled};

    use super::*;

    fn page(n: u64) -> Stored {
        let html = format!("<p>{}", "swing bridge é ".repeat(n as usize * 40));
        let origin =
            Origin { file: "a".into(), offset: n, record_id: String::new(), truncated: None };
        let head = Head {
            url: format!("https://{n}.example/"),
            fetched: None,
            origin,
            charset: Charset {
                name: "UTF-8",
                evidence: CharsetEvidence::Bom,
                overruled: Overruled::default(),
            },
            digest: Some((n, !n)),
            content: (n, n),
            canonical: None,
            length: html.len() as u64,
            weight: html.len() as u64,
            declared: None,
        };
        Stored { head, html: Html::Held(html.into()), source: SourceRecord::default() }
    }

    /// The spool as another process opens it.
    fn reopened(spool: &Spool) -> Spool {
        let extents = spool.extents().unwrap();
        Spool::reopen(&spool.folder, &extents).unwrap().unwrap()
    }

    fn pages_of(spool: &Spool, part: usize) -> Vec<(String, String)> {
        let mut stored = spool.take(part).unwrap();
        spool.fetch(&mut stored[..1]).unwrap();
        let taken = stored.iter_mut().map(Stored::take).collect();
        let pages = spool.load("s", taken).unwrap();
        pages.into_iter().map(|page| (page.url, page.html.to_string())).collect()
    }

    #[test]
    fn pages_come_back_from_memory_from_disk_and_to_another_process() {
        let folder = tempfile::tempdir().unwrap();
        let expected: Vec<(String, String)> = (1..20)
            .map(|n| match page(n) {
                Stored { head, html: Html::Held(html), .. } => (head.url, html.to_string()),
                other => panic!("{other:?}"),
            })
            .collect();
        for limit in [0, 20_000, 1 << 30] {
            let at = folder.path().join(limit.to_string());
            let spool = Spool::new(&at, limit);
            (1..20).try_for_each(|n| spool.put(7, page(n))).unwrap();
            assert_eq!(spool.is_on_disk(), limit < 1 << 30);
            spool.flush().unwrap();
            let mut count = 0;
            spool.each(&mut |_| count += 1).unwrap();
            assert_eq!(count, 19);
            if spool.is_on_disk() {
                assert_eq!(pages_of(&reopened(&spool), 7), expected);
            }
            assert_eq!(pages_of(&spool, 7), expected, "limit {limit}");
            assert!(spool.take(8).unwrap().is_empty());
        }
    }

    #[test]
    fn every_page_is_there_for_another_process_however_threads_meet() {
        const THREADS: u64 = 8;
        const EACH: u64 = 60;
        let folder = tempfile::tempdir().unwrap();
        let small = |n| {
            let page = page(n);
            let head = Head { length: 0, ..page.head };
            Stored { head, html: Html::Held(PageHtml::default()), ..page }
        };
        for round in 0..2_000 {
            let at = folder.path().join(round.to_string());
            // Pages spill to files while the threads are about half done.
            let spool = Spool::new(&at, THREADS * EACH / 2 * HEAD);
            let begin = std::sync::Barrier::new(THREADS as usize);
            std::thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| {
                        let pages: Vec<Stored> = (0..EACH).map(small).collect();
                        begin.wait();
                        for (n, page) in pages.into_iter().enumerate() {
                            spool.put(n % 3, page).unwrap();
                        }
                    });
                }
            });
            let mut found = 0;
            reopened(&spool).each(&mut |_| found += 1).unwrap();
            assert_eq!(found, THREADS * EACH, "round {round}");
            fs::remove_dir_all(&at).unwrap();
        }
    }

    #[test]
    fn files_that_are_not_what_was_written_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(folder.path(), 0);
        (1..5).try_for_each(|n| spool.put(7, page(n))).unwrap();
        let extents = spool.extents().unwrap();
        let path = folder.path().join("part-007");
        let whole = fs::read(&path).unwrap();
        // When they are opened.
        assert!(Spool::reopen(folder.path(), &extents).unwrap().is_some());
        assert!(Spool::reopen(folder.path(), &extents[..9]).unwrap().is_none());
        for cut in [whole.len() - 3, 0] {
            fs::write(&path, &whole[..cut]).unwrap();
            assert!(Spool::reopen(folder.path(), &extents).unwrap().is_none());
        }
        fs::remove_file(&path).unwrap();
        assert!(Spool::reopen(folder.path(), &extents).unwrap().is_none());
        // And when they are read: cut after the third page, and a page too few for the same length.
        fs::write(&path, &whole).unwrap();
        let again = Spool::reopen(folder.path(), &extents).unwrap().unwrap();
        fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        assert!(again.take(7).is_err());
        let mut more = extents.clone();
        more[7].pages += 1;
        fs::write(&path, &whole).unwrap();
        let again = Spool::reopen(folder.path(), &more).unwrap().unwrap();
        let message = again.take(7).unwrap_err().to_string();
        assert!(message.contains("part-007 does not hold the 5 pages"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn its_folder_is_new_and_nobody_elses() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("a/b");
        fs::create_dir_all(&at).unwrap();
        fs::write(at.join("left"), "").unwrap();
        Spool::make_folder(&at).unwrap();
        assert_eq!(fs::read_dir(&at).unwrap().count(), 0);
        assert_eq!(fs::metadata(&at).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
