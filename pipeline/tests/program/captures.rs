//! Several captures of a page: a damaged one never replaces an intact one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::crawl::{self, RESPONSE};
use crate::common::program::{parts, sitegrove, write_file};
use crate::common::prose;
use crate::common::results::{Results, text};
use crate::common::steps::HEAD;
use archive::{RecordKind, Wrapping};

/// `sitegrove run` on inputs of which some may be cut short: the exit code says whether one is.
fn run(inputs: &[&Path], out: &Path, more: &[&str]) -> Results {
    let mut command = sitegrove();
    command.arg("run").args(inputs).arg("--out").arg(out).args(more);
    let (code, _, stderr) = parts(&command.output().unwrap());
    let results = Results::read(out);
    let is_cut =
        results.ledger["inputs"].as_array().unwrap().iter().any(|i| !i["cut_short"].is_null());
    assert_eq!(code, i32::from(is_cut), "{stderr}");
    results
}

fn url(n: usize) -> String {
    format!("https://copies.example/notes/{n}")
}

fn whole(n: usize) -> String {
    let more: String =
        (1..12).map(|k| format!("<p>{}</p>", prose::paragraphs(n * 100 + k).join(" "))).collect();
    prose::post_with(n, "", &more)
}

/// A record of a page, in a gzip member or uncompressed.
fn record(wrapping: Wrapping, n: usize, day: u32, fields: &[(&str, &str)], html: &str) -> Vec<u8> {
    let (id, date) = (format!("{day:04}-{n:04}"), format!("2024-05-{day:02}T10:00:00Z"));
    let (kind, block) = (RecordKind::Response, format!("{HEAD}{html}"));
    crawl::record(wrapping, kind, (&id, &date), &url(n), RESPONSE, fields, block.as_bytes())
}

const DOWN: &str = "<html><head><title>Service unavailable</title></head><body><h1>Service \
    unavailable</h1><p>Please try again later.</p></body></html>";

fn begin(html: &str) -> &str {
    &html[..html.len() * 2 / 5]
}

const PAGES: usize = 12;
const TRUNCATED: (&str, &str) = ("WARC-Truncated", "disconnect");

/// On the first day, all pages are intact. On the second, page 3 is cut off by the end of the
/// archive, page 5 by the crawler, and instead of page 7 the server reports that it is down; page 9
/// is complete, and changed.
fn days() -> [Vec<u8>; 2] {
    let first = (0..PAGES).map(|n| record(Wrapping::Gzip, n, 1, &[], &whole(n)));
    let mut second = record(Wrapping::Plain, 5, 2, &[TRUNCATED], begin(&whole(5)));
    second.extend(record(Wrapping::Plain, 7, 2, &[], DOWN));
    second.extend(record(Wrapping::Plain, 9, 2, &[], &whole(109)));
    let cut = record(Wrapping::Plain, 3, 2, &[], &whole(3));
    second.extend_from_slice(&cut[..cut.len() / 2]);
    [first.collect::<Vec<_>>().concat(), second]
}

fn write(folder: &Path) -> [std::path::PathBuf; 2] {
    let [first, second] = days();
    let paths = [folder.join("1.warc.gz"), folder.join("2.warc")];
    fs::write(&paths[0], first).unwrap();
    fs::write(&paths[1], second).unwrap();
    paths
}

fn check(results: &Results, what: &str) {
    assert_eq!(results.articles.len(), PAGES, "{what}: {:?}", results.dropped);
    for n in 0..PAGES {
        let article = results.article(&url(n));
        let last = prose::paragraphs(if n == 9 { 109 * 100 + 11 } else { n * 100 + 11 });
        assert!(text(article, "text").contains(&last[2]), "{what}: the end of {n} is missing");
        let day = if n == 9 { 2 } else { 1 };
        assert_eq!(text(article, "fetched"), format!("2024-05-{day:02}T10:00:00Z"), "{what}: {n}");
    }
    // Drops of the read stage also name the record in which the archive ends.
    let of_pages = results.dropped.iter().filter(|drop| text(drop, "stage") != "read");
    let reasons: BTreeMap<&str, &str> =
        of_pages.clone().map(|drop| (text(drop, "url"), text(drop, "reason"))).collect();
    for (n, reason) in
        [(3, "duplicate-url"), (5, "duplicate-url"), (7, "no-content"), (9, "duplicate-url")]
    {
        assert_eq!(reasons.get(&*url(n)), Some(&reason), "{what}: {n}");
    }
    assert_eq!(of_pages.count(), 4, "{what}: {:?}", results.dropped);
}

#[test]
fn intact_copies_are_kept_in_memory_on_disk_and_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = write(folder.path());
    let out = |name: &str| folder.path().join(name);
    let held = run(&[&first, &second], &out("held"), &["--memory", "1GiB"]);
    check(&held, "in memory");
    let other = run(&[&second, &first], &out("other"), &["--memory", "64kB", "--jobs", "3"]);
    check(&other, "on disk, in another order");
    assert!(held.outcome() == other.outcome(), "memory and order decide");
    let settings = write_file(folder.path(), "parts.toml", "[run]\nbatch_bytes = 30_000\n");
    let parts = run(&[&settings, &first, &second], &out("parts"), &[]);
    check(&parts, "in parts");
    let disk = run(&[&settings, &second, &first], &out("parts-disk"), &["--memory", "64kB"]);
    assert!(parts.outcome() == disk.outcome(), "memory and order decide of parts");
}

#[test]
fn a_site_that_was_down_keeps_its_articles() {
    let folder = tempfile::tempdir().unwrap();
    let mut members: Vec<Vec<u8>> =
        (0..PAGES).map(|n| record(Wrapping::Gzip, n, 1, &[], &whole(n))).collect();
    // Down for two days: the previous capture is of no use either.
    for day in [2, 3] {
        members.extend((0..PAGES).map(|n| record(Wrapping::Gzip, n, day, &[], DOWN)));
    }
    let path = write_file(folder.path(), "down.warc.gz", members.concat());
    let results = run(&[&path], &folder.path().join("out"), &[]);
    assert_eq!(results.articles.len(), PAGES, "{:?}", results.drops_by_reason());
    for n in 0..PAGES {
        let article = results.article(&url(n));
        assert!(text(article, "text").contains(&prose::paragraphs(n * 100 + 11)[2]), "{n}");
        assert_eq!(article["engine"], "grove", "{n}: learnt from the others");
    }
    let by_reason = results.drops_by_reason();
    assert_eq!((by_reason["no-content"], by_reason["duplicate-url"]), (12, 12), "{by_reason:?}");
}

#[test]
fn truncated_visits_change_nothing_in_archive_and_index() {
    use crate::common::program::{call, parts};
    use crate::common::results::parse;
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = write(folder.path());
    let orders = [[&first, &second], [&second, &first]];
    for (round, nights) in orders.into_iter().enumerate() {
        let archive = folder.path().join(format!("{round}.sqlite"));
        let index = folder.path().join(format!("{round}.index"));
        let (archive, index) = (archive.to_str().unwrap(), index.to_str().unwrap());
        for (night, path) in nights.into_iter().enumerate() {
            let out = folder.path().join(format!("out-{round}-{night}"));
            run(&[path], &out, &["--archive", archive, "--index", index]);
        }
        for n in [3, 5] {
            let history = ["history", &url(n), "--archive", archive, "--format", "json"];
            let (_, lines, _) = parts(&call(&history));
            let versions: Vec<_> = lines.lines().map(parse).collect();
            let [version] = &versions[..] else { panic!("{round}, {n}: {lines}") };
            let end = &prose::paragraphs(n * 100 + 11)[2];
            assert!(text(version, "text").contains(end), "{round}: {n}");
            assert_eq!((&version["truncated"], &version["visits"]), (&().into(), &1.into()));
            assert_eq!(text(version, "first_seen"), "2024-05-01T10:00:00Z", "{round}: {n}");
            let query = format!("url:\"{}\" AND \"{end}\"", url(n));
            let (_, found, _) = parts(&call(&["search", index, &query, "--format", "json"]));
            assert_eq!(parse(&found)["total"], 1, "{round}, {n}: {found}");
        }
        let history = ["history", &url(9), "--archive", archive, "--format", "json"];
        assert_eq!(parts(&call(&history)).1.lines().count(), 2, "a change is one");
    }
}

#[test]
fn a_truncated_visit_is_told_where_it_is_all_there_is() {
    use crate::common::program::{call, parts};
    use crate::common::results::parse;
    let folder = tempfile::tempdir().unwrap();
    let members = (0..PAGES).map(|n| {
        let fields: &[_] = if n == 5 { &[TRUNCATED] } else { &[] };
        record(Wrapping::Gzip, n, 1, fields, &whole(n))
    });
    let path = write_file(folder.path(), "1.warc.gz", members.collect::<Vec<_>>().concat());
    let archive = folder.path().join("a.sqlite");
    let archive = archive.to_str().unwrap();
    let index = folder.path().join("a.index");
    let index = index.to_str().unwrap();
    run(&[&path], &folder.path().join("out"), &["--archive", archive, "--index", index]);
    for n in [4, 5] {
        let expected: serde_json::Value =
            if n == 5 { "disconnect".into() } else { serde_json::Value::Null };
        let (_, line, _) =
            parts(&call(&["history", &url(n), "--archive", archive, "--format", "json"]));
        assert_eq!(parse(&line)["truncated"], expected, "{n}");
        let query = format!("url:\"{}\"", url(n));
        let (_, found, _) = parts(&call(&["search", index, &query, "--format", "json"]));
        assert_eq!(parse(&found)["hits"][0]["truncated"], expected, "{n}: {found}");
    }
}
