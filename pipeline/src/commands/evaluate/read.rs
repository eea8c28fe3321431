//! Reads the gold and the runs: JSON lines, plain, gzip or zstd. Errors name the file and line.

use std::{
    collections::BTreeSet,
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use data_encoding::HEXLOWER;
use model::PageType;
use rustc_hash::FxHashMap;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::results::articles_of;

/// The pages whose text is known.
pub(in crate::commands) struct GoldFile {
    pub(in crate::commands) path: PathBuf,
    /// SHA-256 of the whole file, decompressed, in hexadecimal.
    pub(in crate::commands) digest: String,
    /// The requested data sets; empty for all.
    pub(in crate::commands) datasets: Vec<String>,
    pub(in crate::commands) pages: Vec<GoldPage>,
}

/// One page whose text is known.
pub(in crate::commands) struct GoldPage {
    pub(in crate::commands) url: String,
    pub(in crate::commands) dataset: String,
    pub(in crate::commands) template: Option<String>,
    pub(in crate::commands) site: String,
    pub(in crate::commands) text: String,
    pub(in crate::commands) title: Option<String>,
    /// Authors as written in the gold: names, a list in one string, a byline.
    pub(in crate::commands) authors: Vec<String>,
    /// The date of publication as written in the gold.
    pub(in crate::commands) date: Option<String>,
    pub(in crate::commands) page_title: Option<String>,
    pub(in crate::commands) optional: Vec<String>,
    /// The type of the page, where the gold says it.
    pub(in crate::commands) page_type: Option<PageType>,
    pub(in crate::commands) nodes: Vec<String>,
}

/// The output of one system.
pub(super) struct Run {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) pages: FxHashMap<String, RunPage>,
    /// Lines of the file.
    pub(super) records: usize,
    /// Lines with the URL of an earlier line.
    pub(super) duplicates: usize,
}

/// The output of one system for one page.
pub(super) struct RunPage {
    pub(super) text: String,
    pub(super) nodes: Vec<String>,
    pub(super) seconds: Option<f64>,
    pub(super) title: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) published: Option<String>,
    pub(super) fetched: Option<String>,
    /// Captions of its pictures.
    pub(super) captions: Vec<String>,
}

#[derive(Deserialize)]
struct GoldLine {
    url: String,
    #[serde(default = "unnamed")]
    dataset: String,
    template: Option<String>,
    site: Option<String>,
    gold_text: String,
    gold_title: Option<String>,
    gold_author: Option<OneOrMany>,
    gold_date: Option<String>,
    page_title: Option<String>,
    gold_optional: Option<OneOrMany>,
    gold_nodes: Option<Vec<Value>>,
    page_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    fn many(value: Option<Self>) -> Vec<String> {
        match value {
            None => Vec::new(),
            Some(Self::One(text)) => vec![text],
            Some(Self::Many(texts)) => texts,
        }
    }
}

#[derive(Deserialize)]
struct RunLine {
    url: String,
    text: Option<String>,
    nodes: Option<Vec<Value>>,
    seconds: Option<f64>,
    title: Option<String>,
    authors: Option<OneOrMany>,
    published: Option<String>,
    fetched: Option<String>,
    #[serde(default)]
    images: Vec<RunImage>,
}

#[derive(Deserialize)]
struct RunImage {
    caption: Option<String>,
}

/// The data set of gold lines without one.
fn unnamed() -> String {
    "gold".to_owned()
}

/// Reads the gold, restricted to the given data sets (all if there are none).
pub(in crate::commands) fn gold(path: &Path, datasets: &[String]) -> anyhow::Result<GoldFile> {
    let bytes = bytes(path)?;
    let digest = HEXLOWER.encode(&Sha256::digest(&bytes));
    let lines: Vec<GoldLine> = json_lines(path, &bytes)?;
    let known: BTreeSet<&str> = lines.iter().map(|line| line.dataset.as_str()).collect();
    for name in datasets {
        ensure!(
            known.contains(name.as_str()),
            "{} has no data set {name:?}; it has {}",
            path.display(),
            known.iter().copied().collect::<Vec<_>>().join(", ")
        );
    }
    let wanted = |line: &GoldLine| datasets.is_empty() || datasets.contains(&line.dataset);
    let pages: Vec<GoldPage> = lines.into_iter().filter(wanted).map(GoldLine::into_page).collect();
    ensure!(!pages.is_empty(), "{} has no page", path.display());
    Ok(GoldFile { path: path.to_owned(), digest, datasets: datasets.to_vec(), pages })
}

impl GoldLine {
    fn into_page(self) -> GoldPage {
        let host = || url::Url::parse(&self.url).ok()?.host_str().map(str::to_owned);
        GoldPage {
            site: self.site.clone().or_else(host).unwrap_or_else(|| self.url.clone()),
            url: self.url,
            dataset: self.dataset,
            template: self.template,
            text: self.gold_text,
            title: self.gold_title,
            authors: OneOrMany::many(self.gold_author),
            date: self.gold_date,
            page_title: self.page_title,
            optional: OneOrMany::many(self.gold_optional),
            // Other gold may have other types.
            page_type: self.page_type.and_then(|name| name.parse().ok()),
            nodes: self.gold_nodes.unwrap_or_default().iter().map(node_key).collect(),
        }
    }
}

/// Reads the runs given on the command line; their names must be unique.
pub(super) fn runs(specs: &[String]) -> anyhow::Result<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    for spec in specs {
        let (name, path) = name_and_path(spec);
        if let Some(other) = runs.iter().find(|run| run.name == name) {
            let (a, b) = (other.path.display(), path.display());
            bail!("{a} and {b} are both called {name:?}: name them apart as NAME=PATH");
        }
        runs.push(run(name, path)?);
    }
    Ok(runs)
}

fn run(name: String, path: PathBuf) -> anyhow::Result<Run> {
    let path = if path.is_dir() { articles_of(&path)?.path().to_owned() } else { path };
    let lines: Vec<RunLine> = json_lines(&path, &bytes(&path)?)?;
    let mut run =
        Run { name, path, records: lines.len(), duplicates: 0, pages: FxHashMap::default() };
    for line in lines {
        if run.pages.contains_key(&line.url) {
            run.duplicates += 1;
            continue;
        }
        let page = RunPage {
            text: line.text.unwrap_or_default(),
            nodes: line.nodes.unwrap_or_default().iter().map(node_key).collect(),
            seconds: line.seconds,
            title: line.title,
            authors: OneOrMany::many(line.authors),
            published: line.published,
            fetched: line.fetched,
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

/// A node key of the gold or a run: strings and numbers are equivalent.
fn node_key(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The contents of a file, decompressed if it is gzip or zstd.
fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut file =
        crate::lines::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut plain = Vec::new();
    file.read_to_end(&mut plain).with_context(|| format!("{} is not whole", path.display()))?;
    Ok(plain)
}

fn json_lines<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> anyhow::Result<Vec<T>> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    lines
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(at, line)| {
            serde_json::from_slice(line)
                .with_context(|| format!("{}, line {}", path.display(), at + 1))
        })
        .collect()
}
