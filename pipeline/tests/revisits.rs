//! Revisit records: resolved by record, by address and date, or by digest, across files.

use std::fs;

mod common;
use archive::{NewRecord, RecordKind, Wrapping, Writer};
use common::program::run;
use common::prose;
use common::results::{Results, text};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
const IDENTICAL: (&str, &str) =
    ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
const UNMODIFIED: (&str, &str) =
    ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified");

fn url(name: &str) -> String {
    format!("https://again.example/notes/{name}")
}

/// A record in a gzip member; `day` gives date and id.
fn record(kind: RecordKind, name: &str, day: u32, fields: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), Wrapping::Gzip);
    let record = NewRecord {
        kind,
        record_id: &format!("urn:uuid:{day:08}"),
        date: format!("2024-05-{day:02}T10:00:00Z").parse().unwrap(),
        target_uri: Some(&url(name)),
        content_type: "application/http; msgtype=response",
        fields,
        body: body.as_bytes(),
    };
    writer.write(&record).unwrap();
    writer.finish().unwrap()
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
    // The last one of all says nothing of its original.
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
