//! The forms in which archives and pages come: every form of one crawl gives the same articles.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::common::crawl::Crawl;
use crate::common::program::{parts, refused, run, sitegrove, succeeded};
use crate::common::prose;
use crate::common::results::Results;

const PAGES: usize = 12;

fn crawl() -> Crawl {
    Crawl::of_posts("https://forms.example/notes/", 0..PAGES)
}

fn plain() -> Vec<u8> {
    let mut bytes = Vec::new();
    MultiGzDecoder::new(&crawl().members().concat()[..]).read_to_end(&mut bytes).unwrap();
    bytes
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A WACZ file with the crawl in two archives.
fn wacz(method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    let mut add = |name: &str, bytes: &[u8]| {
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    };
    let crawl = crawl();
    let (first, second) = crawl.members().split_at(PAGES / 2);
    add("datapackage.json", b"{\"profile\": \"data-package\"}");
    add("archive/a.warc.gz", &first.concat());
    add("indexes/index.cdx", b"");
    add("archive/b.warc.gz", &second.concat());
    zip.finish().unwrap().into_inner()
}

/// What the articles say, apart from where their pages lie.
fn said(results: &Results) -> Vec<Value> {
    let mut articles = results.articles.clone();
    for article in &mut articles {
        article["origin"].take();
    }
    articles
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn every_form_of_an_archive_gives_the_same_articles() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let expected = run(&[&crawl().write(folder.path(), "a.warc.gz")], &at("expected"), &[]);
    assert_eq!(expected.articles.len(), PAGES);
    let members = crawl().members().concat();
    for (name, bytes) in [
        ("a.warc.bz2", bzip2(&plain())),
        ("b.warc.xz", xz(&plain())),
        ("c.wacz", wacz(CompressionMethod::Stored)),
        ("d.wacz", wacz(CompressionMethod::Deflated)),
        ("without-extension", members.clone()),
        ("plain-without-extension", plain()),
    ] {
        // In a folder of its own: it has to be recognised there.
        let file = write(folder.path(), &format!("{name}.in/{name}"), &bytes);
        for (input, how) in [(file.parent().unwrap(), "folder"), (&*file, "file")] {
            let results = run(&[input], &at(&format!("{name}-{how}")), &[]);
            assert_eq!(said(&results), said(&expected), "{name} as {how}");
        }
    }
}

#[test]
fn records_of_a_wacz_file_are_reached_by_their_offsets() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = wacz(CompressionMethod::Stored);
    let file = write(folder.path(), "a.wacz", &bytes);
    let results = run(&[&file], &folder.path().join("out"), &[]);
    for article in &results.articles {
        let offset = usize::try_from(article["origin"]["offset"].as_u64().unwrap()).unwrap();
        let mut head = [0; 9];
        MultiGzDecoder::new(&bytes[offset..]).read_exact(&mut head).unwrap();
        assert_eq!(&head, b"WARC/1.1\r");
    }
    // `inspect` reads pages again.
    let (run, page) = (folder.path().join("out"), folder.path().join("page.html"));
    let mut command = sitegrove();
    command.arg("inspect").arg(run).args(["forms.example", "--out"]).arg(&page);
    succeeded(&command.output().unwrap());
    assert!(fs::read_to_string(page).unwrap().contains("https://forms.example/notes/11"));
}

#[test]
fn a_damaged_wacz_file_is_named_and_the_others_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = wacz(CompressionMethod::Stored);
    write(folder.path(), "in/cut.wacz", &bytes[..bytes.len() - 30]);
    write(folder.path(), "in/a.warc.gz", &crawl().members().concat());
    let mut command = sitegrove();
    command.arg("run").arg(folder.path().join("in")).arg("--out").arg(folder.path().join("out"));
    let (code, _, stderr) = parts(&command.output().unwrap());
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("cut.wacz"), "{stderr}");
    assert_eq!(Results::read(&folder.path().join("out")).articles.len(), PAGES);
}

#[test]
fn saved_pages_in_mime_messages_and_without_extension() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..6 {
        let saved = format!(
            "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://forms.example/notes/{n}\r\n\
             Date: Mon, 2 Nov 2026 10:00:00 -0000\r\nMIME-Version: 1.0\r\n\
             Content-Type: multipart/related; type=\"text/html\"; boundary=\"--b\"\r\n\r\n\
             ----b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: binary\r\n\
             Content-Location: https://forms.example/notes/{n}\r\n\r\n{}\r\n----b--\r\n",
            prose::post(n)
        );
        write(folder.path(), &format!("in/{n}.mhtml"), saved.as_bytes());
        let page = format!("<!doctype html>{}", prose::post(n + 6));
        write(folder.path(), &format!("in/Blog/post-{n}"), page.as_bytes());
    }
    write(folder.path(), "in/Blog/Makefile", b"all:\n\techo\n");
    let results = run(&[&folder.path().join("in")], &folder.path().join("out"), &[]);
    assert_eq!(results.articles.len(), 12);
    let article = results.article("https://forms.example/notes/3");
    assert_eq!(article["fetched"], "2026-11-02T10:00:00Z");
}

#[test]
fn a_text_file_names_the_inputs() {
    let (folder, archive, _) = crawl().placed("a.warc.gz");
    let glob = folder.path().join("*.warc.gz");
    let list = format!("# tonight\n\n  {}\n{}\n", archive.display(), glob.display());
    let file = write(folder.path(), "list.txt", list.as_bytes());
    let named = PathBuf::from(format!("@{}", file.display()));
    let results = run(&[&named], &folder.path().join("out"), &[]);
    assert_eq!(results.articles.len(), PAGES);
    write(folder.path(), "list.txt", b"nowhere.warc.gz\nneither.warc.gz\n");
    let mut command = sitegrove();
    command.arg("run").arg(&named).arg("--out").arg(folder.path().join("other"));
    let stderr = refused(&command.output().unwrap());
    assert!(stderr.contains("nowhere.warc.gz") && stderr.contains("neither.warc.gz"), "{stderr}");
    assert!(stderr.contains("list.txt"), "{stderr}");
}

#[test]
fn folders_of_earlier_runs_are_not_read() {
    let (folder, archive, _) = crawl().placed("a.warc.gz");
    let before =
        run(&[&archive], &folder.path().join("out/monday"), &["--sinks", "jsonl,report,warc"]);
    let again = run(&[folder.path()], &folder.path().join("out/tuesday"), &[]);
    assert_eq!(said(&again), said(&before));
    assert_eq!(again.ledger["inputs"].as_array().unwrap().len(), 1);
}
