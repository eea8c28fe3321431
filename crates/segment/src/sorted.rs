//! External merge sort: in memory while there are few items, else in sorted files that are merged while they are read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufWriter, Cursor, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::frames::{Frames, frame, unpacked, write_frame};

/// Bytes of items in memory at which they are spilled to a file.
const HELD: usize = 32 << 20;
/// Maximum number of files that are merged at a time: each needs a decoder.
const MERGED: usize = 64;
/// Uncompressed bytes of items at which a frame ends.
const FRAME: usize = 128 << 10;

/// An item that can be sorted on disk.
pub trait Item: Ord + Serialize + DeserializeOwned {}

impl<T: Ord + Serialize + DeserializeOwned> Item for T {}

/// Collects items in any order.
#[derive(Debug)]
pub(crate) struct Sorter<T> {
    held: Vec<T>,
    bytes: usize,
    /// Prefix of file names, to which a number is appended. `None` if everything stays in memory.
    path: Option<PathBuf>,
    files: Vec<PathBuf>,
    made: usize,
}

impl<T: Item> Sorter<T> {
    /// Spills to files named `path` with a number appended.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path: Some(path), ..Self::in_memory() }
    }

    /// Keeps everything in memory.
    pub(crate) fn in_memory() -> Self {
        Self { held: Vec::new(), bytes: 0, path: None, files: Vec::new(), made: 0 }
    }

    /// Spills to files in `folder` with this name and a number. Without a folder, keeps everything in memory.
    pub(crate) fn within(folder: Option<&Path>, name: &str) -> Self {
        folder.map_or_else(Self::in_memory, |folder| Self::new(folder.join(name)))
    }

    pub(crate) fn push(&mut self, item: T, bytes: usize) -> io::Result<()> {
        self.held.push(item);
        self.bytes += bytes + size_of::<T>();
        if self.bytes > HELD && self.path.is_some() { self.set_aside() } else { Ok(()) }
    }

    /// If some items are in files already, writes the rest too, and frees the memory.
    pub(crate) fn park(&mut self) -> io::Result<()> {
        if !self.files.is_empty() {
            self.set_aside()?;
            self.held = Vec::new();
        }
        Ok(())
    }

    fn set_aside(&mut self) -> io::Result<()> {
        let path = self.next_path();
        self.held.sort_unstable();
        write_all(&path, self.held.drain(..).map(Ok))?;
        self.files.push(path);
        self.bytes = 0;
        Ok(())
    }

    fn next_path(&mut self) -> PathBuf {
        let mut path = self.path.clone().unwrap_or_default().into_os_string();
        path.push(format!("-{}", self.made));
        self.made += 1;
        PathBuf::from(path)
    }

    pub(crate) fn each(&self, see: &mut dyn FnMut(&T) -> io::Result<()>) -> io::Result<()> {
        self.held.iter().try_for_each(&mut *see)?;
        for path in &self.files {
            SortedFile::open(path)?.try_for_each(|item| see(&item?))?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<Merged<T>> {
        self.park()?;
        while self.files.len() > MERGED {
            let path = self.next_path();
            let some: Vec<PathBuf> = self.files.drain(..MERGED).collect();
            write_all(&path, merged::<T>(&some, Vec::new())?)?;
            some.iter().try_for_each(std::fs::remove_file)?;
            self.files.push(path);
        }
        self.held.sort_unstable();
        merged(&self.files, self.held)
    }
}

fn merged<T: Item>(files: &[PathBuf], held: Vec<T>) -> io::Result<Merged<T>> {
    let stored = files.iter().map(|path| SortedFile::open(path).map(SortedRun::SortedFile));
    let held = std::iter::once(Ok(SortedRun::Held(held.into_iter())));
    Merged::new(stored.chain(held).collect::<io::Result<_>>()?)
}

/// Writes items to a file for [`SortedFile::open`]. The file consists of frames, of which the last one is empty.
fn write_all<T: Item>(path: &Path, items: impl Iterator<Item = io::Result<T>>) -> io::Result<()> {
    let mut to = BufWriter::new(File::create(path)?);
    let mut content = Vec::new();
    for item in items {
        rmp_serde::encode::write(&mut content, &item?).map_err(io::Error::other)?;
        if content.len() >= FRAME {
            to.write_all(&frame(&[], |to| to.write_all(&content))?)?;
            content.clear();
        }
    }
    if !content.is_empty() {
        to.write_all(&frame(&[], |to| to.write_all(&content))?)?;
    }
    write_frame(&mut to, &[])?;
    to.flush()
}

#[derive(Debug)]
struct SortedFile<T> {
    from: Frames,
    content: Cursor<Vec<u8>>,
    is_at_end: bool,
    of: PhantomData<T>,
}

impl<T: Item> SortedFile<T> {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let missing =
            || io::Error::new(io::ErrorKind::NotFound, format!("{} is missing", path.display()));
        let from = Frames::open(path)?.ok_or_else(missing)?;
        Ok(Self { from, content: Cursor::default(), is_at_end: false, of: PhantomData })
    }

    fn read(&mut self) -> io::Result<Option<T>> {
        while self.content.position() == self.content.get_ref().len() as u64 {
            if self.is_at_end {
                return Ok(None);
            }
            let Some(content) = self.from.next_of_whole()? else {
                return Err(self.from.cut_short());
            };
            if content.is_empty() {
                // No frame may follow the empty one.
                self.is_at_end = self.from.next_of_whole()?.is_none();
                if !self.is_at_end {
                    return Err(self.from.cut_short());
                }
                continue;
            }
            self.content = Cursor::new(unpacked(&content)?);
        }
        rmp_serde::from_read(&mut self.content).map(Some).map_err(io::Error::other)
    }
}

impl<T: Item> Iterator for SortedFile<T> {
    type Item = io::Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// A sorted sequence of items, in memory or in a file.
#[derive(Debug)]
enum SortedRun<T> {
    Held(std::vec::IntoIter<T>),
    SortedFile(SortedFile<T>),
}

impl<T: Item> SortedRun<T> {
    fn next(&mut self) -> io::Result<Option<T>> {
        match self {
            Self::Held(items) => Ok(items.next()),
            Self::SortedFile(items) => items.next().transpose(),
        }
    }
}

/// Merges several sorted sequences.
#[derive(Debug)]
pub struct Merged<T> {
    runs: Vec<SortedRun<T>>,
    /// The next item of each unfinished sequence, smallest first, with the number of the sequence.
    heads: BinaryHeap<Reverse<(T, usize)>>,
    failed: Option<io::Error>,
}

impl<T: Item> Merged<T> {
    fn new(mut runs: Vec<SortedRun<T>>) -> io::Result<Self> {
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter_mut().enumerate() {
            heads.extend(run.next()?.map(|first| Reverse((first, number))));
        }
        Ok(Self { runs, heads, failed: None })
    }

    /// The next item, without taking it.
    pub fn peek(&self) -> Option<&T> {
        self.heads.peek().map(|Reverse((least, _))| least)
    }

    /// Takes the next item if `fits` returns true.
    pub(crate) fn next_if(&mut self, fits: impl FnOnce(&T) -> bool) -> io::Result<Option<T>> {
        match self.failed.is_some() || self.peek().is_some_and(fits) {
            true => self.next().transpose(),
            false => Ok(None),
        }
    }
}

impl<T: Item> Iterator for Merged<T> {
    type Item = io::Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        let mut least = self.heads.peek_mut()?;
        let number = least.0.1;
        let next = self.runs[number].next().unwrap_or_else(|error| {
            self.failed = Some(error);
            None
        });
        let Reverse((item, _)) = match next {
            Some(next) => std::mem::replace(&mut *least, Reverse((next, number))),
            None => PeekMut::pop(least),
        };
        Some(Ok(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_things_come_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(folder.path().join("numbers"));
        let numbers = || (0..30_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 10_007);
        for number in numbers() {
            sorter.push((number, "x".to_owned()), 8_000).unwrap();
        }
        assert!(sorter.files.len() > 2);
        let merged = sorter.finish().unwrap();
        assert_eq!(merged.peek().map(|item| item.0), numbers().min());
        let back: Vec<u64> = merged.map(|item| item.unwrap().0).collect();
        let mut expected: Vec<u64> = numbers().collect();
        expected.sort_unstable();
        assert_eq!(back, expected);
    }

    #[test]
    fn more_files_than_are_merged_at_once_come_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(folder.path().join("numbers"));
        let numbers = || (0..2 * MERGED as u64 + 30).map(|n| n * 7_919 % 1_009);
        for number in numbers() {
            sorter.push(number, HELD).unwrap();
        }
        assert!(sorter.files.len() > 2 * MERGED);
        let back: Vec<u64> = sorter.finish().unwrap().map(Result::unwrap).collect();
        let mut expected: Vec<u64> = numbers().collect();
        expected.sort_unstable();
        assert_eq!(back, expected);
        // Merged files have been removed.
        assert!(std::fs::read_dir(folder.path()).unwrap().count() <= MERGED);
    }

    #[test]
    fn a_damaged_file_is_an_error_not_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items");
        write_all(&path, (0..100_000u32).map(Ok)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let believed = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let items: Vec<io::Result<u32>> =
                SortedFile::open(&path).unwrap().take(100_001).collect();
            let (good, bad) = items.split_at(items.iter().take_while(|item| item.is_ok()).count());
            assert!((0..).zip(good).all(|(number, item)| *item.as_ref().unwrap() == number));
            bad.is_empty()
        };
        assert!(believed(&whole));
        for at in (0..whole.len()).step_by(997).chain([whole.len() - 12, whole.len() - 1]) {
            assert!(!believed(&whole[..at]), "cut at {at}");
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(!believed(&damaged), "byte {at}");
        }
        assert!(!believed(&[&whole[..], &whole].concat()), "twice");
    }
}
