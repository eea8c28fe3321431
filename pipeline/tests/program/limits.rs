//! Limits: input that is too large, expands too much or needs too much work is dropped with its
//! reason, quickly.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use crate::common::crawl::{Crawl, HTML, gzip};
use crate::common::program::{in_repository, run, write_file};
use crate::common::prose;
use crate::common::results::{Results, text};
use archive::RecordKind;
use flate2::write::DeflateEncoder;
use flate2::{Compress, Compression, FlushCompress};
use serde_json::Value;

/// A gzip member of a head followed by ten gigabytes of zeros, about ten megabytes long: one
/// flushed deflate block of ten megabytes, repeated. Its checksum is wrong, but no reader gets that
/// far.
fn ten_gigabytes(head: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 10 << 20;
    let mut compress = Compress::new(Compression::default(), false);
    let mut packed = |bytes: &[u8]| {
        let mut out = Vec::with_capacity(bytes.len() / 500 + 4096);
        compress.compress_vec(bytes, &mut out, FlushCompress::Full).unwrap();
        assert!(out.len() < out.capacity());
        out
    };
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    member.extend(packed(head));
    let block = packed(&vec![0; BLOCK]);
    for _ in 0..(10 << 30) / BLOCK {
        member.extend_from_slice(&block);
    }
    member.extend_from_slice(&[3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert!((9 << 20..12 << 20).contains(&member.len()), "{}", member.len());
    member
}

fn run_bytes(bytes: &[u8], more: &[&str]) -> (Results, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let file = write_file(folder.path(), "bomb.warc.gz", bytes);
    let begun = Instant::now();
    let results = run(&[&file], &folder.path().join("out"), more);
    (results, begun.elapsed())
}

fn good() -> Crawl {
    let mut crawl = Crawl::new();
    crawl.page("https://good.example/notes/1", &prose::post(1));
    crawl.page("https://good.example/notes/2", &prose::post(2));
    crawl
}

#[test]
fn ten_gigabytes_in_a_member_of_ten_megabytes() {
    let head = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://bomb.example/\r\n\
                Content-Type: text/html\r\nContent-Length: 10737418240\r\n\r\n";
    let members = good().members().to_vec();
    let bytes = [members[0].clone(), ten_gigabytes(head.as_bytes()), members[1].clone()].concat();
    let (results, took) = run_bytes(&bytes, &[]);
    // Less than a second when optimised.
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(results.articles.len(), 2, "{:?}", results.dropped);
    assert!(results.drops("record-too-large").iter().any(|drop| {
        text(drop, "detail").contains("500 times") && drop["origin"]["offset"] == members[0].len()
    }));
    assert!(results.dropped.len() <= 2, "{:?}", results.dropped);
}

#[test]
fn ten_gigabytes_in_a_payload_of_ten_megabytes() {
    let mut crawl = good();
    let head = format!("{HTML}Content-Encoding: gzip\r\n");
    crawl.response("https://bomb.example/", &head, &ten_gigabytes(b"<p>"));
    let (results, took) = run_bytes(&crawl.members().concat(), &[]);
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(results.articles.len(), 2);
    let drops = results.drops("record-too-large");
    assert!(drops.len() == 1 && drops[0]["url"] == "https://bomb.example/", "{drops:?}");
}

/// A run with these settings.
fn run_with(crawl: &Crawl, settings: &str) -> Results {
    let folder = tempfile::tempdir().unwrap();
    let config = write_file(folder.path(), "config.toml", settings);
    let archive = crawl.write(folder.path(), "a.warc.gz");
    run(&[&config, &archive], &folder.path().join("out"), &[])
}

/// The settings that are limits: keys `max_…` of a section of the defaults.
fn limits_of(section: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(in_repository("configs/default.toml")).unwrap();
    let defaults: toml::Table = toml::from_str(&text).unwrap();
    let keys = defaults[section].as_table().unwrap().keys();
    keys.filter(|key| key.starts_with("max_")).cloned().collect()
}

#[test]
fn every_limit_of_reading_can_be_set() {
    let url = |name: &str| format!("https://{name}.example/notes/1");
    let mut crawl = Crawl::new();
    let long = prose::post_with(1, "", &"<p>words and more words</p>".repeat(2000));
    crawl.page(&url("long"), &long);
    let zipped = gzip(prose::post_with(2, "", &"<b>x</b>".repeat(300_000)).as_bytes());
    crawl.response(&url("swollen"), &format!("{HTML}Content-Encoding: gzip\r\n"), &zipped);
    crawl.page(&url("fine"), &prose::post(3));
    let items = "<item><title>t</title><link>https://fine.example/notes/1</link></item>".repeat(50);
    let feed = format!("<rss version='2.0'><channel><title>f</title>{items}</channel></rss>");
    crawl.response(&url("feed"), "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n", feed.as_bytes());
    let wordy = format!("{}?{}", url("wordy"), "x".repeat(3000));
    crawl.page(&wordy, &prose::post(4));
    crawl.page(&url("behind"), &prose::post(5));
    let names = ["long", "swollen", "fine", "feed", "wordy", "behind"];
    // The reason for each missing page; a record with an invalid head has no address.
    let lost = |results: &Results| -> BTreeMap<&str, String> {
        let of = |name: &&'static str| {
            let start = url(name);
            let gone = !results.urls().iter().any(|found| found.starts_with(&start));
            let told = |d: &&Value| {
                text(d, "url").starts_with(&start) || text(d, "detail").contains(&start)
            };
            let reason = || match results.dropped.iter().find(told) {
                Some(drop) => text(drop, "reason").to_owned(),
                None => String::new(),
            };
            (gone && (*name != "feed" || !reason().is_empty())).then(|| (*name, reason()))
        };
        names.iter().filter_map(of).collect()
    };
    assert_eq!(lost(&run_with(&crawl, "")), BTreeMap::new());
    /// A setting, its value, and the expected drops with their reasons.
    type Case = (&'static str, u32, &'static [(&'static str, &'static str)]);
    let cases: [Case; 5] = [
        ("max_record_bytes", 30_000, &[("long", "record-too-large")]),
        ("max_head_bytes", 2000, &[("wordy", "")]),
        (
            "max_payload_bytes",
            30_000,
            &[("long", "record-too-large"), ("swollen", "record-too-large")],
        ),
        ("max_ratio", 20, &[("swollen", "record-too-large")]),
        ("max_feed_bytes", 2000, &[("feed", "bad-feed")]),
    ];
    let covered = cases.iter().map(|case| case.0.to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(covered, limits_of("read"), "a limit is not tested here");
    for (limit, value, wanted) in cases {
        let results = run_with(&crawl, &format!("[read]\n{limit} = {value}"));
        let wanted: BTreeMap<&str, String> =
            wanted.iter().map(|(name, reason)| (*name, (*reason).to_owned())).collect();
        assert_eq!(lost(&results), wanted, "{limit}: {:?}", results.dropped);
        let heads = results.drops("bad-record").len();
        assert_eq!(heads, usize::from(limit == "max_head_bytes"), "{:?}", results.dropped);
    }
}

#[test]
fn every_limit_of_parsing_can_be_set() {
    let url = "https://marked.example/notes/1";
    let nested = format!("<p>{}Nested words. {}</p>", "<em><b>".repeat(9), "</b></em>".repeat(9));
    let later = "<p>A paragraph with <b>bold words</b> in it.</p>".repeat(60);
    let link = "<p><a title=t lang=en href=/fine>A link with attributes</a></p>";
    let mut crawl = Crawl::new();
    crawl.page(url, &prose::post_with(1, "", &format!("{link}{nested}{later}")));
    // The number of tags in the article's HTML, and whether its link has a target.
    let marked = |settings: &str| {
        let results = run_with(&crawl, settings);
        let html = text(results.article(url), "html").to_owned();
        let count = |tag: &str| html.matches(tag).count();
        // Words are kept even if their tags are not.
        assert!(html.contains("Nested words.") && count("bold words") == 60, "{settings}: {html}");
        (count("<em>"), count("<b>"), count("href="))
    };
    let (nests, bolds, links) = marked("");
    assert!(nests > 1 && bolds > 60 && links == 1, "{nests} {bolds} {links}");
    let cases = ["max_depth", "max_nodes", "max_attributes", "max_steps"];
    let covered = cases.iter().map(|&case| case.to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(covered, limits_of("parse"), "a limit is not tested here");
    let shallow = marked("[parse]\nmax_depth = 6");
    assert!(shallow.0 < nests && shallow.2 == links, "{shallow:?}");
    let few = marked("[parse]\nmax_nodes = 60");
    assert!(few.0 == nests && few.1 < 60, "{few:?}");
    let bare = marked("[parse]\nmax_attributes = 2");
    assert_eq!((bare.0, bare.2), (nests, 0));
    let none = run_with(&crawl, "[parse]\nmax_steps = 200");
    assert!(none.articles.is_empty(), "{:?}", none.dropped);
    assert_eq!(none.drops("too-much-work").len(), 1, "{:?}", none.dropped);
}

#[test]
fn addresses_without_end_are_not_read() {
    let mut crawl = Crawl::new();
    let address = |bytes: usize| {
        let start = "https://long.example/notes/";
        format!("{start}{}", "a".repeat(bytes - start.len()))
    };
    crawl.page(&address(8192), &prose::post(1));
    crawl.page(&address(8193), &prose::post(2));
    crawl.page("https://fine.example/notes/1", &prose::post(3));
    let results = run_with(&crawl, "");
    let drops = results.drops("bad-url");
    let [drop] = drops[..] else { panic!("{:?}", results.dropped) };
    assert_eq!(drop["url"], address(8193)[..200]);
    assert_eq!(drop["detail"], "an address of 8193 bytes; 8192 are read");
    assert_eq!(results.articles.len(), 2);
}

#[test]
fn a_record_that_is_not_read_is_named() {
    let mut crawl = Crawl::new();
    let url = "https://long.example/notes/1";
    crawl.page(url, &prose::post_with(1, "", &"<p>words and more words</p>".repeat(2000)));
    crawl.page("https://fine.example/notes/1", &prose::post(3));
    let results = run_with(&crawl, "[read]\nmax_record_bytes = 30_000");
    let drops = results.drops("record-too-large");
    let [drop] = drops[..] else { panic!("{:?}", results.dropped) };
    assert_eq!(drop["url"], url);
    assert_eq!(drop["origin"]["record_id"], "urn:uuid:00000000-0000-4000-8000-000000000000");
    assert_eq!(results.articles.len(), 1);
}

#[test]
fn what_was_cut_by_the_crawler_is_kept_and_marked() {
    let mut crawl = good();
    let html = prose::post(3);
    let mut writer = archive::RecordWriter::new(Vec::new(), archive::Wrapping::Gzip);
    let body = [HTML.as_bytes(), b"\r\n", &html.as_bytes()[..html.len() - 40]].concat();
    let record = archive::NewRecord {
        kind: RecordKind::Response,
        record_id: "urn:uuid:cut",
        date: "2024-05-01T00:00:00Z".parse().unwrap(),
        target_uri: Some("https://good.example/notes/3"),
        content_type: "application/http; msgtype=response",
        fields: &[("WARC-Truncated", "length")],
        body: &body,
    };
    writer.write(&record).unwrap();
    let bytes = [
        crawl.page("https://good.example/notes/4", &prose::post(4)).members().concat(),
        writer.finish().unwrap(),
    ];
    let (results, _) = run_bytes(&bytes.concat(), &[]);
    let article = results.article("https://good.example/notes/3");
    assert_eq!(article["origin"]["truncated"], "length");
    assert!(results.article("https://good.example/notes/4")["origin"]["truncated"].is_null());
}

#[test]
fn standard_input() {
    let bytes = good().members().concat();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let output = crate::common::program::sitegrove()
        .args(["run".as_ref(), "-".as_ref(), "--out".as_ref(), out.as_os_str()])
        .write_stdin(bytes.clone())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let results = Results::read(&out);
    assert_eq!(results.articles.len(), 2);
    assert_eq!(results.articles[0]["origin"]["file"], "-");
    assert_eq!(results.ledger["inputs"][0]["bytes"], bytes.len());
}

#[test]
fn the_bomb_is_one() {
    // Its content is as declared, as far as it is decompressed here.
    let bomb = ten_gigabytes(b"head");
    let mut decoder = flate2::read::GzDecoder::new(&bomb[..]);
    let mut first = vec![1; 100 << 20];
    std::io::Read::read_exact(&mut decoder, &mut first).unwrap();
    assert!(first.starts_with(b"head\0") && first[4..].iter().all(|byte| *byte == 0));
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&first).unwrap();
    assert!(encoder.finish().unwrap().len() > bomb.len() / 200);
}
