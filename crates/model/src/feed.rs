//! Feed items.

use serde::{Deserialize, Serialize};

use jiff::Timestamp;

/// One item (RSS) or entry (Atom, JSON Feed). Text fields are plain text, without markup.
#[derive(Clone, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct FeedItem {
    /// Absolute URL the item points to.
    pub link: String,
    /// Title, or empty.
    pub title: String,
    /// Description or summary, or empty.
    pub description: String,
    /// Full text (`content:encoded`, Atom `content`) as plain text, if the feed has it.
    pub content: Option<String>,
    /// Names of the item's authors.
    pub authors: Vec<String>,
    /// When the item was published (or else updated).
    pub published: Option<Timestamp>,
    /// Categories.
    pub tags: Vec<String>,
    /// Language of the item or of its feed, as declared (BCP 47).
    pub language: Option<String>,
    /// Identity of the feed: its file name or record URL. Items of one feed are siblings.
    pub feed: String,
}
