//! A data set of articles that grows from night to night: a folder of Parquet files, partitioned by the date on which pages
//! were fetched (`date=2026-10-05/part-….parquet`), in the layout that Spark, DuckDB, polars and pyarrow read.
//!
//! Each night adds one file to each of its dates, named after the night. So a repeated night replaces its own files and no
//! others. All open files together share one limit on the rows that are held in memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use model::{Article, SiteResult};

use crate::{AtomicFile, ParquetSink, Sink, SinkError, make_folder};

/// Prefix of the name of a partition.
const DATE: &str = "date=";
/// Hive's name of the partition for articles without a date.
const UNDATED: &str = "__HIVE_DEFAULT_PARTITION__";
/// Bytes of values in memory, of all files together, at which the rows of the fullest file are written.
const HELD: usize = 64 << 20;

/// Adds the articles of a run to a data set.
pub struct DatasetSink {
    folder: PathBuf,
    name: String,
    files: BTreeMap<String, ParquetSink>,
}

impl DatasetSink {
    /// Opens the data set in a folder. Creates the folder if it does not exist.
    ///
    /// # Errors
    /// If it cannot be created, or contains something that is not a data set.
    pub fn open(folder: &Path) -> Result<Self, SinkError> {
        make_folder(folder)?;
        if let Some(name) = foreign_to_dataset(folder)? {
            let why = format!("it holds {name}, and is no data set of articles");
            return Err(SinkError::other("cannot add to", folder, why));
        }
        Ok(Self { folder: folder.to_owned(), name: String::new(), files: BTreeMap::new() })
    }

    fn file_name(&self) -> String {
        format!("part-{}.parquet", self.name)
    }

    fn add(&mut self, article: &Article) -> Result<(), SinkError> {
        let name = self.file_name();
        let file = match self.files.entry(partition_of(article)) {
            Entry::Occupied(file) => file.into_mut(),
            Entry::Vacant(place) => {
                let folder = self.folder.join(place.key());
                make_folder(&folder)?;
                place.insert(ParquetSink::create(&folder.join(name))?)
            }
        };
        file.add_article(article)?;
        let held: usize = self.files.values().map(ParquetSink::held).sum();
        if held >= HELD
            && let Some(fullest) = self.files.values_mut().max_by_key(|file| file.held())
        {
            fullest.flush()?;
        }
        Ok(())
    }

    /// Removes the files that an earlier run of the same night wrote and this one did not.
    fn remove_others(&self, written: &[String]) -> Result<(), SinkError> {
        for date in names_in(&self.folder)? {
            if date.starts_with(DATE) && !written.contains(&date) {
                let folder = self.folder.join(date);
                match fs::remove_file(folder.join(self.file_name())) {
                    Err(source) if source.kind() != io::ErrorKind::NotFound => {
                        return Err(SinkError::new("cannot remove from", &folder, source));
                    }
                    // Also removes the folder if it is now empty.
                    _ => drop(fs::remove_dir(folder)),
                }
            }
        }
        Ok(())
    }
}

/// Returns the name of something in a folder that does not belong to a data set, if there is any.
///
/// # Errors
/// If the folder cannot be read.
pub fn foreign_to_dataset(folder: &Path) -> Result<Option<String>, SinkError> {
    // Other programs put marker files such as `_SUCCESS` beside partitions.
    let is_foreign = |name: &String| !name.starts_with(DATE) && !name.starts_with(['_', '.']);
    Ok(names_in(folder)?.into_iter().find(is_foreign))
}

/// Name of the partition of an article: the day on which it was fetched, in UTC.
fn partition_of(article: &Article) -> String {
    let day = |at: jiff::Timestamp| at.to_zoned(TimeZone::UTC).date().to_string();
    format!("{DATE}{}", article.fetched.map_or_else(|| UNDATED.to_owned(), day))
}

/// The sorted names of all entries of a folder.
fn names_in(folder: &Path) -> Result<Vec<String>, SinkError> {
    let read = || -> io::Result<Vec<String>> {
        let mut names = fs::read_dir(folder)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<io::Result<Vec<_>>>()?;
        names.sort_unstable();
        Ok(names)
    };
    read().map_err(|source| SinkError::new("cannot read", folder, source))
}

impl Sink for DatasetSink {
    fn begin_night(&mut self, night: &str) -> Result<(), SinkError> {
        night.clone_into(&mut self.name);
        Ok(())
    }

    fn take(&mut self, site: &SiteResult, _rendered: &[u8]) -> Result<(), SinkError> {
        site.articles.iter().try_for_each(|article| self.add(article))
    }

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        let files = std::mem::take(&mut self.files);
        let written: Vec<String> = files.keys().cloned().collect();
        let files = files.into_values().map(ParquetSink::close).collect::<Result<Vec<_>, _>>()?;
        AtomicFile::finish_all(files)?;
        self.remove_others(&written)
    }
}
