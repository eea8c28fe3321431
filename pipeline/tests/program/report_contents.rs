//! The report: what to look at first, what the articles are, and the comparison with an earlier run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::crawl::Crawl;
use crate::common::program::{call, in_repository, parts, run, sitegrove, write_file};
use crate::common::prose;
use crate::common::results::{Results, figures, parse, text};

/// An archive of posts: of each site so many.
fn archive(folder: &Path, name: &str, sites: &[(&str, usize)]) -> PathBuf {
    let mut crawl = Crawl::new();
    for (at, &(site, pages)) in sites.iter().enumerate() {
        for n in 0..pages {
            crawl.page(&format!("https://{site}/notes/{n}"), &prose::post(at * 50 + n));
        }
    }
    crawl.write(folder, name)
}

fn report(folder: &Path) -> String {
    fs::read_to_string(folder.join("report/index.html")).unwrap()
}

fn section<'a>(html: &'a str, class: &str) -> &'a str {
    let open = format!("<section class=\"{class}\"");
    let (_, rest) = html.split_once(&open).unwrap_or_else(|| panic!("no section {class}"));
    rest.split_once("</section>").unwrap().0
}

/// The sums of a field of counts over all sites.
fn sums(figures: &[Value], field: &str) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for row in figures {
        for (name, n) in row[field].as_object().unwrap() {
            *sums.entry(name.clone()).or_default() += n.as_u64().unwrap();
        }
    }
    sums
}

fn counted(names: impl Iterator<Item = String>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

#[test]
fn contents_are_those_of_the_articles() {
    let folder = tempfile::tempdir().unwrap();
    let results = run(&[&in_repository("data/crawl")], &folder.path().join("out"), &[]);
    let (figures, html) = (figures(&results.folder), report(&results.folder));
    let articles = &results.articles;
    let strings = |field: &'static str| articles.iter().filter_map(move |a| a[field].as_str());
    let languages = strings("language").map(|tag| tag.split('-').next().unwrap().to_owned());
    assert_eq!(sums(&figures, "languages"), counted(languages));
    let months = strings("published").map(|date| date[..7].to_owned());
    assert_eq!(sums(&figures, "months"), counted(months));
    let types = strings("page_type").map(str::to_owned);
    assert_eq!(sums(&figures, "page_types"), counted(types));
    let has = |article: &Value, field: &str| match &article[field] {
        Value::Array(list) => !list.is_empty(),
        value => !value.is_null(),
    };
    let fields = [
        "title", "authors", "published", "modified", "language", "description", "image", "tags",
        "canonical", "site_name", "section", "access", "license",
    ];
    let shown = section(&html, "figure wide");
    assert!(shown.contains("<h2>Metadata</h2>"), "{shown}");
    for field in fields {
        let n = articles.iter().filter(|article| has(article, field)).count() as u64;
        assert_eq!(sums(&figures, "fields").get(field).copied().unwrap_or(0), n, "{field}");
        assert!(shown.contains(&format!("<bdi>{field}</bdi>")), "{field}");
    }
    for title in ["Languages", "Dates", "Page types"] {
        assert!(html.contains(&format!("<h2>{title}</h2>")), "{title}");
    }
    assert!(html.contains("No page was dropped as a copy of another."));
    // The doubtful ones are in the ledger, too.
    let doubtful = articles.iter().filter(|article| article["doubtful"] == true).count() as u64;
    assert_eq!(results.count("doubtful"), doubtful);
    assert_eq!(results.ledger["doubtful_below"], 0.79);
}

#[test]
fn doubtful_articles_and_weak_templates_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path(), "a.warc.gz", &[("one.example", 5), ("two.example", 2)]);
    let config = write_file(folder.path(), "all.toml", "[extract]\ndoubtful_below = 1.0\n");
    let out = folder.path().join("out");
    let mut command = sitegrove();
    command.arg("run").args([&config, &archive]).arg("--out").arg(&out);
    assert_eq!(parts(&command.output().unwrap()).0, 0);
    let (results, html) = (Results::read(&out), report(&out));
    let first = section(&html, "first");
    // At most three of a site, those with the lowest confidence.
    for site in ["one.example", "two.example"] {
        let mut own: Vec<(u64, &str)> = (results.articles.iter())
            .filter(|article| article["site"] == site)
            .map(|a| ((a["confidence"].as_f64().unwrap() * 1e4).round() as u64, text(a, "url")))
            .collect();
        own.sort_unstable();
        let row = figures(&out).into_iter().find(|row| row["site"] == site).unwrap();
        let worst: Vec<&str> =
            row["worst"].as_array().unwrap().iter().map(|own| text(own, "url")).collect();
        let expected: Vec<&str> = own.iter().take(3).map(|(_, url)| *url).collect();
        assert_eq!(worst, expected);
        worst.iter().for_each(|url| assert!(first.contains(url), "{url}"));
    }
    assert!(first.contains("at most three of a site"), "{first}");
    // A template that was learnt from two pages.
    let two = figures(&out).into_iter().find(|row| row["site"] == "two.example").unwrap();
    let weak = &two["weak"][0];
    assert_eq!(
        (&weak["pages"], &weak["wrapper"], &weak["learnt_from"]),
        (&json!(2), &json!(true), &json!(2))
    );
    assert!(first.contains("few pages"), "{first}");
    // Without doubtful ones it says so.
    fs::write(&config, "[extract]\ndoubtful_below = 0.0\n").unwrap();
    let mut command = sitegrove();
    command.arg("run").args([&config, &archive]).arg("--overwrite").arg("--out").arg(&out);
    assert_eq!(parts(&command.output().unwrap()).0, 0);
    assert!(section(&report(&out), "first").contains("No article is doubtful"));
}

#[test]
fn a_run_is_compared_with_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let [before, now] = [
        ("before.warc.gz", &[("one.example", 9), ("two.example", 4), ("gone.example", 5)][..]),
        ("now.warc.gz", &[("one.example", 4), ("two.example", 4), ("new.example", 6)][..]),
    ]
    .map(|(name, sites)| archive(folder.path(), name, sites));
    let [yesterday, tonight] = ["yesterday", "tonight"].map(|name| folder.path().join(name));
    run(&[&before], &yesterday, &[]);
    let metrics = folder.path().join("run.prom");
    let options =
        ["--compare", yesterday.to_str().unwrap(), "--metrics", metrics.to_str().unwrap()];
    let results = run(&[&now], &tonight, &options);
    let html = report(&tonight);
    let compared = section(&html, "compared");
    assert!(
        compared
            .contains("<th scope=\"row\">Articles</th><td>18</td><td>14</td><td>−4 (−22 %)</td>"),
        "{compared}"
    );
    let list = parse(&fs::read_to_string(tonight.join("report/compared.json")).unwrap());
    let names = |list: &Value| -> Vec<String> {
        let sites = list["sites"].as_array().unwrap();
        assert_eq!(list["count"], sites.len());
        sites.iter().map(|site| text(site, "site").to_owned()).collect()
    };
    assert_eq!(names(&list["sites"]["gained"]), ["new.example"]);
    assert_eq!(names(&list["sites"]["lost"]), ["gone.example"]);
    assert_eq!(names(&list["sites"]["changed"]), ["one.example"]);
    assert_eq!(list["sites"]["changed"]["sites"][0]["articles"], json!([9, 4]));
    assert_eq!(results.ledger["compared"]["articles"], 18);
    let metrics = fs::read_to_string(metrics).unwrap();
    for line in ["sitegrove_articles_total 14", "sitegrove_earlier_run_articles 18"] {
        assert!(metrics.lines().any(|own| own == line), "{line}: {metrics}");
    }
    // The comparison stays when pages of sites are linked, and when the earlier run is gone.
    fs::remove_dir_all(&yesterday).unwrap();
    assert_eq!(parts(&call(&["inspect", tonight.to_str().unwrap(), "--all"])).0, 0);
    assert_eq!(section(&report(&tonight), "compared"), compared);
    // The same command again: there is nothing to do but the comparison, which has nothing to compare with.
    let again = ["run", now.to_str().unwrap(), "--out", tonight.to_str().unwrap(), "--compare"];
    let (code, _, stderr) = parts(&call(&[&again[..], &[yesterday.to_str().unwrap()]].concat()));
    assert!(code == 2 && stderr.contains("the folder does not exist"), "{code} {stderr}");
    run(&[&before], &yesterday, &["--sinks", "jsonl"]);
    let (code, stdout, stderr) =
        parts(&call(&[&again[..], &[yesterday.to_str().unwrap()]].concat()));
    assert!(code == 0 && stdout.starts_with("Nothing to do"), "{stdout}{stderr}");
    // An earlier run without the figures of a report: totals only.
    assert!(section(&report(&tonight), "compared").contains("Sites are not compared"));
    // Another run in the folder forgets the comparison.
    run(&[&before], &tonight, &["--overwrite"]);
    assert!(!report(&tonight).contains("class=\"compared\""));
    assert!(!tonight.join("report/compared.json").exists());
}

#[test]
fn without_a_report_the_counts_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path(), "a.warc.gz", &[("one.example", 4)]);
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    run(&[&archive], &one, &[]);
    let options = ["--compare", one.to_str().unwrap(), "--sinks", "jsonl"];
    let results = run(&[&archive], &two, &options);
    assert_eq!(results.ledger["compared"]["articles"], 4);
    assert!(!two.join("report").exists());
    // Nothing is begun that cannot be compared.
    let three = folder.path().join("three");
    let mut command = sitegrove();
    command.arg("run").arg(&archive).arg("--out").arg(&three).arg("--compare").arg(folder.path());
    let (code, _, stderr) = parts(&command.output().unwrap());
    assert!(code == 2 && stderr.contains("no finished run"), "{stderr}");
    assert!(!three.exists());
}

#[test]
fn merging_compares_as_a_run_does() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [before, now] = [("before.warc.gz", 9), ("now.warc.gz", 4)]
        .map(|(name, pages)| archive(folder.path(), name, &[("one.example", pages)]));
    let [yesterday, whole] = ["yesterday", "whole"].map(|name| folder.path().join(name));
    run(&[&before], &yesterday, &[]);
    run(&[&now], &whole, &["--compare", &place("yesterday")]);
    let call = |arguments: &[&str]| parts(&call(arguments));
    let (survey, learnt, merged) = (place("survey"), place("learnt"), place("merged"));
    assert_eq!(call(&["survey", now.to_str().unwrap(), "--out", &survey]).0, 0);
    assert_eq!(call(&["learn", &survey, "--out", &learnt]).0, 0);
    let merge = ["merge", &survey, &learnt, "--out", &merged, "--compare", &place("yesterday")];
    let config = place("neither.toml");
    fs::write(&config, "emit.duplicates = 'keep'\nemit.find_shared_text = false\n").unwrap();
    let (code, _, stderr) = call(&[&merge[..], &["--share", "1/2", "--config", &config]].concat());
    assert!(code == 2 && stderr.contains("a share of the sites"), "{stderr}");
    let (code, _, stderr) = call(&merge);
    assert_eq!(code, 0, "{stderr}");
    let compared = |run: &str| {
        let path = Path::new(run).join("report/compared.json");
        let mut compared = parse(&fs::read_to_string(path).unwrap());
        for field in ["folder", "started"] {
            compared["now"].as_object_mut().unwrap().remove(field);
        }
        compared
    };
    assert_eq!(compared(&merged), compared(whole.to_str().unwrap()));
    assert_eq!(compared(&merged)["sites"]["changed"]["count"], 1);
}

#[test]
fn a_report_is_compared_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path(), "a.warc.gz", &[("one.example", 4)]);
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    run(&[&archive], &one, &[]);
    run(&[&archive], &two, &[]);
    let (one, two) = (one.to_str().unwrap(), two.to_str().unwrap());
    let (code, _, stderr) = parts(&call(&["report", two, "--compare", one]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let compared = section(&report(Path::new(two)), "compared").to_owned();
    assert!(compared.contains("The same sites"), "{compared}");
    let (code, _, stderr) = parts(&call(&["report", two, "--compare", two]));
    assert!(code == 2 && stderr.contains("the folder of the run itself"), "{stderr}");
    let nowhere = folder.path().join("nowhere");
    let (code, _, stderr) = parts(&call(&["report", two, "--compare", nowhere.to_str().unwrap()]));
    assert!(code == 2 && stderr.contains("the folder does not exist"), "{stderr}");
    // A damaged file of figures is named.
    fs::write(Path::new(one).join("report/sites.jsonl"), "{}\n").unwrap();
    let (code, _, stderr) = parts(&call(&["report", two, "--compare", one]));
    assert!(code == 2 && stderr.contains("sites.jsonl, line 1"), "{stderr}");
}
