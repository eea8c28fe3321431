//! The metrics of `--metrics`, and the dashboard that shows them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::crawl::Crawl;
use crate::common::program::{in_repository, refused, run, sitegrove};
use crate::common::prose;
use crate::common::results::{parse, text};

/// The samples of a metrics file, by name with labels.
fn samples(path: &Path) -> BTreeMap<String, f64> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ').unwrap();
        (name.to_owned(), value.parse().unwrap())
    };
    lines.map(sample).collect()
}

/// The families that a metrics file declares.
fn families(path: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(path).unwrap();
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

/// The names of this program's metrics in a query.
fn names(query: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let at = query.match_indices("sitegrove_").map(|(at, _)| &query[at..]);
    at.map(|rest| rest.chars().take_while(|&c| is_part(c)).collect()).collect()
}

/// Every text under a key, anywhere in a document.
fn under<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == key => found.push(text),
                    value => under(value, key, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| under(value, key, found)),
        _ => {}
    }
}

#[test]
fn the_dashboard_queries_metrics_that_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let [metrics, models, out, again] =
        ["run.prom", "models.sqlite", "out", "again"].map(|name| folder.path().join(name));
    let crawl = in_repository("data/crawl");
    // The night before.
    let first = in_repository("data/crawl/sample-1.warc.gz");
    run(&[&first], &out, &["--models", models.to_str().unwrap()]);
    let before = run(&[&first], &out, &["--overwrite"]);
    let earlier = run(&[&crawl], &out, &["--overwrite"]);
    let compare = out.to_str().unwrap();
    let options = ["--metrics", metrics.to_str().unwrap(), "--models", models.to_str().unwrap()];
    let results = run(&[&crawl], &again, &[&options[..], &["--compare", compare]].concat());
    let mut known = families(&metrics);
    let values = samples(&metrics);
    let counted = |name: &str| values[name] as u64;
    assert_eq!(counted("sitegrove_articles_total"), results.count("articles"));
    assert_eq!(counted("sitegrove_doubtful_articles_total"), results.count("doubtful"));
    assert_eq!(counted("sitegrove_earlier_run_articles"), earlier.count("articles"));
    assert_eq!(counted("sitegrove_last_night_sites"), before.count("sites"));
    assert_eq!(results.ledger["last_night"]["sites"], before.count("sites"));
    let health: f64 = ["too-few-pages", "healthy", "drifting", "broken"]
        .map(|name| values[&format!("sitegrove_sites_by_health{{health=\"{name}\"}}")])
        .iter()
        .sum();
    assert_eq!(health as u64, results.count("sites"));
    // Those of a run that is not complete: one that fails at its outputs.
    let stopped = folder.path().join("stopped");
    fs::create_dir_all(stopped.join("articles.jsonl/in-the-way")).unwrap();
    let mut command = sitegrove();
    command.arg("run").arg(&crawl).args(["--overwrite", "--sinks", "jsonl", "--metrics"]);
    refused(&command.arg(&metrics).arg("--out").arg(&stopped).output().unwrap());
    assert_eq!(samples(&metrics)["sitegrove_run_state{state=\"stopped\"}"], 1.0);
    known.extend(families(&metrics));

    let dashboard = fs::read_to_string(in_repository("configs/grafana.json")).unwrap();
    let dashboard = parse(&dashboard);
    let mut queries = Vec::new();
    under(&dashboard, "expr", &mut queries);
    under(&dashboard, "query", &mut queries);
    let queried: BTreeSet<String> = queries.iter().flat_map(|query| names(query)).collect();
    assert!(queried.len() > 15, "{queried:?}");
    let unknown: Vec<&String> = queried.difference(&known).collect();
    assert!(unknown.is_empty(), "{unknown:?} are in no metrics file");
    // What a run writes is documented and shown.
    let docs = fs::read_to_string(in_repository("docs/RUNS.md")).unwrap();
    for name in &known {
        assert!(queried.contains(name), "{name} is not on the dashboard");
        assert!(docs.contains(&format!("`{name}")), "{name} is not in docs/RUNS.md");
    }
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "panels share an id");
    assert!(panels.iter().all(|panel| !text(panel, "title").is_empty()));
}

#[test]
fn copies_of_pages_are_counted() {
    let mut crawl = Crawl::of_posts("https://one.example/notes/", 0..5);
    crawl.page("https://one.example/notes/4", &prose::post(4));
    let (folder, archive, out) = crawl.placed("a.warc.gz");
    let metrics = folder.path().join("run.prom");
    let results = run(&[&archive], &out, &["--metrics", metrics.to_str().unwrap()]);
    let values = samples(&metrics);
    assert_eq!(values["sitegrove_duplicates_total{reason=\"duplicate-url\"}"], 1.0);
    assert_eq!(values["sitegrove_duplicates_total{reason=\"duplicate-text\"}"], 0.0);
    let html = fs::read_to_string(results.folder.join("report/index.html")).unwrap();
    assert!(html.contains("1 page dropped as copies of others"));
    // Stages are those of the ledger.
    for (stage, seconds) in results.ledger["stage_seconds"].as_object().unwrap() {
        let name = format!("sitegrove_stage_seconds_total{{stage=\"{stage}\"}}");
        assert_eq!(values[&name], seconds.as_f64().unwrap(), "{stage}");
    }
}
