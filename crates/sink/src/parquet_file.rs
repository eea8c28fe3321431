//! `articles.parquet`: one row per article, with all fields of `articles.jsonl` (Apache Parquet format
//! 2.x; zstd).
//!
//! Row groups are split by the size of their values alone, and the file contains no timestamps of
//! the run, so the same articles give the same bytes.
//!
//! A data set of articles that grows from night to night: a folder of Parquet files, partitioned by the date on which pages
//! were fetched (`date=2026-10-05/part-….parquet`), in the layout that Spark, DuckDB, polars and pyarrow read.
//!
//! Each night adds one file to each of its dates, named after the night. So a repeated night replaces its own files and no
//! others. All open files together share one limit on the rows that are held in memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use arrow_array::{Array as _, RecordBatch};
use jiff::tz::TimeZone;
use model::{Article, SiteResult};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::{AtomicFile, SCHEMA, Sink, SinkError, TableBuilder, make_folder};

/// Size of the values, in bytes, at which a row group ends. Until then it is held in memory, compressed.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// Size of the long texts, in bytes, at which a batch of articles is passed to the writer. Batches, and with them the bytes of
/// the file, depend only on the articles.
const BATCH_BYTES: usize = 4 << 20;

/// Size that is assumed for an article without text, in bytes.
const ARTICLE_BYTES: usize = 1_024;

/// Columns with few repeated values, for which a dictionary would be useless.
const UNIQUE_COLUMNS: [&str; 7] =
    ["url", "title", "image", "canonical", "content_hash", "origin.offset", "origin.record_id"];

/// Columns of long text, for which minimum and maximum values would be useless, too.
const LONG_COLUMNS: [&str; 6] = ["text", "html", "markdown", "comments", "description", "cut"];

/// Writes `articles.parquet`.
pub struct ParquetSink {
    path: PathBuf,
    rows: TableBuilder,
    /// Size of the rows that have not been passed to the writer, in bytes.
    waiting: usize,
    /// Size of the values of the current row group, in bytes.
    held: usize,
    writer: ArrowWriter<AtomicFile>,
}

impl ParquetSink {
    /// Creates the file at `path`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path) -> Result<Self, SinkError> {
        let file = AtomicFile::create(path)?;
        Self::begin(path, file).map_err(|error| SinkError::other("cannot write", path, error))
    }

    fn begin(path: &Path, file: AtomicFile) -> ParquetResult<Self> {
        let rows = TableBuilder::of_articles()?;
        let options = ArrowWriterOptions::new()
            .with_properties(properties()?)
            .with_skip_arrow_metadata(true)
            .with_schema_root("article".to_owned());
        let writer = ArrowWriter::try_new_with_options(file, Arc::clone(rows.schema()), options)?;
        Ok(Self { path: path.to_owned(), rows, waiting: 0, held: 0, writer })
    }

    pub(crate) fn add_article(&mut self, article: &Article) -> Result<(), SinkError> {
        let mut add = || {
            self.rows.push(article)?;
            self.waiting += ARTICLE_BYTES + article.long_text_bytes();
            if self.waiting >= BATCH_BYTES {
                self.pass_on()?;
            }
            if self.held >= ROW_GROUP_BYTES { self.write_row_group() } else { Ok(()) }
        };
        let added: ParquetResult<()> = add();
        added.map_err(|error| SinkError::other("cannot write", &self.path, error))
    }

    fn pass_on(&mut self) -> ParquetResult<()> {
        if self.waiting > 0 {
            let batch = self.rows.take_batch()?;
            self.writer.write(&batch)?;
            self.held += bytes_of(&batch)?;
            self.waiting = 0;
        }
        Ok(())
    }

    fn write_row_group(&mut self) -> ParquetResult<()> {
        self.pass_on()?;
        self.held = 0;
        self.writer.flush()
    }

    /// Size of the values in memory, in bytes.
    pub(crate) fn held(&self) -> usize {
        self.held + self.waiting
    }

    /// Writes the rows that are in memory as a row group.
    pub(crate) fn flush(&mut self) -> Result<(), SinkError> {
        let written = self.write_row_group();
        written.map_err(|error| SinkError::other("cannot write", &self.path, error))
    }

    /// Writes everything. The file keeps its temporary name until it is finished.
    pub(crate) fn close(mut self) -> Result<AtomicFile, SinkError> {
        self.flush()?;
        let Self { path, writer, .. } = self;
        writer.into_inner().map_err(|error| SinkError::other("cannot write", &path, error))
    }
}

impl Sink for ParquetSink {
    fn take(&mut self, site: &SiteResult, _rendered: &[u8]) -> Result<(), SinkError> {
        site.articles.iter().try_for_each(|article| self.add_article(article))
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        self.close()?.finish()
    }
}

fn bytes_of(batch: &RecordBatch) -> ParquetResult<usize> {
    let columns = batch.columns().iter();
    Ok(columns.map(|column| column.to_data().get_slice_memory_size()).sum::<Result<usize, _>>()?)
}

fn properties() -> ParquetResult<WriterProperties> {
    let path = |name: &str| ColumnPath::new(name.split('.').map(str::to_owned).collect());
    let version = KeyValue::new("sitegrove.schema".to_owned(), SCHEMA.to_string());
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("sitegrove version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![version]))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_max_row_group_row_count(None);
    for name in UNIQUE_COLUMNS.iter().chain(&LONG_COLUMNS) {
        builder = builder.set_column_dictionary_enabled(path(name), false);
    }
    for name in LONG_COLUMNS {
        builder = builder.set_column_statistics_enabled(path(name), EnabledStatistics::None);
    }
    Ok(builder.build())
}

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
