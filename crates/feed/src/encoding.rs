//! Decodes the bytes of a feed to text and removes its XML declaration, which no longer applies to
//! the decoded text.

use charset::CharsetHints;

use crate::FeedSource;

/// Text of a feed, starting at its first `<` or `{`.
pub(crate) fn text(bytes: &[u8], source: &FeedSource<'_>, notes: &mut Vec<String>) -> String {
    let FeedSource { url, http_charset, .. } = *source;
    let hints = CharsetHints { http_charset, language: None, url, xml: true };
    let (decoded, charset) = charset::decode(bytes.to_vec(), &hints);
    for declared in charset.overruled.all() {
        notes.push(format!("declared {declared}, but read as {}", charset.name));
    }
    if charset.name == "UTF-8" && std::str::from_utf8(bytes).is_err() {
        let broken = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
        notes.push(format!("{broken} characters are not valid UTF-8"));
    }
    let start = decoded.find(['<', '{']).unwrap_or(decoded.len());
    if !decoded[..start].trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() {
        notes.push(format!("{start} bytes before the feed were skipped"));
    }
    // Also removes an XML declaration that is not at the start, and a second one.
    let mut rest = &decoded[start..];
    while rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("<?xml"))
        && rest.as_bytes().get(5).is_none_or(u8::is_ascii_whitespace)
    {
        let Some(end) = rest.find('>') else { break };
        rest = rest[end + 1..].trim_start();
    }
    rest.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], http_charset: Option<&str>, expected: &str) {
        let source = FeedSource { id: "a", url: None, http_charset };
        assert_eq!(text(bytes, &source, &mut Vec::new()), expected, "{}", bytes.escape_ascii());
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

    #[test]
    fn undeclared() {
        let russian = b"<a>\xce\xe1\xfb\xf7\xed\xfb\xe9 \xf0\xf3\xf1\xf1\xea\xe8\xe9 \xf2\xe5\xea\xf1\xf2 \xee \xef\xee\xe3\xee\xe4\xe5 \xe8 \xec\xee\xf0\xe5 \xe1\xe5\xe7 \xee\xe1\xfa\xff\xe2\xeb\xe5\xed\xe8\xff \xea\xee\xe4\xe8\xf0\xee\xe2\xea\xe8</a>";
        check(
            russian,
            None,
            "<a>Обычный русский текст о погоде и море без объявления кодировки</a>",
        );
        check(
            russian,
            Some("iso-8859-1"),
            "<a>Обычный русский текст о погоде и море без объявления кодировки</a>",
        );
        let mut notes = Vec::new();
        let source = FeedSource { id: "a", url: None, http_charset: Some("koi8-r") };
        text("<a>Обычный русский текст</a>".as_bytes(), &source, &mut notes);
        assert_eq!(notes, ["declared KOI8-R, but read as UTF-8"]);
    }
}
