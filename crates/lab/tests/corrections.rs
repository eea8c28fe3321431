//! `sitegrove-lab corrections` on the sample crawl.

use std::fs;

use serde_json::Value;

mod common;
use common::program::{call, in_repository, parts};

#[test]
fn marks_of_one_page_do_not_harm_its_siblings() {
    let crawl = in_repository("data/crawl").to_str().unwrap().to_owned();
    let gold = in_repository("data/gold.jsonl").to_str().unwrap().to_owned();
    let arguments = ["corrections", &crawl, "--gold", &gold, "--worst", "3"];
    let (code, printed, errors) = parts(&call(&[&arguments[..], &["--format", "json"]].concat()));
    assert_eq!(code, 0, "{errors}");
    let report: Value = serde_json::from_str(&printed).unwrap();
    let all =
        report["figures"].as_array().unwrap().iter().find(|own| own["name"] == "ALL").unwrap();
    let number = |of: &Value| of.as_f64().unwrap();
    assert!(number(&all["groups"]) >= 5.0, "{all}");
    assert!(number(&all["after"][0]) >= number(&all["before"]) - 0.5, "{all}");
    let bought = report["bought"].as_array().unwrap();
    let labels = |at: usize| number(&bought[at]["labels"]);
    assert!((1..bought.len()).all(|at| labels(at) >= labels(at - 1)), "{printed}");
    assert_eq!(bought.last().unwrap()["labels"], report["labelled"]);
    let (_, table, _) = parts(&call(&arguments));
    for told in ["| ALL |", "| below 0.80 |", "| all |", "10 % flipped", "ceiling"] {
        assert!(table.contains(told), "{told}: {table}");
    }
    let (_, again, _) = parts(&call(&arguments));
    assert_eq!(table, again);
}

#[test]
fn gold_without_siblings_has_nothing_to_measure() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (page, gold) = (path("page.html"), path("gold.jsonl"));
    fs::write(&page, "<link rel=canonical href=https://a.example/1><p>Some words of a page.")
        .unwrap();
    fs::write(
        &gold,
        "{\"url\": \"https://a.example/1\", \"gold_text\": \"Some words of a page.\"}",
    )
    .unwrap();
    let (code, _, errors) = parts(&call(&["corrections", &page, "--gold", &gold]));
    assert!(code == 2 && errors.contains("no template has two pages"), "{errors}");
}
