//! Tables as inputs: files of Parquet, CSV or JSON lines. By its columns, a table either lists records of archives, as the
//! columnar index of Common Crawl does, or contains pages.

use std::cell::Cell as SharedNumber;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use config::files::address_of;
use flate2::read::MultiGzDecoder;
use model::{ExtraValue, contain_panics};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;
use serde_json::Value;

#[cfg(feature = "remote")]
use crate::remote::RemoteChunks;
use crate::source::open;

/// Names of a column; the first one is the usual name.
type ColumnAliases = &'static [&'static str];

/// Name of the archive with the record.
pub(crate) const FILE: ColumnAliases = &["warc_filename", "filename"];
pub(crate) const OFFSET: ColumnAliases = &["warc_record_offset", "offset"];
/// Length of the record, in bytes.
pub(crate) const LENGTH: ColumnAliases = &["warc_record_length", "length"];
/// Address of the page.
pub(crate) const URL: ColumnAliases = &["url"];
/// HTML of the page, as text or bytes.
pub(crate) const HTML: ColumnAliases = &["html", "raw_html"];
pub(crate) const FETCHED: ColumnAliases = &["fetched", "fetch_time", "warc_date"];
/// Media type that the server declared.
pub(crate) const CONTENT_TYPE: ColumnAliases = &["content_type", "content_mime_type"];

/// Maximum size of a row in a text file, not counting the HTML in it, in bytes.
const MOST_BESIDE: u64 = 1 << 20;
/// Maximum length of a value that is kept, in bytes.
const LONGEST_EXTRA: usize = 1 << 10;
/// Number of rows of a Parquet file that are decoded together.
const BATCH: usize = 64;
/// Maximum number of columns that a message names.
const NAMED: usize = 12;

/// What a table contains.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TableKind {
    /// A list of records of archives.
    Records,
    /// Pages.
    Pages,
}

/// The value of a cell, as text or bytes; `None` if it is missing or null.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum CellValue {
    None,
    Text(String),
    Bytes(Vec<u8>),
}

impl CellValue {
    /// The text, trimmed; `None` if there is none.
    pub(crate) fn text(&self) -> Option<&str> {
        let text = match self {
            Self::None => return None,
            Self::Text(text) => text,
            Self::Bytes(bytes) => std::str::from_utf8(bytes).ok()?,
        };
        Some(text.trim()).filter(|text| !text.is_empty())
    }

    /// The bytes; empty if the value is missing.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::None => &[],
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The value as a whole number, which may be written as text or with `.0`.
    pub(crate) fn number(&self) -> Option<u64> {
        let text = self.text()?;
        // Some programs turn columns with missing values into floating-point numbers.
        text.strip_suffix(".0").unwrap_or(text).parse().ok()
    }
}

/// A row: its number, counted from 0, and either the values of the requested columns, or why it cannot be read.
pub(crate) type Row<'a> = (u64, Result<&'a mut [CellValue], String>);

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum TableForm {
    Parquet,
    Csv,
    Json,
}

fn form_of(path: &Path) -> Option<TableForm> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let bare = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    match bare.rsplit_once('.')?.1 {
        "parquet" if bare.len() == name.len() => Some(TableForm::Parquet),
        "csv" => Some(TableForm::Csv),
        "jsonl" | "ndjson" => Some(TableForm::Json),
        _ => None,
    }
}

/// Whether a file name is that of a table.
pub fn is_table(path: &Path) -> bool {
    form_of(path).is_some()
}

/// Determines by its columns what a table contains.
///
/// # Errors
/// If it cannot be read, or lacks columns; the message names the columns.
pub fn kind_of_table(path: &Path) -> Result<TableKind> {
    let columns = contain_panics(|| columns_of(path)).unwrap_or_else(|panic| bail!("{panic}"));
    let columns = columns.with_context(|| format!("cannot read the table {}", path.display()))?;
    let lacks = |wanted: &[ColumnAliases]| -> Vec<&str> {
        let has = |column: &ColumnAliases| {
            column.iter().any(|name| columns.iter().any(|own| own == name))
        };
        wanted.iter().filter(|column| !has(column)).map(|column| column[0]).collect()
    };
    let (no_pages, no_records) = (lacks(&[URL, HTML]), lacks(&[FILE, OFFSET, LENGTH]));
    if no_pages.is_empty() {
        return Ok(TableKind::Pages);
    }
    if no_records.is_empty() {
        return Ok(TableKind::Records);
    }
    ensure!(columns.iter().any(|name| !name.is_empty()), "the table {} is empty", path.display());
    let more = columns.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let own = columns.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    bail!(
        "the table {} has the columns {own}{more}: as a list of records it lacks {}, as a table of pages {}",
        path.display(),
        no_records.join(", "),
        no_pages.join(", ")
    )
}

fn columns_of(path: &Path) -> Result<Vec<String>> {
    match form_of(path).context("it has not the name of a table")? {
        TableForm::Parquet => Ok(names_of(open_parquet(path)?.metadata().file_metadata().schema())),
        TableForm::Csv => {
            let (mut reader, _) = csv_reader(unpacked(open(path)?)?, MOST_BESIDE);
            let head = reader.byte_headers()?;
            Ok(head.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect())
        }
        TableForm::Json => {
            let mut from = unpacked(open(path)?)?;
            let mut line = Vec::new();
            while line.trim_ascii().is_empty() {
                line.clear();
                let count = from.by_ref().take(256 << 20).read_until(b'\n', &mut line)?;
                ensure!(count > 0, "it has no row");
            }
            match serde_json::from_slice(&line).context("its first line is not JSON")? {
                Value::Object(row) => Ok(row.into_iter().map(|(name, _)| name).collect()),
                _ => bail!("its first line is not a JSON object"),
            }
        }
    }
}

/// Reads the rows of a table in order, until `take` asks to stop. `text` is the open file, if the table is text; rows of text
/// with more than `limit` bytes plus 1 MiB are skipped. A row has the values of the `known` columns,
/// followed by those of the `extra` columns.
///
/// # Errors
/// If the table cannot be read to its end. Rows before the error have been taken.
pub(crate) fn read_rows(
    path: &Path,
    text: impl Read,
    (known, extra): (&[ColumnAliases], &[String]),
    limit: u64,
    take: &mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
) -> Result<()> {
    let limit = limit.saturating_add(MOST_BESIDE);
    let mut columns: Vec<Vec<&str>> = known.iter().map(|names| names.to_vec()).collect();
    columns.extend(extra.iter().map(|name| vec![name.as_str()]));
    let read = || match form_of(path).context("it has not the name of a table")? {
        TableForm::Parquet => parquet_rows(open_parquet(path)?, &columns, take),
        TableForm::Csv => csv_rows(csv_reader(unpacked(text)?, limit), &columns, take),
        TableForm::Json => json_rows(unpacked(text)?, &columns, limit, take),
    };
    contain_panics(read).unwrap_or_else(|panic| bail!("{panic}"))
}

pub(crate) fn extra_of(names: &[String], cells: &[CellValue]) -> Vec<ExtraValue> {
    let value = |(key, cell): (&String, &CellValue)| {
        let value = cell.text()?;
        let value = value[..value.floor_char_boundary(LONGEST_EXTRA)].to_owned();
        Some(ExtraValue { key: key.clone(), value })
    };
    names.iter().zip(cells).filter_map(value).collect()
}

/// Whether a table is text, which is read sequentially.
pub(crate) fn is_text(path: &Path) -> bool {
    form_of(path).is_some_and(|form| form != TableForm::Parquet)
}

/// Opens text that is plain or compressed with gzip or zstd, as its first bytes show.
///
/// # Errors
/// If it cannot be read. Damage is an error only when reading reaches it.
pub fn unpacked<'a>(from: impl Read + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let mut from = BufReader::new(from);
    Ok(match from.fill_buf()? {
        [0x1f, 0x8b, ..] => Box::new(BufReader::new(MultiGzDecoder::new(from))),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            Box::new(BufReader::new(zstd::stream::read::Decoder::with_buffer(from)?))
        }
        _ => Box::new(from),
    })
}

/// The position of each column in a table, by its names.
fn places(columns: &[Vec<&str>], names: &[String]) -> Vec<Option<usize>> {
    let place = |column: &Vec<&str>| {
        column.iter().find_map(|name| names.iter().position(|own| own.trim() == *name))
    };
    columns.iter().map(place).collect()
}

fn json_rows(
    mut from: Box<dyn BufRead + '_>,
    columns: &[Vec<&str>],
    limit: u64,
    take: &mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
) -> Result<()> {
    // A character of HTML takes up to six bytes in JSON (`\u003c`).
    let limit = limit.saturating_mul(6);
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        if from.by_ref().take(limit + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let is_long = line.len() as u64 > limit;
        while is_long && line.last() != Some(&b'\n') {
            line.clear();
            if from.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
                break;
            }
        }
        let mut row = match serde_json::from_slice(&line) {
            _ if is_long => Err(format!("the row has more than {limit} bytes")),
            _ if line.trim_ascii().is_empty() => continue,
            Ok(Value::Object(mut row)) => {
                let cell = |column: &Vec<&str>| {
                    let value = column.iter().find_map(|name| row.remove(*name));
                    value.map_or(CellValue::None, json_cell)
                };
                Ok(columns.iter().map(cell).collect::<Vec<_>>())
            }
            Ok(_) => Err("the row is not a JSON object".to_owned()),
            Err(error) if error.is_eof() && line.last() != Some(&b'\n') => {
                bail!("it is cut short in row {}", number + 1)
            }
            Err(error) => Err(format!("the row is not JSON: {error}")),
        };
        if take((number, row.as_mut().map(Vec::as_mut_slice).map_err(|why| why.clone()))).is_break()
        {
            return Ok(());
        }
        number += 1;
    }
}

fn json_cell(value: Value) -> CellValue {
    match value {
        Value::Null | Value::Array(_) | Value::Object(_) => CellValue::None,
        Value::String(text) => CellValue::Text(text),
        Value::Bool(_) | Value::Number(_) => CellValue::Text(value.to_string()),
    }
}

/// Fails if one row takes more than `limit` bytes, because of an unclosed quotation mark.
struct Budgeted<R> {
    from: R,
    read: Rc<CsvRead>,
    limit: u64,
}

#[derive(Default)]
struct CsvRead {
    /// Bytes since a row began.
    since: SharedNumber<u64>,
    /// Whether there is no more.
    is_whole: SharedNumber<bool>,
    /// Whether the number of quotation marks is odd: within quotation marks, unless some are part of a text outside.
    is_quoted: SharedNumber<bool>,
    last: SharedNumber<u8>,
}

impl CsvRead {
    /// Whether the file ends within its last row. Each sign alone may be by design: no line break at the end, a quotation mark
    /// left open, fewer cells than columns.
    fn ends_within(&self, is_short: bool) -> bool {
        let signs = [self.last.get() != b'\n', self.is_quoted.get(), is_short];
        self.is_whole.get() && signs.into_iter().filter(|sign| *sign).count() > 1
    }
}

impl<R: Read> Read for Budgeted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let CsvRead { since, is_whole, is_quoted, last } = &*self.read;
        if since.get() > self.limit {
            let why =
                format!("a row has more than {} bytes; is a quotation mark missing?", self.limit);
            return Err(io::Error::other(why));
        }
        let count = self.from.read(buffer)?;
        since.set(since.get() + count as u64);
        is_whole.set(count == 0);
        let marks = buffer[..count].iter().filter(|byte| **byte == b'"').count();
        is_quoted.set(is_quoted.get() ^ (marks % 2 == 1));
        last.set(buffer[..count].last().copied().unwrap_or(last.get()));
        Ok(count)
    }
}

type CsvReader<R> = csv::Reader<Budgeted<R>>;

/// Makes a CSV reader, with the state of its input.
fn csv_reader<R: Read>(from: R, limit: u64) -> (CsvReader<R>, Rc<CsvRead>) {
    let read = Rc::new(CsvRead::default());
    let from = Budgeted { from, read: Rc::clone(&read), limit };
    (csv::ReaderBuilder::new().flexible(true).from_reader(from), read)
}

fn csv_rows(
    (mut reader, read): (CsvReader<impl Read>, Rc<CsvRead>),
    columns: &[Vec<&str>],
    take: &mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
) -> Result<()> {
    let head = reader.byte_headers()?;
    let names: Vec<String> =
        head.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let places = places(columns, &names);
    let mut row = csv::ByteRecord::new();
    for number in 0.. {
        read.since.set(0);
        if !reader.read_byte_record(&mut row)? {
            break;
        }
        ensure!(
            !read.ends_within(row.len() < names.len()),
            "it is cut short in row {}",
            number + 1
        );
        let cell = |place: &Option<usize>| match place.and_then(|at| row.get(at)) {
            None | Some(b"") => CellValue::None,
            Some(bytes) => match String::from_utf8(bytes.to_vec()) {
                Ok(text) => CellValue::Text(text),
                Err(other) => CellValue::Bytes(other.into_bytes()),
            },
        };
        let mut cells: Vec<CellValue> = places.iter().map(cell).collect();
        if take((number, Ok(&mut cells))).is_break() {
            break;
        }
    }
    Ok(())
}

fn names_of(schema: &Type) -> Vec<String> {
    schema.get_fields().iter().map(|field| field.name().to_owned()).collect()
}

fn parquet_rows(
    reader: Box<dyn FileReader>,
    columns: &[Vec<&str>],
    take: &mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
) -> Result<()> {
    let schema = reader.metadata().file_metadata().schema();
    let places = places(columns, &names_of(schema));
    let mut read: Vec<usize> = places.iter().copied().flatten().collect();
    read.sort_unstable();
    read.dedup();
    let fields = read.iter().map(|&at| Arc::clone(&schema.get_fields()[at])).collect();
    let projection = Type::group_type_builder(schema.name()).with_fields(fields).build()?;
    let rows = RowIter::from_file_into(reader).project(Some(projection))?;
    for (number, row) in (0..).zip(rows.with_batch_size(BATCH)) {
        let mut fields: Vec<CellValue> =
            row?.into_columns().into_iter().map(|(_, field)| parquet_cell(field)).collect();
        let cell = |place: &Option<usize>| {
            let at = place.and_then(|place| read.binary_search(&place).ok());
            at.map_or(CellValue::None, |at| std::mem::replace(&mut fields[at], CellValue::None))
        };
        let mut cells: Vec<CellValue> = places.iter().map(cell).collect();
        if take((number, Ok(&mut cells))).is_break() {
            break;
        }
    }
    Ok(())
}

fn parquet_cell(field: Field) -> CellValue {
    let time = |time: Option<jiff::Timestamp>| {
        time.map_or(CellValue::None, |time| CellValue::Text(time.to_string()))
    };
    match field {
        Field::Null | Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            CellValue::None
        }
        Field::Str(text) => CellValue::Text(text),
        Field::Bytes(bytes) => CellValue::Bytes(bytes.data().to_vec()),
        Field::TimestampMillis(at) => time(jiff::Timestamp::from_millisecond(at).ok()),
        Field::TimestampMicros(at) => time(jiff::Timestamp::from_microsecond(at).ok()),
        other => CellValue::Text(other.to_string()),
    }
}

/// Opens a Parquet file, in the file system or at an address.
fn open_parquet(path: &Path) -> Result<Box<dyn FileReader>> {
    Ok(match address_of(path) {
        None => Box::new(SerializedFileReader::new(File::open(path)?)?),
        #[cfg(feature = "remote")]
        Some(address) => Box::new(SerializedFileReader::new(RemoteChunks::open(address)?)?),
        #[cfg(not(feature = "remote"))]
        Some(_) => open(path).map(|_| unreachable!())?,
    })
}
