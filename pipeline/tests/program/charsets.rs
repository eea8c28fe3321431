//! Pages are decoded correctly, whatever encoding is declared: 19 languages, each declared in
//! eleven ways.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use charset::{CharsetHints, decode};
use serde_json::json;

use crate::common::charsets::{OTHERS, PAIRS, Pair, WAYS};
use crate::common::crawl::Crawl;
use crate::common::results::text;

/// Number of pages in [`PAIRS`] that must be right in each way: all but one, except in the last two
/// ways.
fn needed(way: usize, of: usize) -> usize {
    if way < WAYS.len() - 2 { of - 1 } else { of - 3 }
}

/// The pairs whose page is decoded incorrectly, by way.
fn wrong(pairs: &[Pair], is_right: impl Fn(&Pair, usize) -> bool) -> Vec<Vec<&Pair>> {
    let wrong = |way| pairs.iter().filter(|pair| !is_right(pair, way)).collect();
    (0..WAYS.len()).map(wrong).collect()
}

fn assert_enough(what: &str, pairs: &[Pair], wrong: &[Vec<&Pair>]) {
    for (way, wrong) in wrong.iter().enumerate() {
        let right = pairs.len() - wrong.len();
        let name = WAYS[way].name;
        assert!(
            right >= needed(way, pairs.len()),
            "{what}, {name}: {right} of {} are right, wrong are {wrong:?}",
            pairs.len()
        );
    }
}

#[test]
fn pages_of_any_length() {
    for (pairs, lengths) in [(&PAIRS[..], &[300, 1000, 20_000][..]), (&OTHERS, &[300, 2000])] {
        for &bytes in lengths {
            let wrong = wrong(pairs, |pair, way| {
                let page = pair.page(&WAYS[way], bytes);
                let url = Some("https://news.example/1");
                let hints =
                    CharsetHints { http_charset: page.http, url, ..CharsetHints::default() };
                decode(page.body, &hints).0 == page.html
            });
            assert_enough(&format!("{bytes} bytes"), pairs, &wrong);
        }
    }
}

/// The same with the program. `CHARSETS_TABLE` names a file for the table of docs/READING.md; see
/// scripts/make/reading.
#[test]
fn articles_in_nineteen_languages() {
    let url = |pair: &Pair, way: usize| {
        format!("https://{}-{way}.example/notes/1", pair.language.to_lowercase())
    };
    let mut crawl = Crawl::new();
    for pair in &PAIRS {
        for (number, way) in WAYS.iter().enumerate() {
            let page = pair.page(way, 600);
            let charset = page.http.map_or(String::new(), |label| format!("; charset={label}"));
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html{charset}\r\n");
            crawl.response(&url(pair, number), &head, &page.body);
        }
    }
    let results = crawl.run(&[]);
    let texts: BTreeMap<&str, &str> =
        results.articles.iter().map(|a| (text(a, "url"), text(a, "text"))).collect();
    let wrong = wrong(&PAIRS, |pair, way| {
        let found = texts.get(url(pair, way).as_str()).copied().unwrap_or_default();
        pair.page(&WAYS[way], 600).paragraphs.iter().all(|paragraph| found.contains(paragraph))
    });
    if let Some(path) = std::env::var_os("CHARSETS_TABLE") {
        fs::write(path, table(&wrong)).unwrap();
    }
    assert_enough("through the program", &PAIRS, &wrong);
}

#[test]
fn the_record_says_what_was_decided_and_why() {
    let russian = PAIRS.iter().find(|pair| pair.language == "ru").unwrap();
    let page = |way: usize| russian.page(&WAYS[way], 600);
    let latin = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=ISO-8859-1\r\n";
    let none = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let mut crawl = Crawl::new();
    for (name, head, way) in [("meta", latin, 7), ("guess", none, 9), ("stray", latin, 8)] {
        crawl.response(&format!("https://{name}.example/notes/1"), head, &page(way).body);
    }
    let results = crawl.run(&[]);
    for (name, charset, evidence, overruled) in [
        ("meta", "KOI8-R", "meta", json!({"http": "windows-1252"})),
        ("guess", "KOI8-U", "detector", json!({"meta": "windows-1251"})),
        ("stray", "UTF-8", "mostly-utf8", json!({"http": "windows-1252"})),
    ] {
        let article = results.article(&format!("https://{name}.example/notes/1"));
        assert_eq!(text(article, "charset"), charset, "{name}");
        assert_eq!(text(article, "charset_evidence"), evidence, "{name}");
        assert_eq!(article["charset_overruled"], overruled, "{name}");
    }
}

fn table(wrong: &[Vec<&Pair>]) -> String {
    let mut table = String::from("| declared | right | wrong |\n|---|---|---|\n");
    for (way, wrong) in WAYS.iter().zip(wrong) {
        let names: Vec<String> =
            wrong.iter().map(|pair| format!("{} in {}", pair.language, pair.label)).collect();
        let right = PAIRS.len() - wrong.len();
        writeln!(table, "| {} | {right} of {} | {} |", way.name, PAIRS.len(), names.join(", "))
            .unwrap();
    }
    table
}
