//! Finds the page of a crawl that a link points to.
//!
//! Tracking parameters do not change the content of a page, but some sites use such names for identifiers
//! (`article.php?ref=1001`). The pages of the crawl decide: if pages with otherwise equal addresses differ in
//! a parameter, it distinguishes them, unless they are proved to be one page by equal content or canonical
//! address. All other tracking parameters are ignored.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::address::Address;
use crate::tracking::Tracking;

fn name(pair: &str) -> &str {
    pair.split('=').next().unwrap_or_default()
}

/// Addresses of pages, to resolve links. A look-up takes logarithmic time.
#[derive(Debug, Default)]
pub struct AddressTable {
    /// Sorted, each once.
    addresses: Vec<Address>,
    /// For keys that several addresses share: the names of tracking parameters in which these differ, and the
    /// pairs that all of them have.
    differing: FxHashMap<String, (Vec<String>, Vec<String>)>,
}

impl AddressTable {
    /// Builds the table from the addresses of pages, in any order.
    pub fn of(addresses: impl Iterator<Item = Address>) -> Self {
        let mut addresses: Vec<Address> = addresses.collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut differing = FxHashMap::default();
        for group in addresses.chunk_by(|a, b| a.key == b.key).filter(|group| group.len() > 1) {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for pair in group.iter().flat_map(|address| &address.tracked) {
                *counts.entry(pair).or_default() += 1;
            }
            let (all, some): (Vec<_>, Vec<_>) =
                counts.into_iter().partition(|(_, count)| *count == group.len());
            let mut names: Vec<String> =
                some.iter().map(|(pair, _)| name(pair).to_owned()).collect();
            names.sort_unstable();
            names.dedup();
            let all = all.into_iter().map(|(pair, _)| pair.to_owned()).collect();
            differing.insert(group[0].key.clone(), (names, all));
        }
        Self { addresses, differing }
    }

    /// Whether the table contains exactly this address.
    pub fn has(&self, address: &Address) -> bool {
        self.addresses.binary_search(address).is_ok()
    }

    /// The address that a link points to: the one that is equal except for parameters that distinguish no
    /// pages. `None` if there is none, or more than one.
    pub fn meant_by(&self, link: &Address) -> Option<&Address> {
        match self.of_key(&link.key) {
            [] => None,
            [only] => Some(only),
            several => {
                let (names, all) = self.differing.get(&link.key)?;
                let telling = |pair: &&String| names.iter().any(|n| n == name(pair));
                let mut tracked: Vec<&String> =
                    link.tracked.iter().filter(telling).chain(all).collect();
                tracked.sort_unstable();
                tracked.dedup();
                let at = several
                    .binary_search_by(|other| other.tracked.iter().cmp(tracked.iter().copied()));
                at.ok().map(|at| &several[at])
            }
        }
    }

    /// The names of tracking parameters in which addresses of one key differ, once per key, in no order.
    pub(crate) fn telling(&self) -> impl Iterator<Item = &str> {
        self.differing.values().flat_map(|(names, _)| names).map(String::as_str)
    }

    /// The addresses with this key: they differ only in tracking parameters.
    pub(crate) fn of_key(&self, key: &str) -> &[Address] {
        let from = self.addresses.partition_point(|address| *address.key < *key);
        let rest = &self.addresses[from..];
        &rest[..rest.partition_point(|address| *address.key <= *key)]
    }
}

/// An address without scheme, query and fragment, with a trailing slash.
pub(crate) fn path(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    format!("{}/", rest.trim_end_matches('/'))
}

/// The addresses of all pages of a site.
#[derive(Debug)]
pub struct SiteAddresses {
    tracking: Tracking,
    /// Without scheme, query and fragment, with a trailing slash, sorted.
    paths: Vec<String>,
    pub(crate) table: AddressTable,
}

impl SiteAddresses {
    /// Builds the table from the addresses of all pages, as in the records.
    pub fn of<'a>(urls: impl Iterator<Item = &'a str> + Clone, tracking: Tracking) -> Self {
        let mut paths: Vec<String> = urls.clone().map(path).collect();
        paths.sort_unstable();
        let table = AddressTable::of(urls.filter_map(|url| tracking.address(url)));
        Self { tracking, paths, table }
    }

    /// The number of pages with addresses below this one, without query.
    pub fn below(&self, url: &str) -> u32 {
        let path = path(url);
        let from = self.paths.partition_point(|p| *p <= path);
        self.paths[from..].iter().take_while(|p| p.starts_with(path.as_str())).count() as u32
    }

    /// Parses an address; `None` if it is no URL with a host.
    pub fn address(&self, url: &str) -> Option<Address> {
        self.tracking.address(url)
    }

    /// The address of the page that a link points to, by addresses alone.
    pub fn meant_by(&self, link: &str) -> Option<&Address> {
        self.table.meant_by(&self.address(link)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracking() -> Tracking {
        Tracking::new(&["utm_*".into(), "ref".into()])
    }

    fn site(urls: &[&str]) -> SiteAddresses {
        SiteAddresses::of(urls.iter().copied(), tracking())
    }

    /// The address of the page that a link points to, as text.
    fn meant(site: &SiteAddresses, link: &str) -> Option<String> {
        site.meant_by(link).map(Address::exact)
    }

    #[test]
    fn what_tells_nothing_apart_is_ignored() {
        let site = site(&["https://e.org/a?utm_source=home", "https://e.org/b"]);
        for link in ["https://e.org/a", "http://www.e.org/a?UTM_Medium=x&ref=1#top"] {
            assert_eq!(meant(&site, link).as_deref(), Some("e.org/a?utm_source=home"), "{link}");
        }
        assert_eq!(meant(&site, "https://e.org/b?ref=rss").as_deref(), Some("e.org/b"));
        assert_eq!(meant(&site, "https://e.org/c"), None);
        assert_eq!(meant(&site, "https://e.org/a?page=2"), None);
    }

    #[test]
    fn what_tells_pages_apart_counts() {
        let site = site(&[
            "https://e.org/article?ref=1&utm_source=list",
            "https://e.org/article?ref=2&utm_source=list",
        ]);
        for link in ["https://e.org/article?utm_source=rss&ref=2", "https://e.org/article?ref=2"] {
            let page = "e.org/article?ref=2&utm_source=list";
            assert_eq!(meant(&site, link).as_deref(), Some(page), "{link}");
        }
        assert_eq!(meant(&site, "https://e.org/article?ref=3"), None);
        assert_eq!(meant(&site, "https://e.org/article"), None);
    }
}
