//! The results of reading.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use grouping::Revisit;
use model::{CutShort, Drop, FeedItem, Page};

/// A result of reading.
#[derive(Debug)]
pub enum Intake {
    /// A page; its site is not determined yet.
    Page(Page),
    /// The items of a feed.
    Feed(Vec<FeedItem>),
    /// A redirect.
    Redirect {
        /// The requested URL.
        from: String,
        /// The target, absolute.
        to: String,
    },
    /// A page found unchanged; `revisits::resolve` finds the page.
    Revisit(Revisit),
    /// Something that was dropped.
    Drop(Drop),
}

/// What was read from one file, for the ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputSummary {
    /// The file as named.
    pub file: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// Records by type; a saved page or a feed counts as one.
    pub records: BTreeMap<&'static str, u64>,
    /// Records of types that are no pages: requests, metadata and the like.
    pub other_records: u64,
    /// Bytes of HTML in the pages that were kept, decoded.
    pub html_bytes: u64,
    /// Where an archive breaks off, if it does.
    pub cut_short: Option<CutShort>,
}

/// A file that could not be opened or read on.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {source}", path.display())]
pub struct ReadError {
    pub(super) path: PathBuf,
    #[source]
    pub(super) source: io::Error,
}

/// Further properties of the record that something was read from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Source {
    /// Digest of the payload, if the record has one.
    pub digest: Option<u128>,
    /// Its number among the records that begin in the same member.
    pub number: u32,
    /// Where the record or its member ends, if known.
    pub end: Option<u64>,
}

/// Receives results of reading, with their source.
pub type Take<'a> = dyn FnMut(Intake, Source) + 'a;
