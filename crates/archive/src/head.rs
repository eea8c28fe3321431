//! Named header fields, and a tolerant parser of their lines.

use memchr::memchr;

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
pub(crate) fn fields(bytes: &[u8]) -> Headers {
    let mut headers = Headers(Vec::with_capacity(12));
    for line in bytes.split(|byte| *byte == b'\n') {
        let content = line.trim_ascii();
        if content.is_empty() {
            break;
        }
        if line[0] == b' ' || line[0] == b'\t' {
            if let Some((_, value)) = headers.0.last_mut() {
                value.push(' ');
                value.push_str(&text(content));
            }
            continue;
        }
        if let Some(colon) = memchr(b':', content) {
            let name = text(content[..colon].trim_ascii_end());
            headers.0.push((name, text(content[colon + 1..].trim_ascii_start())));
        }
    }
    headers
}

/// Bytes of a head as text: UTF-8 if valid, else windows-1252.
pub(crate) fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}

/// The index just after the empty line that ends a head. The search starts at `from`, which must
/// not be past the beginning of that line.
pub(crate) fn end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(length) = memchr(b'\n', bytes.get(at..)?) {
        at += length + 1;
        // Any number of carriage returns, because text-mode transfers double them.
        let returns = bytes[at..].iter().take_while(|byte| **byte == b'\r').count();
        if bytes.get(at + returns) == Some(&b'\n') {
            return Some(at + returns + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerant_lines() {
        let bytes =
            b"A: 1\r\nb : 2\nnonsense\nX-T: a\r\n  b\r\nC: caf\xe9\r\nempty:\r\na: 3\r\n\r\nno: 1";
        let headers = fields(bytes);
        assert_eq!(headers.get("a"), Some("1"));
        assert_eq!(headers.all("A").collect::<Vec<_>>(), ["1", "3"]);
        assert_eq!(headers.get("B"), Some("2"));
        assert_eq!(headers.get("x-t"), Some("a b"));
        assert_eq!(headers.get("c"), Some("café"));
        assert_eq!(headers.get("empty"), Some(""));
        assert_eq!(headers.get("no"), None);
    }

    #[test]
    fn end_of_head() {
        assert_eq!(end(b"a\r\nb\r\n\r\nc", 0), Some(8));
        assert_eq!(end(b"a\nb\n\nc", 0), Some(5));
        assert_eq!(end(b"a\r\r\nb\r\r\n\r\r\nc", 0), Some(11));
        assert_eq!(end(b"a\r\nb\r\n\r", 0), None);
    }
}
