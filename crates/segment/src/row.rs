//! A row of the files that steps exchange.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

/// What a row holds.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum RowKind {
    /// A page: its head, and its HTML.
    Page,
    /// A saved page, whose site depends on the other saved pages.
    Saved,
    /// A feed item.
    FeedItem,
    /// The payload digest of a feed.
    Feed,
    /// A file that says how the pages of a site may be used.
    SiteFile,
    /// A redirect.
    Redirect,
    /// A revisit.
    Revisit,
    /// Something that was dropped while reading.
    Drop,
    /// An input that was read.
    Input,
    /// A part of the result of a site.
    Result,
    /// The model of a large site.
    Model,
    /// What was decided beside the model of a large site.
    Decided,
    /// Site configs that were learnt of a large site.
    SiteConfigs,
    /// What applies to a page of a large site.
    Order,
    /// A page of a large site that gave an article.
    Article,
    /// A page of a large site that was dropped.
    Dropped,
    /// A page of a large site that its model has no template for.
    Unassigned,
    /// The descriptions of the articles of a part of the result of a site.
    Described,
}

impl RowKind {
    const ALL: [(Self, &'static str); 18] = [
        (Self::Page, "page"),
        (Self::Saved, "saved-page"),
        (Self::FeedItem, "feed-item"),
        (Self::Feed, "feed"),
        (Self::SiteFile, "site-file"),
        (Self::Redirect, "redirect"),
        (Self::Revisit, "revisit"),
        (Self::Drop, "drop"),
        (Self::Input, "input"),
        (Self::Result, "result"),
        (Self::Model, "model"),
        (Self::Decided, "decided"),
        (Self::SiteConfigs, "site-configs"),
        (Self::Order, "order"),
        (Self::Article, "article"),
        (Self::Dropped, "dropped"),
        (Self::Unassigned, "unassigned"),
        (Self::Described, "described"),
    ];

    /// Its name in the column `kind`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// The kind of this name.
    pub fn of(name: &[u8]) -> Option<Self> {
        Self::ALL.iter().find(|(_, own)| own.as_bytes() == name).map(|(kind, _)| *kind)
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
