//! Runs on pages designed to exhaust memory stay within their limits. `scripts/measure/attack-memory` has
//! more and larger ones.

#![cfg(target_os = "linux")]

use std::fmt::Write;

use crate::common::crawl::Crawl;
use crate::common::prose;
use crate::common::results::Results;

const MIB: u64 = 1 << 20;

fn run_small(crawl: &Crawl, jobs: &str) -> Results {
    crawl.run(&["--memory", "32MiB", "--jobs", jobs])
}

fn peak(results: &Results) -> u64 {
    results.ledger["peak_rss_bytes"].as_u64().unwrap() / MIB
}

#[test]
fn names_of_pages_are_not_kept() {
    let mut crawl = Crawl::new();
    let value = "a".repeat(1 << 20);
    for n in 0..160 {
        let page = prose::post(n).replace("class=entry", &format!("class='v{n} {value}'"));
        crawl.page(&format!("https://s{n}.example/notes/1"), &page);
    }
    let results = run_small(&crawl, "2");
    assert_eq!(results.articles.len(), 160);
    assert!(peak(&results) < 128, "{} MiB", peak(&results));
}

/// A page whose formatting elements are copied into every paragraph.
fn misnested(seed: usize) -> String {
    let mut inside = "<div>".to_owned();
    (0..60).for_each(|color| write!(inside, "<font color={color}>").unwrap());
    prose::post_with(seed, "", &(inside + "</div>" + &"<p>x</p>".repeat(400)))
}

#[test]
fn misnested_pages_take_what_is_counted() {
    let mut crawl = Crawl::new();
    for n in 0..600 {
        crawl.page(&format!("https://one.example/notes/{n}"), &misnested(n));
    }
    let results = run_small(&crawl, "2");
    assert!(peak(&results) < 160, "{} MiB", peak(&results));
    assert_eq!(results.count("pages"), 600);
    assert_eq!(results.count("pages_outgrown"), 600);
    // No text is lost.
    let text = results.article("https://one.example/notes/7")["text"].as_str().unwrap();
    assert!(prose::paragraphs(7).iter().all(|paragraph| text.contains(paragraph)), "{text}");
}

#[test]
fn many_threads_of_misnested_sites_take_no_more() {
    let mut crawl = Crawl::new();
    for n in 0..640 {
        crawl.page(&format!("https://s{}.example/notes/{n}", n / 8), &misnested(n));
    }
    let results = run_small(&crawl, "16");
    assert!(peak(&results) < 160, "{} MiB", peak(&results));
    assert_eq!(results.count("pages_outgrown"), 640);
}

#[test]
fn ordinary_pages_are_left_as_they_are() {
    let mut crawl = Crawl::new();
    for n in 0..8 {
        // Old pages have a few unclosed elements.
        let inside =
            "<font size=2><b><i>and more of it".to_owned() + &"<p>Further words.".repeat(40);
        crawl.page(&format!("https://old.example/notes/{n}"), &prose::post_with(n, "", &inside));
    }
    let results = run_small(&crawl, "2");
    assert_eq!((results.articles.len(), results.count("pages_outgrown")), (8, 0));
}
