//! Records of the crawl that are no pages, but say something of articles: pictures, and addresses without a page (status 404
//! or 410, or a redirect elsewhere).
//!
//! They are dropped when they are read. A crawl may have many millions of them, so what is kept of them is sorted on disk, and
//! looked up there by the hashes of addresses.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use config::Config;
use grouping::{Address, Tracking};
use input::file_type::is_picture;
use jiff::Timestamp;
use model::{Absence, Drop, Gone, RecordPlace, SiteResult};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::lookup::Lookup;
use crate::sorted::Sorter;

/// Receives the drops of a crawl, in their order.
#[derive(Debug)]
pub struct RecordsRead {
    /// By the hashes of their addresses.
    pictures: Sorter<(u64, PictureRow)>,
    picture_count: usize,
    /// The files that pictures are in, and the number of each among them.
    files: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// By the hashes of their addresses in normal form.
    absences: Sorter<(u64, AbsenceRow)>,
    absence_count: usize,
    tracking: Tracking,
}

impl RecordsRead {
    /// What does not fit into memory is kept in `folder`, which must exist.
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

    /// Notes a record.
    ///
    /// # Errors
    /// If the disk is full or the like.
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

    /// Notes an answer without a page. A redirect to another form of the same address, as from `http` to `https`, is
    /// none.
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

    /// All of them, to be looked up.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub fn finish(self, folder: &Path) -> io::Result<Records> {
        let (sorted, path) = (self.pictures.finish()?, folder.join("pictures-sorted"));
        let pictures = Lookup::new(sorted, self.picture_count, PICTURES_HELD, path)?;
        let (sorted, path) = (self.absences.finish()?, folder.join("absences-sorted"));
        let rows = Lookup::new(sorted, self.absence_count, ABSENCES_HELD, path)?;
        let absences = Absences { rows, tracking: self.tracking };
        Ok(Records { pictures, files: self.files, absences })
    }
}

/// Such records, by address.
#[derive(Debug)]
pub struct Records {
    pictures: Lookup<PictureRow>,
    files: Vec<Arc<str>>,
    /// Answers without a page.
    pub absences: Absences,
}

impl Records {
    /// Adds to articles what the records say: where their pictures are, and whether their address is gone.
    ///
    /// # Errors
    /// If the files with the records cannot be read.
    pub fn add_to(&self, result: &mut SiteResult) -> io::Result<()> {
        self.place_pictures(result)?;
        self.absences.mark(result)
    }

    /// Says of the pictures of articles which records have them: of the sources of a picture the best that the crawl
    /// has, and of several records of it the first by name of the file and offset.
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

/// Pictures that are held in memory.
const PICTURES_HELD: usize = 1 << 20;
/// Answers without a page that are held in memory.
const ABSENCES_HELD: usize = 1 << 16;
/// Number of answers that are passed to the outputs at once.
const AT_ONCE: usize = 1_024;

/// A picture: the number of the file it is in, and its offset there.
type PictureRow = (u32, u64);
/// An answer: its time, the address, the status and the target.
type AbsenceRow = (Timestamp, String, u16, Option<String>);

/// An address as browsers write it, without its fragment; as it is if it is none.
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

/// The answers of a crawl that had no page, by address.
#[derive(Debug)]
pub struct Absences {
    rows: Lookup<AbsenceRow>,
    tracking: Tracking,
}

impl Absences {
    /// Marks the articles whose address had no page when the crawl asked for it later; of several answers, by the
    /// first.
    ///
    /// # Errors
    /// If the file with the answers cannot be read.
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

    /// Passes all of them on, some at a time; those of one address are passed on together.
    ///
    /// # Errors
    /// If the file with the answers cannot be read, and those of `take`.
    pub fn each<E: From<io::Error>>(
        &self,
        take: &mut dyn FnMut(&[Absence]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut some = Vec::with_capacity(AT_ONCE);
        let mut last = None;
        self.rows.each(|(hash, answer)| -> Result<(), E> {
            // Answers of one address stay together.
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
