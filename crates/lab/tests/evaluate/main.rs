//! `sitegrove-lab evaluate` from files to report, on invented pages.

#[path = "../common/mod.rs"]
mod common;

mod floors;
mod metadata;
mod run_folders;
mod sweep;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use common::program::{call, parts};

/// Two data sets: three siblings and a single page in `news`, one page in `blogs`. Every text has
/// eight words, so seven pairs; the first is preceded by its title.
fn gold() -> Vec<Value> {
    let page = |url: &str, dataset: &str, template: Option<&str>, site: &str, text: &str| {
        json!({"url": url, "dataset": dataset, "template": template, "site": site, "gold_text": text,
               "gold_title": null, "page_title": "Headline here", "gold_optional": null, "id": 1})
    };
    vec![
        page("u1", "news", Some("t"), "one.example", "Headline here\na b c d\ne f g h"),
        page("u2", "news", Some("t"), "one.example", "i j k l\nm n o p"),
        page("u3", "news", Some("t"), "one.example", "q r s t\nu v w x"),
        page("u4", "news", None, "two.example", "a c e g\ni k m o"),
        page("u5", "blogs", None, "two.example", "b d f h\nj l n p"),
    ]
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// A folder with gold.jsonl, the run folder `good` (all right) and the file half.jsonl.gz: u1 and
/// u2 complete, u3 its first half, u4 wrong, u5 missing; u1 again with nonsense.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::write(path.join("gold.jsonl"), lines(&gold())).unwrap();
    fs::create_dir(path.join("good")).unwrap();
    let good = gold()
        .iter()
        .map(|page| json!({"url": page["url"], "text": page["gold_text"], "seconds": 0.5}))
        .collect::<Vec<_>>();
    fs::write(path.join("good/articles.jsonl"), lines(&good)).unwrap();
    let half = [
        json!({"url": "u1", "text": "a b c d e f g h", "title": "left alone"}),
        json!({"url": "u2", "text": "i j k l m n o p"}),
        json!({"url": "u3", "text": "q r s t"}),
        json!({"url": "u4", "text": "wholly something <else>\nof another kind"}),
        json!({"url": "u1", "text": "nonsense"}),
        json!({"url": "u9", "text": null}),
    ];
    let file = fs::File::create(path.join("half.jsonl.gz")).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    gzip.write_all(lines(&half).as_bytes()).unwrap();
    gzip.finish().unwrap();
    folder
}

/// The exit code and what is printed, with `@` for the folder; the messages if it could not evaluate.
fn evaluate(folder: &Path, arguments: &str) -> Result<(i32, String), String> {
    let placed = arguments.replace('@', &format!("{}/", folder.display()));
    let (code, printed, messages) = parts(&call(
        &["evaluate"].into_iter().chain(placed.split_whitespace()).collect::<Vec<_>>(),
    ));
    if code == 2 { Err(messages) } else { Ok((code, printed)) }
}

#[track_caller]
fn check(arguments: &str) -> (i32, String) {
    evaluate(folder().path(), arguments).unwrap()
}

#[track_caller]
fn check_error(arguments: &str, expected: &str) {
    let error = evaluate(folder().path(), arguments).unwrap_err();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn bylines_dates_and_captions_are_compared_neither() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let text = "Jane walked to the harbour and saw\nthe old crane at work again";
    let gold = json!({"url": "u", "gold_text": format!("By Jane Doe, 3 May 2012\n{text}")});
    fs::write(path.join("gold.jsonl"), lines(&[gold])).unwrap();
    let bare = json!({"url": "u", "text": text});
    fs::write(path.join("bare.jsonl"), lines(&[bare])).unwrap();
    let captioned = json!({"url": "u", "text": format!("{text}\nA crane of long ago"),
                           "images": [{"caption": "A crane of long ago"}, {"caption": null}, {}]});
    fs::write(path.join("captioned.jsonl"), lines(&[captioned])).unwrap();
    let f1 = |measure: &str| -> Vec<f64> {
        let arguments = format!(
            "--gold @gold.jsonl @bare.jsonl @captioned.jsonl --measures {measure} --format json"
        );
        let report: Value = serde_json::from_str(&evaluate(path, &arguments).unwrap().1).unwrap();
        let row = &report["measures"][0]["rows"].as_array().unwrap().last().unwrap()["f1"];
        row.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    for measure in ["pairs", "words"] {
        let plain = f1(measure);
        assert!(plain[1] < plain[0] && plain[0] < 90.0, "{measure} {plain:?}");
    }
    // Pairs across the boundaries of lines remain: doe-… of the gold, again-a of the captioned text.
    let pairs = f1("pairs-fields");
    assert!(pairs[0] > 95.0 && pairs[1] > 90.0, "{pairs:?}");
    assert_eq!(f1("words-fields"), [100.0, 100.0]);
}

#[test]
fn figures_by_hand() {
    let (_, text) = check(
        "--gold @gold.jsonl @good half=@half.jsonl.gz --measures pairs,lcs-words --format json",
    );
    let report: Value = serde_json::from_str(&text).unwrap();
    let pairs = &report["measures"][0];

    // half: of the nine gold pairs of u1, headline-here is removed, and here-a is missed: 7 of 8,
    // F1 14/15; u2 is complete, u3 has 3 of 7 pairs (F1 0.6): (0.9333 + 1 + 0.6)/3 in the group.
    let rows: Vec<_> = pairs["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["dataset"].as_str().unwrap(),
                row["singles"] == true,
                row["units"].as_u64().unwrap(),
                row["f1"][0].as_f64().unwrap(),
                row["f1"][1].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("news", false, 1, 100.0, 84.4444),
            ("ALL", false, 1, 100.0, 84.4444),
            ("blogs", true, 1, 100.0, 0.0),
            ("news", true, 1, 100.0, 0.0),
            ("ALL", true, 2, 100.0, 0.0),
        ]
    );

    // Over all pages: F1 14/15, 1, 0.6, 0, 0; median 0.6; the sites are one.example (0.8444) and two.example (0).
    let all = &pairs["summaries"][5];
    assert_eq!(
        (&all["dataset"], &all["run"], &all["pages"]),
        (&json!("ALL"), &json!("half"), &json!(5))
    );
    assert_eq!(
        (&all["f1"], &all["median"], &all["tenth"]),
        (&json!(50.6667), &json!(60.0), &json!(0.0))
    );
    assert_eq!((&all["sites"], &all["macro_sites"]), (&json!(2), &json!(42.2222)));

    let over_sites = &pairs["differences"][1];
    assert_eq!(
        (&over_sites["over"], &over_sites["units"], &over_sites["wins"]),
        (&json!("sites"), &json!(2), &json!(2))
    );
    // (15.5556 + 100)/2; two units resampled reach from one to the other.
    assert_eq!(
        (&over_sites["mean"], &over_sites["low"], &over_sites["high"]),
        (&json!(57.7778), &json!(15.5556), &json!(100.0))
    );

    // By order, the title's line is removed from the gold: u1 is complete, u3 has 4 of 8 words (F1
    // 2/3).
    assert_eq!(report["measures"][1]["rows"][0]["f1"][1], json!(88.8889));

    assert_eq!(
        report["runs"][0],
        json!({"name": "good", "path": report["runs"][0]["path"], "records": 5,
        "duplicates": 0, "missing": 0, "unknown": 0, "seconds": 2.5})
    );
    assert_eq!(
        report["runs"][1],
        json!({"name": "half", "path": report["runs"][1]["path"], "records": 6,
        "duplicates": 1, "missing": 1, "unknown": 1, "seconds": null})
    );
}

#[test]
fn markdown_shows_tables_and_worst_pages() {
    let (_, text) = check("--gold @gold.jsonl @half.jsonl.gz @good --worst 1");
    assert!(text.contains(
        "| data set | over | half | good |\n|---|---|--:|--:|\n| news | 1 groups | 84.4 | 100.0 |\n"
    ));
    assert!(text.contains("## substring: longest common substring"));
    assert!(
        text.contains(
            "- half − good: -15.56 [-15.56, -15.56] over 1 templates; wins 0, losses 1\n"
        )
    );
    let worst = text.split("## Worst pages of half by pairs\n").nth(1).unwrap();
    assert_eq!(
        worst,
        "\n### 0.0 (P 0.0, R 0.0) u4\n\nnews, single; good 100.0\n\n\
        - missed: a c e g\n- missed: i k m o\n- extra: wholly something &lt;else>\n- extra: of another kind\n\n"
    );
}

#[test]
fn csv_has_one_figure_a_line() {
    let (_, text) = check(
        "--gold @gold.jsonl @half.jsonl.gz @good --measures pairs --format csv --datasets news",
    );
    assert!(text.starts_with(
        "measure,dataset,run,over,statistic,units,value\npairs,news,half,templates,f1,1,84.4444\n"
    ));
    assert!(text.contains("\npairs,ALL,half - good,templates,difference,1,-15.5556\n"));
    assert!(!text.contains("blogs"));
}

#[test]
fn mistakes_are_told_with_their_place() {
    check_error("--gold @gold.jsonl @nowhere.jsonl", "nowhere.jsonl");
    check_error(
        "--gold @gold.jsonl @good --datasets news,sports",
        "no data set \"sports\"; it has blogs, news",
    );
    check_error("--gold @gold.jsonl @good --measures rouge", "no measure is called \"rouge\"");
    check_error("--gold @gold.jsonl @good --measures nodes", "no page of the gold has gold_nodes");
    check_error("--gold @gold.jsonl @good @good/articles.jsonl", "both called \"good\"");
    check_error("--gold @gold.jsonl @good --worst 3 --format csv", "--worst needs");

    let folder = folder();
    fs::write(
        folder.path().join("bad.jsonl"),
        "{\"url\":\"u1\",\"text\":\"x\"}\n\n{\"text\":\"x\"}\n",
    )
    .unwrap();
    let error = evaluate(folder.path(), "--gold @gold.jsonl @bad.jsonl").unwrap_err();
    assert!(error.contains("bad.jsonl, line 3: missing field `url`"), "{error}");
}

#[test]
fn nodes_are_scored_where_the_gold_marks_them() {
    let folder = TempDir::new().unwrap();
    let marked = json!({"url": "u", "gold_text": "a b", "gold_nodes": [4, "5"]});
    fs::write(folder.path().join("gold.jsonl"), lines(&[marked])).unwrap();
    fs::write(
        folder.path().join("run.jsonl"),
        lines(&[json!({"url": "u", "text": "a b", "nodes": ["4", 6]})]),
    )
    .unwrap();
    let (_, text) = evaluate(folder.path(), "--gold @gold.jsonl @run.jsonl").unwrap();
    assert!(text.contains("## nodes: retrieved DOM nodes\n\n| data set | over | run |\n|---|---|--:|\n| gold singles | 1 pages | 50.0 |"));
}

#[test]
fn the_report_goes_to_a_file_and_the_verdict_to_the_terminal() {
    let folder = folder();
    let command = "--gold @gold.jsonl @good --measures pairs --format csv --floors @floors.json --update-floors --out @report.csv";
    let (_, text) = evaluate(folder.path(), command).unwrap();
    assert!(text.starts_with("## Floors\n") && text.contains("rewritten"), "{text}");
    assert!(fs::read_to_string(folder.path().join("report.csv")).unwrap().starts_with("measure,"));
}

#[test]
fn rows_are_of_page_types_or_languages_if_these_are_asked_for() {
    let folder = TempDir::new().unwrap();
    let texts = [
        ("u1", "forum", "The harbour was closed for the night, and nobody knew why it had been."),
        (
            "u2",
            "article",
            "Der Hafen war über Nacht geschlossen, und niemand wusste, warum das so war.",
        ),
        ("u3", "", "They said that it would be open again in the morning, as it had always been."),
    ];
    let page = |(url, page_type, text): &(&str, &str, &str)| {
        let page_type = Some(page_type).filter(|own| !own.is_empty());
        json!({"url": url, "dataset": "made", "site": url, "gold_text": text, "page_type": page_type})
    };
    let gold: Vec<Value> = texts.iter().map(page).collect();
    fs::write(folder.path().join("gold.jsonl"), lines(&gold)).unwrap();
    let run = [json!({"url": "u2", "text": texts[1].2}), json!({"url": "u3", "text": texts[2].2})];
    fs::write(folder.path().join("run.jsonl"), lines(&run)).unwrap();
    let rows = |key: &str| {
        let arguments = format!("@run.jsonl --gold @gold.jsonl --measures pairs --by {key}");
        let (_, printed) = evaluate(folder.path(), &arguments).unwrap();
        let is_row = |line: &&str| line.contains(" pages | ") && !line.contains("run");
        printed.lines().filter(is_row).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        rows("dataset"),
        ["| made singles | 3 pages | 66.7 |", "| ALL singles | 3 pages | 66.7 |"]
    );
    // Without a type a page counts as an article.
    assert_eq!(
        rows("type"),
        [
            "| article singles | 2 pages | 100.0 |",
            "| forum singles | 1 pages | 0.0 |",
            "| ALL singles | 3 pages | 66.7 |"
        ]
    );
    // Languages of few pages are counted together.
    assert_eq!(
        rows("language"),
        ["| other singles | 3 pages | 66.7 |", "| ALL singles | 3 pages | 66.7 |"]
    );
    let refused = evaluate(folder.path(), "@run.jsonl --gold @gold.jsonl --by type --metadata");
    assert!(refused.unwrap_err().contains("cannot be used with"));
}
