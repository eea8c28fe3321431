//! Reads the descriptions of articles.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use duplicates::ArticleDescription;

use crate::frames::{damaged, read_exact_at, read_frame_at};

const OFFSET: usize = 8;

/// The descriptions of articles in a file, by number of the article.
#[derive(Debug)]
pub(crate) struct DescribedArticles {
    /// One frame for each description.
    pub(crate) records: File,
    pub(crate) path: PathBuf,
    /// Offset at which each description ends, in 8 bytes, little endian.
    pub(crate) ends: File,
    /// Length of the longest description, in bytes.
    pub(crate) longest: u64,
}

impl DescribedArticles {
    pub(crate) fn get(&self, number: u32) -> io::Result<ArticleDescription> {
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
