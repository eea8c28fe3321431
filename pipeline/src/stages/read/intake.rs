//! What reading gives.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use grouping::Revisit;
use model::{Drop, FeedItem, Page};

/// One thing read.
#[derive(Debug)]
pub enum Intake {
    /// A page; its site is not decided yet.
    Page(Page),
    /// The items of a feed.
    Feed(Vec<FeedItem>),
    /// A URL that answered with another.
    Redirect {
        /// The URL asked for.
        from: String,
        /// Where it led, absolute.
        to: String,
    },
    /// A page found unchanged; `revisits::resolve` finds the page.
    Revisit(Revisit),
    /// Something left out.
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
    /// Records by type; pages by themselves and feeds count as one.
    pub records: BTreeMap<&'static str, u64>,
    /// Records that hold no page by their type: requests, metadata and the like.
    pub other_records: u64,
    /// Bytes of HTML in the pages that were kept, decoded.
    pub html_bytes: u64,
}

/// A file that could not be opened or read on.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {source}", path.display())]
pub struct ReadError {
    pub(super) path: PathBuf,
    #[source]
    pub(super) source: io::Error,
}

/// What is known of the record that a thing was read from, beside its origin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Source {
    /// Digest of the payload, if the record has one.
    pub digest: Option<u128>,
    /// Its number among the records that begin in the same member.
    pub number: u32,
    /// Where in the file it ends, or its member does, where that is known.
    pub end: Option<u64>,
}

/// Takes what is read, with what it was read from.
pub type Take<'a> = dyn FnMut(Intake, Source) + 'a;
