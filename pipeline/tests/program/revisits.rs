//! Revisit records: resolved by record, by address and date, or by digest, across files.

use std::fs;

use crate::common::crawl::{self, RESPONSE};
use crate::common::program::run;
use crate::common::prose;
use crate::common::results::{Results, text};
use crate::common::steps::HEAD;
use archive::{RecordKind, Wrapping};

const IDENTICAL: (&str, &str) =
    ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
const UNMODIFIED: (&str, &str) =
    ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified");

fn url(name: &str) -> String {
    format!("https://again.example/notes/{name}")
}

/// A record in a gzip member; `day` gives date and id.
fn record(kind: RecordKind, name: &str, day: u32, fields: &[(&str, &str)], body: &str) -> Vec<u8> {
    let (id, date) = (format!("{day:08}"), format!("2024-05-{day:02}T10:00:00Z"));
    let named = (&*id, &*date);
    crawl::record(Wrapping::Gzip, kind, named, &url(name), RESPONSE, fields, body.as_bytes())
}

fn page(name: &str, day: u32, digest: &str) -> Vec<u8> {
    let body = format!("{HEAD}{}", prose::post(day as usize));
    record(RecordKind::Response, name, day, &[("WARC-Payload-Digest", digest)], &body)
}

fn revisit(name: &str, day: u32, fields: &[(&str, &str)]) -> Vec<u8> {
    record(RecordKind::Revisit, name, day, fields, HEAD)
}

/// A run over archives of these members, read in this order.
fn run_files(files: &[Vec<Vec<u8>>]) -> Results {
    let folder = tempfile::tempdir().unwrap();
    for (n, members) in files.iter().enumerate() {
        fs::write(folder.path().join(format!("{n}.warc.gz")), members.concat()).unwrap();
    }
    run(&[folder.path()], &tempfile::tempdir().unwrap().path().join("out"), &[])
}

#[test]
fn originals_are_found_across_files() {
    let digest = ("WARC-Payload-Digest", "sha1:ABCDEF");
    let results = run_files(&[
        // The revisits come first: the order of files does not matter.
        vec![
            revisit("by-digest", 11, &[IDENTICAL, ("WARC-Payload-Digest", "SHA1:abcdef")]),
            revisit("by-record", 12, &[IDENTICAL, ("WARC-Refers-To", "<urn:uuid:00000002>")]),
            revisit(
                "by-visit",
                13,
                &[
                    IDENTICAL,
                    ("WARC-Refers-To-Target-URI", &url("third")),
                    ("WARC-Refers-To-Date", "2024-05-03T10:00:00.5Z"),
                ],
            ),
            revisit("third", 14, &[UNMODIFIED]),
            revisit("lost", 15, &[IDENTICAL, ("WARC-Payload-Digest", "sha1:OTHER")]),
            revisit("lost-too", 16, &[IDENTICAL]),
        ],
        vec![page("first", 1, digest.1), page("second", 2, "sha1:B"), page("third", 3, "sha1:C")],
    ]);
    for (name, seed, day) in [
        ("first", 1, 1),
        ("by-digest", 1, 11),
        ("by-record", 2, 12),
        ("by-visit", 3, 13),
        ("third", 3, 14),
    ] {
        let article = results.article(&url(name));
        assert!(text(article, "text").contains(&prose::text(seed)), "{name}");
        assert_eq!(text(article, "fetched"), format!("2024-05-{day:02}T10:00:00Z"), "{name}");
        assert_eq!(article["origin"]["record_id"], format!("urn:uuid:{day:08}"), "{name}");
    }
    assert_eq!(results.articles.len(), 6, "{:?}", results.urls());
    let lost = results.drops("revisit-without-original");
    let urls: Vec<_> = lost.iter().map(|drop| text(drop, "url")).collect();
    assert_eq!(urls, [url("lost"), url("lost-too")]);
    let older = results.drops("duplicate-url");
    assert!(older.len() == 1 && text(older[0], "url") == url("third"), "{older:?}");
}

#[test]
fn of_many_revisits_the_last_gives_the_page() {
    let refers = [IDENTICAL, ("WARC-Payload-Digest", "sha1:A")];
    let mut members = vec![page("daily", 1, "sha1:A"), page("other", 2, "sha1:B")];
    members.extend((3..20).map(|day| revisit("daily", day, &refers)));
    // The last one has no information on its original.
    members.push(revisit("daily", 20, &[IDENTICAL]));
    let results = run_files(&[members]);
    assert_eq!(text(results.article(&url("daily")), "fetched"), "2024-05-19T10:00:00Z");
    assert_eq!(results.articles.len(), 2);
    assert_eq!(results.drops("duplicate-url").len(), 17);
    assert_eq!(results.drops("revisit-without-original").len(), 1);
}

#[test]
fn what_was_no_page_is_none_when_seen_again() {
    let image = "HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\n\r\nGIF89a";
    let digest = [("WARC-Payload-Digest", "sha1:GIF")];
    let results = run_files(&[vec![
        page("page", 1, "sha1:A"),
        record(RecordKind::Response, "logo", 2, &digest, image),
        revisit("logo-again", 3, &[IDENTICAL, digest[0]]),
    ]]);
    let drops = results.drops("content-type");
    assert_eq!(drops.len(), 2, "{drops:?}");
    assert!(drops.iter().any(|d| text(d, "detail") == "as its original: image/gif"), "{drops:?}");
    assert_eq!(results.articles.len(), 1);
}

/// Six pages with the same id, as in an archive merged from others, and six revisits of them.
fn of_one_id() -> Vec<Vec<u8>> {
    let mut members = Vec::new();
    for n in 0..6 {
        let (name, digest) = (format!("merged-{n}"), format!("sha1:PAGE{n}"));
        let date = format!("2024-05-01T10:00:{n:02}Z");
        let write = |kind, id: &str, date: &str, fields: &[(&str, &str)], body: &str| {
            let (named, url) = ((id, date), url(&name));
            crawl::record(Wrapping::Gzip, kind, named, &url, RESPONSE, fields, body.as_bytes())
        };
        let body = format!("{HEAD}{}", prose::post(n));
        let fields = [("WARC-Payload-Digest", digest.as_str())];
        members.push(write(RecordKind::Response, "one", &date, &fields, &body));
        let fields = [
            IDENTICAL,
            ("WARC-Payload-Digest", &digest),
            ("WARC-Refers-To", "<urn:uuid:one>"),
            ("WARC-Refers-To-Target-URI", &url(&name)),
            ("WARC-Refers-To-Date", &date),
        ];
        let later = format!("2024-06-01T10:00:{n:02}Z");
        let id = format!("again-{n}");
        members.push(write(RecordKind::Revisit, &id, &later, &fields, HEAD));
    }
    members
}

#[test]
fn a_record_id_counts_for_less_than_digest_and_address() {
    let results = run_files(&[of_one_id()]);
    assert_eq!(results.articles.len(), 6);
    for n in 0..6 {
        let article = results.article(&url(&format!("merged-{n}")));
        assert!(text(article, "text").contains(&prose::text(n)), "{n}: {article}");
        assert_eq!(text(article, "fetched"), format!("2024-06-01T10:00:{n:02}Z"));
    }
}

#[test]
fn what_has_another_digest_is_no_original() {
    let refers = |day: u32| format!("<urn:uuid:{day:08}>");
    let (wrong, right) = (refers(1), refers(2));
    let results = run_files(&[vec![
        page("one", 1, "sha1:A"),
        page("two", 2, "sha256:B"),
        page("three", 3, "sha1:C"),
        // The record it refers to is another page's.
        revisit(
            "lost",
            4,
            &[IDENTICAL, ("WARC-Payload-Digest", "sha1:Z"), ("WARC-Refers-To", &wrong)],
        ),
        // The digest of the record it refers to uses another algorithm, so it is no evidence.
        revisit(
            "found",
            5,
            &[IDENTICAL, ("WARC-Payload-Digest", "sha1:Y"), ("WARC-Refers-To", &right)],
        ),
        // Nor is the page at its address evidence, which changed in the meantime.
        revisit("three", 6, &[UNMODIFIED, ("WARC-Payload-Digest", "sha1:D")]),
    ]]);
    let lost: Vec<_> =
        results.drops("revisit-without-original").iter().map(|drop| text(drop, "url")).collect();
    assert_eq!(lost, [url("lost"), url("three")]);
    assert!(text(results.article(&url("found")), "text").contains(&prose::text(2)));
}

#[test]
fn many_revisits_give_the_same_in_memory_and_on_disk() {
    let mut members = of_one_id();
    for n in 0..4_000_u32 {
        let digest = format!("sha1:PAGE{}", n % 9);
        let fields = [IDENTICAL, ("WARC-Payload-Digest", digest.as_str())];
        members.push(revisit(&format!("copy-{}", n % 700), n / 700 + 1, &fields));
    }
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for (name, memory, jobs) in [("held", "1GiB", "1"), ("disk", "64kB", "3")] {
        // The archive is the same except for the order of its records.
        let path = folder.path().join("many.warc.gz");
        if name == "disk" {
            members.reverse();
        }
        fs::write(&path, members.concat()).unwrap();
        let out = folder.path().join(name);
        let results = run(&[&path], &out, &["--memory", memory, "--jobs", jobs]);
        let lines = |values: &[serde_json::Value]| -> Vec<String> {
            let mut lines: Vec<String> = values
                .iter()
                .map(|value| {
                    let mut value = value.clone();
                    value["origin"]["offset"] = 0.into();
                    value.to_string()
                })
                .collect();
            lines.sort();
            lines
        };
        all.push((lines(&results.articles), lines(&results.dropped)));
    }
    // Two in nine refer to a missing page, and of each address the last visit is used.
    assert!(all[0].0.len() > 400 && all[0].1.len() > 3_000, "{}", all[0].0.len());
    assert!(all[0] == all[1], "memory decides");
}
