//! `sitegrove export article`: documents of articles, with the pictures of a crawl.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;

use crate::common::crawl::Crawl;
use crate::common::program::{call, in_repository, parts, run, write_file};
use crate::common::prose;
use crate::common::results::{files, parse};

const URL: &str = "https://coastal-notes.example/tide-mill";
/// The smallest PNG: one pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\nIDATx\x9cc\0\x01\0\0\x05\0\x01\r\n-\xb4\0\0\0\0IEND\xaeB`\x82";

/// A finished run over a crawl that has a page and one of its pictures.
fn finished(folder: &Path) {
    finished_with(folder, "Content-Type: image/png\r\n");
}

/// The same; the picture has this header.
fn finished_with(folder: &Path, header: &str) {
    let page = fs::read_to_string(in_repository("data/structure/tide-mill.html")).unwrap();
    let mut crawl = Crawl::new();
    crawl.page(URL, &page);
    crawl.response(
        "https://coastal-notes.example/img/pond.jpg",
        &format!("HTTP/1.1 200 OK\r\n{header}"),
        PNG,
    );
    let warc = crawl.write(folder, "crawl.warc.gz");
    run(&[&warc], &folder.join("out"), &["--sinks", "jsonl,warc,sqlite"]);
}

fn export(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let out = folder.join("out").to_string_lossy().into_owned();
    let given = |argument: &&str| argument.replace("OUT", &out);
    let arguments: Vec<String> = ["export", "article"].iter().chain(arguments).map(given).collect();
    parts(&call(&arguments))
}

#[test]
fn pictures_name_the_records_that_have_them() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path());
    let lines = fs::read_to_string(folder.path().join("out/articles.jsonl")).unwrap();
    let article = parse(lines.lines().next().unwrap());
    let images = article["images"].as_array().unwrap();
    let of = |name: &str| images.iter().find(|own| own["url"].as_str().unwrap().ends_with(name));
    let record = &of("pond.jpg").unwrap()["record"];
    let archive = fs::read(record["file"].as_str().unwrap()).unwrap();
    let offset = usize::try_from(record["offset"].as_u64().unwrap()).unwrap();
    let found = archive::RecordReader::new(&archive[offset..], &archive::Limits::USUAL).next();
    let found = found.unwrap().unwrap();
    assert_eq!(found.target_uri.as_deref(), Some("https://coastal-notes.example/img/pond.jpg"));
    assert!(found.body.ends_with(PNG));
    assert_eq!(of("sluice.jpg").unwrap().get("record"), None, "the crawl does not have it");
}

#[test]
fn pictures_that_are_declared_as_something_else_are_found() {
    for (header, detail) in [
        (
            "Content-Type: application/octet-stream\r\n",
            "image/png, declared as application/octet-stream",
        ),
        ("", "image/png, without a content type"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        finished_with(folder.path(), header);
        let dropped = fs::read_to_string(folder.path().join("out/dropped.jsonl")).unwrap();
        assert_eq!(parse(dropped.lines().next().unwrap())["detail"], detail);
        let to = folder.path().join("a.html");
        let to = to.to_string_lossy();
        let (code, stdout, stderr) = export(folder.path(), &[URL, "--run", "OUT", "--out", &to]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
        let page = fs::read_to_string(&*to).unwrap();
        assert!(page.contains("<img src=\"data:image/png;base64,iVBORw0KGgo"), "{page}");
    }
}

#[test]
fn a_page_has_the_pictures_that_the_crawl_has() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path());
    let to = folder.path().join("a.html");
    let to = to.to_string_lossy();
    let (code, stdout, stderr) = export(folder.path(), &[URL, "--run", "OUT", "--out", &to]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let from_run = fs::read_to_string(&*to).unwrap();
    assert!(from_run.contains("<img src=\"data:image/png;base64,iVBORw0KGgo"), "{from_run}");
    assert!(from_run.contains("src=\"https://coastal-notes.example/img/sluice.jpg\""));
    assert_eq!(from_run.matches("<h1>").count(), 1);
    // The records of articles have all that the lines have, and so has the archive of what documents show.
    let crawl = folder.path().join("crawl.warc.gz");
    let crawl = crawl.to_string_lossy();
    for archive in ["OUT/articles.warc.gz", "OUT/archive.sqlite"] {
        let arguments = [URL, "--archive", archive, "--pictures", &crawl, "--out", &to];
        let (code, stdout, stderr) = export(folder.path(), &arguments);
        assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
        let same = |page: &str| page.split_once("<article>").unwrap().1.to_owned();
        assert_eq!(same(&fs::read_to_string(&*to).unwrap()), same(&from_run), "{archive}");
    }
}

#[test]
fn every_format_is_written() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path());
    for (format, start) in [
        ("html", "<!doctype html>"),
        ("markdown", "# How the tide mill"),
        ("tei", "<?xml"),
        ("json", "{\n  \"access\""),
    ] {
        let to = folder.path().join(format);
        let to = format!("{}/", to.display());
        fs::create_dir(&to).unwrap();
        let arguments =
            ["--site", "coastal-notes.example", "--run", "OUT", "--format", format, "--out", &to];
        let (code, stdout, stderr) = export(folder.path(), &arguments);
        assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
        let written = files(Path::new(&to));
        let [(name, bytes)] = &written.into_iter().collect::<Vec<_>>()[..] else {
            panic!("{stdout}")
        };
        assert!(name.starts_with("coastal-notes.example-tide-mill."), "{name}");
        let text = String::from_utf8_lossy(bytes);
        assert!(text.starts_with(start), "{text}");
        if format == "json" {
            assert_eq!(parse(&text)["url"], URL);
        }
    }
    let to = folder.path().join("a.epub");
    let to = to.to_string_lossy();
    // The ending of the name tells the format.
    let (code, stdout, _) = export(folder.path(), &["--run", "OUT", "-o", &to]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.starts_with("1 article, 1 picture in "), "{stdout}");
    let mut book = zip::ZipArchive::new(Cursor::new(fs::read(&*to).unwrap())).unwrap();
    let mut picture = Vec::new();
    book.by_name("EPUB/pictures/1-1.png").unwrap().read_to_end(&mut picture).unwrap();
    assert_eq!(picture, PNG);
}

#[test]
fn what_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path());
    for archive in ["OUT/articles.warc.gz", "OUT/archive.sqlite"] {
        let arguments = ["https://a.example/", "--archive", archive, "--out", "never"];
        let (code, _, stderr) = export(folder.path(), &arguments);
        assert_eq!(code, 2);
        assert!(
            stderr.contains("no article with the address https://a.example/ is in"),
            "{stderr}"
        );
    }
}

#[test]
fn whole_sites_come_from_runs_and_archives() {
    let mut crawl = Crawl::new();
    for n in 0..12 {
        let site = if n < 8 { "posts.example" } else { "notes.example" };
        crawl.page(&format!("https://{site}/{n:02}"), &prose::post(n));
    }
    let (folder, warc, _) = crawl.placed("crawl.warc.gz");
    run(&[&warc], &folder.path().join("out"), &["--sinks", "jsonl,warc,sqlite"]);
    let exported = |from: &[&str], site: &[&str]| -> Vec<String> {
        let to = folder.path().join("texts");
        let arguments = [from, site, &["--format", "markdown", "--out", to.to_str().unwrap()]];
        let (code, stdout, stderr) = export(folder.path(), &arguments.concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
        let texts = files(&to).into_keys().collect();
        fs::remove_dir_all(&to).unwrap();
        texts
    };
    for from in [
        &["--run", "OUT"],
        &["--archive", "OUT/articles.warc.gz"],
        &["--archive", "OUT/archive.sqlite"],
    ] {
        assert_eq!(exported(from, &[]).len(), 12, "{from:?}");
        assert_eq!(exported(from, &["--site", "posts.example"]).len(), 8, "{from:?}");
    }
    let (code, _, stderr) = export(
        folder.path(),
        &["--archive", "OUT/archive.sqlite", "--site", "other.example", "--out", "never"],
    );
    assert!(code == 2 && stderr.contains("no article of the site other.example"), "{stderr}");
}

/// A crawl of a site whose second page has a picture in three sizes; only the smallest is in the crawl, under an address
/// that is written in another way.
fn with_sizes() -> Crawl {
    let figure = "<figure><img src=/sl%75ice.jpg alt=Sluice srcset=\"/800.jpg 800w, /1600.jpg 1600w\">\
         <figcaption>The sluice, shut for the first time.</figcaption></figure>";
    let mut crawl = Crawl::new();
    for n in 0..4 {
        let head = if n == 1 { figure } else { "" };
        let page = prose::post(n).replace("<div class=entry>", &format!("<div class=entry>{head}"));
        crawl.page(&format!("https://posts.example/{n:02}"), &page);
    }
    let jpeg = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n";
    crawl.response("https://POSTS.example:443/sl%75ice.jpg", jpeg, PNG);
    crawl
}

#[test]
fn a_picture_is_found_by_any_of_its_sources_in_any_archive() {
    let crawl = with_sizes();
    let xz = {
        let options = lzma_rust2::XzOptions::with_preset(1);
        let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        let mut plain = Vec::new();
        let gzip = crawl.members().concat();
        flate2::read::MultiGzDecoder::new(&*gzip).read_to_end(&mut plain).unwrap();
        encoder.write_all(&plain).unwrap();
        encoder.finish().unwrap()
    };
    let (folder, gzip, out) = crawl.placed("crawl.warc.gz");
    let whole = write_file(folder.path(), "crawl.warc.xz", xz);
    for warc in [gzip, whole] {
        let results = run(&[&warc], &out, &["--sinks", "jsonl,warc", "--overwrite"]);
        let image = &results.article("https://posts.example/01")["images"][0];
        assert_eq!(image["url"], "https://posts.example/1600.jpg");
        assert_eq!(image["record"]["url"], "https://posts.example/sl%75ice.jpg", "{image}");
        let to = folder.path().join("a.html");
        let to = to.to_string_lossy();
        for from in [
            &["--run", "OUT"][..],
            &["--archive", "OUT/articles.warc.gz"],
            &["--run", "OUT", "--pictures", &warc.to_string_lossy()],
        ] {
            let arguments = [&["https://posts.example/01", "--out", &to], from].concat();
            let (code, stdout, stderr) = export(folder.path(), &arguments);
            assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
            let page = fs::read_to_string(&*to).unwrap();
            assert!(
                page.contains("<img src=\"data:image/png;base64,iVBORw0KGgo"),
                "{from:?}\n{page}"
            );
        }
    }
}

#[test]
fn the_extension_of_the_output_names_a_format() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path());
    let out = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (code, _, stderr) = export(folder.path(), &["--run", "OUT", "--out", &out("book.docx")]);
    assert_eq!(code, 2, "{stderr}");
    for named in ["book.docx", ".docx", ".epub", "--format"] {
        assert!(stderr.contains(named), "{stderr}");
    }
    assert!(!folder.path().join("book.docx").exists());
    // A name without an extension, a folder, and a format that is named.
    for (arguments, written) in [
        (vec!["--out", &out("plain")], "plain"),
        (vec!["--out", &out("texts.2026/")], "texts.2026"),
        (vec!["--format", "tei", "--out", &out("text.tei")], "text.tei"),
    ] {
        let all = [&["--run", "OUT"], &arguments[..]].concat();
        let (code, _, stderr) = export(folder.path(), &all);
        assert_eq!(code, 0, "{arguments:?}: {stderr}");
        assert!(folder.path().join(written).exists(), "{written}");
    }
}

#[test]
fn a_folder_that_is_named_as_an_archive_is_told() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path());
    let place = folder.path().to_string_lossy().into_owned();
    let (code, _, stderr) = export(folder.path(), &["--archive", &place, "--out", "x.html"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains(&place) && stderr.contains("--run"), "{stderr}");
}

#[test]
fn documents_are_not_put_into_a_run_and_versions_are_those_of_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path());
    let before = files(folder.path());
    let (code, _, stderr) =
        export(folder.path(), &["--run", "OUT", "--out", "OUT", "--format", "html"]);
    assert!(code == 2 && stderr.contains("is the folder of a run"), "{stderr}");
    let book = folder.path().join("a.html").to_string_lossy().into_owned();
    for option in [&["--version", "2"][..], &["--all-versions"]] {
        let all = [&["--run", "OUT", "--out", &book][..], option].concat();
        let (code, _, stderr) = export(folder.path(), &all);
        assert!(code == 2 && stderr.contains("cannot be used with"), "{stderr}");
    }
    let (code, _, stderr) =
        export(folder.path(), &["--run", "OUT", "--site", "b.example", "--out", &book]);
    assert!(code == 2 && stderr.contains("contains no article of the site b.example"), "{stderr}");
    assert!(before == files(folder.path()));
}
