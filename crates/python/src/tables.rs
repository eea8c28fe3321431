//! Reads and returns Arrow tables through the Arrow PyCapsule interface, as pyarrow, polars, duckdb, pandas and others do.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, Int64Array, LargeBinaryArray, LargeStringArray, RecordBatch,
    RecordBatchReader, StringArray, StructArray, TimestampMicrosecondArray,
};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use input::read::BrokenOff;
use jiff::Timestamp;
use model::{Article, Charset, CharsetEvidence, Origin, Page, PageHtml, PageNotes};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{
    ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule,
};
use pyo3_arrow::input::AnyRecordBatch;
use serde_json::Value;
use sink::TableBuilder;

use crate::detached::detached;
use crate::errors::{broken_off, failure, file_error, input_error};
use crate::values::{decoded, given_as_text, page, site_of};

/// Batches that are made when they are requested.
type BatchIterator = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// A stream of Arrow record batches, made as they are asked for.
///
/// It can be read once: by iterating over it, or by a library that takes the Arrow PyCapsule interface
/// (``__arrow_c_stream__``): ``pyarrow.table(reader)``, ``polars.DataFrame(reader)``,
/// ``duckdb.sql("FROM reader")``, ``pandas.DataFrame.from_arrow(reader)`` (pandas 3), …
#[pyclass(frozen, name = "RecordBatchReader", module = "sitegrove")]
pub(crate) struct PyRecordBatchReader {
    schema: SchemaRef,
    made: Mutex<Option<BatchIterator>>,
}

impl PyRecordBatchReader {
    pub(crate) fn new(schema: SchemaRef, made: BatchIterator) -> Self {
        Self { schema, made: Mutex::new(Some(made)) }
    }
}

/// Converts a schema to the type of its rows.
fn row_type(schema: &SchemaRef) -> Arc<Field> {
    let row = Field::new("", DataType::Struct(schema.fields().clone()), false);
    Arc::new(row.with_metadata(schema.metadata().clone()))
}

/// Converts an error to an exception.
fn exception(py: Python<'_>, error: ArrowError) -> PyErr {
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<BrokenOff>() {
            Ok(error) => broken_off(py, *error),
            Err(other) => failure(other),
        },
        ArrowError::InvalidArgumentError(message) => input_error(message),
        other => failure(other),
    }
}

#[pymethods]
impl PyRecordBatchReader {
    /// The stream as a capsule: for libraries.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner).take();
        let made = made.ok_or_else(|| failure("the stream was read already"))?;
        let arrays = made.map(|batch| Ok(Arc::new(StructArray::from(batch?)) as _));
        let reader = Box::new(ArrayIterator::new(arrays, row_type(&self.schema)));
        Ok(to_stream_pycapsule(py, reader, requested_schema)?)
    }

    /// The schema as a capsule: for libraries.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, &*self.schema)?)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyRecordBatch>> {
        let next = detached(py, 1, || {
            self.made.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.next()
        })?;
        next.transpose().map(|batch| batch.map(PyRecordBatch)).map_err(|error| exception(py, error))
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __repr__(&self) -> String {
        format!("<RecordBatchReader of {}>", self.column_names().join(", "))
    }
}

/// An Arrow record batch: give it to ``pyarrow.record_batch``, ``polars.DataFrame`` and the like.
#[pyclass(frozen, name = "RecordBatch", module = "sitegrove")]
pub(crate) struct PyRecordBatch(RecordBatch);

#[pymethods]
impl PyRecordBatch {
    /// The batch as capsules: for libraries.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let array = StructArray::from(self.0.clone());
        Ok(to_array_pycapsules(py, row_type(&self.0.schema()), &array, requested_schema)?)
    }

    /// The schema as a capsule: for libraries.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, &*self.0.schema())?)
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<RecordBatch of {} rows, {} columns>", self.0.num_rows(), self.0.num_columns())
    }
}

/// A sequence of record batches.
type Batches = Box<dyn RecordBatchReader + Send>;

/// The record batches of an Arrow table; `None` if the object is not a table.
pub(crate) fn batches_of(table: &Bound<'_, PyAny>) -> PyResult<Option<Batches>> {
    if !table.hasattr("__arrow_c_stream__")? && !table.hasattr("__arrow_c_array__")? {
        return Ok(None);
    }
    let batches = table.extract::<AnyRecordBatch>()?.into_reader()?;
    check(&batches.schema()).map_err(input_error)?;
    Ok(Some(batches))
}

fn check(schema: &Schema) -> Result<(), String> {
    let is_text = |kind: &DataType| {
        let kind = if let DataType::Dictionary(_, value) = kind { &**value } else { kind };
        // Columns of nulls alone have the type null.
        kind.is_string() || kind.is_null()
    };
    let is_binary = |kind: &DataType| {
        matches!(kind, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
    };
    for (name, may_be_binary) in [("url", false), ("html", true)] {
        let field = schema.field_with_name(name).map_err(|_| {
            let have: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
            format!("the table has no column `{name}`; it has: {}", have.join(", "))
        })?;
        let kind = field.data_type();
        let fits = is_text(kind) || (may_be_binary && is_binary(kind));
        if !fits {
            return Err(format!("the column `{name}` must be text, not {kind}"));
        }
    }
    Ok(())
}

/// Reads all pages of a table that have an address.
pub(crate) fn all_pages(batches: Batches) -> PyResult<Vec<Page>> {
    let mut pages = Vec::new();
    for batch in batches {
        let more = batch.and_then(|batch| pages_of(&batch));
        pages.extend(more.map_err(failure)?.into_iter().filter(|page| !page.url.is_empty()));
    }
    Ok(pages)
}

/// The column of HTML: text, or bytes to decode.
enum Htmls {
    Text(LargeStringArray),
    Bytes(LargeBinaryArray),
}

/// The text of a row, without a copy.
struct TextOfRow(LargeStringArray, usize);

impl AsRef<str> for TextOfRow {
    fn as_ref(&self) -> &str {
        self.0.value(self.1)
    }
}

/// A column of a type; `None` if there is no column of this name, or one of a type that is something else.
fn column(batch: &RecordBatch, name: &str, kind: &DataType) -> Option<ArrayRef> {
    cast(batch.column_by_name(name)?, kind).ok()
}

/// A column as text.
fn text(batch: &RecordBatch, name: &str) -> Option<LargeStringArray> {
    Some(column(batch, name, &DataType::LargeUtf8)?.as_string().clone())
}

fn value<'a, A>(column: &'a Option<A>, row: usize) -> Option<<&'a A as ArrayAccessor>::Item>
where
    &'a A: ArrayAccessor,
{
    column.as_ref().filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

/// The pages of a batch, in order. All columns except `url` and `html` are optional. A row without HTML becomes an empty
/// page, and one without an address a page whose address is empty.
pub(crate) fn pages_of(batch: &RecordBatch) -> Result<Vec<Page>, ArrowError> {
    let missing = |name: &str| ArrowError::SchemaError(format!("no column `{name}`"));
    let urls = Some(text(batch, "url").ok_or_else(|| missing("url"))?);
    let html = batch.column_by_name("html").ok_or_else(|| missing("html"))?;
    let htmls = match html.data_type() {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            Htmls::Bytes(cast(html, &DataType::LargeBinary)?.as_binary().clone())
        }
        _ => Htmls::Text(cast(html, &DataType::LargeUtf8)?.as_string().clone()),
    };
    let instant = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let fetched = column(batch, "fetched", &instant)
        .map(|column| column.as_primitive::<TimestampMicrosecondType>().clone());
    let offsets = column(batch, "offset", &DataType::Int64)
        .map(|column| column.as_primitive::<Int64Type>().clone());
    let (files, ids) = (text(batch, "file"), text(batch, "record_id"));
    let (truncated, charsets) = (text(batch, "truncated"), text(batch, "charset"));
    let (evidence, headers) = (text(batch, "charset_evidence"), text(batch, "headers"));
    let page_at = |row: usize| {
        let url = value(&urls, row).unwrap_or_default().to_owned();
        let (html, charset) = match &htmls {
            Htmls::Text(texts) if texts.is_valid(row) => {
                let charset = named(value(&charsets, row), value(&evidence, row));
                (
                    PageHtml::new(TextOfRow(texts.clone(), row)),
                    charset.unwrap_or_else(given_as_text),
                )
            }
            Htmls::Bytes(bytes) if bytes.is_valid(row) => {
                decoded(bytes.value(row).to_vec(), &url, value(&charsets, row))
            }
            Htmls::Text(_) | Htmls::Bytes(_) => (PageHtml::default(), given_as_text()),
        };
        let origin = Origin {
            file: value(&files, row).unwrap_or_default().into(),
            offset: value(&offsets, row).map_or(0, |offset| u64::try_from(offset).unwrap_or(0)),
            record_id: value(&ids, row).unwrap_or_default().to_owned(),
            truncated: value(&truncated, row).map(str::to_owned),
        };
        let fetched = value(&fetched, row).and_then(|at| Timestamp::from_microsecond(at).ok());
        let site = site_of(&url);
        let headers = value(&headers, row).and_then(|text| serde_json::from_str(text).ok());
        let notes = headers.map(|headers| Box::new(PageNotes { headers, ..PageNotes::default() }));
        Ok(Page { origin, fetched, notes, ..page(url, site, html, charset) })
    };
    (0..batch.num_rows()).map(page_at).collect()
}

/// The character set with these names.
fn named(name: Option<&str>, evidence: Option<&str>) -> Option<Charset> {
    let evidence = evidence.and_then(CharsetEvidence::parse).unwrap_or(CharsetEvidence::Http);
    // Names of character sets are static: deserialising a name finds the static one.
    let overruled = serde_json::json!({"http": null, "meta": null, "xml": null});
    let charset = serde_json::json!({"name": name?, "evidence": evidence, "overruled": overruled});
    serde_json::from_value(charset).ok()
}

/// Maximum rows, and bytes of their HTML, that are processed together. They limit memory for batches of any size.
const MOST_ROWS: usize = 1_024;
const MOST_BYTES: usize = 8 << 20;

/// Splits batches into small ones.
pub(crate) fn small_batches(
    mut batches: Batches,
) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send {
    let mut rest: Option<RecordBatch> = None;
    std::iter::from_fn(move || {
        loop {
            if let Some(batch) = rest.take().filter(|rest| rest.num_rows() > 0) {
                let rows = rows_at_once(&batch);
                rest = Some(batch.slice(rows, batch.num_rows() - rows));
                return Some(Ok(batch.slice(0, rows)));
            }
            match batches.next()? {
                Ok(batch) => rest = Some(batch),
                Err(error) => return Some(Err(error)),
            }
        }
    })
}

/// Number of rows at the beginning of a batch that are processed together.
fn rows_at_once(batch: &RecordBatch) -> usize {
    let Some(html) = batch.column_by_name("html") else { return batch.num_rows() };
    let length = |row: usize| match html.data_type() {
        DataType::Utf8 => html.as_string::<i32>().value_length(row) as usize,
        DataType::LargeUtf8 => html.as_string::<i64>().value_length(row) as usize,
        DataType::Binary => html.as_binary::<i32>().value_length(row) as usize,
        DataType::LargeBinary => html.as_binary::<i64>().value_length(row) as usize,
        DataType::Utf8View => html.as_string_view().value(row).len(),
        DataType::BinaryView => html.as_binary_view().value(row).len(),
        _ => 0,
    };
    let mut bytes = 0;
    let fits = |row: &usize| {
        bytes += length(*row);
        bytes <= MOST_BYTES
    };
    (0..html.len().min(MOST_ROWS)).take_while(fits).count().max(1)
}

/// Converts pages to a batch. The schema is always the same.
pub(crate) fn batch_of_pages(pages: &[Page]) -> Result<RecordBatch, ArrowError> {
    let text = |of: fn(&Page) -> Option<&str>| -> ArrayRef {
        Arc::new(pages.iter().map(of).collect::<StringArray>())
    };
    let fetched: TimestampMicrosecondArray =
        pages.iter().map(|page| Some(page.fetched?.as_microsecond())).collect();
    let offsets: Int64Array = pages.iter().map(|page| page.origin.offset.try_into().ok()).collect();
    let headers: StringArray = (pages.iter())
        .map(|page| serde_json::to_string(&page.notes.as_ref()?.headers).ok())
        .collect();
    let bytes = pages.iter().map(|page| page.html.len()).sum();
    let mut htmls = LargeStringBuilder::with_capacity(pages.len(), bytes);
    pages.iter().for_each(|page| htmls.append_value(&*page.html));
    let columns: [(&str, ArrayRef); 11] = [
        ("url", text(|page| Some(&page.url))),
        ("site", text(|page| Some(&page.site))),
        ("fetched", Arc::new(fetched.with_timezone("UTC"))),
        ("file", text(|page| Some(&page.origin.file))),
        ("offset", Arc::new(offsets)),
        ("record_id", text(|page| Some(&page.origin.record_id))),
        ("truncated", text(|page| page.origin.truncated.as_deref())),
        ("charset", text(|page| Some(page.charset.name))),
        ("charset_evidence", text(|page| Some(page.charset.evidence.as_str()))),
        ("headers", Arc::new(headers)),
        ("html", Arc::new(htmls.finish())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
}

/// Maximum numbers of lines of a batch, and of their bytes.
const BATCH_LINES: usize = 4_096;
const BATCH_BYTES: usize = 8 << 20;

/// Reads the records of a file of JSON lines in batches.
struct JsonLines {
    rows: TableBuilder,
    lines: Box<dyn BufRead + Send>,
    path: PathBuf,
    number: u64,
    of_articles: bool,
}

impl JsonLines {
    fn batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let (mut rows, mut bytes, mut line) = (0, 0, String::new());
        while rows < BATCH_LINES && bytes < BATCH_BYTES {
            line.clear();
            let read = self.lines.read_line(&mut line).map_err(|e| self.failed(&e))?;
            if read == 0 {
                break;
            }
            bytes += read;
            self.number += 1;
            self.add(&line)?;
            rows += 1;
        }
        if rows > 0 { self.rows.take_batch().map(Some) } else { Ok(None) }
    }

    fn add(&mut self, line: &str) -> Result<(), ArrowError> {
        if self.of_articles {
            let article: Article = serde_json::from_str(line).map_err(|e| self.failed(&e))?;
            self.rows.push(&article)
        } else {
            let drop: Value = serde_json::from_str(line).map_err(|e| self.failed(&e))?;
            self.rows.push(&drop)
        }
    }

    fn failed(&self, error: &dyn std::error::Error) -> ArrowError {
        let path = self.path.display();
        ArrowError::InvalidArgumentError(format!("{path}, line {}: {error}", self.number))
    }
}

fn open_lines(path: &Path) -> PyResult<Box<dyn BufRead + Send>> {
    let shown = path.to_string_lossy();
    let failed = |error| file_error(format!("cannot read {shown}: {error}"), &shown, None);
    let file = File::open(path).map_err(failed)?;
    let bytes: Box<dyn Read + Send> = match path.extension().is_some_and(|e| e == "zst") {
        true => Box::new(zstd::Decoder::new(file).map_err(failed)?),
        false => Box::new(file),
    };
    Ok(Box::new(BufReader::with_capacity(1 << 20, bytes)))
}

/// Reads ``articles.jsonl``, ``articles.jsonl.zst`` or ``dropped.jsonl`` as a table.
#[pyfunction]
#[pyo3(name = "_read_lines")]
pub(crate) fn read_lines(path: PathBuf, of_articles: bool) -> PyResult<PyRecordBatchReader> {
    let rows = if of_articles { TableBuilder::of_articles() } else { TableBuilder::of_drops() };
    let rows = rows.map_err(failure)?;
    let schema = Arc::clone(rows.schema());
    let mut lines = JsonLines { rows, lines: open_lines(&path)?, path, number: 0, of_articles };
    let next = move || lines.batch().transpose();
    Ok(PyRecordBatchReader::new(schema, Box::new(std::iter::from_fn(next))))
}
