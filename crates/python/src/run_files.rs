//! Files of a run folder as tables.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use model::Article;
use pyo3::prelude::*;
use serde_json::Value;
use sink::TableBuilder;

use crate::errors::{SitegroveError, input_error};
use crate::stream::RecordBatchReader;

/// Lines of a batch, and their bytes.
const MOST_LINES: usize = 4_096;
const MOST_BYTES: usize = 8 << 20;

/// Records of a file of JSON lines, a batch at a time.
struct Lines {
    rows: TableBuilder,
    lines: Box<dyn BufRead + Send>,
    path: PathBuf,
    number: u64,
    of_articles: bool,
}

impl Lines {
    fn batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let (mut rows, mut bytes, mut line) = (0, 0, String::new());
        while rows < MOST_LINES && bytes < MOST_BYTES {
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
    let rows = if of_articles { TableBuilder::of_articles() } else { TableBuilder::of_drops() };
    let rows = rows.map_err(|error| SitegroveError::new_err(error.to_string()))?;
    let schema = Arc::clone(rows.schema());
    let mut lines = Lines { rows, lines: opened(&path)?, path, number: 0, of_articles };
    let next = move || lines.batch().transpose();
    Ok(RecordBatchReader::new(schema, Box::new(std::iter::from_fn(next))))
}
