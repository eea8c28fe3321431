//! Reads an archive record by record, continuing after any damage.
//!
//! Invariant: every step advances by at least one byte or ends; no input causes a panic or an
//! endless loop.

use std::collections::VecDeque;
use std::io::Read;

use model::DropReason;

use crate::block::BlockSearch;
use crate::http::{end_of_head, parse_fields};
use crate::source::Gap;
use crate::start::{Dialect, RecordHead, Start, StartPlace, StartSearch, arc_head, recognise};
use crate::stream::{ArchiveWindow, next_start};
use crate::{Fault, Headers, Limits, Record, RecordKind, parse_date};

/// The value of [`Record::truncated`] for a record that is cut off by the end of the archive. Bodies whose end is missing are
/// marked in the same way.
pub const CUT_SHORT: &str = "cut-short";

/// An iterator over the records of a WARC or ARC archive. Compression is detected from the first
/// bytes.
///
/// Damage is yielded as a [`Fault`], and reading continues with the next record.
pub struct RecordReader<R: Read> {
    stream: ArchiveWindow<R>,
    limits: Limits,
    wanted: fn(RecordKind) -> bool,
    ready: VecDeque<Result<Record, Fault>>,
    /// The dialects to look for after damage. ARC is included until a WARC record was read, and
    /// again after an ARC record was read.
    sought: Dialect,
    records: u64,
    ended: bool,
}

impl<R: Read> RecordReader<R> {
    /// Starts to read an archive.
    pub fn new(reader: R, limits: &Limits) -> Self {
        Self {
            stream: ArchiveWindow::new(reader, *limits),
            limits: *limits,
            wanted: |_| true,
            ready: VecDeque::new(),
            sought: Dialect::Arc,
            records: 0,
            ended: false,
        }
    }

    /// Skips the bodies of all other kinds of records, to save time.
    pub fn with_bodies_of(mut self, wanted: fn(RecordKind) -> bool) -> Self {
        self.wanted = wanted;
        self
    }

    /// Reads up to the next record or fault and stores it in `ready`; does nothing at the end.
    fn advance(&mut self) {
        self.skip_separators();
        if self.stream.window().is_empty() {
            match self.stream.pass_break() {
                Some(fault) => self.ready.push_back(Err(fault)),
                None => self.ended = true,
            }
            return;
        }
        let complete = self.stream.is_complete();
        match recognise(self.stream.window(), complete) {
            Start::Unsure => {
                self.stream.fill();
            }
            Start::Record(dialect) => {
                if self.records == 0 || dialect == Dialect::Arc {
                    self.sought = dialect;
                }
                match dialect {
                    Dialect::Warc => self.read_warc(),
                    Dialect::Arc => self.read_arc(),
                }
            }
            Start::None if self.stream.unwrap_rest() => {}
            Start::None => self.skip_junk(
                DropReason::Junk,
                "bytes that belong to no record; everything before was kept",
            ),
        }
    }

    /// Skips line ends, and the zero bytes that some writers pad with.
    fn skip_separators(&mut self) {
        loop {
            let window = self.stream.window();
            let count = window.iter().take_while(|byte| b"\r\n\0".contains(byte)).count();
            let all = count == window.len();
            self.stream.consume(count);
            if !all || !self.stream.fill() {
                return;
            }
        }
    }

    fn read_warc(&mut self) {
        let mut from = 0;
        let size = loop {
            let window = self.stream.window();
            let searched = &window[..window.len().min(self.limits.head_bytes)];
            if let Some(size) = end_of_head(searched, from) {
                break size;
            }
            // The empty line may begin in the last bytes searched.
            from = searched.len().saturating_sub(3);
            if window.len() >= self.limits.head_bytes || !self.stream.fill() {
                return match self.stream.is_complete() && !self.stream.precedes_gap() {
                    true => self.skip_junk(
                        DropReason::CutShort,
                        "the archive ends within the head of a record; the record was dropped, \
                         everything before was kept; fetch the archive again",
                    ),
                    false => self.skip_junk(
                        DropReason::BadRecord,
                        "a record head that does not end; the record was dropped",
                    ),
                };
            }
        };
        let window = &self.stream.window()[..size];
        let line = memchr::memchr(b'\n', window).map_or(size, |at| at + 1);
        let headers = parse_fields(&window[line..]);
        let bare = |value: &str| value.trim_matches(['<', '>', ' ']).to_owned();
        let head = RecordHead {
            kind: match headers.get("WARC-Type") {
                Some(kind) => {
                    RecordKind::parse(&kind.to_ascii_lowercase()).unwrap_or(RecordKind::Other)
                }
                None => kind_by_content_type(&headers),
            },
            target_uri: headers.get("WARC-Target-URI").map(bare).filter(|uri| !uri.is_empty()),
            date: headers.get("WARC-Date").and_then(parse_date),
            length: headers.get("Content-Length").and_then(|text| text.parse().ok()),
            headers,
        };
        self.read_block(head, Dialect::Warc, size);
    }

    fn read_arc(&mut self) {
        let window = self.stream.window();
        let line = window.iter().position(|byte| *byte == b'\n').unwrap_or(window.len());
        let size = (line + 1).min(window.len());
        match arc_head(&window[..line]) {
            Some(head) => self.read_block(head, Dialect::Arc, size),
            None => self.skip_junk(DropReason::BadRecord, "an unreadable record head"),
        }
    }

    /// Finds the block of the record whose head has `size` bytes. Stores the record, or a fault.
    fn read_block(&mut self, head: RecordHead, dialect: Dialect, size: usize) {
        let offset = self.stream.offset(0);
        let RecordHead { kind, headers, target_uri, date, length } = head;
        let record_id = headers.get("WARC-Record-ID").unwrap_or_default();
        let record_id = record_id.trim_matches(['<', '>', ' ']).to_owned();
        let mut block = BlockSearch {
            stream: &mut self.stream,
            limits: &self.limits,
            dialect,
            sought: self.sought,
            url: target_uri.as_deref().unwrap_or("no target URI"),
            size,
            keep: (self.wanted)(kind),
        };
        let mut found = block.find(length);
        if let Some((reason, detail)) = found.problem.take() {
            let recovered_at = self.next_record_offset();
            let (target_uri, record_id) = (target_uri.clone(), record_id.clone());
            let fault = Fault { offset, target_uri, record_id, reason, detail, recovered_at };
            self.ready.push_back(Err(fault));
        }
        if found.lost {
            return;
        }
        self.records += 1;
        let record = Record {
            offset,
            kind,
            record_id,
            truncated: headers
                .get("WARC-Truncated")
                .or(found.cut.then_some(CUT_SHORT))
                .map(str::to_owned),
            headers,
            target_uri,
            date,
            body: found.body,
            length: found.length,
        };
        self.ready.push_back(Ok(record));
    }

    /// Moves to the next record, at least one byte ahead, and reports the skipped bytes.
    fn skip_junk(&mut self, reason: DropReason, what: &str) {
        let offset = self.stream.offset(0);
        let (mut passed, mut from) = (0u64, 1);
        loop {
            let complete = self.stream.is_complete();
            match next_start(&self.stream, from, self.sought, StartPlace::Anywhere, complete) {
                StartSearch::At(index) => {
                    self.stream.consume(index);
                    passed += index as u64;
                    break;
                }
                StartSearch::NotBefore(index) => {
                    // The byte before a candidate shows whether the candidate begins a line.
                    let done = index.saturating_sub(1);
                    self.stream.consume(done);
                    passed += done as u64;
                    from = index - done;
                    if !self.stream.fill() && complete {
                        let rest = self.stream.window().len();
                        self.stream.consume(rest);
                        if self.stream.precedes_gap() {
                            return; // The gap itself is reported.
                        }
                        passed += rest as u64;
                        break;
                    }
                }
            }
        }
        let recovered_at = self.next_record_offset();
        let hint = match (recovered_at, self.records) {
            (Some(at), _) => format!("reading continued at byte {at}"),
            (None, 0) => "no record was found; is the file a WARC or ARC archive?".to_owned(),
            (None, _) => "no record follows".to_owned(),
        };
        let detail = format!("{what} ({passed} bytes skipped); {hint}");
        self.ready.push_back(Err(Gap::lost(offset, reason, recovered_at, detail).fault));
    }

    /// File offset of the next record; `None` if there is none.
    fn next_record_offset(&mut self) -> Option<u64> {
        self.skip_separators();
        (!self.stream.window().is_empty()).then(|| self.stream.offset(0))
    }
}

impl<R: Read> Iterator for RecordReader<R> {
    type Item = Result<Record, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            if self.ended {
                return None;
            }
            self.advance();
            self.ready.extend(self.stream.notes.drain(..).map(Err));
        }
    }
}

/// The kind of a record without `WARC-Type`: its content type may name the direction of a message.
fn kind_by_content_type(headers: &Headers) -> RecordKind {
    let content_type = headers.get("Content-Type").unwrap_or_default().to_ascii_lowercase();
    let (media_type, parameters) = content_type.split_once(';').unwrap_or_default();
    let says = |value: &str| {
        let named = parameters.split(';').filter_map(|parameter| parameter.split_once('='));
        let mut kinds = named.filter(|(name, _)| name.trim() == "msgtype");
        kinds.any(|(_, found)| found.trim().trim_matches('"') == value)
    };
    match media_type.trim() {
        "application/http" if says("response") => RecordKind::Response,
        "application/http" if says("request") => RecordKind::Request,
        _ => RecordKind::Other,
    }
}
