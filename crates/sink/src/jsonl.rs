//! `articles.jsonl`: one article a line.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::{AtomicFile, Render, Sink, SinkError, SiteResult, article_record};

/// Records as lines of JSON, line breaks included.
pub fn json_lines<T: Serialize>(records: impl Iterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for record in records {
        // Records are plain data and memory takes every byte: there is nothing to fail.
        if serde_json::to_writer(&mut bytes, &record).is_ok() {
            bytes.push(b'\n');
        }
    }
    bytes
}

/// Writes `articles.jsonl`.
#[derive(Debug)]
pub struct JsonlSink(AtomicFile);

impl JsonlSink {
    /// Begins the file at `path`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path) -> Result<Self, SinkError> {
        AtomicFile::create(path).map(Self)
    }
}

impl Sink for JsonlSink {
    fn render(&self) -> Option<Render> {
        Some(Arc::new(|site| json_lines(site.articles.iter().map(article_record))))
    }

    fn take(&mut self, _site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError> {
        self.0.write_bytes(rendered)
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        self.0.finish()
    }
}
