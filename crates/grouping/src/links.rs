//! Finds the pages of a site that a link points to, when pages may prove that two addresses are one page.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::address::Address;
use crate::addresses::{AddressTable, SiteAddresses};
use crate::head::PageHead;

/// Some or all pages of a site, found by links.
#[derive(Debug)]
pub struct PagesByLink {
    site: Arc<SiteAddresses>,
    own: BTreeMap<Address, Vec<u32>>,
    /// By the shared address of pages that are proved to be one.
    proved: BTreeMap<Address, Vec<u32>>,
    /// For keys with such pages: the addresses of the site, with the shared ones.
    as_proved: AddressTable,
    /// Canonical addresses that are the address of no page.
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
        let mut own: BTreeMap<Address, Vec<u32>> = BTreeMap::new();
        for (at, address) in (0..).zip(&addresses) {
            if let Some(address) = address {
                own.entry(address.clone()).or_default().push(at);
            }
        }
        let proofs = proofs(&site, pages, &addresses, &canonical);
        let mut proved: BTreeMap<Address, Vec<u32>> = BTreeMap::new();
        for (at, address) in (0..).zip(&addresses) {
            if let Some(address) = address {
                let shared = proofs.get(address).unwrap_or(address).clone();
                proved.entry(shared).or_default().push(at);
            }
        }
        let mut keys: Vec<&str> = proofs.keys().map(|own| &*own.key).collect();
        keys.dedup();
        let of_keys = keys.iter().flat_map(|key| site.table.of_key(key));
        let as_proved = AddressTable::of(of_keys.map(|own| proofs.get(own).unwrap_or(own).clone()));
        // A canonical address is used only if no page has it as its own address; many pages that declare the
        // home page prove nothing.
        let mut named: BTreeMap<Address, u32> = BTreeMap::new();
        for (at, address) in (0..).zip(canonical) {
            if let Some(address) = address.filter(|a| site.table.of_key(&a.key).is_empty()) {
                named.entry(address).or_insert(at);
            }
        }
        let by_canonical = AddressTable::of(named.keys().cloned());
        Self { site, own, proved, as_proved, canonical: named, by_canonical }
    }

    /// The pages that a link points to: more than one if their addresses differ only in scheme, `www.` or the
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

    /// Whether a link is exactly the address of the page, in normal form.
    pub fn is_exact(&self, link: &str, page: u32) -> bool {
        let link = self.site.address(link);
        link.and_then(|link| self.own.get(&link)).is_some_and(|pages| pages.contains(&page))
    }

    /// The address of the page that a link points to, whether or not the page is in the table.
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
        // Pages with one canonical address may still be several: their exact addresses distinguish them.
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

/// An address of a page, or one that several pages share.
enum Meant<'a> {
    Own(&'a Address),
    Proved(&'a Address),
}

/// Maps addresses of pages to shared ones: for pages whose addresses differ only in tracking parameters, and
/// which have the same content, or the same canonical address and title. Parameters that all of them have are
/// kept.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracking::Tracking;

    fn site(urls: &[&str]) -> SiteAddresses {
        let tracking = Tracking::new(&["utm_*".into(), "ref".into()]);
        SiteAddresses::of(urls.iter().copied(), tracking)
    }

    fn page(url: &str, canonical: &str, title: &str, html: &str) -> PageHead {
        let canonical = (!canonical.is_empty()).then(|| canonical.to_owned());
        PageHead::of(&crate::samples::page(url, html), canonical, title)
    }

    #[test]
    fn proofs_join_what_addresses_tell_apart() {
        let (one, two) = ("https://e.org/a?ref=1", "https://e.org/a?ref=2");
        let site = Arc::new(site(&[one, two]));
        let link = "https://e.org/a?ref=3";
        for (what, pages, found) in [
            ("nothing", [page(one, "", "A", "x"), page(two, "", "A", "y")], &[][..]),
            ("content", [page(one, "", "A", "x"), page(two, "", "A", "x")], &[0, 1]),
            (
                "canonical",
                [page(one, "https://e.org/a", "A", "x"), page(two, "https://e.org/a", "A", "y")],
                &[0, 1],
            ),
            (
                "titles",
                [page(one, "https://e.org/a", "A", "x"), page(two, "https://e.org/a", "B", "y")],
                &[],
            ),
        ] {
            let by_link = PagesByLink::of(Arc::clone(&site), &pages);
            assert_eq!(by_link.pages(link), found, "{what}");
            assert_eq!(by_link.pages(two), [1], "{what}: exactly its address");
        }
        let urls = ["https://e.org/a?ref=1", "https://e.org/a?ref=2", "https://e.org/a?ref=4"];
        let site = Arc::new(self::site(&urls));
        let by_link = PagesByLink::of(site, &urls.map(|url| page(url, "", "A", "x")));
        assert_eq!(by_link.pages(link), [0, 1, 2], "content of three");
    }

    #[test]
    fn a_canonical_address_leads_to_its_first_page_where_no_page_has_it() {
        let urls = ["https://e.org/amp/a", "https://e.org/amp/b", "https://e.org/c"];
        let site = Arc::new(site(&urls));
        let home = "https://e.org/";
        let pages = [
            page(urls[0], "https://e.org/a", "A", "x"),
            page(urls[1], home, "B", "y"),
            page(urls[2], home, "C", "z"),
        ];
        let by_link = PagesByLink::of(site, &pages);
        assert_eq!(by_link.pages("https://e.org/a?utm_source=rss"), [0]);
        assert_eq!(by_link.pages(home), [1]);
        assert_eq!(by_link.pages(urls[2]), [2]);
    }
}
