//! Outputs by name.

use serde::{Deserialize, Serialize};

/// An output that can be chosen (`--sinks`, `emit.sinks`).
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SinkName {
    /// `articles.jsonl`.
    Jsonl,
    /// `articles.csv`.
    Csv,
    /// `articles.parquet`.
    Parquet,
    /// `articles.bulk.ndjson`.
    Bulk,
    /// `articles.warc.gz` and its index, `articles.cdxj`.
    Warc,
    /// `archive.sqlite`, or another archive of articles.
    Sqlite,
    /// `index/`, or a folder of its own.
    Index,
    /// A data set of articles, in a folder of its own.
    Dataset,
    /// `site-config/HOST.txt`.
    SiteConfig,
    /// `report/`: the figures of each site. The HTML page is made from them at the end of the run
    /// (crate `report`).
    Report,
}

impl SinkName {
    /// All of them, in the order they are written.
    pub const ALL: [Self; 10] = [
        Self::Jsonl,
        Self::Csv,
        Self::Parquet,
        Self::Bulk,
        Self::Warc,
        Self::Sqlite,
        Self::Index,
        Self::Dataset,
        Self::SiteConfig,
        Self::Report,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Bulk => "bulk",
            Self::Warc => "warc",
            Self::Sqlite => "sqlite",
            Self::Index => "index",
            Self::Dataset => "dataset",
            Self::SiteConfig => "siteconfig",
            Self::Report => "report",
        }
    }
}
