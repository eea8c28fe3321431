//! Records of the crawl that are not pages, but say something about articles: pictures, and responses without a page (status
//! 404 or 410, or a redirect elsewhere).
//!
//! Reading drops them. A crawl may have many millions, so the data that is kept of them is sorted on disk and looked up
//! there by hash of the address, or kept in memory while it is small.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::Config;
use grouping::{Address, Tracking};
use input::file_type::is_picture;
use jiff::Timestamp;
use model::{Absence, Drop, Gone, RecordPlace, SiteResult};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::frames::{read_frame_at, write_frame};
use crate::sorted::{Item, Sorter};

/// Collects pictures and responses without a page from the drops of a crawl, which must come in order.
#[derive(Debug)]
pub struct RecordsRead {
    /// Sorted by hash of the address.
    pictures: Sorter<(u64, PictureRow)>,
    picture_count: usize,
    /// The files that contain pictures.
    files: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// Sorted by hash of the normalised address.
    absences: Sorter<(u64, AbsenceRow)>,
    absence_count: usize,
    tracking: Tracking,
}

impl RecordsRead {
    /// Spills to `folder`, which must exist.
    pub fn new(folder: &Path, config: &Config) -> Self {
        Self {
            pictures: Sorter::new(folder.join("pictures")),
            picture_count: 0,
            files: Vec::new(),
            numbers: HashMap::new(),
            absences: Sorter::new(folder.join("absences")),
            absence_count: 0,
            tracking: Tracking::new(&config.group.tracking_parameters),
        }
    }

    /// Notes a record if it is a picture or a response without a page.
    ///
    /// # Errors
    /// If it cannot be written, for example because the disk is full.
    pub fn see(&mut self, drop: &Drop) -> io::Result<()> {
        self.see_picture(drop)?;
        self.see_absence(drop)
    }

    fn see_picture(&mut self, drop: &Drop) -> io::Result<()> {
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
        self.picture_count += 1;
        self.pictures.push((picture_hash(&drop.url), (number, drop.origin.offset)), 0)
    }

    /// Notes a response without a page. A redirect to another form of the same address, for example from `http` to `https`, does
    /// not count.
    fn see_absence(&mut self, drop: &Drop) -> io::Result<()> {
        let Some(Gone { at, status, moved_to }) = &drop.gone else { return Ok(()) };
        let Some(own) = self.tracking.address(&drop.url) else { return Ok(()) };
        let target = moved_to.as_deref().and_then(|to| self.tracking.address(to));
        if target.is_some_and(|target| target.key == own.key) {
            return Ok(());
        }
        let bytes = drop.url.len() + moved_to.as_ref().map_or(0, String::len);
        let answer = (*at, drop.url.clone(), *status, moved_to.clone());
        self.absence_count += 1;
        self.absences.push((absence_hash(&own), answer), bytes)
    }

    /// Completes the tables, for look-ups.
    ///
    /// # Errors
    /// If they cannot be written, for example because the disk is full.
    pub fn finish(self, folder: &Path) -> io::Result<Records> {
        let (sorted, path) = (self.pictures.finish()?, folder.join("pictures-sorted"));
        let pictures = Lookup::new(sorted, self.picture_count, PICTURES_HELD, path)?;
        let (sorted, path) = (self.absences.finish()?, folder.join("absences-sorted"));
        let rows = Lookup::new(sorted, self.absence_count, ABSENCES_HELD, path)?;
        let absences = Absences { rows, tracking: self.tracking };
        Ok(Records { pictures, files: self.files, absences })
    }
}

/// Pictures and responses without a page, by address.
#[derive(Debug)]
pub struct Records {
    pictures: Lookup<PictureRow>,
    files: Vec<Arc<str>>,
    /// The responses without a page.
    pub absences: Absences,
}

impl Records {
    /// Adds to articles where their pictures are, and whether their addresses are gone.
    ///
    /// # Errors
    /// If the files with the records cannot be read.
    pub fn add_to(&self, result: &mut SiteResult) -> io::Result<()> {
        self.place_pictures(result)?;
        self.absences.mark(result)
    }

    /// Adds to the pictures of articles the records that contain them: of the sources of a picture, the best one in the crawl; of
    /// several records of a source, the first by file name and offset.
    fn place_pictures(&self, result: &mut SiteResult) -> io::Result<()> {
        if self.pictures.is_empty() {
            return Ok(());
        }
        for extracted in &mut result.articles {
            for (image, others) in extracted.article.images.iter_mut().zip(&extracted.image_sources)
            {
                for url in std::iter::once(&image.url).chain(others) {
                    let found = self.pictures.find(picture_hash(url))?;
                    let Some(&(file, offset)) = found.first() else { continue };
                    let file = self.files.get(file as usize).map(ToString::to_string);
                    image.record = file.map(|file| RecordPlace { url: url.clone(), file, offset });
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Maximum number of pictures that are kept in memory.
const PICTURES_HELD: usize = 1 << 20;
/// Maximum number of responses without a page that are kept in memory.
const ABSENCES_HELD: usize = 1 << 16;
/// Number of responses that are passed to the outputs at a time.
const AT_ONCE: usize = 1_024;

/// A picture: number of its file, and offset in the file.
type PictureRow = (u32, u64);
/// A response: time, address, status, and target of the redirect.
type AbsenceRow = (Timestamp, String, u16, Option<String>);

/// An address as browsers write it, without its fragment; unchanged if it cannot be parsed.
pub fn normal_address(address: &str) -> Cow<'_, str> {
    let Ok(mut url) = Url::parse(address) else { return address.into() };
    url.set_fragment(None);
    String::from(url).into()
}

fn picture_hash(address: &str) -> u64 {
    xxh3_64(normal_address(address).as_bytes())
}

fn absence_hash(address: &Address) -> u64 {
    xxh3_64(address.exact().as_bytes())
}

/// The responses of a crawl without a page, by address.
#[derive(Debug)]
pub struct Absences {
    rows: Lookup<AbsenceRow>,
    tracking: Tracking,
}

impl Absences {
    /// Marks the articles whose address had no page when the crawl requested it later. Of several responses, the first counts.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn mark(&self, result: &mut SiteResult) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        for article in &mut result.articles {
            let Some(address) = self.tracking.address(&article.url) else { continue };
            let answers = self.rows.find(absence_hash(&address))?;
            let fetched = article.fetched;
            let later = |(at, _, status, moved_to): AbsenceRow| {
                let gone = Gone { at, status, moved_to };
                gone.is_after(fetched).then_some(gone)
            };
            article.set_absence(answers.into_iter().find_map(later));
        }
        Ok(())
    }

    /// Passes on all responses, some at a time. Responses of one address are passed on together.
    ///
    /// # Errors
    /// If the table cannot be read, or with an error of `take`.
    pub fn each<E: From<io::Error>>(
        &self,
        take: &mut dyn FnMut(&[Absence]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut some = Vec::with_capacity(AT_ONCE);
        let mut last = None;
        self.rows.each(|(hash, answer)| -> Result<(), E> {
            // Keep the responses of one address together.
            if some.len() >= AT_ONCE && last != Some(hash) {
                take(&some)?;
                some.clear();
            }
            last = Some(hash);
            let (at, url, status, moved_to) = answer;
            some.push(Absence { url, gone: Gone { at, status, moved_to } });
            Ok(())
        })?;
        if !some.is_empty() {
            take(&some)?;
        }
        Ok(())
    }
}

/// Number of items in a frame of the file. A frame is read as a whole.
const GROUP: usize = 128;

/// Items, each with a hash, sorted by hash first.
#[derive(Debug)]
enum Lookup<T> {
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
