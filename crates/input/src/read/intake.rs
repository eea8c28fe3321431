//! The results of reading.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use grouping::Revisit;
use model::{CutShort, Drop, FeedItem, Page, contain_panics};
use sink::InputRecord;

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

impl From<&InputSummary> for InputRecord {
    fn from(summary: &InputSummary) -> Self {
        Self {
            file: summary.file.clone(),
            bytes: summary.bytes,
            modified: None,
            sha256: summary.sha256.clone(),
            records: summary.records.iter().map(|(&k, &n)| (k.to_owned(), n)).collect(),
            html_bytes: summary.html_bytes,
            cut_short: summary.cut_short.clone(),
            chosen: None,
        }
    }
}

/// A file that could not be opened or read on.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {source}", path.display())]
pub struct ReadError {
    pub(super) path: PathBuf,
    #[source]
    pub(super) source: io::Error,
}

/// The canonical address that a saved file declares, if it is a web address.
pub fn own_address(page: &Page) -> Option<String> {
    if !page.url.starts_with("file:") {
        return None;
    }
    let read = || dom::parse(&page.html).head().link("canonical").map(str::to_owned);
    let canonical = url::Url::parse(&contain_panics(read).ok()??).ok()?;
    matches!(canonical.scheme(), "http" | "https").then(|| canonical.into())
}

/// The digest of the payload of the record that something was read from, if the record has one.
pub type PayloadDigest = Option<u128>;

/// Receives results of reading, with the digests of their payloads.
pub type Take<'a> = dyn FnMut(Intake, PayloadDigest) + 'a;
