//! A digest of the addresses of a site, for the site model.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::addresses::{Address, AddressTable, Tracking};

/// Maximum number of sections and of addresses that are kept.
const MOST: usize = 1 << 16;
/// Maximum number of parameters that distinguish pages.
const MOST_DISTINGUISHING: usize = 64;
/// Maximum length of the name of such a parameter, in bytes.
const LONGEST_NAME: usize = 128;
/// Minimum number of pages below a path for it to be a section.
const SECTION: u32 = 3;
/// Maximum depth of a section: limits the work for addresses made of slashes.
const DEEPEST: usize = 64;

/// The addresses of a site in bounded space: which paths are sections, and which pages links lead to.
///
/// The digest depends only on the set of addresses, not on their order or number. All functions of a digest must be given
/// the same [`Tracking`].
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct AddressDigest {
    /// Hashes of paths with at least three pages below them, sorted.
    sections: Vec<u64>,
    /// Names of the tracking parameters in which otherwise equal addresses differ, sorted.
    distinguishing: Vec<String>,
    /// The smallest hashes of the pages' addresses, sorted.
    addresses: Vec<u64>,
    /// Number of all pages, counted by address.
    total: u64,
}

/// Hashes the address of a page that differs from all others in more than tracking parameters.
fn hash_alone(address: &Address) -> u64 {
    xxh3_64(address.key.as_bytes())
}

/// Hashes the address of a page that differs from another one only in tracking parameters.
fn hash_with_parameters(address: &Address, distinguishing: &[String]) -> u64 {
    let mut text = address.key.clone().into_bytes();
    for (name, value) in address.parameters() {
        if distinguishing.binary_search_by(|known| known.as_str().cmp(name)).is_ok() {
            text.push(0);
            text.extend_from_slice(name.as_bytes());
            text.push(b'=');
            text.extend_from_slice(value.as_bytes());
        }
    }
    // Differs from the result of `hash_alone`, whatever the parameters.
    text.push(0);
    xxh3_64(&text)
}

impl AddressDigest {
    /// Builds the digest from the addresses of all pages of a site, as they are in the records. Takes time linear in
    /// their length, plus a sort, and about 40 bytes of memory for each address. Addresses that differ only in tracking
    /// parameters are held in memory.
    pub fn of<'a>(urls: impl Iterator<Item = &'a str> + Clone, tracking: &Tracking) -> Self {
        let sections = sections(urls.clone());
        let all = || urls.clone().filter_map(|url| tracking.address(url));
        let mut keys: Vec<(u64, u64)> = all()
            .map(|address| (hash_alone(&address), xxh3_64(address.tracked.join("&").as_bytes())))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let of_keys = || keys.chunk_by(|a, b| a.0 == b.0);
        let shared: Vec<u64> =
            of_keys().filter(|pages| pages.len() > 1).map(|pages| pages[0].0).collect();
        let mut addresses: Vec<u64> =
            of_keys().filter(|pages| pages.len() == 1).map(|pages| pages[0].0).collect();
        let mut distinguishing = Vec::new();
        if !shared.is_empty() {
            let is_shared = |a: &Address| shared.binary_search(&hash_alone(a)).is_ok();
            let several: BTreeSet<Address> = all().filter(is_shared).collect();
            distinguishing = distinguishing_parameters(&AddressTable::of(several.iter().cloned()));
            addresses.extend(
                several.iter().map(|address| hash_with_parameters(address, &distinguishing)),
            );
        }
        addresses.sort_unstable();
        addresses.dedup();
        let total = addresses.len() as u64;
        addresses.truncate(MOST);
        Self { sections, distinguishing, addresses, total }
    }

    /// Returns the digest of the addresses of both, up to the limits.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        let both = |own: &[u64], more: &[u64]| -> Vec<u64> {
            let all: BTreeSet<u64> = own.iter().chain(more).copied().collect();
            all.into_iter().collect()
        };
        let mut sections = both(&self.sections, &other.sections);
        sections.truncate(MOST);
        let names: BTreeSet<&String> =
            self.distinguishing.iter().chain(&other.distinguishing).collect();
        let distinguishing = names.into_iter().take(MOST_DISTINGUISHING).cloned().collect();
        let mut addresses = both(&self.addresses, &other.addresses);
        let total = self.total.max(other.total).max(addresses.len() as u64);
        addresses.truncate(MOST);
        Self { sections, distinguishing, addresses, total }
    }

    /// Whether at least three pages are below an address, without its query.
    pub fn pages_below(&self, url: &str) -> bool {
        self.sections.binary_search(&xxh3_64(path(url).as_bytes())).is_ok()
    }

    /// Returns the hash of the page that a link points to, if it is among the kept ones. Tracking parameters that
    /// distinguish no pages are ignored.
    pub fn target(&self, link: &str, tracking: &Tracking) -> Option<u64> {
        let address = tracking.address(link)?;
        let kept = |hash: &u64| self.addresses.binary_search(hash).is_ok();
        let among_versions = || {
            (!self.distinguishing.is_empty())
                .then(|| hash_with_parameters(&address, &self.distinguishing))
        };
        Some(hash_alone(&address)).filter(kept).or_else(|| among_versions().filter(kept))
    }

    /// Whether the links of a page lead to at least `at_least` other pages of the site. If only some of the addresses are
    /// kept, the number found is scaled up.
    ///
    /// Stops as soon as there are enough.
    pub fn leads_to<'a>(
        &self,
        links: impl Iterator<Item = &'a str>,
        own_url: &str,
        at_least: usize,
        tracking: &Tracking,
    ) -> bool {
        let own = self.target(own_url, tracking);
        let enough = |found: usize| {
            found as u128 * u128::from(self.total)
                >= at_least as u128 * self.addresses.len() as u128
        };
        let mut found: FxHashSet<u64> = FxHashSet::default();
        at_least == 0
            || links
                .filter_map(|link| self.target(link, tracking))
                .any(|target| Some(target) != own && found.insert(target) && enough(found.len()))
    }

    /// The number of pages of the site, by address.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Validates a digest that was read from untrusted bytes. Every digest made by [`AddressDigest::of`] is valid, and
    /// every valid digest respects the limits on memory and time.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn validate(&self) -> Result<(), String> {
        let rises = |hashes: &[u64]| hashes.is_sorted_by(|a, b| a < b);
        for (what, hashes) in [("sections", &self.sections), ("addresses", &self.addresses)] {
            if hashes.len() > MOST {
                return Err(format!("{} {what}: {MOST} are the most", hashes.len()));
            }
            if !rises(hashes) {
                return Err(format!("the {what} are not sorted, or one is there twice"));
            }
        }
        if self.distinguishing.len() > MOST_DISTINGUISHING {
            let count = self.distinguishing.len();
            return Err(format!(
                "{count} parameters tell pages apart: {MOST_DISTINGUISHING} are the most"
            ));
        }
        if !self.distinguishing.is_sorted_by(|a, b| a < b) {
            return Err(
                "the distinguishing parameters are not sorted, or one is there twice".to_owned()
            );
        }
        if let Some(name) = self.distinguishing.iter().find(|name| name.len() > LONGEST_NAME) {
            let bytes = name.len();
            return Err(format!(
                "a parameter's name of {bytes} bytes: {LONGEST_NAME} are the most"
            ));
        }
        let kept = self.addresses.len();
        let is_total =
            if kept < MOST { self.total == kept as u64 } else { self.total >= kept as u64 };
        if !is_total {
            return Err(format!("{kept} addresses of {} are kept", self.total));
        }
        Ok(())
    }
}

/// Returns an address without scheme, query and fragment, with a trailing slash.
fn path(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    format!("{}/", rest.trim_end_matches('/'))
}

/// Returns the sections with the most pages below them, as sorted hashes.
fn sections<'a>(urls: impl Iterator<Item = &'a str>) -> Vec<u64> {
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    let mut below: FxHashMap<u64, u32> = FxHashMap::default();
    for url in urls.filter(|url| seen.insert(xxh3_64(url.as_bytes()))) {
        let path = path(url);
        // The last slash ends the path of the page itself.
        let slashes = path.match_indices('/').map(|(at, _)| at).filter(|at| at + 1 < path.len());
        for at in slashes.take(DEEPEST) {
            let count = below.entry(xxh3_64(&path.as_bytes()[..=at])).or_default();
            *count = count.saturating_add(1);
        }
    }
    most_frequent(below.into_iter().filter(|(_, count)| *count >= SECTION), MOST)
}

/// Returns the keys with the greatest counts, at most `most`, sorted.
fn most_frequent<K: Ord>(counts: impl Iterator<Item = (K, u32)>, most: usize) -> Vec<K> {
    let mut ranked: Vec<_> = counts.map(|(key, count)| (Reverse(count), key)).collect();
    ranked.sort_unstable();
    ranked.truncate(most);
    let mut keys: Vec<K> = ranked.into_iter().map(|(_, key)| key).collect();
    keys.sort_unstable();
    keys
}

/// Returns the names that distinguish the most pages, sorted.
fn distinguishing_parameters(several: &AddressTable) -> Vec<String> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for name in several.distinguishing().filter(|name| name.len() <= LONGEST_NAME) {
        *counts.entry(name).or_default() += 1;
    }
    let names = most_frequent(counts.into_iter(), MOST_DISTINGUISHING);
    names.into_iter().map(str::to_owned).collect()
}
