//! `articles.parquet`: one row per article, all fields of `articles.jsonl` (Apache Parquet format
//! 2.x; zstd).
//!
//! Row groups are split only by the size of their values, and the file contains no timestamps of
//! the run, so the same articles give the same bytes.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, SchemaDescriptor, TypePtr};
use serde_json::Value;

use crate::instant::instant;
use crate::parquet_columns::Columns;
use crate::parquet_schema::{LONG, UNIQUE, schema};
use crate::{AtomicFile, SCHEMA, Sink, SinkError, article_record};
use model::{Article, SiteResult};

/// Size of the values, in bytes, at which a row group ends: it is held in memory until then.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// Date fields whose instant is also written to a separate column.
const DATES: [(&str, &str); 4] = [
    ("published", "published_at"),
    ("modified", "modified_at"),
    ("gone", "gone_at"),
    ("fetched", "fetched_at"),
];

/// Writes `articles.parquet`.
pub struct ParquetSink {
    path: PathBuf,
    schema: TypePtr,
    columns: Columns,
    writer: SerializedFileWriter<AtomicFile>,
}

impl fmt::Debug for ParquetSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetSink").field("path", &self.path).finish_non_exhaustive()
    }
}

impl ParquetSink {
    /// Starts the file at `path`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path) -> Result<Self, SinkError> {
        let file = AtomicFile::create(path)?;
        Self::begin(path, file).map_err(|error| failed(path, error))
    }

    fn begin(path: &Path, file: AtomicFile) -> ParquetResult<Self> {
        let schema: TypePtr = Arc::new(schema()?);
        let columns = Columns::new(&SchemaDescriptor::new(Arc::clone(&schema)))?;
        let writer = SerializedFileWriter::new(file, Arc::clone(&schema), Arc::new(properties()?))?;
        Ok(Self { path: path.to_owned(), schema, columns, writer })
    }

    fn add(&mut self, article: &Article) -> ParquetResult<()> {
        let record = serde_json::to_value(article_record(article))
            .map_err(|error| ParquetError::External(Box::new(error)))?;
        self.columns.push(&self.schema, with_instants(record))?;
        if self.columns.bytes() >= ROW_GROUP_BYTES { self.write_row_group() } else { Ok(()) }
    }

    /// Adds an article.
    pub(crate) fn add_article(&mut self, article: &Article) -> Result<(), SinkError> {
        self.add(article).map_err(|error| failed(&self.path, error))
    }

    /// Bytes of values in memory.
    pub(crate) fn held(&self) -> usize {
        self.columns.bytes()
    }

    /// Writes the rows in memory as a row group.
    pub(crate) fn flush(&mut self) -> Result<(), SinkError> {
        self.write_row_group().map_err(|error| failed(&self.path, error))
    }

    /// Writes everything; the file stays under its temporary name until it is finished.
    pub(crate) fn close(mut self) -> Result<AtomicFile, SinkError> {
        self.flush()?;
        let Self { path, writer, .. } = self;
        writer.into_inner().map_err(|error| failed(&path, error))
    }

    fn write_row_group(&mut self) -> ParquetResult<()> {
        if self.columns.rows() == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        let mut number = 0;
        while let Some(mut column) = group.next_column()? {
            self.columns.write(number, &mut column)?;
            column.close()?;
            number += 1;
        }
        group.close()?;
        self.columns.restart();
        Ok(())
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

fn failed(path: &Path, error: ParquetError) -> SinkError {
    SinkError { what: "cannot write", path: path.to_owned(), source: io::Error::other(error) }
}

/// Adds the instants of dates, in microseconds since 1970 in UTC, truncated.
fn with_instants(mut record: Value) -> Value {
    if let Some(fields) = record.as_object_mut() {
        for (name, at) in DATES {
            let instant = fields.get(name).and_then(Value::as_str).and_then(instant);
            let micros = instant.map_or(Value::Null, |i| i.as_microsecond().into());
            fields.insert(at.to_owned(), micros);
        }
    }
    record
}

fn properties() -> ParquetResult<WriterProperties> {
    let path = |name: &str| ColumnPath::new(name.split('.').map(str::to_owned).collect());
    let version = KeyValue::new("sitegrove.schema".to_owned(), SCHEMA.to_string());
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("sitegrove version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![version]))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_max_row_group_row_count(None);
    for name in UNIQUE {
        builder = builder.set_column_dictionary_enabled(path(name), false);
    }
    for name in LONG {
        builder = builder.set_column_statistics_enabled(path(name), EnabledStatistics::None);
    }
    Ok(builder.build())
}

#[cfg(test)]
#[path = "parquet_file_tests.rs"]
mod tests;
