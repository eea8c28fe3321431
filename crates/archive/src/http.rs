//! Parses the heads of records and HTTP responses. A response is parsed strictly if it is valid, else line by line. A body
//! without a head (HTTP/0.9) is accepted if it is clearly a page or a feed.

use memchr::{memchr, memmem};

use crate::sniff::{PayloadKind, sniff_html};

/// Header fields in file order. Names are compared case-insensitively.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// The first value of a field, without surrounding white space.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Every value of a field, in file order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.iter()
            .filter(move |(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// All fields as (name, value), in file order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Adds a field at the end.
    pub fn push(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }
}

/// Reads the field lines in `bytes`, up to an empty line or the end. Lines end with LF or CRLF. A
/// line that begins with white space continues the previous one. A line without a colon is ignored.
pub(crate) fn parse_fields(bytes: &[u8]) -> Headers {
    let mut headers = Headers(Vec::with_capacity(12));
    for line in bytes.split(|byte| *byte == b'\n') {
        let content = line.trim_ascii();
        if content.is_empty() {
            break;
        }
        if line[0] == b' ' || line[0] == b'\t' {
            if let Some((_, value)) = headers.0.last_mut() {
                value.push(' ');
                value.push_str(&head_text(content));
            }
            continue;
        }
        if let Some(colon) = memchr(b':', content) {
            let name = head_text(content[..colon].trim_ascii_end());
            headers.0.push((name, head_text(content[colon + 1..].trim_ascii_start())));
        }
    }
    headers
}

/// Decodes the bytes of a head: as UTF-8 if valid, else as windows-1252.
fn head_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}

/// Returns the index just after the empty line that ends a head. The search starts at `from`, which must
/// not be after the beginning of that line.
pub(crate) fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(length) = memchr(b'\n', bytes.get(at..)?) {
        at += length + 1;
        // Any number of carriage returns counts, because text-mode transfers double them.
        let returns = bytes[at..].iter().take_while(|byte| **byte == b'\r').count();
        if bytes.get(at + returns) == Some(&b'\n') {
            return Some(at + returns + 1);
        }
    }
    None
}

/// Maximum number of header fields for the strict parser.
const MOST_FIELDS: usize = 96;

/// Maximum number of heads before the final one.
const MOST_HEADS: usize = 4;

/// The bytes are not an HTTP response, as they do not begin with a status line. Contains the first ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no http status line; it begins {0:?}")]
pub struct HttpError(String);

/// The head of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Header fields.
    pub headers: Headers,
    /// Index of the first byte after the head.
    pub body: usize,
}

impl Response {
    /// Parses the head at the start of a response record's block. Heads of provisional responses
    /// (`100 Continue`) and of proxies before it are skipped.
    pub fn parse(block: &[u8]) -> Result<Self, HttpError> {
        let mut start = block.iter().take_while(|byte| b"\r\n".contains(byte)).count();
        for _ in 0..MOST_HEADS {
            let rest = &block[start..];
            let Some(mut response) = parse_strictly(rest).or_else(|| parse_tolerantly(rest)) else {
                break;
            };
            start += response.body;
            let provisional = (100..200).contains(&response.status) && response.status != 101;
            let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let proxy =
                line.to_ascii_lowercase().trim_ascii_end().ends_with(b"connection established");
            let another = block[start..].starts_with(b"HTTP/");
            if another && (provisional || proxy) {
                continue;
            }
            response.body = start;
            return Ok(response);
        }
        // HTTP/0.9 has no heads: if the block is clearly a page or a feed, it is a body.
        if sniff_html(None, block) != PayloadKind::Other {
            return Ok(Self { status: 200, headers: Headers::default(), body: 0 });
        }
        let begins = &block[..block.len().min(40)];
        Err(HttpError(String::from_utf8_lossy(begins).into_owned()))
    }

    /// The first value of a header field.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.headers.get(name)
    }

    /// The target of a redirect, as the server gives it.
    pub fn location(&self) -> Option<&str> {
        self.get("Location").filter(|location| !location.is_empty())
    }
}

fn parse_strictly(block: &[u8]) -> Option<Response> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    let mut config = httparse::ParserConfig::default();
    config
        .allow_spaces_after_header_name_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true);
    let parsed = config.parse_response(&mut response, block);
    let Ok(httparse::Status::Complete(body)) = parsed else { return None };
    let fields = response.headers.iter();
    let fields = fields.map(|own| (own.name.to_owned(), head_text(own.value.trim_ascii())));
    Some(Response { status: response.code?, headers: Headers(fields.collect()), body })
}

/// Accepts any `HTTP…` line as a status line. The status is the first three-digit number in it, or
/// 200 if there is none. Accepts any lines that look like fields. A head without an empty line ends before the first line
/// that looks like the beginning of a page, or at the end of the block.
fn parse_tolerantly(block: &[u8]) -> Option<Response> {
    let line = block.split(|byte| *byte == b'\n').next()?;
    let protocol = line.get(..4)?;
    if !protocol.eq_ignore_ascii_case(b"HTTP") && protocol != b"ICY " {
        return None;
    }
    let mut words = line[4..].split(u8::is_ascii_whitespace);
    // `HTTP/1.1200 OK` occurs: there may be no space between version and status.
    let status = words.find_map(|word| {
        let digits = word.strip_prefix(b"/1.0").or(word.strip_prefix(b"/1.1")).unwrap_or(word);
        let three = digits.len() == 3 && digits.iter().all(u8::is_ascii_digit);
        if three { std::str::from_utf8(digits).ok()?.parse().ok() } else { None }
    });
    let body = end_of_head(block, 0).unwrap_or(block.len());
    let begins_page = |at: &usize| matches!(block.get(at + 2), Some(b'!' | b'?' | b'h' | b'H'));
    let page = memmem::find_iter(&block[..body], b"\n<").find(begins_page);
    let body = page.map_or(body, |at| at + 1);
    let fields = block.get(line.len() + 1..body).unwrap_or_default();
    let headers = parse_fields(fields);
    if status.is_none() && headers.iter().next().is_none() {
        return None;
    }
    Some(Response { status: status.unwrap_or(200), headers, body })
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn tolerant_lines() {
        let bytes =
            b"A: 1\r\nb : 2\nnonsense\nX-T: a\r\n  b\r\nC: caf\xe9\r\nempty:\r\na: 3\r\n\r\nno: 1";
        let headers = parse_fields(bytes);
        assert_eq!(headers.get("a"), Some("1"));
        assert_eq!(headers.all("A").collect::<Vec<_>>(), ["1", "3"]);
        assert_eq!(headers.get("B"), Some("2"));
        assert_eq!(headers.get("x-t"), Some("a b"));
        assert_eq!(headers.get("c"), Some("café"));
        assert_eq!(headers.get("empty"), Some(""));
        assert_eq!(headers.get("no"), None);
    }

    #[test]
    fn heads_end_at_an_empty_line() {
        assert_eq!(end_of_head(b"a\r\nb\r\n\r\nc", 0), Some(8));
        assert_eq!(end_of_head(b"a\nb\n\nc", 0), Some(5));
        assert_eq!(end_of_head(b"a\r\r\nb\r\r\n\r\r\nc", 0), Some(11));
        assert_eq!(end_of_head(b"a\r\nb\r\n\r", 0), None);
    }

    #[test]
    fn heads() {
        for (block, status, value, body) in [
            (&b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody"[..], 200, Some("b"), "body"),
            (b"HTTP/1.0 302\nLocation: x\nA:b\n\nbody", 302, Some("b"), "body"),
            (b"HTTP/2 200\r\na: b\r\n\r\nbody", 200, Some("b"), "body"),
            (b"HTTP/1.1 404 \xff\r\nbad line\r\nA : b\r\n\r\nbody", 404, Some("b"), "body"),
            (b"HTTP/1.1 200 OK\r\nA: x\r\n\ty\r\n\r\nbody", 200, Some("x y"), "body"),
            (b"HTTP/1.1 200 OK\r\nA: b\r\n", 200, Some("b"), ""),
            (b"http/1.1 200 OK\r\n\r\nbody", 200, None, "body"),
            (b"\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 200, Some("b"), "body"),
            (b"HTTP/1.1200 OK\r\nA: b\r\n\r\nbody", 200, Some("b"), "body"),
            (b"HTTP/1.1 OK\r\nA: b\r\n\r\nbody", 200, Some("b"), "body"),
            (b"ICY 200 OK\r\nA: b\r\n\r\nbody", 200, Some("b"), "body"),
            (
                b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 X\r\nA:b\r\n\r\nbody",
                404,
                Some("b"),
                "body",
            ),
            (
                b"HTTP/1.0 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nbody",
                200,
                Some("b"),
                "body",
            ),
            (
                b"HTTP/1.1 200 OK\r\nA: b\r\n<!DOCTYPE x>\r\n\r\n<p>",
                200,
                Some("b"),
                "<!DOCTYPE x>\r\n\r\n<p>",
            ),
            (b"HTTP/1.1 200 OK\r\nA: b\r\n \r\n<html>\n\n<p>", 200, Some("b"), "<html>\n\n<p>"),
            (b"<html>no http head</html>", 200, None, "<html>no http head</html>"),
        ] {
            let response = Response::parse(block).unwrap();
            assert_eq!((response.status, response.get("a")), (status, value));
            assert_eq!(&block[response.body..], body.as_bytes());
        }
        assert!(Response::parse(b"\x00\x01 no page").is_err());
        assert!(Response::parse(b"HTTP/1.1 what\r\n\r\n").is_err());
        assert!(Response::parse(b"").is_err());
    }
}
