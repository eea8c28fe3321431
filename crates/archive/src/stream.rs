//! The window over the decompressed bytes of an archive, on which the record reader works, with the
//! file offset of every byte.

use std::collections::VecDeque;
use std::io::Read;

use crate::format::{Beginning, detect_beginning, find_unit};
use crate::members::Members;
use crate::source::{ByteSource, Gap, More};
use crate::start::{Dialect, StartPlace, StartSearch, find_record, is_record_start};
use crate::whole::{Whole, decompression_failed};
use crate::zstandard::Decoders;
use crate::{Fault, Format, Limits};

/// Number of bytes used to detect the format.
const SNIFF: usize = 256 << 10;

/// How the bytes are decompressed. A new format is a new variant.
enum StreamDecoder<R: Read> {
    Plain(ByteSource<R>),
    Members(Box<Members<R>>),
    Whole(Box<ByteSource<Whole<R>>>),
    Ended,
}

impl<R: Read> StreamDecoder<R> {
    fn new(mut source: ByteSource<R>, limits: Limits) -> Self {
        source.fill_to(SNIFF);
        match Format::sniff(source.buffered()) {
            format @ (Format::Gzip | Format::Zstd | Format::Lz4) => {
                Self::Members(Box::new(Members::new(source, format, limits)))
            }
            Format::Bzip2 => Self::Whole(Box::new(ByteSource::new(Whole::bzip2(source, limits)))),
            Format::Xz => Self::Whole(Box::new(ByteSource::new(Whole::xz(source, limits)))),
            Format::Plain => Self::Plain(source),
        }
    }

    fn read_more(&mut self, output: &mut Vec<u8>) -> More {
        match self {
            Self::Members(members) => members.read_more(output),
            Self::Plain(source) => read_source(source, output, Gap::unreadable),
            Self::Whole(source) => read_source(source, output, decompression_failed),
            Self::Ended => More::End,
        }
    }
}

/// Reads the next bytes of a source; at its end, returns its error, if any, as made by `broken`.
fn read_source<R: Read>(
    source: &mut ByteSource<R>,
    output: &mut Vec<u8>,
    broken: fn(u64, &str) -> Gap,
) -> More {
    source.fill_to(1);
    let (offset, held) = (source.offset(), source.buffered());
    let length = held.len();
    if length == 0 {
        return match source.take_error() {
            Some(error) => More::Broken(broken(offset, &error)),
            None => More::End,
        };
    }
    output.extend_from_slice(held);
    source.consume(length);
    More::Data(offset)
}

/// What follows the window.
#[derive(Debug)]
enum Behind {
    /// More bytes may follow.
    Open,
    /// A gap, after which more bytes may follow.
    Gap(Gap),
    End,
}

#[derive(Clone, Copy, Debug, Default)]
struct WindowPiece {
    /// Position in the decompressed bytes.
    at: u64,
    /// File offset of the piece, or of its member.
    offset: u64,
    /// Whether it is from a member, rather than uncompressed bytes of the file.
    member: bool,
}

pub(crate) struct ArchiveWindow<R: Read> {
    decoder: StreamDecoder<R>,
    bytes: Vec<u8>,
    start: usize,
    /// Position of `bytes[0]` in the decompressed bytes.
    base: u64,
    pieces: VecDeque<WindowPiece>,
    behind: Behind,
    limits: Limits,
    /// Faults without missing bytes that the decoder reported.
    pub(crate) notes: Vec<Fault>,
}

impl<R: Read> ArchiveWindow<R> {
    pub(crate) fn new(reader: R, limits: Limits) -> Self {
        Self {
            decoder: StreamDecoder::new(ByteSource::new(reader), limits),
            bytes: Vec::new(),
            start: 0,
            base: 0,
            pieces: VecDeque::new(),
            behind: Behind::Open,
            limits,
            notes: Vec::new(),
        }
    }

    pub(crate) fn window(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Moves past `count` bytes of the window.
    pub(crate) fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.bytes.len());
    }

    /// File offset of the byte `ahead` bytes after the start of the window; in compressed archives, of its member.
    pub(crate) fn offset(&self, ahead: usize) -> u64 {
        let position = self.base + (self.start + ahead) as u64;
        let behind = self.pieces.partition_point(|piece| piece.at <= position);
        let piece = behind.checked_sub(1).and_then(|index| self.pieces.get(index));
        let piece = piece.copied().unwrap_or_default();
        if piece.member { piece.offset } else { piece.offset + (position - piece.at) }
    }

    /// Indices ≥ `from` in the window at which members begin.
    pub(crate) fn members_from(&self, from: usize) -> impl Iterator<Item = usize> {
        let start = self.base + self.start as u64;
        let first = self.pieces.partition_point(|piece| piece.at < start + from as u64);
        let members = self.pieces.range(first..).filter(|piece| piece.member);
        members.map(move |piece| (piece.at - start) as usize)
    }

    /// Whether the window ends where a member ends.
    pub(crate) fn at_member_end(&self) -> bool {
        matches!(&self.decoder, StreamDecoder::Members(members) if members.between_members())
    }

    /// Whether bytes are missing after the window.
    pub(crate) fn precedes_gap(&self) -> bool {
        self.gap().is_some()
    }

    /// Whether the byte before `end` comes from a damaged member and may be wrong.
    pub(crate) fn is_garbled(&self, end: usize) -> bool {
        self.gap().is_some_and(|gap| gap.garbled && gap.fault.offset == self.offset(end.max(1) - 1))
    }

    fn gap(&self) -> Option<&Gap> {
        match (&self.behind, &self.decoder) {
            (Behind::Gap(broken), _) => Some(broken).filter(|broken| broken.lossy),
            (_, StreamDecoder::Members(members)) => members.gap(),
            _ => None,
        }
    }

    /// Whether the window contains all bytes up to a gap or the end, as far as is known.
    pub(crate) fn is_complete(&self) -> bool {
        !matches!(self.behind, Behind::Open)
    }

    /// Extends the window; returns false at a gap or the end.
    pub(crate) fn fill(&mut self) -> bool {
        if self.is_complete() {
            return false;
        }
        if self.start == self.bytes.len() || self.start >= self.bytes.len() / 2 {
            self.bytes.drain(..self.start);
            self.base += self.start as u64;
            self.start = 0;
            while self.pieces.get(1).is_some_and(|piece| piece.at <= self.base) {
                self.pieces.pop_front();
            }
        }
        loop {
            let length = self.bytes.len();
            match self.decoder.read_more(&mut self.bytes) {
                More::Data(offset) => {
                    if self.bytes.len() > length {
                        let member = matches!(self.decoder, StreamDecoder::Members(_));
                        if self.pieces.back().is_none_or(|last| last.offset != offset) {
                            let at = self.base + length as u64;
                            self.pieces.push_back(WindowPiece { at, offset, member });
                        }
                        return true;
                    }
                }
                More::Plain => {
                    let old = std::mem::replace(&mut self.decoder, StreamDecoder::Ended);
                    if let StreamDecoder::Members(members) = old {
                        self.decoder = StreamDecoder::Plain(members.into_source());
                    }
                }
                More::Broken(broken) if !broken.lossy => self.notes.push(broken.fault),
                More::Broken(broken) => {
                    self.behind = Behind::Gap(broken);
                    return false;
                }
                More::End => {
                    self.behind = Behind::End;
                    return false;
                }
            }
        }
    }

    /// If the bytes at the start of the window are compressed although the bytes before were not,
    /// decompresses the rest of the archive.
    pub(crate) fn unwrap_rest(&mut self) -> bool {
        let Beginning::Unit(format) = detect_beginning(self.window()) else { return false };
        if !matches!(self.decoder, StreamDecoder::Plain(_)) {
            return false;
        }
        // A few kilobytes are enough. Read errors are reported first.
        while self.window().len() < SNIFF && self.fill() {}
        let unreadable = matches!(self.behind, Behind::Gap(_));
        if unreadable || find_unit(self.window(), 0, format, &mut Decoders::default()) != Some(0) {
            return false;
        }
        let rest = self.bytes.split_off(self.start);
        let old = std::mem::replace(&mut self.decoder, StreamDecoder::Ended);
        if let StreamDecoder::Plain(mut source) = old {
            source.put_back(&rest);
            self.decoder =
                StreamDecoder::Members(Box::new(Members::new(source, format, self.limits)));
            self.behind = Behind::Open;
        }
        true
    }

    /// Moves past the gap after an empty window; `None` at the end.
    pub(crate) fn pass_break(&mut self) -> Option<Fault> {
        match std::mem::replace(&mut self.behind, Behind::End) {
            Behind::Gap(broken) => {
                self.behind = Behind::Open;
                Some(broken.fault)
            }
            Behind::Open | Behind::End => None,
        }
    }
}

/// Finds the first index ≥ `from` in the window at which a record certainly starts, at a place of
/// the given kind or where a member begins. `complete` means that nothing can follow the window.
pub(crate) fn next_start<R: Read>(
    stream: &ArchiveWindow<R>,
    from: usize,
    dialect: Dialect,
    place: StartPlace,
    complete: bool,
) -> StartSearch {
    let window = stream.window();
    let found = find_record(window, from, dialect, place, complete);
    let (StartSearch::At(before) | StartSearch::NotBefore(before)) = found;
    for member in stream.members_from(from).take_while(|member| *member < before) {
        match is_record_start(&window[member..], dialect, complete) {
            Some(true) => return StartSearch::At(member),
            Some(false) => {}
            None => return StartSearch::NotBefore(member),
        }
    }
    found
}
