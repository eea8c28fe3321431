//! Reads a feed: as it is, or else repaired, or else item by item.

use charset::CharsetHints;
use feed_rs::model::{FeedType, Link};
use feed_rs::parser::Builder;
use model::{DropReason, FeedItem, contain_panics};
use url::Url;

use crate::items::{FeedContext, absolute, item, no_permalinks, text};
use crate::repair;

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
    /// Neither XML nor JSON of a feed. Contains its beginning.
    #[error("not a feed; it begins {0:?}")]
    NotAFeed(String),
    /// Malformed and not repairable. Contains the parser's message.
    #[error("the feed is broken and could not be repaired ({0}); ask its publisher to validate it")]
    Broken(String),
    /// It has items, but none of them can be read.
    #[error("the feed has items, but none of them could be read; its version may be unknown")]
    NoItems,
}

impl FeedError {
    /// The drop reason of this error.
    pub fn reason(&self) -> DropReason {
        match self {
            Self::TooLarge { .. } => DropReason::TooLarge,
            Self::NotAFeed(_) | Self::Broken(_) | Self::NoItems => DropReason::BadFeed,
        }
    }
}

/// Text of a feed, starting at its first `<` or `{`.
fn decode_feed(bytes: &[u8], source: &FeedSource<'_>, notes: &mut Vec<String>) -> String {
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

/// FeedLimits on the cost of one feed. There is no `Default`: the defaults are in the configuration
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedLimits {
    /// Largest feed that is read, in bytes.
    pub bytes: usize,
}

impl FeedLimits {
    /// A limit that suits real feeds: 16 MiB.
    pub const USUAL: FeedLimits = FeedLimits { bytes: 16 << 20 };
}

/// Where a feed comes from.
#[derive(Clone, Copy, Debug)]
pub struct FeedSource<'a> {
    /// Identity of the feed, kept in its items: its file name or URL.
    pub id: &'a str,
    /// URL it was fetched from, for relative links.
    pub url: Option<&'a str>,
    /// Charset label of the HTTP `Content-Type`.
    pub http_charset: Option<&'a str>,
}

/// A feed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feed {
    /// Its title as plain text, or empty.
    pub title: String,
    /// Its declared language.
    pub language: Option<String>,
    /// Its items that have a link, in feed order.
    pub items: Vec<FeedItem>,
    /// What was repaired.
    pub notes: Vec<String>,
    /// What was left out, if anything.
    pub left_out: Option<LostItems>,
}

/// Items that could not be read, although others of the feed could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostItems {
    /// How many.
    pub items: usize,
    /// Why the first of them could not be read.
    pub why: String,
}

/// Reads a feed of any known kind.
pub fn parse(
    bytes: &[u8],
    source: &FeedSource<'_>,
    limits: &FeedLimits,
) -> Result<Feed, FeedError> {
    if bytes.len() > limits.bytes {
        return Err(FeedError::TooLarge { bytes: bytes.len(), limit: limits.bytes });
    }
    let mut notes = Vec::new();
    let decoded = decode_feed(bytes, source, &mut notes);
    let text = repair::without_controls(&decoded);
    if !text.starts_with(['<', '{']) {
        let begins = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
        return Err(FeedError::NotAFeed(begins));
    }
    let base = source.url.and_then(|url| Url::parse(url).ok());
    let (parsed, left_out) = parse_with_repairs(&text, &mut notes)?;
    Ok(Feed { left_out, ..convert_feed(parsed, &text, source, base, notes) })
}

/// A change to the text of a feed.
type Repair = fn(&str) -> String;

/// Repairs and their notes, in the order in which they are tried.
const REPAIRS: [(&str, Repair); 5] = [
    (
        "an older or misspelt version or namespace was read as the current one",
        repair::known_version,
    ),
    ("characters that must be escaped were escaped", repair::escaped),
    ("invalid xml:base attributes were ignored", repair::without_bases),
    ("items without a link were given the address they are about", repair::linked_by_about),
    ("media types of texts that are not text types were ignored", repair::without_binary_types),
];

/// A feed as parsed by feed-rs, and what was left out of it.
type Parsed = (feed_rs::model::Feed, Option<LostItems>);

/// The feed as parsed by feed-rs, after as few repairs as possible.
fn parse_with_repairs(text: &str, notes: &mut Vec<String>) -> Result<Parsed, FeedError> {
    let has_items = repair::has_items(text);
    let first_error = match try_parse(text, notes) {
        Ok(feed) if !feed.entries.is_empty() || !has_items => return Ok((feed, None)),
        Ok(_) => None,
        Err(error) => Some(error),
    };
    let mut repaired = text.to_owned();
    if !text.starts_with('{') {
        for (note, repair) in REPAIRS {
            let next = repair(&repaired);
            if next == repaired {
                continue;
            }
            repaired = next;
            notes.push(note.to_owned());
            match try_parse(&repaired, notes) {
                Ok(feed) if !feed.entries.is_empty() || !has_items => return Ok((feed, None)),
                _ => {}
            }
        }
        if let Some(parsed) = parse_by_item(&repaired, notes) {
            return Ok(parsed);
        }
    }
    Err(match first_error {
        Some(error) if error.contains("no root element") => {
            FeedError::NotAFeed(text.chars().take(40).collect())
        }
        Some(error) => FeedError::Broken(error),
        None => FeedError::NoItems,
    })
}

/// Note of a feed on which feed-rs panics.
const ONLY_USED: &str = "only elements that are used were read: feed-rs fails on others";

/// One attempt to parse the text. Where feed-rs panics, it gets the text without what makes it panic.
fn try_parse(text: &str, notes: &mut Vec<String>) -> Result<feed_rs::model::Feed, String> {
    if let Ok(parsed) = contain_panics(|| parse_by_feed_rs(text)) {
        return parsed;
    }
    let milder = repair::without_panics(text);
    let parsed = contain_panics(|| parse_by_feed_rs(&milder));
    let parsed = parsed.unwrap_or_else(|panic| Err(format!("feed-rs panics: {panic}")))?;
    if notes.last().is_none_or(|last| last != ONLY_USED) {
        notes.push(ONLY_USED.to_owned());
    }
    Ok(parsed)
}

/// Relative links are left to [`crate::items`], where the feed's own link is known; only `xml:base` is applied here.
fn parse_by_feed_rs(text: &str) -> Result<feed_rs::model::Feed, String> {
    let parser = Builder::new().sanitize_content(false).build();
    parser.parse(text.as_bytes()).map_err(|error| error.to_string())
}

/// Items beyond this number are not tried one by one.
const MOST: usize = 10_000;

/// Reads the items one by one and keeps those that can be read.
fn parse_by_item(text: &str, notes: &mut Vec<String>) -> Option<Parsed> {
    let mut whole: Option<feed_rs::model::Feed> = None;
    let (mut tried, mut left_out) = (0, 0);
    let mut why: Option<String> = None;
    for single in repair::single_item_feeds(text) {
        tried += 1;
        let parsed = match tried {
            ..=MOST => try_parse(&single, notes),
            _ => Err(format!("of a broken feed, {MOST} items are read")),
        };
        match (parsed, &mut whole) {
            (Ok(feed), _) if feed.entries.is_empty() => left_out += 1,
            (Ok(feed), Some(whole)) => whole.entries.extend(feed.entries),
            (Ok(feed), None) => whole = Some(feed),
            (Err(error), _) => {
                left_out += 1;
                why.get_or_insert(error);
            }
        }
    }
    let whole = whole?;
    notes.push(format!(
        "the feed is broken; {} of {tried} items were read one by one",
        whole.entries.len()
    ));
    let why = why.unwrap_or_else(|| "it is empty".to_owned());
    Some((whole, (left_out > 0).then_some(LostItems { items: left_out, why })))
}

fn convert_feed(
    parsed: feed_rs::model::Feed,
    source_text: &str,
    source: &FeedSource<'_>,
    url: Option<Url>,
    mut notes: Vec<String>,
) -> Feed {
    let home = |link: &&Link| link.rel.as_deref().is_none_or(|rel| rel == "alternate");
    let home = parsed.links.iter().find(home).and_then(|link| absolute(&link.href, url.as_ref()));
    let base = home.and_then(|home| Url::parse(&home).ok()).or(url);
    let shared =
        FeedContext { feed_id: source.id, base, no_permalinks: no_permalinks(source_text) };
    let items: Vec<_> =
        parsed.entries.iter().filter_map(|entry| item(entry, &parsed, &shared)).collect();
    let left_out = parsed.entries.len() - items.len();
    if left_out > 0 {
        notes.push(format!("{left_out} items without a link were left out"));
    }
    let rss = !matches!(parsed.feed_type, FeedType::Atom | FeedType::JSON);
    let language = parsed.language.as_deref().map(str::trim).filter(|tag| !tag.is_empty());
    Feed {
        title: text(parsed.title.as_ref(), rss),
        language: language.map(str::to_owned),
        items,
        notes,
        left_out: None,
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    fn check(bytes: &[u8], http_charset: Option<&str>, expected: &str) {
        let source = FeedSource { id: "a", url: None, http_charset };
        assert_eq!(
            decode_feed(bytes, &source, &mut Vec::new()),
            expected,
            "{}",
            bytes.escape_ascii()
        );
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
        decode_feed("<a>Обычный русский текст</a>".as_bytes(), &source, &mut notes);
        assert_eq!(notes, ["declared KOI8-R, but read as UTF-8"]);
    }
}
