//! The gold: pages whose text is known, as JSON lines, plain, gzip or zstd.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use config::corrections::read_corrections;
use data_encoding::HEXLOWER;
use model::{PageType, TemplateCorrection};
use score::neutral::OptionalText;
use score::{Gold, MeasureKind, Neutral, Output, QualityMeasure, Score};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use sitemodel::corrections::Corrections;

use crate::fields::{FieldValues, read_list};

pub(crate) struct GoldFile {
    pub(crate) path: PathBuf,
    /// SHA-256 of the whole file, decompressed, in hexadecimal.
    pub(crate) digest: String,
    /// The requested data sets; empty for all.
    pub(crate) datasets: Vec<String>,
    pub(crate) pages: Vec<GoldPage>,
}

/// The pages of a measurement, and what is known of them.
#[derive(Args, Clone, Debug)]
pub(crate) struct GoldArgs {
    /// WARC files, HTML files, folders or globs with the pages of the gold
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// JSONL file (also .gz) of pages with url, dataset, template, site, gold_text, gold_title, page_title, gold_optional,
    /// page_type
    #[arg(long, value_name = "FILE")]
    pub(crate) gold: PathBuf,
    /// Only these data sets of the gold, comma-separated
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) datasets: Vec<String>,
}

#[derive(Default)]
pub(crate) struct GoldPage {
    pub(crate) url: String,
    pub(crate) dataset: String,
    pub(crate) template: Option<String>,
    pub(crate) site: String,
    pub(crate) text: String,
    /// Metadata as written in the gold: authors may be names, a list in one string, a byline.
    pub(crate) fields: FieldValues,
    pub(crate) page_title: Option<String>,
    pub(crate) optional: Vec<String>,
    /// The type of the page, if the gold states it.
    pub(crate) page_type: Option<PageType>,
    pub(crate) nodes: Vec<String>,
    /// Marked blocks, if the page has marks instead of a text.
    pub(crate) marks: Option<TemplateCorrection>,
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
    gold_summary: Option<String>,
    #[serde(default, deserialize_with = "read_list")]
    gold_author: Vec<String>,
    gold_date: Option<String>,
    page_title: Option<String>,
    #[serde(default, deserialize_with = "read_list")]
    gold_optional: Vec<String>,
    gold_nodes: Option<Vec<Value>>,
    page_type: Option<String>,
}

/// The data set of gold lines without one.
fn unnamed() -> String {
    "gold".to_owned()
}

/// Reads the gold, restricted to the given data sets (all if there are none).
pub(crate) fn read_gold(path: &Path, datasets: &[String]) -> anyhow::Result<GoldFile> {
    let bytes = read_file(path)?;
    let digest = HEXLOWER.encode(&Sha256::digest(&bytes));
    let lines: Vec<GoldLine> = parse_lines(path, &bytes)?;
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
            fields: FieldValues {
                title: self.gold_title,
                subtitle: self.gold_summary,
                authors: self.gold_author,
                published: self.gold_date,
                ..FieldValues::default()
            },
            page_title: self.page_title,
            optional: self.gold_optional,
            // Other gold may use types that are unknown here.
            page_type: self.page_type.and_then(|name| name.parse().ok()),
            nodes: self.gold_nodes.unwrap_or_default().iter().map(node_key).collect(),
            marks: None,
        }
    }
}

/// Reads corrections as pages of gold: pages with corrected texts, or with marked blocks.
pub(crate) fn pages_of_corrections(paths: &[PathBuf]) -> anyhow::Result<Vec<GoldPage>> {
    let (mut articles, mut pages) = (BTreeMap::new(), Vec::new());
    let page = |url: &str, text: &str, marks: Option<TemplateCorrection>| GoldPage {
        url: url.to_owned(),
        dataset: "corrections".to_owned(),
        site: grouping::site_key(url).unwrap_or_default(),
        text: text.to_owned(),
        marks,
        ..GoldPage::default()
    };
    let (of_articles, of_templates) = read_corrections(paths.iter().map(PathBuf::as_path))?;
    for correction in of_articles.all {
        if let Some(text) = correction.values.text {
            articles.insert(correction.url, text);
        }
    }
    pages.extend(articles.iter().map(|(url, text)| page(url, text, None)));
    for correction in of_templates.iter().flat_map(Corrections::all) {
        pages.push(page(&correction.url, "", Some(correction.clone())));
    }
    ensure!(
        paths.is_empty() || !pages.is_empty(),
        "the corrections have neither texts nor marked blocks, from which weights are learnt"
    );
    Ok(pages)
}

impl GoldPage {
    /// The expected result for the page; `fields` are the bylines, dates and captions to ignore.
    pub(crate) fn as_gold<'a>(&'a self, fields: &'a [String]) -> Gold<'a> {
        let aside = OptionalText {
            title: self.fields.title.as_deref(),
            page_title: self.page_title.as_deref(),
            optional: &self.optional,
            fields,
        };
        Gold { text: &self.text, aside, nodes: &self.nodes }
    }

    /// The score of a text by title-neutral pairs of words, as in the Forest paper; `None` if there is no gold to count.
    pub(crate) fn score_pairs(&self, text: &str) -> Option<Score> {
        let pairs = QualityMeasure { kind: MeasureKind::Pairs, neutral: Neutral::Titles };
        score::score(&self.as_gold(&[]), &Output { text, nodes: &[] }, &[pairs])[0]
    }
}

/// The pages of the gold by address; the first one, if several have the same address.
pub(crate) fn pages_by_url(gold: &[GoldPage]) -> BTreeMap<&str, &GoldPage> {
    // Iterates in reverse, because the page inserted last stays.
    gold.iter().rev().map(|page| (page.url.as_str(), page)).collect()
}

/// Reads a file, decompressed if it is gzip or zstd.
pub(crate) fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut file = sitegrove::results::open(path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let mut plain = Vec::new();
    file.read_to_end(&mut plain).with_context(|| format!("{} is not whole", path.display()))?;
    Ok(plain)
}

/// Parses each line of a file as JSON; empty lines are skipped.
pub(crate) fn parse_lines<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
) -> anyhow::Result<Vec<T>> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    lines
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(at, line)| {
            serde_json::from_slice(line)
                .with_context(|| format!("{}, line {}", path.display(), at + 1))
        })
        .collect()
}

/// A node key of the gold or a run: strings and numbers are equivalent.
pub(crate) fn node_key(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
