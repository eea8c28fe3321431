//! The compression formats of archives, and their units (gzip members, Zstandard frames, LZ4 frames): detection of a unit
//! by its first bytes (file names are not used), and streaming.

use memchr::memmem;
use zstd::stream::raw::Decoder;

use crate::lz4::{self, Lz4Frame};
use crate::member::{self, GzipMember, MAGIC, StreamStep};
use crate::start::{Start, recognise};
use crate::zstandard::{self, Decoders};

/// The compression format of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Uncompressed records.
    Plain,
    /// Gzip members, with one record each or with all records in one.
    Gzip,
    /// Zstandard frames, with or without a preceding dictionary.
    Zstd,
    /// LZ4 frames.
    Lz4,
    /// A bzip2 stream.
    Bzip2,
    /// An xz stream.
    Xz,
}

/// Whether bytes begin like an archive: with a WARC or ARC record, or with compressed data. Damaged archives are not
/// recognised.
pub fn begins_as_archive(bytes: &[u8]) -> bool {
    Format::sniff(&bytes[..bytes.len().min(16)]) != Format::Plain
        || matches!(recognise(bytes, true), Start::Record(_))
}

impl Format {
    /// Detects the format from the first bytes of a file. More bytes give a more reliable result.
    pub fn sniff(bytes: &[u8]) -> Self {
        match bytes {
            _ if bytes.starts_with(MAGIC) => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] => Self::Lz4,
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => behind_skippable(bytes),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            _ if matches!(recognise(bytes.trim_ascii_start(), true), Start::Record(_)) => {
                Self::Plain
            }
            // A compressed archive whose beginning is damaged.
            _ => [Self::Gzip, Self::Zstd, Self::Lz4]
                .into_iter()
                .find(|&format| find_unit(bytes, 0, format, &mut Decoders::default()).is_some())
                .unwrap_or(Self::Plain),
        }
    }
}

/// The format of the data after skippable frames; Zstandard if that data is beyond the given bytes.
fn behind_skippable(bytes: &[u8]) -> Format {
    let mut rest = bytes;
    loop {
        match detect_beginning(rest) {
            Beginning::Skippable(length, _) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                rest = rest.get(length..).unwrap_or_default();
            }
            Beginning::Unit(format) => return format,
            Beginning::Unsure | Beginning::None => return Format::Zstd,
        }
    }
}

/// Number of output bytes needed to tell whether a unit begins with a record.
const GLANCE: usize = 4 << 10;
/// Number of output bytes per step of a unit that is fully buffered.
const PIECE: usize = 256 << 10;

/// What begins at a position of a compressed archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    Unit(Format),
    /// A skippable frame of this total length, and whether its magic number is that of a
    /// dictionary.
    Skippable(u64, bool),
    /// More bytes are needed to decide.
    Unsure,
    None,
}

/// Detects what begins at the start of `bytes`.
pub(crate) fn detect_beginning(bytes: &[u8]) -> Beginning {
    let begins = |magic: &[u8]| bytes.starts_with(&magic[..bytes.len().min(magic.len())]);
    if bytes.len() < 4 && (begins(member::MAGIC) || begins(zstandard::MAGIC) || begins(lz4::MAGIC))
    {
        return Beginning::Unsure;
    }
    match bytes {
        _ if begins(zstandard::MAGIC) => Beginning::Unit(Format::Zstd),
        _ if begins(lz4::MAGIC) => Beginning::Unit(Format::Lz4),
        [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, ..] => {
            let length = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
            Beginning::Skippable(8 + length, bytes.starts_with(zstandard::DICTIONARY))
        }
        [0x50..=0x5f]
        | [0x50..=0x5f, 0x2a]
        | [0x50..=0x5f, 0x2a, 0x4d]
        | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Beginning::Unsure,
        _ if member::header(bytes) != Err(StreamStep::Damaged) => Beginning::Unit(Format::Gzip),
        _ => Beginning::None,
    }
}

/// A unit that is being streamed.
pub(crate) struct Unit {
    decoder: UnitDecoder,
    /// Input bytes consumed and output bytes produced so far.
    pub(crate) taken: u64,
    pub(crate) given: u64,
}

enum UnitDecoder {
    Gzip(Box<GzipMember>),
    Zstd(Decoder<'static>),
    Lz4(Box<Lz4Frame>),
}

impl Unit {
    /// Starts a unit of a format; `None` if the format has no units, or if memory allocation fails.
    pub(crate) fn begin(format: Format, decoders: &mut Decoders) -> Option<Self> {
        Some(Self::of(match format {
            Format::Gzip => UnitDecoder::Gzip(Box::new(GzipMember::new())),
            Format::Zstd => UnitDecoder::Zstd(decoders.begin()?),
            Format::Lz4 => UnitDecoder::Lz4(Box::default()),
            Format::Plain | Format::Bzip2 | Format::Xz => return None,
        }))
    }

    fn of(decoder: UnitDecoder) -> Self {
        Self { decoder, taken: 0, given: 0 }
    }

    /// Ends the unit, complete or not.
    pub(crate) fn end(self, decoders: &mut Decoders) {
        if let UnitDecoder::Zstd(decoder) = self.decoder {
            decoders.end(decoder);
        }
    }

    /// Name of the unit in messages.
    pub(crate) fn name(&self) -> &'static str {
        match self.decoder {
            UnitDecoder::Gzip(_) => "gzip member",
            UnitDecoder::Zstd(_) => "zstd frame",
            UnitDecoder::Lz4(_) => "lz4 frame",
        }
    }

    /// Appends about `room` bytes to `output`; returns how many bytes of `input` were consumed.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        room: usize,
    ) -> (usize, StreamStep) {
        let before = output.len();
        let (taken, step) = match &mut self.decoder {
            UnitDecoder::Gzip(member) => member.step(input, output, room),
            UnitDecoder::Zstd(decoder) => zstandard::step(decoder, input, output, room),
            UnitDecoder::Lz4(frame) => frame.step(input, output),
        };
        self.taken += taken as u64;
        self.given += (output.len() - before) as u64;
        (taken, step)
    }

    /// Decompresses all of `input`, appending at most about `most` bytes to `output`. Returns how many bytes were consumed and
    /// why it stopped; at the limit, that is [`StreamStep::Output`].
    fn read(&mut self, input: &[u8], output: &mut Vec<u8>, most: usize) -> (usize, StreamStep) {
        let (mut at, start) = (0, output.len());
        while output.len() - start < most {
            let before = (at, output.len());
            let room = (most - (output.len() - start)).min(PIECE);
            let (taken, step) = self.step(&input[at..], output, room);
            at += taken;
            match step {
                StreamStep::Output if (at, output.len()) != before => {}
                StreamStep::Output => return (at, StreamStep::Damaged),
                other => return (at, other),
            }
        }
        (at, StreamStep::Output)
    }
}

/// Inflates what it can of the gzip member at the start of `input`, up to `most` bytes; returns the same as [`Unit::read`].
pub(crate) fn salvage(input: &[u8], output: &mut Vec<u8>, most: usize) -> (usize, StreamStep) {
    Unit::of(UnitDecoder::Gzip(Box::new(GzipMember::new()))).read(input, output, most)
}

/// Finds the first index ≥ `from` at which a unit of this format begins that starts with a record.
pub(crate) fn find_unit(
    bytes: &[u8],
    from: usize,
    format: Format,
    decoders: &mut Decoders,
) -> Option<usize> {
    let magic = match format {
        Format::Gzip => member::MAGIC,
        Format::Zstd => zstandard::MAGIC,
        Format::Lz4 => lz4::MAGIC,
        Format::Plain | Format::Bzip2 | Format::Xz => return None,
    };
    let mut from = from;
    loop {
        from += memmem::find(bytes.get(from..)?, magic)?;
        if starts_record(&bytes[from..], format, decoders) {
            return Some(from);
        }
        from += 1;
    }
}

/// Whether the unit at the start of `bytes` decompresses to the start of a record.
fn starts_record(bytes: &[u8], format: Format, decoders: &mut Decoders) -> bool {
    if detect_beginning(bytes) != Beginning::Unit(format) {
        return false;
    }
    let Some(mut unit) = Unit::begin(format, decoders) else { return false };
    let mut output = Vec::new();
    unit.read(bytes, &mut output, GLANCE);
    unit.end(decoders);
    matches!(recognise(output.trim_ascii_start(), false), Start::Record(_))
}
