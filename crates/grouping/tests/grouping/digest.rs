//! The digest answers like the table of all addresses.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use sitegrove_grouping::{AddressDigest, SiteAddresses, Tracking};

/// Bounds of the digest: sections and addresses, distinguishing parameters, bytes of a name, levels of sections.
const MOST: usize = 1 << 16;
const MOST_DISTINGUISHING: usize = 64;
const LONGEST_NAME: usize = 128;
const DEEPEST: usize = 64;

/// A digest as it is written.
#[derive(Clone, Deserialize, Serialize)]
struct DigestFields {
    sections: Vec<u64>,
    distinguishing: Vec<String>,
    addresses: Vec<u64>,
    total: u64,
}

impl DigestFields {
    fn of(digest: &AddressDigest) -> Self {
        rmp_serde::from_slice(&rmp_serde::to_vec(digest).unwrap()).unwrap()
    }

    fn read(&self) -> AddressDigest {
        rmp_serde::from_slice(&rmp_serde::to_vec(self).unwrap()).unwrap()
    }
}

fn tracking() -> Tracking {
    Tracking::new(&["utm_*".into(), "ref".into()])
}

fn digest(urls: &[&str]) -> AddressDigest {
    AddressDigest::of(urls.iter().copied(), &tracking())
}

#[test]
fn a_section_has_three_pages_below() {
    let digest = digest(&[
        "https://e.org/", "https://e.org/news/1?page=2", "https://e.org/news/2",
        "https://e.org/news/2", "https://e.org/blog/1/", "https://e.org/blog/2#top",
        "http://e.org/blog/3/print", "https://e.org/blogs/4",
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

#[test]
fn parameters_count_where_pages_differ_in_them() {
    let digest = digest(&[
        "https://e.org/article?ref=1",
        "https://e.org/article?ref=2&utm_source=x",
        "https://e.org/a?utm_source=home",
        "https://e.org/b",
    ]);
    assert_eq!(
        (digest.total(), &*DigestFields::of(&digest).distinguishing),
        (4, &["ref".into(), "utm_source".into()][..])
    );
    let target = |link: &str| digest.target(link, &tracking());
    let first = target("http://www.e.org/article?utm_medium=rss&ref=1");
    assert!(first.is_some());
    assert_ne!(target("https://e.org/article?utm_source=x&ref=2"), first);
    assert_eq!(target("https://e.org/article?ref=3"), None);
    assert_eq!(target("https://e.org/article"), None);
    // Only these pages have such addresses: links with any further parameters point to them.
    assert_eq!(target("https://e.org/a"), target("https://e.org/a?ref=9&utm_source=home"));
    assert!(target("https://e.org/a").is_some() && target("https://e.org/b?ref=1").is_some());
    assert_eq!(target("no address"), None);
}

#[test]
fn found_targets_stand_for_those_that_are_not_kept() {
    let urls: Vec<String> = (0..4 * MOST).map(|n| format!("https://e.org/{n}")).collect();
    let digest = AddressDigest::of(urls.iter().map(String::as_str), &tracking());
    digest.validate().unwrap();
    assert_eq!(
        (DigestFields::of(&digest).addresses.len(), digest.total()),
        (MOST, 4 * MOST as u64)
    );
    let mut known: Vec<&str> = urls.iter().map(String::as_str).collect();
    known.retain(|url| digest.target(url, &tracking()).is_some());
    assert_eq!(known.len(), MOST);
    let leads = |links: &[&str], at_least| {
        digest.leads_to(links.iter().copied(), "https://e.org/", at_least, &tracking())
    };
    assert!(leads(&known[..1], 4) && !leads(&known[..1], 5) && leads(&known[..2], 8));
}

#[test]
fn the_largest_sections_and_the_most_distinguishing_names_are_kept() {
    let sections = (0..MOST as u32 + 9).flat_map(|n| (0..3 + n.min(1)).map(move |page| (n, page)));
    let mut urls: Vec<String> =
        sections.map(|(n, page)| format!("https://e.org/{n}/{page}")).collect();
    let long = format!("utm_{}", "x".repeat(LONGEST_NAME));
    for (number, name) in
        (0..MOST_DISTINGUISHING).map(|n| format!("utm_{n:03}")).chain([long]).enumerate()
    {
        urls.extend((0..2).map(|page| format!("https://e.org/expected-{number}?{name}={page}")));
    }
    for key in 0..2 {
        urls.extend((0..2).map(|page| format!("https://e.org/again-{key}?utm_z={page}")));
    }
    let digest = AddressDigest::of(urls.iter().map(String::as_str), &tracking());
    digest.validate().unwrap();
    let stored = DigestFields::of(&digest);
    assert_eq!((stored.sections.len(), stored.distinguishing.len()), (MOST, MOST_DISTINGUISHING));
    assert!(digest.pages_below("https://e.org/") && !digest.pages_below("https://e.org/0"));
    assert_eq!(stored.distinguishing.last().map(String::as_str), Some("utm_z"));
    assert!(!stored.distinguishing.contains(&format!("utm_{:03}", MOST_DISTINGUISHING - 1)));
}

#[test]
fn slashes_alone_do_not_take_memory() {
    let urls: Vec<String> =
        (0..4).map(|n| format!("https://e.org{}{n}", "/".repeat(8_000))).collect();
    let digest = AddressDigest::of(urls.iter().map(String::as_str), &tracking());
    assert_eq!(DigestFields::of(&digest).sections.len(), DEEPEST);
}

#[test]
fn damage_is_told() {
    let made = digest(&["https://e.org/s/1", "https://e.org/s/2", "https://e.org/s/3"]);
    made.validate().unwrap();
    let made = DigestFields::of(&made);
    assert_eq!((made.sections.len(), made.addresses.len()), (2, 3));
    let damaged = |damage: &dyn Fn(&mut DigestFields)| {
        let mut digest = made.clone();
        damage(&mut digest);
        digest.read().validate().unwrap_err()
    };
    let rising = || (0..=MOST as u64).collect::<Vec<u64>>();
    let longest = DigestFields { distinguishing: vec!["x".repeat(LONGEST_NAME)], ..made.clone() };
    longest.read().validate().unwrap();
    for (expected, damage) in [
        (
            "the sections are not sorted",
            &(|d: &mut DigestFields| d.sections.reverse()) as &dyn Fn(&mut DigestFields),
        ),
        ("the addresses are not sorted", &|d| d.addresses[1] = d.addresses[0]),
        ("65537 sections", &|d| d.sections = rising()),
        ("65537 addresses", &|d| d.addresses = rising()),
        ("3 addresses of 4", &|d| d.total = 4),
        ("65536 addresses of 7", &|d| {
            d.addresses = rising()[1..].to_vec();
            d.total = 7;
        }),
        ("distinguishing parameters are not sorted", &|d| {
            d.distinguishing = vec!["b".into(), "a".into()]
        }),
        ("65 parameters", &|d| d.distinguishing = (0..65).map(|n| format!("{n:02}")).collect()),
        ("name of 129 bytes", &|d| d.distinguishing = vec!["x".repeat(129)]),
    ] {
        let error = damaged(damage);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn merged_digests_know_the_addresses_of_both() {
    let (one, other) = (
        digest(&["https://e.org/a/1", "https://e.org/a/2", "https://e.org/a/3"]),
        digest(&["https://e.org/b", "https://e.org/b?ref=1", "https://e.org/b?ref=2"]),
    );
    let both = one.merged(&other);
    assert_eq!(both, other.merged(&one));
    assert_eq!(both.merged(&one), both);
    both.validate().unwrap();
    assert!(both.pages_below("https://e.org/a"));
    assert_eq!(both.total(), one.total() + other.total());
    let links = ["https://e.org/a/1", "https://e.org/b?ref=2"];
    assert!(both.leads_to(links.into_iter(), "https://e.org/", 2, &tracking()));
    assert!(!one.leads_to(links.into_iter(), "https://e.org/", 2, &tracking()));
}
