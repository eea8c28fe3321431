//! Feeds of every kind, joined to pages by normalised addresses.

use std::fs;
use std::path::Path;

use crate::common::crawl::Crawl;
use crate::common::program::{in_repository, run, write_file};
use crate::common::prose;
use crate::common::results::{Results, text};

const URL: &str = "https://joined.example/notes/one";
const SUMMARY: &str = "A summary that stands in the feed and nowhere else.";

/// A run that uses title and description of the feed item as the article, which shows the join.
fn described(crawl: &Crawl, feeds: &[(&str, &str)]) -> Results {
    let (folder, archive, out) = crawl.placed("crawl.warc.gz");
    let place = folder.path().join("feeds");
    let mut flags = vec!["--engine", "description"];
    if !feeds.is_empty() {
        fs::create_dir(&place).unwrap();
        flags.extend(["--feeds", place.to_str().unwrap()]);
    }
    for (name, feed) in feeds {
        fs::write(place.join(name), feed).unwrap();
    }
    run(&[&archive], &out, &flags)
}

fn is_joined(results: &Results, url: &str) -> bool {
    let article = results.article(url);
    let joined = article["engine"] == "description";
    assert_eq!(joined, text(article, "text").contains(SUMMARY), "{article}");
    joined
}

fn page() -> Crawl {
    let mut crawl = Crawl::new();
    crawl.page(URL, &prose::post(1)).page("https://joined.example/notes/two", &prose::post(2));
    crawl
}

fn rss_2(link: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Joined</title>\
         <link>https://joined.example/</link><description>d</description><item><title>One</title>\
         <link>{link}</link><description>{SUMMARY}</description></item></channel></rss>"
    )
}

#[test]
fn every_kind_of_feed() {
    let rss = |version: &str| rss_2(URL).replace("2.0", version);
    let rdf = |namespace: &str| {
        format!(
            "<?xml version=\"1.0\"?><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
             xmlns=\"{namespace}\"><channel rdf:about=\"https://joined.example/\"><title>Joined</title>\
             <link>https://joined.example/</link><description>d</description></channel>\
             <item rdf:about=\"{URL}\"><title>One</title><link>{URL}</link>\
             <description>{SUMMARY}</description></item></rdf:RDF>"
        )
    };
    let atom = |namespace: &str, date: &str| {
        format!(
            "<?xml version=\"1.0\"?><feed xmlns=\"{namespace}\"><title>Joined</title><id>urn:1</id>\
             <entry><title>One</title><id>urn:2</id><link rel=\"alternate\" type=\"text/html\" \
             href=\"{URL}\"/><{date}>2024-05-01T00:00:00Z</{date}><summary>{SUMMARY}</summary></entry></feed>"
        )
    };
    let json = format!(
        "{{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"Joined\", \"items\": \
         [{{\"id\": \"1\", \"url\": \"{URL}\", \"title\": \"One\", \"summary\": \"{SUMMARY}\"}}]}}"
    );
    for (name, feed) in [
        ("rss-0.90.rdf", rdf("http://my.netscape.com/rdf/simple/0.9/")),
        ("rss-0.91.xml", rss("0.91")),
        ("rss-0.92.rss", rss("0.92")),
        ("rss-1.0.rdf", rdf("http://purl.org/rss/1.0/")),
        ("rss-2.0.xml", rss_2(URL)),
        ("atom-0.3.xml", atom("http://purl.org/atom/ns#", "modified")),
        ("atom-1.0.atom", atom("http://www.w3.org/2005/Atom", "updated")),
        ("feed.json", json),
    ] {
        let results = described(&page(), &[(name, &feed)]);
        assert!(is_joined(&results, URL), "{name}: {:?}", results.dropped);
        assert!(!is_joined(&results, "https://joined.example/notes/two"), "{name}");
        assert_eq!(results.count("feed_items"), 1, "{name}");
    }
}

#[test]
fn addresses_that_differ_as_they_do_in_life() {
    for (link, joined) in [
        (URL, true),
        ("http://joined.example/notes/one", true),
        ("https://www.joined.example/notes/one", true),
        ("https://joined.example/notes/one/", true),
        ("https://joined.example/notes/one#comments", true),
        ("https://joined.example/notes/one?utm_source=rss&amp;utm_medium=feed", true),
        ("https://joined.example/notes/one?fbclid=x&amp;mc_cid=y#top", true),
        ("HTTPS://JOINED.EXAMPLE:443/notes/%6Fne", true),
        ("/notes/one", true),
        ("https://joined.example/notes/One", false),
        ("https://joined.example/notes/one?page=2", false),
        ("https://joined.example:8443/notes/one", false),
        ("https://other.example/notes/one", false),
    ] {
        let results = described(&page(), &[("feed.xml", &rss_2(link))]);
        assert_eq!(is_joined(&results, URL), joined, "{link}");
    }
}

#[test]
fn redirects_seen_in_the_crawl_lead_to_the_page() {
    let mut crawl = page();
    let moved = |to: &str| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\n");
    crawl.response("https://short.example/x", &moved("https://joined.example/old/one"), b"");
    crawl.response("https://joined.example/old/one", &moved("/notes/one"), b"");
    // A redirect cycle must not hang.
    crawl.response("https://short.example/a", &moved("https://short.example/b"), b"");
    crawl.response("https://short.example/b", &moved("https://short.example/a"), b"");
    let results =
        described(&crawl, &[("feed.xml", &rss_2("http://short.example/x?utm_source=rss"))]);
    assert!(is_joined(&results, URL));
    let results = described(&crawl, &[("feed.xml", &rss_2("https://short.example/a"))]);
    assert!(!is_joined(&results, URL));
    assert_eq!(results.count("feed_items_elsewhere"), 1);
}

#[test]
fn a_canonical_address_leads_to_the_page() {
    let mut crawl = Crawl::new();
    let url = "https://joined.example/index.php?id=17";
    let canonical = "<link rel=canonical href=/notes/one>";
    crawl.page(url, &prose::post_with(1, canonical, ""));
    let results = described(&crawl, &[("feed.xml", &rss_2(URL))]);
    assert!(is_joined(&results, url));
    // If the crawl has a page at the address itself, it is that page.
    crawl.page(URL, &prose::post(2));
    let results = described(&crawl, &[("feed.xml", &rss_2(URL))]);
    assert!(is_joined(&results, URL) && !is_joined(&results, url));
}

#[test]
fn feeds_among_the_records_of_an_archive() {
    let mut crawl = page();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n";
    crawl.response("https://joined.example/feed", head, rss_2("/notes/one").as_bytes());
    // Declared as a page by the server, but a feed.
    let other = rss_2("https://joined.example/notes/two").replace("One", "Two");
    crawl.page("https://joined.example/feed-two", &other);
    let results = described(&crawl, &[]);
    assert!(is_joined(&results, URL) && is_joined(&results, "https://joined.example/notes/two"));
    assert_eq!(results.count("feed_items"), 2);
    assert_eq!(results.articles.len(), 2);
}

#[test]
fn a_broken_feed_is_a_counted_drop() {
    let mut crawl = page();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/atom+xml\r\n";
    crawl.response("https://joined.example/broken", head, b"<feed");
    let results = described(
        &crawl,
        &[("broken.xml", "this is no feed"), ("empty.xml", ""), ("good.xml", &rss_2(URL))],
    );
    assert!(is_joined(&results, URL));
    let broken = results.drops("bad-feed");
    let files: Vec<&str> = broken.iter().map(|d| text(&d["origin"], "file")).collect();
    for name in ["broken.xml", "empty.xml", "crawl.warc.gz"] {
        let found = files.iter().filter(|f| f.ends_with(name)).count();
        assert_eq!(found, 1, "{name}: {broken:?}");
    }
    let inside = broken.iter().find(|d| d["url"] == "https://joined.example/broken").unwrap();
    let before: usize = crawl.members()[..2].iter().map(Vec::len).sum();
    assert_eq!(inside["origin"]["offset"], before);
}

#[test]
fn half_a_feed_gives_its_whole_items() {
    let one = rss_2(URL);
    let cut = one.replace("</item>", "</item><item><title>Two</title><link>https://joined.exa");
    let cut = &cut[..cut.find("</channel>").unwrap()];
    let results =
        described(&page(), &[("cut.xml", cut), ("bare.xml", &one.replace("One", "You & me"))]);
    assert!(is_joined(&results, URL), "{:?}", results.dropped);
}

#[test]
fn metadata_says_what_came_from_a_feed() {
    let (folder, archive, out) = page().placed("crawl.warc.gz");
    let feed = write_file(folder.path(), "feed.xml", rss_2(URL));
    let flags = ["--feeds", feed.to_str().unwrap()];
    let results = run(&[&archive], &out, &flags);
    let article = results.article(URL);
    assert_eq!(text(article, "description"), SUMMARY);
    assert_eq!(text(&article["sources"], "description"), "feed");
    assert!(results.article("https://joined.example/notes/two")["description"].is_null());
}

#[test]
fn the_samples_feeds_find_their_pages() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = in_repository("data/crawl");
    let feeds = in_repository("data/feeds");
    let flags = ["--feeds", feeds.to_str().unwrap(), "--engine", "description"];
    let results = run(&[Path::new(&crawl)], &folder.path().join("out"), &flags);
    let by_feed = results.articles.iter().filter(|a| a["engine"] == "description").count();
    assert!(by_feed >= 55, "only {by_feed} pages were found by feeds");
    // The page of one item was not fetched; all others are on one of the sites.
    assert!(results.count("feed_items_elsewhere") <= 1);
}

/// Feeds with odd values, from a file and from a record: all items are used.
#[test]
fn odd_values_of_a_feed_cost_nothing() {
    let namespaces = "xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" \
                      xmlns:dc=\"http://purl.org/dc/elements/1.1/\"";
    for bad in [
        "<dc:creator>王小明（desk@x.example）</dc:creator>",
        "<author>Jane&#8211;desk@x.example</author>",
        "<itunes:duration>999999999999999999999999</itunes:duration>",
    ] {
        let feed = rss_2(URL)
            .replace("version=\"2.0\"", &format!("version=\"2.0\" {namespaces}"))
            .replace("<item>", &format!("<item><title>Two</title><link>https://joined.example/notes/two</link>{bad}</item><item>"));
        let results = described(&page(), &[("feed.xml", &feed)]);
        assert!(is_joined(&results, URL), "{bad}");
        assert!(results.dropped.is_empty(), "{bad}: {:?}", results.dropped);
        let mut crawl = page();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n";
        crawl.response("https://joined.example/feed", head, feed.as_bytes());
        assert!(is_joined(&described(&crawl, &[]), URL), "{bad}");
    }
}

/// Items of a broken feed that cannot be read are counted, and the others used.
#[test]
fn unreadable_items_are_counted() {
    let broken = "<item><title>Two</title><link>https://joined.example/notes/two</link><![CDATA[</item><item>";
    let feed = rss_2(URL).replace("<item>", broken);
    let results = described(&page(), &[("feed.xml", &feed)]);
    assert!(is_joined(&results, URL));
    let drop = &results.dropped[0];
    assert_eq!(drop["reason"], "bad-feed");
    let detail = text(drop, "detail");
    assert!(detail.contains("items of the feed that cannot be read: 1 ("), "{detail}");
    assert!(detail.contains("the others were read"), "{detail}");
}
