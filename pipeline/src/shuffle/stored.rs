//! A page between reading and processing: its head, and the place of its HTML.

use grouping::matching::halves;
use jiff::Timestamp;
use model::{Charset, Origin, Page};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::memory::weight;
use crate::stages::read::Place;

/// A page without its HTML, as needed for grouping.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Head {
    pub(crate) url: String,
    pub(crate) fetched: Option<Timestamp>,
    pub(crate) origin: Origin,
    pub(crate) charset: Charset,
    /// Digest of its payload, in two halves.
    pub(crate) digest: Option<(u64, u64)>,
    /// XXH3-128 of its HTML, in two halves.
    pub(crate) content: (u64, u64),
    /// The canonical address that a saved file declares.
    pub(crate) canonical: Option<String>,
    /// Bytes of its HTML.
    pub(crate) length: u64,
    /// Its weight ([`crate::memory::weight`]).
    pub(crate) weight: u64,
}

/// The record that the HTML of a page was read from.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct SourceRecord {
    /// Number of the input.
    pub(crate) input: u32,
    pub(crate) place: Place,
}

/// The place of the HTML of a page.
#[derive(Clone, Debug)]
pub(crate) enum Html {
    /// In memory.
    Held(String),
    /// In the file of a part, compressed.
    Packed { part: usize, at: u64, bytes: u32 },
    /// In memory, compressed.
    Fetched(Vec<u8>),
}

/// A page of a spool.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) head: Head,
    pub(crate) html: Html,
    /// Not written to files: pages there need not be read again.
    pub(crate) source: SourceRecord,
}

impl Stored {
    /// A page in memory.
    pub(crate) fn held(page: Page) -> Self {
        let Page { url, fetched, origin, charset, html, .. } = page;
        let (length, weight) = (html.len() as u64, weight(&html));
        let (digest, content, canonical) = (None, halves(xxh3_128(html.as_bytes())), None);
        let head =
            Head { url, fetched, origin, charset, digest, content, canonical, length, weight };
        Self { head, html: Html::Held(html), source: SourceRecord::default() }
    }

    /// Frees HTML that is in memory; it cannot be loaded again.
    pub(crate) fn release(&mut self) {
        if !matches!(self.html, Html::Packed { .. }) {
            self.html = Html::Held(String::new());
        }
    }
}
