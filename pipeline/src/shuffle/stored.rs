//! A page between reading and processing: its head, and the place of its HTML.

use grouping::matching::{halves, whole};
use grouping::{PageHead, address_hash};
use jiff::Timestamp;
use model::{Charset, Origin, Page, PageHtml};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::memory::weight;
use crate::stages::learn::Declared;
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
    /// What it declares, if it was surveyed by another process.
    pub(crate) declared: Option<Box<Declared>>,
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
    Held(PageHtml),
    /// In the file of a part, compressed.
    Packed { part: usize, at: u64, bytes: u32 },
    /// In memory, compressed.
    Fetched(Vec<u8>),
    /// In a survey, compressed.
    Surveyed(PlaceInSurvey),
}

/// The place of a page in a survey.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct PlaceInSurvey {
    /// Number of the survey among those that are read.
    pub(crate) survey: u32,
    /// Number of the row.
    pub(crate) row: u32,
    /// Id of the page in the crawl.
    pub(crate) id: u64,
}

/// A page of a spool.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) head: Head,
    pub(crate) html: Html,
    /// Not written to files: pages there need not be read again.
    pub(crate) source: SourceRecord,
}

/// The id of a page in its crawl: a hash of its address, its record and its content. Pages of one id are the same.
pub(crate) fn id_of(head: &Head) -> u64 {
    let Head { url, origin, content, .. } = head;
    let mut bytes = Vec::with_capacity(url.len() + origin.file.len() + origin.record_id.len() + 40);
    for text in [&**url, &*origin.file, &origin.record_id] {
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    for number in [origin.offset, content.0, content.1] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    xxh3_64(&bytes)
}

impl Stored {
    /// A page in memory.
    pub(crate) fn held(page: Page) -> Self {
        let Page { url, fetched, origin, charset, html, .. } = page;
        let (length, weight) = (html.len() as u64, weight(&html));
        let (digest, content, canonical) = (None, halves(xxh3_128(html.as_bytes())), None);
        let head = Head {
            url,
            fetched,
            origin,
            charset,
            digest,
            content,
            canonical,
            length,
            weight,
            declared: None,
        };
        Self { head, html: Html::Held(html), source: SourceRecord::default() }
    }

    /// The head by which pages of a site are joined, if it is known without the HTML.
    pub(crate) fn page_head(&self) -> Option<PageHead> {
        let Head { url, fetched, origin, content, length, declared, .. } = self.head.clone();
        let head = PageHead {
            hash: address_hash(&url),
            url,
            fetched,
            origin,
            digest: whole(content),
            bytes: length,
            canonical: None,
            title_hash: 0,
            single_page: None,
            next_page: None,
            part_group: None,
        };
        Some((*declared?).into_head(head))
    }

    /// Its id in the crawl ([`id_of`]).
    pub(crate) fn id(&self) -> u64 {
        id_of(&self.head)
    }

    /// The page, whose HTML is no longer held here if it was in memory.
    pub(crate) fn take(&mut self) -> Self {
        let html = match &mut self.html {
            held @ (Html::Held(_) | Html::Fetched(_)) => {
                std::mem::replace(held, Html::Held(PageHtml::default()))
            }
            place => place.clone(),
        };
        Self { head: self.head.clone(), html, source: self.source }
    }

    /// Frees HTML that is in memory; it cannot be loaded again.
    pub(crate) fn release(&mut self) {
        if !matches!(self.html, Html::Packed { .. } | Html::Surveyed(_)) {
            self.html = Html::Held(PageHtml::default());
        }
    }
}
