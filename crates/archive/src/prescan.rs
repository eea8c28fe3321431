//! Looks for a declared character set in the first bytes of a page: the prescan of the HTML
//! standard (§13.2.3.2), and the XML declaration.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr, memmem};

/// Bytes looked at; the standard says 1024, but real pages declare it later.
const FAR: usize = 4096;

/// The encoding a `<meta>` or XML declaration among the first bytes names.
pub(crate) fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let bytes = &bytes[..bytes.len().min(FAR)];
    if let Some(encoding) = xml_declaration(bytes) {
        return Some(encoding);
    }
    let mut at = 0;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at += found;
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            at += 2 + memmem::find(&rest[2..], b"-->")? + 3;
        } else if is_meta(rest) {
            let (encoding, length) = meta(&rest[5..]);
            if encoding.is_some() {
                return encoding;
            }
            at += 5 + length;
        } else if let [b'<', b'!' | b'?', ..] | [b'<', b'/', ..] = rest
            && !matches!(rest, [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic())
        {
            at += memchr(b'>', rest)? + 1;
        } else if matches!(rest, [b'<', b'/', ..])
            || rest.get(1).is_some_and(u8::is_ascii_alphabetic)
        {
            let name = rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?;
            let mut behind = name;
            while let Some((_, _, length)) = attribute(&rest[behind..]) {
                behind += length;
            }
            at += behind.max(1);
        } else {
            at += 1;
        }
    }
    None
}

fn is_meta(bytes: &[u8]) -> bool {
    bytes.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<meta"))
        && bytes.get(5).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/')
}

/// Reads the attributes of a `<meta`; returns the encoding and the bytes passed.
fn meta(bytes: &[u8]) -> (Option<&'static Encoding>, usize) {
    let (mut charset, mut content, mut pragma) = (None, None, false);
    let mut at = 0;
    while let Some((name, value, length)) = attribute(&bytes[at..]) {
        at += length;
        match name.to_ascii_lowercase().as_slice() {
            b"http-equiv" => pragma = value.eq_ignore_ascii_case(b"content-type"),
            b"content" if content.is_none() => content = label_in_content(value),
            b"charset" if charset.is_none() => charset = Some(value),
            _ => {}
        }
    }
    let label = charset.or(content.filter(|_| pragma));
    (label.and_then(for_page), at)
}

/// Reads one attribute: name, value, bytes passed. `None` at the end of the tag.
fn attribute(bytes: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let space = |byte: &u8| byte.is_ascii_whitespace();
    let start = bytes.iter().position(|byte| !space(byte) && *byte != b'/')?;
    if bytes[start] == b'>' {
        return None;
    }
    let ends_name = |byte: &u8| space(byte) || b"=/>".contains(byte);
    let name_end = start + 1 + bytes[start + 1..].iter().position(ends_name)?;
    let name = &bytes[start..name_end];
    let behind = name_end + bytes[name_end..].iter().position(|byte| !space(byte))?;
    if bytes[behind] != b'=' {
        return Some((name, b"", name_end));
    }
    let value = behind + 1 + bytes[behind + 1..].iter().position(|byte| !space(byte))?;
    if let quote @ (b'"' | b'\'') = bytes[value] {
        let length = memchr(quote, &bytes[value + 1..])?;
        return Some((name, &bytes[value + 1..value + 1 + length], value + length + 2));
    }
    let length = bytes[value..].iter().position(|byte| space(byte) || *byte == b'>')?;
    Some((name, &bytes[value..value + length], value + length))
}

/// The label behind `charset=` in a `content` attribute or media type.
pub(crate) fn label_in_content(content: &[u8]) -> Option<&[u8]> {
    let lower = content.to_ascii_lowercase();
    let mut at = 0;
    loop {
        at += memmem::find(&lower[at..], b"charset")? + 7;
        let rest = content[at..].trim_ascii_start();
        let Some(rest) = rest.strip_prefix(b"=") else { continue };
        let rest = rest.trim_ascii_start();
        return match rest {
            [quote @ (b'"' | b'\''), quoted @ ..] => {
                Some(&quoted[..memchr(*quote, quoted).unwrap_or(quoted.len())])
            }
            _ => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b";,\"'".contains(byte);
                Some(&rest[..rest.iter().position(ends).unwrap_or(rest.len())])
            }
        };
    }
}

/// The encoding a page itself may declare by this label: one that could be read to get this far.
fn for_page(label: &[u8]) -> Option<&'static Encoding> {
    if label.trim_ascii().eq_ignore_ascii_case(b"x-user-defined") {
        return Some(WINDOWS_1252);
    }
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

fn xml_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let bytes = bytes.trim_ascii_start();
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr(b'>', declaration)?];
    let at = memmem::find(declaration, b"encoding")? + 8;
    let rest = declaration[at..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, rest) = rest.split_first()?;
    for_page(&rest[..memchr(*quote, rest)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations() {
        for (page, expected) in [
            (&b"<html><head><meta charset=\"euc-jp\">"[..], Some("EUC-JP")),
            (b"<META CHARSET=latin1 >", Some("windows-1252")),
            (b"<meta charset = 'koi8-r'/>", Some("KOI8-R")),
            (b"<meta http-equiv=Content-Type content='text/html; charset=gb2312'>", Some("GBK")),
            (
                b"<meta content=\"text/html;charset=big5\" http-equiv=\"content-type\">",
                Some("Big5"),
            ),
            (b"<meta content=\"text/html;charset=big5\" name=\"content-type\">", None),
            (b"<meta charset=utf-16>", Some("UTF-8")),
            (b"<meta charset=x-user-defined>", Some("windows-1252")),
            (b"<!-- <meta charset=big5> --><meta charset=utf-8>", Some("UTF-8")),
            (b"<!--><meta charset=big5>", Some("Big5")),
            (b"<a title='<meta charset=big5>'><meta charset=utf-8>", Some("UTF-8")),
            (b"</p title='<meta charset=big5>'><meta charset=utf-8>", Some("UTF-8")),
            (b"<!doctype html><?php <meta charset=big5>><meta charset=utf-8>", Some("UTF-8")),
            (b"<metal charset=big5>", None),
            (b"<?xml version='1.0' encoding='shift_jis'?><html>", Some("Shift_JIS")),
            (b"<meta charset=nonsense><meta charset=utf-8>", Some("UTF-8")),
            (b"<meta charset=utf-8", None),
            (b"< <<! <", None),
        ] {
            let name = prescan(page).map(Encoding::name);
            assert_eq!(name, expected, "{}", page.escape_ascii());
        }
    }
}
