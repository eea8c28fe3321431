//! Skips drawings (`<svg>`). They are not part of the tree, so most need not be read as tags.

use memchr::{memchr, memchr3, memmem};

use super::comment_length;
use super::names::is_space;

/// Longest name of an element that ends a drawing or contains HTML.
const LONGEST: usize = 13;

/// Returns the start of the end tag of a drawing whose content begins at `from`; `None` if another tag may end the drawing first.
pub(super) fn end_of_drawing(bytes: &[u8], from: usize) -> Option<usize> {
    let mut open: Vec<&[u8]> = Vec::new();
    let mut at = from;
    loop {
        at += memchr(b'<', &bytes[at..])?;
        let rest = &bytes[at + 1..];
        match *rest.first()? {
            b'/' => {
                let name = name_at(&rest[1..]);
                let is_it = |own: &&[u8]| own.eq_ignore_ascii_case(name);
                match open.iter().rposition(is_it) {
                    Some(last) => open.truncate(last),
                    None => return name.eq_ignore_ascii_case(b"svg").then_some(at),
                }
                at = end_of_tag(bytes, at + 2 + name.len())?.0;
            }
            b'!' if rest.starts_with(b"!--") => at += 4 + comment_length(&rest[3..]),
            b'!' if rest.starts_with(b"![CDATA[") => at += memmem::find(rest, b"]]>")? + 4,
            first if first.is_ascii_alphabetic() => {
                let name = name_at(rest);
                // The content of titles and descriptions is read as HTML.
                let holds_html = |own: &&[u8]| {
                    [&b"title"[..], b"desc"].iter().any(|name| own.eq_ignore_ascii_case(name))
                };
                let mut lower = [0; LONGEST];
                let lower = lower.get_mut(..name.len()).map(|lower| {
                    lower.copy_from_slice(name);
                    lower.make_ascii_lowercase();
                    &*lower
                });
                match lower.unwrap_or_default() {
                    // These end the drawing (WHATWG HTML §13.2.6.5) or contain HTML.
                    b"b" | b"big" | b"blockquote" | b"body" | b"br" | b"center" | b"code"
                    | b"dd" | b"div" | b"dl" | b"dt" | b"em" | b"embed" | b"font"
                    | b"foreignobject" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6"
                    | b"head" | b"hr" | b"i" | b"img" | b"li" | b"listing" | b"menu" | b"meta"
                    | b"nobr" | b"ol" | b"p" | b"pre" | b"ruby" | b"s" | b"small" | b"span"
                    | b"strike" | b"strong" | b"sub" | b"sup" | b"table" | b"tt" | b"u" | b"ul"
                    | b"var" => return None,
                    _ if open.last().is_some_and(holds_html) => return None,
                    _ => {}
                }
                let (end, closes) = end_of_tag(bytes, at + 1 + name.len())?;
                if !closes {
                    open.push(name);
                }
                at = end;
            }
            _ => return None,
        }
    }
}

/// Returns the tag name at the start of a text.
fn name_at(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'));
    &text[..end.unwrap_or(text.len())]
}

/// Returns the end of a tag and whether it is self-closing; `None` if it has quotes other than around values.
fn end_of_tag(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    let mut at = from;
    loop {
        let found = at + memchr3(b'"', b'\'', b'>', &bytes[at..])?;
        let before = bytes[found - 1];
        if bytes[found] != b'>' {
            if before != b'=' {
                return None;
            }
            at = found + 2 + memchr(bytes[found], &bytes[found + 1..])?;
            continue;
        }
        if before != b'/' {
            return Some((found + 1, false));
        }
        // The slash may be the end of an unquoted value.
        let is_sure = found - 1 == from
            || is_space(bytes[found - 2])
            || matches!(bytes[found - 2], b'"' | b'\'');
        return is_sure.then_some((found + 1, true));
    }
}
