//! Encoding and language declared in a page: the prescan of the HTML standard (§13.2.3.2), extended
//! beyond 1024 bytes, and the XML declaration.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr, memmem};

/// Number of bytes that are searched for an XML declaration.
const FAR: usize = 1024;

#[derive(Debug, Default)]
pub(crate) struct PageDeclarations<'a> {
    /// Encoding in the first `<meta>` that names one.
    pub(crate) meta: Option<&'static Encoding>,
    pub(crate) xml: Option<&'static Encoding>,
    /// Language in the `lang` attribute of `<html>`.
    pub(crate) language: Option<&'a [u8]>,
}

/// Reads the declarations in the XML declaration, in `<html>` and in the first `<meta>` that names an encoding.
///
/// The standard examines 1024 bytes, but browsers also honour a later `<meta>` when their parser
/// reaches it. Skips the contents of scripts and style sheets.
pub(crate) fn declared(bytes: &[u8]) -> PageDeclarations<'_> {
    let mut declared =
        PageDeclarations { xml: xml_declaration(bytes), ..PageDeclarations::default() };
    let mut at = 0;
    while let Some(length) = element(&bytes[at..], &mut declared) {
        at += length;
        if declared.meta.is_some() {
            break;
        }
    }
    declared
}

/// Reads up to the end of the next tag, comment or the like; returns the bytes passed.
fn element<'a>(bytes: &'a [u8], declared: &mut PageDeclarations<'a>) -> Option<usize> {
    let at = memchr(b'<', bytes)?;
    let rest = &bytes[at..];
    if rest.starts_with(b"<!--") {
        return Some(at + 2 + memmem::find(&rest[2..], b"-->")? + 3);
    }
    if is_tag(rest, b"<meta") {
        let (encoding, length) = meta(&rest[5..]);
        declared.meta = encoding;
        return Some(at + 5 + length);
    }
    match rest {
        [b'<', letter, ..] | [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic() => {}
        [b'<', b'!' | b'?' | b'/', ..] => return Some(at + memchr(b'>', rest)? + 1),
        _ => return Some(at + 1),
    }
    let is_html = is_tag(rest, b"<html");
    let mut behind = rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?;
    while let Some((name, value, length)) = attribute(&rest[behind..]) {
        behind += length;
        if is_html && [&b"lang"[..], b"xml:lang"].iter().any(|n| name.eq_ignore_ascii_case(n)) {
            declared.language = declared.language.or(Some(value));
        }
    }
    let behind = behind.max(1);
    for end in [&b"</script"[..], b"</style"] {
        if is_tag(rest, &[b"<", &end[2..]].concat()) {
            return Some(at + behind + find_ignoring_case(&rest[behind..], end)?);
        }
    }
    Some(at + behind)
}

fn is_tag(bytes: &[u8], start: &[u8]) -> bool {
    bytes.get(..start.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(start))
        && (bytes.get(start.len()))
            .is_some_and(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte))
}

fn find_ignoring_case(bytes: &[u8], end_tag: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"</").find(|at| {
        bytes.get(*at..at + end_tag.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(end_tag))
    })
}

/// Reads the attributes of a `<meta` tag; returns the encoding and the number of bytes passed.
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

/// Reads one attribute: name, value, and number of bytes passed. Returns `None` at the end of the tag.
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

/// Returns the label after `charset=` in a `content` attribute or media type.
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

/// Returns the encoding for a label in a page. The encoding must be one in which the declaration itself can be read.
fn for_page(label: &[u8]) -> Option<&'static Encoding> {
    if label.trim_ascii().eq_ignore_ascii_case(b"x-user-defined") {
        return Some(WINDOWS_1252);
    }
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

/// Returns the encoding in the XML declaration. Feeds may have junk before it.
fn xml_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let bytes = &bytes[..bytes.len().min(FAR)];
    let declaration = &bytes[memmem::find(bytes, b"<?xml")?..];
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
            (b"<script a>'<meta charset=big5>'</SCRIPT ><meta charset=utf-8>", Some("UTF-8")),
            (b"<style><meta charset=big5>", None),
            (b"<meta charset=nonsense><meta charset=utf-8>", Some("UTF-8")),
            (b"<meta charset=utf-8", None),
            (b"< <<! <", None),
        ] {
            let name = declared(page).meta.map(Encoding::name);
            assert_eq!(name, expected, "{}", page.escape_ascii());
        }
    }
    #[test]
    fn declarations_far_away() {
        let page = [&b"<p>x</p>".repeat(10_000), &b"<meta charset=koi8-r>"[..]].concat();
        assert_eq!(declared(&page).meta.map(Encoding::name), Some("KOI8-R"));
    }

    #[test]
    fn xml_and_language() {
        let page = b"<?xml version='1.0' encoding='shift_jis'?><html class=x xml:lang=ja>";
        let declared = declared(page);
        assert_eq!(declared.xml.map(Encoding::name), Some("Shift_JIS"));
        assert_eq!(declared.language, Some(&b"ja"[..]));
    }
}
