//! `--metadata`, on invented values.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{call, lines, parts};

/// Gold of two data sets; the run `ours` (with fetch times) and the file `peer.jsonl`, which has
/// only dates.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let page = |url: &str, dataset: &str, title: Value, author: Value, date: Value| json!({"url": url, "dataset": dataset, "gold_text": "x", "gold_title": title, "gold_author": author, "gold_date": date});
    let mut gold = [
        page(
            "https://orchard.example/1",
            "news",
            json!("Frost bites - Orchard"),
            json!("jane doe, john roe"),
            json!("2020-05-04T06:00:00"),
        ),
        page(
            "https://orchard.example/2",
            "news",
            json!("Pears ripen early"),
            json!(null),
            json!("2020-06-20"),
        ),
        page(
            "https://meadow.example/3",
            "blogs",
            json!("Hay"),
            json!("Ann Poe"),
            json!("3 May 2020"),
        ),
    ];
    gold[0]["gold_summary"] = json!("Cold nights hurt the blossom.");
    fs::write(folder.path().join("gold.jsonl"), lines(&gold)).unwrap();
    fs::create_dir(folder.path().join("ours")).unwrap();
    let ours = [
        json!({"url": "https://orchard.example/1", "title": "Frost bites", "authors": ["Jane Doe"],
               "subtitle": "Cold nights hurt the blossom", "published": "2020-05-05T01:00:00Z",
               "fetched": "2020-06-01T00:00:00Z", "sources": {"title": {"source": "meta", "confidence": 0.97}, "published": {"source": "meta"}}}),
        json!({"url": "https://orchard.example/2", "title": "Pears <early>", "authors": [], "published": null,
               "fetched": "2020-06-01T00:00:00Z", "sources": {"title": {"source": "page", "confidence": 0.91}}}),
    ];
    fs::write(folder.path().join("ours/articles.jsonl"), lines(&ours)).unwrap();
    let peer = [
        json!({"url": "https://orchard.example/2", "published": "2020-06-20", "authors": "nobody"}),
    ];
    fs::write(folder.path().join("peer.jsonl"), lines(&peer)).unwrap();
    folder
}

fn report(folder: &TempDir, options: &[&str]) -> Result<String, String> {
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (ours, peer, gold) = (path("ours"), path("peer.jsonl"), path("gold.jsonl"));
    let fixed = ["evaluate", &ours, &peer, "--gold", &gold, "--metadata"];
    let (code, printed, messages) = parts(&call(&[&fixed[..], options].concat()));
    if code == 0 { Ok(printed) } else { Err(messages) }
}

/// The figures of a run (0 ours, 1 the peer).
fn figures(report: &Value, field: &str, dataset: &str, run: usize) -> Option<Value> {
    let rows = report["rows"].as_array()?;
    let row = rows.iter().find(|row| row["field"] == field && row["dataset"] == dataset)?;
    Some(row["runs"][run].clone())
}

/// Values expected, exact, missing, wrong, and found where none is expected.
#[track_caller]
fn check_counts(report: &Value, field: &str, dataset: &str, run: usize, expected: [u64; 5]) {
    let found = figures(report, field, dataset, run).unwrap();
    let counts = ["gold", "exact", "missing", "wrong", "unasked"];
    assert_eq!(counts.map(|name| found[name].as_u64().unwrap()), expected, "{found}");
}

#[test]
fn figures_by_hand() {
    let report: Value =
        serde_json::from_str(&report(&folder(), &["--format", "json"]).unwrap()).unwrap();
    check_counts(&report, "title", "news", 0, [2, 1, 0, 1, 0]);
    let title = figures(&report, "title", "ALL", 0).unwrap();
    check_counts(&report, "title", "ALL", 0, [3, 1, 1, 1, 0]);
    assert_eq!((&title["precision"], &title["recall"]), (&json!(50.0), &json!(33.3333)));
    // Exact; "pears" and "early" in common of 3 and 2 words, F1 = 4/5; missing.
    assert_eq!(title["graded"], 60.0);
    check_counts(&report, "title", "ALL", 1, [3, 0, 3, 0, 0]);
    assert_eq!(figures(&report, "title", "ALL", 1).unwrap()["precision"], Value::Null);
    check_counts(&report, "subtitle", "news", 0, [1, 1, 0, 0, 0]);
    // One of two names: precision 1, recall 1/2.
    check_counts(&report, "authors", "news", 0, [1, 0, 0, 1, 0]);
    assert_eq!(figures(&report, "authors", "news", 0).unwrap()["graded"], 66.6667);
    check_counts(&report, "authors", "news", 1, [1, 0, 1, 1, 1]);
    check_counts(&report, "authors", "blogs", 0, [1, 0, 1, 0, 0]);
    check_counts(&report, "date", "news", 0, [2, 0, 1, 1, 0]);
    assert_eq!(figures(&report, "date", "news", 0).unwrap()["graded"], 50.0);
    check_counts(&report, "date", "news", 1, [2, 1, 1, 0, 0]);
    // The page whose gold date is after the fetch is excluded for all runs.
    check_counts(&report, "date-by-fetch", "ALL", 0, [1, 0, 0, 1, 0]);
    check_counts(&report, "date-by-fetch", "ALL", 1, [1, 0, 1, 0, 0]);
    // A date that cannot be parsed is not gold, and is counted.
    assert_eq!(figures(&report, "date", "blogs", 0), None);
    assert_eq!(report["unread_dates"], 1);
}

#[test]
fn confidences_are_compared_with_what_is_right() {
    let report: Value =
        serde_json::from_str(&report(&folder(), &["--format", "json"]).unwrap()).unwrap();
    let title = figures(&report, "title", "ALL", 0).unwrap();
    assert_eq!((&title["sure"], &title["sure_wrong"]), (&json!(2), &json!(1)));
    // A source without a confidence.
    assert_eq!(figures(&report, "date", "ALL", 0).unwrap()["sure"], Value::Null);
    let row = |from: f64, to: f64, said: f64, right: f64| json!({"field": "title", "run": "ours", "from": from, "to": to, "values": 1, "said": said, "right": right});
    let rows = [row(0.9, 0.95, 91.0, 0.0), row(0.95, 1.0, 97.0, 100.0)];
    assert_eq!(report["reliability"], json!(rows));
}

#[test]
fn the_worst_show_gold_and_all_runs() {
    let text = report(&folder(), &["--worst", "5"]).unwrap();
    assert!(
        text.contains("| news | ours | 2 | 1 | 0 | 1 | 50.0 | 50.0 | 90.0 | 2 | 1 |"),
        "{text}"
    );
    assert!(!text.contains("| news | peer | 2 | 0 |"), "no row for what is not looked for: {text}");
    assert!(
        text.contains("| news | peer | 1 | 0 | 1 | 1 (1) | 0.0 | 0.0 | 0.0 | – | – |"),
        "{text}"
    );
    assert!(
        text.contains("ours is not ahead of peer (exact values of both): news (0 and 1)"),
        "{text}"
    );
    let worst = &text[text.find("## Worst title of ours").unwrap()..];
    let first = worst
        .find("- 0.0 https://meadow.example/3 (blogs)\n  - gold: Hay\n  - ours: –\n  - peer: –");
    let second = worst.find("- 80.0 https://orchard.example/2 (news)\n  - gold: Pears ripen early\n  - ours: Pears &lt;early>");
    assert!(first.unwrap() < second.unwrap(), "{worst}");
    assert!(
        !worst.contains("https://orchard.example/1 (news)\n  - gold: Frost"),
        "an exact page is not bad: {worst}"
    );
}

#[test]
fn one_figure_a_line() {
    let text = report(&folder(), &["--format", "csv", "--datasets", "news"]).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("field,dataset,run,statistic,value"));
    assert_eq!(lines.next(), Some("title,news,ours,exact,1"));
    assert!(text.contains("authors,news,ours,graded,66.6667\n"));
    assert!(!text.contains("blogs"));
}

#[test]
fn gold_without_metadata_is_refused() {
    let folder = folder();
    fs::write(folder.path().join("gold.jsonl"), lines(&[json!({"url": "u", "gold_text": "x"})]))
        .unwrap();
    let error = report(&folder, &[]).unwrap_err();
    assert!(error.contains("gold_title"), "{error}");
    assert!(report(&folder, &["--measures", "all"]).is_err(), "one or the other");
}
