//! A table that is looked up by hash: in memory while it is small, else in a sorted file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::frames::{read_frame_at, write_frame};
use crate::sorted::Item;

/// Number of items in a frame of the file. A frame is read as a whole.
const GROUP: usize = 128;

/// Items, each with a hash, sorted by hash first.
#[derive(Debug)]
pub(crate) enum Lookup<T> {
    Held(Vec<(u64, T)>),
    /// In a file. `groups` has the first hash and the offset of each frame.
    Filed {
        path: PathBuf,
        file: File,
        groups: Vec<(u64, u64)>,
        length: u64,
    },
}

impl<T: Item + Clone> Lookup<T> {
    /// Keeps sorted items in memory if `count` is at most `most`, else in a new file at `path`.
    pub(crate) fn new(
        sorted: impl Iterator<Item = io::Result<(u64, T)>>,
        count: usize,
        most: usize,
        path: PathBuf,
    ) -> io::Result<Self> {
        if count <= most {
            return Ok(Self::Held(sorted.collect::<io::Result<_>>()?));
        }
        let mut to = BufWriter::new(File::create(&path)?);
        let (mut groups, mut length) = (Vec::new(), 0);
        let mut sorted = sorted.peekable();
        while sorted.peek().is_some() {
            let group: Vec<(u64, T)> = sorted.by_ref().take(GROUP).collect::<io::Result<_>>()?;
            groups.push((group[0].0, length));
            let content = rmp_serde::to_vec(&group).map_err(io::Error::other)?;
            length += write_frame(&mut to, &content)?;
        }
        to.flush()?;
        Ok(Self::Filed { file: File::open(&path)?, path, groups, length })
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Held(items) => items.is_empty(),
            Self::Filed { groups, .. } => groups.is_empty(),
        }
    }

    /// Finds all items with a hash, in order.
    pub(crate) fn find(&self, hash: u64) -> io::Result<Vec<T>> {
        let (path, file, groups, length) = match self {
            Self::Held(items) => {
                let from = items.partition_point(|item| item.0 < hash);
                let alike = items[from..].iter().take_while(|item| item.0 == hash);
                return Ok(alike.map(|(_, item)| item.clone()).collect());
            }
            Self::Filed { path, file, groups, length } => (path, file, groups, *length),
        };
        // The first item with the hash is in the last group that begins with a smaller hash, or at the start of the next group.
        let first = groups.partition_point(|group| group.0 < hash).saturating_sub(1);
        let mut found = Vec::new();
        for number in first..groups.len() {
            if groups[number].0 > hash {
                break;
            }
            let items: Vec<(u64, T)> = read_group((path, file), groups, length, number)?;
            found.extend(items.into_iter().filter(|item| item.0 == hash).map(|(_, item)| item));
        }
        Ok(found)
    }

    pub(crate) fn each<E: From<io::Error>>(
        &self,
        mut see: impl FnMut((u64, T)) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Held(items) => items.iter().cloned().try_for_each(see),
            Self::Filed { path, file, groups, length } => {
                (0..groups.len()).try_for_each(|number| {
                    let items = read_group((path, file), groups, *length, number)?;
                    items.into_iter().try_for_each(&mut see)
                })
            }
        }
    }
}

fn read_group<T: Item>(
    (path, file): (&Path, &File),
    groups: &[(u64, u64)],
    length: u64,
    number: usize,
) -> io::Result<Vec<(u64, T)>> {
    let at = groups[number].1;
    let end = groups.get(number + 1).map_or(length, |group| group.1);
    let bytes = read_frame_at(file, path, at, (end - at) as usize)?;
    rmp_serde::from_slice(&bytes).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_in_memory_and_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        // Different hashes, and one that occurs often enough to span several groups.
        let hash = |n: u64| if (300..600).contains(&n) { 300 } else { n / 3 * 7 };
        let mut items: Vec<(u64, u64)> = (0..3_000).map(|n| (hash(n), n)).collect();
        items.sort_unstable();
        for most in [0, items.len()] {
            let sorted = items.iter().copied().map(Ok);
            let lookup =
                Lookup::new(sorted, items.len(), most, folder.path().join("items")).unwrap();
            assert_eq!(matches!(lookup, Lookup::Filed { .. }), most == 0);
            for hash in 0..7_010 {
                let own = items.iter().filter(|own| own.0 == hash);
                let expected: Vec<u64> = own.map(|(_, item)| *item).collect();
                assert_eq!(lookup.find(hash).unwrap(), expected, "{hash}");
            }
            let mut all = Vec::new();
            let see = |item| -> io::Result<()> {
                all.push(item);
                Ok(())
            };
            lookup.each(see).unwrap();
            assert_eq!(all, items);
        }
        let none = Lookup::<u64>::new(std::iter::empty(), 1, 0, folder.path().join("none"));
        let none = none.unwrap();
        assert!(none.is_empty() && none.find(1).unwrap().is_empty());
    }
}
