//! The digest answers like the table of all addresses.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sitegrove_grouping::{AddressDigest, SiteAddresses, Tracking};

fn tracking() -> Tracking {
    Tracking::new(&["utm_*".into(), "ref".into()])
}

fn digest(urls: &[&str]) -> AddressDigest {
    AddressDigest::of(urls.iter().copied(), &tracking())
}

#[test]
fn a_section_has_three_pages_below() {
    let digest = digest(&[
        "https://e.org/",
        "https://e.org/news/1?page=2",
        "https://e.org/news/2",
        "https://e.org/news/2",
        "https://e.org/blog/1/",
        "https://e.org/blog/2#top",
        "http://e.org/blog/3/print",
        "https://e.org/blogs/4",
    ]);
    for section in ["https://e.org", "http://e.org/?x=1", "https://e.org/blog/#end"] {
        assert!(digest.pages_below(section), "{section}");
    }
    for other in ["https://e.org/news/", "https://e.org/blo", "https://e.org/blog/3/"] {
        assert!(!digest.pages_below(other), "{other}");
    }
}

#[test]
fn links_to_a_page_itself_or_twice_to_another_do_not_count() {
    let digest =
        digest(&["https://e.org/", "https://e.org/a", "https://e.org/b", "https://e.org/c"]);
    let leads = |links: &[&str], at_least| {
        digest.leads_to(links.iter().copied(), "https://e.org/a", at_least, &tracking())
    };
    let links = ["https://e.org/b", "https://e.org/a?ref=1", "http://e.org/b/", "https://e.org/x"];
    assert!(leads(&links, 1) && !leads(&links, 2) && leads(&[], 0) && !leads(&[], 1));
    assert!(leads(&["https://e.org/b", "https://e.org/", "https://e.org/c"], 3));
}

/// An address without scheme, query and fragment, with a trailing slash.
fn path_of(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap();
    format!("{}/", url.split_once("://").unwrap().1.trim_end_matches('/'))
}

/// Addresses of a small site, some of which differ only in one tracking parameter.
fn url() -> impl Strategy<Value = String> {
    let scheme = prop::sample::select(vec!["http://", "https://www."]);
    let path = prop::collection::vec("[ab]?", 0..4).prop_map(|parts| parts.join("/"));
    let query = prop::sample::select(vec!["", "?ref=1", "?ref=2", "?id=1", "?ref=1&id=1", "#x"]);
    (scheme, path, query).prop_map(|(scheme, path, query)| format!("{scheme}e.org/{path}{query}"))
}

proptest! {
    #[test]
    fn it_says_what_all_addresses_say(
        urls in prop::collection::btree_set(url(), 0..12),
        links in prop::collection::vec(url(), 0..12),
    ) {
        let of = || urls.iter().map(String::as_str);
        let (all, digest) = (SiteAddresses::of(of(), tracking()), AddressDigest::of(of(), &tracking()));
        prop_assert_eq!(digest.validate(), Ok(()));
        let mut meant = BTreeSet::new();
        let mut targets = BTreeSet::new();
        for link in links.iter().chain(&urls) {
            let path = path_of(link);
            let below = urls.iter().map(|url| path_of(url)).filter(|own| *own != path && own.starts_with(&path));
            prop_assert_eq!(digest.pages_below(link), below.count() >= 3, "{}", link);
            let (page, target) = (all.meant_by(link), digest.target(link, &tracking()));
            prop_assert_eq!(page.is_some(), target.is_some(), "{}", link);
            meant.extend(page);
            targets.extend(target);
        }
        prop_assert_eq!(meant.len(), targets.len());
        prop_assert_eq!(meant.len() as u64, digest.total());
    }

    #[test]
    fn order_and_repetition_do_not_matter(
        urls in prop::collection::vec(url(), 1..12).prop_shuffle(),
        more in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let set: BTreeSet<&str> = urls.iter().map(String::as_str).collect();
        let again = more.iter().map(|index| index.get(&urls).as_str());
        let shuffled: Vec<&str> = urls.iter().map(String::as_str).chain(again).collect();
        prop_assert_eq!(digest(&shuffled), AddressDigest::of(set.iter().copied(), &tracking()));
    }
}
