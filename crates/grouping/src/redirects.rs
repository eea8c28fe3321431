//! Follows the redirects of a crawl.

use std::collections::BTreeMap;

use crate::addresses::{Address, AddressTable, Tracking};

/// Maximum length of a chain of redirects.
pub const MOST_HOPS: usize = 10;

/// Redirects, by the requested address.
#[derive(Debug)]
pub struct Redirects {
    to: BTreeMap<Address, String>,
    from: AddressTable,
}

/// Makes the redirect of one address to another; `None` if both are the same.
pub fn redirect(from: &str, to: String, tracking: &Tracking) -> Option<(Address, String)> {
    let (from, address) = (tracking.address(from)?, tracking.address(&to)?);
    (from != address).then_some((from, to))
}

impl Redirects {
    /// Builds the table from redirects in any order. If an address has several targets, the first in text order wins.
    pub fn of(redirects: impl Iterator<Item = (Address, String)>) -> Self {
        let mut all: BTreeMap<Address, String> = BTreeMap::new();
        for (from, to) in redirects {
            let kept = all.entry(from).or_insert_with(|| to.clone());
            if to < *kept {
                *kept = to;
            }
        }
        let from = AddressTable::of(all.keys().cloned());
        Self { to: all, from }
    }

    /// Returns the final target of a link. If a page of the crawl has exactly the address of the link, it is the target,
    /// unless exactly that address was redirected too.
    pub fn follow(
        &self,
        link: String,
        tracking: &Tracking,
        is_page: &dyn Fn(&Address) -> bool,
    ) -> String {
        let mut link = link;
        self.walk(tracking.address(&link), tracking, &mut |address, is_exact, to| {
            let on = is_exact || !is_page(address);
            if on {
                to.clone_into(&mut link);
            }
            on
        });
        link
    }

    /// Returns the addresses on the way of a link for which it matters whether a page has them.
    pub fn doubtful(&self, link: &str, tracking: &Tracking) -> Vec<Address> {
        let mut doubtful = Vec::new();
        self.walk(tracking.address(link), tracking, &mut |address, is_exact, _| {
            if !is_exact {
                doubtful.push(address.clone());
            }
            true
        });
        doubtful
    }

    /// Follows targets while `go_on` returns true. It is given an address on the way, whether exactly that address was
    /// redirected, and the target.
    fn walk(
        &self,
        from: Option<Address>,
        tracking: &Tracking,
        go_on: &mut dyn FnMut(&Address, bool, &str) -> bool,
    ) {
        let mut at = from;
        for _ in 0..MOST_HOPS {
            let Some(address) = at else { break };
            let Some(from) = self.from.meant_by(&address) else { break };
            let Some(to) = self.to.get(from) else { break };
            if !go_on(&address, *from == address, to) {
                break;
            }
            at = tracking.address(to);
        }
    }
}
