//! Stage 1, read.
//!
//! Takes: one file: an archive, a saved page, or a feed.
//! Gives: pages decoded to UTF-8, feed items, redirects, revisits, each with its origin.
//! Why: after this stage everything is decoded and nothing can fail.
//! Drops: records that are no page or cannot be read, each with file, offset and reason; reading continues.

mod again;
mod archive_reader;
mod intake;
mod retained;
mod revisit_record;

use std::io::{self, Read};
use std::sync::{Arc, atomic::AtomicBool, atomic::Ordering};

use archive::{PayloadKind, Record, RecordKind, RecordReader, Response};
use grouping::{address_of_file, payload_digest};
use jiff::Timestamp;
use model::{Drop, DropReason, Origin, Page, Stage};
use url::Url;

use crate::config::ReadConfig;
use crate::inputs::Input;
use crate::opened::Opened;

pub(crate) use again::{Place, read_again, runs};
pub use archive_reader::{ArchiveReader, BrokenOff};
pub use intake::{InputSummary, Intake, ReadError, Source, Take};
use revisit_record::revisit_of;

/// Maximum length of an address, since all of a site are in memory (RFC 9110 §4.1 asks for at least 8,000).
const LONGEST_ADDRESS: usize = 8 << 10;

/// Reads one file and passes its contents on. `progress` receives the number of bytes read. Once `stop` is
/// set, reading ends early and the results are incomplete.
///
/// # Errors
/// If the file cannot be opened or the system fails to read it. Damage in it is no error.
pub fn read(
    input: &Input,
    config: &ReadConfig,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
    take: &mut Take<'_>,
) -> Result<InputSummary, ReadError> {
    let failed = |source| ReadError { path: input.path().to_owned(), source };
    let file: Arc<str> = input.path().to_string_lossy().into();
    let failure = std::cell::RefCell::new(None);
    let stopped = || {
        progress(0); // The caller may check for a stop only when progress is reported.
        stop.load(Ordering::Relaxed)
    };
    let mut reader = Opened::new(input, progress, &stopped, &failure).map_err(failed)?;
    let summary = InputSummary { file: file.to_string(), ..InputSummary::default() };
    let source = Source::default();
    let mut intake =
        Reading { config, file: file.clone(), summary, given: 0, offset: None, source, take };
    match input {
        Input::Archive(_) => {
            for item in records(&mut reader, config) {
                if stop.load(Ordering::Relaxed) {
                    return Ok(intake.summary);
                }
                match item {
                    Ok(record) => intake.record(record),
                    Err(fault) => {
                        let origin = intake.origin(fault.offset, &fault.record_id, None);
                        let url = fault.target_uri.unwrap_or_default();
                        intake.drop(&url, origin, fault.reason, fault.detail);
                    }
                }
            }
            if intake.given == 0 && intake.summary.records.is_empty() {
                let detail = "the file contains no record; is it a WARC or ARC archive?".to_owned();
                let origin = intake.origin(0, "", None);
                intake.drop("", origin, DropReason::BadRecord, detail);
            }
        }
        Input::Html { name, folder, .. } => {
            intake.count("page");
            let origin = intake.origin(0, "", None);
            let url = address_of_file(folder, name);
            match reader.whole(config.max_payload_bytes).map_err(failed)? {
                Some(bytes) => intake.page(url, None, origin, bytes, &Media::default()),
                None => intake.oversized(&url, origin, DropReason::TooLarge, "max_payload_bytes"),
            }
        }
        Input::Feed(_) => {
            intake.count("feed");
            let origin = intake.origin(0, "", None);
            match reader.whole(config.max_feed_bytes).map_err(failed)? {
                Some(bytes) => intake.feed(&bytes, &file, None, &Media::default(), origin),
                None => intake.oversized(&file, origin, DropReason::BadFeed, "max_feed_bytes"),
            }
        }
        Input::Retained(path) => intake.retained(path, stop).map_err(failed)?,
        // It could not be opened.
        Input::Unreadable { .. } => {}
    }
    let mut summary = intake.summary;
    // The digest is that of the whole file, wherever the reader of the archive stopped.
    io::copy(&mut reader, &mut io::sink()).map_err(failed)?;
    (summary.bytes, summary.sha256) = reader.finish();
    match failure.take() {
        Some(source) => Err(failed(source)),
        None => Ok(summary),
    }
}

/// The records of an archive, with the bodies of those that may hold pages.
fn records<R: Read>(reader: R, config: &ReadConfig) -> RecordReader<R> {
    RecordReader::new(reader, &config.limits())
        .with_bodies_of(|k| matches!(k, RecordKind::Response | RecordKind::Resource))
}

/// Properties of a payload from its HTTP headers.
#[derive(Default)]
struct Media {
    content_type: Option<String>,
    language: Option<String>,
}

impl Media {
    fn of<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Self {
        let header = |name| header(name).map(str::to_owned);
        Self { content_type: header("Content-Type"), language: header("Content-Language") }
    }

    fn charset(&self) -> Option<&str> {
        self.content_type.as_deref().and_then(charset::charset_of)
    }
}

struct Reading<'a, 'b> {
    config: &'a ReadConfig,
    file: Arc<str>,
    summary: InputSummary,
    /// Number of things passed on.
    given: usize,
    /// Offset of the last record.
    offset: Option<u64>,
    /// The current record.
    source: Source,
    take: &'a mut Take<'b>,
}

impl Reading<'_, '_> {
    fn origin(&self, offset: u64, record_id: &str, truncated: Option<String>) -> Origin {
        Origin { file: self.file.clone(), offset, record_id: record_id.to_owned(), truncated }
    }

    fn give(&mut self, intake: Intake) {
        self.given += 1;
        // The content type of a redirect is irrelevant.
        let of_payload = !matches!(intake, Intake::Redirect { .. });
        let digest = self.source.digest.filter(|_| of_payload);
        (self.take)(intake, Source { digest, ..self.source });
    }

    fn count(&mut self, kind: &'static str) {
        *self.summary.records.entry(kind).or_default() += 1;
    }

    fn drop(&mut self, url: &str, origin: Origin, reason: DropReason, detail: String) {
        let (site, url) = (String::new(), url.to_owned());
        self.give(Intake::Drop(Drop { site, url, origin, stage: Stage::Read, reason, detail }));
    }

    fn oversized(&mut self, url: &str, origin: Origin, reason: DropReason, key: &str) {
        let detail = format!("larger than read.{key}; raise it to read the file");
        self.drop(url, origin, reason, detail);
    }

    fn record(&mut self, record: Record) {
        self.count(record.kind.as_str());
        self.summary.other_records += u64::from(!record.kind.of_pages());
        let origin = self.origin(record.offset, &record.record_id, record.truncated.clone());
        let url = record.target_uri.clone().unwrap_or_default();
        let digest = record.headers.get("WARC-Payload-Digest").map(payload_digest);
        let again = self.offset.replace(record.offset) == Some(record.offset);
        let number = if again { self.source.number + 1 } else { 0 };
        self.source = Source { digest, number, end: record.end };
        match record.kind {
            kind if kind.of_pages() && url.len() > LONGEST_ADDRESS => {
                let detail =
                    format!("an address of {} bytes; {LONGEST_ADDRESS} are read", url.len());
                self.drop(&url[..url.floor_char_boundary(200)], origin, DropReason::BadUrl, detail);
            }
            RecordKind::Response => self.response(url, record, origin),
            RecordKind::Resource => {
                let media = Media::of(|name| record.headers.get(name));
                let Record { body, date, .. } = record;
                self.payload(url, date, origin, body, &media);
            }
            RecordKind::Revisit => {
                let payload = self.source.digest.take();
                self.give(Intake::Revisit(revisit_of(url, payload, &record, origin)));
            }
            // Requests, metadata and the like are counted, not listed.
            _ => {}
        }
        self.source.digest = None;
    }

    fn response(&mut self, url: String, record: Record, origin: Origin) {
        let response = match Response::parse(&record.body) {
            Ok(response) => response,
            Err(error) => {
                return self.drop(&url, origin, DropReason::BadHttp, error.to_string());
            }
        };
        if !self.config.statuses.contains(&response.status) {
            let location = response.location();
            let target = location.and_then(|l| Url::parse(&url).ok()?.join(l).ok());
            if let Some(to) = target.filter(|_| (300..400).contains(&response.status)) {
                self.give(Intake::Redirect { from: url.clone(), to: to.into() });
            }
            let detail = format!("status {}", response.status);
            return self.drop(&url, origin, DropReason::HttpStatus, detail);
        }
        let media = Media::of(|name| response.get(name));
        let stored = record.body.len();
        let body = match response.into_body(record.body, self.config.max_payload_bytes) {
            Ok(body) if self.swollen(body.len(), stored) => {
                let detail = format!(
                    "the payload unwraps to {} bytes, more than {} times its size; raise \
                     read.max_ratio to keep it",
                    body.len(),
                    self.config.max_ratio
                );
                return self.drop(&url, origin, DropReason::TooLarge, detail);
            }
            Ok(body) => body,
            Err(error) => return self.drop(&url, origin, error.reason(), error.to_string()),
        };
        self.payload(url, record.date, origin, body, &media);
    }

    /// Whether a payload is long, and its compression ratio suspiciously high.
    fn swollen(&self, bytes: usize, stored: usize) -> bool {
        bytes > 1 << 20 && (bytes / stored.max(1)) as u64 > self.config.max_ratio
    }

    fn payload(
        &mut self,
        url: String,
        date: Option<Timestamp>,
        origin: Origin,
        body: Vec<u8>,
        media: &Media,
    ) {
        if body.iter().all(u8::is_ascii_whitespace) {
            return self.drop(&url, origin, DropReason::EmptyPayload, String::new());
        }
        match archive::sniff_html(media.content_type.as_deref(), &body) {
            PayloadKind::Html => {
                let absolute = Url::parse(&url)
                    .is_ok_and(|u| matches!(u.scheme(), "http" | "https") && u.has_host());
                if !absolute {
                    let detail = format!("`{url}` is not an http or https address");
                    return self.drop(&url, origin, DropReason::BadUrl, detail);
                }
                self.page(url, date, origin, body, media);
            }
            PayloadKind::Feed => self.feed(&body, &url, Some(&url), media, origin),
            PayloadKind::Other => {
                let detail = media.content_type.as_deref().unwrap_or("no content type").to_owned();
                self.drop(&url, origin, DropReason::ContentType, detail);
            }
        }
    }

    fn page(
        &mut self,
        url: String,
        fetched: Option<Timestamp>,
        origin: Origin,
        body: Vec<u8>,
        media: &Media,
    ) {
        let hints = charset::Hints {
            http_charset: media.charset(),
            language: media.language.as_deref(),
            url: Some(&url),
            xml: false,
        };
        let (html, charset) = charset::decode(body, &hints);
        self.summary.html_bytes += html.len() as u64;
        let page = Page { url, site: String::new(), fetched, origin, charset, html };
        self.give(Intake::Page(page));
    }

    fn feed(&mut self, bytes: &[u8], id: &str, base: Option<&str>, media: &Media, origin: Origin) {
        let source = feed::Source { id, url: base, http_charset: media.charset() };
        let limits = feed::Limits { bytes: self.config.max_feed_bytes };
        match feed::parse(bytes, &source, &limits) {
            Ok(feed) => self.give(Intake::Feed(feed.items)),
            Err(error) => self.drop(id, origin, DropReason::BadFeed, error.to_string()),
        }
    }
}
