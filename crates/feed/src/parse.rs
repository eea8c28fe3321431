//! Reads a feed of any known kind.

use charset::CharsetHints;
use model::DropReason;

use crate::items::{Feed, FeedSource, LostItems};
use crate::json::read_json;
use crate::xml::{escape_signs, read_xml};

/// Why a feed cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// It is larger than the limit.
    #[error(
        "the feed has {bytes} bytes, more than the limit of {limit}; raise the limit to read it"
    )]
    TooLarge {
        /// Bytes that were to be read as a feed.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// It is neither an XML feed nor a JSON feed. Contains its beginning.
    #[error("not a feed; it begins {0:?}")]
    NotAFeed(String),
    /// It has items, but none of them can be read. Contains why the first one cannot.
    #[error(
        "the feed has items, but none of them could be read ({0}); ask its publisher to validate it"
    )]
    NoItems(&'static str),
}

impl FeedError {
    /// The drop reason of this error.
    pub fn reason(&self) -> DropReason {
        match self {
            Self::TooLarge { .. } => DropReason::TooLarge,
            Self::NotAFeed(_) | Self::NoItems(_) => DropReason::BadFeed,
        }
    }
}

/// Decodes the text of a feed, and removes control characters that XML and JSON do not allow.
fn decode_feed(bytes: &[u8], source: &FeedSource<'_>) -> String {
    let FeedSource { url, http_charset, .. } = *source;
    let hints = CharsetHints { http_charset, language: None, url, xml: true };
    let (decoded, _) = charset::decode(bytes.to_vec(), &hints);
    let bad = |c: char| c.is_control() && c < ' ' && !matches!(c, '\t' | '\n' | '\r');
    if decoded.contains(bad) { decoded.replace(bad, " ") } else { decoded }
}

/// Reads a feed of any known kind, item by item, if it has at most `limit` bytes.
///
/// # Errors
/// [`FeedError`] if it is too large or not a feed, or if none of its items can be read.
pub fn parse(bytes: &[u8], source: &FeedSource<'_>, limit: usize) -> Result<Feed, FeedError> {
    if bytes.len() > limit {
        return Err(FeedError::TooLarge { bytes: bytes.len(), limit });
    }
    let decoded = decode_feed(bytes, source);
    let text = decoded.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
    let feed = match text.starts_with('{') {
        true => read_json(text, source),
        // Some write CDATA in small letters.
        false => read_xml(&escape_signs(&text.replace("<![cdata[", "<![CDATA[")), source),
    };
    let begins = || String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
    let mut feed = feed.ok_or_else(|| FeedError::NotAFeed(begins()))?;
    feed.tidy_texts();
    match feed.left_out {
        Some(LostItems { why, .. }) if feed.items.is_empty() => Err(FeedError::NoItems(why)),
        _ => Ok(feed),
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    fn check(bytes: &[u8], http_charset: Option<&str>, expected: &str) {
        let source = FeedSource { id: "a", url: None, http_charset };
        assert_eq!(decode_feed(bytes, &source), expected, "{}", bytes.escape_ascii());
    }

    #[test]
    fn encodings() {
        let declared = |name: &str| format!("<?xml encoding='{name}'?><a>é</a>");
        let latin = b"<?xml encoding='iso-8859-1'?><a>\xe9</a>";
        check(latin, None, &declared("iso-8859-1"));
        check(declared("latin1").as_bytes(), None, &declared("latin1"));
        check(b"<?xml encoding='utf-8'?><a>\xe9</a>", None, &declared("utf-8"));
        check(b"<a>\xe9</a>", Some("iso-8859-2"), "<a>é</a>");
        check(b"\xff\xfe<\0a\0/\0>\0", None, "<a/>");
        check(b"\0<\0a\0/\0>", None, "<a/>");
        check(b"<\0\0\0a\0\0\0", None, "<a");
        check(b"<?xml encoding='utf-16'?><a/>", None, "<?xml encoding='utf-16'?><a/>");
        check(b"<a>\0\x01\x1f\n</a>", None, "<a>   \n</a>");
        check(b"", None, "");
    }

    #[test]
    fn undeclared() {
        let russian = b"<a>\xce\xe1\xfb\xf7\xed\xfb\xe9 \xf0\xf3\xf1\xf1\xea\xe8\xe9 \xf2\xe5\xea\xf1\xf2 \xee \xef\xee\xe3\xee\xe4\xe5 \xe8 \xec\xee\xf0\xe5 \xe1\xe5\xe7 \xee\xe1\xfa\xff\xe2\xeb\xe5\xed\xe8\xff \xea\xee\xe4\xe8\xf0\xee\xe2\xea\xe8</a>";
        for declared in [None, Some("iso-8859-1")] {
            let text = "<a>Обычный русский текст о погоде и море без объявления кодировки</a>";
            check(russian, declared, text);
        }
    }
}
