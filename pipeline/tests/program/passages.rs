//! Passages of articles, in every output that has them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::RowAccessor as _;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{call, in_repository, json_lines, parts, run, succeed, write_file};
use crate::common::prose;
use crate::common::results::{parse, text};

/// What a text has from one character to another.
fn slice(text: &str, from: &Value, to: &Value) -> String {
    let (from, to) = (from.as_u64().unwrap() as usize, to.as_u64().unwrap() as usize);
    text.chars().skip(from).take(to - from).collect()
}

/// The texts of the passages of an article, which have all of its words.
fn passages(article: &Value, most_words: u64) -> Vec<String> {
    let (own, mut texts) = (text(article, "text"), Vec::new());
    let mut words = 0;
    for (at, passage) in article["passages"].as_array().unwrap().iter().enumerate() {
        assert_eq!(passage["ordinal"], at);
        assert!(passage["words"].as_u64().unwrap() <= most_words, "{passage}");
        assert_eq!(text(passage, "hash").len(), 32);
        words += passage["words"].as_u64().unwrap();
        texts.push(slice(own, &passage["start"], &passage["end"]));
    }
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(squeezed(&texts.concat()), squeezed(own), "{}", article["url"]);
    assert_eq!(article["word_count"], words);
    texts
}

fn without_passages(article: &Value) -> Value {
    let mut own = article.clone();
    own.as_object_mut().unwrap().remove("passages");
    own
}

fn archive() -> (TempDir, PathBuf, PathBuf) {
    let mut crawl = Crawl::new();
    for n in 0..8 {
        let [first, second, third] =
            [0, 1, 2].map(|part| prose::paragraphs(100 + 3 * n + part).join("<p>"));
        let item = &prose::paragraphs(500 + n)[0];
        let inside = format!(
            "<h2>Part {n}</h2><p>{first}<ul><li>{item}<li>{item} Again.</ul><p>{second}\
             <h3>The table of day {n}</h3><table><tr><th>day<th>fish<tr><td>1<td>{n}<tr><td>2<td>7{n}</table>\
             <p>{third}<pre>let day = {n};\n  let fish;</pre><p>{first}"
        );
        crawl
            .page(&format!("https://divided.example/notes/{n}"), &prose::post_with(n, "", &inside));
    }
    crawl.placed("divided.warc.gz")
}

#[test]
fn every_output_has_the_passages_that_were_asked_for() {
    let (_folder, archive, out) = archive();
    let plain = run(&[&archive], &out, &["--sinks", "jsonl,parquet,bulk,warc,index"]);
    let options = ["--sinks", "jsonl,parquet,bulk,warc,index", "--passages", "40", "--overwrite"];
    let with = run(&[&archive], &out, &options);
    assert_eq!(with.articles.len(), 8);
    for (article, plain) in with.articles.iter().zip(&plain.articles) {
        assert_eq!(without_passages(article), *plain);
        let texts = passages(article, 40);
        let all = article["passages"].as_array().unwrap();
        let (at, table) = all.iter().enumerate().find(|own| own.1["kind"] == "table").unwrap();
        let n = text(article, "url").rsplit_once('/').unwrap().1;
        assert_eq!(
            table["headings"],
            json!([format!("Part {n}"), format!("The table of day {n}")])
        );
        assert_eq!(texts[at], format!("The table of day {n}\n\nday\nfish\n1\n{n}\n2\n7{n}"));
        let of_kind = |kind: &str| {
            let at = all.iter().position(|own| own["kind"] == kind).unwrap();
            texts[at].clone()
        };
        assert_eq!(of_kind("list"), prose::paragraphs(500 + n.parse::<usize>().unwrap())[0]);
        assert_eq!(of_kind("code"), format!("let day = {n};\n  let fish;"));
        assert_eq!(all[0]["headings"], json!([]));
    }
    let bulk = fs::read_to_string(out.join("articles.bulk.ndjson")).unwrap();
    for (document, article) in
        bulk.lines().map(parse).filter(|own| own.get("url").is_some()).zip(&with.articles)
    {
        let texts = passages(article, 40);
        for ((own, passage), expected) in document["passages"]
            .as_array()
            .unwrap()
            .iter()
            .zip(article["passages"].as_array().unwrap())
            .zip(texts)
        {
            let mut own = own.as_object().unwrap().clone();
            assert_eq!(own.remove("text"), Some(expected.into()));
            assert_eq!(Value::Object(own), *passage);
        }
    }
    let reader =
        SerializedFileReader::new(File::open(out.join("articles.parquet")).unwrap()).unwrap();
    for (row, article) in reader.get_row_iter(None).unwrap().zip(&with.articles) {
        let row = row.unwrap();
        let at = row.get_column_iter().position(|own| own.0 == "passages").unwrap();
        let list = row.get_list(at).unwrap();
        assert_eq!(list.len(), article["passages"].as_array().unwrap().len());
    }
    // Found by its words, an article tells the passage that has them.
    let arguments = ["search", out.to_str().unwrap(), "\"the table of day\"", "--format", "json"];
    let stdout = succeed(&arguments);
    let hit = &parse(&stdout)["hits"][0];
    assert_eq!(hit["passage"]["kind"], "table", "{stdout}");
    assert!(
        with.article(text(hit, "url"))["passages"].as_array().unwrap().contains(&hit["passage"])
    );
}

#[test]
fn extract_divides_texts_too() {
    let page = in_repository("data/crawl/sample-1.warc.gz");
    let arguments = ["extract", page.to_str().unwrap(), "--format", "json", "--passages", "50"];
    let articles = json_lines(&arguments);
    let number: usize = articles.iter().map(|article| passages(article, 50).len()).sum();
    assert!(number > articles.len(), "{number}");
    let (code, _, stderr) = parts(&call(&["extract", page.to_str().unwrap(), "--passages", "50"]));
    assert!(code == 2 && stderr.contains("--passages needs --format json"), "{stderr}");
}

#[test]
fn texts_of_all_origins_and_scripts_are_divided() {
    let folder = tempfile::tempdir().unwrap();
    let archives = [1, 2, 3].map(|n| in_repository(&format!("data/crawl/sample-{n}.warc.gz")));
    let archives: Vec<&Path> = archives.iter().map(PathBuf::as_path).collect();
    let (plain, out) = (folder.path().join("plain"), folder.path().join("out"));
    let plain = run(&archives, &plain, &[]);
    let with = run(&archives, &out, &["--passages", "30"]);
    assert_eq!(plain.articles.len(), with.articles.len());
    for (article, plain) in with.articles.iter().zip(&plain.articles) {
        assert_eq!(without_passages(article), *plain);
        passages(article, 30);
    }
    // Posts of a thread do not share passages.
    let threads = with.articles.iter().filter(|own| own["posts"].as_array().is_some());
    for article in threads {
        let texts = passages(article, 30);
        for post in article["posts"].as_array().unwrap() {
            let first = text(post, "text").lines().next().unwrap();
            assert!(
                texts.iter().any(|own| first.starts_with(own.lines().next().unwrap())),
                "{texts:?}"
            );
        }
    }
}

#[test]
fn parts_of_an_article_have_passages_of_their_own() {
    let mut crawl = Crawl::new();
    for n in 0..6 {
        for part in 1..=3 {
            let url = |part: usize| format!("https://parts.example/{n}?page={part}");
            let next = if part < 3 {
                format!("<link rel=next href='{}'>", url(part + 1))
            } else {
                String::new()
            };
            let html = prose::post_with(
                3 * n + part,
                &next,
                "<h2>Söhne</h2><p>Und so weiter, wie es war.",
            );
            let title = prose::title(3 * n + part);
            crawl.page(&url(part), &html.replace(&title, &prose::title(3 * n)));
        }
    }
    let (folder, archive, out) = crawl.placed("parts.warc.gz");
    let settings = write_file(
        folder.path(),
        "settings.toml",
        "[group]\njoin_parts = \"rel-next\"\n[emit]\npassages = 35\n",
    );
    let results = run(&[&archive], &out, &["--config", settings.to_str().unwrap()]);
    assert_eq!(results.articles.len(), 6, "{:?}", results.dropped);
    for article in &results.articles {
        let texts = passages(article, 35);
        assert_eq!(texts.iter().filter(|own| own.starts_with("Söhne")).count(), 3, "{texts:?}");
    }
}

#[test]
fn outputs_without_passages_are_named() {
    let (_folder, archive, out) = archive();
    let arguments = [
        "run",
        archive.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--sinks",
        "csv",
        "--passages",
        "9",
    ];
    let (code, _, stderr) = parts(&call(&arguments));
    assert!(
        code == 0 && stderr.contains("none of the chosen outputs contains passages"),
        "{stderr}"
    );
}
