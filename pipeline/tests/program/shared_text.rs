//! Text that articles of several sites have: boilerplate of a publishing group is removed, statements are not.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{run, sitegrove, succeeded, write_file};
use crate::common::prose;
use crate::common::results::{Results, text};
use crate::common::steps::{Steps, assert_same, bytes};

const HEADING: &str = "Support our newsrooms";
const OFFER: &str = "Readers like you keep our three papers on the streets of every harbour town, and \
                     from only 3 euros a week you read all of them, on paper or on any screen.";
const TERMS: &str = "The offer ends with the month and renews itself until you write to the desk.";
const STATEMENT: &str = "The ministry said on Monday that it had read the report with interest, that the \
                         figures of the harbour towns were its own, and that it would answer in due time.";

/// A page of a paper, with a layout of its own; the offer is in the middle of its text, and nothing in the markup tells it.
fn page(paper: &str, number: usize, more: &str) -> String {
    let title = prose::title(2_000 + number);
    let story: Vec<String> =
        (0..4).flat_map(|part| prose::paragraphs(3_000 + number * 10 + part)).collect();
    let (before, after) = story.split_at(story.len() / 2);
    let paragraphs =
        |some: &[String]| -> String { some.iter().map(|own| format!("<p>{own}</p>\n")).collect() };
    let offer = format!(
        "<h3>{HEADING}</h3>\n<p>{OFFER}</p>\n<p><img src=/offer.png alt=Offer>{TERMS}</p>\n"
    );
    format!(
        "<!doctype html><html lang=en><head><title>{title}</title></head><body class={paper}>\n\
         <p><a href=/>Home</a> <a href=/{paper}>News</a></p><h1>{title}</h1>\n<div class={paper}-text>\n\
         {}{offer}{}{more}</div>\n<p>Published by {paper}</p></body></html>",
        paragraphs(before),
        paragraphs(after)
    )
}

/// Three and two articles of two papers of a group and one of a third, with an offer in all; one of the first is copied by a
/// site of another publisher; two papers quote a statement.
fn crawl() -> (TempDir, PathBuf, PathBuf) {
    let mut crawl = Crawl::new();
    let statement = format!("<p>{STATEMENT}</p>");
    let shown = format!(
        "<h3>{HEADING}</h3><p>The fund for it was closed in May, and nobody was told of it.</p>\
         <figure><img src=/fund.jpg alt=Fund></figure>\
         <iframe src=https://www.youtube.com/embed/abcdefghijk></iframe><p>It was not the only one.</p>"
    );
    for (number, paper) in ["gull", "gull", "tern", "tern", "heron", "gull"].into_iter().enumerate()
    {
        let more = match number {
            0 | 3 => &*statement,
            5 => &*shown,
            _ => "",
        };
        let url = format!("https://{paper}.example/2026/{number}");
        crawl.page(&url, &page(paper, number, more));
    }
    crawl.page("https://copies.example/1", &page("copies", 1, ""));
    crawl.page("https://other.example/1", &prose::post(9));
    crawl.placed("crawl.warc.gz")
}

fn elsewhere(article: &Value) -> f64 {
    article["quality"]["elsewhere"].as_f64().unwrap()
}

#[test]
fn what_a_group_of_papers_repeats_is_no_part_of_articles() {
    let (_folder, archive, out) = crawl();
    let (archive, out) = (archive.to_str().unwrap(), out.to_str().unwrap());
    let output = sitegrove()
        .args([
            "run", archive, "--out", out, "--markdown", "--passages", "60", "--sinks",
            "jsonl,csv,report",
        ])
        .output()
        .unwrap();
    let stdout = succeeded(&output);
    let said = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("were removed from 5 articles"), "{stdout}");
    let results = Results::read(Path::new(out));
    assert_eq!((results.articles.len(), results.count("without_boilerplate")), (8, 5));
    let csv = fs::read_to_string(Path::new(out).join("articles.csv")).unwrap();
    for own in [OFFER, TERMS] {
        assert_eq!(csv.matches(own).count(), 2);
        for article in results.articles.iter().filter(|own| elsewhere(own) < 0.5) {
            let line = article.to_string();
            assert!(!line.contains(own), "{own}: {}", article["url"]);
        }
    }
    for article in results.articles.iter().filter(|own| elsewhere(own) < 0.5) {
        let (own, url) = (text(article, "text"), text(article, "url"));
        if url.ends_with("gull.example/2026/5") {
            // What the article shows, and its own heading with the words of the offer's, are left.
            assert_eq!(own.matches(HEADING).count(), 1);
            assert!(own.contains(&format!("{HEADING}\n\nThe fund for it")), "{own}");
            let html = text(article, "html");
            assert_eq!((html.matches(HEADING).count(), html.matches("data-embed").count()), (1, 1));
            let list = |name: &str| article[name].as_array().unwrap().len();
            assert_eq!((list("images"), list("embeds")), (1, 1), "{article}");
            assert!(!html.contains(OFFER) && !text(article, "markdown").contains(OFFER));
            continue;
        }
        assert!(!own.contains("\n\n\n") && own.trim() == own);
        assert_eq!(text(article, "html").matches("<p>").count(), own.matches("\n\n").count() + 1);
        assert!(article["images"].as_array().is_none_or(Vec::is_empty), "{url}");
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(text(article, "markdown")), squeezed(own), "{url}");
        assert_eq!(
            own.split_whitespace().count(),
            article["word_count"].as_u64().unwrap() as usize
        );
        let characters: Vec<char> = own.chars().collect();
        let mut passages = String::new();
        for (ordinal, passage) in article["passages"].as_array().unwrap().iter().enumerate() {
            assert_eq!(passage["ordinal"], ordinal);
            let at = |name: &str| passage[name].as_u64().unwrap() as usize;
            let part: String = characters[at("start")..at("end")].iter().collect();
            assert_eq!(at("words"), part.split_whitespace().count());
            passages.push_str(&part);
        }
        assert_eq!(squeezed(&passages), squeezed(own), "{url}");
    }
    // Copies are left as they are.
    let copies: Vec<&Value> =
        results.articles.iter().filter(|own| text(own, "text").contains(OFFER)).collect();
    assert_eq!(copies.len(), 2);
    assert!(copies.iter().all(|own| elsewhere(own) > 0.95));
    // Two papers quote it: that is no offer.
    let quoting: Vec<&Value> =
        results.articles.iter().filter(|own| text(own, "text").contains(STATEMENT)).collect();
    assert_eq!(quoting.len(), 2);
    assert!(quoting.iter().all(|own| elsewhere(own) > 0.05 && elsewhere(own) < 0.5));
    for url in ["other.example/1", "heron.example/2026/4"] {
        assert_eq!(elsewhere(results.article(&format!("https://{url}"))), 0.0);
    }
}

#[test]
fn shared_text_is_kept_where_asked() {
    let (folder, archive, _) = crawl();
    let config = write_file(folder.path(), "settings.toml", "[emit]\nfind_shared_text = false\n");
    let kept =
        run(&[&archive], &folder.path().join("kept"), &["--config", config.to_str().unwrap()]);
    let has_offer = kept.articles.iter().filter(|own| text(own, "text").contains(OFFER));
    assert_eq!(has_offer.count(), 7);
    assert!(kept.articles.iter().all(|own| elsewhere(own) == 0.0));
    assert_eq!(kept.ledger["counts"].get("without_boilerplate"), None);
    assert!(kept.count("duplicates") > 0);
    // It does not depend on looking for duplicates.
    let removed = run(&[&archive], &folder.path().join("removed"), &["--duplicates", "keep"]);
    assert_eq!((removed.count("without_boilerplate"), removed.count("duplicates")), (5, 0));
}

#[test]
fn it_does_not_depend_on_how_a_crawl_is_divided() {
    let (folder, archive, _) = crawl();
    let settings = ["--sinks", "jsonl,csv", "--passages", "60"];
    let whole = folder.path().join("whole");
    run(&[&archive], &whole, &[&settings[..], &["--jobs", "1"]].concat());
    let expected = bytes(&whole);
    let other = folder.path().join("other");
    run(&[&archive], &other, &[&settings[..], &["--jobs", "3", "--memory", "1kB"]].concat());
    assert_same(&expected, &bytes(&other), "other threads and memory");
    for shares in [1, 3] {
        let folder = folder.path().join(format!("steps-{shares}"));
        fs::create_dir(&folder).unwrap();
        let surveys = vec![(vec![archive.clone()], Vec::new())];
        let steps = Steps { folder, settings: &settings, surveys, shares, turn: 1 };
        assert_same(&expected, &bytes(&steps.run().0), &format!("{shares} shares"));
    }
}
