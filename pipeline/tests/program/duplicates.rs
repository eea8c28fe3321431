//! Articles that are the same are found across the addresses and sites of a crawl.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::crawl::Crawl;
use crate::common::program::{call, parts, run, write_file};
use crate::common::prose;
use crate::common::results::{Results, text};
use crate::common::rows::number;

/// A page of a site with its own layout. `paragraphs` are its text.
fn page(site: &str, title: &str, paragraphs: &[String], head: &str) -> String {
    let body: String = paragraphs.iter().map(|p| format!("<p>{p}</p>\n")).collect();
    format!(
        "<!doctype html><html lang=en><head><title>{title}</title>{head}</head><body>\n\
         <div class='{site}-menu'><a href=/>Home</a> <a href=/news>News</a> <a href=/about>About {site}</a></div>\n\
         <h1>{title}</h1>\n<div class='{site}-entry'>\n{body}</div>\n\
         <p class='{site}-foot'>Published by the {site}. <a href=/terms>Terms</a></p></body></html>\n"
    )
}

/// About five hundred words.
fn story(number: usize) -> Vec<String> {
    (0..6).flat_map(|part| prose::paragraphs(1_000 + number * 10 + part)).collect()
}

fn title(number: usize) -> String {
    prose::title(1_000 + number)
}

/// The addresses of a story at its first publisher: as a crawl meets them.
fn versions(number: usize) -> Vec<String> {
    let path = format!("2026/05/story-{number}");
    let all = [
        format!("https://www.news.example/{path}"),
        format!("http://www.news.example/{path}"),
        format!("https://news.example/{path}/"),
        format!("https://m.news.example/{path}"),
        format!("https://www.news.example/{path}/amp"),
        format!("https://www.news.example/print/{path}"),
        format!("https://www.news.example/{path}?utm_source=letter"),
    ];
    // Not all of each.
    all.into_iter()
        .enumerate()
        .filter(|(at, _)| *at < 2 || (at + number).is_multiple_of(2))
        .map(|(_, url)| url)
        .collect()
}

/// Fourteen stories under many addresses: the archive, and the address that represents each story.
fn crawl(folder: &Path) -> (PathBuf, BTreeMap<String, usize>) {
    let mut crawl = Crawl::new();
    let mut story_of = BTreeMap::new();
    let mut add = |url: String, number: usize, html: &str| {
        crawl.page(&url, html);
        story_of.insert(url, number);
    };
    for number in 0..14 {
        let (title, text) = (title(number), story(number));
        let canonical =
            format!("<link rel=canonical href=https://www.news.example/2026/05/story-{number}>");
        // Some pages name the canonical one, some do not.
        let head = if number % 2 == 0 { canonical.as_str() } else { "" };
        for url in versions(number) {
            add(url, number, &page("news", &title, &text, head));
        }
        if number % 3 == 0 {
            // Syndicated, with another title and a few words changed.
            let mut copied = text.clone();
            copied[3] = copied[3].replace("and the", "and then the");
            copied.push(
                "This report first appeared elsewhere and was shortened for this site.".to_owned(),
            );
            let url = format!("https://wire.example/articles/{number}");
            add(
                url,
                number,
                &page("wire", &format!("Wire: {}", prose::title(number)), &copied, ""),
            );
        }
        if number % 4 == 1 {
            // Updated under another address of the same site: a paragraph more.
            let mut updated = text.clone();
            updated.insert(0, prose::paragraphs(5_000 + number).join(" "));
            let url = format!("https://www.news.example/2026/06/story-{number}-update");
            add(url, number, &page("news", &title, &updated, ""));
        }
    }
    (crawl.write(folder, "crawl.warc.gz"), story_of)
}

/// The stories by the articles that are no duplicates.
fn represented(results: &Results, story_of: &BTreeMap<String, usize>) -> Vec<usize> {
    let own = results.articles.iter().filter(|article| article.get("duplicate_of").is_none());
    let mut stories: Vec<usize> = own.map(|article| story_of[text(article, "url")]).collect();
    stories.sort_unstable();
    stories
}

#[test]
fn the_addresses_of_a_story_are_one_article() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, story_of) = crawl(folder.path());
    let out = folder.path().join("out");
    let results = run(&[&archive], &out, &[]);
    assert!(story_of.len() > 55, "{}", story_of.len());
    assert_eq!(results.articles.len(), story_of.len());
    assert_eq!(represented(&results, &story_of), (0..14).collect::<Vec<_>>());
    let marked: Vec<&Value> =
        results.articles.iter().filter(|of| of.get("duplicate_of").is_some()).collect();
    assert_eq!(results.count("duplicates"), marked.len() as u64);
    for article in marked {
        let (url, of) = (text(article, "url"), text(article, "duplicate_of"));
        let representative = results.article(of);
        assert_eq!(story_of[url], story_of[of], "{url} is no duplicate of {of}");
        assert_eq!(article["cluster"], representative["cluster"]);
        assert!(representative.get("duplicate_of").is_none());
        let similarity = article["similarity"].as_f64().unwrap();
        assert!((0.3..=1.0).contains(&similarity));
        let number = story_of[url];
        let plain = format!("news.example/2026/05/story-{number}");
        let is_plain = of.trim_end_matches('/').ends_with(&plain) && !of.contains("//m.");
        // Where pages name a canonical address, it is that.
        assert!(
            is_plain && (number % 2 == 1 || of == format!("https://www.{plain}")),
            "{of} of {url}"
        );
    }
}

#[test]
fn duplicates_are_dropped_or_not_looked_for_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, story_of) = crawl(folder.path());
    let with = |how: &str| run(&[&archive], &folder.path().join(how), &["--duplicates", how]);
    let (flagged, dropped, kept) = (with("flag"), with("drop"), with("keep"));
    assert_eq!(dropped.articles.len(), 14);
    let drops = dropped.drops("duplicate-article");
    assert_eq!(drops.len(), story_of.len() - 14);
    assert!(text(drops[0], "detail").contains("news.example/2026/05/story-"));
    let own = flagged.articles.iter().filter(|article| article.get("duplicate_of").is_none());
    assert!(own.eq(&dropped.articles));
    assert_eq!(kept.articles.len(), story_of.len());
    for article in &kept.articles {
        assert!(article.get("cluster").is_none());
    }
    assert_eq!(kept.count("duplicates"), 0);
}

#[test]
fn indexes_and_archives_have_each_article_once() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, _) = crawl(folder.path());
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    // A night on which only one address of a story was met.
    let mut first = Crawl::of_day("2026-05-01");
    for number in [0, 2, 4, 6] {
        let url = format!("https://www.news.example/2026/05/story-{number}/amp");
        first.page(&url, &page("news", &title(number), &story(number), ""));
    }
    let first = first.write(folder.path(), "first.warc.gz");
    for (archive, out, kept) in [(&first, "one", "one.sqlite"), (&archive, "two", "two.sqlite")] {
        let out = folder.path().join(out);
        run(&[archive], &out, &["--index", &at("index"), "--archive", &at(kept)]);
    }
    let (code, stdout, stderr) =
        parts(&call(&["search", &at("index"), "site:news.example", "--limit", "100"]));
    assert_eq!(code, 0, "{stderr}");
    for number in 0..14 {
        let own = format!("news.example/2026/05/story-{number}");
        let here = |line: &&str| {
            line.split_whitespace().any(|word| word.trim_end_matches('/').ends_with(&own))
        };
        assert_eq!(stdout.lines().filter(here).count(), 1, "{own}\n{stdout}");
    }
    assert!(!stdout.contains("/amp") && !stdout.contains("wire.example/"), "{stdout}");
    assert_eq!(number(at("two.sqlite"), "SELECT count(*) FROM articles"), 14);
}

#[test]
fn marks_do_not_depend_on_threads_memory_and_order() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, _) = crawl(folder.path());
    let lines = |name: &str, more: &[&str]| {
        let out = folder.path().join(name);
        run(&[&archive], &out, more);
        fs::read(out.join("articles.jsonl")).unwrap()
    };
    let expected = lines("one", &["--jobs", "1"]);
    assert!(lines("three", &["--jobs", "3"]) == expected);
    assert!(lines("disk", &["--memory", "1kB"]) == expected);
}

#[test]
fn reports_made_of_one_pattern_are_not_the_same() {
    let mut crawl = Crawl::new();
    for number in 0..20 {
        let (magnitude, depth, time) = (31 + number * 3, 5 + number * 7, 1_000 + number * 37);
        let filler = prose::paragraphs(77).join(" ");
        let text = [
            format!(
                "An earthquake of magnitude {magnitude} was measured at {time} at a depth of {depth} km."
            ),
            format!(
                "The station number {} recorded it after {} seconds. {filler}",
                400 + number,
                12 + number * 2
            ),
            format!(
                "{filler} It was followed by {} weaker ones within {} hours.",
                3 + number,
                40 + number * 5
            ),
        ];
        let url = format!("https://quakes.example/reports/{number:03}");
        crawl.page(&url, &page("quakes", &format!("Quake report {}", 500 + number), &text, ""));
    }
    let (_folder, archive, out) = crawl.placed("crawl.warc.gz");
    let results = run(&[&archive], &out, &[]);
    assert!(results.articles.len() >= 19, "{}", results.articles.len());
    let marked: BTreeSet<&str> = (results.articles.iter())
        .filter(|article| article.get("duplicate_of").is_some())
        .map(|article| text(article, "url"))
        .collect();
    assert!(marked.is_empty(), "{marked:?}");
}

/// Stories of three pages, each with a picture, which link to the next by a link in the head or in the text; and stories of one.
fn in_parts(folder: &Path) -> PathBuf {
    let mut crawl = Crawl::new();
    for number in 0..12 {
        let of_page = |part: usize| match part {
            1 => format!("https://long.example/stories/{number}-name"),
            part if number % 2 == 0 => {
                format!("https://long.example/stories/{number}-name?page={part}")
            }
            part => format!("https://long.example/stories/{number}-name/{part}"),
        };
        let parts = if number < 6 { 3 } else { 1 };
        for part in 1..=parts {
            let next = of_page(part + 1);
            let (head, mut paragraphs) =
                (format!("<link rel=next href='{next}'>"), story(number * 3 + part));
            paragraphs[1] += &format!("</p><p><img src=/{number}-{part}.jpg alt='The harbour'>");
            if part < parts {
                paragraphs.push(format!("Go on to <a href=\"{next}\">page {}</a>.", part + 1));
            }
            let head = if part < parts && number % 3 == 0 { head.as_str() } else { "" };
            let title =
                if part > 1 { format!("{} - Page {part}", title(number)) } else { title(number) };
            crawl.page(&of_page(part), &page("long", &title, &paragraphs, head));
        }
    }
    crawl.write(folder, "crawl.warc.gz")
}

#[test]
fn numbered_pages_with_one_title_are_one_article() {
    let folder = tempfile::tempdir().unwrap();
    let archive = in_parts(folder.path());
    let joined = run(&[&archive], &folder.path().join("out"), &[]);
    let results = &joined;
    assert_eq!(results.articles.len(), 12, "{:?}", results.drops_by_reason());
    assert_eq!(results.drops("joined-page").len(), 12);
    for number in 0..6 {
        let article = results.article(&format!("https://long.example/stories/{number}-name"));
        for part in 1..=3 {
            let own = &story(number * 3 + part)[0];
            assert!(text(article, "text").contains(own), "part {part} of {number}");
        }
        let images = article["images"].as_array().unwrap();
        let shown = text(article, "html").matches("<img").count();
        assert_eq!((images.len(), shown), (3, 3));
    }
    let apart = write_file(folder.path(), "apart.toml", "[group]\njoin_parts = \"none\"\n");
    let results = run(&[&apart, &archive], &folder.path().join("apart"), &[]);
    assert_eq!(results.articles.len(), 24);
    let of_pages = |number: usize, measure: &dyn Fn(&Value) -> f64| -> Vec<f64> {
        let path = format!("https://long.example/stories/{number}-name");
        let is_part = |own: &&Value| text(own, "url").starts_with(&path);
        results.articles.iter().filter(is_part).map(measure).collect()
    };
    for number in 0..6 {
        let whole = joined.article(&format!("https://long.example/stories/{number}-name"));
        let confidences = of_pages(number, &|own| own["confidence"].as_f64().unwrap());
        assert_eq!(confidences.len(), 3);
        let least = confidences.into_iter().fold(1.0, f64::min);
        assert_eq!(whole["confidence"].as_f64(), Some(least));
        let precisions = of_pages(number, &|own| own["quality"]["precision"].as_f64().unwrap());
        let own = whole["quality"]["precision"].as_f64().unwrap();
        assert!(
            precisions.iter().any(|part| *part <= own)
                && precisions.iter().any(|part| *part >= own)
        );
    }
    // In batches as at once.
    let batches = write_file(folder.path(), "batches.toml", "[run]\nbatch_bytes = 20_000\n");
    let results = run(&[&batches, &archive], &folder.path().join("batches"), &[]);
    assert_eq!(results.articles.len(), 12);
}
