//! Outputs that can be chosen, and outputs that fail.

use std::fs;
use std::path::Path;

mod common;
use common::crawl::Crawl;
use common::program::{call, parts, run, sitegrove};
use common::prose;
use common::results::{Results, files};

fn archive(folder: &Path) -> std::path::PathBuf {
    let mut crawl = Crawl::new();
    for n in 0..8 {
        crawl.page(&format!("https://chosen.example/notes/{n}"), &prose::post(n));
    }
    crawl.write(folder, "chosen.warc.gz")
}

fn names(folder: &Path) -> Vec<String> {
    files(folder).into_keys().filter(|name| name.starts_with("articles")).collect()
}

#[test]
fn only_what_was_chosen_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let out = folder.path().join("out");
    run(&[&archive], &out, &[]);
    assert_eq!(names(&out), ["articles.jsonl"]);
    let all = run(&[&archive], &out, &["--sinks", "csv,jsonl"]);
    assert_eq!(names(&out), ["articles.csv", "articles.jsonl"]);
    assert_eq!(all.articles.len(), 8);
    // What an earlier run wrote and this one does not would be taken for a part of this one.
    run(&[&archive], &out, &["--sinks", "csv"]);
    assert_eq!(names(&out), ["articles.csv"]);
}

#[test]
fn markdown_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut crawl = Crawl::new();
    let table = "<ul><li>1. <b>One</b><li><a href=/two>two</a></ul>";
    for n in 0..8 {
        crawl.page(&format!("https://chosen.example/notes/{n}"), &prose::post_with(n, "", table));
    }
    let archive = crawl.write(folder.path(), "chosen.warc.gz");
    let out = folder.path().join("out");
    let plain = run(&[&archive], &out, &["--engine", "forest"]);
    assert!(plain.articles.iter().all(|article| article.get("markdown").is_none()));
    let with = run(&[&archive], &out, &["--engine", "forest", "--markdown"]);
    for (article, plain) in with.articles.iter().zip(&plain.articles) {
        let markdown = article["markdown"].as_str().unwrap();
        let list = "\n\n- 1\\. **One**\n- [two](https://chosen.example/two)";
        assert!(markdown.contains(list), "{markdown}");
        assert_eq!(article["html"], plain["html"]);
    }
}

#[test]
fn unknown_sinks_are_named() {
    let (code, _, stderr) = parts(&call(&["run", "x.warc", "--sinks", "jsonl,xml"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("no sink `xml`") && stderr.contains("jsonl, csv, warc"), "{stderr}");
}

#[test]
fn a_failing_sink_leaves_the_others_whole() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let out = folder.path().join("out");
    // A folder in the file's place cannot be replaced by the file.
    fs::create_dir_all(out.join("articles.csv/in-the-way")).unwrap();
    let output = sitegrove()
        .args(["run", "--overwrite", "--sinks", "jsonl,csv", "--out"])
        .args([&out, &archive])
        .output()
        .unwrap();
    let (code, stdout, stderr) = parts(&output);
    assert_eq!(code, 1, "{stdout}\n{stderr}");
    assert!(stderr.contains("the output csv could not be written"), "{stderr}");
    assert!(!stdout.contains("articles.csv"), "{stdout}");
    let results = Results::read(&out);
    assert_eq!(results.articles.len(), 8);
    let why = results.ledger["failed_sinks"]["csv"].as_str().unwrap();
    assert!(why.contains("articles.csv"), "{why}");
    // With no sink left, the run fails as a whole and writes no ledger.
    let output = sitegrove()
        .args(["run", "--overwrite", "--sinks", "csv", "--out"])
        .args([&out, &archive])
        .output()
        .unwrap();
    let (code, _, stderr) = parts(&output);
    assert_eq!(code, 2, "{stderr}");
    assert!(!out.join("ledger.json").exists());
}
