//! Selection of outputs, and outputs that fail.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{call, parts, refuse, refused, run, sitegrove, write_file};
use crate::common::prose;
use crate::common::results::{Results, files, parse, text};

/// xxh3 (128 bits) of `https://chosen.example/notes/0`.
const ID_OF_THE_FIRST: &str = "345ab79498a5ea504d209302c4e8f092";

fn archive() -> (TempDir, PathBuf, PathBuf) {
    Crawl::of_posts("https://chosen.example/notes/", 0..8).placed("chosen.warc.gz")
}

fn names(folder: &Path) -> Vec<String> {
    files(folder).into_keys().filter(|name| name.starts_with("articles")).collect()
}

#[test]
fn only_what_was_chosen_is_written() {
    let (_folder, archive, out) = archive();
    run(&[&archive], &out, &[]);
    assert_eq!(names(&out), ["articles.jsonl"]);
    let all = run(&[&archive], &out, &["--sinks", "all"]);
    let every = [
        "articles.bulk.ndjson", "articles.cdxj", "articles.csv", "articles.jsonl",
        "articles.parquet", "articles.warc.gz",
    ];
    assert_eq!(names(&out), every);
    assert!(out.join("index/meta.json").is_file());
    assert_eq!(all.articles.len(), 8);
    // Files of an earlier run that this one does not write would be mistaken for a part of this
    // one.
    run(&[&archive], &out, &["--sinks", "csv", "--overwrite"]);
    assert_eq!(names(&out), ["articles.csv"]);
    assert!(!out.join("index").exists());
}

/// Settings of the emit stage in a file.
fn settings(folder: &Path, emit: &str) -> PathBuf {
    write_file(folder, "emit.toml", format!("[emit]\n{emit}\n"))
}

#[test]
fn lines_can_be_compressed_and_are_read_so() {
    let (folder, archive, out) = archive();
    run(&[&archive], &out, &[]);
    let plain = fs::read(out.join("articles.jsonl")).unwrap();
    let zstd = settings(folder.path(), "jsonl = 'zstd'");
    run(&[&zstd, &archive], &out, &["--overwrite"]);
    // The uncompressed file is of the earlier run: the two could differ.
    assert_eq!(names(&out), ["articles.jsonl.zst"]);
    let stored = fs::read(out.join("articles.jsonl.zst")).unwrap();
    assert!(stored.len() < plain.len() / 2);
    assert!(zstd::decode_all(stored.as_slice()).unwrap() == plain);

    let page = call(&["inspect", out.to_str().unwrap(), "chosen.example", "--out", "-"]);
    assert_eq!(page.status.code(), Some(0));
    assert!(String::from_utf8(page.stdout).unwrap().contains("chosen.example/notes/3"));
    run(&[&archive], &out, &["--overwrite"]);
    assert_eq!(names(&out), ["articles.jsonl"]);
}

#[test]
fn a_run_without_articles_still_gives_whole_files() {
    let mut crawl = Crawl::new();
    crawl.page("https://empty.example/", "<p>Nothing</p>");
    let (folder, archive, out) = crawl.placed("empty.warc.gz");
    let zstd = settings(folder.path(), "jsonl = 'zstd'");
    run(&[&zstd, &archive], &out, &["--sinks", "all"]);
    let stored = fs::read(out.join("articles.jsonl.zst")).unwrap();
    assert!(!stored.is_empty() && zstd::decode_all(stored.as_slice()).unwrap().is_empty());
    let parquet = fs::read(out.join("articles.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    assert_eq!(call(&["search", out.to_str().unwrap(), "nothing"]).status.code(), Some(0));
}

#[test]
fn bulk_lines_are_those_of_the_server() {
    let (folder, archive, out) = archive();
    let mut ids = Vec::new();
    for server in ["elasticsearch", "opensearch", "quickwit", "meilisearch"] {
        let config = settings(folder.path(), &format!("bulk = '{server}'"));
        let results = run(&[&config, &archive], &out, &["--sinks", "jsonl,bulk", "--overwrite"]);
        let bulk = fs::read_to_string(out.join("articles.bulk.ndjson")).unwrap();
        let mut lines = bulk.lines().map(parse);
        ids.clear();
        for article in &results.articles {
            let mut document = lines.next().unwrap();
            if server.ends_with("search") && server != "meilisearch" {
                ids.push(text(&document["index"], "_id").to_owned());
                document = lines.next().unwrap();
            } else {
                let id = document.as_object_mut().unwrap().remove("id").unwrap();
                ids.push(id.as_str().unwrap().to_owned());
            }
            assert_eq!(document, *article, "{server}");
        }
        assert_eq!(lines.next(), None);
    }
    // Ids of articles in search servers must not change between versions.
    assert!(ids.iter().all(|id| id.len() == 32));
    assert_eq!(ids[0], ID_OF_THE_FIRST);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 8);
}

#[test]
fn spreadsheets_may_have_their_mark() {
    let (folder, archive, out) = archive();
    run(&[&archive], &out, &["--sinks", "csv"]);
    let plain = fs::read(out.join("articles.csv")).unwrap();
    let config = settings(folder.path(), "csv = 'mark'");
    run(&[&config, &archive], &out, &["--sinks", "csv", "--overwrite"]);
    let marked = fs::read(out.join("articles.csv")).unwrap();
    assert!(marked == ["\u{feff}".as_bytes(), &plain].concat());
}

#[test]
fn markdown_where_it_is_asked_for() {
    let mut crawl = Crawl::new();
    let table = "<ul><li>1. <b>One</b><li><a href=/two>two</a></ul>";
    for n in 0..8 {
        crawl.page(&format!("https://chosen.example/notes/{n}"), &prose::post_with(n, "", table));
    }
    let (_folder, archive, out) = crawl.placed("chosen.warc.gz");
    let plain = run(&[&archive], &out, &["--engine", "forest"]);
    assert!(plain.articles.iter().all(|article| article.get("markdown").is_none()));
    let with = run(&[&archive], &out, &["--engine", "forest", "--markdown", "--overwrite"]);
    for (article, plain) in with.articles.iter().zip(&plain.articles) {
        let markdown = article["markdown"].as_str().unwrap();
        let list = "\n\n- 1\\. **One**\n- [two](https://chosen.example/two)";
        assert!(markdown.contains(list), "{markdown}");
        assert_eq!(article["html"], plain["html"]);
    }
}

#[test]
fn unknown_sinks_are_named() {
    let stderr = refuse(&["run", "x.warc", "--sinks", "jsonl,xml"]);
    let known = "jsonl, csv, parquet, bulk, warc";
    assert!(stderr.contains("no output `xml`") && stderr.contains(known), "{stderr}");
}

#[test]
fn a_failing_sink_leaves_the_others_whole() {
    let (_folder, archive, out) = archive();
    // A folder at the file's path cannot be replaced by the file.
    fs::create_dir_all(out.join("articles.csv/in-the-way")).unwrap();
    let output = sitegrove()
        .args(["run", "--overwrite", "--sinks", "jsonl,csv", "--out"])
        .args([&out, &archive])
        .output()
        .unwrap();
    let (code, stdout, stderr) = parts(&output);
    assert_eq!(code, 1, "{stdout}\n{stderr}");
    assert!(stderr.contains("cannot write the output csv"), "{stderr}");
    assert!(!stdout.contains("articles.csv"), "{stdout}");
    let results = Results::read(&out);
    assert_eq!(results.articles.len(), 8);
    let why = results.ledger["failed_sinks"]["csv"].as_str().unwrap();
    assert!(why.contains("articles.csv"), "{why}");
    // Without any remaining sink, the run fails, and the run before stays.
    let output = sitegrove()
        .args(["run", "--overwrite", "--sinks", "csv", "--out"])
        .args([&out, &archive])
        .output()
        .unwrap();
    refused(&output);
    assert!(Results::read(&out).ledger == results.ledger);
}
