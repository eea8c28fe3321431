//! Reads the runs: the articles of run folders, or the output of other tools, as JSON lines.

use std::path::{Path, PathBuf};

use anyhow::bail;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use sitegrove::results::articles_of;

use crate::fields::FieldValues;
use crate::gold::{node_key, parse_lines, read_file};

/// The output of one system.
pub(crate) struct EvaluatedRun {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(crate) pages: FxHashMap<String, RunPage>,
    /// Lines of the file.
    pub(super) records: usize,
    /// Lines with the URL of an earlier line.
    pub(super) duplicates: usize,
}

/// The output of one system for one page.
pub(crate) struct RunPage {
    pub(super) text: String,
    pub(super) nodes: Vec<String>,
    pub(super) seconds: Option<f64>,
    pub(crate) fields: FieldValues,
    pub(super) captions: Vec<String>,
}

#[derive(Deserialize)]
struct RunLine {
    url: String,
    text: Option<String>,
    nodes: Option<Vec<Value>>,
    seconds: Option<f64>,
    #[serde(flatten)]
    fields: FieldValues,
    #[serde(default)]
    images: Vec<model::Image>,
}

/// Reads the runs given on the command line; their names must be unique.
pub(super) fn read_runs(specs: &[String]) -> anyhow::Result<Vec<EvaluatedRun>> {
    let mut runs: Vec<EvaluatedRun> = Vec::new();
    for spec in specs {
        let (name, path) = name_and_path(spec);
        if let Some(other) = runs.iter().find(|run| run.name == name) {
            let (a, b) = (other.path.display(), path.display());
            bail!("{a} and {b} are both called {name:?}: name them apart as NAME=PATH");
        }
        runs.push(read_run(name, path)?);
    }
    Ok(runs)
}

pub(crate) fn read_run(name: String, path: PathBuf) -> anyhow::Result<EvaluatedRun> {
    let path = if path.is_dir() { articles_of(&path)? } else { path };
    let lines: Vec<RunLine> = parse_lines(&path, &read_file(&path)?)?;
    let mut run = EvaluatedRun {
        name,
        path,
        records: lines.len(),
        duplicates: 0,
        pages: FxHashMap::default(),
    };
    for line in lines {
        if run.pages.contains_key(&line.url) {
            run.duplicates += 1;
            continue;
        }
        let page = RunPage {
            text: line.text.unwrap_or_default(),
            nodes: line.nodes.unwrap_or_default().iter().map(node_key).collect(),
            seconds: line.seconds,
            fields: line.fields,
            captions: line.images.into_iter().filter_map(|image| image.caption).collect(),
        };
        run.pages.insert(line.url, page);
    }
    Ok(run)
}

/// Splits NAME=PATH. Without a name, the last meaningful part of the path is used.
pub(super) fn name_and_path(spec: &str) -> (String, PathBuf) {
    if let Some((name, path)) = spec.split_once('=')
        && !Path::new(spec).exists()
    {
        return (name.to_owned(), PathBuf::from(path));
    }
    let path = PathBuf::from(spec);
    let last = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = last(&path).unwrap_or_else(|| spec.to_owned());
    let stem = file.trim_end_matches(".gz").trim_end_matches(".zst").trim_end_matches(".jsonl");
    let folder = path.parent().and_then(last).filter(|_| stem == "articles");
    (folder.unwrap_or_else(|| stem.to_owned()), path)
}
