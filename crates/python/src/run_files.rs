//! Files of a run folder as tables.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use serde_json::Value;
use sink::instant;

use crate::errors::input_error;
use crate::stream::RecordBatchReader;
use crate::tables_out::{articles, batch_of, drops};

/// Lines of a batch, and their bytes.
const MOST_LINES: usize = 4_096;
const MOST_BYTES: usize = 8 << 20;

/// Fields whose instant is a column of its own.
const DATES: [(&str, &str); 4] = [
    ("published", "published_at"),
    ("modified", "modified_at"),
    ("gone", "gone_at"),
    ("fetched", "fetched_at"),
];

/// Records of a file of JSON lines, a batch at a time.
struct Lines {
    schema: SchemaRef,
    lines: Box<dyn BufRead + Send>,
    path: PathBuf,
    number: u64,
    with_instants: bool,
}

impl Lines {
    fn batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let (mut records, mut bytes, mut line) = (Vec::new(), 0, String::new());
        while records.len() < MOST_LINES && bytes < MOST_BYTES {
            line.clear();
            let read = self.lines.read_line(&mut line).map_err(|e| self.failed(&e))?;
            if read == 0 {
                break;
            }
            bytes += read;
            self.number += 1;
            let mut record: Value = serde_json::from_str(&line).map_err(|e| self.failed(&e))?;
            if self.with_instants {
                add_instants(&mut record);
            }
            records.push(record);
        }
        match records.is_empty() {
            true => Ok(None),
            false => batch_of(&self.schema, &records).map(Some),
        }
    }

    fn failed(&self, error: &dyn std::error::Error) -> ArrowError {
        let path = self.path.display();
        ArrowError::InvalidArgumentError(format!("{path}, line {}: {error}", self.number))
    }
}

/// Adds the instants of dates, in microseconds since 1970 in UTC.
fn add_instants(record: &mut Value) {
    let Some(fields) = record.as_object_mut() else { return };
    for (name, at) in DATES {
        let instant = fields.get(name).and_then(Value::as_str).and_then(instant);
        fields.insert(at.to_owned(), instant.map_or(Value::Null, |i| i.as_microsecond().into()));
    }
}

fn opened(path: &Path) -> PyResult<Box<dyn BufRead + Send>> {
    let shown = path.to_string_lossy();
    let failed = |error| input_error(format!("cannot read {shown}: {error}"), Some(&shown), None);
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
pub(crate) fn read_lines(path: PathBuf, of_articles: bool) -> PyResult<RecordBatchReader> {
    let schema = if of_articles { articles() } else { drops() };
    let lines = opened(&path)?;
    let (number, with_instants) = (0, of_articles);
    let mut lines = Lines { schema: Arc::clone(&schema), lines, path, number, with_instants };
    let next = move || lines.batch().transpose();
    Ok(RecordBatchReader::new(schema, Box::new(std::iter::from_fn(next))))
}
