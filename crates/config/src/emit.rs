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
    /// Types of pages to write; all if empty.
    pub page_types: Vec<PageType>,
    /// Leaves out articles whose page or server makes one of these statements.
    pub skip: Vec<RightsStatement>,
    /// Whether outputs with every field of an article include it as Markdown.
    pub markdown: bool,
    /// Maximum number of words of a passage; 0 for no passages.
    pub passages: u32,
    /// Contents of the records of `articles.warc.gz`.
    pub warc: WarcContent,
    /// File of the archive that `sqlite` adds to; empty for an archive in the run folder.
    pub archive: PathBuf,
    /// How `articles.jsonl` is stored.
    pub jsonl: LineStorage,
    /// Start of `articles.csv`.
    pub csv: CsvStart,
    /// Dialect of `articles.bulk.ndjson`.
    pub bulk: BulkDialect,
    /// Folder of an index that several runs add to; empty for an index in the run folder.
    pub index: PathBuf,
    /// Memory limit for building the index, in bytes.
    pub index_memory: usize,
    /// What is done with articles that are the same as others of the crawl.
    pub duplicates: Duplicates,
    /// Minimum similarity of the texts of duplicates without further evidence.
    pub duplicate_similarity: f64,
    /// Whether to look for text that articles of several sites share, and to remove the boilerplate in it.
    pub find_shared_text: bool,
    /// Folder or address of a data set that several runs add to; empty for none.
    pub dataset: PathBuf,
    /// Local folder for the files of a data set at an address.
    #[serde(skip)]
    pub dataset_made_in: Option<PathBuf>,
    /// Whether articles whose addresses are gone are removed from the index instead of being marked in it.
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
    /// The chosen outputs, each once, in the order in which they are written.
    pub fn chosen(&self) -> Vec<SinkName> {
        SinkName::ALL.into_iter().filter(|name| self.sinks.contains(name)).collect()
    }

    /// SHA-256 of these settings, in hex.
    pub fn hash(&self) -> String {
        let decisive = Self { sinks: self.chosen(), ..self.clone() };
        sha256_of(&serde_json::to_string(&decisive).unwrap_or_default())
    }

    /// Describes articles to find duplicates and shared text, ignoring these tracking parameters; `None` if neither is looked
    /// for.
    pub fn describer(&self, tracking: &[String]) -> Option<Describer> {
        let describer = || Describer::new(Tracking::new(tracking));
        (self.duplicates != Duplicates::Keep || self.find_shared_text).then(describer)
    }

    /// Whether a chosen output contains the HTML of articles. If none does, the HTML is not made.
    pub fn wants_html(&self) -> bool {
        self.sinks.iter().any(|name| {
            (*name != SinkName::Warc || self.warc == WarcContent::Html) && name.has_html()
        })
    }

    /// Whether a chosen output contains articles as Markdown.
    pub fn wants_markdown(&self) -> bool {
        self.markdown && self.sinks.iter().any(|name| name.has_markdown())
    }

    /// Maximum number of words of a passage; 0 if no chosen output contains passages.
    pub fn words_of_passages(&self) -> u32 {
        if self.sinks.iter().any(|name| name.has_passages()) { self.passages } else { 0 }
    }
}
