//! Follows the redirects of a crawl.

use std::collections::BTreeMap;

use crate::address::Address;
use crate::addresses::AddressTable;
use crate::tracking::Tracking;

/// Maximum length of a chain of redirects.
pub const MOST_HOPS: usize = 10;

/// Redirects by requested address.
#[derive(Debug)]
pub struct Redirects {
    to: BTreeMap<Address, String>,
    from: AddressTable,
}

/// A redirect of one address to another; none if both are the same.
pub fn redirect(from: &str, to: String, tracking: &Tracking) -> Option<(Address, String)> {
    let (from, address) = (tracking.address(from)?, tracking.address(&to)?);
    (from != address).then_some((from, to))
}

impl Redirects {
    /// Builds the table from redirects in any order. Of several targets, the first by name wins.
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

    /// The final target of a link. A page of the crawl with exactly the address of the link is the target,
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

    /// The addresses on the way of a link for which it matters whether a page has them.
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

    /// Follows targets while `go_on` returns true. It receives an address on the way, whether exactly that
    /// address was redirected, and the target.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_redirects_and_exact_pages_come_first() {
        let tracking = Tracking::new(&["utm_*".into(), "ref".into()]);
        let redirects = |pairs: &[(&str, &str)]| {
            let of = |(from, to): &(&str, &str)| redirect(from, (*to).to_owned(), &tracking);
            Redirects::of(pairs.iter().filter_map(of))
        };
        let page = tracking.address("https://e.org/go?ref=3").unwrap();
        let is_page = |address: &Address| *address == page;
        let led = |of: &Redirects, link: &str| of.follow(link.to_owned(), &tracking, &is_page);

        let two = redirects(&[
            ("https://e.org/go?ref=1", "https://e.org/b"),
            ("https://e.org/go?ref=1", "https://e.org/a"),
            ("https://e.org/go?ref=2", "https://e.org/c"),
            ("https://e.org/c", "https://e.org/d?utm_source=x"),
        ]);
        assert_eq!(led(&two, "https://e.org/go?ref=1&utm_source=rss"), "https://e.org/a");
        assert_eq!(led(&two, "https://e.org/go?ref=2"), "https://e.org/d?utm_source=x");
        assert_eq!(led(&two, "https://e.org/go?ref=3"), "https://e.org/go?ref=3");

        let one = redirects(&[("https://e.org/go", "https://e.org/a")]);
        assert_eq!(led(&one, "https://e.org/go?ref=4"), "https://e.org/a");
        assert_eq!(led(&one, "https://e.org/go?ref=3"), "https://e.org/go?ref=3");
        let doubtful = one.doubtful("https://e.org/go?ref=3", &tracking);
        assert_eq!(doubtful, std::slice::from_ref(&page));
        let ring = redirects(&[
            ("https://e.org/1", "https://e.org/2"),
            ("https://e.org/2", "https://e.org/1"),
        ]);
        assert_eq!(led(&ring, "https://e.org/1"), "https://e.org/1");
    }
}
