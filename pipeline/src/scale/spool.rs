//! Pages between reading and processing: in memory while they fit, else in files on disk, in parts by
//! the hash of their site, so that sites come out in the order of all outputs.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use model::{Charset, Origin, Page};
use serde::{Deserialize, Serialize};

use crate::stages::read::Place;

/// Parts: few enough that each may have a buffer and an open file, enough that one part's pages without
/// their HTML are little even of a terabyte.
pub(crate) const PARTS: usize = 256;
/// The part of saved files, whose site is known only when all of them are read.
pub(crate) const SAVED: usize = PARTS;
/// Bytes a page takes beside its HTML, roughly.
const HEAD: u64 = 400;
const BUFFER: usize = 64 << 10;
/// zstd's fastest usual level: 450 MB/s on HTML, to a sixth or so.
const LEVEL: i32 = 1;

/// A page without its HTML: what grouping has to know.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Head {
    pub(crate) url: String,
    pub(crate) fetched: Option<Timestamp>,
    pub(crate) origin: Origin,
    pub(crate) charset: Charset,
    /// Digest of its payload, in two halves.
    pub(crate) digest: Option<(u64, u64)>,
    /// The address a saved file names as its own.
    pub(crate) canonical: Option<String>,
    /// Bytes of its HTML.
    pub(crate) length: u64,
    /// What it weighs while its site is worked on.
    pub(crate) weight: u64,
}

/// Where the record lies that the HTML of a page was taken from.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Whence {
    /// Number of the input.
    pub(crate) input: u32,
    pub(crate) place: Place,
}

/// Where the HTML of a page is.
#[derive(Clone, Debug)]
pub(crate) enum Html {
    /// Here.
    Held(String),
    /// In a part's file, compressed.
    Packed { part: usize, at: u64, bytes: u32 },
    /// Here, compressed.
    Fetched(Vec<u8>),
}

/// A page of a spool.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) head: Head,
    pub(crate) html: Html,
    /// Not kept in files: what is there need not be read again.
    pub(crate) whence: Whence,
}

#[derive(Debug, Default)]
struct Part {
    held: Vec<Stored>,
    file: Option<BufWriter<File>>,
    end: u64,
}

/// The pages of a run.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    parts: Vec<Mutex<Part>>,
    /// Bytes held, and how many may be.
    held: AtomicU64,
    limit: u64,
    spilling: AtomicBool,
    packed: AtomicU64,
}

thread_local! {
    static PACKER: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
}

fn pack(html: &str) -> io::Result<Vec<u8>> {
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

fn unpack(packed: &[u8], length: u64) -> io::Result<String> {
    let html = zstd::bulk::decompress(packed, usize::try_from(length).unwrap_or(usize::MAX))?;
    String::from_utf8(html).map_err(io::Error::other)
}

fn locked(part: &Mutex<Part>) -> MutexGuard<'_, Part> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Spool {
    /// An empty one. Its folder is made when more than `limit` bytes are held.
    pub(crate) fn new(folder: &Path, limit: u64) -> Self {
        Self {
            folder: folder.to_owned(),
            parts: (0..=PARTS).map(|_| Mutex::default()).collect(),
            held: AtomicU64::new(0),
            limit,
            spilling: AtomicBool::new(false),
            packed: AtomicU64::new(0),
        }
    }

    /// One whose files were all written before.
    pub(crate) fn reopen(folder: &Path) -> Self {
        let spool = Self::new(folder, 0);
        spool.spilling.store(true, Ordering::Relaxed);
        spool
    }

    /// Makes a new folder for a spool; what an earlier process left there unfinished goes. Nobody else may
    /// read or write in it, wherever it lies.
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

    /// The part for a site of this hash. Parts are in the order of hashes.
    pub(crate) fn part_of(hash: u64) -> usize {
        (hash >> 56) as usize
    }

    fn path(&self, part: usize) -> PathBuf {
        self.folder.join(format!("part-{part:03}"))
    }

    /// Whether pages go to files.
    pub(crate) fn is_on_disk(&self) -> bool {
        self.spilling.load(Ordering::Relaxed)
    }

    /// Bytes in files so far.
    pub(crate) fn bytes_on_disk(&self) -> u64 {
        self.packed.load(Ordering::Relaxed)
    }

    /// Puts a page where it belongs. Called from many threads.
    pub(crate) fn put(&self, part: usize, page: Stored) -> io::Result<()> {
        if self.is_on_disk() {
            return self.write(part, page);
        }
        let cost = page.head.length + HEAD;
        locked(&self.parts[part]).held.push(page);
        if self.held.fetch_add(cost, Ordering::Relaxed) + cost > self.limit {
            self.spill()
        } else {
            Ok(())
        }
    }

    /// From now on everything goes to files, and so does what is held.
    pub(crate) fn spill(&self) -> io::Result<()> {
        if self.spilling.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        for at in 0..self.parts.len() {
            let held = std::mem::take(&mut locked(&self.parts[at]).held);
            for page in held {
                self.write(at, page)?;
            }
        }
        self.held.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn write(&self, part: usize, page: Stored) -> io::Result<()> {
        // Packed before the part is locked: that is the work.
        let packed = match &page.html {
            Html::Held(html) => pack(html)?,
            Html::Packed { part, at, bytes } => self.read(*part, *at, *bytes)?,
            Html::Fetched(packed) => packed.clone(),
        };
        let head = rmp_serde::to_vec(&page.head).map_err(io::Error::other)?;
        let mut to = locked(&self.parts[part]);
        let to = &mut *to;
        let file = match &mut to.file {
            Some(file) => file,
            empty => {
                fs::create_dir_all(&self.folder)?;
                empty.insert(BufWriter::with_capacity(BUFFER, File::create(self.path(part))?))
            }
        };
        let lengths = [head.len() as u32, packed.len() as u32];
        for bytes in lengths.map(u32::to_le_bytes) {
            file.write_all(&bytes)?;
        }
        file.write_all(&head)?;
        file.write_all(&packed)?;
        let bytes = 8 + head.len() as u64 + packed.len() as u64;
        to.end += bytes;
        self.packed.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Sees to it that everything written is in the files.
    pub(crate) fn flush(&self) -> io::Result<()> {
        for part in &self.parts {
            if let Some(file) = &mut locked(part).file {
                file.flush()?;
            }
        }
        Ok(())
    }

    /// Takes the pages of a part out of memory, and lists those in its file.
    pub(crate) fn take(&self, part: usize) -> io::Result<Vec<Stored>> {
        let mut pages = std::mem::take(&mut locked(&self.parts[part]).held);
        self.list(part, &mut |page| pages.push(page))?;
        Ok(pages)
    }

    /// Shows every page, held or in files.
    pub(crate) fn each(&self, see: &mut dyn FnMut(&Stored)) -> io::Result<()> {
        for part in 0..PARTS {
            locked(&self.parts[part]).held.iter().for_each(&mut *see);
            self.list(part, &mut |page| see(&page))?;
        }
        Ok(())
    }

    /// Shows the pages of a part that are held.
    pub(crate) fn each_held(
        &self,
        part: usize,
        see: &mut dyn FnMut(&Head, &str, Whence) -> io::Result<()>,
    ) -> io::Result<()> {
        locked(&self.parts[part]).held.iter().try_for_each(|page| match &page.html {
            Html::Held(html) => see(&page.head, html, page.whence),
            Html::Packed { .. } | Html::Fetched(_) => Err(io::Error::other("a page is not held")),
        })
    }

    /// Forgets all pages.
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
        if !self.is_on_disk() {
            return Ok(());
        }
        if let Some(file) = &mut locked(&self.parts[part]).file {
            file.flush()?;
        }
        let file = match File::open(self.path(part)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let end = file.metadata()?.len();
        let mut from = BufReader::with_capacity(BUFFER, file);
        let mut at = 0;
        while at < end {
            let mut lengths = [[0; 4]; 2];
            for bytes in &mut lengths {
                from.read_exact(bytes)?;
            }
            let [head, packed] = lengths.map(u32::from_le_bytes);
            let mut bytes = vec![0; head as usize];
            from.read_exact(&mut bytes)?;
            let head_at = at + 8;
            let html = Html::Packed { part, at: head_at + u64::from(head), bytes: packed };
            let of_page = rmp_serde::from_slice(&bytes).map_err(io::Error::other)?;
            see(Stored { head: of_page, html, whence: Whence::default() });
            from.seek_relative(i64::from(packed))?;
            at = head_at + u64::from(head) + u64::from(packed);
        }
        Ok(())
    }

    fn read(&self, part: usize, at: u64, bytes: u32) -> io::Result<Vec<u8>> {
        if let Some(file) = &mut locked(&self.parts[part]).file {
            file.flush()?;
        }
        Opened::default().read(self, part, at, bytes)
    }

    /// Brings pages into memory, as they are in the files.
    pub(crate) fn fetch(&self, pages: &mut [Stored]) -> io::Result<()> {
        let mut opened = Opened::default();
        for page in pages {
            if let Html::Packed { part, at, bytes } = page.html {
                page.html = Html::Fetched(opened.read(self, part, at, bytes)?);
            }
        }
        Ok(())
    }

    /// The pages with their HTML, as a site's.
    pub(crate) fn load(&self, site: &str, pages: Vec<Stored>) -> io::Result<Vec<Page>> {
        let mut opened = Opened::default();
        let load = |Stored { head, html, .. }| {
            let html = match html {
                Html::Held(html) => html,
                Html::Fetched(packed) => unpack(&packed, head.length)?,
                Html::Packed { part, at, bytes } => {
                    unpack(&opened.read(self, part, at, bytes)?, head.length)?
                }
            };
            let Head { url, fetched, origin, charset, .. } = head;
            Ok(Page { url, site: site.to_owned(), fetched, origin, charset, html })
        };
        pages.into_iter().map(load).collect()
    }
}

/// The file that was read last: pages of a site are in one part.
#[derive(Debug, Default)]
struct Opened(Option<(usize, File)>);

impl Opened {
    fn read(&mut self, of: &Spool, part: usize, at: u64, bytes: u32) -> io::Result<Vec<u8>> {
        let file = match &mut self.0 {
            Some((open, file)) if *open == part => file,
            other => &mut other.insert((part, File::open(of.path(part))?)).1,
        };
        file.seek(SeekFrom::Start(at))?;
        let mut packed = vec![0; bytes as usize];
        file.read_exact(&mut packed)?;
        Ok(packed)
    }
}

#[cfg(test)]
mod tests {
    use model::CharsetEvidence;

    use super::*;

    fn page(n: u64) -> Stored {
        let html = format!("<p>{}", "swing bridge é ".repeat(n as usize * 40));
        let origin =
            Origin { file: "a".into(), offset: n, record_id: String::new(), truncated: None };
        let head = Head {
            url: format!("https://{n}.example/"),
            fetched: None,
            origin,
            charset: Charset { name: "UTF-8", evidence: CharsetEvidence::Bom },
            digest: Some((n, !n)),
            canonical: None,
            length: html.len() as u64,
            weight: html.len() as u64,
        };
        Stored { head, html: Html::Held(html), whence: Whence::default() }
    }

    fn pages_of(spool: &Spool, part: usize) -> Vec<(String, String)> {
        let mut stored = spool.take(part).unwrap();
        spool.fetch(&mut stored[..1]).unwrap();
        let pages = spool.load("s", stored).unwrap();
        pages.into_iter().map(|page| (page.url, page.html)).collect()
    }

    #[test]
    fn pages_come_back_from_memory_from_disk_and_to_another_process() {
        let folder = tempfile::tempdir().unwrap();
        let expected: Vec<(String, String)> = (1..20)
            .map(|n| match page(n) {
                Stored { head, html: Html::Held(html), .. } => (head.url, html),
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
                assert_eq!(pages_of(&Spool::reopen(&at), 7), expected);
            }
            assert_eq!(pages_of(&spool, 7), expected, "limit {limit}");
            assert!(spool.take(8).unwrap().is_empty());
        }
    }

    #[test]
    fn a_cut_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(folder.path(), 0);
        (1..5).try_for_each(|n| spool.put(7, page(n))).unwrap();
        spool.flush().unwrap();
        let path = folder.path().join("part-007");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        let again = Spool::reopen(folder.path());
        assert!(again.take(7).and_then(|pages| again.load("s", pages)).is_err());
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
