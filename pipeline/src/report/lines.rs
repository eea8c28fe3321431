//! Reads `report/sites.jsonl` line by line.

use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use model::SiteFigures;

use crate::results::unlike;

/// The figures of the sites of a run, in the order of sites.
pub(super) struct SiteLines {
    path: PathBuf,
    lines: Lines<BufReader<File>>,
    number: usize,
}

impl SiteLines {
    /// Opens the file.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self { path: path.to_owned(), lines: BufReader::new(file).lines(), number: 0 })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Iterator for SiteLines {
    type Item = Result<SiteFigures>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.lines.next()?;
        self.number += 1;
        let line = line.with_context(|| format!("cannot read {}", self.path.display()));
        Some(line.and_then(|line| {
            serde_json::from_str(&line).with_context(|| unlike(&self.path, self.number))
        }))
    }
}
