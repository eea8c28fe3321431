//! The descriptions of all articles of a crawl, on disk.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use duplicates::ArticleDescription;

use crate::frames::{damaged, read_frame_at, write_frame};
use crate::positioned::read_exact_at;
use crate::segment::sorted::{Merged, Sorter};

/// File of the descriptions.
const RECORDS: &str = "descriptions";
/// Bytes of an offset.
const OFFSET: usize = 8;

/// Receives the descriptions of articles, in the order of outputs.
#[derive(Debug)]
pub(crate) struct Descriptions {
    folder: PathBuf,
    records: BufWriter<File>,
    /// The end of each record.
    ends: BufWriter<File>,
    end: u64,
    /// Bytes of the longest record.
    longest: u64,
    count: u32,
    keys: Sorter<(u64, u32)>,
}

impl Descriptions {
    /// Keeps them in a folder, which must exist.
    ///
    /// # Errors
    /// If files cannot be created there.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        let file = |name| {
            let path = folder.join(name);
            File::options().read(true).write(true).create(true).truncate(true).open(path)
        };
        Ok(Self {
            folder: folder.to_owned(),
            records: BufWriter::new(file(RECORDS)?),
            ends: BufWriter::new(file("descriptions-ends")?),
            end: 0,
            longest: 0,
            count: 0,
            keys: Sorter::new(folder.join("description-keys")),
        })
    }

    /// Adds the next article.
    ///
    /// # Errors
    /// If the disk is full or the like, or there are more than four thousand million articles.
    pub(crate) fn add(&mut self, evidence: &ArticleDescription) -> io::Result<()> {
        let record = rmp_serde::to_vec(evidence).map_err(io::Error::other)?;
        let bytes = write_frame(&mut self.records, &record)?;
        self.longest = self.longest.max(bytes);
        self.end += bytes;
        self.ends.write_all(&self.end.to_le_bytes())?;
        for key in evidence.keys() {
            self.keys.push((key, self.count), 0)?;
        }
        self.count = self.count.checked_add(1).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(())
    }

    /// The descriptions and their keys, in order.
    ///
    /// # Errors
    /// If the files cannot be written.
    pub(super) fn finish(self) -> io::Result<(Described, Merged<(u64, u32)>)> {
        let flushed =
            |file: BufWriter<File>| file.into_inner().map_err(io::IntoInnerError::into_error);
        let (records, ends) = (flushed(self.records)?, flushed(self.ends)?);
        let described =
            Described { records, ends, path: self.folder.join(RECORDS), longest: self.longest };
        Ok((described, self.keys.finish()?))
    }

    /// The folder for temporary files.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The descriptions, by number.
#[derive(Debug)]
pub(super) struct Described {
    /// A frame of each.
    records: File,
    path: PathBuf,
    ends: File,
    longest: u64,
}

impl Described {
    /// The description of an article.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn get(&self, number: u32) -> io::Result<ArticleDescription> {
        let mut bounds = [[0; OFFSET]; 2];
        let at = u64::from(number) * OFFSET as u64;
        match at.checked_sub(OFFSET as u64) {
            Some(before) => read_exact_at(&self.ends, bounds.as_flattened_mut(), before)?,
            None => read_exact_at(&self.ends, &mut bounds[1], at)?,
        }
        let [start, end] = bounds.map(u64::from_le_bytes);
        let bytes = end.checked_sub(start).filter(|bytes| *bytes <= self.longest);
        let bytes = bytes.ok_or_else(|| damaged(&self.path, start))?;
        let record = read_frame_at(&self.records, &self.path, start, bytes as usize)?;
        rmp_serde::from_slice(&record).map_err(io::Error::other)
    }
}
