//! Contents of real crawls: codings, character sets, statuses, types, files and folders.

use std::fs;
use std::path::Path;

use archive::RecordKind;
use serde_json::Value;

use crate::common::crawl::{Crawl, HTML, brotli, chunked, gzip, raw_deflate, zlib};
use crate::common::program::run;
use crate::common::prose;
use crate::common::results::{Results, text};

/// Runs over one archive.
/// Asserts that the article of a post contains the post's text and not the menu.
fn assert_post(results: &Results, url: &str, seed: usize) {
    let found = text(results.article(url), "text");
    assert!(found.contains(&prose::text(seed)), "{url}: {found}");
    assert!(!found.contains("About us"), "{url}: {found}");
}

#[test]
fn transfer_and_content_codings() {
    let page = |seed| prose::post(seed).into_bytes();
    let head = |fields: &str| format!("{HTML}{fields}");
    let mut crawl = Crawl::new();
    let cases: [(&str, Vec<u8>); 12] = [
        ("Transfer-Encoding: chunked\r\n", chunked(&page(0), 100)),
        ("Transfer-Encoding: chunked\r\n", page(1)), // declared, but not so
        ("Content-Encoding: gzip\r\n", gzip(&page(2))),
        ("Content-Encoding: x-gzip\r\n", gzip(&page(3))),
        ("Content-Encoding: gzip\r\n", page(4)), // declared, but not so
        ("Content-Encoding: deflate\r\n", zlib(&page(5))),
        ("Content-Encoding: deflate\r\n", raw_deflate(&page(6))),
        ("Content-Encoding: br\r\n", brotli(&page(7))),
        ("content-encoding: GZIP\r\ntransfer-encoding: Chunked\r\n", chunked(&gzip(&page(8)), 64)),
        ("Content-Encoding: br\r\nTransfer-Encoding: chunked\r\n", chunked(&brotli(&page(9)), 999)),
        ("Content-Encoding: identity\r\n", page(10)),
        ("Content-Length: 7\r\n", page(11)), // wrong
    ];
    for (seed, (fields, body)) in cases.iter().enumerate() {
        crawl.response(&format!("https://codings.example/notes/{seed}"), &head(fields), body);
    }
    let results = crawl.run(&[]);
    for seed in 0..cases.len() {
        assert_post(&results, &format!("https://codings.example/notes/{seed}"), seed);
    }
    assert_eq!(results.dropped.len(), 0, "{:?}", results.dropped);
}

/// Text in windows-1251, for its Cyrillic letters.
fn windows_1251(text: &str) -> Vec<u8> {
    let byte = |c: char| match c {
        'А'..='я' => u8::try_from(c as u32 - 'А' as u32).unwrap() + 0xc0,
        c => u8::try_from(c).unwrap(),
    };
    text.chars().map(byte).collect()
}

const RUSSIAN: &str = "Старый маяк стоит на краю острова, и каждую ночь смотритель поднимается по \
    узкой лестнице, чтобы зажечь большую лампу. Рыбаки видят его свет за двадцать миль и знают, что \
    дома их ждут чай, хлеб и тёплая печь. Зимой море шумит так громко, что в комнатах не слышно часов.";

#[test]
fn character_sets_by_mark_header_page_and_guess() {
    let russian = RUSSIAN.replace('ё', "е");
    let page = |meta: &str, text: &str| {
        format!(
            "<!doctype html><html><head>{meta}<title>x</title></head><body><p>{text}</p></body></html>"
        )
    };
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let latin = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=ISO-8859-1\r\n";
    let cyrillic = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\"windows-1251\"\r\n";
    let meta_1251 = "<meta charset=windows-1251>";
    let old_meta = "<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>";
    let utf_16: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(page("", &russian).encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let marked = [b"\xef\xbb\xbf".as_slice(), page(meta_1251, &russian).as_bytes()].concat();
    let cases = [
        ("mark-8", latin, marked, "UTF-8"),
        ("mark-16", latin, utf_16, "UTF-16LE"),
        ("header", cyrillic, windows_1251(&page("<meta charset=utf-8>", &russian)), "windows-1251"),
        ("meta", html, windows_1251(&page(meta_1251, &russian)), "windows-1251"),
        ("old-meta", html, windows_1251(&page(old_meta, &russian)), "windows-1251"),
        ("guess-1251", html, windows_1251(&page("", &russian)), "windows-1251"),
        ("guess-utf-8", html, page("", &russian).into_bytes(), "UTF-8"),
    ];
    let mut crawl = Crawl::new();
    for (name, head, body, _) in &cases {
        crawl.response(&format!("https://{name}.example/notes/1"), head, body);
    }
    let results = crawl.run(&[]);
    for (name, _, _, charset) in cases {
        let article = results.article(&format!("https://{name}.example/notes/1"));
        assert_eq!(text(article, "charset"), charset, "{name}");
        assert!(text(article, "text").contains(&russian), "{name}: {}", article["text"]);
        assert_eq!(article["language"], "ru", "{name}");
    }
}

/// The drop of a URL: its reason and detail.
fn drop_of<'a>(results: &'a Results, url: &str) -> (&'a str, &'a str) {
    let drops: Vec<&Value> = results.dropped.iter().filter(|d| d["url"] == url).collect();
    assert_eq!(drops.len(), 1, "{url}: {drops:?}");
    (text(drops[0], "reason"), text(drops[0], "detail"))
}

#[test]
fn statuses_and_types() {
    let url = |name: &str| format!("https://kinds.example/notes/{name}");
    let mut crawl = Crawl::new();
    let ok = |content_type: &str| format!("HTTP/1.1 200 OK\r\n{content_type}");
    crawl.page(&url("page"), &prose::post(1));
    crawl.response(&url("untyped"), &ok(""), prose::post(2).as_bytes());
    crawl.response(
        &url("xhtml"),
        &ok("Content-Type: application/xhtml+xml\r\n"),
        prose::post(3).as_bytes(),
    );
    crawl.response(
        &url("old"),
        "HTTP/1.0 200\r\nContent-Type: TEXT/HTML\r\n",
        prose::post(4).as_bytes(),
    );
    crawl.record(RecordKind::Resource, &url("resource"), "text/html", prose::post(5).as_bytes());
    crawl.response(
        &url("gone"),
        "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n",
        prose::post(6).as_bytes(),
    );
    let part = |range: &str| {
        format!("HTTP/1.1 206 Part\r\nContent-Type: text/html\r\nContent-Range: {range}\r\n")
    };
    let whole = prose::post(9);
    let all = format!("bytes 0-{}/{}", whole.len() - 1, whole.len());
    crawl.response(&url("range"), &part(&all), whole.as_bytes());
    crawl.response(&url("part"), &part("bytes 0-99/9999"), prose::post(10).as_bytes());
    crawl.response(&url("moved"), "HTTP/1.1 301 Moved\r\nLocation: /notes/page\r\n", b"");
    crawl.response(&url("failed"), "HTTP/1.1 503 Busy\r\n", b"later");
    crawl.response(&url("image"), &ok("Content-Type: image/gif\r\n"), b"GIF89a");
    crawl.response(&url("json"), &ok("Content-Type: application/json\r\n"), b"{\"a\": 1}");
    crawl.response(&url("bytes"), &ok(""), b"\x89PNG\r\n\x1a\n");
    crawl.response(&url("nothing"), HTML, b"  \r\n");
    crawl.record(RecordKind::Response, &url("no-http"), "application/http", b"\x00\x01 not http");
    crawl.record(RecordKind::Revisit, &url("seen"), "application/http", b"HTTP/1.1 200 OK\r\n\r\n");
    crawl.record(RecordKind::Request, &url("page"), "application/http", b"GET / HTTP/1.1\r\n\r\n");
    crawl.record(RecordKind::Metadata, &url("page"), "application/warc-fields", b"a: b\r\n");
    crawl.page("dns:kinds.example", &prose::post(7));
    crawl.page("whatever this is", &prose::post(8));
    let results = crawl.run(&[]);
    for (seed, name) in ["page", "untyped", "xhtml", "old", "resource"].into_iter().enumerate() {
        assert_post(&results, &url(name), seed + 1);
    }
    assert_post(&results, &url("range"), 9);
    assert_eq!(results.articles.len(), 6);
    for (name, reason, detail) in [
        ("gone", "http-status", "404"),
        ("moved", "http-status", "301"),
        ("part", "http-status", "206"),
        ("failed", "http-status", "503"),
        ("image", "content-type", "image/gif"),
        ("json", "content-type", "application/json"),
        ("bytes", "content-type", "image/png, without a content type"),
        ("nothing", "empty-payload", ""),
        ("no-http", "bad-http", ""),
        ("seen", "revisit-without-original", "another archive"),
    ] {
        let (found, said) = drop_of(&results, &url(name));
        assert!(found == reason && said.contains(detail), "{name}: {found} ({said})");
    }
    for url in ["dns:kinds.example", "whatever this is"] {
        assert_eq!(drop_of(&results, url).0, "bad-url");
    }
    assert_eq!(results.dropped.len(), 12);
    assert_eq!(results.ledger["drops"]["other-record-type"], 2);
    assert_eq!(results.count("dropped"), 14);
    let records = &results.ledger["inputs"][0]["records"];
    assert_eq!(
        (&records["request"], &records["metadata"], &records["revisit"]),
        (&1.into(), &1.into(), &1.into())
    );
}

#[test]
fn the_latest_of_several_visits_is_kept() {
    let url = "https://twice.example/notes/1";
    let mut crawl = Crawl::new();
    crawl.page(url, &prose::post(1)).page(url, &prose::post(2)).page(url, &prose::post(3));
    crawl.page("https://twice.example/notes/2", &prose::post(4));
    let results = crawl.run(&[]);
    assert_post(&results, url, 3);
    assert_eq!(results.articles.len(), 2);
    let drops = results.drops("duplicate-url");
    assert_eq!(drops.len(), 2);
    assert!(drops.iter().all(|d| d["url"] == url && d["stage"] == "group"));
    assert_eq!(results.ledger["drops"]["duplicate-url"], 2);
}

#[test]
fn folders_of_pages_archives_and_globs() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("Old Blog");
    fs::create_dir_all(site.join("2009/05")).unwrap();
    for (seed, name) in
        ["one.html", "2009/two.HTM", "2009/05/three #1?.xhtml", "2009/05/four 100%.html"]
            .iter()
            .enumerate()
    {
        fs::write(site.join(name), prose::post(seed)).unwrap();
    }
    fs::write(site.join("notes.txt"), prose::post(9)).unwrap();
    fs::write(site.join("2009/empty.html"), "").unwrap();
    let mut crawl = Crawl::new();
    crawl.page("https://in-folder.example/notes/1", &prose::post(7));
    crawl.write(&site, "inside.warc.gz");
    let results = run(&[&site], &folder.path().join("out"), &[]);
    assert_eq!(results.articles.len(), 5, "{:?} {:?}", results.urls(), results.dropped);
    assert_post(&results, "https://in-folder.example/notes/1", 7);
    for (seed, end) in ["one.html", "2009/two.HTM", "three%20%231%3F.xhtml", "four%20100%25.html"]
        .iter()
        .enumerate()
    {
        let found =
            |a: &&Value| text(a, "url").starts_with("file:///") && text(a, "url").contains(end);
        let article = results.articles.iter().find(found).unwrap_or_else(|| panic!("no {end}"));
        assert_eq!(article["site"], "old blog");
        assert!(text(article, "text").contains(&prose::text(seed)), "{end}");
        assert!(Path::new(text(&article["origin"], "file")).exists());
    }
    assert_eq!(results.dropped.len(), 1, "{:?}", results.dropped);
    assert!(text(&results.dropped[0]["origin"], "file").ends_with("empty.html"));

    let glob = site.join("2009/**/*.*htm*");
    let some = run(&[&glob], &folder.path().join("some"), &[]);
    assert_eq!(some.articles.len(), 2, "{:?}", some.urls());
}

#[test]
fn saved_pages_take_the_address_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let canonical = |seed: usize| {
        prose::post_with(
            seed,
            &format!("<link rel=canonical href=https://saved.example/notes/{seed}>"),
            "",
        )
    };
    for seed in 0..3 {
        fs::write(folder.path().join(format!("{seed}.html")), canonical(seed)).unwrap();
    }
    let out = tempfile::tempdir().unwrap();
    let results = run(&[folder.path()], &out.path().join("out"), &[]);
    for seed in 0..3 {
        assert_post(&results, &format!("https://saved.example/notes/{seed}"), seed);
    }
}
