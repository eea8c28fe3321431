//! Articles as Arrow tables. The columns are the fields of [`Article`], in its order. Each date is followed by a column with
//! its instant.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use model::{Article, FieldKind, Origin, RecordField};
use serde::Serialize;
use serde_arrow::ArrayBuilder;

/// Fields of long text, which may exceed 2 GiB in one table.
const LARGE_TEXTS: [&str; 4] = ["text", "html", "markdown", "comments"];

/// Date fields, and the columns with their instants.
const DATES: [(&str, &str); 4] = [
    ("published", "published_at"),
    ("modified", "modified_at"),
    ("gone", "gone_at"),
    ("fetched", "fetched_at"),
];

/// A table to which records are added one after the other.
#[derive(Debug)]
pub struct TableBuilder {
    /// Builder of all columns except the instants.
    builder: ArrayBuilder,
    schema: SchemaRef,
}

impl TableBuilder {
    /// A table of articles.
    ///
    /// # Errors
    /// Never, with the fields of [`Article`].
    pub fn of_articles() -> Result<Self, ArrowError> {
        Self::new(fields_of(Article::FIELDS))
    }

    /// A table of the outcomes of pages: articles, and drops as [`crate::DropRecord`]. Every column may be null.
    ///
    /// # Errors
    /// Never, with these fields.
    pub fn of_outcomes() -> Result<Self, ArrowError> {
        let of_articles = fields_of(Article::FIELDS).into_iter();
        Self::new(nullable(of_articles.chain(["stage", "reason", "detail"].map(text))))
    }

    /// A table of drops.
    ///
    /// # Errors
    /// Never, with these fields.
    pub fn of_drops() -> Result<Self, ArrowError> {
        let texts = ["stage", "reason", "url", "site", "detail"].map(text).into_iter();
        let origin = Field::new("origin", record_type(Origin::FIELDS), true);
        Self::new(nullable(texts.chain([origin])))
    }

    fn new(fields: Vec<Field>) -> Result<Self, ArrowError> {
        let mut columns = Vec::new();
        for field in &fields {
            columns.push(field.clone());
            if let Some((_, at)) = DATES.iter().find(|(date, _)| date == field.name()) {
                let instant = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
                columns.push(Field::new(*at, instant, true));
            }
        }
        let fields: Vec<FieldRef> = fields.into_iter().map(Arc::new).collect();
        let builder = ArrayBuilder::from_arrow(&fields).map_err(failed)?;
        Ok(Self { builder, schema: Arc::new(Schema::new(columns)) })
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If a value does not fit its column.
    pub fn push(&mut self, record: &impl Serialize) -> Result<(), ArrowError> {
        self.builder.push(record).map_err(failed)
    }

    /// Takes the rows that were added since the last batch.
    ///
    /// # Errors
    /// Never, with rows that could be added.
    pub fn take_batch(&mut self) -> Result<RecordBatch, ArrowError> {
        let plain = self.builder.to_record_batch().map_err(failed)?;
        let column = |field: &FieldRef| {
            let date = DATES.iter().find(|(_, at)| at == field.name()).map(|(date, _)| *date);
            let column = plain.column_by_name(date.unwrap_or(field.name()))?;
            Some(if date.is_some() { instants_of(column) } else { Arc::clone(column) })
        };
        let columns = self.schema.fields().iter().filter_map(column).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

fn failed(error: serde_arrow::Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

/// Converts dates to instants, truncated to microseconds.
fn instants_of(dates: &ArrayRef) -> ArrayRef {
    let dates = dates.as_string::<i32>().iter();
    let instants = dates.map(|date| date.and_then(parse_instant).map(Timestamp::as_microsecond));
    Arc::new(instants.collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
}

fn text(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

fn nullable(fields: impl Iterator<Item = Field>) -> Vec<Field> {
    fields.map(|field| field.with_nullable(true)).collect()
}

fn fields_of(record: &[RecordField]) -> Vec<Field> {
    let field = |own: &RecordField| {
        let kind = match own.kind {
            FieldKind::Text if LARGE_TEXTS.contains(&own.name) => DataType::LargeUtf8,
            kind => type_of(&kind),
        };
        Field::new(own.name, kind, own.is_optional())
    };
    record.iter().map(field).collect()
}

fn record_type(fields: &[RecordField]) -> DataType {
    DataType::Struct(Fields::from(fields_of(fields)))
}

fn type_of(kind: &FieldKind) -> DataType {
    match kind {
        FieldKind::Text | FieldKind::Time => DataType::Utf8,
        FieldKind::Integer => DataType::Int32,
        FieldKind::Long => DataType::Int64,
        FieldKind::Number => DataType::Float64,
        FieldKind::Boolean => DataType::Boolean,
        FieldKind::List(of) => DataType::List(Arc::new(Field::new("element", type_of(of), false))),
        FieldKind::Record(fields) => record_type(fields),
    }
}

/// Parses an RFC 3339 date or date-time. Without an offset it is taken as UTC, and a date without a
/// time as midnight. Returns `None` for anything else.
pub fn parse_instant(text: &str) -> Option<Timestamp> {
    if let Ok(instant) = text.parse() {
        return Some(instant);
    }
    let local: DateTime = text.parse().ok()?;
    local.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}
