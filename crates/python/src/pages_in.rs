//! Pages out of Arrow tables.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::{
    Array, ArrayRef, LargeBinaryArray, LargeStringArray, PrimitiveArray, RecordBatch,
    RecordBatchReader,
};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema, TimeUnit};
use jiff::Timestamp;
use model::{Charset, CharsetEvidence, Origin, PageHtml};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::errors::{SitegroveError, input_error};
use crate::page::{decoded, given_as_text, page, site_of};

/// Record batches that come one after the other.
pub(crate) type Batches = Box<dyn RecordBatchReader + Send>;

/// The record batches of an Arrow table; `None` for what is no table.
///
/// # Errors
/// If the table cannot be taken, or lacks a column.
pub(crate) fn batches_of(table: &Bound<'_, PyAny>) -> PyResult<Option<Batches>> {
    if !table.hasattr("__arrow_c_stream__")? && !table.hasattr("__arrow_c_array__")? {
        return Ok(None);
    }
    let batches = table.extract::<AnyRecordBatch>()?.into_reader()?;
    check(&batches.schema()).map_err(|message| input_error(message, None, None))?;
    Ok(Some(batches))
}

fn check(schema: &Schema) -> Result<(), String> {
    let is_text = |kind: &DataType| {
        matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
            || matches!(kind, DataType::Dictionary(_, value) if **value == DataType::Utf8)
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

/// All pages of a table.
///
/// # Errors
/// If the table cannot be read on.
pub(crate) fn all_pages(batches: Batches) -> PyResult<Vec<model::Page>> {
    let mut pages = Vec::new();
    for batch in batches {
        let more = batch.and_then(|batch| pages_of(&batch));
        pages.extend(more.map_err(|error| SitegroveError::new_err(error.to_string()))?);
    }
    Ok(pages)
}

/// HTML of rows: text, or bytes to be decoded.
enum Htmls {
    Text(LargeStringArray),
    Bytes(LargeBinaryArray),
}

/// The text of a row, which is not copied.
struct TextOfRow(LargeStringArray, usize);

impl AsRef<str> for TextOfRow {
    fn as_ref(&self) -> &str {
        self.0.value(self.1)
    }
}

/// A column as text; `None` where there is none of this name.
fn text(batch: &RecordBatch, name: &str) -> Result<Option<LargeStringArray>, ArrowError> {
    let column = batch.column_by_name(name);
    column.map(|column| Ok(cast(column, &DataType::LargeUtf8)?.as_string().clone())).transpose()
}

fn value(column: &Option<LargeStringArray>, row: usize) -> Option<&str> {
    column.as_ref().filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

fn number<T: arrow_array::ArrowPrimitiveType>(
    column: &Option<PrimitiveArray<T>>,
    row: usize,
) -> Option<T::Native> {
    column.as_ref().filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

/// The pages of a batch, in its order. Columns but `url` and `html` may be missing; a row without HTML is an empty
/// page.
///
/// # Errors
/// If a column has a type that cannot be taken, or a row has no address.
pub(crate) fn pages_of(batch: &RecordBatch) -> Result<Vec<model::Page>, ArrowError> {
    let missing = |name: &str| ArrowError::SchemaError(format!("no column `{name}`"));
    let urls = text(batch, "url")?.ok_or_else(|| missing("url"))?;
    let html = batch.column_by_name("html").ok_or_else(|| missing("html"))?;
    let htmls = match html.data_type() {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            Htmls::Bytes(cast(html, &DataType::LargeBinary)?.as_binary().clone())
        }
        _ => Htmls::Text(cast(html, &DataType::LargeUtf8)?.as_string().clone()),
    };
    let column = |name: &str, kind: &DataType| -> Result<Option<ArrayRef>, ArrowError> {
        batch.column_by_name(name).map(|column| cast(column, kind)).transpose()
    };
    let instant = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let fetched = column("fetched", &instant)?
        .map(|column| column.as_primitive::<TimestampMicrosecondType>().clone());
    let offsets = column("offset", &DataType::Int64)?
        .map(|column| column.as_primitive::<Int64Type>().clone());
    let (files, ids) = (text(batch, "file")?, text(batch, "record_id")?);
    let (truncated, charsets) = (text(batch, "truncated")?, text(batch, "charset")?);
    let evidence = text(batch, "charset_evidence")?;
    let page_at = |row: usize| {
        if urls.is_null(row) {
            return Err(ArrowError::InvalidArgumentError(format!("row {row} has no `url`")));
        }
        let url = urls.value(row).to_owned();
        let (html, charset) = match &htmls {
            Htmls::Text(texts) if texts.is_valid(row) => {
                let charset = named(value(&charsets, row), value(&evidence, row));
                (PageHtml::of(TextOfRow(texts.clone(), row)), charset.unwrap_or_else(given_as_text))
            }
            Htmls::Bytes(bytes) if bytes.is_valid(row) => {
                decoded(bytes.value(row).to_vec(), &url, value(&charsets, row))
            }
            Htmls::Text(_) | Htmls::Bytes(_) => (PageHtml::default(), given_as_text()),
        };
        let origin = Origin {
            file: value(&files, row).unwrap_or_default().into(),
            offset: number(&offsets, row).map_or(0, |offset| u64::try_from(offset).unwrap_or(0)),
            record_id: value(&ids, row).unwrap_or_default().to_owned(),
            truncated: value(&truncated, row).map(str::to_owned),
        };
        let fetched = number(&fetched, row).and_then(|at| Timestamp::from_microsecond(at).ok());
        let site = site_of(&url);
        Ok(model::Page { origin, fetched, ..page(url, site, html, charset) })
    };
    (0..batch.num_rows()).map(page_at).collect()
}

/// The character set of these names.
fn named(name: Option<&str>, evidence: Option<&str>) -> Option<Charset> {
    const ALL: [CharsetEvidence; 8] = [
        CharsetEvidence::Bom,
        CharsetEvidence::ZeroBytes,
        CharsetEvidence::Http,
        CharsetEvidence::Meta,
        CharsetEvidence::Xml,
        CharsetEvidence::ValidUtf8,
        CharsetEvidence::MostlyUtf8,
        CharsetEvidence::Detector,
    ];
    let of = |evidence: &str| ALL.into_iter().find(|known| known.as_str() == evidence);
    let evidence = evidence.and_then(of).unwrap_or(CharsetEvidence::Http);
    // Names live in the program: reading one back finds it.
    let overruled = serde_json::json!({"http": null, "meta": null, "xml": null});
    let charset = serde_json::json!({"name": name?, "evidence": evidence, "overruled": overruled});
    serde_json::from_value(charset).ok()
}
