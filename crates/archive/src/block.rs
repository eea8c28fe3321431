//! Finds the end of a record's block, even if its declared length is wrong.

use std::io::Read;

use model::DropReason;

use crate::Limits;
use crate::start::{Dialect, Start, StartPlace, StartSearch, is_record_start, recognise};
use crate::stream::{ArchiveWindow, next_start};

/// Maximum size of the separators between two records, in bytes.
const LONGEST_GAP: usize = 64 << 10;

/// Maximum size of the part of an overlong block that is buffered to check whether its length is wrong, in bytes.
const LONGEST_PEEK: usize = 8 << 20;

/// The outcome of a search for a block.
#[derive(Debug, Default)]
pub(crate) struct BlockEnd {
    pub(crate) body: Vec<u8>,
    pub(crate) length: u64,
    /// The problem to report, if any.
    pub(crate) problem: Option<(DropReason, String)>,
    /// Whether the end of the block is missing.
    pub(crate) cut: bool,
    /// Whether there is no record to yield.
    pub(crate) lost: bool,
}

impl BlockEnd {
    fn lost(problem: Option<(DropReason, String)>) -> Self {
        Self { problem, lost: true, ..Self::default() }
    }
}

/// A search for the end of the block of one record, whose head is at the start of the window.
pub(crate) struct BlockSearch<'a, R: Read> {
    pub(crate) stream: &'a mut ArchiveWindow<R>,
    pub(crate) limits: &'a Limits,
    pub(crate) dialect: Dialect,
    /// The dialects of heads that may begin another record.
    pub(crate) sought: Dialect,
    /// Address of the record, for messages.
    pub(crate) url: &'a str,
    /// Length of the head, in bytes.
    pub(crate) size: usize,
    /// Whether the block is to be kept.
    pub(crate) keep: bool,
}

impl<R: Read> BlockSearch<'_, R> {
    /// Moves past the head and the block after it, whose length is `declared`.
    pub(crate) fn find(&mut self, declared: Option<u64>) -> BlockEnd {
        match declared {
            None => self.end_at_next_record(self.size, "has no readable content-length"),
            Some(length) if length > self.limits.record_bytes => self.find_long_end(length),
            Some(length) => self.find_declared_end(length),
        }
    }

    fn find_declared_end(&mut self, length: u64) -> BlockEnd {
        let end = self.size.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
        while self.stream.window().len() < end {
            if !self.stream.fill() {
                return self.keep_remainder(length);
            }
        }
        if let Some(at) = self.member_of_a_record(self.size + 1, end) {
            let wrong = format!("declares {length} bytes, but other records begin before");
            return self.clip_before(at, &wrong);
        }
        if self.is_followed_by_record(end) {
            // The last record of a damaged range may consist of garbage.
            let mut behind = self.stream.window()[end..].iter();
            if self.stream.is_garbled(end) && behind.all(|byte| b"\r\n\0".contains(byte)) {
                self.stream.consume(usize::MAX / 2);
                return BlockEnd::lost(None);
            }
            return self.take(end, None);
        }
        let wrong = format!("declares {length} bytes, but no record begins after them");
        match self.find_embedded_record(end) {
            Some(at) => self.clip_before(at, &wrong),
            None => self.end_at_next_record(end, &wrong),
        }
    }

    /// Handles a block that is longer than the rest of the archive.
    fn keep_remainder(&mut self, length: u64) -> BlockEnd {
        let held = self.stream.window().len();
        let left = held - self.size;
        if let Some(at) = self.find_embedded_record(held) {
            let wrong = format!("declares {length} bytes, but other records begin before");
            return self.clip_before(at, &wrong);
        }
        // A gap that follows is reported separately.
        let tainted = self.stream.precedes_gap();
        let kept = left > 0 && !self.stream.is_garbled(held);
        let problem = (!tainted).then(|| {
            let fate = if kept { "it was kept that far" } else { "it was dropped" };
            let detail = format!(
                "the record of {} declares {length} bytes, but the archive ends after {left}; \
                 {fate}, everything before was kept; fetch the archive again",
                self.url
            );
            (DropReason::CutShort, detail)
        });
        if !kept {
            self.stream.consume(held);
            return BlockEnd::lost(problem);
        }
        BlockEnd { cut: true, ..self.take(held, problem) }
    }

    /// Whether the archive ends at `end`, or a record follows, or junk after an empty line.
    fn is_followed_by_record(&mut self, end: usize) -> bool {
        loop {
            let complete = self.stream.is_complete();
            let rest = &self.stream.window()[end..];
            let gap = rest.iter().take_while(|byte| b"\r\n\0".contains(byte)).count();
            if gap == rest.len() {
                if complete || self.stream.at_member_end() || gap > LONGEST_GAP {
                    return true;
                }
            } else {
                match recognise(&rest[gap..], complete) {
                    Start::Record(_) => return true,
                    Start::None => {
                        let lines = rest[..gap].iter().filter(|byte| **byte == b'\n').count();
                        return lines >= if self.dialect == Dialect::Arc { 1 } else { 2 };
                    }
                    Start::Unsure => {}
                }
            }
            self.stream.fill();
        }
    }

    /// Returns the index of the first member between `from` and `end` that begins with a record. Such a member always ends the
    /// record before it.
    fn member_of_a_record(&self, from: usize, end: usize) -> Option<usize> {
        let window = self.stream.window();
        let starts = |at: &usize| is_record_start(&window[*at..], self.sought, true) == Some(true);
        self.stream.members_from(from).take_while(|at| *at < end).find(starts)
    }

    /// Returns the index at which another record begins, after the head and before `end`.
    fn find_embedded_record(&self, end: usize) -> Option<usize> {
        match next_start(self.stream, self.size, self.sought, StartPlace::Line, true) {
            StartSearch::At(at) if at < end => Some(at),
            _ => None,
        }
    }

    fn clip_before(&mut self, at: usize, wrong: &str) -> BlockEnd {
        let end = trim_line_ends(self.stream.window(), self.size, at);
        let detail = format!(
            "the record of {} {wrong}; it was kept with the {} bytes before the next record",
            self.url,
            end - self.size
        );
        self.take(end, Some((DropReason::BadRecord, detail)))
    }

    /// Ends the block before the next record that starts at or after `from`.
    fn end_at_next_record(&mut self, mut from: usize, wrong: &str) -> BlockEnd {
        let most = self.size.saturating_add(self.limits.record_bytes as usize);
        loop {
            let complete = self.stream.is_complete();
            let ends = complete || self.stream.at_member_end();
            match next_start(self.stream, from, self.sought, StartPlace::Line, ends) {
                StartSearch::At(at) => return self.clip_before(at, wrong),
                StartSearch::NotBefore(_) if ends => {
                    let held = self.stream.window().len();
                    if self.stream.is_garbled(held) {
                        self.stream.consume(held);
                        return BlockEnd::lost(None);
                    }
                    if self.stream.precedes_gap() {
                        return BlockEnd { cut: true, ..self.take(held, None) };
                    }
                    return self.clip_before(held, wrong);
                }
                StartSearch::NotBefore(at) => from = at,
            }
            if self.stream.window().len() > most {
                self.stream.consume(most);
                let detail = format!(
                    "the record of {} {wrong}, and no record begins within {} bytes; it was \
                     dropped",
                    self.url, self.limits.record_bytes
                );
                return BlockEnd::lost(Some((DropReason::TooLarge, detail)));
            }
            self.stream.fill();
        }
    }

    /// Handles a block whose declared length is above the limit. Such a length is often wrong, so
    /// the beginning of the block is checked first.
    fn find_long_end(&mut self, length: u64) -> BlockEnd {
        let most =
            usize::try_from(self.limits.record_bytes).unwrap_or(usize::MAX).min(LONGEST_PEEK);
        while self.stream.window().len() < most.saturating_add(self.size) {
            let held = self.stream.window().len();
            if !self.stream.fill() {
                return self.keep_remainder(length);
            }
            if let Some(at) = self.member_of_a_record(held.max(self.size), usize::MAX) {
                let wrong = format!("declares {length} bytes, but another record begins before");
                return self.clip_before(at, &wrong);
            }
        }
        self.skip_block(length)
    }

    /// Skips a block that is too long to be kept, without buffering it.
    fn skip_block(&mut self, length: u64) -> BlockEnd {
        self.stream.consume(self.size);
        let mut left = length;
        while left > 0 {
            let window = self.stream.window();
            if window.is_empty() {
                if self.stream.fill() {
                    continue;
                }
                let passed = length - left;
                let detail = format!(
                    "the record of {} declares {length} bytes, but the archive ends after \
                     {passed}; the record was dropped; if that length is wrong, correct it to get \
                     the records behind",
                    self.url
                );
                let tainted = self.stream.precedes_gap();
                return BlockEnd::lost((!tainted).then_some((DropReason::CutShort, detail)));
            }
            let starts_member = self.stream.members_from(0).next() == Some(0);
            if starts_member && matches!(recognise(window, false), Start::Record(_)) {
                let detail = format!(
                    "the record of {} declares {length} bytes, but its member ends after {}; \
                     the record was dropped",
                    self.url,
                    length - left
                );
                return BlockEnd::lost(Some((DropReason::BadRecord, detail)));
            }
            let step = self.stream.members_from(1).next().unwrap_or(window.len()).min(window.len());
            let step = usize::try_from(left).map_or(step, |left| step.min(left));
            self.stream.consume(step);
            left -= step as u64;
        }
        if !self.keep {
            return BlockEnd { length, ..BlockEnd::default() };
        }
        let detail = format!(
            "the record of {} has {length} bytes, more than the limit of {}; it was skipped; \
             raise the limit to read it",
            self.url, self.limits.record_bytes
        );
        BlockEnd::lost(Some((DropReason::TooLarge, detail)))
    }

    fn take(&mut self, end: usize, problem: Option<(DropReason, String)>) -> BlockEnd {
        let body = &self.stream.window()[self.size..end];
        let length = body.len() as u64;
        let body = if self.keep { body.to_vec() } else { Vec::new() };
        self.stream.consume(end);
        BlockEnd { body, length, problem, cut: false, lost: false }
    }
}

/// Moves `end` back over up to two line ends, but not before `from`.
fn trim_line_ends(bytes: &[u8], from: usize, mut end: usize) -> usize {
    for _ in 0..2 {
        for byte in [b'\n', b'\r'] {
            if end > from && bytes[end - 1] == byte {
                end -= 1;
            }
        }
    }
    end
}
