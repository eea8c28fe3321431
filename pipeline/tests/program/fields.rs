//! What an index filters by: title and text, language, words, hash, section, access, licence; and fields that siblings tell.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::crawl::Crawl;
use crate::common::program::{call, parts, run, write_file};
use crate::common::prose;
use crate::common::results::{Results, parse, text};

/// The title of a page of this crawl.
fn title(n: usize) -> String {
    format!("Note number {n} on bridges and boats")
}

/// Pages of one template, in whose article element the headline is; the one with a declaration is the third.
fn crawl(folder: &Path, wall: bool) -> PathBuf {
    let mut crawl = Crawl::new();
    for n in 0..8 {
        let title = title(n);
        let own = prose::post(n);
        let start = own.find("<div class=entry>").unwrap() + "<div class=entry>".len();
        let body = &own[start..own.rfind("</div>").unwrap()];
        let declared = match n {
            2 => {
                r#"<script type="application/ld+json">{"@type":"NewsArticle","articleSection":"Harbour",
                "license":"https://creativecommons.org/licenses/by/4.0/","isAccessibleForFree":false,
                "wordCount":100000}</script>"#
            }
            _ => "<meta property=article:section content=Boats>",
        };
        let end = if wall {
            "<p>Subscribe to continue reading this and every other note.</p>"
        } else {
            ""
        };
        let page = format!(
            "<!doctype html><html lang=en><head><title>{title}</title>{declared}\
             <meta property=og:site_name content='The Notes'></head><body>\
             <ul class=menu><li><a href=/>Home</a><li><a href=/about>About</a></ul>\
             <article class=entry><h1>{title}</h1>{body}{end}</article>\
             <p class=foot>Rights reserved. <a href=/terms>Terms</a></p></body></html>"
        );
        crawl.page(&format!("https://notes.example/on-bridges-{n}"), &page);
    }
    crawl.write(folder, "crawl.warc.gz")
}

fn article(results: &Results, n: usize) -> &Value {
    results.article(&format!("https://notes.example/on-bridges-{n}"))
}

fn first_block(article: &Value) -> &str {
    text(article, "text").split("\n\n").next().unwrap()
}

#[test]
fn the_text_begins_with_its_title_always_or_never() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = crawl(folder.path(), false);
    let without = run(&[&crawl], &folder.path().join("without"), &[]);
    let settings = write_file(folder.path(), "with.toml", "[extract]\ntitle_in_text = true\n");
    let with = run(&[&settings, &crawl], &folder.path().join("with"), &[]);
    let page_wise = run(&[&crawl], &folder.path().join("alone"), &["--engine", "euclid"]);
    assert_eq!(without.articles.len(), 8);
    for n in 0..8 {
        let (off, on) = (article(&without, n), article(&with, n));
        assert_eq!(text(off, "title"), title(n));
        assert_eq!(first_block(on), title(n));
        assert_eq!(text(on, "text"), format!("{}\n\n{}", title(n), text(off, "text")));
        assert!(!text(off, "text").contains(&title(n)), "{}", off["text"]);
        assert_eq!(off["html"], on["html"]);
        assert_ne!(first_block(article(&page_wise, n)), title(n));
    }
}

#[test]
fn every_output_has_the_fields_to_filter_by() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (crawl(folder.path(), false), folder.path().join("out"));
    let results = run(&[&crawl], &out, &["--sinks", "jsonl,csv,bulk,warc,index"]);
    let (declared, other) = (article(&results, 2), article(&results, 3));
    assert_eq!((text(declared, "section"), text(other, "section")), ("Harbour", "Boats"));
    assert_eq!((text(declared, "access"), &other["access"]), ("partial", &Value::Null));
    assert_eq!(text(declared, "license"), "https://creativecommons.org/licenses/by/4.0/");
    assert_eq!(text(declared, "site_name"), "The Notes");
    assert_eq!(declared["sources"]["access"], "json-ld");
    assert!(declared["language_score"].as_f64().unwrap() > 0.5, "{}", declared["language_score"]);
    let words: Vec<&str> = text(declared, "text").split_whitespace().collect();
    let count = declared["word_count"].as_u64().unwrap() as usize;
    assert!(count.abs_diff(words.len()) * 20 < count, "{count} of {}", words.len());
    let hash = xxhash_rust::xxh3::xxh3_128(words.join(" ").as_bytes());
    assert_eq!(text(declared, "content_hash"), format!("{hash:032x}"));
    assert_ne!(declared["content_hash"], other["content_hash"]);

    let csv = std::fs::read_to_string(out.join("articles.csv")).unwrap();
    let header = csv.lines().next().unwrap();
    assert!(
        header.contains("site_name,section,access,license,word_count,content_hash"),
        "{header}"
    );
    assert!(
        csv.contains("The Notes,Harbour,partial,https://creativecommons.org/licenses/by/4.0/,")
    );
    let bulk = std::fs::read_to_string(out.join("articles.bulk.ndjson")).unwrap();
    assert_eq!(bulk.matches("\"section\":\"Boats\"").count(), 7);
    let search = |query: &str| {
        let (code, stdout, stderr) =
            parts(&call(&["search", out.to_str().unwrap(), query, "--format", "json"]));
        assert_eq!(code, 0, "{stderr}");
        parse(&stdout)["total"].as_u64().unwrap()
    };
    let by_hash = format!("content_hash:{}", text(declared, "content_hash"));
    for (query, found) in [
        ("section:Boats", 7),
        ("access:partial", 1),
        ("site_name:\"The Notes\"", 8),
        ("license:\"https://creativecommons.org/licenses/by/4.0/\"", 1),
        ("word_count:[1 TO 100000]", 8),
        ("word_count:[100000 TO 200000]", 0),
        ("language_score:[0.5 TO 1.0]", 8),
        (&by_hash, 1),
    ] {
        assert_eq!(search(query), found, "{query}");
    }
}

#[test]
fn a_request_to_subscribe_that_siblings_have_says_that_an_article_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = crawl(folder.path(), true);
    let results = run(&[&crawl], &folder.path().join("out"), &[]);
    let articles: Vec<_> = (0..8).filter(|&n| n != 2).map(|n| article(&results, n)).collect();
    assert!(articles.iter().any(|article| article["access"] == "partial"));
    for article in articles {
        assert!(!text(article, "text").contains("Subscribe to continue"), "{article}");
    }
}

/// What stands below the headline of a sibling.
fn standfirst(n: usize) -> String {
    const TOPICS: [&str; 9] = [
        "cheap tickets for commuters", "one captain's last winter", "clean harbours near markets",
        "half an ill crew", "each promise of councils", "bays where seals return",
        "building boats without plans", "lamps that burn alone", "old ropes from hemp",
    ];
    format!("Why {} matters, and to whom on the pier it does.", TOPICS[n % 9])
}

/// A page of a site whose system declares its own account, with an unlabelled byline and dates of which few show their order.
fn sibling(n: usize) -> String {
    const NAMES: [&str; 5] = ["Ines Kowal", "Tom Barry", "Ada Lind", "Petra Novak", "Jon Hale"];
    let own = prose::post(n);
    let start = own.find("<div class=entry>").unwrap() + "<div class=entry>".len();
    let body = &own[start..own.rfind("</div>").unwrap()];
    let (title, name, day) = (title(n), NAMES[n % 5], 9 + n);
    let standfirst = standfirst(n);
    format!(
        "<!doctype html><html lang=en><head><title>{title} - The Pier</title>\
         <meta name=author content='Web Desk'></head><body><ul class=menu><li><a href=/>Home</a></ul>\
         <article class=entry><h2 class=h>{title}</h2><p class=z>{standfirst}</p>\
         <div class=x><span class=x7>Testo di {name}</span> <span class=x8>{day:02}/09/2023</span></div>\
         {body}</article><p class=foot>Rights reserved.</p></body></html>"
    )
}

#[test]
fn siblings_tell_the_fields_of_each_other_also_on_later_nights() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("models.sqlite");
    let address = |n: usize| format!("https://pier.example/note-{n}");
    let night = |name: &str, pages: std::ops::Range<usize>| {
        let mut crawl = Crawl::new();
        for n in pages {
            crawl.page(&address(n), &sibling(n));
        }
        let input = crawl.write(folder.path(), &format!("{name}.warc.gz"));
        run(&[&input], &folder.path().join(name), &["--models", store.to_str().unwrap()])
    };
    let fields = |article: &Value| {
        let of = |field: &str| article[field].clone();
        (of("title"), of("subtitle"), of("authors"), of("published"))
    };
    let expected = |n: usize, name: &str| {
        (
            title(n).into(),
            standfirst(n).into(),
            vec![name].into(),
            format!("2023-09-{:02}", 9 + n).into(),
        )
    };
    let first = night("first", 0..8);
    assert_eq!(fields(first.article(&address(1))), expected(1, "Tom Barry"));
    let wrappers = parse(
        &std::fs::read_to_string(folder.path().join("first").join("wrappers/pier.example.json"))
            .unwrap(),
    );
    let places = wrappers["templates"][0]["fields"].as_object().unwrap();
    assert_eq!(places.keys().collect::<Vec<_>>(), ["authors", "published", "subtitle"]);
    assert!(places["authors"][0].as_str().unwrap().contains("x7"), "{places:?}");

    let second = night("second", 8..9);
    assert_eq!(fields(second.article(&address(8))), expected(8, "Petra Novak"));
    // The standfirst is part of the text, the byline after it is not.
    for article in first.articles.iter().chain(&second.articles) {
        let (own, standfirst) = (text(article, "text"), text(article, "subtitle"));
        let rest = own.strip_prefix(standfirst).and_then(|rest| rest.strip_prefix("\n\n"));
        assert!(rest.is_some_and(|rest| !rest.starts_with("Testo di")), "{own}");
        assert!(text(article, "html").starts_with(&format!("<p>{standfirst}</p><p>")));
    }
    let shown = call(&["models", "show", store.to_str().unwrap(), "pier.example"]);
    let (_, shown, _) = parts(&shown);
    assert!(shown.contains("  authors  //"), "{shown}");
}
