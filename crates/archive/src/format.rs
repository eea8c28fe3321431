//! Detects the compression format of an archive from its first bytes. File names are not used.

use crate::member::MAGIC;
use crate::start::{Start, recognise};
use crate::unit::{Beginning, beginning, find_unit};
use crate::zstandard::Decoders;

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

/// Whether bytes begin as an archive does: with a WARC or ARC record, or compressed. Damaged archives are not
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

    /// The name used in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Lz4 => "lz4",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }
}

/// The format of the data after skippable frames; Zstandard if that data is too far away.
fn behind_skippable(bytes: &[u8]) -> Format {
    let mut rest = bytes;
    loop {
        match beginning(rest) {
            Beginning::Skippable(length, _) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                rest = rest.get(length..).unwrap_or_default();
            }
            Beginning::Unit(format) => return format,
            Beginning::Unsure | Beginning::None => return Format::Zstd,
        }
    }
}
