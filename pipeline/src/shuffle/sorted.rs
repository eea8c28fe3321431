//! External merge sort: in memory while there are few items, else in sorted files that are merged when read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes in memory before they are written to a file.
const HELD: usize = 32 << 20;
/// Number of files that are merged at once: each needs a decoder.
const MERGED: usize = 64;
/// zstd's fastest regular level: these files live for one run.
const LEVEL: i32 = 1;

/// An item that can be sorted.
pub(crate) trait Item: Ord + Serialize + DeserializeOwned {}

impl<T: Ord + Serialize + DeserializeOwned> Item for T {}

/// Receives items in any order.
#[derive(Debug)]
pub(crate) struct Sorter<T> {
    held: Vec<T>,
    bytes: usize,
    /// Prefix of file names; a number follows.
    path: PathBuf,
    files: Vec<PathBuf>,
    /// Number of files so far.
    made: usize,
}

impl<T: Item> Sorter<T> {
    /// Files, if any, are created at `path` with a number appended.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { held: Vec::new(), bytes: 0, path, files: Vec::new(), made: 0 }
    }

    /// The items that [`write_all`] wrote to a file.
    pub(crate) fn of_file(path: PathBuf) -> Self {
        Self { files: vec![path.clone()], made: 1, ..Self::new(path) }
    }

    /// Adds an item of about `bytes` bytes.
    pub(crate) fn push(&mut self, item: T, bytes: usize) -> io::Result<()> {
        self.held.push(item);
        self.bytes += bytes + size_of::<T>();
        if self.bytes > HELD { self.set_aside() } else { Ok(()) }
    }

    /// If some items are in files already, writes the rest too and frees the memory.
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
        let mut path = self.path.clone().into_os_string();
        path.push(format!("-{}", self.made));
        self.made += 1;
        PathBuf::from(path)
    }

    /// Visits all items, in no particular order.
    pub(crate) fn each(&self, see: &mut dyn FnMut(&T)) -> io::Result<()> {
        self.held.iter().for_each(&mut *see);
        for path in &self.files {
            for item in Stored::open(path)? {
                see(&item?);
            }
        }
        Ok(())
    }

    /// All items in order.
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

/// Merges files and items in memory.
fn merged<T: Item>(files: &[PathBuf], held: Vec<T>) -> io::Result<Merged<T>> {
    let stored = files.iter().map(|path| Stored::open(path).map(Run::Stored));
    let held = std::iter::once(Ok(Run::Held(held.into_iter())));
    Merged::new(stored.chain(held).collect::<io::Result<_>>()?)
}

/// Writes items to a file, for [`Stored::open`].
pub(crate) fn write_all<T: Item>(
    path: &Path,
    items: impl Iterator<Item = io::Result<T>>,
) -> io::Result<()> {
    let mut to = zstd::Encoder::new(BufWriter::new(File::create(path)?), LEVEL)?;
    for item in items {
        rmp_serde::encode::write(&mut to, &item?).map_err(io::Error::other)?;
    }
    to.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.flush()
}

/// Reads items from a file.
pub(crate) struct Stored<T> {
    from: BufReader<zstd::Decoder<'static, BufReader<File>>>,
    of: PhantomData<T>,
}

impl<T> std::fmt::Debug for Stored<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stored").finish_non_exhaustive()
    }
}

impl<T: Item> Stored<T> {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { from: BufReader::new(zstd::Decoder::new(File::open(path)?)?), of: PhantomData })
    }
}

impl<T: Item> Iterator for Stored<T> {
    type Item = io::Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.from.fill_buf() {
            Ok([]) => None,
            Ok(_) => Some(rmp_serde::from_read(&mut self.from).map_err(io::Error::other)),
            Err(error) => Some(Err(error)),
        }
    }
}

/// Sorted items, in memory or in a file.
#[derive(Debug)]
pub(crate) enum Run<T> {
    Held(std::vec::IntoIter<T>),
    Stored(Stored<T>),
}

impl<T: Item> Run<T> {
    fn next(&mut self) -> io::Result<Option<T>> {
        match self {
            Self::Held(items) => Ok(items.next()),
            Self::Stored(items) => items.next().transpose(),
        }
    }
}

/// Merges several sorted runs.
#[derive(Debug)]
pub(crate) struct Merged<T> {
    runs: Vec<Run<T>>,
    /// The next item of each run that is not at its end, least first, with the number of its run.
    heads: BinaryHeap<Reverse<(T, usize)>>,
    failed: Option<io::Error>,
}

impl<T: Item> Merged<T> {
    pub(crate) fn new(mut runs: Vec<Run<T>>) -> io::Result<Self> {
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter_mut().enumerate() {
            heads.extend(run.next()?.map(|first| Reverse((first, number))));
        }
        Ok(Self { runs, heads, failed: None })
    }

    /// The next item, without taking it.
    pub(crate) fn peek(&self) -> Option<&T> {
        self.heads.peek().map(|Reverse((least, _))| least)
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
        // Merged files are removed.
        assert!(std::fs::read_dir(folder.path()).unwrap().count() <= MERGED);
    }

    #[test]
    fn a_damaged_file_is_an_error_not_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items");
        write_all(&path, (0..100_000u32).map(Ok)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        assert!(Stored::<u32>::open(&path).unwrap().any(|item| item.is_err()));
    }
}
