//! The retained sample of a site: pages to learn from again, bounded, and compressed together.
//!
//! Of each template, and of the pages without one, the pages with the smallest hashes of their addresses are retained.
//! This choice depends only on the set of pages, so it does not matter in which nights they came.

use std::collections::{BTreeMap, BTreeSet};

use grouping::address_hash;
use model::{FeedItem, PackedSample, Page, RetainedHead};
use serde::{Deserialize, Serialize};

/// A page that is retained to learn from again.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Retained {
    /// Id of its template; empty if it has none.
    pub template: String,
    /// The page.
    pub page: Page,
    /// The feed items that pointed to it.
    pub items: Vec<FeedItem>,
}

/// How much is retained of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetainLimits {
    /// Maximum number of pages of a template.
    pub pages: usize,
    /// Maximum number of bytes of HTML of a template. A page of more than a quarter of this is not retained.
    pub template_bytes: u64,
    /// Maximum number of bytes of HTML of the site.
    pub site_bytes: u64,
}

/// The limits of a run. Learning asks for ten pages of a template, and a few more replace those that are of no use. A
/// page of news is about 100 kB.
pub const RETAIN: RetainLimits =
    RetainLimits { pages: 12, template_bytes: 4 << 20, site_bytes: 16 << 20 };

/// Level of compression: pages of one site share most of their markup, which the long window finds at any level. Level 9
/// takes twice the time for 4 % fewer bytes.
const LEVEL: i32 = 3;
/// Binary logarithm of the window.
const WINDOW: u32 = 24;

impl From<&Retained> for RetainedHead {
    fn from(retained: &Retained) -> Self {
        let page = &retained.page;
        Self {
            url: page.url.clone(),
            template: retained.template.clone(),
            fetched: page.fetched.map(|at| at.to_string()).unwrap_or_default(),
            html_bytes: page.html.len() as u64,
        }
    }
}

/// Chooses the pages to retain: returns indices into `heads`, in the order of address hashes. Of several heads with one
/// address the first is chosen. Takes n log n time.
pub fn retain(heads: &[RetainedHead], limits: RetainLimits) -> Vec<usize> {
    let mut order: Vec<usize> = (0..heads.len()).collect();
    order.sort_by_cached_key(|&at| (address_hash(&heads[at].url), heads[at].url.clone(), at));
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut of_templates: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    let mut of_site = 0;
    let fits = |at: &usize| {
        let RetainedHead { url, template, html_bytes, .. } = &heads[*at];
        let (pages, bytes) = of_templates.get(&**template).copied().unwrap_or_default();
        let chosen = *html_bytes <= limits.template_bytes / 4
            && pages < limits.pages
            && bytes + html_bytes <= limits.template_bytes
            && of_site + html_bytes <= limits.site_bytes
            && known.insert(url);
        if chosen {
            of_templates.insert(template, (pages + 1, bytes + html_bytes));
            of_site += html_bytes;
        }
        chosen
    };
    order.into_iter().filter(fits).collect()
}

/// Compresses pages together.
///
/// # Errors
/// If there is no memory for the compressor.
pub fn pack_pages(pages: &[Retained]) -> std::io::Result<PackedSample> {
    let mut heads: Vec<RetainedHead> = pages.iter().map(RetainedHead::from).collect();
    heads.sort_by(|a, b| a.url.cmp(&b.url));
    let plain = rmp_serde::to_vec(pages).map_err(std::io::Error::other)?;
    Ok(PackedSample { heads, blob: pack(&plain)? })
}

/// Maximum number of bytes that are unpacked: more than a site's pages can have.
const MOST: u64 = 256 << 20;

pub(crate) fn pack(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    // With the length known, the compressor's tables are no larger than necessary.
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.window_log(WINDOW)?;
    compressor.long_distance_matching(true)?;
    compressor.compress(plain)
}

pub(crate) fn unpack(packed: &[u8]) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut plain = Vec::new();
    let mut from = zstd::Decoder::with_buffer(packed)?;
    from.window_log_max(WINDOW)?;
    from.take(MOST + 1).read_to_end(&mut plain)?;
    if plain.len() as u64 > MOST {
        return Err(std::io::Error::other("it unpacks to more than 256 MiB"));
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..5_000)) {
            let packed = pack(&bytes).unwrap();
            prop_assert_eq!(unpack(&packed).unwrap(), bytes);
        }
    }

    #[test]
    fn damage_never_gives_other_bytes() {
        let plain = b"the same words over and over, ".repeat(200);
        let packed = pack(&plain).unwrap();
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            // Some bits only say how large the window should be.
            assert!(
                unpack(&damaged).is_ok_and(|bytes| bytes == plain) || unpack(&damaged).is_err()
            );
        }
        assert!(unpack(&packed[..packed.len() - 1]).is_err());
    }
}
