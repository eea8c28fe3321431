//! The descriptions of all articles of a crawl, on disk.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use duplicates::Evidence;

use crate::positioned::read_exact_at;
use crate::shuffle::sorted::{Merged, Sorter};

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
            records: BufWriter::new(file("descriptions")?),
            ends: BufWriter::new(file("descriptions-ends")?),
            end: 0,
            count: 0,
            keys: Sorter::new(folder.join("description-keys")),
        })
    }

    /// Adds the next article.
    ///
    /// # Errors
    /// If the disk is full or the like, or there are more than four thousand million articles.
    pub(crate) fn add(&mut self, evidence: &Evidence) -> io::Result<()> {
        let record = rmp_serde::to_vec(evidence).map_err(io::Error::other)?;
        self.records.write_all(&record)?;
        self.end += record.len() as u64;
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
        let described = Described { records: flushed(self.records)?, ends: flushed(self.ends)? };
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
    records: File,
    ends: File,
}

impl Described {
    /// The description of an article.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn get(&self, number: u32) -> io::Result<Evidence> {
        let mut bounds = [[0; OFFSET]; 2];
        let at = u64::from(number) * OFFSET as u64;
        match at.checked_sub(OFFSET as u64) {
            Some(before) => read_exact_at(&self.ends, bounds.as_flattened_mut(), before)?,
            None => read_exact_at(&self.ends, &mut bounds[1], at)?,
        }
        let [start, end] = bounds.map(u64::from_le_bytes);
        let mut record = vec![0; usize::try_from(end - start).map_err(io::Error::other)?];
        read_exact_at(&self.records, &mut record, start)?;
        rmp_serde::from_slice(&record).map_err(io::Error::other)
    }
}
