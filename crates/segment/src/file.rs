//! The Parquet files that the steps of a distributed run exchange. All have one schema.
//!
//! | column | type | what |
//! |---|---|---|
//! | `kind` | text | what the row contains ([`RowKind`]) |
//! | `site` | text | key of the site; empty if the row belongs to no site |
//! | `hash` | integer | XXH3-64 of the site key, stored as a signed number; read as unsigned, it is the order of outputs |
//! | `id` | integer | for a page, its id in the crawl |
//! | `record` | binary | MessagePack, in the format of this version of the program |
//! | `html` | binary | HTML of a page, compressed with zstd |
//!
//! HTML has its own column and is compressed before it is stored, so a reader that wants only the heads of pages need not read
//! it. All bytes are covered by checksums (`checked_file`).

use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use input::waiting::is_stream;
use model::{contain_panics, named};
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sink::AtomicFile;
use xxhash_rust::xxh3::xxh3_64;

use crate::checked_file::{self, CheckedFile, CheckedWriter};
use crate::identity::StepIdentity;

const SCHEMA: &str = "message step {
    required binary kind (STRING);
    required binary site (STRING);
    required int64 hash;
    required int64 id;
    required binary record;
    required binary html;
}";
const COLUMNS: usize = 6;
const KIND: usize = 0;
const SITE: usize = 1;
const HASH: usize = 2;
const ID: usize = 3;
const RECORD: usize = 4;
const HTML: usize = 5;
/// Bytes of records and HTML at which a row group ends. A row group is read as a whole.
const GROUP: usize = 4 << 20;
/// Bytes at which a data page ends. A data page is read as a whole, even for a single row.
const PAGE: usize = 64 << 10;
/// Key of the step identity in the file metadata.
const IDENTITY: &str = "sitegrove.step";

fn other(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}

/// A file that is being written. It appears at its path only when it is finished.
pub struct StepWriter {
    writer: SerializedFileWriter<CheckedWriter>,
    rows: Vec<SegmentRow>,
    bytes: usize,
}

impl StepWriter {
    /// Creates a file at `path`, and its folder if that does not exist.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path, identity: &StepIdentity) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let temporary = AtomicFile::temporary(path);
        // A file that a killed process left is of no use.
        let _ = std::fs::remove_file(temporary);
        let file = AtomicFile::create(path).map_err(io::Error::other)?;
        let column = |name: &str| ColumnPath::new(vec![name.to_owned()]);
        let level = ZstdLevel::try_new(1).map_err(other)?;
        let properties = WriterProperties::builder()
            .set_created_by(concat!("sitegrove version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(vec![KeyValue::new(
                IDENTITY.to_owned(),
                serde_json::to_string(identity)?,
            )]))
            .set_max_row_group_row_count(None)
            .set_compression(Compression::ZSTD(level))
            .set_data_page_size_limit(PAGE)
            .set_write_batch_size(4)
            .set_column_compression(column("html"), Compression::UNCOMPRESSED)
            .set_column_dictionary_enabled(column("html"), false)
            .set_column_dictionary_enabled(column("record"), false)
            .set_column_dictionary_enabled(column("id"), false)
            .set_column_statistics_enabled(column("html"), EnabledStatistics::None)
            .set_column_statistics_enabled(column("record"), EnabledStatistics::None)
            .build();
        let schema = Arc::new(parse_message_type(SCHEMA).map_err(other)?);
        let writer =
            SerializedFileWriter::new(CheckedWriter::new(file), schema, Arc::new(properties));
        Ok(Self { writer: writer.map_err(other)?, rows: Vec::new(), bytes: 0 })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it cannot be written, for example because the disk is full.
    pub fn push(&mut self, row: SegmentRow) -> io::Result<()> {
        self.bytes += row.record.len() + row.html.len() + row.site.len();
        self.rows.push(row);
        if self.bytes >= GROUP { self.write().map_err(other) } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), ParquetError> {
        self.bytes = 0;
        let mut rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        let kinds = rows.iter().map(|row| row.kind.as_str().into());
        write_column::<ByteArrayType>(&mut group, kinds)?;
        write_column::<ByteArrayType>(&mut group, rows.iter().map(|row| row.site.as_str().into()))?;
        write_column::<Int64Type>(&mut group, rows.iter().map(|row| row.hash().cast_signed()))?;
        write_column::<Int64Type>(&mut group, rows.iter().map(|row| row.id.cast_signed()))?;
        let records = rows.iter_mut().map(|row| std::mem::take(&mut row.record).into());
        write_column::<ByteArrayType>(&mut group, records)?;
        write_column::<ByteArrayType>(&mut group, rows.into_iter().map(|row| row.html.into()))?;
        group.close()?;
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If it cannot be written, for example because the disk is full.
    pub fn finish(mut self) -> io::Result<()> {
        self.write().map_err(other)?;
        checked_file::finish(self.writer).map_err(io::Error::other)
    }
}

/// Writes the values of the next column of a row group.
fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, CheckedWriter>,
    values: impl Iterator<Item = T::T>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(&values.collect::<Vec<_>>(), None, None)?;
    column.close()
}

/// A finished file, open for reading.
pub struct StepFile {
    path: PathBuf,
    identity: StepIdentity,
    reader: SerializedFileReader<CheckedFile>,
    /// Number of the first row of each row group, followed by the total number of rows.
    starts: Vec<usize>,
    /// Smallest and largest hash of each row group, once read.
    ranges: OnceLock<Vec<(u64, u64)>>,
}

impl std::fmt::Debug for StepFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StepFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A row without its HTML, and its number in the file.
#[derive(Debug)]
pub struct ListedRow {
    /// Number of the row in the file.
    pub number: u32,
    /// The column `kind`.
    pub kind: RowKind,
    /// The column `site`.
    pub site: String,
    /// The column `id`.
    pub id: u64,
    /// The column `record`; empty if the caller does not need it.
    pub record: ByteArray,
}

/// Runs a read through the parquet crate and turns its panics, which damaged files may cause, into errors.
fn by_parquet<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    contain_panics(read).unwrap_or_else(|panic| Err(ParquetError::General(panic.detail)))
}

impl StepFile {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read, or was not written by a step.
    pub fn open(path: &Path) -> io::Result<Self> {
        let no_step = |what: &str| {
            let shown = path.display();
            io::Error::other(format!(
                "{shown} is not a file that a step of sitegrove wrote: {what}"
            ))
        };
        if is_stream(path) || path.is_dir() {
            return Err(no_step("it is not a regular file"));
        }
        let file = CheckedFile::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => {
                no_step("it is not a Parquet file, or its end is damaged or missing")
            }
            _ => error,
        })?;
        let file = file.ok_or_else(|| no_step("it has no checksums, or its footer is damaged"))?;
        let options = ReadOptionsBuilder::new().with_page_index().build();
        let open = || SerializedFileReader::new_with_options(file, options);
        let reader = by_parquet(open).map_err(|error| no_step(&error.to_string()))?;
        let metadata = reader.metadata();
        let pairs = metadata.file_metadata().key_value_metadata();
        let identity = pairs.into_iter().flatten().find(|pair| pair.key == IDENTITY);
        let identity = identity.and_then(|pair| pair.value.as_deref());
        let identity = identity.ok_or_else(|| no_step("its metadata do not say so"))?;
        let identity =
            serde_json::from_str(identity).map_err(|error| no_step(&error.to_string()))?;
        let mut starts = vec![0];
        for group in metadata.row_groups() {
            let rows = usize::try_from(group.num_rows()).map_err(io::Error::other)?;
            starts.push(starts.last().copied().unwrap_or_default() + rows);
        }
        if metadata.file_metadata().schema_descr().num_columns() != COLUMNS {
            return Err(no_step("it has other columns"));
        }
        Ok(Self { path: path.to_owned(), identity, reader, starts, ranges: OnceLock::new() })
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Length in bytes; 0 if the system cannot tell.
    pub fn size(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |of| of.len())
    }

    /// The step that wrote the file.
    pub fn identity(&self) -> &StepIdentity {
        &self.identity
    }

    /// Reads a column of a row group. Panics of the parquet crate on damaged files become errors.
    fn read_column<T: DataType>(
        &self,
        group: usize,
        column: usize,
        read: impl FnOnce(&mut ColumnReaderImpl<T>) -> Result<Vec<T::T>, ParquetError>,
    ) -> io::Result<Vec<T::T>> {
        let read = || {
            let column = self.reader.get_row_group(group)?.get_column_reader(column)?;
            read(&mut get_typed_column_reader::<T>(column))
        };
        by_parquet(read).map_err(|error| self.failed(error))
    }

    fn column<T: DataType>(&self, group: usize, column: usize) -> io::Result<Vec<T::T>> {
        let rows = self.starts[group + 1] - self.starts[group];
        self.read_column::<T>(group, column, |reader| {
            let mut values = Vec::with_capacity(rows);
            reader.read_records(rows, None, None, &mut values)?;
            match values.len() {
                read if read == rows => Ok(values),
                read => Err(ParquetError::General(format!("{read} of {rows} rows are there"))),
            }
        })
    }

    fn failed(&self, error: ParquetError) -> io::Error {
        match error {
            // The error already names the file.
            ParquetError::External(error) if error.is::<io::Error>() => {
                other(ParquetError::External(error))
            }
            error => io::Error::other(format!("cannot read {}: {error}", self.path.display())),
        }
    }

    /// Visits the rows for which `wants` returns true, given their kind and the hash of their site, in file order. Reads records
    /// only if `records` is set, and never HTML.
    ///
    /// # Errors
    /// If the file cannot be read, or with an error of `see`.
    pub fn each(
        &self,
        records: bool,
        wants: &dyn Fn(RowKind, u64) -> bool,
        see: &mut dyn FnMut(ListedRow) -> io::Result<()>,
    ) -> io::Result<()> {
        (0..self.starts.len() - 1)
            .try_for_each(|group| self.each_of_group(group, records, wants, see))
    }

    /// Visits the pages, with their records, whose site hash is in the range and wanted. Page rows are sorted by hash, so row
    /// groups outside the range are not read.
    pub(crate) fn each_in(
        &self,
        range: &RangeInclusive<u64>,
        wants: &dyn Fn(u64) -> bool,
        see: &mut dyn FnMut(ListedRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let is_wanted = |kind, hash| kind == RowKind::Page && range.contains(&hash) && wants(hash);
        for (group, (least, greatest)) in self.ranges()?.iter().enumerate() {
            if least <= range.end() && greatest >= range.start() {
                self.each_of_group(group, true, &is_wanted, see)?;
            }
        }
        Ok(())
    }

    fn ranges(&self) -> io::Result<&[(u64, u64)]> {
        if let Some(ranges) = self.ranges.get() {
            return Ok(ranges);
        }
        let range = |group| {
            let hashes = self.column::<Int64Type>(group, HASH)?.into_iter().map(i64::cast_unsigned);
            Ok(hashes.fold((u64::MAX, 0), |(least, greatest), hash| {
                (least.min(hash), greatest.max(hash))
            }))
        };
        let ranges = (0..self.starts.len() - 1).map(range).collect::<io::Result<_>>()?;
        Ok(self.ranges.get_or_init(|| ranges))
    }

    fn each_of_group(
        &self,
        group: usize,
        records: bool,
        wants: &dyn Fn(RowKind, u64) -> bool,
        see: &mut dyn FnMut(ListedRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let text = |column| self.column::<ByteArrayType>(group, column);
        let number = |column| self.column::<Int64Type>(group, column);
        let kinds: Vec<RowKind> = (text(KIND)?.iter())
            .map(|name| name.as_utf8().ok().and_then(RowKind::parse))
            .map(|kind| kind.ok_or_else(|| io::Error::other("an unknown kind of row")))
            .collect::<io::Result<_>>()?;
        let hashes = number(HASH)?;
        let wanted: Vec<usize> =
            (0..kinds.len()).filter(|&at| wants(kinds[at], hashes[at].cast_unsigned())).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let (sites, ids) = (text(SITE)?, number(ID)?);
        let own = if records { Some(text(RECORD)?) } else { None };
        for at in wanted {
            let record =
                own.as_ref().map_or_else(|| ByteArray::from(Vec::new()), |own| own[at].clone());
            let site = String::from_utf8(sites[at].data().to_vec()).map_err(io::Error::other)?;
            let number = u32::try_from(self.starts[group] + at).map_err(io::Error::other)?;
            see(ListedRow { number, kind: kinds[at], site, id: ids[at].cast_unsigned(), record })?;
        }
        Ok(())
    }

    /// Reads the HTML of a row.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn html(&self, row: u32) -> io::Result<Vec<u8>> {
        Ok(self.htmls(&[row])?.swap_remove(0))
    }

    /// Reads the HTML of rows, given in ascending order. A row may occur several times.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn htmls(&self, rows: &[u32]) -> io::Result<Vec<Vec<u8>>> {
        self.values(HTML, rows)
    }

    /// Reads the record of a row.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn record(&self, row: u32) -> io::Result<Vec<u8>> {
        Ok(self.values(RECORD, &[row])?.swap_remove(0))
    }

    fn group_of(&self, row: u32) -> usize {
        self.starts.partition_point(|&start| start <= row as usize) - 1
    }

    /// Reads the values of one column for rows given in ascending order.
    fn values(&self, column: usize, rows: &[u32]) -> io::Result<Vec<Vec<u8>>> {
        let mut all = Vec::with_capacity(rows.len());
        for some in rows.chunk_by(|a, b| self.group_of(*a) == self.group_of(*b)) {
            let group = self.group_of(some[0]);
            let read = |reader: &mut ColumnReaderImpl<ByteArrayType>| {
                let mut values: Vec<ByteArray> = Vec::with_capacity(some.len());
                let mut next = self.starts[group];
                for &row in some {
                    let row = row as usize;
                    if row < next {
                        values.extend(values.last().cloned());
                        continue;
                    }
                    reader.skip_records(row - next)?;
                    reader.read_records(1, None, None, &mut values)?;
                    next = row + 1;
                }
                Ok(values)
            };
            let values = match group + 1 < self.starts.len() {
                true => self.read_column(group, column, read)?,
                false => Vec::new(),
            };
            if values.len() != some.len() {
                let shown = self.path.display();
                return Err(io::Error::other(format!("{shown} is damaged: rows are missing")));
            }
            all.extend(values.iter().map(|value| value.data().to_vec()));
        }
        Ok(all)
    }
}

named! {
/// What a row contains. The column `kind` has its name.
pub enum RowKind {
    /// A page: head and HTML.
    Page => "page",
    /// A saved page, whose site depends on the other saved pages.
    Saved => "saved-page",
    /// A feed item.
    FeedItem => "feed-item",
    /// The payload digest of a feed.
    Feed => "feed",
    /// A file that says how the pages of a site may be used.
    SiteFile => "site-file",
    /// A redirect.
    Redirect => "redirect",
    /// A revisit.
    Revisit => "revisit",
    /// A drop of reading.
    Drop => "drop",
    /// An input that was read.
    Input => "input",
    /// A part of the result of a site.
    Result => "result",
    /// The model of a large site.
    Model => "model",
    /// What was decided together with the model of a large site.
    Decided => "decided",
    /// Site configs that were learnt from a large site.
    SiteConfigs => "site-configs",
    /// Instructions for a page of a large site.
    Order => "order",
    /// A page of a large site that gave an article.
    Article => "article",
    /// A page of a large site that was dropped.
    Dropped => "dropped",
    /// A page of a large site that its model has no template for.
    Unassigned => "unassigned",
    /// The descriptions of the articles of a part of the result of a site.
    Described => "described",
}
}

/// A row.
#[derive(Clone, Debug)]
pub struct SegmentRow {
    /// What the row contains.
    pub kind: RowKind,
    /// Key of the site; empty if the row belongs to no site.
    pub site: String,
    /// For pages, the id in the crawl. For outcomes of pages, the id of the page. For other rows, a sequence number.
    pub id: u64,
    /// The record in MessagePack.
    pub record: Vec<u8>,
    /// HTML of a page, compressed with zstd; empty for most other rows.
    pub html: Vec<u8>,
}

impl SegmentRow {
    /// Makes a row without HTML.
    ///
    /// # Errors
    /// If the record cannot be encoded.
    pub fn of(kind: RowKind, site: &str, id: u64, record: &impl Serialize) -> io::Result<Self> {
        let record = rmp_serde::to_vec(record).map_err(io::Error::other)?;
        Ok(Self { kind, site: site.to_owned(), id, record, html: Vec::new() })
    }

    /// Hash of the site key, which is the order of outputs; 0 without a site.
    pub fn hash(&self) -> u64 {
        hash_of(&self.site)
    }
}

/// Hash of a site key; 0 if it is empty.
pub fn hash_of(site: &str) -> u64 {
    if site.is_empty() { 0 } else { xxh3_64(site.as_bytes()) }
}

/// Decodes the record of a row.
///
/// # Errors
/// If it is damaged.
pub fn decoded<T: DeserializeOwned>(record: &[u8]) -> io::Result<T> {
    rmp_serde::from_slice(record).map_err(io::Error::other)
}

/// Compression level of results, which are small compared with pages, and read once.
const LEVEL: i32 = 3;

/// Makes a row whose record is compressed.
pub fn packed_row(
    kind: RowKind,
    site: &str,
    id: u64,
    record: &impl Serialize,
) -> io::Result<SegmentRow> {
    let bytes = rmp_serde::to_vec_named(record).map_err(io::Error::other)?;
    let record = zstd::bulk::compress(&bytes, LEVEL)?;
    Ok(SegmentRow { kind, site: site.to_owned(), id, record, html: Vec::new() })
}

/// Decompresses and decodes the record of such a row.
///
/// # Errors
/// If it is damaged.
pub fn unpacked<T: DeserializeOwned>(record: &[u8]) -> io::Result<T> {
    let bytes = zstd::decode_all(record)?;
    rmp_serde::from_slice(&bytes).map_err(io::Error::other)
}
