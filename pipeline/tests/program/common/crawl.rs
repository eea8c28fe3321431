//! Archives created by tests.

use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use archive::{NewRecord, RecordKind, RecordWriter, Wrapping};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use tempfile::TempDir;

use crate::common::results::Results;
use crate::common::{program, prose};

/// The HTTP head before an HTML page.
pub(crate) const HTML: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n";

/// A sequence of records. The record number determines ids and dates, so the same calls give the
/// same bytes and later records have later dates.
pub(crate) struct Crawl {
    /// The day of all visits.
    day: &'static str,
    /// Each record in a separate gzip member.
    members: Vec<Vec<u8>>,
}

impl Crawl {
    pub(crate) fn new() -> Self {
        Self::of_day("2024-05-01")
    }

    /// A crawl of another day, `YYYY-MM-DD`.
    pub(crate) fn of_day(day: &'static str) -> Self {
        Self { day, members: Vec::new() }
    }

    /// A crawl of pages, each with its address.
    pub(crate) fn of_pages(day: &'static str, pages: &[(String, String)]) -> Self {
        let mut crawl = Self::of_day(day);
        pages.iter().for_each(|(url, html)| _ = crawl.page(url, html));
        crawl
    }

    /// A crawl of posts ([`Crawl::posts`]).
    pub(crate) fn of_posts(address: &str, numbers: Range<usize>) -> Self {
        let mut crawl = Self::new();
        crawl.posts(address, numbers);
        crawl
    }

    /// Posts, each at this address with its number behind it.
    pub(crate) fn posts(&mut self, address: &str, numbers: Range<usize>) -> &mut Self {
        for number in numbers {
            self.page(&format!("{address}{number}"), &prose::post(number));
        }
        self
    }

    /// A page in UTF-8, with status 200.
    pub(crate) fn page(&mut self, url: &str, html: &str) -> &mut Self {
        self.response(url, HTML, html.as_bytes())
    }

    /// A response with this head (lines with their line ends) and body.
    pub(crate) fn response(&mut self, url: &str, head: &str, body: &[u8]) -> &mut Self {
        let block = [head.as_bytes(), b"\r\n", body].concat();
        self.record(RecordKind::Response, url, RESPONSE, &block)
    }

    /// Any record.
    pub(crate) fn record(
        &mut self,
        kind: RecordKind,
        url: &str,
        content_type: &str,
        block: &[u8],
    ) -> &mut Self {
        let n = self.members.len();
        let id = format!("00000000-0000-4000-8000-{n:012}");
        let date = format!("{}T{:02}:{:02}:{:02}Z", self.day, n / 3600 % 24, n / 60 % 60, n % 60);
        let named = (&*id, &*date);
        self.members.push(record(Wrapping::Gzip, kind, named, url, content_type, &[], block));
        self
    }

    /// The archive's bytes by record.
    pub(crate) fn members(&self) -> &[Vec<u8>] {
        &self.members
    }

    /// Runs the program on the archive, with further arguments; must succeed.
    pub(crate) fn run(&self, more: &[&str]) -> Results {
        let (folder, archive, out) = self.placed("crawl.warc.gz");
        let results = program::run(&[&archive], &out, more);
        Results { _temporary: Some(folder), ..results }
    }

    /// Writes the archive into a new folder; gives that, the archive's path and one for outputs.
    pub(crate) fn placed(&self, name: &str) -> (TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let (archive, out) = (self.write(folder.path(), name), folder.path().join("out"));
        (folder, archive, out)
    }

    /// Writes the archive into a folder.
    pub(crate) fn write(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, self.members.concat()).unwrap();
        path
    }
}

/// The content type of a response.
pub(crate) const RESPONSE: &str = "application/http; msgtype=response";

/// A record with this id and date, in a gzip member or uncompressed.
pub(crate) fn record(
    wrapping: Wrapping,
    kind: RecordKind,
    (id, date): (&str, &str),
    url: &str,
    content_type: &str,
    fields: &[(&str, &str)],
    block: &[u8],
) -> Vec<u8> {
    let mut writer = RecordWriter::new(Vec::new(), wrapping);
    let record = NewRecord {
        kind,
        record_id: &format!("urn:uuid:{id}"),
        date: date.parse().unwrap(),
        target_uri: Some(url),
        content_type,
        fields,
        body: block,
    };
    writer.write(&record).unwrap();
    writer.finish().unwrap()
}

/// A small archive in a new folder, and a path for outputs.
pub(crate) fn small() -> (TempDir, PathBuf, PathBuf) {
    Crawl::of_posts("https://small.example/notes/", 0..4).placed("small.warc.gz")
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// `deflate` as defined by HTTP: a zlib stream.
pub(crate) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// `deflate` as some servers send it: without the zlib header.
pub(crate) fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A brotli stream of stored blocks (RFC 7932 §9): window of 16 bits, then for each block "not the
/// last, length in 4 nibbles, uncompressed", then an empty last block. The blocks are short, so
/// that the stream read as text contains no complete sentence.
pub(crate) fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut stream = Vec::new();
    // The window bit is before the first block only.
    let mut shift = 1;
    for block in bytes.chunks(40) {
        let length = u32::try_from(block.len() - 1).unwrap();
        let header = (length << 3 | 1 << 19) << shift;
        let width = (shift + 20_u32).div_ceil(8) as usize;
        stream.extend_from_slice(&header.to_le_bytes()[..width]);
        stream.extend_from_slice(block);
        shift = 0;
    }
    stream.push(if shift == 1 { 0b110 } else { 0b11 });
    stream
}

/// Chunked transfer coding, in chunks of this size.
pub(crate) fn chunked(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut coded = Vec::new();
    for chunk in bytes.chunks(size) {
        coded.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        coded.extend_from_slice(chunk);
        coded.extend_from_slice(b"\r\n");
    }
    coded.extend_from_slice(b"0\r\n\r\n");
    coded
}
