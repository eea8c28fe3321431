//! Settings of the outputs.

use std::path::PathBuf;

use clap::ValueEnum;
use duplicates::Describer;
use grouping::Tracking;
use model::{PageType, RightsStatement};
use serde::{Deserialize, Serialize};
use sink::{BulkDialect, CsvStart, LineStorage, WarcContent};

use crate::files::sha256_of;
use crate::sink_name::SinkName;

/// Settings of the emit stage.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EmitConfig {
    /// Outputs to write.
    pub sinks: Vec<SinkName>,
    /// Types of the pages that are written; all if empty.
    pub page_types: Vec<PageType>,
    /// Articles are left out if their page or its server says one of these.
    pub skip: Vec<RightsStatement>,
    /// Whether outputs with every field of an article include it as Markdown.
    pub markdown: bool,
    /// Most words of the passages that articles are divided into; 0 for no passages.
    pub passages: u32,
    /// Contents of the records of `articles.warc.gz`.
    pub warc: WarcContent,
    /// File of the archive that `sqlite` adds to; empty for the one in the run folder.
    pub archive: PathBuf,
    /// How `articles.jsonl` is stored.
    pub jsonl: LineStorage,
    /// Start of `articles.csv`.
    pub csv: CsvStart,
    /// Dialect of `articles.bulk.ndjson`.
    pub bulk: BulkDialect,
    /// Folder of an index that grows from run to run; empty for one in the run folder.
    pub index: PathBuf,
    /// Memory limit for building the index, in bytes.
    pub index_memory: usize,
    /// What is done with articles that are the same as others of the crawl.
    pub duplicates: Duplicates,
    /// Minimum similarity of texts that are the same without further evidence.
    pub duplicate_similarity: f64,
    /// Whether to look for text that articles of several sites share, and to remove boilerplate among it.
    pub find_shared_text: bool,
    /// Folder of a data set of articles that grows from run to run, or its address; empty for none.
    pub dataset: PathBuf,
    /// The folder in which the files of a data set at an address are made.
    #[serde(skip)]
    pub dataset_made_in: Option<PathBuf>,
    /// Whether articles whose addresses are gone are removed from the index instead of marked.
    pub forget_gone: bool,
}

/// What is done with articles that are the same as others of the crawl.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Duplicates {
    /// Mark them, and leave them out of indexes and archives of articles
    #[default]
    Flag,
    /// Drop them
    Drop,
    /// Do not look for them
    Keep,
}

impl EmitConfig {
    /// The chosen outputs, each once, in the order they are written.
    pub fn chosen(&self) -> Vec<SinkName> {
        SinkName::ALL.into_iter().filter(|name| self.sinks.contains(name)).collect()
    }

    /// SHA-256 of these settings, in hex.
    pub fn hash(&self) -> String {
        let decisive = Self { sinks: self.chosen(), ..self.clone() };
        sha256_of(&serde_json::to_string(&decisive).unwrap_or_default())
    }

    /// Describes articles for finding duplicates among them, with the tracking parameters of a crawl; `None` if
    /// neither duplicates nor shared text are looked for.
    pub fn describer(&self, tracking: &[String]) -> Option<Describer> {
        let describer = || Describer::new(Tracking::new(tracking));
        (self.duplicates != Duplicates::Keep || self.find_shared_text).then(describer)
    }

    /// Whether a chosen output contains the HTML of articles; otherwise it is not made.
    pub fn wants_html(&self) -> bool {
        self.sinks.iter().any(|name| {
            (*name != SinkName::Warc || self.warc == WarcContent::Html) && name.has_html()
        })
    }

    /// Whether a chosen output contains articles as Markdown.
    pub fn wants_markdown(&self) -> bool {
        self.markdown && self.sinks.iter().any(|name| name.has_markdown())
    }

    /// Most words of the passages of articles, if a chosen output contains them; else 0.
    pub fn words_of_passages(&self) -> u32 {
        if self.sinks.iter().any(|name| name.has_passages()) { self.passages } else { 0 }
    }
}
