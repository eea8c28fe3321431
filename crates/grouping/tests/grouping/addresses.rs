//! Links find the pages of a site by their addresses.

use sitegrove_grouping::{Address, SiteAddresses, Tracking};

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
