//! Settings of the outputs.

use std::path::PathBuf;

use model::PageType;
use serde::{Deserialize, Serialize};
use sink::BulkDialect;

use crate::digests::sha256_of;
use crate::sink_name::SinkName;

/// Settings of the emit stage.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EmitConfig {
    /// Outputs to write.
    pub sinks: Vec<SinkName>,
    /// Types of the pages that are written; all if empty.
    pub page_types: Vec<PageType>,
    /// Whether outputs with every field of an article include it as Markdown.
    pub markdown: bool,
    /// Contents of the records of `articles.warc.gz`.
    pub warc: WarcBlocks,
    /// File of the archive that `sqlite` adds to; empty for the one in the run folder.
    pub archive: PathBuf,
    /// How `articles.jsonl` is stored.
    pub jsonl: JsonlForm,
    /// Start of `articles.csv`.
    pub csv: CsvForm,
    /// Dialect of `articles.bulk.ndjson`.
    pub bulk: BulkDialect,
    /// Folder of an index that grows from run to run; empty for one in the run folder.
    pub index: PathBuf,
    /// Memory limit for building the index, in bytes.
    pub index_memory: usize,
}

/// Contents of the records of a WARC of articles.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WarcBlocks {
    /// The HTML fragment.
    Html,
    /// The plain text.
    Text,
}

/// How `articles.jsonl` is stored.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JsonlForm {
    /// Uncompressed.
    Plain,
    /// As zstd frames.
    Zstd,
}

/// Start of `articles.csv`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CsvForm {
    /// With its header.
    Plain,
    /// With a byte order mark.
    Mark,
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

    /// Whether a chosen output contains the HTML of articles; otherwise it is not made.
    pub fn wants_html(&self) -> bool {
        self.sinks.iter().any(|name| name.has_html(self))
    }

    /// Whether a chosen output contains articles as Markdown.
    pub fn wants_markdown(&self) -> bool {
        self.markdown && self.sinks.iter().any(|name| name.has_markdown())
    }
}
