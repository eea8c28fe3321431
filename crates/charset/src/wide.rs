//! UTF-16 and UTF-32, detected by their byte order mark or by the zero bytes of ASCII characters.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use model::{CharsetEvidence, EncodingName};

/// An encoding with two or four bytes per unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wide {
    Utf16(&'static Encoding),
    /// Not supported by any browser, but used by some feeds.
    Utf32 {
        big_endian: bool,
    },
}

impl Wide {
    pub(crate) fn name(self) -> EncodingName {
        match self {
            Self::Utf16(encoding) => encoding.name(),
            Self::Utf32 { big_endian: true } => "UTF-32BE",
            Self::Utf32 { big_endian: false } => "UTF-32LE",
        }
    }

    /// Decodes bytes without their byte order mark.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        let code = match self {
            Self::Utf16(encoding) => {
                return encoding.decode_without_bom_handling(bytes).0.into_owned();
            }
            Self::Utf32 { big_endian: true } => u32::from_be_bytes,
            Self::Utf32 { big_endian: false } => u32::from_le_bytes,
        };
        let units = bytes.as_chunks::<4>().0.iter();
        units.map(|unit| char::from_u32(code(*unit)).unwrap_or('\u{fffd}')).collect()
    }
}

/// The encoding of the bytes, the evidence for it, and the length of the byte order mark.
pub(crate) fn detect_wide(bytes: &[u8]) -> Option<(Wide, CharsetEvidence, usize)> {
    use CharsetEvidence::{Bom, ZeroBytes};
    let utf_32 = |big_endian| Wide::Utf32 { big_endian };
    Some(match bytes {
        [0, 0, 0xfe, 0xff, ..] => (utf_32(true), Bom, 4),
        [0xff, 0xfe, 0, 0, ..] => (utf_32(false), Bom, 4),
        [0xfe, 0xff, ..] => (Wide::Utf16(UTF_16BE), Bom, 2),
        [0xff, 0xfe, ..] => (Wide::Utf16(UTF_16LE), Bom, 2),
        [0, 0, 0, some, ..] if *some != 0 => (utf_32(true), ZeroBytes, 0),
        [some, 0, 0, 0, ..] if *some != 0 => (utf_32(false), ZeroBytes, 0),
        [0, one, 0, other, ..] if *one != 0 && *other != 0 => (Wide::Utf16(UTF_16BE), ZeroBytes, 0),
        [one, 0, other, 0, ..] if *one != 0 && *other != 0 => (Wide::Utf16(UTF_16LE), ZeroBytes, 0),
        _ => return None,
    })
}
