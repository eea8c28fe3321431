//! Addresses in normal form.

use sitegrove_grouping::Tracking;

#[test]
fn same_pages_have_the_same_key() {
    let tracking = Tracking::new(&["utm_*".into(), "fbclid".into()]);
    let key = |u: &str| tracking.address(u).unwrap().key;
    let plain = key("https://example.org/a%C3%A9/b");
    for same in [
        "http://www.example.org/a%c3%a9/b/",
        "http://EXAMPLE.org:80/aé/b#top",
        "https://example.org/aé/b?utm_source=rss&UTM_Medium=x&fbclid=1",
    ] {
        assert_eq!(key(same), plain, "{same}");
    }
    for same in
        ["http://e.org/a/index.html", "http://e.org/a/index.php", "http://e.org/a/Default.aspx"]
    {
        assert_eq!(key(same), key("http://e.org/a/"));
    }
    assert_ne!(key("http://e.org/a-index.html"), key("http://e.org/a"));
    assert_eq!(key("http://e.org/?b=2&a=1"), key("http://www.e.org?a=1&b=2"));
    assert_ne!(key("http://e.org/?id=1"), key("http://e.org/?id=2"));
    assert_ne!(key("http://e.org:8080/"), key("http://e.org/"));
    let tracked = |u: &str| tracking.address(u).unwrap().tracked;
    assert_eq!(tracked("http://e.org/?UTM_x=B&id=1&fbclid&UTM_x=B"), ["fbclid=", "utm_x=B"]);
}
