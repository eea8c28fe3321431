//! Chooses the pages of a site to learn from.
//!
//! The sample consists of the pages with the smallest hashes of their addresses. It depends only on the set of pages, so
//! the samples of two parts of a site can be merged into the sample of the site. The limit in bytes is only a safeguard.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// The hash by which pages are chosen: of an address as it is in the record.
pub fn address_hash(url: &str) -> u64 {
    xxh3_64(url.as_bytes())
}

/// A page that can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct SampleHead<'a> {
    /// [`address_hash`] of its address.
    pub hash: u64,
    /// Its address, which breaks ties between equal hashes.
    pub url: &'a str,
    /// Bytes of its HTML.
    pub bytes: u64,
}

impl<'a> SampleHead<'a> {
    /// Makes the head of a page with this address and number of bytes.
    pub fn of(url: &'a str, bytes: u64) -> Self {
        Self { hash: address_hash(url), url, bytes }
    }
}

/// Limits of a sample; a table of the settings file.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SampleLimits {
    /// Maximum number of pages.
    pub pages: usize,
    /// Maximum number of bytes of HTML. A page of more than an eighth of this is in a sample only if all pages of the
    /// site are that large.
    pub bytes: u64,
}

/// A sample of a site.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Sample {
    /// Indices of its pages, by ascending hash of their addresses.
    pub chosen: Vec<usize>,
    /// Whether the limit in bytes ended the sample before there were enough pages.
    pub cut_by_bytes: bool,
}

/// Chooses the sample of a site: takes pages of at most an eighth of `limits.bytes` in the order of (hash, address),
/// until there are `limits.pages` of them or seven eighths of the bytes are reached, so that the limit is never exceeded.
/// If all pages are larger, all may be chosen, and the last one may exceed the limit. At least one page is chosen, if
/// there is any.
///
/// Only one page is chosen for each address. The sample of the union of two sets is the sample of the union of their
/// samples. Takes n log n time.
pub fn choose(heads: &[SampleHead<'_>], limits: SampleLimits) -> Sample {
    // If the first page that does not fit ended the sample, a smaller page after it, from another part of the site, might
    // fit into the merged sample. So the sample ends with the page that reaches the limit, and the limit leaves room for
    // that page.
    let largest = limits.bytes / 8;
    let enough = limits.bytes - largest;
    let fits = |head: &&SampleHead<'_>| head.bytes <= largest;
    let none_fits = !heads.iter().any(|head| fits(&head));
    let mut order: Vec<usize> =
        (0..heads.len()).filter(|&at| none_fits || fits(&&heads[at])).collect();
    order.sort_by_key(|&at| (heads[at].hash, heads[at].url, heads[at].bytes));
    order.dedup_by_key(|at| (heads[*at].hash, heads[*at].url));
    let (mut chosen, mut bytes) = (Vec::new(), 0_u64);
    for at in order {
        let is_full = chosen.len() >= limits.pages || bytes >= enough;
        if is_full && !chosen.is_empty() {
            break;
        }
        bytes = bytes.saturating_add(heads[at].bytes);
        chosen.push(at);
    }
    let cut_by_bytes = chosen.len() < limits.pages && bytes >= enough && !chosen.is_empty();
    Sample { chosen, cut_by_bytes }
}
