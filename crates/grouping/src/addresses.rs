//! Addresses in a form that can be compared, and the page of a crawl that a link points to.
//!
//! Tracking parameters do not change the content of a page, but some sites use such names for identifiers
//! (`article.php?ref=1001`). The pages of the crawl decide: if pages with otherwise equal addresses differ in a
//! parameter, it distinguishes them, unless equal content or an equal canonical address proves that they are one page.
//! All other tracking parameters are ignored.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use url::Url;

/// An address in normal form: equal addresses are of the same page. Tracking parameters are kept separately, since they
/// are ignored unless they distinguish pages.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Address {
    /// Host, path and the other parameters.
    pub key: String,
    /// `name=value` of tracking parameters, names in lower case; sorted, each once.
    pub tracked: Vec<String>,
}

impl Address {
    /// The tracking parameters, with their values.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tracked.iter().map(|pair| pair.split_once('=').unwrap_or((pair, "")))
    }

    /// The normal form as text.
    pub fn exact(&self) -> String {
        match &*self.tracked {
            [] => self.key.clone(),
            tracked => {
                let sign = if self.key.contains('?') { '&' } else { '?' };
                format!("{}{sign}{}", self.key, tracked.join("&"))
            }
        }
    }
}

/// Query parameters that usually do not change the content of a page.
#[derive(Clone, Debug)]
pub struct Tracking {
    exact: Vec<String>,
    prefixes: Vec<String>,
}

/// File names of the page that a folder shows.
const INDEXES: [&str; 5] =
    ["/index.html", "/index.htm", "/index.php", "/default.aspx", "/Default.aspx"];

impl Tracking {
    /// Builds the list from names in lower case; a trailing `*` matches any ending.
    pub fn new(names: &[String]) -> Self {
        let (mut exact, mut prefixes) = (Vec::new(), Vec::new());
        for name in names {
            match name.strip_suffix('*') {
                Some(prefix) => prefixes.push(prefix.to_lowercase()),
                None => exact.push(name.to_lowercase()),
            }
        }
        Self { exact, prefixes }
    }

    fn is_tracking(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.exact.contains(&name) || self.prefixes.iter().any(|p| name.starts_with(p.as_str()))
    }

    /// Splits an address into its parts: without scheme, `www.`, default port, fragment, trailing slash and the name of a folder's page (`index.html`); with
    /// percent-encoding and the case of the host normalised; with parameters in order and tracking parameters separate.
    /// `None` if it is not a URL with a host.
    pub fn address(&self, url: &str) -> Option<Address> {
        let url = Url::parse(url.trim()).ok()?;
        if url.scheme() == "file" {
            return Some(Address { key: url.path().to_owned(), tracked: Vec::new() });
        }
        let host = url.host_str()?.trim_end_matches('.');
        let mut key = host.strip_prefix("www.").unwrap_or(host).to_owned();
        if let Some(port) = url.port() {
            key.push_str(&format!(":{port}"));
        }
        let path = percent_decode_str(url.path()).decode_utf8_lossy();
        let path = path.trim_end_matches('/');
        let folder = INDEXES.iter().find_map(|index| path.strip_suffix(index));
        key.push_str(folder.map_or(path, |folder| folder.trim_end_matches('/')));
        let pairs = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let (mut query, mut tracked) = (Vec::new(), Vec::new());
        for pair in pairs {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if self.is_tracking(name) {
                tracked.push(format!("{}={value}", name.to_lowercase()));
            } else {
                query.push(pair);
            }
        }
        query.sort_unstable();
        if !query.is_empty() {
            key.push('?');
            key.push_str(&query.join("&"));
        }
        tracked.sort_unstable();
        tracked.dedup();
        Some(Address { key, tracked })
    }
}

fn name(pair: &str) -> &str {
    pair.split('=').next().unwrap_or_default()
}

/// The addresses of pages, to resolve links. A look-up takes logarithmic time.
#[derive(Debug, Default)]
pub(crate) struct AddressTable {
    /// Sorted, each once.
    addresses: Vec<Address>,
    /// For keys of several addresses: the names of the tracking parameters in which the addresses differ, and the pairs
    /// that all of them have.
    differing: FxHashMap<String, (Vec<String>, Vec<String>)>,
}

impl AddressTable {
    /// Builds the table from the addresses of pages, in any order.
    pub(crate) fn of(addresses: impl Iterator<Item = Address>) -> Self {
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

    /// Returns the address that a link points to: the one that is equal except for parameters that distinguish no pages.
    /// `None` if there is none, or more than one.
    pub(crate) fn meant_by(&self, link: &Address) -> Option<&Address> {
        match self.of_key(&link.key) {
            [] => None,
            [only] => Some(only),
            several => {
                let (names, all) = self.differing.get(&link.key)?;
                let distinguishing = |pair: &&String| names.iter().any(|n| n == name(pair));
                let mut tracked: Vec<&String> =
                    link.tracked.iter().filter(distinguishing).chain(all).collect();
                tracked.sort_unstable();
                tracked.dedup();
                let at = several
                    .binary_search_by(|other| other.tracked.iter().cmp(tracked.iter().copied()));
                at.ok().map(|at| &several[at])
            }
        }
    }

    /// The names of tracking parameters in which addresses with one key differ, once for each key, in no particular order.
    pub(crate) fn distinguishing(&self) -> impl Iterator<Item = &str> {
        self.differing.values().flat_map(|(names, _)| names).map(String::as_str)
    }

    /// The addresses with this key, which differ only in tracking parameters.
    pub(crate) fn of_key(&self, key: &str) -> &[Address] {
        let from = self.addresses.partition_point(|address| *address.key < *key);
        let rest = &self.addresses[from..];
        &rest[..rest.partition_point(|address| *address.key <= *key)]
    }
}

/// The addresses of all pages of a site.
#[derive(Debug)]
pub struct SiteAddresses {
    tracking: Tracking,
    pub(crate) table: AddressTable,
}

impl SiteAddresses {
    /// Builds the table from the addresses of all pages, as they are in the records.
    pub fn of<'a>(urls: impl Iterator<Item = &'a str>, tracking: Tracking) -> Self {
        let table = AddressTable::of(urls.filter_map(|url| tracking.address(url)));
        Self { tracking, table }
    }

    /// Normalises an address; `None` if it is not a URL with a host.
    pub fn address(&self, url: &str) -> Option<Address> {
        self.tracking.address(url)
    }

    /// Returns the address of the page that a link points to, judging by addresses alone.
    pub fn meant_by(&self, link: &str) -> Option<&Address> {
        self.table.meant_by(&self.address(link)?)
    }
}
