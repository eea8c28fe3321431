//! A page between reading and processing: its head, and the place of its HTML.

use std::cell::RefCell;
use std::io;

use config::memory::weight;
use grouping::matching::{halves, whole};
use grouping::{Capture, PageHead, Visited, address_hash, site_key};
use jiff::Timestamp;
use model::{Charset, Origin, Page, PageHtml, PageNotes};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::row::hash_of;
use crate::declared::DeclaredHead;

/// A page without its HTML, as needed for grouping.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct StoredHead {
    /// The address that it was captured at.
    pub url: String,
    /// When it was captured.
    pub fetched: Option<Timestamp>,
    /// The record that it was read from.
    pub origin: Origin,
    /// How its bytes became text.
    pub charset: Charset,
    /// What came with it beside its HTML.
    pub notes: Option<Box<PageNotes>>,
    /// Digest of its payload, in two halves.
    pub digest: Option<(u64, u64)>,
    /// XXH3-128 of its HTML, in two halves.
    pub content: (u64, u64),
    /// The canonical address that a saved file declares.
    pub canonical: Option<String>,
    /// Bytes of its HTML.
    pub length: u64,
    /// Its weight ([`config::memory::weight`]).
    pub weight: u64,
    /// What it declares, if it was surveyed by another process.
    pub declared: Option<Box<DeclaredHead>>,
}

impl StoredHead {
    /// The page of a site, with its HTML.
    pub fn into_page(self, site: &str, html: PageHtml) -> Page {
        let Self { url, fetched, origin, charset, notes, .. } = self;
        Page { url, site: site.to_owned(), fetched, origin, charset, notes, html }
    }
}

/// The place of the HTML of a page.
#[derive(Clone, Debug)]
pub enum HtmlPlace {
    /// In memory.
    Held(PageHtml),
    /// In memory, compressed.
    Packed(Vec<u8>),
    /// In the file of a segment.
    Filed(FilePlace),
}

/// The place of a page in the files of segments.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct FilePlace {
    /// Number of the file among those that are read.
    pub file: u32,
    /// Number of the row.
    pub row: u32,
    /// Id of the page in the crawl.
    pub id: u64,
}

/// A page of a segment.
#[derive(Clone, Debug)]
pub struct StoredPage {
    /// All of it but its HTML.
    pub head: StoredHead,
    /// Where its HTML is.
    pub html: HtmlPlace,
    /// Key of its site; empty where that is not known yet.
    pub site: String,
}

/// The id of a page in its crawl: a hash of its address, its record and its content. Pages of one id are the same.
pub fn id_of(head: &StoredHead) -> u64 {
    let StoredHead { url, origin, content, .. } = head;
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

impl StoredPage {
    /// A page in memory.
    pub fn held(page: Page, digest: Option<u128>, canonical: Option<String>) -> Self {
        let Page { url, fetched, origin, charset, notes, html, .. } = page;
        let site = match url.starts_with("file:") {
            true => String::new(),
            false => site_key(&url).unwrap_or_default(),
        };
        let head = StoredHead {
            url,
            fetched,
            origin,
            charset,
            notes,
            digest: digest.map(halves),
            content: halves(html.digest()),
            canonical,
            length: html.len() as u64,
            weight: weight(&html),
            declared: None,
        };
        Self { head, html: HtmlPlace::Held(html), site }
    }

    /// Hash of the key of its site.
    pub fn hash(&self) -> u64 {
        hash_of(&self.site)
    }

    /// The same page for a revisit that found it unchanged.
    pub(crate) fn copy_for(&self, visited: Visited) -> Self {
        let origin = visited.origin_of_copy(&self.head.origin);
        let Visited { url, fetched, .. } = visited;
        // Links are relative to the address.
        let declared = self.head.declared.clone().filter(|_| url == self.head.url);
        let site = site_key(&url).unwrap_or_default();
        let head = StoredHead { url, fetched, origin, declared, ..self.head.clone() };
        Self { head, html: self.html.clone(), site }
    }

    /// The head by which pages of a site are joined, if it is known without the HTML.
    pub fn page_head(&self) -> Option<PageHead> {
        let StoredHead { url, fetched, origin, content, length, declared, .. } = self.head.clone();
        let head = PageHead {
            hash: address_hash(&url),
            url,
            fetched,
            origin,
            digest: whole(content),
            bytes: length,
            ..PageHead::default()
        };
        Some((*declared?).into_head(head))
    }

    /// Its id in the crawl ([`id_of`]).
    pub fn id(&self) -> u64 {
        id_of(&self.head)
    }

    /// The page, whose HTML is no longer held here if it was in memory.
    pub fn take(&mut self) -> Self {
        let html = match &mut self.html {
            place @ HtmlPlace::Filed(_) => place.clone(),
            held => std::mem::replace(held, HtmlPlace::Held(PageHtml::default())),
        };
        Self { head: self.head.clone(), html, site: self.site.clone() }
    }

    /// Frees HTML that is in memory; it cannot be loaded again.
    pub fn release(&mut self) {
        if !matches!(self.html, HtmlPlace::Filed(_)) {
            self.html = HtmlPlace::Held(PageHtml::default());
        }
    }

    /// Compresses HTML that is in memory.
    ///
    /// # Errors
    /// If the compressor cannot be made.
    pub fn pack(&mut self) -> io::Result<()> {
        if let HtmlPlace::Held(html) = &self.html {
            self.html = HtmlPlace::Packed(pack(html)?);
        }
        Ok(())
    }
}

impl Capture for StoredPage {
    fn url(&self) -> &str {
        &self.head.url
    }

    fn fetched(&self) -> Option<Timestamp> {
        self.head.fetched
    }

    fn origin(&self) -> &Origin {
        &self.head.origin
    }

    fn digest(&self) -> u128 {
        whole(self.head.content)
    }
}

/// zstd's fastest regular level: 450 MB/s on HTML, compressed to about a sixth.
const LEVEL: i32 = 1;

thread_local! {
    static PACKER: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
}

fn pack(html: &str) -> io::Result<Vec<u8>> {
    PACKER.with_borrow_mut(|packer| {
        let packer = match packer {
            Some(packer) => packer,
            none => none.insert(zstd::bulk::Compressor::new(LEVEL)?),
        };
        let mut packed = packer.compress(html.as_bytes())?;
        // It has room for HTML that cannot be compressed.
        packed.shrink_to_fit();
        Ok(packed)
    })
}

/// The HTML of a page, of which the length is known.
///
/// # Errors
/// If it is damaged.
pub fn unpack(packed: &[u8], length: u64) -> io::Result<String> {
    let html = zstd::bulk::decompress(packed, usize::try_from(length).unwrap_or(usize::MAX))?;
    String::from_utf8(html).map_err(io::Error::other)
}
