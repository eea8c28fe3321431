//! `sitegrove-lab calibrate` on invented articles.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

mod common;
use common::program::{call, parts};

/// Pages of ten sites: declared authors that others confirm are right, those that nobody confirms are wrong on every other page.
fn write_articles(folder: &TempDir) {
    let (mut gold, mut articles) = (String::new(), String::new());
    for n in 0..200 {
        let is_confirmed = n % 2 == 0;
        let author = if is_confirmed || n % 4 == 1 { "Jane Doe" } else { "Ole Brandt" };
        let url = format!("https://site{}.example/{n}", n % 10);
        gold += &json!({"url": url, "gold_text": "Text.", "gold_author": "Jane Doe"}).to_string();
        let source =
            json!({"source": "meta", "agree": if is_confirmed { 3 } else { 1 }, "differ": 0});
        articles +=
            &json!({"url": url, "authors": [author], "sources": {"authors": source}}).to_string();
        gold.push('\n');
        articles.push('\n');
    }
    fs::write(folder.path().join("gold.jsonl"), gold).unwrap();
    fs::write(folder.path().join("articles.jsonl"), articles).unwrap();
}

#[test]
fn what_sources_share_is_judged_by_how_often_it_is_right() {
    let folder = TempDir::new().unwrap();
    write_articles(&folder);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (articles, gold, out) = (path("articles.jsonl"), path("gold.jsonl"), path("weights.json"));
    let arguments = ["calibrate", &articles, "--gold", &gold, "--out", &out];
    let (code, printed, errors) = parts(&call(&arguments));
    assert_eq!(code, 0, "{errors}");
    assert!(printed.contains("| authors | 0.95 to 1.00 | 100 |"), "{printed}");
    assert!(printed.contains("| authors | at least 0.90 | 100 | | 100.0 |"), "{printed}");
    let (_, printed, _) = parts(&call(&[&arguments[..], &["--format", "json"]].concat()));
    let reliable: Value = serde_json::from_str(&printed).unwrap();
    let authors = reliable.as_array().unwrap().iter().find(|own| own["field"] == "authors");
    assert_eq!(authors.map(|own| &own["sure"]), Some(&json!(100)), "{printed}");
    let weights: Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    let logit = |agree: usize| -> f64 {
        let of = |at: usize| weights["authors"][at].as_f64().unwrap();
        of(0) + of(3) + (9..9 + agree).map(of).sum::<f64>()
    };
    assert!(logit(3) > 2.5 && logit(1).abs() < 0.3, "{weights}");

    let (code, _, errors) = parts(&call(&["calibrate", &articles, "--gold", "no.jsonl"]));
    assert_eq!(code, 2);
    assert!(errors.contains("no.jsonl"), "{errors}");
}
