//! Reads the contents of tables: listed records of archives, and pages.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use model::{CutShort, DropReason, PageNotes};
use sha2::{Digest, Sha256};

use super::opened::{Opened, is_in_parts};
use super::reading::{FileReading, Media, records};
use crate::cdx::ExtraOfRecords;
use crate::parts::RecordAt;
use crate::table::{CONTENT_TYPE, CellValue, FETCHED, HTML, URL, extra_of, is_text, read_rows};

/// Number of consecutive records that cannot be fetched after which the rest of the archive is not tried.
const FAILING: usize = 3;

impl FileReading<'_, '_> {
    /// Reads listed records of an archive. A record that cannot be read is dropped, and reading continues.
    ///
    /// # Errors
    /// If the archive does not exist, or does not respond.
    pub(super) fn records_at(
        &mut self,
        (listed, extra): (&[RecordAt], &ExtraOfRecords),
        reader: &mut Opened<'_>,
        stop: &AtomicBool,
    ) -> io::Result<ControlFlow<()>> {
        let mut failing = 0;
        for &RecordAt { offset, length } in listed {
            let first = match reader.find_record(offset) {
                Ok(Some(first)) => first,
                Ok(None) => {
                    let detail = "the archive ends before this record, which its index lists; is the index \
                                  that of another file?";
                    self.lose_record(offset, detail.to_owned());
                    continue;
                }
                Err(_) if stop.load(Ordering::Relaxed) => return Ok(ControlFlow::Break(())),
                Err(error) => {
                    let missing = [io::ErrorKind::NotFound, io::ErrorKind::PermissionDenied];
                    failing += 1;
                    if failing == FAILING || missing.contains(&error.kind()) {
                        return Err(error);
                    }
                    let next = "the other records were read; give the command again with --overwrite to try this one again";
                    self.lose_record(offset, format!("it could not be read ({error}); {next}"));
                    continue;
                }
            };
            failing = 0;
            self.extra = extra.get(&offset).cloned().unwrap_or_default();
            let first = [first];
            let mut bytes = first.chain(reader.by_ref().take(length.saturating_sub(1)));
            let (mut cut_short, mut is_given) = (None, false);
            for item in records(&mut bytes, self.config) {
                if stop.load(Ordering::Relaxed) {
                    return Ok(ControlFlow::Break(()));
                }
                match item {
                    Err(fault) if fault.reason == DropReason::CutShort => cut_short = Some(fault),
                    item => {
                        is_given |= item.is_ok();
                        self.read_item(item, offset);
                    }
                }
            }
            // The digest includes what the record reader left unread.
            let _ = io::copy(&mut bytes, &mut io::sink());
            let archive_ends = bytes.into_inner().1.limit() > 0;
            match cut_short {
                Some(fault) if archive_ends => self.read_item(Err(fault), offset),
                Some(_) => self.note_short_length(offset, length, is_given),
                None => {}
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Notes that a record is longer than indexes say. It counts as a drop if nothing of it was passed on.
    fn note_short_length(&mut self, offset: u64, length: u64, is_given: bool) {
        let indexes = self.record.listed.as_ref().map(|own| own.indexes.join(", "));
        let indexes = indexes.unwrap_or_default();
        let detail = format!(
            "the record there is longer than the {length} bytes that {indexes} gives; is the index that of another file?"
        );
        match is_given {
            true => drop(self.record.cut_short.get_or_insert(CutShort { offset, detail })),
            false => self.lose_record(offset, detail),
        }
    }

    fn lose_record(&mut self, offset: u64, detail: String) {
        let origin = self.origin(offset, "", None);
        self.record.cut_short.get_or_insert(CutShort { offset, detail: detail.clone() });
        self.drop("", origin, DropReason::UnreadableRecord, detail);
    }

    /// Reads the pages of a table. The offset in the origin of each is the number of its row, from 0.
    ///
    /// # Errors
    /// If the table cannot be read to its end.
    pub(super) fn table(
        &mut self,
        path: &Path,
        reader: &mut Opened<'_>,
        stop: &AtomicBool,
    ) -> io::Result<()> {
        let config = self.config;
        let columns = (&[URL, HTML, FETCHED, CONTENT_TYPE][..], &config.extra[..]);
        let in_parts = is_in_parts(path);
        let (mut bytes, mut digest) = (0, Sha256::new());
        let mut take = |(number, row): (u64, Result<&mut [CellValue], String>)| {
            if stop.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            match row {
                Ok(row) => {
                    for cell in row.iter().filter(|_| in_parts) {
                        let of_cell = cell.bytes();
                        digest.update((of_cell.len() as u64).to_le_bytes());
                        digest.update(of_cell);
                        bytes += of_cell.len() as u64;
                    }
                    self.count("page");
                    self.row(number, row);
                }
                Err(why) => {
                    let origin = self.origin(number, "", None);
                    self.drop("", origin, DropReason::BadRecord, why);
                }
            }
            ControlFlow::Continue(())
        };
        let text: &mut dyn Read = if is_text(path) { reader } else { &mut io::empty() };
        let read = read_rows(path, text, columns, config.max_payload_bytes as u64, &mut take);
        if in_parts {
            reader.note(bytes, &digest.finalize());
        }
        read.map_err(|error| io::Error::other(errors::error_chain(&error)))
    }

    fn row(&mut self, number: u64, row: &mut [CellValue]) {
        let [url, body, fetched, kind, extra @ ..] = row else { return };
        let body = std::mem::replace(body, CellValue::None);
        let (url, kind) = (url.text().unwrap_or_default(), kind.text());
        let origin = self.origin(number, "", None);
        // Text is decoded already, whatever encoding the page declares.
        let (body, charset) = match body {
            CellValue::None => (Vec::new(), ""),
            CellValue::Text(text) => (text.into_bytes(), "; charset=utf-8"),
            CellValue::Bytes(bytes) => (bytes, ""),
        };
        if body.len() > self.config.max_payload_bytes {
            return self.oversized(url, origin, DropReason::TooLarge, "max_payload_bytes");
        }
        let kind = kind.unwrap_or("text/html");
        let kind = match charset {
            "" => kind.to_owned(),
            charset => format!("{}{charset}", kind.split(';').next().unwrap_or_default()),
        };
        let notes =
            PageNotes { extra: extra_of(&self.config.extra, extra), ..PageNotes::default() };
        let media = Media { content_type: Some(kind), language: None, notes };
        let fetched = fetched.text().and_then(time_of);
        self.contained(url, origin.clone(), |reading| {
            reading.payload(url.to_owned(), fetched, origin, body, &media);
        });
    }
}

/// Parses a time that is written out, or given as seconds, milli-, micro- or nanoseconds since 1970.
fn time_of(text: &str) -> Option<Timestamp> {
    let count: Option<i64> = text.parse().ok().filter(|_| text.len() != 14 && text.len() > 8);
    match count {
        None => archive::parse_date(text),
        Some(count) => match text.len() {
            ..=11 => Timestamp::from_second(count).ok(),
            12..=14 => Timestamp::from_millisecond(count).ok(),
            15..=17 => Timestamp::from_microsecond(count).ok(),
            _ => Timestamp::from_nanosecond(count.into()).ok(),
        },
    }
}
