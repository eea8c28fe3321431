//! `articles.warc.gz`: each article as a `conversion` record (WARC 1.1, ISO 28500:2017 §6.8) followed by a `metadata` record
//! with its fields; and `articles.cdxj`, the index of the conversion records by address.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use archive::{NewRecord, RecordKind, RecordWriter, Wrapping, surt};
use data_encoding::BASE32;
use jiff::{Timestamp, tz::TimeZone};
use model::{Article, Extracted, SiteResult};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha1::{Digest, Sha1};
use sha2::Sha256;
use terms::is_right_to_left;

use crate::{AtomicFile, Render, Sink, SinkError};

/// What the conversion records contain.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WarcContent {
    /// An HTML page with the HTML of the article, or the text if there is no HTML.
    Html,
    /// The text.
    Text,
}

/// Writes `articles.warc.gz` and its index.
#[derive(Debug)]
pub struct WarcSink {
    records: AtomicFile,
    index: AtomicFile,
    /// Name of the file of records, as the index has it.
    name: String,
    content: WarcContent,
    /// Total size of the records so far, in bytes.
    offset: u64,
    /// Lines of the index, which are sorted at the end.
    lines: Vec<String>,
}

impl WarcSink {
    /// Creates both files.
    ///
    /// # Errors
    /// If one cannot be created.
    pub fn create(records: &Path, index: &Path, content: WarcContent) -> Result<Self, SinkError> {
        Ok(Self {
            name: records.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            records: AtomicFile::create(records)?,
            index: AtomicFile::create(index)?,
            content,
            offset: 0,
            lines: Vec::new(),
        })
    }

    /// Begins the file with a `warcinfo` record. Its date is that of the first article, because no
    /// clock is read.
    fn begin(&mut self, first: Option<&Article>) -> Result<(), SinkError> {
        let date = first.map_or(Timestamp::UNIX_EPOCH, date_of);
        let block = format!(
            "software: sitegrove/{}\r\nformat: WARC File Format 1.1\r\nconformsTo: \
             http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n\
             description: articles taken out of web pages\r\n",
            env!("CARGO_PKG_VERSION")
        );
        let of = first.map_or("", |article| article.url.as_str());
        let member = member(&NewRecord {
            kind: RecordKind::Warcinfo,
            record_id: &record_id(&["warcinfo", &date.to_string(), of, &block]),
            date,
            target_uri: None,
            content_type: "application/warc-fields",
            fields: &[
                ("WARC-Filename", &self.name),
                ("WARC-Block-Digest", &digest(block.as_bytes())),
            ],
            body: block.as_bytes(),
        });
        self.offset = member.len() as u64;
        self.records.write_bytes(&member)
    }
}

impl Sink for WarcSink {
    fn render(&self) -> Option<Render> {
        let content = self.content;
        Some(Arc::new(move |site| rendered(&site.articles, content)))
    }

    fn take(&mut self, site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError> {
        if self.offset == 0 && !site.articles.is_empty() {
            self.begin(site.articles.first().map(|first| &first.article))?;
        }
        let end = rendered.iter().position(|&b| b == b'\n').unwrap_or(rendered.len());
        let entries: Vec<CdxEntry> = serde_json::from_slice(&rendered[..end]).unwrap_or_default();
        for entry in entries {
            // Same order, names and strings as in the output of pywb's own indexer.
            self.lines.push(format!(
                "{} {} {{\"url\": {}, \"mime\": {}, \"digest\": {}, \"length\": \"{}\", \
                 \"offset\": \"{}\", \"filename\": {}}}\n",
                entry.key,
                entry.time,
                json!(entry.url),
                json!(entry.mime),
                json!(entry.digest),
                entry.length,
                self.offset,
                json!(self.name),
            ));
            self.offset += entry.length + entry.beside;
        }
        self.records.write_bytes(rendered.get(end + 1..).unwrap_or_default())
    }

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        if self.offset == 0 {
            self.begin(None)?;
        }
        // In byte order, which binary search requires.
        self.lines.sort_unstable();
        for line in &self.lines {
            self.index.write_bytes(line.as_bytes())?;
        }
        // Both files are on disk before the first one is moved to its path.
        self.records.close()?;
        self.index.close()?;
        self.records.finish()?;
        self.index.finish()
    }
}

/// The index data of a record. Its offset is known only when it is written.
#[derive(Deserialize, Serialize)]
struct CdxEntry {
    key: String,
    time: String,
    url: String,
    mime: String,
    digest: String,
    length: u64,
    /// Length of the metadata record that follows it.
    beside: u64,
}

/// Renders articles as a line of JSON with their index entries, followed by their records.
fn rendered(articles: &[Extracted], content: WarcContent) -> Vec<u8> {
    let (mut entries, mut records) = (Vec::new(), Vec::new());
    for article in articles {
        let (mut entry, record, id) = conversion(article, content);
        let metadata = metadata(article, entry.mime == "text/html", &id);
        entry.beside = metadata.len() as u64;
        entries.push(entry);
        records.extend_from_slice(&record);
        records.extend_from_slice(&metadata);
    }
    let mut bytes = serde_json::to_vec(&entries).unwrap_or_default();
    bytes.push(b'\n');
    bytes.extend_from_slice(&records);
    bytes
}

/// Makes the conversion record of an article. It refers to the record of the page only by id: the fields that
/// give address and date of another record are for revisits (ISO 28500 §5.8, §5.9), and
/// here both are the same.
fn conversion(article: &Article, content: WarcContent) -> (CdxEntry, Vec<u8>, String) {
    let as_html = content == WarcContent::Html && !article.html.is_empty();
    let page = as_html.then(|| html_page(article, &article.html));
    let (mime, block) = match &page {
        Some(page) => ("text/html", page),
        None => ("text/plain", &article.text),
    };
    let digest = digest(block.as_bytes());
    let (origin, date) = (&article.origin, date_of(article));
    let refers_to = format!("<{}>", origin.record_id);
    let mut fields = vec![("WARC-Block-Digest", &*digest), ("WARC-Payload-Digest", &*digest)];
    if !origin.record_id.is_empty() {
        fields.insert(0, ("WARC-Refers-To", &*refers_to));
    }
    // The record of the page, by its id, or by its position if it has no id.
    let place = format!("{} {}", origin.file, origin.offset);
    let source = if origin.record_id.is_empty() { &place } else { &origin.record_id };
    let record_id =
        record_id(&["conversion", source, &article.url, &date.to_string(), mime, block]);
    let record = member(&NewRecord {
        kind: RecordKind::Conversion,
        record_id: &record_id,
        date,
        target_uri: Some(&article.url),
        content_type: &format!("{mime}; charset=utf-8"),
        fields: &fields,
        body: block.as_bytes(),
    });
    let entry = CdxEntry {
        key: surt(&article.url),
        time: date.to_zoned(TimeZone::UTC).strftime("%Y%m%d%H%M%S").to_string(),
        url: article.url.clone(),
        mime: mime.to_owned(),
        digest,
        length: record.len() as u64,
        beside: 0,
    };
    (entry, record, record_id)
}

/// Makes the metadata record of an article: the object of `articles.jsonl`, except that the field which the conversion record
/// with this id contains is empty.
fn metadata(article: &Article, as_html: bool, conversion: &str) -> Vec<u8> {
    let mut record = article.clone();
    if as_html {
        record.html.clear()
    } else {
        record.text.clear()
    }
    // Plain data serialized into memory: this cannot fail.
    let block = serde_json::to_vec(&record).unwrap_or_default();
    let refers_to = format!("<{conversion}>");
    let digest = digest(&block);
    member(&NewRecord {
        kind: RecordKind::Metadata,
        record_id: &record_id(&["metadata", conversion, &digest]),
        date: date_of(article),
        target_uri: Some(&article.url),
        content_type: "application/json",
        fields: &[("WARC-Refers-To", &refers_to), ("WARC-Block-Digest", &digest)],
        body: &block,
    })
}

/// Time at which the page was fetched; the Unix epoch for a page without a date.
fn date_of(article: &Article) -> Timestamp {
    article.fetched.unwrap_or(Timestamp::UNIX_EPOCH)
}

fn digest(bytes: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&Sha1::digest(bytes)))
}

/// Makes a UUID of version 8 (RFC 9562 §5.8) from the SHA-256 of these parts.
fn record_id(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    format!("urn:uuid:{}", uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

/// Writes a record as a gzip member of its own.
fn member(record: &NewRecord<'_>) -> Vec<u8> {
    let mut writer = RecordWriter::new(Vec::new(), Wrapping::Gzip);
    // Written to memory, and the record types are known: this cannot fail.
    let _ = writer.write(record);
    writer.finish().unwrap_or_default()
}

/// Makes a page with this fragment as its body. Declares language and direction; the head has title, authors, dates,
/// description and canonical address, if they are known. Between `<body>` and `</body>` is nothing but the fragment.
fn html_page(article: &Article, fragment: &str) -> String {
    let value = |field: &Option<String>| field.as_deref().map(escape_markup);
    let mut page = String::with_capacity(fragment.len() + 1_024);
    page.push_str("<!doctype html>\n<html");
    if let Some(language) = value(&article.language) {
        let _ = write!(page, " lang=\"{language}\"");
    }
    if is_right_to_left(&article.text) {
        page.push_str(" dir=\"rtl\"");
    }
    let title = value(&article.title).unwrap_or_else(|| escape_markup(&article.url));
    let _ = write!(page, ">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n");
    for author in &article.authors {
        let _ = writeln!(page, "<meta name=\"author\" content=\"{}\">", escape_markup(author));
    }
    let metas = [
        ("property", "article:published_time", value(&article.published)),
        ("property", "article:modified_time", value(&article.modified)),
        ("name", "description", value(&article.description)),
        ("property", "og:site_name", value(&article.site_name)),
    ];
    for (kind, name, content) in metas {
        if let Some(content) = content {
            let _ = writeln!(page, "<meta {kind}=\"{name}\" content=\"{content}\">");
        }
    }
    let canonical = value(&article.canonical).unwrap_or_else(|| escape_markup(&article.url));
    let _ = write!(
        page,
        "<link rel=\"canonical\" href=\"{canonical}\">\n</head>\n<body>{fragment}</body>\n</html>\n"
    );
    page
}

/// Returns the fragment in an HTML page that a [`WarcSink`] wrote.
pub fn fragment_of(page: &str) -> &str {
    let body = page.split_once("<body>").map_or("", |parts| parts.1);
    body.strip_suffix("</body>\n</html>\n").unwrap_or(body)
}

/// Escapes markup in a text, also for use within quotes.
pub fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
