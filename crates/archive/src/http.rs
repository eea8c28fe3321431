//! Reads the head of an HTTP response: strictly if it keeps to the rules, else line by line.

use crate::Headers;
use crate::head;

/// Header fields up to which the strict parser is used.
const MOST_FIELDS: usize = 96;

/// Why the bytes are no HTTP response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// They do not begin with a status line.
    #[error("no http status line; it begins {0:?}")]
    NoStatusLine(String),
}

/// The head of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Header fields.
    pub headers: Headers,
    /// Index of the first byte behind the head.
    pub body: usize,
}

impl Response {
    /// Reads the head at the start of a response record's block.
    pub fn parse(block: &[u8]) -> Result<Self, HttpError> {
        strict(block).or_else(|| tolerant(block)).ok_or_else(|| {
            let begins = &block[..block.len().min(40)];
            HttpError::NoStatusLine(String::from_utf8_lossy(begins).into_owned())
        })
    }

    /// The first value of a header field.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.headers.get(name)
    }

    /// Where a redirect leads, as the server gives it.
    pub fn location(&self) -> Option<&str> {
        self.get("Location").filter(|location| !location.is_empty())
    }
}

fn strict(block: &[u8]) -> Option<Response> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    let mut config = httparse::ParserConfig::default();
    config
        .allow_spaces_after_header_name_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true);
    let parsed = config.parse_response(&mut response, block);
    let Ok(httparse::Status::Complete(body)) = parsed else { return None };
    let mut headers = Headers::default();
    for field in response.headers.iter() {
        headers.push(field.name.to_owned(), head::text(field.value.trim_ascii()));
    }
    Some(Response { status: response.code?, headers, body })
}

/// Takes any `HTTP…` line with a number for a status line, and whatever lines look like fields. A
/// head that does not end takes the whole block.
fn tolerant(block: &[u8]) -> Option<Response> {
    let line = block.split(|byte| *byte == b'\n').next()?;
    if !line.get(..4)?.eq_ignore_ascii_case(b"HTTP") {
        return None;
    }
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).skip(1);
    let status = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    let body = head::end(block, 0).unwrap_or(block.len());
    let fields = block.get(line.len() + 1..body).unwrap_or_default();
    Some(Response { status, headers: head::fields(fields), body })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            let response = Response::parse(block).unwrap();
            assert_eq!((response.status, response.get("a")), (status, value));
            assert_eq!(&block[response.body..], body.as_bytes());
        }
        assert!(Response::parse(b"<html>no http head</html>").is_err());
        assert!(Response::parse(b"").is_err());
    }
}
