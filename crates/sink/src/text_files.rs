//! Outputs that are one text file: `articles.jsonl`, `articles.bulk.ndjson`, `articles.csv` and the files of
//! `site-config/`, which are wrappers in the format of Full-Text RSS and wallabag.
//!
//! `articles.csv` has one row per article, for spreadsheets and quick inspection (RFC 4180 except for
//! line feeds at the ends of rows; UTF-8).

use std::borrow::Cow;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{
    Article, Extracted, FieldVisitor, Passage, RecordField, SiteResult, WrittenSiteConfig,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_128;

use crate::files::{files_with, remove_files_with};
use crate::{AtomicFile, Render, Sink, SinkError, make_folder};

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

/// Fields without a column: they are for programs, or cannot be read in a cell.
const LEFT_OUT: [&str; 32] = [
    "schema", "page_type_probability", "canonical", "html", "images", "tables", "embeds",
    "footnotes", "markdown", "comments", "posts", "passages", "xpath", "prune", "cut",
    "wrapper_version", "doubtful", "site_config", "cluster", "similarity", "gone_status",
    "sources", "corrections", "fetched", "charset", "charset_evidence", "charset_overruled",
    "origin", "rights", "extra", "quality", "doubt",
];

fn is_column(field: &RecordField) -> bool {
    !LEFT_OUT.contains(&field.name)
}

/// How `articles.csv` begins.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CsvStart {
    /// With the header row.
    Plain,
    /// With a byte order mark before the header row, so that spreadsheets recognise UTF-8 when they open the file directly.
    Mark,
}

/// Creates `articles.csv` at `path`.
///
/// # Errors
/// If it cannot be created.
pub fn csv_file(path: &Path, start: CsvStart) -> Result<TextFileSink, SinkError> {
    let mark = if start == CsvStart::Mark { "\u{feff}" } else { "" };
    let start = [mark.as_bytes(), &csv_header()].concat();
    TextFileSink::create(path, &start, csv_rows)
}

/// Returns the header row of `articles.csv`, with its line break.
fn csv_header() -> Vec<u8> {
    let columns = Article::FIELDS.iter().filter(|field| is_column(field));
    rows(std::iter::once(columns.map(|field| field.name.to_owned()).collect()))
}

/// Returns the rows of articles, in order, with line breaks. Lists are joined with `; `.
fn csv_rows(articles: &[Extracted]) -> Vec<u8> {
    rows(articles.iter().map(|article| {
        let mut row = CsvRow(Vec::new());
        article.visit_fields(&mut row);
        row.0
    }))
}

fn rows(rows: impl Iterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // All rows have the same length and are written to memory: this cannot fail.
        let _ = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}

struct CsvRow(Vec<String>);

impl FieldVisitor for CsvRow {
    fn visit<T: Serialize>(&mut self, field: &'static RecordField, value: &T) {
        if is_column(field) {
            let value = serde_json::to_value(value).unwrap_or_default();
            self.0.push(harmless(cell(value)));
        }
    }
}

fn cell(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => format!("{number:.4}"),
            None => number.to_string(),
        },
        Value::Array(values) => values.into_iter().map(cell).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

/// Spreadsheets evaluate cells that begin like a formula. A leading apostrophe keeps them text
/// (OWASP, CSV injection; the full-width forms are for Japanese editions).
fn harmless(cell: String) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        format!("'{cell}")
    } else {
        cell
    }
}

/// Writes the site configs of each site to a folder.
#[derive(Debug)]
pub struct SiteConfigSink {
    folder: PathBuf,
    files: Vec<AtomicFile>,
    /// Files of an earlier run that this run has not replaced.
    stale: Vec<PathBuf>,
}

impl SiteConfigSink {
    /// Creates the folder if it does not exist.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(folder: &Path) -> Result<Self, SinkError> {
        make_folder(folder)?;
        Ok(Self { folder: folder.to_owned(), files: Vec::new(), stale: files_with(folder, "txt") })
    }

    /// Removes the files of an earlier run, and the folder if it is then empty.
    pub fn remove(folder: &Path) {
        remove_files_with(folder, "txt");
    }
}

impl Sink for SiteConfigSink {
    fn reads_articles(&self) -> bool {
        false
    }

    fn take(&mut self, site: &SiteResult, _: &[u8]) -> Result<(), SinkError> {
        for WrittenSiteConfig { name, text } in &site.site_configs {
            let path = self.folder.join(name);
            let mut file = AtomicFile::create(&path)?;
            file.write_bytes(text.as_bytes())?;
            file.close()?;
            self.files.push(file);
            self.stale.retain(|stale| *stale != path);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        AtomicFile::finish_all(self.files)?;
        for stale in self.stale {
            let _ = fs::remove_file(stale);
        }
        Ok(())
    }
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

    #[test]
    fn formulas_are_text() {
        assert_eq!(harmless("=1+1".into()), "'=1+1");
        assert_eq!(harmless("＠SUM(A1)".into()), "'＠SUM(A1)");
        assert_eq!(harmless("one".into()), "one");
    }

    #[test]
    fn the_header_is_one_line() {
        let header = String::from_utf8(csv_header()).unwrap();
        assert!(header.starts_with("url,site,") && header.ends_with("moved_to\n"), "{header}");
    }
}
