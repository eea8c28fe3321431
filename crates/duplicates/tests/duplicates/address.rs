//! Addresses of one article.

use grouping::Tracking;
use sitegrove_duplicates::{AddressForm, story_address};

#[test]
fn versions_of_a_page_have_one_key() {
    let tracking = Tracking::new(&["utm_*".into()]);
    let of = |url: &str| story_address(url, &tracking).unwrap();
    let plain = of("https://www.example.org/2026/05/a-story.html");
    assert_eq!(plain.form, AddressForm::default());
    for version in [
        "http://m.example.org/2026/05/a-story.html",
        "https://amp.example.org/2026/05/a-story.html",
        "https://example.org/amp/2026/05/a-story.html",
        "https://example.org/2026/05/a-story.html/amp/",
        "https://example.org/2026/05/a-story.amp.html",
        "https://example.org/2026/05/a-story.html?amp=1",
        "https://example.org/2026/05/a-story.html?outputType=amp&utm_source=x",
        "https://example.org/2026/05/a-story.html?print=true",
        "https://example.org/print/2026/05/a-story.html",
        "https://mobile.www.example.org/2026/05/a-story.html",
        "https://www-example-org.cdn.ampproject.org/c/s/www.example.org/2026/05/a-story.html",
    ] {
        let found = of(version);
        assert_eq!(found.key, plain.key, "{version}");
        assert!(found.form.is_version, "{version}");
    }
    assert!(of("https://example.org/2026/05/a-story.html?utm_source=x").form.is_tracked);
    assert!(of("HTTP://example.org/a").form.is_plain_http);
    assert_eq!(of("https://e.org/a/index.html").key, of("https://e.org/a/").key);
    for other in [
        "https://example.org/2026/05/b.html",
        "https://example.org/2026/05/a-story.html?id=2",
        "https://m.org/a",
    ] {
        assert_ne!(of(other).key, plain.key, "{other}");
        assert!(!of(other).form.is_version, "{other}");
    }
    assert_eq!(story_address("no address", &tracking), None);
}
