//! Tells the wrapping of an archive by its first bytes; file names are not looked at.

use crate::gzip::find_member;
use crate::member::MAGIC;
use crate::start::{Start, recognise};

/// How the bytes of an archive are wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Records as they are.
    Plain,
    /// Records in gzip members, one each, or all in one.
    Gzip,
    /// Zstandard frames.
    Zstd,
    /// LZ4 frames.
    Lz4,
    /// A bzip2 stream.
    Bzip2,
    /// An xz stream.
    Xz,
}

impl Format {
    /// Tells the wrapping by the first bytes of a file; the more bytes, the surer.
    pub fn sniff(bytes: &[u8]) -> Self {
        match bytes {
            _ if bytes.starts_with(MAGIC) => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] => Self::Lz4,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            _ if matches!(recognise(bytes.trim_ascii_start(), true), Start::Record(_)) => {
                Self::Plain
            }
            // A gzip archive whose beginning is damaged.
            _ if find_member(bytes, 0).is_some() => Self::Gzip,
            _ => Self::Plain,
        }
    }

    /// The name for messages.
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
