//! What came of every site so far, so that a run that was stopped goes on where it was.
//!
//! The file holds frames in the order of outputs: length (4 bytes, little endian), XXH3 (8 bytes), and as many
//! bytes of an LZ4 block, behind its length unpacked (4 bytes), over MessagePack. A frame that is torn or damaged
//! ends the journal: what a dying machine had not brought to disk is done again. No other version reads it.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use lz4_flex::block::{compress_into, decompress_size_prepended, get_maximum_output_size};
use serde::{Deserialize, Serialize};
use sink::SiteResult;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes before the content of a frame.
const HEADER: usize = 12;
/// Bytes of the content before its block.
const LENGTH: usize = 4;
/// Longest frame that is believed: a length beyond is damage.
const LONGEST: u32 = 1 << 30;

/// Bytes of a thread's buffers that stay for the next frame.
const KEPT: usize = 8 << 20;

/// What a thread makes frames in.
#[derive(Default)]
struct Packer {
    plain: Vec<u8>,
    packed: Vec<u8>,
}

thread_local! {
    static PACKER: RefCell<Packer> = RefCell::default();
}

/// What came of a site, or of a part of a very large one.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Entry {
    /// Number of the site in the order of outputs.
    pub(crate) index: usize,
    /// Number of the part.
    pub(crate) part: usize,
    pub(crate) result: SiteResult,
}

impl Entry {
    /// The frame that holds it.
    pub(crate) fn frame(&self) -> io::Result<Vec<u8>> {
        frame(|to| rmp_serde::encode::write_named(to, self).map_err(io::Error::other))
    }

    /// The site, and the part of it, that comes next.
    fn next(&self) -> (usize, usize) {
        if self.result.more { (self.index, self.part + 1) } else { (self.index + 1, 0) }
    }

    /// What a frame's content holds.
    pub(crate) fn of_content(content: &[u8]) -> io::Result<Self> {
        rmp_serde::from_slice(&unpacked(content)?).map_err(io::Error::other)
    }
}

/// A frame around what `write` writes. LZ4, as a site's articles are read again once at most, and seldom.
pub(crate) fn frame(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<Vec<u8>> {
    PACKER.with_borrow_mut(|packer| {
        let Packer { plain, packed } = packer;
        plain.clear();
        write(plain)?;
        let length = u32::try_from(plain.len()).map_err(io::Error::other)?;
        let most = LENGTH + get_maximum_output_size(plain.len());
        packed.resize(packed.len().max(most), 0);
        packed[..LENGTH].copy_from_slice(&length.to_le_bytes());
        let block = compress_into(plain, &mut packed[LENGTH..]).map_err(io::Error::other)?;
        let content = &packed[..LENGTH + block];
        let mut frame = Vec::with_capacity(HEADER + content.len());
        frame.extend_from_slice(&(content.len() as u32).to_le_bytes());
        frame.extend_from_slice(&xxh3_64(content).to_le_bytes());
        frame.extend_from_slice(content);
        for buffer in [plain, packed] {
            buffer.truncate(KEPT);
            buffer.shrink_to(KEPT);
        }
        Ok(frame)
    })
}

/// What was written into the content of a frame.
pub(crate) fn unpacked(content: &[u8]) -> io::Result<Vec<u8>> {
    decompress_size_prepended(content).map_err(io::Error::other)
}

/// The site, and the part of it, that comes after the last whole frame of the journal at `path`.
pub(crate) fn next_after(path: &Path) -> io::Result<(usize, usize)> {
    let mut last = None;
    if let Some(mut frames) = Frames::open(path)? {
        while let Some(content) = frames.next()? {
            last = Some(content);
        }
    }
    let last = last.map(|content| Entry::of_content(&content)).transpose()?;
    Ok(last.map_or((0, 0), |last| last.next()))
}

/// A journal being written.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    end: u64,
}

impl Journal {
    /// Opens the journal at `path`, made where it is absent, after its first `end` bytes: what is behind
    /// goes.
    pub(crate) fn open(path: &Path, end: u64) -> io::Result<Self> {
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(Self { file, end })
    }

    /// Adds a frame. It outlives this process at once; when the machine dies, the last seconds are lost.
    pub(crate) fn add(&mut self, frame: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(frame);
        if written.is_err() {
            // What a full disk took of it must not be in the way of the next try.
            self.file.set_len(self.end)?;
            self.file.seek(SeekFrom::Start(self.end))?;
        } else {
            self.end += frame.len() as u64;
        }
        written
    }
}

/// Reads the whole frames of a journal.
#[derive(Debug)]
pub(crate) struct Frames {
    from: BufReader<File>,
    left: u64,
    end: u64,
}

impl Frames {
    /// The frames of the journal at `path`; none if it is not there.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        match File::open(path) {
            Ok(file) => {
                let left = file.metadata()?.len();
                Ok(Some(Self { from: BufReader::with_capacity(1 << 18, file), left, end: 0 }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Where the last frame given ends.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The content of the next whole frame. There is none behind one that is not.
    pub(crate) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let next = self.whole();
        if !matches!(next, Ok(Some(_))) {
            self.left = 0;
        }
        next
    }

    fn whole(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut header = [0; HEADER];
        if self.left < HEADER as u64 {
            return Ok(None);
        }
        self.from.read_exact(&mut header)?;
        let (length, hash) = header.split_at(4);
        let length = u32::from_le_bytes(length.try_into().unwrap_or_default());
        let hash = u64::from_le_bytes(hash.try_into().unwrap_or_default());
        let whole = HEADER as u64 + u64::from(length);
        if length > LONGEST || whole > self.left {
            return Ok(None);
        }
        let mut content = vec![0; length as usize];
        self.from.read_exact(&mut content)?;
        if xxh3_64(&content) != hash {
            return Ok(None);
        }
        self.left -= whole;
        self.end += whole;
        Ok(Some(content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(index: usize) -> Entry {
        Entry {
            index,
            part: 0,
            result: SiteResult::of_articles(&format!("{index}.example"), Vec::new()),
        }
    }

    fn sites(path: &Path) -> (Vec<String>, u64) {
        let mut frames = Frames::open(path).unwrap().unwrap();
        let mut found = Vec::new();
        while let Some(content) = frames.next().unwrap() {
            found.push(Entry::of_content(&content).unwrap().result.site);
        }
        assert!(frames.next().unwrap().is_none(), "nothing behind the end");
        (found, frames.end())
    }

    #[test]
    fn a_torn_or_damaged_end_is_left_out_and_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        assert!(Frames::open(&path).unwrap().is_none());
        let mut journal = Journal::open(&path, 0).unwrap();
        for index in 0..3 {
            journal.add(&entry(index).frame().unwrap()).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        let third = entry(2).frame().unwrap().len();
        for kept in 0..third {
            std::fs::write(&path, &whole[..whole.len() - third + kept]).unwrap();
            let (found, end) = sites(&path);
            assert_eq!(found, ["0.example", "1.example"], "{kept} bytes of the third");
            assert_eq!(end as usize, whole.len() - third);
        }
        let mut damaged = whole.clone();
        let at = whole.len() - third - 2;
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let (found, end) = sites(&path);
        assert_eq!(found, ["0.example"]);
        let mut journal = Journal::open(&path, end).unwrap();
        for index in 1..3 {
            journal.add(&entry(index).frame().unwrap()).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == whole, "the same sites are the same bytes");
    }
}
