//! Decodes the bytes of a feed to text and takes its byte order mark and XML declaration away, so
//! that nothing contradicts what the text then is: UTF-8.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr, memmem};

/// Text of a feed, beginning at its first `<` or `{`.
pub(crate) fn text(bytes: &[u8], http_charset: Option<&str>, notes: &mut Vec<String>) -> String {
    let decoded = decode(bytes, http_charset, notes);
    let start = decoded.find(['<', '{']).unwrap_or(decoded.len());
    if !decoded[..start].trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() {
        notes.push(format!("{start} bytes before the feed were passed over"));
    }
    // Also an XML declaration that is not the first thing, and a second one.
    let mut rest = &decoded[start..];
    while rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("<?xml"))
        && rest.as_bytes().get(5).is_none_or(u8::is_ascii_whitespace)
    {
        let Some(end) = rest.find('>') else { break };
        rest = rest[end + 1..].trim_start();
    }
    rest.to_owned()
}

fn decode(bytes: &[u8], http_charset: Option<&str>, notes: &mut Vec<String>) -> String {
    if let Some(text) = utf_32(bytes) {
        return text;
    }
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[length..]).0.into_owned();
    }
    match bytes {
        [0, b'<' | b'{', ..] => return UTF_16BE.decode_without_bom_handling(bytes).0.into_owned(),
        [b'<' | b'{', 0, ..] => return UTF_16LE.decode_without_bom_handling(bytes).0.into_owned(),
        _ => {}
    }
    // In a feed, valid UTF-8 that is not plain ASCII is UTF-8 whatever is declared, but for the
    // encodings that are ASCII themselves.
    let http = http_charset.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let label = declared(bytes);
    let own = label.and_then(Encoding::for_label);
    let wide = |encoding: &&Encoding| *encoding == UTF_16LE || *encoding == UTF_16BE;
    let encoding = own.filter(|own| !wide(own)).or(http.filter(|http| !wide(http)));
    if let (Some(label), None) = (label, own) {
        notes.push(format!("unknown encoding {:?} declared", String::from_utf8_lossy(label)));
    }
    let valid = std::str::from_utf8(bytes);
    match (encoding, valid) {
        (None, Ok(text)) => text.to_owned(),
        (Some(encoding), Ok(text)) if encoding == UTF_8 || !text.is_ascii() => {
            if encoding != UTF_8 {
                notes.push(format!("declared {}, but it is UTF-8", encoding.name()));
            }
            text.to_owned()
        }
        (Some(encoding), Err(_)) if encoding == UTF_8 => {
            let lossy = String::from_utf8_lossy(bytes);
            let broken = lossy.matches('\u{fffd}').count();
            let whole = lossy.chars().filter(|c| !c.is_ascii()).count() - broken;
            if broken > whole {
                notes.push("declared UTF-8, but it is not; read as windows-1252".to_owned());
                return WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned();
            }
            notes.push(format!("{broken} characters are not valid UTF-8"));
            lossy.into_owned()
        }
        (Some(encoding), _) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
        (None, Err(_)) => {
            notes.push("no encoding declared and not UTF-8; read as windows-1252".to_owned());
            WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()
        }
    }
}

/// The label in the XML declaration.
fn declared(bytes: &[u8]) -> Option<&[u8]> {
    let first = &bytes[..bytes.len().min(1024)];
    let start = memmem::find(first, b"<?xml")?;
    let declaration = &first[start..];
    let declaration = &declaration[..memchr(b'>', declaration)?];
    let rest = &declaration[memmem::find(declaration, b"encoding")? + 8..];
    let rest = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, rest) = rest.split_first()?;
    Some(rest[..memchr(*quote, rest)?].trim_ascii())
}

/// UTF-32 by its byte order mark or its zeros; no browser reads it, but feeds in it exist.
fn utf_32(bytes: &[u8]) -> Option<String> {
    let (skip, big) = match bytes {
        [0, 0, 0xfe, 0xff, ..] => (4, true),
        [0xff, 0xfe, 0, 0, ..] => (4, false),
        [0, 0, 0, b'<', ..] => (0, true),
        [b'<', 0, 0, 0, ..] => (0, false),
        _ => return None,
    };
    let units = bytes[skip..].as_chunks::<4>().0.iter();
    let code =
        |unit: &[u8; 4]| if big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
    Some(units.map(|unit| char::from_u32(code(unit)).unwrap_or('\u{fffd}')).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], http: Option<&str>, expected: &str) {
        assert_eq!(text(bytes, http, &mut Vec::new()), expected, "{}", bytes.escape_ascii());
    }

    #[test]
    fn encodings() {
        check(b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>", None, "<a>é</a>");
        check("<?xml encoding='latin1'?><a>é</a>".as_bytes(), None, "<a>é</a>");
        check(b"<?xml encoding='utf-8'?><a>\xe9</a>", None, "<a>é</a>");
        check(b"<a>\xe9</a>", Some("iso-8859-2"), "<a>é</a>");
        check(b"\xef\xbb\xbf \n<?xml version='1.0'?>\n<a/>", None, "<a/>");
        check(b"junk <?xml version='1.0'?><?xml version='1.0'?><a/>", None, "<a/>");
        check(b"\xff\xfe<\0a\0/\0>\0", None, "<a/>");
        check(b"\0<\0a\0/\0>", None, "<a/>");
        check(b"<\0\0\0a\0\0\0", None, "<a");
        check(b"<?xml encoding='utf-16'?><a/>", None, "<a/>");
        check(b"<?xml-stylesheet href='x'?><a/>", None, "<?xml-stylesheet href='x'?><a/>");
        check(b"", None, "");
    }
}
