//! Distinguishes pages, feeds and other payloads, by media type and first bytes.

use memchr::{memchr, memmem};

/// Maximum number of bytes at the start or the end of a payload that are searched for marks of a feed.
const FAR: usize = 4096;

/// The kind of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadKind {
    /// An HTML or XHTML page.
    Html,
    /// A web feed.
    Feed,
    /// Neither.
    Other,
}

/// Decides by the media type if it is that of a page, a feed or a resource of pages, else by the first bytes.
pub fn sniff_html(content_type: Option<&str>, body: &[u8]) -> PayloadKind {
    match media_type(content_type.unwrap_or_default()).to_ascii_lowercase().as_str() {
        "text/html" | "application/xhtml+xml" => match by_bytes(body) {
            // A feed served as HTML is still a feed.
            PayloadKind::Feed => PayloadKind::Feed,
            _ if is_feed_behind_messages(body) || is_feed_in_viewer(body) => PayloadKind::Feed,
            // Servers declare unknown content as HTML, too.
            PayloadKind::Other if is_binary(body) => PayloadKind::Other,
            _ => PayloadKind::Html,
        },
        "application/rss+xml"
        | "application/atom+xml"
        | "application/feed+json"
        | "application/rdf+xml"
        | "text/rss+xml"
        | "application/x-rss+xml" => match by_bytes(behind_messages(body)) {
            PayloadKind::Html => PayloadKind::Html,
            _ => PayloadKind::Feed,
        },
        other if is_resource(other) => PayloadKind::Other,
        // `text/plain`, `text html`, `unknown/unknown`, `-` and the like say little.
        _ if is_feed_behind_messages(body) => PayloadKind::Feed,
        _ => by_bytes(body),
    }
}

/// The media type of a `Content-Type`, as written, without parameters and quotes. Parameters may follow without
/// a semicolon.
pub fn media_type(content_type: &str) -> &str {
    let content_type = content_type.trim_start_matches([' ', '\t', '"', '\'']);
    let end = |c: char| ";,\"'".contains(c) || c.is_ascii_whitespace();
    content_type.split(end).next().unwrap_or_default()
}

/// Whether a media type is of something that pages load: images, audio, video, fonts, styles, scripts (which may contain HTML).
fn is_resource(media_type: &str) -> bool {
    ["image/", "audio/", "video/", "font/"].iter().any(|kind| media_type.starts_with(kind))
        || ["css", "javascript", "ecmascript"].iter().any(|form| media_type.ends_with(form))
}

/// Whether more than one in twenty of the first bytes never occur in text (MIME Sniffing §3, binary data bytes), or they are
/// those of a PDF document, which begins with text.
fn is_binary(bytes: &[u8]) -> bool {
    let first = &bytes[..bytes.len().min(1024)];
    let is_data = |byte: &&u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    first.starts_with(b"%PDF-") || first.iter().filter(is_data).count() * 20 > first.len()
}

/// Whether a feed follows messages of the server, which may be fragments of HTML.
fn is_feed_behind_messages(bytes: &[u8]) -> bool {
    const PAGES: [&str; 6] = ["<html", "<head", "<body", "<!doctype", "<pre", "<code"];
    let behind = behind_messages(bytes);
    let messages = bytes[..bytes.len() - behind.len()].to_ascii_lowercase();
    // Blogs describe each post by RDF in a comment.
    !messages.is_empty()
        && !behind.starts_with(b"<rdf")
        && !PAGES.iter().any(|mark| memmem::find(&messages, mark.as_bytes()).is_some())
        && by_bytes(behind) == PayloadKind::Feed
}

/// Whether a page is a feed as Chrome shows it: the source precedes the tree that readers see.
fn is_feed_in_viewer(bytes: &[u8]) -> bool {
    const SOURCE: &[u8] = b"\"webkit-xml-viewer-source-xml\">";
    // Its styles come first.
    let source = memmem::find(&bytes[..bytes.len().min(4 * FAR)], SOURCE);
    source.is_some_and(|at| by_bytes(&bytes[at + SOURCE.len()..]) == PayloadKind::Feed)
}

/// Skips to the first markup of a feed, since messages of the server may precede it.
fn behind_messages(bytes: &[u8]) -> &[u8] {
    let first = &bytes[..bytes.len().min(FAR)];
    let marks = ["<?xml", "<rss", "<feed", "<rdf:RDF"];
    let start = marks.iter().filter_map(|mark| memmem::find(first, mark.as_bytes())).min();
    &bytes[start.unwrap_or(0)..]
}

/// Decides by the first bytes: a feed is RSS, RDF or Atom by its root element, or JSON Feed by its version.
fn by_bytes(bytes: &[u8]) -> PayloadKind {
    let narrowed;
    let bytes = match bytes {
        // UTF-16: its ASCII characters are enough.
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [_, 0, ..] | [0, _, ..] => {
            let first = &bytes[..bytes.len().min(2 * FAR)];
            narrowed = first.iter().copied().filter(|b| *b != 0 && *b < 0x80).collect::<Vec<_>>();
            &narrowed[..]
        }
        _ => bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes),
    };
    let bytes = bytes.trim_ascii_start();
    if bytes.first() == Some(&b'{') {
        // The version may come last, if keys are sorted.
        let ends = [&bytes[..bytes.len().min(FAR)], &bytes[bytes.len().saturating_sub(FAR)..]];
        let has = |mark: &[u8]| ends.iter().any(|end| memmem::find(end, mark).is_some());
        let json_feed = has(b"jsonfeed.org/version") || has(b"jsonfeed.org\\/version");
        return if json_feed { PayloadKind::Feed } else { PayloadKind::Other };
    }
    let mut rest = bytes;
    let mut prolog = false;
    loop {
        rest = rest.trim_ascii_start();
        let Some(inside) = rest.strip_prefix(b"<") else {
            return PayloadKind::Other;
        };
        rest = match inside {
            [b'!', b'-', b'-', ..] => match memmem::find(&inside[1..], b"-->") {
                Some(length) => &inside[1 + length + 3..],
                // Some pages begin with a long comment.
                None => return PayloadKind::Html,
            },
            [b'!' | b'?', ..] => {
                if inside.get(..8).is_some_and(|word| word.eq_ignore_ascii_case(b"!doctype")) {
                    let name = inside[8..].trim_ascii_start();
                    if name.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"html")) {
                        return PayloadKind::Html;
                    }
                }
                prolog = true;
                match end_of_declaration(inside) {
                    Some(end) => &inside[end..],
                    None => return PayloadKind::Other,
                }
            }
            _ => return by_root(inside, prolog),
        };
    }
}

/// The number of bytes of a declaration up to its `>`, which follows the `]` of an internal subset (XML §2.8).
fn end_of_declaration(bytes: &[u8]) -> Option<usize> {
    let end = memchr(b'>', bytes)?;
    let subset = memchr(b'[', &bytes[..end]).and_then(|start| {
        let close = start + memchr(b']', &bytes[start..])?;
        Some(close + memchr(b'>', &bytes[close..])?)
    });
    Some(subset.unwrap_or(end) + 1)
}

/// Decides by the first element; `bytes` begin with its name.
fn by_root(bytes: &[u8], prolog: bool) -> PayloadKind {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/>".contains(byte);
    let name = &bytes[..bytes.iter().position(ends).unwrap_or(bytes.len())];
    let local = name.rsplit(|byte| *byte == b':').next().unwrap_or(name).to_ascii_lowercase();
    match local.as_slice() {
        b"rss" | b"feed" | b"rdf" => PayloadKind::Feed,
        b"channel" | b"entry" if prolog => PayloadKind::Feed,
        b"html" | b"head" | b"body" | b"script" | b"iframe" | b"h1" | b"div" | b"font"
        | b"table" | b"a" | b"style" | b"title" | b"b" | b"br" | b"p" | b"meta" | b"link"
        | b"base" | b"center" | b"span" | b"h2" | b"h3" | b"frameset" | b"noscript"
        | b"section" | b"article" | b"main" | b"header" | b"form" => PayloadKind::Html,
        _ => PayloadKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PayloadKind::{Feed, Html, Other};

    #[test]
    fn by_type_and_bytes() {
        for (media_type, body, kind) in [
            (Some("text/html; charset=x"), &b"anything"[..], Html),
            (Some("text/html"), b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xb3\xc9(\xc9\xcd\xb1", Other),
            (Some("text/html"), b"%PDF-1.5\n1 0 obj\n<< /Type /Catalog", Other),
            (Some("text/html"), b"\x1b$BF|K\\8l\x1b(B", Html),
            (Some("text/html; charset=utf-16"), b"\n\0<\0p\0>\0a\0", Html),
            (Some("text/html charset=utf-8"), b"anything", Html),
            (Some("\"text/html; charset=utf-8\""), b"anything", Html),
            (Some(" 'Text/HTML'"), b"anything", Html),
            (Some("application/vnd.wap.xhtml+xml"), b"<!DOCTYPE html><p>x", Html),
            (Some("multipart/form-data"), b"<html><p>x", Html),
            (Some("text/css"), b"a {}", Other),
            (Some("application/x-javascript"), b"<script>write('<p>x')</script>", Other),
            (Some("TEXT/HTML"), b"<?xml version='1.0'?><rss version='2.0'>", Feed),
            (Some("application/xhtml+xml"), b"", Html),
            (Some("application/rss+xml"), b"", Feed),
            (Some("application/rss+xml"), b"<!DOCTYPE html><title>Gone", Html),
            (
                Some("application/rss+xml"),
                b"<br><b>Notice</b>: x\n<?xml version='1.0'?><rss>",
                Feed,
            ),
            (Some("application/rss+xml"), b"<p>Moved</p><html>", Html),
            (Some("text/html"), b"<br><b>Notice</b>: x\n<?xml version='1.0'?><rss>", Feed),
            (Some("text/html"), b"<html><pre><?xml version='1.0'?><rss>", Html),
            (
                Some("text/html"),
                b"<html><body><div id=\"webkit-xml-viewer-source-xml\"><rss version='2.0'>",
                Feed,
            ),
            (Some("text/html"), b"<div><!-- <rdf:RDF xmlns=''> --></div>", Html),
            (
                Some("text/xml"),
                b"<!DOCTYPE rss [<!ENTITY % a PUBLIC \"x\" \"y\">]>\n<rss version='2.0'>",
                Feed,
            ),
            (Some("text/xml"), b"<?xml version=\"1.0\"?>\n<!-- x --><rdf:RDF xmlns=\"\">", Feed),
            (Some("application/xml"), b"<?xml version=\"1.0\"?><html xmlns=\"\">", Html),
            (Some("application/xml"), b"<?xml version=\"1.0\"?><urlset>", Other),
            (Some("text/plain"), b"Hello", Other),
            (Some("text/plain"), b"\n  <!doctype HTML PUBLIC", Html),
            (Some("application/x-atom+xml"), b"<feed xmlns='http://www.w3.org/2005/Atom'>", Feed),
            (Some("text/rss"), b"<?xml version='1.0'?><rss>", Feed),
            (Some("application/vnd.api+json"), b"{\"data\": []}", Other),
            (Some("image/svg+xml"), b"<html>", Other),
            (Some("image/png"), b"<html>", Other),
            (Some("unknown"), b"\xef\xbb\xbf<html lang=en>", Html),
            (None, b"<!-- saved --><HTML>", Html),
            (None, b"\xff\xfe<\0h\0t\0m\0l\0>\0", Html),
            (None, b"{\"version\": \"https://jsonfeed.org/version/1.1\"}", Feed),
            (None, b"{\"version\": 1}", Other),
            (None, b"\x89PNG", Other),
            (None, b"", Other),
            (None, b"<", Other),
            (None, b"<feed xmlns='http://www.w3.org/2005/Atom'>", Feed),
        ] {
            let shown = body.escape_ascii();
            assert_eq!(sniff_html(media_type, body), kind, "{media_type:?} {shown}");
        }
    }
}
