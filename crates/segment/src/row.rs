//! A row of the files that the steps of a distributed run exchange.

use std::io;

use model::named;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

named! {
/// What a row contains. The column `kind` has its name.
pub enum RowKind {
    /// A page: head and HTML.
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
    /// A drop of reading.
    Drop => "drop",
    /// An input that was read.
    Input => "input",
    /// A part of the result of a site.
    Result => "result",
    /// The model of a large site.
    Model => "model",
    /// What was decided together with the model of a large site.
    Decided => "decided",
    /// Site configs that were learnt from a large site.
    SiteConfigs => "site-configs",
    /// Instructions for a page of a large site.
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
    /// What the row contains.
    pub kind: RowKind,
    /// Key of the site; empty if the row belongs to no site.
    pub site: String,
    /// For pages, the id in the crawl. For outcomes of pages, the id of the page. For other rows, a sequence number.
    pub id: u64,
    /// The record in MessagePack.
    pub record: Vec<u8>,
    /// HTML of a page, compressed with zstd; empty for most other rows.
    pub html: Vec<u8>,
}

impl SegmentRow {
    /// Makes a row without HTML.
    ///
    /// # Errors
    /// If the record cannot be encoded.
    pub fn of(kind: RowKind, site: &str, id: u64, record: &impl Serialize) -> io::Result<Self> {
        let record = rmp_serde::to_vec(record).map_err(io::Error::other)?;
        Ok(Self { kind, site: site.to_owned(), id, record, html: Vec::new() })
    }

    /// Hash of the site key, which is the order of outputs; 0 without a site.
    pub fn hash(&self) -> u64 {
        hash_of(&self.site)
    }
}

/// Hash of a site key; 0 if it is empty.
pub fn hash_of(site: &str) -> u64 {
    if site.is_empty() { 0 } else { xxh3_64(site.as_bytes()) }
}

/// Decodes the record of a row.
///
/// # Errors
/// If it is damaged.
pub fn decoded<T: DeserializeOwned>(record: &[u8]) -> io::Result<T> {
    rmp_serde::from_slice(record).map_err(io::Error::other)
}

/// Compression level of results, which are small compared with pages, and read once.
const LEVEL: i32 = 3;

/// Makes a row whose record is compressed.
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

/// Decompresses and decodes the record of such a row.
///
/// # Errors
/// If it is damaged.
pub fn unpacked<T: DeserializeOwned>(record: &[u8]) -> io::Result<T> {
    let bytes = zstd::decode_all(record)?;
    rmp_serde::from_slice(&bytes).map_err(io::Error::other)
}
