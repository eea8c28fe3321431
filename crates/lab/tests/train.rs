//! `sitegrove-lab train` on the sample crawl.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

mod common;
use common::program::{call, in_repository, parts, run, sitegrove};

/// Trains on the sample crawl with this number of threads.
fn train(folder: &TempDir, threads: &str, more: &[&str]) -> (String, PathBuf) {
    let out = folder.path().join(format!("weights-{threads}.json"));
    let output = sitegrove()
        .args(["train", "--folds", "2", "--no-data-sets", "--licence", "sample=CC0-1.0", "--gold"])
        .arg(in_repository("data/gold.jsonl"))
        .arg("--out")
        .arg(&out)
        .arg("--held-out")
        .arg(folder.path().join(format!("held-{threads}.jsonl")))
        .arg(in_repository("data/crawl"))
        .args(more)
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .unwrap();
    let (code, stdout, stderr) = parts(&output);
    assert_eq!(code, 0, "{stdout}\n{stderr}");
    (stdout, out)
}

#[test]
fn weights_are_the_same_for_any_threads_and_of_use() {
    let folder = tempfile::tempdir().unwrap();
    let (stdout, one) = train(&folder, "1", &[]);
    let (curve, three) = train(&folder, "3", &["--curve", "60"]);
    let (_, curve) = curve.split_once("## Learning curve").unwrap();
    assert!(curve.contains("| 60 % of publishers, ") && curve.contains("| all, "), "{curve}");
    assert_eq!(fs::read(&one).unwrap(), fs::read(&three).unwrap());
    assert!(stdout.contains("| ALL |") && stdout.contains("| confidence |"), "{stdout}");
    let weights = fs::read_to_string(&one).unwrap();
    assert!(weights.contains("\"licence\":\"CC0-1.0\""));
    assert!(!weights.contains("harbour-gazette"), "a site's name is in the weights");
    let held_out = fs::read_to_string(folder.path().join("held-1.jsonl")).unwrap();
    assert!(held_out.lines().count() > 50);

    let own = folder.path().join("own.toml");
    fs::write(&own, format!("[grove]\nweights = '{}'\n", one.display())).unwrap();
    let out = folder.path().join("out");
    let results = run(&[&own, &in_repository("data/crawl")], &out, &[]);
    assert!(results.articles.len() > 50, "{} articles", results.articles.len());
}

/// Marks of people and texts of articles teach as gold does: the paragraphs of a page that is in no gold.
#[test]
fn corrections_are_learnt_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let all = fs::read_to_string(in_repository("data/gold.jsonl")).unwrap();
    let (without, of_site): (Vec<&str>, Vec<&str>) =
        all.lines().partition(|line| !line.contains("blog.example/"));
    let (gold, marks, texts) = (path("gold.jsonl"), path("marks.jsonl"), path("texts.jsonl"));
    fs::write(&gold, without.join("\n")).unwrap();
    let value = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let (first, second) = (value(of_site[0]), value(of_site[1]));
    let blocks = serde_json::json!([
        {"xpath": "//div[@class='entry-content']", "mark": "content"},
        {"xpath": "//body", "mark": "not-content"},
    ]);
    let line = serde_json::json!({"url": first["url"], "blocks": blocks, "by": "jane"});
    fs::write(&marks, line.to_string()).unwrap();
    let line = serde_json::json!({"url": second["url"], "text": second["gold_text"], "by": "jane"});
    fs::write(&texts, line.to_string()).unwrap();
    let train = |name: &str, more: &[&str]| {
        let out = path(name);
        let (crawl, begin) =
            (in_repository("data/crawl"), ["train", "--folds", "2", "--no-data-sets"]);
        let of = ["--gold", &gold, "--out", &out, crawl.to_str().unwrap()];
        let (code, stdout, stderr) = parts(&call(&[&begin[..], &of[..], more].concat()));
        assert_eq!(code, 0, "{stderr}");
        let pages: usize = stdout.split(' ').next().unwrap().parse().unwrap();
        (pages, fs::read_to_string(out).unwrap())
    };
    let (pages, plain) = train("plain.json", &[]);
    let (of_marks, marked) = train("marked.json", &["--corrections", &marks]);
    let (of_both, both) = train("both.json", &["--corrections", &marks, "--corrections", &texts]);
    assert_eq!((of_marks, of_both), (pages + 1, pages + 2));
    assert!(!plain.contains("corrections") && marked.contains("\"corrections\""));
    assert!(plain != marked && marked != both);
    let output = sitegrove()
        .args([
            "train",
            "--gold",
            &gold,
            "--corrections",
            &path("none.jsonl"),
            "--out",
            &path("x.json"),
            "data",
        ])
        .output()
        .unwrap();
    let (code, _, stderr) = parts(&output);
    assert!(code == 2 && stderr.contains("none.jsonl"), "{stderr}");
}

#[test]
fn gold_of_other_pages_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("weights.json");
    let gold = folder.path().join("gold.jsonl");
    fs::write(&gold, "{\"url\": \"https://nowhere.example/\", \"gold_text\": \"a b c\"}\n")
        .unwrap();
    let crawl = in_repository("data/crawl");
    let (code, _, stderr) = parts(&call(&[
        "train",
        "--gold",
        gold.to_str().unwrap(),
        "--out",
        weights.to_str().unwrap(),
        crawl.to_str().unwrap(),
    ]));
    assert_eq!(code, 2);
    assert!(!weights.exists(), "something was written");
    assert!(stderr.contains("no page of") && stderr.contains("is in the inputs"), "{stderr}");
}
