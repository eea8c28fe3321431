//! A page between reading and processing: its head, and where its HTML is.

use std::cell::RefCell;
use std::io;

use config::memory::weight;
use grouping::matching::{halves, whole};
use grouping::{Capture, PageHead, Visited, address_hash, site_key};
use jiff::Timestamp;
use model::{Charset, Origin, Page, PageHtml, PageNotes};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::declared::DeclaredHead;
use crate::file::hash_of;

/// A page without its HTML: what grouping needs.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct StoredHead {
    /// Address at which it was captured.
    pub url: String,
    /// Time of the capture.
    pub fetched: Option<Timestamp>,
    /// Record that it was read from.
    pub origin: Origin,
    /// How its bytes were decoded.
    pub charset: Charset,
    /// Notes from outside its HTML, such as rights statements.
    pub notes: Option<Box<PageNotes>>,
    /// Digest of its payload, as two halves.
    pub digest: Option<(u64, u64)>,
    /// XXH3-128 of its HTML, as two halves.
    pub content: (u64, u64),
    /// The canonical address that a saved file declares.
    pub canonical: Option<String>,
    /// Length of its HTML, in bytes.
    pub length: u64,
    /// Its weight ([`config::memory::weight`]).
    pub weight: u64,
    /// Its declarations, if another process surveyed it.
    pub declared: Option<Box<DeclaredHead>>,
}

impl StoredHead {
    /// Adds the HTML and the site.
    pub fn into_page(self, site: &str, html: PageHtml) -> Page {
        let Self { url, fetched, origin, charset, notes, .. } = self;
        Page { url, site: site.to_owned(), fetched, origin, charset, notes, html }
    }
}

/// Where the HTML of a page is.
#[derive(Clone, Debug)]
pub enum HtmlPlace {
    /// In memory.
    Held(PageHtml),
    /// In memory, compressed.
    Packed(Vec<u8>),
    /// In a segment file.
    Filed(FilePlace),
}

/// Where a page is in segment files.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct FilePlace {
    /// Number of the file among the files of the run.
    pub file: u32,
    /// Number of the row.
    pub row: u32,
    /// Id of the page in the crawl.
    pub id: u64,
}

/// A page of a segment.
#[derive(Clone, Debug)]
pub struct StoredPage {
    /// Everything but its HTML.
    pub head: StoredHead,
    /// Where its HTML is.
    pub html: HtmlPlace,
    /// Key of its site; empty if it is not known yet.
    pub site: String,
}

/// The id of a page in its crawl: a hash of its address, record and content. Pages with the same id are identical.
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
    /// A page that is in memory.
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

    /// Copies the page for a revisit that found it unchanged.
    pub(crate) fn copy_for(&self, visited: Visited) -> Self {
        let origin = visited.origin_of_copy(&self.head.origin);
        let Visited { url, fetched, .. } = visited;
        // Declared links were resolved against the address: they do not hold for another one.
        let declared = self.head.declared.clone().filter(|_| url == self.head.url);
        let site = site_key(&url).unwrap_or_default();
        let head = StoredHead { url, fetched, origin, declared, ..self.head.clone() };
        Self { head, html: self.html.clone(), site }
    }

    /// The head that joining the pages of a site needs, if it is known without the HTML.
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

    /// Takes the page. HTML in memory is moved out, so this value no longer has it.
    pub fn take(&mut self) -> Self {
        let html = match &mut self.html {
            place @ HtmlPlace::Filed(_) => place.clone(),
            held => std::mem::replace(held, HtmlPlace::Held(PageHtml::default())),
        };
        Self { head: self.head.clone(), html, site: self.site.clone() }
    }

    /// Frees HTML that is in memory. It cannot be loaded again.
    pub fn release(&mut self) {
        if !matches!(self.html, HtmlPlace::Filed(_)) {
            self.html = HtmlPlace::Held(PageHtml::default());
        }
    }

    /// Compresses HTML that is in memory.
    ///
    /// # Errors
    /// If it cannot be compressed.
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

/// Fastest regular level of zstd: 450 MB/s on HTML, compressed to about a sixth.
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
        // The buffer has room for HTML that cannot be compressed.
        packed.shrink_to_fit();
        Ok(packed)
    })
}

/// Decompresses the HTML of a page to `length` bytes.
///
/// # Errors
/// If it is damaged.
pub fn unpack(packed: &[u8], length: u64) -> io::Result<String> {
    let html = zstd::bulk::decompress(packed, usize::try_from(length).unwrap_or(usize::MAX))?;
    String::from_utf8(html).map_err(io::Error::other)
}
