//! The same input gives the same bytes for any threads, order, and division into files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use archive::{Limits, NewRecord, Record, RecordReader, RecordWriter, Wrapping};
use serde_json::Value;

use crate::common::program::{in_repository, run, sitegrove};
use crate::common::results::{Results, assert_same, files};

fn archives() -> Vec<PathBuf> {
    [1, 2, 3].map(|n| in_repository(&format!("data/crawl/sample-{n}.warc.gz"))).into()
}

/// A run of archives with the sample's feeds and folder of pages.
fn run_sample(archives: &[PathBuf], out: &Path, more: &[&str]) -> Results {
    let pages = in_repository("data/pages/lighthouse-almanac.example");
    let feeds = in_repository("data/feeds");
    let inputs: Vec<&Path> =
        archives.iter().map(PathBuf::as_path).chain([pages.as_path()]).collect();
    let mut flags = vec!["--feeds", feeds.to_str().unwrap(), "--sinks", "all"];
    flags.extend(more);
    run(&inputs, out, &flags)
}

/// The files of a run folder that must not change, without those that contain times: the ledger and
/// the report. The report's data and rows are included.
fn bytes(results: &Results) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(&results.folder);
    assert!(files.remove("ledger.json").is_some());
    let report = String::from_utf8(files.remove("report/index.html").unwrap()).unwrap();
    let (_, rows) = report.split_once("<script type=\"application/json\" id=\"rows\">").unwrap();
    let (rows, _) = rows.split_once("</script>").unwrap();
    assert!(rows.len() > 500 && files.contains_key("report/sites.jsonl"), "{rows}");
    files.insert("rows of the report".to_owned(), rows.as_bytes().to_owned());
    // Its rows are the same, which pipeline/tests/program/archive.rs checks; SQLite counts its writes.
    files.remove("archive.sqlite");
    // tantivy names the files of an index randomly; the search results must be the same.
    files.retain(|name, _| !name.starts_with("index/"));
    for (query, least) in [("*", 60_000), ("bridge OR Gemeinde OR 灯台 OR l'encre", 3_000)] {
        let arguments = ["search", results.folder.to_str().unwrap(), query, "--limit", "1000"];
        let found = sitegrove().args(arguments).args(["--format", "json"]).output().unwrap();
        assert!(found.status.success() && found.stdout.len() > least, "{query}: {found:?}");
        files.insert(format!("found for {query}"), found.stdout);
    }
    assert!(files.len() > 10 && files.contains_key("articles.csv"), "{:?}", files.keys());
    files
}

/// The ledger without values that depend on time and machine.
fn timeless(ledger: &Value) -> Value {
    let mut ledger = ledger.clone();
    let map = ledger.as_object_mut().unwrap();
    for key in [
        "started", "seconds", "stage_seconds", "jobs", "pages_per_second", "html_mb_per_second",
        "peak_rss_bytes",
    ] {
        assert!(map.remove(key).is_some(), "the ledger has no {key}");
    }
    ledger
}

/// Lines of a JSONL file without the positions of their records.
fn without_origin(values: &[Value]) -> Vec<String> {
    let strip = |value: &Value| {
        let mut value = value.clone();
        assert!(value.as_object_mut().unwrap().remove("origin").is_some());
        value.to_string()
    };
    values.iter().map(strip).collect()
}

#[test]
fn threads_change_nothing() {
    for more in [&[][..], &["--engine", "forest", "--signifiers", "feeds"], &["--engine", "blocks"]]
    {
        let folder = tempfile::tempdir().unwrap();
        let with = |jobs: &str| {
            let flags: Vec<&str> = more.iter().copied().chain(["--jobs", jobs]).collect();
            run_sample(&archives(), &folder.path().join(jobs), &flags)
        };
        let one = with("1");
        for jobs in ["2", "4", "9"] {
            let many = with(jobs);
            assert_same(&bytes(&one), &bytes(&many), &format!("{jobs} threads, {more:?}"));
            assert_eq!(timeless(&one.ledger), timeless(&many.ledger), "{jobs} threads");
            assert_eq!(many.ledger["jobs"].to_string(), jobs);
        }
    }
}

#[test]
fn a_second_run_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let first = bytes(&run_sample(&archives(), &out, &[]));
    assert_same(&first, &bytes(&run_sample(&archives(), &out, &[])), "rerun");
}

#[test]
fn the_order_of_inputs_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let forward = run_sample(&archives(), &folder.path().join("forward"), &[]);
    let mut names = archives();
    names.reverse();
    let backward = run_sample(&names, &folder.path().join("backward"), &[]);
    assert_same(&bytes(&forward), &bytes(&backward), "order");
    // A folder, a glob and the same file twice name the same files.
    let crawl = in_repository("data/crawl");
    let glob = crawl.join("*.warc.gz");
    let by_glob = run_sample(&[glob, crawl], &folder.path().join("glob"), &[]);
    assert_same(&bytes(&forward), &bytes(&by_glob), "glob");
}

#[test]
fn the_place_of_results_changes_nothing() {
    // Run in another folder with relative names: only origins may differ.
    let folder = tempfile::tempdir().unwrap();
    fs::copy(&archives()[0], folder.path().join("here.warc.gz")).unwrap();
    let output = sitegrove()
        .current_dir(folder.path())
        .args(["run", "here.warc.gz", "--out", "relative"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let relative = Results::read(&folder.path().join("relative"));
    let absolute = run(&[&archives()[0]], &folder.path().join("absolute"), &[]);
    assert_eq!(without_origin(&relative.articles), without_origin(&absolute.articles));
}

/// All records of the sample crawl.
fn records() -> Vec<Record> {
    let mut records = Vec::new();
    for path in archives() {
        let reader = RecordReader::new(fs::File::open(path).unwrap(), &Limits::USUAL);
        records.extend(reader.map(Result::unwrap));
    }
    assert!(records.len() > 400, "{} records", records.len());
    records
}

/// Distributes records over several files in turn, last first, some of them uncompressed.
fn deal(records: &[Record], count: usize, folder: &Path) -> Vec<PathBuf> {
    fs::create_dir(folder).unwrap();
    let mut paths = Vec::new();
    for n in 0..count {
        let (name, wrapping) = match n % 2 {
            0 => (format!("{}-part.warc.gz", count - n), Wrapping::Gzip),
            _ => (format!("{}-part.warc", count - n), Wrapping::Plain),
        };
        let mut writer = RecordWriter::new(Vec::new(), wrapping);
        for record in records.iter().rev().skip(n).step_by(count) {
            let new = NewRecord {
                kind: record.kind,
                record_id: &record.record_id,
                date: record.date.unwrap(),
                target_uri: record.target_uri.as_deref(),
                content_type: record.headers.get("Content-Type").unwrap_or_default(),
                fields: &[],
                body: &record.body,
            };
            writer.write(&new).unwrap();
        }
        paths.push(folder.join(name));
        fs::write(&paths[n], writer.finish().unwrap()).unwrap();
    }
    paths
}

#[test]
fn the_division_into_files_changes_nothing_but_origins() {
    let folder = tempfile::tempdir().unwrap();
    let whole = run_sample(&archives(), &folder.path().join("whole"), &[]);
    let records = records();
    for count in [1, 5] {
        let dealt = deal(&records, count, &folder.path().join(format!("in-{count}")));
        let parts =
            run_sample(&dealt, &folder.path().join(format!("out-{count}")), &["--jobs", "3"]);
        let what = format!("{count} files");
        assert_eq!(without_origin(&whole.articles), without_origin(&parts.articles), "{what}");
        let sorted = |results: &Results| {
            let mut lines = without_origin(&results.dropped);
            lines.sort();
            lines
        };
        assert_eq!(sorted(&whole), sorted(&parts), "{what}");
        let of = |results: &Results| {
            let mut files = bytes(results);
            // Files with positions of records are expected to differ.
            let tells = [".jsonl", ".ndjson", ".parquet", ".warc.gz", ".cdxj"];
            files.retain(|name, _| !tells.iter().any(|ending| name.ends_with(ending)));
            files
        };
        assert_same(&of(&whole), &of(&parts), &what);
        assert_eq!(whole.ledger["counts"], parts.ledger["counts"], "{what}");
    }
}
