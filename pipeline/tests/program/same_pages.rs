//! Pages that come again in another layout: what was text of them before is text of them now.

use serde_json::Value;

use crate::common::crawl::{Crawl, HTML};
use crate::common::nights::{DAYS, Night, Nights, url};
use crate::common::prose;

/// A paragraph that is beside the text of a post, in a link.
fn aside(n: usize) -> String {
    prose::paragraphs(n + 500).swap_remove(0)
}

fn with_aside(n: usize) -> String {
    let aside = format!(
        "<aside class=side><h4>From our archive</h4><p><a href=/old>{}</a></p></aside>\n<h1>",
        aside(n)
    );
    prose::post(n).replace("<h1>", &aside)
}

/// Another layout, in which that paragraph comes after the others, in a box that is named or not.
fn redesigned(n: usize, has_name: bool) -> String {
    let paragraph = |text: &String| format!("<p>{text}</p>");
    let body: String = prose::paragraphs(n).iter().map(paragraph).collect();
    let (title, last) = (prose::title(n), paragraph(&aside(n)));
    let last = if has_name { format!("<div class=box>{last}</div>") } else { last };
    format!(
        "<!doctype html><html lang=en><head><title>{title}</title></head><body><div id=app><header><nav>\
         <a href=/>Start</a> <a href=/topics>Topics</a></nav></header><main><article><h2>{title}</h2>\
         <section class=story>{body}{last}</section></article></main><footer><small>All rights reserved by \
         nobody in particular.</small></footer></div>"
    )
}

/// Three nights of the same posts, and then these.
fn nights(last: &[(String, String)]) -> (Nights, Night) {
    let mut nights = Nights::new();
    let posts: Vec<_> = (0..10).map(|n| (url(n), with_aside(n))).collect();
    for _ in 0..3 {
        let night = nights.night(&posts);
        assert_eq!(night.verdict(), "healthy");
        (0..10).for_each(|n| night.has_text_of(n));
    }
    let night = nights.night(last);
    (nights, night)
}

#[test]
fn a_redesign_is_learnt_with_what_is_known_of_its_pages() {
    let page = |n| (url(n), redesigned(n, true));
    let (mut nights, night) = nights(&(0..10).map(page).collect::<Vec<_>>());
    assert_eq!((&*night.decision(), &*night.verdict()), ("add-templates", "healthy"));
    (0..10).for_each(|n| night.has_text_of(n));
    // It is the layout that was learnt, not these pages.
    let night = nights.night(&(20..30).map(page).collect::<Vec<_>>());
    (20..30).for_each(|n| night.has_text_of(n));
}

#[test]
fn words_that_were_beside_a_text_and_are_now_in_it_are_told() {
    let page = |n| (url(n), redesigned(n, false));
    let (_, night) = nights(&(0..10).map(page).collect::<Vec<_>>());
    assert_eq!(night.verdict(), "broken");
    let evidence = night.of("posts.example", "evidence");
    assert!(evidence.contains("of the words that 10 pages still have"), "{evidence}");
}

#[test]
fn what_only_a_feed_tells_is_not_missed_where_the_feed_is_gone() {
    let nights = Nights::new();
    let item = |n: usize| {
        let (url, title) = (url(n), prose::title(n));
        format!(
            "<item><title>{title}</title><link>{url}</link><pubDate>Mon, 02 Feb 2026 06:00:00 GMT</pubDate></item>"
        )
    };
    let items: String = (0..12).map(item).collect();
    let feed = format!(
        "<?xml version='1.0'?><rss version='2.0'><channel><title>Posts</title>{items}</channel></rss>"
    );
    let run = |at: usize, head: &str, body: &str| {
        let mut crawl = Crawl::of_day(DAYS[at]);
        for n in 0..12 {
            crawl.response(&url(n), HTML, prose::post(n).as_bytes());
        }
        crawl.response("https://posts.example/feed.xml", head, body.as_bytes());
        let archive = crawl.write(nights.folder.path(), &format!("{at}.warc.gz"));
        let night = nights.run(&archive, &format!("out-{at}"), &[]);
        let dated = night.results.articles.iter().filter(|own| own["published"] != Value::Null);
        (dated.count(), night.verdict())
    };
    const XML: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n";
    for at in 0..3 {
        assert_eq!(run(at, XML, &feed), (12, "healthy".to_owned()));
    }
    let none = (0, "healthy".to_owned());
    assert_eq!(
        run(3, "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n", "<h1>No</h1>"),
        none
    );
    assert_eq!(run(4, XML, &feed[..feed.len() / 20]), none);
    assert_eq!(run(5, XML, &feed.replace("/notes/", "/elsewhere/")), none);
    let other = feed.replace("Notes", "Other notes").replace("02 Feb", "03 Feb");
    assert_eq!(run(6, XML, &other), (12, "healthy".to_owned()));
}
