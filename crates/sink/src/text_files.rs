//! Outputs that are one text file: `articles.jsonl`, `articles.bulk.ndjson` and, in `csv_rows.rs`, `articles.csv`.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use model::{Article, Extracted, Passage, SiteResult};
use serde::{Deserialize, Serialize};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_128;

use crate::{AtomicFile, Render, Sink, SinkError};

/// Writes a text file of articles: some first bytes, then the rendered bytes of each site, in order.
pub struct TextFileSink {
    file: AtomicFile,
    /// Renders a site; `None` if the lines of the site are written as they are.
    render: Option<Render>,
    reads_articles: bool,
    /// Written if nothing else has been.
    if_empty: Vec<u8>,
}

impl TextFileSink {
    /// Creates the file at `path`, with these first bytes.
    pub(crate) fn create(
        path: &Path,
        start: &[u8],
        render: impl Fn(&[Extracted]) -> Vec<u8> + Send + Sync + 'static,
    ) -> Result<Self, SinkError> {
        let mut file = AtomicFile::create(path)?;
        file.write_bytes(start)?;
        let render: Render = Arc::new(move |site| render(&site.articles));
        Ok(Self { file, render: Some(render), reads_articles: true, if_empty: Vec::new() })
    }
}

impl Sink for TextFileSink {
    fn render(&self) -> Option<Render> {
        self.render.clone()
    }

    fn reads_articles(&self) -> bool {
        self.reads_articles
    }

    fn take(&mut self, site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError> {
        self.file.write_bytes(if self.render.is_some() { rendered } else { &site.lines })
    }

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        if self.file.is_empty() {
            self.file.write_bytes(&self.if_empty)?;
        }
        self.file.finish()
    }
}

/// Compression level: the default of zstd.
const LEVEL: i32 = 3;

/// Serializes records as lines of JSON, with line breaks.
pub fn json_lines<T: Serialize>(records: impl Iterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    records.for_each(|record| write_line(&record, &mut bytes));
    bytes
}

/// Appends a record as a line of JSON, with its line break.
pub fn write_line(record: &impl Serialize, bytes: &mut Vec<u8>) {
    // Plain data serialized into memory: this cannot fail.
    if serde_json::to_writer(&mut *bytes, record).is_ok() {
        bytes.push(b'\n');
    }
}

/// How lines of JSON are stored.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LineStorage {
    /// Uncompressed.
    Plain,
    /// As zstd frames with checksums (RFC 8878), one per site. Sites are compressed in parallel, and
    /// the same site gives the same bytes.
    Zstd,
}

/// Compresses the lines of a site to a frame; returns nothing if there are none.
fn framed_lines(lines: &[u8]) -> Vec<u8> {
    if lines.is_empty() { Vec::new() } else { frame(lines) }
}

/// Compresses bytes to one zstd frame with their length and a checksum.
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

/// Creates `articles.jsonl` or `articles.jsonl.zst` at `path`.
///
/// # Errors
/// If it cannot be created.
pub fn jsonl_file(path: &Path, storage: LineStorage) -> Result<TextFileSink, SinkError> {
    let (render, if_empty): (Option<Render>, _) = match storage {
        LineStorage::Plain => (None, Vec::new()),
        // A valid zstd file has at least one frame.
        LineStorage::Zstd => (Some(Arc::new(|site| framed_lines(&site.lines))), frame(b"")),
    };
    Ok(TextFileSink { file: AtomicFile::create(path)?, render, reads_articles: false, if_empty })
}

/// The search server that the lines of `articles.bulk.ndjson` are for.
///
/// Elasticsearch and OpenSearch: the body of a bulk request, an action line before each document (Elasticsearch, "Bulk
/// API"). Quickwit and Meilisearch: documents only, with an id in them.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BulkDialect {
    /// An action line `{"index":{"_id":…}}` before each document.
    Elasticsearch,
    /// Like Elasticsearch.
    OpenSearch,
    /// Documents with an `id`.
    Quickwit,
    /// Like Quickwit.
    Meilisearch,
}

/// Id of an article: 32 hex digits, the same for the same address in every run, so that a later
/// version replaces an earlier one. Addresses themselves cannot be ids: they may exceed the
/// 512 bytes that servers allow, and contain characters that Meilisearch does not allow.
fn id_of(article: &Article) -> String {
    format!("{:032x}", xxh3_128(article.url.as_bytes()))
}

/// The document of an article: its record, with the text added to each passage, as servers search only what a document contains.
#[derive(Serialize)]
struct BulkDocument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(flatten)]
    record: Cow<'a, Article>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passages: Vec<BulkPassage<'a>>,
}

#[derive(Serialize)]
struct BulkPassage<'a> {
    #[serde(flatten)]
    passage: &'a Passage,
    text: &'a str,
}

impl<'a> BulkDocument<'a> {
    fn new(id: Option<String>, article: &'a Article) -> Self {
        if article.passages.is_empty() {
            return Self { id, record: Cow::Borrowed(article), passages: Vec::new() };
        }
        let (mut rest, mut at) = (&*article.text, 0);
        let mut after = |characters: u32| {
            let count = characters.saturating_sub(at) as usize;
            let end = rest.char_indices().nth(count).map_or(rest.len(), |(end, _)| end);
            let (before, after) = rest.split_at(end);
            (rest, at) = (after, characters);
            before
        };
        let passages = article.passages.iter().map(|passage| {
            after(passage.start);
            BulkPassage { passage, text: after(passage.end) }
        });
        let passages = passages.collect();
        let record = Cow::Owned(Article { passages: Vec::new(), ..article.clone() });
        Self { id, record, passages }
    }
}

fn bulk_lines(dialect: BulkDialect, articles: &[Extracted]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for Extracted { article, .. } in articles {
        let id = id_of(article);
        match dialect {
            BulkDialect::Elasticsearch | BulkDialect::OpenSearch => {
                write_line(&json!({ "index": { "_id": id } }), &mut bytes);
                write_line(&BulkDocument::new(None, article), &mut bytes);
            }
            BulkDialect::Quickwit | BulkDialect::Meilisearch => {
                write_line(&BulkDocument::new(Some(id), article), &mut bytes);
            }
        }
    }
    bytes
}

/// Creates `articles.bulk.ndjson` at `path`.
///
/// # Errors
/// If it cannot be created.
pub fn bulk_file(path: &Path, dialect: BulkDialect) -> Result<TextFileSink, SinkError> {
    TextFileSink::create(path, b"", move |articles| bulk_lines(dialect, articles))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_can_be_read_one_after_the_other() {
        let lines = [b"{\"a\":1}\n".repeat(100), b"{\"b\":2}\n".to_vec(), Vec::new()];
        let stored: Vec<u8> = lines.iter().flat_map(|l| framed_lines(l)).collect();
        assert_eq!(zstd::decode_all(stored.as_slice()).unwrap(), lines.concat());
        assert!(stored.len() < 100);
        assert_eq!(zstd::decode_all(frame(b"").as_slice()).unwrap(), b"");
        let mut damaged = stored;
        damaged[20] ^= 1;
        assert!(zstd::decode_all(damaged.as_slice()).is_err(), "the checksum must tell");
    }
}
