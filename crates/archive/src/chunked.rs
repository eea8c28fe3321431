//! Decodes the chunked transfer coding.

use memchr::memchr;

/// The result of decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chunks {
    /// The bytes are not chunked, whatever the headers declare.
    None,
    /// The content, and whether it is complete.
    Joined(Vec<u8>, bool),
}

/// Joins the chunks in `raw`. If a later chunk is malformed, the rest is taken as it is.
pub(crate) fn join(raw: &[u8]) -> Chunks {
    let mut content = Vec::with_capacity(raw.len());
    let mut at = 0;
    let mut first = true;
    loop {
        let rest = &raw[at..];
        let Some((size, line)) = size_line(rest) else {
            if first {
                return Chunks::None;
            }
            content.extend_from_slice(rest);
            return Chunks::Joined(content, false);
        };
        if size == 0 {
            return Chunks::Joined(content, true);
        }
        let data = &rest[line..];
        let Some(chunk) = data.get(..size) else {
            if first && !data.is_empty() && size > data.len().saturating_mul(64) {
                return Chunks::None;
            }
            content.extend_from_slice(data);
            return Chunks::Joined(content, false);
        };
        content.extend_from_slice(chunk);
        at += line + size;
        at += match &raw[at..] {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => 0,
        };
        first = false;
    }
}

/// The chunk size at the start of `bytes` and the length of its line.
fn size_line(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = memchr(b'\n', &bytes[..bytes.len().min(4096)])?;
    let digits = bytes[..end].split(|byte| *byte == b';').next()?.trim_ascii();
    if digits.is_empty() || digits.len() > 16 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let size = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((size, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks() {
        let joined = |raw: &[u8]| match join(raw) {
            Chunks::None => None,
            Chunks::Joined(content, whole) => Some((String::from_utf8(content).unwrap(), whole)),
        };
        let some = |text: &str, whole| Some((text.to_owned(), whole));
        assert_eq!(joined(b"5\r\n<html\r\n1\r\n>\r\n0\r\n\r\n"), some("<html>", true));
        assert_eq!(joined(b"5;x=y\n<html\n0\n\n"), some("<html", true));
        assert_eq!(joined(b"<html>plain</html>"), None);
        assert_eq!(joined(b""), None);
        assert_eq!(joined(b"5\r\n<ht"), some("<ht", false));
        assert_eq!(joined(b"2\r\n<h\r\nrest"), some("<hrest", false));
        // A size far larger than the rest of the data is a coincidental number, not a chunk size.
        assert_eq!(joined(b"ffffffffffffffff\r\n<h"), None);
        assert_eq!(joined(b"81\r\n<h"), None);
        assert_eq!(joined(b"80\r\n<h"), some("<h", false));
        assert_eq!(joined(b"5\r\n"), some("", false));
    }
}
