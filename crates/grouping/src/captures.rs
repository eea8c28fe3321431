//! Pages without their HTML, and captures of one address: the best capture is the page, the others are duplicates.

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::Timestamp;
use model::{Drop, DropReason, Origin, Page, Stage};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::sample::address_hash;

/// A capture of a page, with or without its HTML.
pub trait Capture {
    /// Its address.
    fn url(&self) -> &str;
    /// When it was fetched.
    fn fetched(&self) -> Option<Timestamp>;
    /// The record it comes from.
    fn origin(&self) -> &Origin;
    /// XXH3-128 of its HTML. Called only if captures are otherwise equal except for their place.
    fn digest(&self) -> u128;
}

impl Capture for Page {
    fn url(&self) -> &str {
        &self.url
    }

    fn fetched(&self) -> Option<Timestamp> {
        self.fetched
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn digest(&self) -> u128 {
        self.html.digest()
    }
}

/// The captures of the pages of a site.
#[derive(Debug)]
pub struct Copies<C> {
    /// The best capture of each address, in the order of addresses.
    pub best: Vec<C>,
    /// All other captures, in the same order; those of one address best first.
    pub others: Vec<C>,
}

/// Sorts the captures of the pages of a site. Of one address, complete captures come first and renderings last; then
/// later captures come before earlier ones; ties are broken by record id and content. The path of a file only decides
/// which of several places of the same bytes is reported.
pub fn settle<C: Capture + Clone>(mut captures: Vec<C>) -> Copies<C> {
    captures.sort_unstable_by(|a, b| {
        let order = |capture: &C| {
            let why = capture.origin().truncated.as_deref();
            let is_text = why == Some(Origin::RENDERED_TEXT);
            let is_rendering = capture.origin().is_rendering();
            (why.is_some(), is_rendering, is_text, Reverse(capture.fetched()))
        };
        let place = |capture: &C| (capture.origin().offset, Arc::clone(&capture.origin().file));
        (a.url().cmp(b.url()))
            .then_with(|| order(a).cmp(&order(b)))
            .then_with(|| a.origin().record_id.cmp(&b.origin().record_id))
            .then_with(|| a.digest().cmp(&b.digest()))
            .then_with(|| place(a).cmp(&place(b)))
    });
    // Sorted in place: a site may have millions of pages.
    let mut others = Vec::new();
    captures.dedup_by(|capture, best| {
        let is_other = capture.url() == best.url();
        if is_other {
            others.push(capture.clone());
        }
        is_other
    });
    Copies { best: captures, others }
}

/// Makes the drop of a page while grouping.
pub fn drop_of(site: &str, page: &impl Capture, reason: DropReason, detail: String) -> Drop {
    let (site, url) = (site.to_owned(), page.url().to_owned());
    let (origin, stage) = (page.origin().clone(), Stage::Group);
    Drop { site, url, origin, stage, reason, detail, gone: None, refused: None }
}

/// Formats a time for the text of a drop.
pub fn when(fetched: Option<Timestamp>) -> String {
    fetched.map_or_else(|| "at an unknown time".to_owned(), |time| time.to_string())
}

/// Makes the drop of a capture in favour of the one that was fetched at `kept`.
pub fn duplicate(site: &str, copy: &impl Capture, kept: Option<Timestamp>) -> Drop {
    drop_of(site, copy, DropReason::DuplicateUrl, kept_instead(copy.origin(), kept))
}

/// The detail of such a drop.
pub fn kept_instead(copy: &Origin, kept: Option<Timestamp>) -> String {
    let when = when(kept);
    match &copy.truncated {
        Some(why) if copy.is_rendering() => format!("{why}; the copy fetched {when} is kept"),
        Some(why) => format!("truncated ({why}); the copy fetched {when} is kept"),
        None => format!("the copy fetched {when} is kept"),
    }
}

/// A page without its HTML.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct PageHead {
    /// Its address, as in the record.
    pub url: String,
    /// [`address_hash`] of its address.
    pub hash: u64,
    /// When it was fetched.
    pub fetched: Option<Timestamp>,
    /// Where it was read: the file, offset and record id.
    pub origin: Origin,
    /// XXH3-128 of its HTML, or of its payload; the same choice for all pages that are compared.
    pub digest: u128,
    /// Bytes of its HTML.
    pub bytes: u64,
    /// Its declared canonical address, absolute.
    pub canonical: Option<String>,
    /// [`title_hash`] of its title.
    pub title_hash: u64,
    /// The address of a page that has the whole article, absolute.
    pub single_page: Option<String>,
    /// The address of the next part of its article, absolute.
    pub next_page: Option<String>,
    /// Group of pages between which the two addresses above are used, such as those of one site config; `None` for a page
    /// without parts.
    pub part_group: Option<String>,
}

/// Hashes a page's title, trimmed; a page without one has the hash of the empty text.
pub fn title_hash(title: &str) -> u64 {
    xxh3_64(title.trim().as_bytes())
}

impl PageHead {
    /// Makes the head of a page without parts, with the canonical address and title from its HTML. Linear in the length
    /// of the HTML.
    pub fn of(page: &Page, canonical: Option<String>, title: &str) -> Self {
        Self {
            url: page.url.clone(),
            hash: address_hash(&page.url),
            fetched: page.fetched,
            origin: page.origin.clone(),
            digest: page.html.digest(),
            bytes: page.html.len() as u64,
            canonical,
            title_hash: title_hash(title),
            ..Self::default()
        }
    }
}
