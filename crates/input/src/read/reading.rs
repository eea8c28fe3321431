//! Reads the records of a file and passes on their contents.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use archive::{Fault, PayloadKind, Record, RecordKind, RecordReader, Response};
use config::ReadConfig;
use feed::LostItems;
use flate2::read::DeflateDecoder;
use grouping::{Revisit, payload_digest};
use jiff::Timestamp;
use model::{
    CutShort, Drop, DropReason, ExtraValue, FeedItem, Gone, Origin, Page, PageNotes, Refusal,
    Stage, contain_panics,
};
use modelstore::Store;
use serde::{Deserialize, Serialize};
use sink::InputRecord;
use url::Url;

use super::opened::Opened;
use super::wacz::{self, Packing, WaczMember};
use crate::file_type::{is_image, picture_type};

/// Maximum length of an address, since all addresses of a site are in memory (RFC 9110 §4.1 asks for at least 8,000).
const LONGEST_ADDRESS: usize = 8 << 10;

/// Names of headers about rights, in lower case.
const RIGHTS_HEADERS: [&str; 4] = ["x-robots-tag", "tdm-reservation", "tdm-policy", "link"];
/// Maximum number of these headers that are kept for a response.
const MOST_RIGHTS: usize = 16;

/// The records of an archive, with the bodies of records that may contain pages. If a codec panics, the archive ends.
pub(super) struct ReadRecords<R: Read> {
    reader: Option<RecordReader<R>>,
    offset: u64,
}

pub(super) fn records<R: Read>(reader: R, config: &ReadConfig) -> ReadRecords<R> {
    let reader = RecordReader::new(reader, &config.limits())
        .with_bodies_of(|k| matches!(k, RecordKind::Response | RecordKind::Resource));
    ReadRecords { reader: Some(reader), offset: 0 }
}

impl<R: Read> Iterator for ReadRecords<R> {
    type Item = Result<Record, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.reader.as_mut()?;
        let item = contain_panics(|| reader.next()).unwrap_or_else(|panic| {
            self.reader = None;
            Some(Err(Fault {
                offset: self.offset,
                target_uri: None,
                record_id: String::new(),
                reason: DropReason::CutShort,
                detail: format!(
                    "reading on behind the record that begins here failed: {panic}; the records before it were \
                     kept, and those after it were not read; please report it with the archive"
                ),
                recovered_at: None,
            }))
        });
        if let Some(Ok(record)) = &item {
            self.offset = record.offset;
        }
        item
    }
}

/// Properties of a payload, from its HTTP headers.
#[derive(Default)]
pub(super) struct Media {
    pub(super) content_type: Option<String>,
    pub(super) language: Option<String>,
    pub(super) notes: PageNotes,
}

impl Media {
    fn of<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Self {
        let header = |name| header(name).map(str::to_owned);
        Self {
            content_type: header("Content-Type"),
            language: header("Content-Language"),
            notes: PageNotes::default(),
        }
    }

    /// Reads them from a response, with its headers about rights.
    fn of_response(response: &Response) -> Self {
        let rights = response.headers.iter().filter_map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            // There are many links to scripts and the like.
            let is_wanted = RIGHTS_HEADERS.contains(&name.as_str())
                && (name != "link" || value.contains("rsl"));
            (is_wanted && value.len() <= LONGEST_ADDRESS).then(|| (name, value.to_owned()))
        });
        let notes =
            PageNotes { headers: rights.take(MOST_RIGHTS).collect(), ..PageNotes::default() };
        Self { notes, ..Self::of(|name| response.get(name)) }
    }

    fn charset(&self) -> Option<&str> {
        self.content_type.as_deref().and_then(charset::charset_of)
    }
}

pub(super) struct FileReading<'a, 'b> {
    pub(super) config: &'a ReadConfig,
    pub(super) file: Arc<str>,
    pub(super) record: InputRecord,
    /// Number of records of types that contain no page: requests, metadata and the like.
    pub(super) other_records: u64,
    /// Number of results passed on.
    pub(super) given: usize,
    pub(super) digest: PayloadDigest,
    /// Extra columns from the index row of the current record.
    pub(super) extra: Vec<ExtraValue>,
    /// Results of the current record, while it is being read.
    pub(super) ready: Option<Vec<(Intake, PayloadDigest)>>,
    pub(super) take: &'a mut Take<'b>,
}

impl<'a, 'b> FileReading<'a, 'b> {
    /// Starts to read a file with this name.
    pub(super) fn new(config: &'a ReadConfig, file: Arc<str>, take: &'a mut Take<'b>) -> Self {
        let record = InputRecord { file: file.to_string(), ..InputRecord::default() };
        Self {
            config,
            file,
            record,
            other_records: 0,
            given: 0,
            digest: None,
            extra: Vec::new(),
            ready: None,
            take,
        }
    }

    pub(super) fn origin(&self, offset: u64, record_id: &str, truncated: Option<String>) -> Origin {
        Origin { file: self.file.clone(), offset, record_id: record_id.to_owned(), truncated }
    }

    pub(super) fn give(&mut self, intake: Intake) {
        self.given += 1;
        // The content type of a redirect is irrelevant.
        let of_payload = !matches!(intake, Intake::Redirect { .. });
        let digest = self.digest.filter(|_| of_payload);
        match &mut self.ready {
            Some(ready) => ready.push((intake, digest)),
            None => (self.take)(intake, digest),
        }
    }

    /// Runs `read` and passes on its results; if it panics, passes on a single drop instead.
    pub(super) fn contained(&mut self, url: &str, origin: Origin, read: impl FnOnce(&mut Self)) {
        self.ready = Some(Vec::new());
        let done = contain_panics(|| read(self));
        let ready = self.ready.take().unwrap_or_default();
        match done {
            Ok(()) => ready.into_iter().for_each(|(intake, digest)| (self.take)(intake, digest)),
            Err(panic) => {
                let detail =
                    format!("reading this failed: {panic}; please report it with the record");
                self.drop(url, origin, DropReason::Internal, detail);
            }
        }
    }

    pub(super) fn count(&mut self, kind: &'static str) {
        match self.record.records.get_mut(kind) {
            Some(count) => *count += 1,
            None => drop(self.record.records.insert(kind.to_owned(), 1)),
        }
    }

    pub(super) fn drop(&mut self, url: &str, origin: Origin, reason: DropReason, detail: String) {
        self.drop_answer(url, origin, reason, detail, (None, None));
    }

    pub(super) fn oversized(&mut self, url: &str, origin: Origin, reason: DropReason, key: &str) {
        let detail = format!("larger than read.{key}; raise it to read the file");
        self.drop(url, origin, reason, detail);
    }

    /// Reads the records of an archive that begins at the offset `base` of the file.
    pub(super) fn archive(
        &mut self,
        reader: impl Read,
        base: u64,
        stop: &AtomicBool,
    ) -> ControlFlow<()> {
        for item in records(reader, self.config) {
            if stop.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            self.read_item(item, base);
        }
        ControlFlow::Continue(())
    }

    /// Reads a record, or reports damage, in an archive that begins at the offset `base` of the file.
    pub(super) fn read_item(&mut self, item: Result<Record, Fault>, base: u64) {
        match item {
            Ok(mut record) => {
                record.offset += base;
                self.read_record(record);
            }
            Err(fault) => {
                let origin = self.origin(fault.offset + base, &fault.record_id, None);
                if fault.reason == DropReason::CutShort {
                    let (offset, detail) = (origin.offset, fault.detail.clone());
                    self.record.cut_short.get_or_insert(CutShort { offset, detail });
                }
                let url = fault.target_uri.unwrap_or_default();
                self.drop(&url, origin, fault.reason, fault.detail);
            }
        }
    }

    /// Reads the archives in a WACZ file. Offsets refer to that file, except for archives that are compressed
    /// in it.
    pub(super) fn wacz(
        &mut self,
        path: &Path,
        reader: &mut Opened<'_>,
        stop: &AtomicBool,
    ) -> io::Result<ControlFlow<()>> {
        let mut at = 0;
        for member in wacz::members(path)? {
            let WaczMember { name, start, length, packing } = member;
            let skipped = start.checked_sub(at).filter(|_| packing != Packing::Other);
            let Some(skipped) = skipped else {
                let detail = format!(
                    "{name} in the WACZ file is stored in a way that is not read; extract it and \
                     name it among the inputs"
                );
                let origin = self.origin(start, "", None);
                self.drop("", origin, DropReason::BadRecord, detail);
                continue;
            };
            io::copy(&mut reader.by_ref().take(skipped), &mut io::sink())?;
            let mut bytes = reader.by_ref().take(length);
            let read = match packing {
                Packing::Deflated => self.archive(DeflateDecoder::new(&mut bytes), 0, stop),
                _ => self.archive(&mut bytes, start, stop),
            };
            if read == ControlFlow::Break(()) {
                return Ok(read);
            }
            io::copy(&mut bytes, &mut io::sink())?;
            at = start + length;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn read_record(&mut self, record: Record) {
        self.count(record.kind.as_str());
        self.other_records += u64::from(!record.kind.of_pages());
        let origin = self.origin(record.offset, &record.record_id, record.truncated.clone());
        let url = record.target_uri.clone().unwrap_or_default();
        self.digest = record.headers.get("WARC-Payload-Digest").map(payload_digest);
        self.contained(&url.clone(), origin.clone(), |reading| {
            reading.contents(url, record, origin)
        });
        self.digest = None;
    }

    fn contents(&mut self, url: String, record: Record, origin: Origin) {
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
                match rendered_address(&url) {
                    Some(page) => self.rendering(page, date, origin, body, &media),
                    None => self.payload(url, date, origin, body, &media),
                }
            }
            RecordKind::Revisit => {
                let payload = self.digest.take();
                self.give(Intake::Revisit(revisit_of(url, payload, &record, origin)));
            }
            // Requests, metadata and the like are counted, not listed as drops.
            _ => {}
        }
    }

    fn response(&mut self, url: String, record: Record, mut origin: Origin) {
        let response = match Response::parse(&record.body) {
            Ok(response) => response,
            Err(error) => {
                return self.drop(&url, origin, DropReason::BadHttp, error.to_string());
            }
        };
        if !self.config.statuses.contains(&response.status) && !is_whole(&response) {
            let location = response.location();
            let target = location.and_then(|l| Url::parse(&url).ok()?.join(l).ok());
            let target = target.filter(|_| (300..400).contains(&response.status));
            if let Some(to) = &target {
                self.give(Intake::Redirect { from: url.clone(), to: to.as_str().to_owned() });
            }
            let media = Media::of_response(&response);
            let gone = gone(response.status, record.date, target);
            let refused = is_refusal(response.status, &url, media.content_type.as_deref())
                .then_some(Refusal { at: record.date, status: response.status });
            let (reason, detail) = (DropReason::HttpStatus, format!("status {}", response.status));
            return self.drop_answer(&url, origin, reason, detail, (gone, refused));
        }
        let media = Media::of_response(&response);
        let stored = record.body.len().max(1);
        let is_bomb = |bytes| bytes > 1 << 20 && (bytes / stored) as u64 > self.config.max_ratio;
        let body = match response.into_body(record.body, self.config.max_payload_bytes) {
            Ok((body, _)) if is_bomb(body.len()) => {
                let detail = format!(
                    "the payload unwraps to {} bytes, more than {} times its size; raise \
                     read.max_ratio to keep it",
                    body.len(),
                    self.config.max_ratio
                );
                return self.drop(&url, origin, DropReason::TooLarge, detail);
            }
            Ok((body, is_cut)) => {
                if is_cut {
                    origin.truncated.get_or_insert_with(|| archive::CUT_SHORT.to_owned());
                }
                body
            }
            Err(error) => return self.drop(&url, origin, error.reason(), error.to_string()),
        };
        self.payload(url, record.date, origin, body, &media);
    }

    /// Reads the rendering of the page at `url` by a browser: its elements, or its text.
    fn rendering(
        &mut self,
        url: &str,
        date: Option<Timestamp>,
        mut origin: Origin,
        body: Vec<u8>,
        media: &Media,
    ) {
        let is_plain = |kind| archive::media_type(kind).eq_ignore_ascii_case("text/plain");
        let is_text = media.content_type.as_deref().is_some_and(is_plain);
        let name = if is_text { Origin::RENDERED_TEXT } else { Origin::RENDERING };
        origin.truncated.get_or_insert_with(|| name.to_owned());
        if !is_text {
            return self.payload(url.to_owned(), date, origin, body, media);
        }
        let text = charset::decode(body, &hints_of(url, media)).0;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let paragraph =
            |line: &str| format!("<p>{}</p>\n", line.replace('&', "&amp;").replace('<', "&lt;"));
        let html: String = lines.map(paragraph).collect();
        self.page(url.to_owned(), date, origin, html.into_bytes(), &Media::default());
    }

    pub(super) fn payload(
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
        if let Some(kind) = SiteFileKind::of(&url)
            && body.len() <= LONGEST_SITE_FILE
        {
            let (url, body) = (url.clone(), String::from_utf8_lossy(&body).into_owned());
            self.give(Intake::SiteFile(SiteFile { url, kind, fetched: date, body }));
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
                let declared = media.content_type.as_deref();
                // The first bytes decide, whatever was declared: articles may refer to the picture.
                let picture = picture_type(&body).filter(|_| !declared.is_some_and(is_image));
                let detail = match (picture, declared) {
                    (Some(kind), Some(declared)) => format!("{kind}, declared as {declared}"),
                    (Some(kind), None) => format!("{kind}, without a content type"),
                    (None, Some(declared)) if declared.contains("html") => {
                        format!("declared as {declared}, but is binary")
                    }
                    (None, declared) => declared.unwrap_or("no content type").to_owned(),
                };
                self.drop(&url, origin, DropReason::ContentType, detail);
            }
        }
    }

    pub(super) fn page(
        &mut self,
        url: String,
        fetched: Option<Timestamp>,
        origin: Origin,
        body: Vec<u8>,
        media: &Media,
    ) {
        let (html, charset) = charset::decode(body, &hints_of(&url, media));
        self.record.html_bytes += html.len() as u64;
        let notes = self.notes_of(&url, &origin, media);
        let site = String::new();
        let page = Page { url, site, fetched, origin, charset, notes, html: html.into() };
        self.give(Intake::Page(page));
    }

    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        id: &str,
        base: Option<&str>,
        media: &Media,
        origin: Origin,
    ) {
        let source = feed::FeedSource { id, url: base, http_charset: media.charset() };
        match feed::parse(bytes, &source, self.config.max_feed_bytes) {
            Ok(feed) => {
                if let Some(LostItems { items, why }) = feed.left_out {
                    let detail = format!(
                        "items of the feed that cannot be read: {items} ({why}); the others were read; ask \
                         its publisher to validate it"
                    );
                    self.drop(id, origin, DropReason::BadFeed, detail);
                }
                self.give(Intake::Feed(feed.items));
            }
            Err(error) => self.drop(id, origin, DropReason::BadFeed, error.to_string()),
        }
    }

    fn notes_of(&self, url: &str, origin: &Origin, media: &Media) -> Option<Box<PageNotes>> {
        let mut notes = media.notes.clone();
        notes.extra.extend(self.extra.iter().cloned());
        for key in &self.config.extra {
            if notes.extra.iter().all(|own| own.key != *key) {
                let value = match key.as_str() {
                    "url_surtkey" => Some(archive::surt(url)),
                    "crawl" => crawl_of(&origin.file).map(str::to_owned),
                    _ => None,
                };
                notes.extra.extend(value.map(|value| ExtraValue { key: key.clone(), value }));
            }
        }
        let place = |own: &ExtraValue| self.config.extra.iter().position(|key| *key == own.key);
        notes.extra.sort_by_key(place);
        (notes != PageNotes::default()).then(|| Box::new(notes))
    }

    fn drop_answer(
        &mut self,
        url: &str,
        origin: Origin,
        reason: DropReason,
        detail: String,
        (gone, refused): (Option<Gone>, Option<Refusal>),
    ) {
        let (site, url, stage) = (String::new(), url.to_owned(), Stage::Read);
        self.give(Intake::Drop(Drop { site, url, origin, stage, reason, detail, gone, refused }));
    }

    /// Passes on the pages that the store keeps of all sites, each with the origin of its capture, and the feed items that
    /// pointed to them.
    pub(crate) fn retained(&mut self, path: &Path, stop: &AtomicBool) -> io::Result<()> {
        let store = Store::open_read_only(path).map_err(io::Error::other)?;
        for site in store.sites().map_err(io::Error::other)? {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            for retained in store.sample(&site.site).map_err(io::Error::other)? {
                self.count("page");
                self.record.html_bytes += retained.page.html.len() as u64;
                self.give(Intake::Feed(retained.items));
                self.give(Intake::Page(retained.page));
            }
        }
        Ok(())
    }
}

/// Finds the name of the crawl in the path of an archive of Common Crawl: `crawl-data/CC-MAIN-2026-21/…`.
fn crawl_of(path: &str) -> Option<&str> {
    path.split('/').find(|part| part.starts_with("CC-") && !part.contains('.'))
}

/// The address of the page of a rendering, from the address of the record: `urn:text:URL`, `urn:dom:URL` and the like
/// (Browsertrix Crawler).
fn rendered_address(url: &str) -> Option<&str> {
    let (kind, page) = url.strip_prefix("urn:")?.split_once(':')?;
    let is_address = page.starts_with("http://") || page.starts_with("https://");
    (is_address && kind.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(page)
}

fn hints_of<'a>(url: &'a str, media: &'a Media) -> charset::CharsetHints<'a> {
    charset::CharsetHints {
        http_charset: media.charset(),
        language: media.language.as_deref(),
        url: Some(url),
        xml: false,
    }
}

/// Whether a partial response has the whole page: `Content-Range: bytes 0-99/100` (RFC 9110 §14.4).
fn is_whole(response: &Response) -> bool {
    let range = response.get("Content-Range").filter(|_| response.status == 206);
    let last_of_all = || {
        let (range, all) = range?.trim().strip_prefix("bytes 0-")?.split_once('/')?;
        Some((range.parse::<u64>().ok()?, all.parse::<u64>().ok()?))
    };
    last_of_all().is_some_and(|(last, all)| last.checked_add(1) == Some(all))
}

/// Says that an address is gone or moved, if a response without a page shows it and has a date.
fn gone(status: u16, at: Option<Timestamp>, target: Option<Url>) -> Option<Gone> {
    let at = at?;
    let moved_to = match status {
        404 | 410 => None,
        301 | 302 | 303 | 307 | 308 => Some(target?.into()),
        _ => return None,
    };
    Some(Gone { at, status, moved_to })
}

/// Extensions of files that pages load. A refusal to send one may be HTML, too. Pages may have any other extension.
const ENDINGS_OF_PARTS: [&str; 36] = [
    "avif", "bmp", "css", "eot", "gif", "gz", "ico", "jpeg", "jpg", "js", "json", "m3u8", "m4a",
    "m4v", "map", "mjs", "mov", "mp3", "mp4", "mpd", "ogg", "otf", "pdf", "png", "rss", "svg",
    "swf", "ttf", "wasm", "wav", "webm", "webp", "woff", "woff2", "xml", "zip",
];

fn is_refusal(status: u16, url: &str, content_type: Option<&str>) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.splitn(4, '/').nth(3).and_then(|path| path.rsplit('/').next());
    let ending = name.and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    let is_part = ending
        .is_some_and(|ending| ENDINGS_OF_PARTS.iter().any(|own| ending.eq_ignore_ascii_case(own)));
    let is_text = content_type.is_none_or(|kind| {
        let kind = kind.trim_ascii_start().to_ascii_lowercase();
        ["text/html", "text/plain", "application/xhtml"].iter().any(|own| kind.starts_with(own))
    });
    let refuses = matches!(status, 401 | 403 | 429 | 500..=599);
    refuses && !is_part && is_text
}

/// Makes the revisit of a record; `digest` is that of the payload.
fn revisit_of(url: String, digest: Option<u128>, record: &Record, origin: Origin) -> Revisit {
    let bare = |value: &str| value.trim_matches(['<', '>', ' ']).to_owned();
    let field = |name| record.headers.get(name).map(bare);
    let profile = field("WARC-Profile").unwrap_or_default();
    let date = field("WARC-Refers-To-Date");
    Revisit {
        url,
        date: record.date,
        origin,
        digest,
        record: field("WARC-Refers-To"),
        visit: (
            field("WARC-Refers-To-Target-URI"),
            date.and_then(|date| archive::parse_date(&date)),
        ),
        not_modified: profile.ends_with("server-not-modified"),
    }
}

/// A file of a site that says how its pages may be used.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct SiteFile {
    /// Address of the file. It applies to pages with the same scheme, host and port.
    pub url: String,
    /// Which rules it contains.
    pub kind: SiteFileKind,
    /// When it was fetched.
    pub fetched: Option<Timestamp>,
    /// The file as UTF-8, with invalid bytes replaced.
    pub body: String,
}

/// The kind of a site file.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum SiteFileKind {
    /// `/robots.txt` (RFC 9309).
    RobotsTxt,
    /// `/.well-known/tdmrep.json` (TDM Reservation Protocol).
    TdmRep,
}

/// Maximum size of a site file, in bytes; RFC 9309 §2.5 asks for at least 500 KiB.
const LONGEST_SITE_FILE: usize = 512 << 10;

impl SiteFileKind {
    /// Recognises a site file by its address.
    fn of(url: &str) -> Option<Self> {
        let kinds = [("/robots.txt", Self::RobotsTxt), ("/.well-known/tdmrep.json", Self::TdmRep)];
        let (_, rest) = url.split_once("://")?;
        let path = &rest[rest.find('/')?..];
        kinds.into_iter().find_map(|(own, kind)| (own == path).then_some(kind))
    }
}

/// A result of reading.
#[derive(Debug)]
pub enum Intake {
    /// A page; its site is not determined yet.
    Page(Page),
    /// The items of a feed.
    Feed(Vec<FeedItem>),
    /// A file that says how the pages of its site may be used.
    SiteFile(SiteFile),
    /// A redirect.
    Redirect {
        /// The requested URL.
        from: String,
        /// The target, absolute.
        to: String,
    },
    /// A page that was found unchanged. It is looked up when sites are formed (`segment::settle`).
    Revisit(Revisit),
    /// A page, record or feed that was dropped.
    Drop(Drop),
}

/// A file that could not be opened or read to its end.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {source}", path.display())]
pub struct ReadError {
    pub(crate) path: PathBuf,
    #[source]
    pub(crate) source: io::Error,
}

/// The canonical address that a saved file declares, if it is a web address.
pub fn own_address(page: &Page) -> Option<String> {
    if !page.url.starts_with("file:") {
        return None;
    }
    let read = || dom::parse(&page.html).head().link("canonical").map(str::to_owned);
    let canonical = Url::parse(&contain_panics(read).ok()??).ok()?;
    matches!(canonical.scheme(), "http" | "https").then(|| canonical.into())
}

/// The digest of the payload of a result's record, if the record has one.
pub type PayloadDigest = Option<u128>;

/// Receives the results of reading, with the digests of their payloads.
pub type Take<'a> = dyn FnMut(Intake, PayloadDigest) + 'a;

#[cfg(test)]
mod tests {
    use config::Config;

    use super::*;

    #[test]
    fn pages_are_refused_whatever_their_addresses_end_with() {
        let is = |url| is_refusal(403, url, Some("text/html"));
        for url in ["https://e.org/a", "https://e.org/a.html", "https://e.org/a.story?x=1.js"] {
            assert!(is(url), "{url}");
        }
        assert!(!is("https://e.org/img/a.JPG?width=3") && !is("https://e.org/app.js"));
        assert!(!is_refusal(403, "https://e.org/a", Some("image/png")));
        assert!(!is_refusal(404, "https://e.org/a", None));
    }

    #[test]
    fn a_panic_costs_what_is_being_read() {
        let config = Config::load(None).unwrap().read;
        let mut taken = Vec::new();
        let mut take = |intake, _: PayloadDigest| taken.push(intake);
        let mut reading = FileReading::new(&config, "a.warc".into(), &mut take);
        let give = |reading: &mut FileReading<'_, '_>| reading.give(Intake::Feed(Vec::new()));
        let origin = reading.origin(7, "", None);
        reading.contained("https://a.example/", origin.clone(), |reading| {
            give(reading);
            panic!("as a test asked for");
        });
        reading.contained("https://a.example/", origin, give);
        let [Intake::Drop(drop), Intake::Feed(_)] = &taken[..] else { panic!("{taken:?}") };
        assert_eq!((drop.reason, drop.origin.offset), (DropReason::Internal, 7));
        assert!(drop.detail.contains("as a test asked for (input/src/read/reading.rs"), "{drop:?}");
    }
}
