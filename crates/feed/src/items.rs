//! The result of reading a feed: its items, and a count of lost ones.

use std::borrow::Cow;

use htmlize::unescape_attribute;
use model::FeedItem;
use url::Url;

/// Signs between the members of a list, in any script: semicolons, then commas.
pub const LIST_SIGNS: [char; 7] = [';', '；', '؛', ',', '，', '、', '،'];

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
    /// Its items that have a link, in feed order.
    pub items: Vec<FeedItem>,
    /// The items that could not be read, if any.
    pub left_out: Option<LostItems>,
}

/// Items that could not be read, although others of the feed could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostItems {
    /// Number of lost items.
    pub items: usize,
    /// Why the first of them could not be read.
    pub why: &'static str,
}

/// Why an item without a link is lost.
pub(crate) const NO_LINK: &str = "it has no link";

impl Feed {
    /// Adds an item, or counts it as lost. An item inherits the values that it lacks from the feed.
    pub(crate) fn add(&mut self, item: Result<FeedItem, &'static str>, inherited: &FeedItem) {
        match item {
            Ok(mut item) => {
                if item.authors.is_empty() {
                    item.authors.clone_from(&inherited.authors);
                }
                item.language = item.language.or_else(|| inherited.language.clone());
                item.feed.clone_from(&inherited.feed);
                self.items.push(item);
            }
            Err(why) => LostItems::count(&mut self.left_out, why),
        }
    }
}

impl LostItems {
    /// Counts one more lost item.
    pub(crate) fn count(lost: &mut Option<Self>, why: &'static str) {
        lost.get_or_insert(Self { items: 0, why }).items += 1;
    }
}

/// The link as an absolute `http` or `https` URL, unchanged if it is absolute already, without invisible characters around it and
/// line breaks in it, and its ampersands are not escaped twice.
pub(crate) fn absolute(link: &str, base: Option<&Url>) -> Option<String> {
    let is_outside = |c: char| {
        c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    };
    let mut link = Cow::Borrowed(link.trim_matches(is_outside));
    if link.contains('\n') {
        link = Cow::Owned(link.split_whitespace().collect());
    }
    if link.contains("&amp;") || link.contains("&#") {
        link = Cow::Owned(unescape_attribute(&*link).into_owned());
    }
    let link = &*link;
    if link.is_empty() {
        return None;
    }
    match Url::parse(link) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Some(link.to_owned()),
        Ok(_) => None,
        Err(_) => {
            let url = base?.join(link).ok()?;
            matches!(url.scheme(), "http" | "https").then(|| url.into())
        }
    }
}

/// Appends a text that is neither empty nor in the list yet.
pub(crate) fn add_text(texts: &mut Vec<String>, text: &str) {
    if !text.is_empty() && !texts.iter().any(|known| known == text) {
        texts.push(text.to_owned());
    }
}
