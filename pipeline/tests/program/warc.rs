//! `articles.warc.gz` and its index. Other programs read them in scripts/check/test_archives.py.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use archive::{Limits, Record, RecordKind, RecordReader, surt};
use serde_json::Value;

use crate::common::crawl::Crawl;
use crate::common::program::{in_repository, run, write_file};
use crate::common::prose;
use crate::common::results::{files, parse, text};

/// The records of an archive.
fn records(bytes: &[u8]) -> Vec<Record> {
    let reader = RecordReader::new(bytes, &Limits::USUAL).with_bodies_of(|_| true);
    reader.map(|record| record.unwrap()).collect()
}

/// Lines of the index: key, time and JSON.
fn index(folder: &Path) -> Vec<(String, String, Value)> {
    let lines = fs::read_to_string(folder.join("articles.cdxj")).unwrap();
    let line = |line: &str| {
        let mut parts = line.splitn(3, ' ').map(str::to_owned);
        let mut next = || parts.next().unwrap();
        (next(), next(), parse(&next()))
    };
    lines.lines().map(line).collect()
}

/// The fragment in a page of an article.
fn body_of(page: &str) -> &str {
    let (_, rest) = page.split_once("<body>").unwrap();
    rest.strip_suffix("</body>\n</html>\n").unwrap()
}

/// The lines of articles that the records say: each metadata record with the block of its conversion.
fn rebuilt(records: &[Record]) -> Vec<Value> {
    let pairs = records[1..].chunks(2).map(|pair| {
        let [conversion, metadata] = pair else { panic!("a record stands alone") };
        assert_eq!(
            (conversion.kind, metadata.kind),
            (RecordKind::Conversion, RecordKind::Metadata)
        );
        let refers_to = metadata.headers.get("WARC-Refers-To").unwrap();
        assert_eq!(refers_to, format!("<{}>", conversion.record_id));
        let mut article = parse(&String::from_utf8_lossy(&metadata.body));
        let block = String::from_utf8_lossy(&conversion.body);
        match conversion.headers.get("Content-Type").unwrap().starts_with("text/html") {
            true => article["html"] = body_of(&block).into(),
            false => article["text"] = block.into(),
        }
        article
    });
    pairs.collect()
}

#[test]
fn articles_can_be_rebuilt_from_the_records_alone() {
    let folder = tempfile::tempdir().unwrap();
    let sample = in_repository("data/crawl");
    for content in ["html", "text"] {
        let config = write_file(
            folder.path(),
            "c.toml",
            format!("[emit]\nsinks = ['jsonl', 'warc']\nwarc = '{content}'\n"),
        );
        let out = folder.path().join(content);
        let results = run(&[&config, &sample], &out, &[]);
        let all = records(&fs::read(out.join("articles.warc.gz")).unwrap());
        assert!(rebuilt(&all) == results.articles, "{content}");
    }
}

#[test]
fn every_article_is_found_through_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let sample = in_repository("data/crawl");
    let results = run(&[&sample], &out, &["--sinks", "jsonl,warc"]);
    let bytes = fs::read(out.join("articles.warc.gz")).unwrap();
    let all = records(&bytes);
    assert_eq!(all.len(), 2 * results.articles.len() + 1);
    assert_eq!(all[0].kind, RecordKind::Warcinfo);
    let ids: BTreeSet<&str> = all.iter().map(|r| r.record_id.as_str()).collect();
    assert_eq!(ids.len(), all.len(), "two records of one name");

    let index = index(&out);
    assert!(index.is_sorted_by_key(|(key, time, _)| format!("{key} {time}")));
    assert_eq!(index.len(), results.articles.len());
    for (key, time, entry) in &index {
        let number = |name: &str| text(entry, name).parse::<usize>().unwrap();
        let (offset, length) = (number("offset"), number("length"));
        let [record] = &records(&bytes[offset..offset + length])[..] else { panic!("{entry}") };
        let article = results.article(text(entry, "url"));
        assert_eq!(record.kind, RecordKind::Conversion);
        assert_eq!(record.target_uri.as_deref(), article["url"].as_str());
        let page = String::from_utf8_lossy(&record.body);
        assert_eq!(body_of(&page), text(article, "html"));
        let language = text(article, "language");
        let direction = if language == "ar" { " dir=\"rtl\"" } else { "" };
        assert!(page.contains(&format!("<html lang=\"{language}\"{direction}>")), "{page}");
        assert_eq!(*key, surt(text(article, "url")));
        let date = record.date.unwrap();
        assert_eq!(date.to_string(), text(article, "fetched"));
        assert_eq!(date.strftime("%Y%m%d%H%M%S").to_string(), *time);
        let refers_to = record.headers.get("WARC-Refers-To").unwrap();
        assert_eq!(refers_to, format!("<{}>", text(&article["origin"], "record_id")));
    }
    // The same bytes again, with one thread.
    let again = folder.path().join("again");
    run(&[&sample], &again, &["--sinks", "jsonl,warc", "--jobs", "1"]);
    for name in ["articles.warc.gz", "articles.cdxj"] {
        assert!(fs::read(out.join(name)).unwrap() == fs::read(again.join(name)).unwrap(), "{name}");
    }
    // If not selected, both are removed.
    run(&[&sample], &out, &["--overwrite"]);
    assert!(files(&out).keys().all(|name| !name.contains("warc") && !name.contains("cdxj")));
}

#[test]
fn text_records_and_pages_without_a_date() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("saved");
    fs::create_dir(&pages).unwrap();
    for n in 0..4 {
        fs::write(pages.join(format!("{n}.html")), prose::post(n)).unwrap();
    }
    let config = write_file(
        folder.path(),
        "text.toml",
        "[emit]\nsinks = ['jsonl', 'warc']\nwarc = 'text'\n",
    );
    let out = folder.path().join("out");
    let results = run(&[&config, &pages], &out, &[]);
    let all = records(&fs::read(out.join("articles.warc.gz")).unwrap());
    assert_eq!(all.len(), 9);
    for record in all.iter().filter(|record| record.kind == RecordKind::Conversion) {
        let article = results.article(record.target_uri.as_deref().unwrap());
        assert_eq!(record.headers.get("Content-Type"), Some("text/plain; charset=utf-8"));
        assert_eq!(String::from_utf8_lossy(&record.body), text(article, "text"));
        assert_eq!(record.date.unwrap().as_second(), 0, "no date is made up");
        assert_eq!(record.headers.get("WARC-Refers-To"), None);
    }
    assert_eq!(index(&out).len(), 4);
}

#[test]
fn a_run_without_articles_has_an_empty_index() {
    let mut crawl = Crawl::new();
    crawl.page("https://bare.example/", "<p>Too short.</p>");
    let (_folder, crawl, out) = crawl.placed("bare.warc.gz");
    run(&[&crawl], &out, &["--sinks", "warc"]);
    let all = records(&fs::read(out.join("articles.warc.gz")).unwrap());
    assert_eq!(all.iter().map(|r| r.kind).collect::<Vec<_>>(), [RecordKind::Warcinfo]);
    assert!(index(&out).is_empty());
}
