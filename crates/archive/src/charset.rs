//! Decides the character set of a payload and decodes it.
//!
//! Byte order mark, then HTTP, then the page's own declaration, then valid UTF-8, then a guess;
//! but a declaration that the bytes plainly contradict is passed over.

use std::string::FromUtf8Error;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};
use memchr::memchr;
use model::{Charset, CharsetEvidence};

use crate::prescan::{label_in_content, prescan};

/// Bytes the detector reads.
const DETECT: usize = 16 << 10;

/// UTF-8 sequences that outweigh the declaration of an encoding with several bytes a character.
const SURELY: usize = 8;

/// The `charset` parameter of a media type, e.g. of a `Content-Type` header.
pub fn charset_of(content_type: &str) -> Option<&str> {
    let label = label_in_content(content_type.as_bytes())?;
    std::str::from_utf8(label).ok().filter(|label| !label.is_empty())
}

/// Decodes a payload. `http_charset` is the charset label of the HTTP `Content-Type`, if there is
/// one. What is UTF-8 already is not copied.
pub fn decode(bytes: Vec<u8>, http_charset: Option<&str>) -> (String, Charset) {
    if let Some((encoding, length)) = Encoding::for_bom(&bytes) {
        let mut bytes = bytes;
        bytes.drain(..length);
        return with(encoding, String::from_utf8(bytes), CharsetEvidence::Bom);
    }
    let text = String::from_utf8(bytes);
    let bytes = match &text {
        Ok(text) => text.as_bytes(),
        Err(error) => error.as_bytes(),
    };
    let by_http = http_charset.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let by_http = by_http.map(|encoding| (encoding, CharsetEvidence::Http));
    let by_page = || Some((prescan(bytes)?, CharsetEvidence::Meta));
    // The replacement encoding stands for labels that must not be used.
    let declared = by_http.or_else(by_page).filter(|(encoding, _)| *encoding != REPLACEMENT);

    let (encoding, evidence) = match declared {
        Some((encoding, evidence)) if !contradicted(encoding, &text) => (encoding, evidence),
        _ if text.is_err() => (detect(bytes), CharsetEvidence::Detector),
        None if shifts_to_japanese(bytes) => (ISO_2022_JP, CharsetEvidence::Detector),
        _ => (UTF_8, CharsetEvidence::ValidUtf8),
    };
    with(encoding, text, evidence)
}

/// The bytes of a payload: as text, if they are UTF-8.
type Read = Result<String, FromUtf8Error>;

fn with(encoding: &'static Encoding, read: Read, evidence: CharsetEvidence) -> (String, Charset) {
    let charset = Charset { name: encoding.name(), evidence };
    let text = match read {
        Ok(text) if encoding == UTF_8 => text,
        // ASCII is the same in all of them but the three that are not made for it.
        Ok(text)
            if encoding.is_ascii_compatible() && encoding != ISO_2022_JP && text.is_ascii() =>
        {
            text
        }
        Ok(text) => encoding.decode_without_bom_handling(text.as_bytes()).0.into_owned(),
        Err(error) if encoding == UTF_8 => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        Err(error) => encoding.decode_without_bom_handling(error.as_bytes()).0.into_owned(),
    };
    (text, charset)
}

/// Whether the bytes plainly are not in the declared encoding.
fn contradicted(declared: &'static Encoding, read: &Read) -> bool {
    match read {
        Ok(_) if declared == UTF_8 => false,
        Ok(text) if declared == UTF_16LE || declared == UTF_16BE => {
            memchr(0, text.as_bytes()).is_none()
        }
        Ok(text) if declared.is_single_byte() => !text.is_ascii(),
        Ok(text) => !text.is_ascii() && leads(text).take(SURELY).count() == SURELY,
        // Some broken characters are an accident, more broken than whole ones are not.
        Err(error) if declared == UTF_8 => {
            let (mut valid, mut invalid) = (0, 0);
            for chunk in error.as_bytes().utf8_chunks() {
                valid += leads(chunk.valid()).count();
                invalid += usize::from(!chunk.invalid().is_empty());
            }
            invalid > valid
        }
        Err(_) => false,
    }
}

/// The first bytes of characters of several bytes.
fn leads(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|byte| *byte >= 0xc0)
}

/// Guesses from the first stretch that is not ASCII.
fn detect(bytes: &[u8]) -> &'static Encoding {
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let start = first.saturating_sub(64);
    let end = bytes.len().min(start + DETECT);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[start..end], end == bytes.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// Whether ASCII bytes hold the escape sequences of ISO-2022-JP.
fn shifts_to_japanese(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = memchr(0x1b, rest) {
        if matches!(rest[at + 1..], [b'$', b'@' | b'B', ..]) {
            return bytes.is_ascii();
        }
        rest = &rest[at + 1..];
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{EUC_KR, GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};

    fn check(bytes: &[u8], http: Option<&str>, name: &str, evidence: CharsetEvidence, text: &str) {
        let (decoded, charset) = decode(bytes.to_vec(), http);
        assert_eq!((charset.name, charset.evidence), (name, evidence), "{decoded}");
        assert!(decoded.contains(text), "{decoded}");
    }

    #[test]
    fn order_of_evidence() {
        use CharsetEvidence::*;
        check(b"\xef\xbb\xbf<p>\xc3\xa9", Some("latin1"), "UTF-8", Bom, "<p>é");
        check(b"\xff\xfeh\0\xe9\0", None, "UTF-16LE", Bom, "hé");
        check(b"<meta charset=koi8-r>\xe9", Some("ISO-8859-1"), "windows-1252", Http, "é");
        check(b"<meta charset=iso-8859-2>\xb9", None, "ISO-8859-2", Meta, "š");
        check("<p>é".as_bytes(), None, "UTF-8", ValidUtf8, "é");
        check(b"<p>plain", Some("latin1"), "windows-1252", Http, "plain");
        let russian = WINDOWS_1251.encode("Обычный русский текст без объявления кодировки").0;
        check(&russian, None, "windows-1251", Detector, "русский");
        check(b"<p>\x1b$B4A;z\x1b(B", None, "ISO-2022-JP", Detector, "漢字");
    }

    #[test]
    fn contradicted_declarations() {
        use CharsetEvidence::*;
        check("<p>Straße".as_bytes(), Some("latin1"), "UTF-8", ValidUtf8, "Straße");
        check("<meta charset=utf-16>é".as_bytes(), None, "UTF-8", Meta, "é");
        check("<p>é".as_bytes(), Some("utf-16"), "UTF-8", ValidUtf8, "é");
        let western = WINDOWS_1252.encode("Frühstück für fünf Mädchen über Größe").0;
        check(&western, Some("utf-8"), "windows-1252", Detector, "Frühstück");
        check(b"\xc3\xa9\xc3\xa8 caf\xe9", Some("utf-8"), "UTF-8", Http, "éè caf\u{fffd}");
        check("汉字编码声明是错的吗".as_bytes(), Some("gbk"), "UTF-8", ValidUtf8, "汉字");
        for (encoding, text) in [(GBK, "联通"), (SHIFT_JIS, "日本語"), (EUC_KR, "한국어")] {
            let bytes = encoding.encode(text).0;
            check(&bytes, Some(encoding.name()), encoding.name(), Http, text);
        }
    }

    #[test]
    fn utf8_is_not_copied() {
        let bytes = "é".repeat(100).into_bytes();
        let before = bytes.as_ptr();
        assert_eq!(decode(bytes, None).0.as_ptr(), before);
    }

    #[test]
    fn labels_in_media_types() {
        assert_eq!(charset_of("text/html; charset=UTF-8"), Some("UTF-8"));
        assert_eq!(charset_of("text/html;Charset=\"latin1\"; x"), Some("latin1"));
        assert_eq!(charset_of("text/html"), None);
        assert_eq!(charset_of("text/html; charset="), None);
    }
}
