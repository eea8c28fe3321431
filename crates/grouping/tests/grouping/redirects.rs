//! Redirects of a crawl.

use sitegrove_grouping::{Address, Redirects, Tracking, redirect};

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
