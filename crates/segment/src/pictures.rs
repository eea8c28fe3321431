//! Where the bytes of pictures are: the records of the crawl with images, by address.
//!
//! Records of images are dropped when they are read, as they are no pages. What is kept of each is its place. A crawl
//! may have many more of them than fit into memory, so beyond a limit they are looked up in a sorted file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use input::file_type::is_picture;
use model::{Drop, RecordPlace, SiteResult};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::frames::{HEADER, read_frame_at, write_frame};
use crate::sorted::Sorter;

/// Pictures that are held in memory.
const HELD: usize = 1 << 20;
/// Bytes of an entry in the file: hash, number of the file, offset.
const ENTRY: usize = 20;
/// Entries that are read at once.
const GROUP: usize = 256;

/// A picture: the hash of its address, the number of the file it is in, and its offset there.
type PictureRow = (u64, u32, u64);

/// Receives the drops of a crawl, in their order.
#[derive(Debug)]
pub(crate) struct PicturesRead {
    sorter: Sorter<PictureRow>,
    files: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    count: usize,
}

impl PicturesRead {
    /// What does not fit into memory is kept in `folder`, which must exist.
    pub(crate) fn new(folder: &Path) -> Self {
        let sorter = Sorter::new(folder.join("pictures"));
        Self { sorter, files: Vec::new(), numbers: HashMap::new(), count: 0 }
    }

    /// Notes the place of a picture.
    pub(crate) fn see(&mut self, drop: &Drop) -> io::Result<()> {
        if !is_picture(drop) {
            return Ok(());
        }
        let number = match self.numbers.get(&drop.origin.file) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.files.len()).map_err(io::Error::other)?;
                self.files.push(Arc::clone(&drop.origin.file));
                self.numbers.insert(Arc::clone(&drop.origin.file), number);
                number
            }
        };
        self.count += 1;
        self.sorter.push((hash_of(&drop.url), number, drop.origin.offset), 0)
    }

    /// All of them, to be looked up.
    pub(crate) fn finish(self, folder: &Path) -> io::Result<PictureRecords> {
        let sorted = self.sorter.finish()?;
        let entries = match self.count <= HELD {
            true => Entries::Held(sorted.collect::<io::Result<_>>()?),
            false => filed(sorted, &folder.join("pictures-sorted"))?,
        };
        Ok(PictureRecords { entries, files: self.files })
    }
}

/// An address as browsers write it, without its fragment; as it is if it is none.
pub fn normal(address: &str) -> Cow<'_, str> {
    let Ok(mut url) = Url::parse(address) else { return address.into() };
    url.set_fragment(None);
    String::from(url).into()
}

fn hash_of(address: &str) -> u64 {
    xxh3_64(normal(address).as_bytes())
}

/// Writes sorted entries to a file: a frame for every group.
fn filed(sorted: impl Iterator<Item = io::Result<PictureRow>>, path: &Path) -> io::Result<Entries> {
    let mut to = BufWriter::new(File::create(path)?);
    let (mut firsts, mut count, mut group) = (Vec::new(), 0, Vec::new());
    for entry in sorted {
        let (hash, file, offset) = entry?;
        if count % GROUP == 0 {
            firsts.push(hash);
        }
        count += 1;
        group.extend_from_slice(&hash.to_le_bytes());
        group.extend_from_slice(&file.to_le_bytes());
        group.extend_from_slice(&offset.to_le_bytes());
        if count % GROUP == 0 {
            write_frame(&mut to, &std::mem::take(&mut group))?;
        }
    }
    if !group.is_empty() {
        write_frame(&mut to, &group)?;
    }
    to.flush()?;
    Ok(Entries::Filed { file: File::open(path)?, path: path.to_owned(), firsts, count })
}

#[derive(Debug)]
enum Entries {
    /// In order.
    Held(Vec<PictureRow>),
    /// In a file, in order; of every group of entries the first hash.
    Filed { file: File, path: PathBuf, firsts: Vec<u64>, count: usize },
}

impl Entries {
    /// The first entry with a hash.
    fn find(&self, hash: u64) -> io::Result<Option<PictureRow>> {
        let (file, path, firsts, count) = match self {
            Self::Held(entries) => {
                let at = entries.partition_point(|entry| entry.0 < hash);
                return Ok(entries.get(at).copied().filter(|entry| entry.0 == hash));
            }
            Self::Filed { file, path, firsts, count } => (file, path, firsts, *count),
        };
        // The first entry with the hash is in the last group that begins below it, or begins the next.
        let first = firsts.partition_point(|&first| first < hash).saturating_sub(1);
        let groups = first..firsts.len().min(first + 2);
        for group in groups.filter(|group| *group == first || firsts[*group] == hash) {
            let at = group * (HEADER + GROUP * ENTRY);
            let bytes = HEADER + GROUP.min(count - group * GROUP) * ENTRY;
            let bytes = read_frame_at(file, path, at as u64, bytes)?;
            if let Some(entry) = entries_of(&bytes).find(|entry| entry.0 == hash) {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }
}

/// The entries of a group.
fn entries_of(bytes: &[u8]) -> impl Iterator<Item = PictureRow> {
    bytes.chunks_exact(ENTRY).filter_map(|entry| {
        let (hash, rest) = entry.split_first_chunk()?;
        let (file, offset) = rest.split_first_chunk()?;
        let offset = u64::from_le_bytes(offset.try_into().ok()?);
        Some((u64::from_le_bytes(*hash), u32::from_le_bytes(*file), offset))
    })
}

/// The places of pictures, by address.
#[derive(Debug)]
pub struct PictureRecords {
    entries: Entries,
    files: Vec<Arc<str>>,
}

impl PictureRecords {
    /// Says of the pictures of articles which records have them: of the sources of a picture the best that the crawl
    /// has, and of several records of it the first by name of the file and offset.
    ///
    /// # Errors
    /// If the file with the places cannot be read.
    pub fn place(&self, result: &mut SiteResult) -> io::Result<()> {
        if self.files.is_empty() {
            return Ok(());
        }
        for extracted in &mut result.articles {
            for (image, others) in extracted.article.images.iter_mut().zip(&extracted.image_sources)
            {
                for url in std::iter::once(&image.url).chain(others) {
                    let Some((_, file, offset)) = self.entries.find(hash_of(url))? else {
                        continue;
                    };
                    let file = self.files.get(file as usize).map(ToString::to_string);
                    image.record = file.map(|file| RecordPlace { url: url.clone(), file, offset });
                    break;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_memory_and_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        // Hashes that differ, and some that come twice, also where groups meet.
        let mut entries: Vec<PictureRow> = (0..3_000u64).map(|n| (n / 3 * 7, 1, n)).collect();
        entries.sort_unstable();
        let file = filed(entries.iter().copied().map(Ok), &folder.path().join("entries")).unwrap();
        let held = Entries::Held(entries.clone());
        for hash in 0..7_010 {
            let expected = entries.iter().find(|entry| entry.0 == hash).copied();
            assert_eq!(held.find(hash).unwrap(), expected, "{hash}");
            assert_eq!(file.find(hash).unwrap(), expected, "{hash}");
        }
        let none = filed(std::iter::empty(), &folder.path().join("none")).unwrap();
        assert_eq!(none.find(1).unwrap(), None);
    }
}
