//! Indexes of archives, CDX and CDXJ, as lists of records.

use std::path::{Path, PathBuf};

use crate::common::crawl::{Crawl, gzip};
use crate::common::program::{call, parts, refuse, run, write_file};
use crate::common::prose;

pub(crate) const NOTES: usize = 6;

pub(crate) fn url(n: usize) -> String {
    format!("https://notes.example/on-bridges-{n}")
}

/// An archive of notes, and the offset and length of each.
pub(crate) fn archive(folder: &Path) -> Vec<(u64, u64)> {
    let mut crawl = Crawl::new();
    for n in 0..NOTES {
        crawl.page(&url(n), &prose::post(n));
    }
    std::fs::create_dir_all(folder).unwrap();
    crawl.write(folder, "notes.warc.gz");
    let mut at = 0;
    let place = |member: &Vec<u8>| {
        at += member.len() as u64;
        (at - member.len() as u64, member.len() as u64)
    };
    crawl.members().iter().map(place).collect()
}

fn cdxj(places: &[(u64, u64)], notes: &[usize]) -> String {
    let line = |&n: &usize| {
        let (offset, length) = places[n];
        format!(
            "example,notes)/on-bridges-{n} 20240501000000 {{\"url\": \"{}\", \"mime\": \"text/html\", \
             \"status\": \"200\", \"length\": \"{length}\", \"offset\": {offset}, \
             \"filename\": \"notes.warc.gz\"}}\n",
            url(n)
        )
    };
    notes.iter().map(line).collect()
}

fn urls(input: &Path, out: &Path) -> Vec<String> {
    let results = run(&[input], out, &["--overwrite"]);
    let mut urls: Vec<String> =
        results.articles.iter().map(|own| own["url"].as_str().unwrap().to_owned()).collect();
    urls.sort();
    let file = results.articles[0]["origin"]["file"].as_str().unwrap();
    assert!(file.ends_with("notes.warc.gz"), "{file}");
    urls
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    write_file(folder, name, bytes)
}

#[test]
fn the_records_that_an_index_lists_are_read_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let (root, out) = (folder.path(), folder.path().join("out"));
    let places = archive(&root.join("archive"));
    let beside = root.join("archive");
    let expected: Vec<String> = [1, 3, 4].map(url).into();
    let text = cdxj(&places, &[4, 1, 3, 1]);
    assert_eq!(urls(&write(&beside, "some.cdxj", &text), &out), expected);
    assert_eq!(urls(&write(&beside, "some.cdxj.gz", gzip(text.as_bytes())), &out), expected);
    // Beside the folder of the archives, as pywb and WACZ have it.
    assert_eq!(urls(&write(&root.join("indexes"), "index.cdxj", &text), &out), expected);
    let lines: String = [3, 1, 4]
        .iter()
        .map(|&n: &usize| {
            let (offset, length) = places[n];
            format!("example,notes)/{n} 20240501000000 {} text/html 200 X - - {length} {offset} notes.warc.gz\n", url(n))
        })
        .collect();
    let cdx = format!(" CDX N b a m s k r M S V g\n{lines}");
    assert_eq!(urls(&write(&beside, "some.cdx", &cdx), &out), expected);
    // The places of articles are those in the archive.
    let whole = run(&[&beside.join("notes.warc.gz")], &root.join("whole"), &[]);
    let some = run(&[&beside.join("some.cdx")], &out, &["--overwrite"]);
    for article in &some.articles {
        let url = article["url"].as_str().unwrap();
        assert_eq!(article["origin"], whole.article(url)["origin"], "{url}");
    }
    // Another list is another run.
    write(
        &beside,
        "some.cdx",
        format!(" CDX N b a m s k r M S V g\n{}", &lines[..lines.find('\n').unwrap() + 1]),
    );
    let (code, _, stderr) = parts(&call(&[
        "run",
        beside.join("some.cdx").to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ]));
    assert!(code == 2 && stderr.contains("--overwrite"), "{code} {stderr}");
}

#[test]
fn indexes_that_cannot_be_used_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let places = archive(folder.path());
    let fails = |name: &str, text: &str| {
        let path = write(folder.path(), name, text);
        let out = folder.path().join("out");
        let arguments = ["run", path.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let stderr = refuse(&arguments);
        assert!(stderr.contains(name), "{stderr}");
        stderr
    };
    let elsewhere = cdxj(&places, &[1]).replace("notes.warc.gz", "gone.warc.gz");
    assert!(fails("a.cdxj", &elsewhere).contains("gone.warc.gz"));
    assert!(
        fails("b.cdx", " CDX N b a m s k r V g\na b c d e f g 0 notes.warc.gz\n")
            .contains("S (length)")
    );
    assert!(fails("c.cdx", "a b c\n").contains("neither CDXJ nor CDX"));
    assert!(fails("d.cdxj", "a 2024 {\"filename\": \"x\"}\n").contains("line 1"));
    assert!(fails("e.cdxj", "").contains("lists no records"));
}

#[test]
fn the_index_beside_an_archive_finds_a_page_to_extract() {
    let folder = tempfile::tempdir().unwrap();
    let places = archive(folder.path());
    let path = folder.path().join("notes.warc.gz");
    let extract = || {
        let mut program = crate::common::program::sitegrove();
        program.args(["extract", "--format", "json", "-v", "--url", &url(1)]);
        let (code, stdout, stderr) = parts(&program.arg(&path).output().unwrap());
        (code, stdout, stderr)
    };
    let (code, whole, _) = extract();
    assert!(code == 0 && whole.contains("\"origin\""), "{whole}");
    // All records of the site: the same article, and the rest of the archive is not read.
    let index = write(folder.path(), "notes.cdxj", cdxj(&places, &[0, 1, 2, 3, 4, 5]));
    let (code, listed, stderr) = extract();
    assert!(code == 0 && stderr.contains("the 6 records of notes.example"), "{stderr}");
    assert_eq!(listed, whole);
    std::fs::write(&index, cdxj(&places, &[0, 1, 2])).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let mut damaged = bytes.clone();
    damaged[places[3].0 as usize..].fill(0);
    std::fs::write(&path, damaged).unwrap();
    let (code, listed, stderr) = extract();
    assert!(code == 0 && stderr.contains("the 3 records of notes.example"), "{stderr}");
    assert!(listed.contains(&url(1)), "{listed}");
    // The page is not in it, or what it says is wrong: the archive is read.
    std::fs::write(&path, bytes).unwrap();
    let moved: Vec<(u64, u64)> = places.iter().map(|(at, length)| (at + 7, *length)).collect();
    for text in [cdxj(&places, &[0, 2]), cdxj(&moved, &[0, 1]), "nonsense\n".to_owned()] {
        std::fs::write(&index, text).unwrap();
        let (code, listed, stderr) = extract();
        assert_eq!((code, &listed), (0, &whole), "{stderr}");
    }
}
