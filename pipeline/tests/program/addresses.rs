//! Identity of linked pages: tracking parameters are ignored, unless a site distinguishes pages by
//! them.

use std::fs;

use crate::common::crawl::Crawl;
use crate::common::program::{run, write_file};
use crate::common::prose;
use crate::common::results::{Results, text};
use crate::common::rows::number;

const SITE: &str = "https://told-apart.example";

/// An RSS feed with one item per link; titles and days are derived from the number.
fn feed(links: impl Iterator<Item = (usize, String)>) -> String {
    let item = |(n, link): (usize, String)| {
        format!(
            "<item><title>Title {n} of the feed</title><link>{}</link>\
             <pubDate>{:02} Apr 2024 08:00:00 GMT</pubDate></item>",
            link.replace('&', "&amp;"),
            n % 28 + 1
        )
    };
    let items: String = links.map(item).collect();
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>T</title>\
         <link>{SITE}/</link><description>d</description>{items}</channel></rss>"
    )
}

fn run_with(crawl: &Crawl, feed: Option<&str>) -> Results {
    let (folder, archive, out) = crawl.placed("crawl.warc.gz");
    let place = folder.path().join("feed.xml");
    let mut flags = Vec::new();
    if let Some(feed) = feed {
        fs::write(&place, feed).unwrap();
        flags.extend(["--feeds", place.to_str().unwrap()]);
    }
    run(&[&archive], &out, &flags)
}

/// A post without title and date, so that they can only come from a feed.
fn untitled(n: usize) -> String {
    let body: String = prose::paragraphs(n).iter().map(|p| format!("<p>{p}</p>")).collect();
    format!("<html lang=en><body><div class=entry>{body}</div></body></html>")
}

fn of_feed(results: &Results, url: &str) -> Option<(String, String)> {
    let article = results.article(url);
    (article["sources"]["published"]["source"] == "feed")
        .then(|| (text(article, "title").to_owned(), text(article, "published")[..10].to_owned()))
}

fn expected(n: usize) -> Option<(String, String)> {
    Some((format!("Title {n} of the feed"), format!("2024-04-{:02}", n % 28 + 1)))
}

#[test]
fn link_pages_with_tagged_links_are_lists() {
    let tagged = |tag: &str| {
        let mut crawl = Crawl::new();
        for n in 0..40 {
            let url = format!("{SITE}/notes/{n}");
            crawl.page(&url, &prose::post(n));
        }
        for page in 0..6 {
            let teasers: String = (0..12)
                .map(|n| {
                    let to = (page * 6 + n) % 40;
                    let title = prose::title(to);
                    format!(
                        "<div class=teaser><h3><a href='/notes/{to}{tag}'>{title}</a></h3>\
                         <span>Read on</span></div>"
                    )
                })
                .collect();
            let html = format!("<html><body><div class=links>{teasers}</div></body></html>");
            crawl.page(&format!("{SITE}/more-{page}"), &html);
        }
        run_with(&crawl, None)
    };
    let plain = tagged("");
    assert_eq!((plain.articles.len(), plain.drops("list-page").len()), (40, 6));
    let utm = tagged("?utm_source=list&utm_medium=link");
    assert_eq!((utm.articles.len(), utm.drops("list-page").len()), (40, 6));
}

#[test]
fn pages_of_whole_posts_are_lists() {
    let paragraphs = |n: usize| -> String {
        prose::paragraphs(n).iter().map(|p| format!("<p>{p}</p>")).collect()
    };
    let lists = |path: &str, headline: &str| {
        let mut crawl = Crawl::new();
        for n in 0..12 {
            crawl.page(&format!("{SITE}/notes/{n}"), &prose::post(n));
        }
        for page in 0..3 {
            let posts: String = (page * 4..page * 4 + 4)
                .map(|n| {
                    let (title, text) = (prose::title(n), paragraphs(n));
                    format!("<div class=post><h2><a href='/notes/{n}'>{title}</a></h2>{text}</div>")
                })
                .collect();
            let html =
                format!("<html><body><div class=posts>{headline}{posts}</div></body></html>");
            crawl.page(&format!("{SITE}/{path}/{page}"), &html);
        }
        run_with(&crawl, None).drops("list-page").len()
    };
    assert_eq!((lists("page", ""), lists("best", "")), (3, 3));
    // Round-ups have a headline of their own.
    assert_eq!(lists("best", "<h1>The best notes of the year</h1>"), 0);
}

#[test]
fn feeds_tell_pages_apart_as_the_site_does() {
    let url = |n: usize| format!("{SITE}/article.php?ref={n}");
    let mut crawl = Crawl::new();
    for n in 1000..1020 {
        crawl.page(&url(n), &untitled(n));
    }
    for tag in ["", "&utm_source=rss"] {
        let links = (1000..1020).map(|n| (n, format!("{}{tag}", url(n))));
        let results = run_with(&crawl, Some(&feed(links)));
        assert_eq!(results.articles.len(), 20);
        for n in 1000..1020 {
            assert_eq!(of_feed(&results, &url(n)), expected(n), "{tag}: {n}");
        }
    }
    // The crawl may have only one of the pages in such a feed.
    let mut one = Crawl::new();
    one.page(&url(1007), &untitled(1007)).page(&format!("{SITE}/about"), &untitled(2));
    let links = (1000..1020).map(|n| (n, url(n)));
    assert_eq!(of_feed(&run_with(&one, Some(&feed(links))), &url(1007)), expected(1007));
    let links = (1000..1007).map(|n| (n, url(n)));
    assert_eq!(of_feed(&run_with(&one, Some(&feed(links))), &url(1007)), None);
}

#[test]
fn redirects_tell_links_apart_as_the_site_does() {
    let mut crawl = Crawl::new();
    for n in 0..6 {
        let moved = format!("HTTP/1.1 302 Found\r\nLocation: {SITE}/notes/{n}\r\n");
        crawl.response(&format!("{SITE}/go?ref={n}"), &moved, b"");
        crawl.page(&format!("{SITE}/notes/{n}"), &untitled(n));
    }
    let links = (0..6).map(|n| (n, format!("{SITE}/go?utm_source=rss&ref={n}")));
    for memory in ["1GiB", "64kB"] {
        let folder = tempfile::tempdir().unwrap();
        let archive = crawl.write(folder.path(), "crawl.warc.gz");
        let place = write_file(folder.path(), "feed.xml", feed(links.clone()));
        let flags = ["--feeds", place.to_str().unwrap(), "--memory", memory];
        let results = run(&[&archive], &folder.path().join("out"), &flags);
        for n in 0..6 {
            let url = format!("{SITE}/notes/{n}");
            assert_eq!(of_feed(&results, &url), expected(n), "{memory}: {n}");
        }
    }
}

#[test]
fn what_pages_say_of_themselves_proves_them_one() {
    let named = |n: usize, tag: &str| {
        let canonical = format!("<link rel=canonical href='{SITE}/notes/{n}'>");
        let page = untitled(n).replace("<body>", &format!("<head>{canonical}</head><body>{tag}"));
        (format!("{SITE}/notes/{n}?ref={tag}"), page)
    };
    let mut crawl = Crawl::new();
    for n in 0..4 {
        for tag in ["home", "list"] {
            let (url, page) = named(n, tag);
            crawl.page(&url, &page);
        }
    }
    let links = (0..4).map(|n| (n, format!("{SITE}/notes/{n}?ref=rss")));
    let results = run_with(&crawl, Some(&feed(links)));
    for n in 0..4 {
        for tag in ["home", "list"] {
            assert_eq!(of_feed(&results, &named(n, tag).0), expected(n), "{n}, {tag}");
        }
    }
}

mod archive {
    use super::*;
    use serde_json::Value;

    fn history(archive: &std::path::Path, url: &str) -> Vec<Value> {
        let arguments =
            ["history", url, "--format", "json", "--archive", archive.to_str().unwrap()];
        let (_, out, _) = crate::common::program::parts(&crate::common::program::call(&arguments));
        out.lines().map(crate::common::results::parse).collect()
    }

    #[test]
    fn articles_are_told_apart_as_the_site_does() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("articles.sqlite");
        let url = |n: usize| format!("{SITE}/article.php?ref={n}");
        let add = |crawl: &Crawl, name: &str| {
            let path = crawl.write(folder.path(), &format!("{name}.warc.gz"));
            let flags = ["--archive", archive.to_str().unwrap()];
            run(&[&path], &folder.path().join(name), &flags);
        };
        // Different pages each night: no single night shows that the parameter distinguishes them.
        for (night, day) in [(0, "2024-05-01"), (1, "2024-05-02")] {
            let mut crawl = Crawl::of_day(day);
            for n in (1000..1020).filter(|n| n % 2 == night) {
                crawl.page(&url(n), &prose::post(n));
            }
            add(&crawl, day);
        }
        assert_eq!(number(&archive, "SELECT count(*) FROM articles"), 20);
        assert_eq!(number(&archive, "SELECT count(*) FROM versions"), 20);
        for n in 1000..1020 {
            let versions = history(&archive, &url(n));
            assert_eq!(versions.len(), 1, "{n}");
            assert!(text(&versions[0], "text").contains(&prose::text(n)), "{n}");
        }
        assert!(history(&archive, &url(3000)).is_empty());
    }

    #[test]
    fn one_article_of_several_tags_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("articles.sqlite");
        let canonical = |n: usize| format!("<link rel=canonical href='{SITE}/notes/{n}'>");
        for (day, tag, edit) in [
            ("2024-05-01", "?utm_source=home", ""),
            ("2024-05-02", "", ""),
            (
                "2024-05-03",
                "?utm_source=rss",
                "<p>Corrected on Friday: it was the other harbour.</p>",
            ),
        ] {
            let mut crawl = Crawl::of_day(day);
            for n in 0..6 {
                let head = if n < 3 { canonical(n) } else { String::new() };
                let inside = if n < 3 { edit } else { "" };
                crawl.page(&format!("{SITE}/notes/{n}{tag}"), &prose::post_with(n, &head, inside));
            }
            let path = crawl.write(folder.path(), &format!("{day}.warc.gz"));
            let flags = ["--archive", archive.to_str().unwrap()];
            run(&[&path], &folder.path().join(day), &flags);
        }
        for n in 0..6 {
            let versions = history(&archive, &format!("{SITE}/notes/{n}"));
            let seen: i64 = versions.iter().map(|v| v["visits"].as_i64().unwrap()).sum();
            // By the canonical address if the content changed, by equal content if it did not.
            assert_eq!((versions.len(), seen), (if n < 3 { 2 } else { 1 }, 3), "{n}");
        }
    }
}
