//! Damaged and pathological inputs are counted, reported with file and offset, and never end a run.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::crawl::{Crawl, HTML};
use crate::common::program::{call, parts, run, sitegrove, write_file};
use crate::common::prose;
use crate::common::results::{Results, text};

fn url(n: usize) -> String {
    format!("https://damaged.example/notes/{n}")
}

fn five() -> Crawl {
    let mut crawl = Crawl::new();
    for n in 0..5 {
        crawl.page(&url(n), &prose::post(n));
    }
    crawl
}

/// Runs over one file of these bytes. The exit code is 1 if the file is cut short, and 0 for other damage.
fn run_bytes(name: &str, bytes: &[u8]) -> Results {
    let folder = tempfile::tempdir().unwrap();
    let file = write_file(folder.path(), name, bytes);
    let out = folder.path().join("out");
    let mut command = sitegrove();
    command.arg("run").arg(&file).arg("--out").arg(&out);
    let (code, _, stderr) = parts(&command.output().unwrap());
    let results = Results::read(&out);
    let is_cut = results.dropped.iter().any(|drop| drop["reason"] == "cut-short");
    assert_eq!(code, i32::from(is_cut), "{stderr}");
    results
}

/// The drops of the read stage.
fn faults(results: &Results) -> Vec<&Value> {
    results.dropped.iter().filter(|drop| drop["stage"] == "read").collect()
}

fn numbers(results: &Results) -> Vec<usize> {
    (0..5).filter(|n| results.urls().contains(url(*n).as_str())).collect()
}

#[test]
fn a_gzip_member_cut_short() {
    let crawl = five();
    let members = crawl.members();
    let mut bytes = members[..2].concat();
    let offset = bytes.len();
    bytes.extend_from_slice(&members[2][..members[2].len() / 2]);
    bytes.extend(members[3..].concat());
    let results = run_bytes("cut.warc.gz", &bytes);
    assert_eq!(numbers(&results), [0, 1, 3, 4], "{:?}", results.dropped);
    // The rest of the page is kept and marked, but here it is only the head.
    let page: Vec<_> = results.dropped.iter().filter(|d| d["url"] == url(2)).collect();
    assert_eq!(page[0]["origin"]["truncated"], "cut-short");
    let drops = faults(&results);
    assert_eq!(drops.len(), 1, "{drops:?}");
    assert!(matches!(text(drops[0], "reason"), "bad-compression" | "cut-short"), "{drops:?}");
    assert_eq!(drops[0]["origin"]["offset"], offset);
    assert!(text(&drops[0]["origin"], "file").ends_with("cut.warc.gz"));
    assert!(!text(drops[0], "detail").is_empty());
    assert_eq!(results.count("dropped"), 2);
}

#[test]
fn a_byte_changed_within_a_member() {
    let crawl = five();
    let before: usize = crawl.members()[..1].iter().map(Vec::len).sum();
    let mut bytes = crawl.members().concat();
    let place = before + crawl.members()[1].len() / 2;
    bytes[place] ^= 0xff;
    let results = run_bytes("bent.warc.gz", &bytes);
    let found = numbers(&results);
    assert!([0, 2, 3, 4].iter().all(|n| found.contains(n)), "{found:?} {:?}", results.dropped);
    assert!(!results.dropped.is_empty());
    assert!(
        results.dropped.iter().all(|d| d["origin"]["offset"] == before),
        "{:?}",
        results.dropped
    );
}

#[test]
fn an_archive_that_ends_in_the_middle() {
    let bytes = five().members().concat();
    for cut in [1, 30, 200] {
        let results = run_bytes("short.warc.gz", &bytes[..bytes.len() - cut]);
        assert_eq!(numbers(&results)[..4], [0, 1, 2, 3], "cut by {cut}");
        assert_eq!(faults(&results).len(), 1, "cut by {cut}: {:?}", results.dropped);
    }
}

#[test]
fn junk_between_records() {
    let crawl = five();
    let mut bytes = crawl.members()[..2].concat();
    bytes.extend_from_slice("no record, just words. ".repeat(40).as_bytes());
    bytes.extend(crawl.members()[2..].concat());
    let results = run_bytes("junk.warc.gz", &bytes);
    assert_eq!(numbers(&results), [0, 1, 2, 3, 4]);
    assert_eq!(results.dropped.len(), 1, "{:?}", results.dropped);
}

#[test]
fn every_compression_of_an_archive_reads_the_same() {
    let crawl = five();
    let plain: Vec<u8> = crawl
        .members()
        .iter()
        .flat_map(|member| {
            let mut record = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&member[..]), &mut record)
                .unwrap();
            record
        })
        .collect();
    for (name, bytes) in [
        ("plain.warc", plain.clone()),
        ("one-member.warc.gz", crate::common::crawl::gzip(&plain)),
        ("misnamed.warc", crawl.members().concat()),
        ("unnamed", plain.clone()),
    ] {
        let results = run_bytes(name, &bytes);
        assert_eq!(numbers(&results), [0, 1, 2, 3, 4], "{name}: {:?}", results.dropped);
        assert_eq!(results.dropped.len(), 0, "{name}");
    }
}

#[test]
fn files_that_are_no_archives() {
    for (name, bytes) in [
        ("empty.warc.gz", &b""[..]),
        ("empty.warc", b""),
        ("words.warc", b"These are words, and no records at all.\n"),
        ("words.warc.gz", b"These are words, and no records at all.\n"),
        ("nul.warc", &[0; 100_000]),
        ("head.warc.gz", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
        (
            "header.warc",
            b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999\r\n\r\nHT",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = write_file(folder.path(), name, bytes);
        let out = folder.path().join("out");
        let arguments = ["run".as_ref(), file.as_os_str(), "--out".as_ref(), out.as_os_str()];
        let (code, _, stderr) = parts(&call(&arguments));
        // A night without results must not look like a success.
        assert_eq!(code, 1, "{name}: {stderr}");
        assert!(stderr.contains("no page was found"), "{name}: {stderr}");
        let results = Results::read(&out);
        assert_eq!(results.articles.len(), 0, "{name}");
        assert_eq!(results.count("pages"), 0, "{name}");
        assert!(matches!(results.dropped.len(), 1 | 2), "{name}: {:?}", results.dropped);
        assert!(results.dropped.iter().all(|d| text(&d["origin"], "file").ends_with(name)));
        assert_eq!(results.ledger["inputs"][0]["bytes"], bytes.len());
    }
}

#[test]
fn one_bad_file_among_good_ones() {
    let folder = tempfile::tempdir().unwrap();
    five().write(folder.path(), "good.warc.gz");
    fs::write(folder.path().join("bad.warc.gz"), "no archive").unwrap();
    fs::write(folder.path().join("empty.warc.gz"), "").unwrap();
    let results = run(&[folder.path()], &folder.path().join("out"), &[]);
    assert_eq!(numbers(&results), [0, 1, 2, 3, 4]);
    // Each of the others is reported once; none is skipped silently.
    assert_eq!(results.dropped.len(), 2, "{:?}", results.dropped);
    let details: Vec<_> = results.dropped.iter().map(|drop| text(drop, "detail")).collect();
    assert!(details.iter().any(|detail| detail.contains("contains no record")), "{details:?}");
}

#[test]
fn pages_that_try_patience() {
    let deep = format!("{}<p>{}</p>", "<div>".repeat(100_000), prose::text(1));
    let unclosed = format!("<p>{}{}", prose::text(2), "<b><i><a href=x>".repeat(30_000));
    let attributes: String = (0..20_000).map(|n| format!(" data-a{n}=\"{n}\"")).collect();
    let wide = format!("<div{attributes}><p>{}</p></div>", prose::text(3));
    let tables = format!("{}<p>{}</p>", "<table><tr><td>".repeat(20_000), prose::text(4));
    let entities = format!("<p>{}{}</p>", prose::text(5), "&lt;&#x41;&nosuch;".repeat(100_000));
    let comment = format!("<p>{}</p><!--{}", prose::text(6), "-".repeat(1_000_000));
    let mut crawl = Crawl::new();
    for (name, html) in [
        ("deep", &deep),
        ("unclosed", &unclosed),
        ("wide", &wide),
        ("tables", &tables),
        ("entities", &entities),
        ("comment", &comment),
    ] {
        crawl.page(&format!("https://{name}.example/notes/1"), html);
    }
    crawl.response("https://nul.example/notes/1", HTML, &vec![0; 1_000_000]);
    crawl.response("https://high.example/notes/1", HTML, &vec![0xff; 1_000_000]);
    crawl.page("https://plain.example/notes/1", &prose::post(7));
    let (_folder, archive, out) = crawl.placed("pathological.warc.gz");
    let begun = Instant::now();
    let results = run(&[&archive], &out, &[]);
    let took = begun.elapsed();
    // About eight megabytes, unoptimised; quadratic work would take hours.
    assert!(took < Duration::from_secs(60), "took {took:?}");
    for (seed, name) in ["deep", "unclosed", "wide"].into_iter().enumerate() {
        let article = results.article(&format!("https://{name}.example/notes/1"));
        let words = &prose::paragraphs(seed + 1)[0];
        assert!(text(article, "text").contains(words), "{name}");
    }
    assert!(results.urls().contains("https://plain.example/notes/1"));
    assert!(!results.urls().contains("https://nul.example/notes/1"), "NUL bytes are no text");
    assert_eq!(results.drops("internal-error").len(), 0, "{:?}", results.dropped);
    assert_eq!(results.drops("content-type").len(), 1, "{:?}", results.dropped);
    assert_eq!(results.count("pages"), 8);
}
