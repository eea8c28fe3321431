//! `articles.jsonl`: one article per line, uncompressed or compressed.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::{AtomicFile, Render, Sink, SinkError};
use model::SiteResult;

/// Compression level: zstd's own default.
const LEVEL: i32 = 3;

/// Records as lines of JSON, including line breaks.
pub fn json_lines<T: Serialize>(records: impl Iterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_lines(records, &mut bytes);
    bytes
}

fn write_lines<T: Serialize>(records: impl Iterator<Item = T>, bytes: &mut Vec<u8>) {
    for record in records {
        // Plain data serialized into memory: this cannot fail.
        if serde_json::to_writer(&mut *bytes, &record).is_ok() {
            bytes.push(b'\n');
        }
    }
}

/// The lines of a site's articles.
fn lines_of(site: &SiteResult) -> Vec<u8> {
    // A buffer that grows by doubling is copied, and touches up to twice the memory needed.
    let long: usize = site.articles.iter().map(|article| article.long_text_bytes()).sum();
    let mut bytes = Vec::with_capacity(long + long / 16 + 2_048 * site.articles.len());
    write_lines(site.articles.iter().map(|extracted| &extracted.article), &mut bytes);
    bytes
}

/// How lines are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStorage {
    /// Uncompressed.
    Plain,
    /// As zstd frames with checksums, one per site (RFC 8878). Sites are compressed in parallel,
    /// and the same site gives the same bytes.
    Zstd,
}

impl LineStorage {
    /// The bytes to store for one site's lines.
    fn store(self, lines: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Zstd if !lines.is_empty() => frame(&lines),
            Self::Zstd | Self::Plain => lines,
        }
    }
}

/// One zstd frame, with its length and a checksum.
fn frame(bytes: &[u8]) -> Vec<u8> {
    let compressed = || {
        let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
        encoder.write_all(bytes)?;
        encoder.finish()
    };
    // Compression into memory cannot fail.
    compressed().unwrap_or_default()
}

/// Writes `articles.jsonl` or `articles.jsonl.zst`.
#[derive(Debug)]
pub struct JsonlSink {
    file: AtomicFile,
    storage: LineStorage,
}

impl JsonlSink {
    /// Starts the file at `path`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path, storage: LineStorage) -> Result<Self, SinkError> {
        Ok(Self { file: AtomicFile::create(path)?, storage })
    }
}

impl Sink for JsonlSink {
    fn render(&self) -> Option<Render> {
        let storage = self.storage;
        Some(Arc::new(move |site| storage.store(lines_of(site))))
    }

    fn take(&mut self, _site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError> {
        self.file.write_bytes(rendered)
    }

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        if self.file.is_empty() && self.storage == LineStorage::Zstd {
            // A valid zstd file has at least one frame.
            self.file.write_bytes(&frame(b""))?;
        }
        self.file.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_can_be_read_one_after_the_other() {
        let lines = [b"{\"a\":1}\n".repeat(100), b"{\"b\":2}\n".to_vec(), Vec::new()];
        let stored: Vec<u8> =
            lines.iter().flat_map(|l| LineStorage::Zstd.store(l.clone())).collect();
        assert_eq!(zstd::decode_all(stored.as_slice()).unwrap(), lines.concat());
        assert!(stored.len() < 100);
        assert_eq!(zstd::decode_all(frame(b"").as_slice()).unwrap(), b"");
        let mut damaged = stored;
        damaged[20] ^= 1;
        assert!(zstd::decode_all(damaged.as_slice()).is_err(), "the checksum must tell");
    }
}
