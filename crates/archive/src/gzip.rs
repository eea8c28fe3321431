//! Splits a gzip archive into its members and inflates them, past damage and junk.

use std::io::Read;

use memchr::memmem;
use model::DropReason;

use crate::Limits;
use crate::gap::{Break, bad_checksum, damage, went_on};
use crate::inflate::{Inflater, Shot};
use crate::member::{MAGIC, Member, Salvage, Step, header, salvage};
use crate::source::Source;
use crate::start::{Start, recognise};
use crate::stream::More;

/// Compressed bytes held ready; members up to a quarter of it never meet the buffer's end.
const AHEAD: usize = 1 << 20;
/// Bytes a streamed member's last input stays available, to find the next member after damage.
const MEMORY: usize = 1 << 20;
/// Output room for the first attempt at a member.
const ROOM: usize = 1 << 20;
/// Output bytes per step of a streamed member.
const STEP: usize = 256 << 10;

/// A gzip archive.
pub(crate) struct Gzip<R> {
    source: Source<R>,
    inflater: Option<Inflater>,
    /// The member being streamed, and its file offset.
    streamed: Option<(Member, u64)>,
    /// What to report once the output given so far has been read.
    pending: Option<Break>,
    limits: Limits,
}

impl<R: Read> Gzip<R> {
    pub(crate) fn new(source: Source<R>, limits: Limits) -> Self {
        Self { source, inflater: Inflater::new(), streamed: None, pending: None, limits }
    }

    /// Whether what was given so far ends with a damaged stretch.
    pub(crate) fn tainted(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.lossy)
    }

    /// Whether what was given so far ends with a member.
    pub(crate) fn between_members(&self) -> bool {
        self.streamed.is_none()
    }

    /// Appends the next member, or a piece of a long one, to `output`.
    pub(crate) fn more(&mut self, output: &mut Vec<u8>) -> More {
        if let Some(pending) = self.pending.take() {
            return More::Broken(pending);
        }
        if self.streamed.is_some() {
            return self.stream(output);
        }
        self.skip_zeros();
        if self.source.buffered().is_empty() {
            return match self.source.take_error() {
                Some(error) => More::Broken(Break::unreadable(self.source.offset(), &error)),
                None => More::End,
            };
        }
        let offset = self.source.offset();
        if header(self.source.buffered()) == crate::member::Header::Bad {
            let found = self.seek(0);
            return More::Broken(Break {
                offset,
                reason: DropReason::Junk,
                detail: format!(
                    "bytes between gzip members that belong to none; everything before was kept, \
                     {}",
                    went_on(found)
                ),
                recovered_at: found,
                lossy: true,
            });
        }
        self.member(output, offset)
    }

    /// Inflates the member at the source's position, or begins to stream it.
    fn member(&mut self, output: &mut Vec<u8>, offset: u64) -> More {
        if self.source.buffered().len() < AHEAD / 4 {
            self.source.fill_to(AHEAD);
        }
        output.reserve(ROOM);
        let most = usize::try_from(self.limits.record_bytes).unwrap_or(usize::MAX);
        let most = most.min(self.limits.member_bytes.saturating_mul(4)).max(ROOM);
        while let Some(inflater) = &mut self.inflater {
            match inflater.gzip(self.source.buffered(), output) {
                Shot::Whole(taken) => {
                    self.source.consume(taken);
                    return More::Data(offset);
                }
                Shot::NoRoom => {
                    let room = output.capacity() - output.len();
                    if room >= most {
                        break;
                    }
                    output.reserve(room * 2);
                }
                Shot::Bad => {
                    let held = self.source.buffered().len();
                    if self.source.ended() || held >= self.limits.member_bytes {
                        break;
                    }
                    self.source.fill_to((held * 2).min(self.limits.member_bytes));
                }
            }
        }
        // Too long for one go, or damaged: see which.
        let before = output.len();
        let damaged = match salvage(self.source.buffered(), output, most) {
            Salvage::End { taken, checksum, length } => {
                if checksum && length {
                    self.source.consume(taken);
                    return More::Data(offset);
                }
                if length {
                    self.source.consume(taken);
                    self.pending = Some(bad_checksum(offset, self.source.offset()));
                    return More::Data(offset);
                }
                true
            }
            Salvage::Damaged => true,
            Salvage::Cut => self.source.ended(),
            Salvage::Full => false,
        };
        output.truncate(before);
        if !damaged {
            self.streamed = Some((Member::new(), offset));
            self.source.remember(MEMORY);
            return self.stream(output);
        }
        // The next member bounds what can belong to this one.
        let held = self.source.buffered();
        let next = find_member(held, 1);
        salvage(&held[..next.unwrap_or(held.len())], output, most);
        let found = self.seek(next.unwrap_or(held.len()));
        self.pending = Some(damage(offset, found));
        More::Data(offset)
    }

    /// Gives the next piece of the streamed member.
    fn stream(&mut self, output: &mut Vec<u8>) -> More {
        let Some((mut member, offset)) = self.streamed.take() else { return More::End };
        let before = output.len();
        loop {
            let (taken, step) = member.step(self.source.buffered(), output, STEP);
            self.source.consume(taken);
            let (taken_in_all, given) = member.totals();
            if given > self.limits.record_bytes && given / self.limits.ratio.max(1) > taken_in_all {
                let found = self.abandon();
                self.pending = Some(Break {
                    offset,
                    reason: DropReason::BadCompression,
                    detail: format!(
                        "the gzip member at byte {offset} inflates to more than {} times its size; \
                         it was given up after {given} bytes, {}",
                        self.limits.ratio,
                        went_on(found)
                    ),
                    recovered_at: found,
                    lossy: true,
                });
                return More::Data(offset);
            }
            match step {
                Step::Output | Step::Input if output.len() > before => {
                    self.streamed = Some((member, offset));
                    return More::Data(offset);
                }
                Step::Output => {}
                Step::Input => {
                    let held = self.source.buffered().len();
                    self.source.fill_to(held + 1);
                    if self.source.buffered().len() == held {
                        let found = self.abandon();
                        self.pending = Some(damage(offset, found));
                        return More::Data(offset);
                    }
                }
                Step::Damaged => {
                    let found = self.abandon();
                    self.pending = Some(damage(offset, found));
                    return More::Data(offset);
                }
                Step::End { checksum, length } => {
                    self.source.remember(0);
                    if !(checksum && length) {
                        self.pending = Some(bad_checksum(offset, self.source.offset()));
                    }
                    return More::Data(offset);
                }
            }
        }
    }

    /// Leaves a streamed member for the next one, which may lie a little way back.
    fn abandon(&mut self) -> Option<u64> {
        let here = self.source.offset();
        self.source.rewind(MEMORY);
        let start = self.source.offset();
        self.source.remember(0);
        // Keep well clear of the member's own header when it lies within reach.
        self.seek(if start == here { 0 } else { 1 })
    }

    /// Moves to the next member that inflates to a record, at least `skip` bytes ahead; returns
    /// its offset, or `None` at the end of the file.
    fn seek(&mut self, skip: usize) -> Option<u64> {
        self.source.consume(skip);
        loop {
            self.source.fill_to(AHEAD / 4);
            let held = self.source.buffered();
            if let Some(index) = find_member(held, 0) {
                self.source.consume(index);
                return Some(self.source.offset());
            }
            if self.source.ended() {
                self.source.consume(usize::MAX / 2);
                return None;
            }
            // Candidates near the end of the buffer are looked at again with more behind them.
            let clear = held.len().saturating_sub(AHEAD / 8).max(1);
            self.source.consume(clear);
        }
    }

    /// Passes zero bytes, with which some writers and disks pad files.
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

/// The first index ≥ `from` at which a gzip member stands that begins with a record.
pub(crate) fn find_member(bytes: &[u8], from: usize) -> Option<usize> {
    let mut from = from;
    loop {
        from += memmem::find(bytes.get(from..)?, MAGIC)?;
        if starts_record(&bytes[from..]) {
            return Some(from);
        }
        from += 1;
    }
}

/// Whether a gzip member stands at the start of `bytes` that inflates to the start of a record.
fn starts_record(bytes: &[u8]) -> bool {
    if header(bytes) == crate::member::Header::Bad {
        return false;
    }
    let mut output = Vec::new();
    salvage(bytes, &mut output, 4 << 10);
    let text = output.trim_ascii_start();
    matches!(recognise(text, false), Start::Record(_))
}
