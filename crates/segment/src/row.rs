//! A row of the files that steps exchange.

use std::io;

use model::named;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

named! {
/// What a row holds; its name is in the column `kind`.
pub enum RowKind {
    /// A page: its head, and its HTML.
    Page => "page",
    /// A saved page, whose site depends on the other saved pages.
    Saved => "saved-page",
    /// A feed item.
    FeedItem => "feed-item",
    /// The payload digest of a feed.
    Feed => "feed",
    /// A file that says how the pages of a site may be used.
    SiteFile => "site-file",
    /// A redirect.
    Redirect => "redirect",
    /// A revisit.
    Revisit => "revisit",
    /// Something that was dropped while reading.
    Drop => "drop",
    /// An input that was read.
    Input => "input",
    /// A part of the result of a site.
    Result => "result",
    /// The model of a large site.
    Model => "model",
    /// What was decided beside the model of a large site.
    Decided => "decided",
    /// Site configs that were learnt of a large site.
    SiteConfigs => "site-configs",
    /// What applies to a page of a large site.
    Order => "order",
    /// A page of a large site that gave an article.
    Article => "article",
    /// A page of a large site that was dropped.
    Dropped => "dropped",
    /// A page of a large site that its model has no template for.
    Unassigned => "unassigned",
    /// The descriptions of the articles of a part of the result of a site.
    Described => "described",
}
}

/// A row.
#[derive(Clone, Debug)]
pub struct SegmentRow {
    /// What the record is.
    pub kind: RowKind,
    /// Key of the site; empty for what belongs to none.
    pub site: String,
    /// Page rows: id of the page in the crawl. Outcome rows: id of their page. Other rows: a sequence number.
    pub id: u64,
    /// MessagePack.
    pub record: Vec<u8>,
    /// The HTML of a page, compressed with zstd; empty for other rows.
    pub html: Vec<u8>,
}

impl SegmentRow {
    /// A row without HTML.
    ///
    /// # Errors
    /// If the record cannot be encoded.
    pub fn of(kind: RowKind, site: &str, id: u64, record: &impl Serialize) -> io::Result<Self> {
        let record = rmp_serde::to_vec(record).map_err(io::Error::other)?;
        Ok(Self { kind, site: site.to_owned(), id, record, html: Vec::new() })
    }

    /// The hash of its site: the order of outputs. 0 without a site.
    pub fn hash(&self) -> u64 {
        hash_of(&self.site)
    }
}

/// The hash of a site's key; 0 of an empty one.
pub fn hash_of(site: &str) -> u64 {
    if site.is_empty() { 0 } else { xxh3_64(site.as_bytes()) }
}

/// The record of a row.
///
/// # Errors
/// If it is damaged.
pub fn decoded<T: DeserializeOwned>(record: &[u8]) -> io::Result<T> {
    rmp_serde::from_slice(record).map_err(io::Error::other)
}

/// Results are small beside pages; they are read once.
const LEVEL: i32 = 3;

/// A record that is compressed.
pub fn packed_row(
    kind: RowKind,
    site: &str,
    id: u64,
    record: &impl Serialize,
) -> io::Result<SegmentRow> {
    let bytes = rmp_serde::to_vec_named(record).map_err(io::Error::other)?;
    let record = zstd::bulk::compress(&bytes, LEVEL)?;
    Ok(SegmentRow { kind, site: site.to_owned(), id, record, html: Vec::new() })
}

/// The record of such a row.
///
/// # Errors
/// If it is damaged.
pub fn unpacked<T: DeserializeOwned>(record: &[u8]) -> io::Result<T> {
    let bytes = zstd::decode_all(record)?;
    rmp_serde::from_slice(&bytes).map_err(io::Error::other)
}
