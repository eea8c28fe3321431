//! What outputs and the report say of stored models: revision and health in each, and what changed.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::Value;

use crate::common::nights::{crawl_of, posts, url};
use crate::common::program::succeed;
use crate::common::prose;
use crate::common::results::{Results, parse, text};

/// Posts with other names in their markup.
fn renamed(of: Range<usize>) -> Vec<(String, String)> {
    of.map(|n| (url(n), prose::renamed(n))).collect()
}

fn run(archive: &Path, folder: &Path, out: &str, more: &[&str]) -> PathBuf {
    let (out, store) = (folder.join(out), folder.join("models.sqlite"));
    let fixed = ["run", archive.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let models = ["--models", store.to_str().unwrap()];
    succeed(&[&fixed[..], &models, more].concat());
    out
}

#[test]
fn every_output_has_the_revision_and_the_health() {
    let folder = tempfile::tempdir().unwrap();
    let first = crawl_of(folder.path(), "2026-03-01", &posts(0..9));
    run(&first, folder.path(), "one", &[]);
    let second = crawl_of(folder.path(), "2026-03-02", &renamed(9..15));
    let out = run(&second, folder.path(), "two", &["--sinks", "jsonl,csv,bulk,sqlite,index"]);
    let expected: BTreeMap<String, (u64, String, String)> = Results::read(&out)
        .articles
        .iter()
        .map(|article| {
            let own = (text(article, "health").to_owned(), text(article, "template").to_owned());
            let revision = article["model_revision"].as_u64().unwrap();
            (text(article, "url").to_owned(), (revision, own.0, own.1))
        })
        .collect();
    assert_eq!(expected.len(), 6);
    assert!(expected.values().all(|own| own.0 == 2 && own.1 == "healthy"), "{expected:?}");

    let mut csv = csv::Reader::from_path(out.join("articles.csv")).unwrap();
    let names = csv.headers().unwrap().clone();
    let at = |name: &str| names.iter().position(|own| own == name).unwrap();
    let of_csv = csv.records().map(|row| {
        let row = row.unwrap();
        let revision = row[at("model_revision")].parse().unwrap();
        let own = (revision, row[at("health")].to_owned(), row[at("template")].to_owned());
        (row[at("url")].to_owned(), own)
    });
    assert_eq!(of_csv.collect::<BTreeMap<_, _>>(), expected);

    let of_json = |own: &Value| {
        let revision = own["model_revision"].as_u64().unwrap();
        let own_texts = (text(own, "health").to_owned(), text(own, "template").to_owned());
        (text(own, "url").to_owned(), (revision, own_texts.0, own_texts.1))
    };
    let bulk = fs::read_to_string(out.join("articles.bulk.ndjson")).unwrap();
    let of_bulk = bulk.lines().map(parse).filter(|own: &Value| own["url"].is_string());
    assert_eq!(of_bulk.map(|own| of_json(&own)).collect::<BTreeMap<_, _>>(), expected);

    let index = out.join("index");
    let search =
        ["search", index.to_str().unwrap(), "health:healthy", "--format", "json", "--limit", "99"];
    let found = parse(&succeed(&search));
    let hits = found["hits"].as_array().unwrap();
    assert_eq!(hits.iter().map(of_json).collect::<BTreeMap<_, _>>(), expected);

    let db = Connection::open(out.join("archive.sqlite")).unwrap();
    let mut of_archive =
        db.prepare("SELECT url, model_revision, health, template FROM history").unwrap();
    let rows = of_archive
        .query_map([], |row| {
            Ok((row.get(0)?, (row.get::<_, u32>(1)?.into(), row.get(2)?, row.get(3)?)))
        })
        .unwrap();
    assert_eq!(rows.map(Result::unwrap).collect::<BTreeMap<_, _>>(), expected);
}

/// The part of the report about sites that changed.
fn section(out: &Path) -> Option<String> {
    let report = fs::read_to_string(out.join("report/index.html")).unwrap();
    let (_, section) = report.split_once("<section class=\"changes\"")?;
    Some(section.split_once("</section>").unwrap().0.to_owned())
}

#[test]
fn the_report_shows_a_site_that_changed_before_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let report = ["--sinks", "jsonl,report"];
    let first = crawl_of(folder.path(), "2026-03-01", &posts(0..12));
    assert_eq!(section(&run(&first, folder.path(), "one", &report)), None);
    let same = crawl_of(folder.path(), "2026-03-02", &posts(12..16));
    assert_eq!(section(&run(&same, folder.path(), "two", &report)), None, "nothing changed");
    let other = crawl_of(folder.path(), "2026-03-03", &renamed(16..22));
    let shown = section(&run(&other, folder.path(), "three", &report)).unwrap();
    for part in [
        "Sites that changed tonight <small>1 site",
        "posts.example",
        "finds 0 % of 6 articles, 100 % before",
        "now revision 2, 2026-03-03",
        "<h5>Before</h5>",
        "<h5>Now</h5>",
        "//p[not(@class)]",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let (before, now) = shown.split_once("<h5>Now</h5>").unwrap();
    let post = (16..22).find(|n| shown.contains(&url(*n))).unwrap();
    assert!(now.contains(&prose::paragraphs(post)[0][..30]), "{shown}");
    assert!(before.contains("//div.entry/p") && !now.contains("//div.entry"), "{shown}");
    // The same night once more says the same.
    assert_eq!(section(&run(&other, folder.path(), "again", &report)), Some(shown));
}
