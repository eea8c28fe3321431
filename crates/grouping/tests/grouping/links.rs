//! Pages that may prove that two addresses are one page.

use std::sync::Arc;

use sitegrove_grouping::{PageHead, PagesByLink, SiteAddresses, Tracking};

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
