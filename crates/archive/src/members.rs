//! Splits a compressed archive into its units (gzip members, Zstandard or LZ4 frames) and
//! decompresses them, skipping damage and junk.

use std::io::Read;

use model::DropReason;

use crate::format::{Beginning, Unit, detect_beginning, find_unit, salvage};
use crate::inflate::{InflateResult, Inflater};
use crate::member::StreamStep;
use crate::source::{ByteSource, Gap, More, went_on};
use crate::start::{Dialect, is_record_start};
use crate::zstandard::{Decoders, LARGEST_DICTIONARY};
use crate::{Format, Limits};

/// Number of compressed bytes that are read ahead. Members up to a quarter of this size never reach the end of the buffer.
const AHEAD: usize = 1 << 20;
/// Number of bytes before the read position that are kept for a streamed unit, to find the next member after damage.
const MEMORY: usize = 1 << 20;
/// Output capacity for the first attempt at a member, in bytes.
const ROOM: usize = 1 << 20;
/// Number of output bytes per step of a streamed unit.
const STEP: usize = 256 << 10;

/// A compressed archive.
pub(crate) struct Members<R> {
    source: ByteSource<R>,
    /// The format of units to look for after damage.
    format: Format,
    inflater: Option<Inflater>,
    decoders: Decoders,
    /// The unit being streamed, and its file offset.
    streamed: Option<(Unit, u64)>,
    /// A gap to report once the output before it has been read.
    pending: Option<Gap>,
    limits: Limits,
}

impl<R: Read> Members<R> {
    pub(crate) fn new(source: ByteSource<R>, format: Format, limits: Limits) -> Self {
        Self {
            source,
            format,
            inflater: Inflater::new(),
            decoders: Decoders::default(),
            streamed: None,
            pending: None,
            limits,
        }
    }

    /// The gap after the bytes returned so far, if bytes are missing there.
    pub(crate) fn gap(&self) -> Option<&Gap> {
        self.pending.as_ref().filter(|pending| pending.lossy)
    }

    /// Whether the bytes returned so far end with a member.
    pub(crate) fn between_members(&self) -> bool {
        self.streamed.is_none()
    }

    /// Appends the next member, or a piece of a long one, to `output`.
    pub(crate) fn read_more(&mut self, output: &mut Vec<u8>) -> More {
        if let Some(pending) = self.pending.take() {
            return More::Broken(pending);
        }
        if self.streamed.is_some() {
            return self.stream_unit(output);
        }
        self.skip_zeros();
        if self.source.buffered().is_empty() {
            return match self.source.take_error() {
                Some(error) => More::Broken(Gap::unreadable(self.source.offset(), &error)),
                None => More::End,
            };
        }
        let offset = self.source.offset();
        match detect_beginning(self.source.buffered()) {
            Beginning::Unit(Format::Gzip) => self.inflate_member(output, offset),
            Beginning::Unit(format) => match self.skip_without_dictionary(offset) {
                Some(broken) => More::Broken(broken),
                None => self.begin_unit(format, output, offset),
            },
            Beginning::Skippable(length, dictionary) => self.skip_frame(length, dictionary, offset),
            Beginning::Unsure if !self.source.ended() => {
                self.source.fill_to(self.source.buffered().len() + 1);
                More::Data(offset)
            }
            Beginning::None if self.at_plain_record() => More::Plain,
            Beginning::Unsure | Beginning::None => {
                let found = self.seek_unit(0);
                let name = format!("{:?}", self.format).to_lowercase();
                let detail = format!(
                    "bytes between {name} members that belong to none; everything before was kept, {}",
                    went_on(found)
                );
                More::Broken(Gap::lost(offset, DropReason::Junk, found, detail))
            }
        }
    }

    fn at_plain_record(&self) -> bool {
        let (held, complete) = (self.source.buffered(), self.source.ended());
        let separators = held.iter().take_while(|byte| b"\r\n".contains(byte)).count();
        is_record_start(&held[separators..], Dialect::Warc, complete) == Some(true)
    }

    /// Returns the rest of the archive.
    pub(crate) fn into_source(self) -> ByteSource<R> {
        self.source
    }

    fn begin_unit(&mut self, format: Format, output: &mut Vec<u8>, offset: u64) -> More {
        let Some(unit) = Unit::begin(format, &mut self.decoders) else { return More::End };
        self.streamed = Some((unit, offset));
        self.source.remember(MEMORY);
        self.stream_unit(output)
    }

    /// Skips a skippable frame, and reads the dictionary if it contains one.
    fn skip_frame(&mut self, length: u64, dictionary: bool, at: u64) -> More {
        let whole = usize::try_from(length).unwrap_or(usize::MAX);
        if whole <= LARGEST_DICTIONARY {
            self.source.fill_to(whole);
            if let Some(content) = self.source.buffered().get(8..whole) {
                let learnt = !dictionary || self.decoders.learn(content);
                self.source.consume(whole);
                if learnt {
                    return More::Data(at);
                }
                let detail = format!(
                    "the dictionary at byte {at} cannot be read; frames that need it are left \
                     out; fetch the archive again"
                );
                let next = self.source.offset();
                return More::Broken(Gap::noted(at, DropReason::BadCompression, next, detail));
            }
        }
        // The frame claims more bytes than exist or are plausible: records may follow its head.
        let found = self.seek_unit(4);
        let detail = format!(
            "a skippable frame of {length} bytes that does not end; everything before was kept, {}",
            went_on(found)
        );
        More::Broken(Gap::lost(at, DropReason::Junk, found, detail))
    }

    /// Skips frames that need a dictionary which is not in the archive.
    fn skip_without_dictionary(&mut self, offset: u64) -> Option<Gap> {
        let number = self.decoders.missing(self.source.buffered())?;
        let found = self.seek_unit(1);
        let detail = format!(
            "the zstd frame at byte {offset} needs the dictionary {number}, which the archive \
             does not carry; {}; decompress the archive with that dictionary first",
            went_on(found)
        );
        Some(Gap::lost(offset, DropReason::BadCompression, found, detail))
    }

    /// Inflates the member at the position of the source, or starts to stream it.
    fn inflate_member(&mut self, output: &mut Vec<u8>, offset: u64) -> More {
        if self.source.buffered().len() < AHEAD / 4 {
            self.source.fill_to(AHEAD);
        }
        output.reserve(ROOM);
        let most = usize::try_from(self.limits.record_bytes).unwrap_or(usize::MAX);
        let most = most.min(self.limits.member_bytes.saturating_mul(4)).max(ROOM);
        while let Some(inflater) = &mut self.inflater {
            match inflater.gzip(self.source.buffered(), output) {
                InflateResult::Complete(taken) => {
                    self.source.consume(taken);
                    return More::Data(offset);
                }
                InflateResult::OutputFull => {
                    let room = output.capacity() - output.len();
                    if room >= most {
                        break;
                    }
                    output.reserve(room * 2);
                }
                InflateResult::Invalid => {
                    let held = self.source.buffered().len();
                    if self.source.ended() || held >= self.limits.member_bytes {
                        break;
                    }
                    self.source.fill_to((held * 2).min(self.limits.member_bytes));
                }
            }
        }
        // Too long for one call, or damaged: find out which.
        let before = output.len();
        let damaged = match salvage(self.source.buffered(), output, most) {
            // If the checksum or the length is right, so is the data.
            (taken, StreamStep::End { checksum, length }) if checksum || length => {
                self.source.consume(taken);
                if !(checksum && length) {
                    let next = self.source.offset();
                    self.pending = Some(Gap::bad_checksum("gzip member", offset, next));
                }
                return More::Data(offset);
            }
            (_, StreamStep::End { .. } | StreamStep::Damaged) => true,
            (_, StreamStep::Input) => self.source.ended(),
            (_, StreamStep::Output) => false,
        };
        output.truncate(before);
        if !damaged {
            return self.begin_unit(Format::Gzip, output, offset);
        }
        // The next member bounds what can belong to this one.
        let held = self.source.buffered();
        let next = find_unit(held, 1, Format::Gzip, &mut self.decoders).unwrap_or(held.len());
        let garbled = salvage(&held[..next], output, most).1 != StreamStep::Input;
        let found = self.seek_unit(next);
        self.pending = Some(Gap { garbled, ..Gap::damage("gzip member", offset, found) });
        More::Data(offset)
    }

    fn stream_unit(&mut self, output: &mut Vec<u8>) -> More {
        let Some((mut unit, offset)) = self.streamed.take() else { return More::End };
        let before = output.len();
        loop {
            let (taken, step) = unit.step(self.source.buffered(), output, STEP);
            self.source.consume(taken);
            let given = unit.given;
            if given > self.limits.record_bytes && given / self.limits.ratio.max(1) > unit.taken {
                let name = unit.name();
                let found = self.abandon(unit, offset);
                let detail = format!(
                    "the {name} at byte {offset} unwraps to more than {} times its size; it \
                     was given up after {given} bytes, {}",
                    self.limits.ratio,
                    went_on(found)
                );
                self.pending = Some(Gap::lost(offset, DropReason::TooLarge, found, detail));
                return More::Data(offset);
            }
            let cut = match step {
                StreamStep::Output | StreamStep::Input if output.len() > before => {
                    self.streamed = Some((unit, offset));
                    return More::Data(offset);
                }
                StreamStep::Output => continue,
                StreamStep::Input => {
                    let held = self.source.buffered().len();
                    self.source.fill_to(held + 1);
                    if self.source.buffered().len() > held {
                        continue;
                    }
                    true
                }
                StreamStep::Damaged => false,
                StreamStep::End { checksum, length } => {
                    let name = unit.name();
                    unit.end(&mut self.decoders);
                    self.source.remember(0);
                    if !(checksum && length) {
                        self.pending = Some(Gap::bad_checksum(name, offset, self.source.offset()));
                    }
                    return More::Data(offset);
                }
            };
            let name = unit.name();
            let found = self.abandon(unit, offset);
            // If a unit merely ends early, its output is correct.
            self.pending = Some(Gap { garbled: !cut, ..Gap::damage(name, offset, found) });
            return More::Data(offset);
        }
    }

    /// Abandons a streamed unit that began at `offset`, and moves to the next one. That may lie before
    /// the current position, but not before the abandoned unit.
    fn abandon(&mut self, unit: Unit, offset: u64) -> Option<u64> {
        unit.end(&mut self.decoders);
        let within = self.source.offset().saturating_sub(offset);
        self.source.rewind(usize::try_from(within).unwrap_or(MEMORY).min(MEMORY));
        self.source.remember(0);
        self.seek_unit(usize::from(self.source.offset() == offset))
    }

    /// Moves to the next unit, at least `skip` bytes ahead, that decompresses to a record; returns its
    /// offset, or `None` at the end of the file.
    fn seek_unit(&mut self, skip: usize) -> Option<u64> {
        self.source.consume(skip);
        loop {
            self.source.fill_to(AHEAD / 4);
            let held = self.source.buffered();
            if let Some(index) = find_unit(held, 0, self.format, &mut self.decoders) {
                self.source.consume(index);
                return Some(self.source.offset());
            }
            if self.source.ended() {
                self.source.consume(usize::MAX / 2);
                return None;
            }
            // Candidates near the end of the buffer are checked again once more bytes follow them.
            let clear = held.len().saturating_sub(AHEAD / 8).max(1);
            self.source.consume(clear);
        }
    }

    /// Skips zero bytes, with which some writers and file systems pad files.
    fn skip_zeros(&mut self) {
        loop {
            self.source.fill_to(AHEAD / 4);
            let held = self.source.buffered();
            let zeros = held.iter().take_while(|byte| **byte == 0).count();
            let all = zeros == held.len();
            self.source.consume(zeros);
            if zeros == 0 || !all || self.source.ended() {
                return;
            }
        }
    }
}
