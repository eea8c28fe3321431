//! A page without its HTML, as needed for grouping.

use jiff::Timestamp;
use model::{Origin, Page};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::captures::Capture;
use crate::sample::{SampleHead, address_hash};

/// A page without its HTML.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct PageHead {
    /// Its address, as in the record.
    pub url: String,
    /// [`address_hash`] of that.
    pub hash: u64,
    /// When it was fetched.
    pub fetched: Option<Timestamp>,
    /// Its record.
    pub origin: Origin,
    /// XXH3-128 of its HTML, or of its payload; the same for all pages that are compared.
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
    /// The two addresses above are used only between pages of one group, such as those of one site config;
    /// `None` for a page without parts.
    pub part_group: Option<String>,
}

/// A hash of a page's title, trimmed; that of the empty text if there is none.
pub fn title_hash(title: &str) -> u64 {
    xxh3_64(title.trim().as_bytes())
}

impl PageHead {
    /// The head of a page, with canonical address and title from its HTML, without parts. Linear in the
    /// length of the HTML.
    pub fn of(page: &Page, canonical: Option<String>, title: &str) -> Self {
        Self {
            url: page.url.clone(),
            hash: address_hash(&page.url),
            fetched: page.fetched,
            origin: page.origin.clone(),
            digest: xxh3_128(page.html.as_bytes()),
            bytes: page.html.len() as u64,
            canonical,
            title_hash: title_hash(title),
            single_page: None,
            next_page: None,
            part_group: None,
        }
    }

    /// Its properties for choosing the sample.
    pub fn sample_head(&self) -> SampleHead<'_> {
        SampleHead { hash: self.hash, url: &self.url, bytes: self.bytes }
    }
}

impl Capture for PageHead {
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
        self.digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::page;

    #[test]
    fn a_head_comes_back_from_bytes() {
        let head = PageHead {
            part_group: Some("e.org".to_owned()),
            ..PageHead::of(&page("https://e.org/", "<p>x"), Some("https://e.org/a".to_owned()), "A")
        };
        assert_eq!((head.bytes, head.hash), (4, address_hash("https://e.org/")));
        let bytes = rmp_serde::to_vec(&head).unwrap();
        assert_eq!(rmp_serde::from_slice::<PageHead>(&bytes).unwrap(), head);
    }

    #[test]
    fn titles_are_compared_without_white_space_around_them() {
        assert_eq!(title_hash(" A b\n"), title_hash("A b"));
        assert_ne!(title_hash("A b"), title_hash("A  b"));
    }
}
