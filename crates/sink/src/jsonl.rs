//! `articles.jsonl`: one article per line, uncompressed or compressed.

use std::io::Write;
use std::path::Path;

use model::Extracted;
use serde::{Deserialize, Serialize};

use crate::{SinkError, TextFileSink};

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

/// The lines of articles.
fn lines_of(articles: &[Extracted]) -> Vec<u8> {
    // A buffer that grows by doubling is copied, and touches up to twice the memory needed.
    let long: usize = articles.iter().map(|article| article.long_text_bytes()).sum();
    let mut bytes = Vec::with_capacity(long + long / 16 + 2_048 * articles.len());
    write_lines(articles.iter().map(|extracted| &extracted.article), &mut bytes);
    bytes
}

/// How lines are stored.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
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

/// Starts `articles.jsonl` or `articles.jsonl.zst` at `path`.
///
/// # Errors
/// If it cannot be created.
pub fn jsonl_file(path: &Path, storage: LineStorage) -> Result<TextFileSink, SinkError> {
    let file = TextFileSink::create(path, b"", move |articles| storage.store(lines_of(articles)))?;
    Ok(match storage {
        LineStorage::Plain => file,
        // A valid zstd file has at least one frame.
        LineStorage::Zstd => file.with_bytes_if_empty(frame(b"")),
    })
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
