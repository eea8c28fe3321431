//! The quickstart on the sample crawl: the first results that a new user sees.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::crawl::small;
use crate::common::program::{call, in_repository, parts, run, sitegrove, word};
use crate::common::results::{Results, files, parse, text};

/// One run of the quickstart, shared by all tests here.
fn quickstart() -> &'static Results {
    static RESULTS: OnceLock<(Results, TempDir)> = OnceLock::new();
    let (results, _) = RESULTS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        (run(&[&in_repository("configs/quickstart.toml")], &out, &[]), folder)
    });
    results
}

fn json_lines(path: &str) -> Vec<Value> {
    fs::read_to_string(in_repository(path)).unwrap().lines().map(parse).collect()
}

#[test]
fn enough_articles_of_enough_sites() {
    let results = quickstart();
    let sites: BTreeSet<&str> = results.articles.iter().map(|a| text(a, "site")).collect();
    assert!(results.articles.len() >= 100, "{} articles", results.articles.len());
    assert_eq!(sites.len(), 11, "{sites:?}");
    let gold = json_lines("data/gold.jsonl");
    let urls = results.urls();
    let lost: Vec<&str> =
        gold.iter().map(|g| text(g, "url")).filter(|u| !urls.contains(u)).collect();
    assert!(lost.is_empty(), "articles not found: {lost:?}");
}

#[test]
fn languages_are_told_and_texts_are_readable() {
    let results = quickstart();
    let gold: BTreeMap<String, Value> = json_lines("data/gold.jsonl")
        .into_iter()
        .map(|g| (text(&g, "url").to_owned(), g))
        .collect();
    for (site, language) in [
        ("alpenblick.example", "de"),
        ("al-waha.example", "ar"),
        ("zhulin.example", "zh"),
        ("minato-dayori.example", "ja"),
        ("atelier-papier.example", "fr"),
        ("bench-notes.example", "en"),
    ] {
        let mut seen = 0;
        for article in results.articles.iter().filter(|a| a["site"] == site) {
            let Some(gold) = gold.get(text(article, "url")) else { continue };
            seen += 1;
            let told = text(article, "language").split('-').next().unwrap();
            assert_eq!(told, language, "{}", article["url"]);
            // Incorrectly decoded text would not contain the gold's sentence and characters.
            let words = text(article, "text");
            assert!(!words.contains('\u{fffd}'), "{} is wrongly decoded", article["url"]);
            let sentence = text(gold, "gold_text").split("\n").next().unwrap();
            let start: String = squeezed(sentence).chars().take(25).collect();
            // The gold of one site begins with the standfirst.
            let all = format!("{}{words}", article["subtitle"].as_str().unwrap_or_default());
            assert!(squeezed(&all).contains(&start), "{} lacks {start}", article["url"]);
        }
        assert!(seen >= 8, "{site}: {seen} articles");
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn articles_have_every_documented_key() {
    let keys = [
        "schema", "url", "site", "template", "page_type", "page_type_probability", "title",
        "authors", "published", "modified", "language", "description", "image", "tags",
        "canonical", "site_name", "text", "html", "xpath", "prune", "engine", "route",
        "language_score", "subtitle", "section", "access", "license", "word_count", "content_hash",
        "wrapper_version", "confidence", "quality", "doubtful", "sources", "fetched", "charset",
        "charset_evidence", "origin",
    ];
    let formats = fs::read_to_string(in_repository("docs/FORMATS.md")).unwrap();
    for key in keys {
        assert!(formats.contains(&format!("`{key}`")), "docs/FORMATS.md does not name `{key}`");
    }
    let documented: BTreeSet<&str> = keys.into();
    for article in &quickstart().articles {
        // Written only if not empty.
        let optional = [
            "author_kinds", "comments", "posts", "cut", "charset_overruled", "images", "tables",
            "embeds", "footnotes", "cluster", "duplicate_of", "similarity", "rights", "extra",
            "doubt",
        ];
        let own: BTreeSet<&str> = (article.as_object().unwrap().keys().map(String::as_str))
            .filter(|key| !optional.contains(key))
            .collect();
        assert_eq!(own, documented, "{}", article["url"]);
        assert_eq!(article["schema"], 1);
        assert!(!text(article, "text").trim().is_empty());
        assert!(!article["xpath"].as_array().unwrap().is_empty(), "{}", article["url"]);
        assert!((0.0..=1.0).contains(&article["confidence"].as_f64().unwrap()));
        let sources = article["sources"].as_object().unwrap();
        for (field, source) in sources {
            assert!(!article[field].is_null(), "{}: a source for no {field}", article["url"]);
            let known = ["json-ld", "open-graph", "meta", "feed", "page", "text"];
            let is_judged = ["title", "subtitle", "authors", "published"].contains(&&**field);
            let name = if is_judged {
                assert!((0.0..=1.0).contains(&source["confidence"].as_f64().unwrap()), "{source}");
                text(source, "source")
            } else {
                source.as_str().unwrap()
            };
            assert!(known.contains(&name), "{source}");
        }
        for field in ["title", "published", "language", "description", "image"] {
            let found = !article[field].is_null();
            assert_eq!(found, sources.contains_key(field), "{}: {field}", article["url"]);
        }
        assert!(text(&article["origin"], "file").contains("data/"));
    }
}

#[test]
fn the_table_has_a_row_for_each_article() {
    let results = quickstart();
    let mut reader = csv::Reader::from_path(results.folder.join("articles.csv")).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), results.articles.len());
    for (row, article) in rows.iter().zip(&results.articles) {
        assert_eq!(&row[column("url")], text(article, "url"));
        let cell = row[column("text")].trim_start_matches('\'');
        assert_eq!(cell, text(article, "text").trim_start_matches('\''));
    }
}

#[test]
fn sites_of_which_something_was_learnt_have_their_wrappers() {
    let results = quickstart();
    let wrappers = files(&results.folder.join("wrappers"));
    let of_site = |a: &Value| format!("{}.json", text(a, "site"));
    let mut sites: BTreeSet<String> = results.articles.iter().map(of_site).collect();
    // Its pages have new class names each.
    assert!(sites.remove("alpenblick.example.json"));
    assert_eq!(wrappers.keys().cloned().collect::<BTreeSet<_>>(), sites);
    let mut learnt = 0;
    for (name, bytes) in &wrappers {
        let record = parse(std::str::from_utf8(bytes).unwrap());
        assert_eq!(record["schema"], 1, "{name}");
        assert_eq!(format!("{}.json", text(&record, "site")), *name);
        let templates = record["templates"].as_array().unwrap();
        assert!(!templates.is_empty(), "{name}");
        for template in templates.iter().filter(|t| !t["wrapper"].is_null()) {
            learnt += 1;
            let paths = template["wrapper"]["content"].as_array().unwrap();
            assert!(
                paths.iter().all(|p| p.as_str().unwrap().starts_with('/')),
                "{name}: {paths:?}"
            );
        }
        // The method recorded in an article must agree with its wrapper.
        for article in results
            .articles
            .iter()
            .filter(|a| a["site"] == record["site"] && a["route"] == "wrapper")
        {
            let of_article = templates.iter().find(|t| t["id"] == article["template"]).unwrap();
            let content = of_article["wrapper"]["content"].as_array().unwrap();
            let all = article["xpath"].as_array().unwrap();
            let (before, own) = all.split_at(all.len() - content.len());
            assert_eq!(own, content, "{}", article["url"]);
            // Texts begin with the standfirst that siblings have in one place.
            let standfirst = of_article["fields"]["subtitle"].as_array();
            assert!(before.is_empty() || standfirst.is_some_and(|own| own == before), "{article}");
        }
    }
    assert!(learnt >= 9, "only {learnt} wrappers were learnt");
}

#[test]
fn the_books_add_up() {
    check_books(quickstart());
}

/// Grouped pages are articles or drops of later stages. Drops are counted as listed; records that
/// contain no page by their type are counted, but not listed.
fn check_books(results: &Results) {
    let mut counts = results.drops_by_reason();
    let inputs = results.ledger["inputs"].as_array().unwrap();
    let records =
        |kind: &str| inputs.iter().filter_map(|i| i["records"][kind].as_u64()).sum::<u64>();
    let others = ["request", "metadata", "warcinfo"].map(records).iter().sum::<u64>();
    if others > 0 {
        counts.insert("other-record-type".to_owned(), others);
    }
    let listed: BTreeMap<String, u64> =
        serde_json::from_value(results.ledger["drops"].clone()).unwrap();
    assert_eq!(listed, counts);
    assert_eq!(results.count("dropped"), results.dropped.len() as u64 + others);
    assert_eq!(results.count("articles"), results.articles.len() as u64);
    let routes: BTreeMap<String, u64> =
        serde_json::from_value(results.ledger["counts"]["articles_by_route"].clone()).unwrap();
    assert_eq!(routes.values().sum::<u64>(), results.count("articles"));
    let early = |d: &&Value| matches!(text(d, "stage"), "read" | "group");
    let late = results.dropped.iter().filter(|d| !early(d)).count() as u64;
    assert_eq!(results.count("pages"), results.count("articles") + late);
    let of_line = |line: &Value| text(line, "site").to_owned();
    let lines = results.articles.iter().chain(results.dropped.iter().filter(|d| !early(d)));
    let sites: BTreeSet<String> = lines.map(of_line).collect();
    assert_eq!(results.count("sites"), sites.len() as u64);
}

#[test]
fn inputs_are_named_with_their_digests() {
    let results = quickstart();
    let inputs = results.ledger["inputs"].as_array().unwrap();
    assert_eq!(inputs.len(), 3 + 9 + 11);
    for input in inputs {
        assert_eq!(text(input, "sha256").len(), 64);
        assert_eq!(input["bytes"], fs::metadata(text(input, "file")).unwrap().len());
    }
    let responses: u64 = inputs.iter().filter_map(|i| i["records"]["response"].as_u64()).sum();
    let read = results.dropped.iter().filter(|d| d["stage"] == "read").count() as u64;
    // Every response is a page, a feed, or a drop; every file of a page is a page.
    let feeds_inside = 2;
    assert_eq!(responses + 9, results.count("pages") + read + feeds_inside);
    assert!(results.ledger["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(text(&results.ledger, "config_hash").len(), 64);
}

#[test]
fn lists_are_left_out_and_articles_are_not() {
    let results = quickstart();
    let kinds: BTreeMap<String, String> = json_lines("data/kinds.jsonl")
        .iter()
        .map(|page| (text(page, "url").to_owned(), text(page, "kind").to_owned()))
        .collect();
    let dropped: Vec<&str> = results.drops("list-page").iter().map(|d| text(d, "url")).collect();
    for url in &dropped {
        let kind = kinds.get(*url).map(String::as_str);
        assert!(matches!(kind, Some("list" | "other")), "{url} is an article");
    }
    let kept =
        results.urls().into_iter().filter(|url| kinds.get(*url).is_some_and(|k| k == "list"));
    assert_eq!(kept.collect::<Vec<_>>(), [""; 0], "lists that gave articles");
}

#[test]
fn a_page_met_twice_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let first = in_repository("data/crawl/sample-1.warc.gz");
    let copy = folder.path().join("again.warc.gz");
    fs::copy(&first, &copy).unwrap();
    let once = run(&[&first], &folder.path().join("once"), &[]);
    let twice = run(&[&first, Path::new(&copy)], &folder.path().join("twice"), &[]);
    assert_eq!(once.urls(), twice.urls());
    assert_eq!(twice.drops("duplicate-url").len() as u64, once.count("pages"));
    check_books(&twice);
}

#[test]
fn page_types_choose_what_is_written() {
    let all = quickstart();
    let types: BTreeSet<&str> =
        all.articles.iter().map(|article| text(article, "page_type")).collect();
    assert!(types.contains("article"), "{types:?}");
    for article in &all.articles {
        let probability = article["page_type_probability"].as_f64().unwrap();
        assert!(probability > 1.0 / 7.0 - 1e-4 && probability <= 1.0, "{probability}");
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let config = in_repository("configs/quickstart.toml");
    let some = run(&[&config], &out, &["--page-types", "article,forum"]);
    let wanted = |article: &&Value| ["article", "forum"].contains(&text(article, "page_type"));
    let expected: Vec<&Value> = all.articles.iter().filter(wanted).collect();
    assert_eq!(some.articles.iter().collect::<Vec<_>>(), expected);
    // A list of another type is dropped for its type.
    let decided = |results: &Results| {
        let dropped = ["page-type", "list-page"].map(|reason| results.drops(reason).len());
        results.articles.len() + dropped.iter().sum::<usize>()
    };
    assert_eq!(decided(&some), decided(all));
    let (code, _, stderr) = parts(&call(&["run", "x.warc", "--page-types", "articles"]));
    assert!(code == 2 && stderr.contains("unknown page type `articles`"), "{stderr}");
}

/// The current folder may be that of the run.
#[test]
fn a_run_in_the_current_folder() {
    let (folder, archive, _) = small();
    let here = folder.path().join("here");
    fs::create_dir(&here).unwrap();
    for out in [".", "./", word(&here)] {
        let arguments = ["run", word(&archive), "--overwrite", "--out", out];
        let (code, _, stderr) =
            parts(&sitegrove().current_dir(&here).args(arguments).output().unwrap());
        assert_eq!(code, 0, "{out}: {stderr}");
    }
    assert!(here.join("articles.jsonl").exists());
}
