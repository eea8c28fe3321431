//! Finds the pages of a site that a link points to, where pages may prove that two addresses are one page, and the feed
//! items that point to a page.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::FeedItem;

use crate::addresses::{Address, AddressTable, SiteAddresses};
use crate::captures::PageHead;

/// Some or all pages of a site, to be found by links.
#[derive(Debug)]
pub struct PagesByLink {
    site: Arc<SiteAddresses>,
    own: BTreeMap<Address, Vec<u32>>,
    /// Pages by the address that they share, because they are proved to be one page.
    proved: BTreeMap<Address, Vec<u32>>,
    /// For keys with such pages: the addresses of the site, with shared ones in place of those of the pages.
    as_proved: AddressTable,
    /// Pages by canonical addresses that are not the address of any page.
    canonical: BTreeMap<Address, u32>,
    by_canonical: AddressTable,
}

impl PagesByLink {
    /// Builds the table from pages, in the order of their indices.
    pub fn of(site: Arc<SiteAddresses>, pages: &[PageHead]) -> Self {
        let addresses: Vec<Option<Address>> =
            pages.iter().map(|page| site.address(&page.url)).collect();
        let canonical: Vec<Option<Address>> =
            pages.iter().map(|page| site.address(page.canonical.as_deref()?)).collect();
        let proofs = proofs(&site, pages, &addresses, &canonical);
        let mut own: BTreeMap<Address, Vec<u32>> = BTreeMap::new();
        let mut proved: BTreeMap<Address, Vec<u32>> = BTreeMap::new();
        for (at, address) in (0..).zip(addresses) {
            if let Some(address) = address {
                let shared = proofs.get(&address).unwrap_or(&address).clone();
                proved.entry(shared).or_default().push(at);
                own.entry(address).or_default().push(at);
            }
        }
        let mut keys: Vec<&str> = proofs.keys().map(|own| &*own.key).collect();
        keys.dedup();
        let of_keys = keys.iter().flat_map(|key| site.table.of_key(key));
        let as_proved = AddressTable::of(of_keys.map(|own| proofs.get(own).unwrap_or(own).clone()));
        // A canonical address is used only if no page has it as its own address: that many pages declare the home page
        // proves nothing.
        let mut named: BTreeMap<Address, u32> = BTreeMap::new();
        for (at, address) in (0..).zip(canonical) {
            if let Some(address) = address.filter(|a| site.table.of_key(&a.key).is_empty()) {
                named.entry(address).or_insert(at);
            }
        }
        let by_canonical = AddressTable::of(named.keys().cloned());
        Self { site, own, proved, as_proved, canonical: named, by_canonical }
    }

    /// Returns the pages that a link points to: more than one if their addresses differ only in scheme, `www.` or the
    /// like.
    pub fn pages(&self, link: &str) -> &[u32] {
        let Some(link) = self.site.address(link) else { return &[] };
        let found = match self.page_address(&link) {
            Some(Meant::Own(address)) => self.own.get(address),
            Some(Meant::Proved(address)) => self.proved.get(address),
            None => {
                let named = self.by_canonical.meant_by(&link);
                return named
                    .and_then(|named| self.canonical.get(named))
                    .map_or(&[], std::slice::from_ref);
            }
        };
        found.map_or(&[], Vec::as_slice)
    }

    /// Whether a link is exactly the address of a page, in normal form.
    pub fn is_exact(&self, link: &str, page: u32) -> bool {
        let link = self.site.address(link);
        link.and_then(|link| self.own.get(&link)).is_some_and(|pages| pages.contains(&page))
    }

    /// Returns the address of the page that a link points to, whether or not the page is in the table.
    pub fn meant_by(&self, link: &str) -> Option<&Address> {
        match self.page_address(&self.site.address(link)?)? {
            Meant::Own(address) | Meant::Proved(address) => Some(address),
        }
    }

    /// The addresses of the site.
    pub fn site(&self) -> &SiteAddresses {
        &self.site
    }

    fn page_address(&self, link: &Address) -> Option<Meant<'_>> {
        // Pages with one canonical address may still be different pages: their exact addresses distinguish them.
        let table = &self.site.table;
        if let Some(exact) = table.meant_by(link).filter(|found| *found == link) {
            return Some(Meant::Own(exact));
        }
        if !self.as_proved.of_key(&link.key).is_empty() {
            return self.as_proved.meant_by(link).map(Meant::Proved);
        }
        table.meant_by(link).map(Meant::Own)
    }
}

/// The address of a page, or one that several pages share.
enum Meant<'a> {
    Own(&'a Address),
    Proved(&'a Address),
}

/// Maps the addresses of pages to shared ones, if the addresses differ only in tracking parameters and the pages have the
/// same content, or the same canonical address and title. Parameters that all of them have are kept.
fn proofs(
    site: &SiteAddresses,
    pages: &[PageHead],
    addresses: &[Option<Address>],
    canonical: &[Option<Address>],
) -> BTreeMap<Address, Address> {
    let mut proofs: BTreeMap<Address, Address> = BTreeMap::new();
    let mut alike: BTreeMap<(&str, u128), Vec<usize>> = BTreeMap::new();
    let mut naming: BTreeMap<&Address, Vec<usize>> = BTreeMap::new();
    for (at, address) in addresses.iter().enumerate() {
        let Some(address) = address else { continue };
        if site.table.of_key(&address.key).len() < 2 {
            continue;
        }
        alike.entry((&address.key, pages[at].digest)).or_default().push(at);
        if let Some(named) = canonical[at].as_ref().filter(|named| named.key == address.key) {
            naming.entry(named).or_default().push(at);
        }
    }
    for pages_alike in alike.values().filter(|pages| pages.len() > 1) {
        let of_pages = || pages_alike.iter().filter_map(|&at| addresses[at].as_ref());
        let Some(first) = of_pages().next() else { continue };
        let mut shared = first.clone();
        shared.tracked.retain(|pair| of_pages().all(|other| other.tracked.contains(pair)));
        for own in of_pages().filter(|own| **own != shared) {
            proofs.insert(own.clone(), shared.clone());
        }
    }
    for (named, pages_naming) in naming {
        let title = |at: &usize| pages[*at].title_hash;
        let one = pages_naming.iter().all(|at| title(at) == title(&pages_naming[0]));
        for own in pages_naming.iter().filter_map(|&at| addresses[at].as_ref()) {
            if one && own != named {
                proofs.insert(own.clone(), named.clone());
            }
        }
    }
    proofs
}

/// Joins the feed items of a site to its `pages` pages: returns for each page the indices of the items that point to it. An item
/// whose link has a numbered fragment that no other item of its feed has is a comment or an entry, and is not joined.
pub fn join_feed_items(items: &[FeedItem], links: &PagesByLink, pages: usize) -> Vec<Vec<u32>> {
    let mut joined = vec![Vec::new(); pages];
    let place_of = |i: usize| Some((&*items[i].feed, items[i].link.split_once('#')?.1));
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    (0..items.len()).filter_map(place_of).for_each(|place| *places.entry(place).or_default() += 1);
    // "#xtor=RSS-1" is a tracking parameter.
    let is_number = |name: &str| !name.contains('=') && name.contains(|c: char| c.is_ascii_digit());
    let is_within = |i: usize| place_of(i).is_some_and(|at| places[&at] == 1 && is_number(at.1));
    for (i, item) in items.iter().enumerate().filter(|(i, _)| !is_within(*i)) {
        for &page in links.pages(&item.link) {
            joined[page as usize].push(i as u32);
        }
    }
    for (page, of_page) in (0..).zip(&mut joined).filter(|(_, of_page)| of_page.len() > 1) {
        keep_own(page, of_page, items, links);
    }
    joined
}

/// Keeps only the feed items that link to exactly this page, if other items have different titles and links that differ
/// in the value of a tracking parameter: these point to different pages, some of which the crawl lacks.
fn keep_own(page: u32, of_page: &mut Vec<u32>, items: &[FeedItem], links: &PagesByLink) {
    let item = |i: &u32| &items[*i as usize];
    let is_own = |i: &u32| links.is_exact(&item(i).link, page);
    let others = of_page.iter().filter(|i| !is_own(i)).map(item);
    let titles: BTreeSet<&str> = others.clone().map(|other| other.title.as_str()).collect();
    if titles.len() < 2 {
        return;
    }
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for address in others.filter_map(|other| links.site().address(&other.link)) {
        for (name, value) in address.parameters() {
            values.entry(name.to_owned()).or_default().insert(value.to_owned());
        }
    }
    if values.values().any(|values| values.len() > 1) {
        of_page.retain(is_own);
    }
}
