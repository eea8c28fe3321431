//! The outputs by name, and their settings.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use duplicates::Describer;
use grouping::Tracking;
use model::{PageType, RightsStatement, named};
use serde::{Deserialize, Serialize};
use sink::{BulkDialect, CsvStart, LineStorage, WarcContent};

use crate::files::sha256_of;

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

/// Which parts of articles an output contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputContents {
    /// All fields.
    Record,
    /// Some fields, including the HTML.
    Html,
    /// Some fields, without HTML and Markdown.
    Text,
}

/// Declares the outputs: name, files in a run folder (the main one first), contents, and size in thousandths of the HTML, from
/// a run with all outputs over 2,123 real pages.
macro_rules! outputs {
    ($($(#[$doc:meta])* $sink:ident: $name:literal, $files:expr, $contents:ident, $size:literal;)*) => {
        named! {
        /// An output that can be chosen (`--sinks`, `emit.sinks`), in the order they are written.
        pub enum SinkName { $($(#[$doc])* $sink => $name,)* }
        }

        impl SinkName {
            /// All files that it may write to a run folder, with any settings; the main file first.
            pub fn files(self) -> &'static [&'static str] {
                match self { $(Self::$sink => &$files,)* }
            }

            /// Its size, in thousandths of the size of the HTML of the pages.
            pub fn size_per_thousand(self) -> u64 {
                match self { $(Self::$sink => $size,)* }
            }

            fn contents(self) -> OutputContents {
                match self { $(Self::$sink => OutputContents::$contents,)* }
            }
        }
    };
}

outputs! {
    /// `articles.jsonl`.
    Jsonl: "jsonl", ["articles.jsonl", "articles.jsonl.zst"], Record, 143;
    /// `articles.csv`.
    Csv: "csv", ["articles.csv"], Text, 44;
    /// `articles.parquet`.
    Parquet: "parquet", ["articles.parquet"], Record, 40;
    /// `articles.bulk.ndjson`.
    Bulk: "bulk", ["articles.bulk.ndjson"], Record, 143;
    /// `articles.warc.gz` and its index, `articles.cdxj`.
    Warc: "warc", ["articles.warc.gz", "articles.cdxj"], Html, 50;
    /// `archive.sqlite`, or an archive elsewhere.
    Sqlite: "sqlite", ["archive.sqlite"], Html, 135;
    /// `index/`, or a folder elsewhere.
    Index: "index", ["index"], Text, 44;
    /// A data set of articles, in a folder elsewhere.
    Dataset: "dataset", [], Record, 40;
    /// `site-config/HOST.txt`.
    SiteConfig: "siteconfig", ["site-config"], Text, 1;
    /// `report/`: figures of each site. The crate `report` makes the HTML page from them at the end of the run.
    Report: "report", ["report/index.html"], Text, 1;
}

impl SinkName {
    /// Whether it can contain the HTML of articles.
    pub fn has_html(self) -> bool {
        self.contents() != OutputContents::Text
    }

    /// Whether it can contain articles as Markdown, as outputs with all fields do.
    pub fn has_markdown(self) -> bool {
        self.contents() == OutputContents::Record
    }

    /// Whether it can contain the passages of articles.
    pub fn has_passages(self) -> bool {
        self.has_markdown() || matches!(self, Self::Index | Self::Warc)
    }
}

impl SinkName {
    /// The files that it writes to the run folder with these settings; none if it writes elsewhere.
    pub fn written(self, config: &EmitConfig) -> &'static [&'static str] {
        match self {
            Self::Jsonl if config.jsonl == LineStorage::Zstd => &self.files()[1..],
            Self::Jsonl => &self.files()[..1],
            _ if !self.is_in_run_folder(config) => &[],
            _ => self.files(),
        }
    }

    /// The file or folder that it writes; the first one if there are several.
    pub fn path(self, folder: &Path, config: &EmitConfig) -> PathBuf {
        match (self, self.written(config)) {
            (_, [first, ..]) => folder.join(first),
            (Self::Index, []) => config.index.clone(),
            (Self::Dataset, []) => {
                config.dataset_made_in.as_ref().unwrap_or(&config.dataset).clone()
            }
            (_, []) => config.archive.clone(),
        }
    }

    /// Whether its files are in the run folder and belong to this run only.
    pub fn is_in_run_folder(self, config: &EmitConfig) -> bool {
        match self {
            Self::Sqlite => config.archive.as_os_str().is_empty(),
            Self::Index => config.index.as_os_str().is_empty(),
            Self::Dataset => false,
            _ => true,
        }
    }

    /// Name of its file in the run folder, for messages.
    pub fn shown(self, config: &EmitConfig) -> String {
        let file = self.path(Path::new(""), config).display().to_string();
        if matches!(self, Self::Index | Self::Dataset | Self::SiteConfig) {
            file + "/"
        } else {
            file
        }
    }
}

impl fmt::Display for SinkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A list of sinks on the command line: `jsonl,csv`, or `all`.
#[derive(Clone, Debug, PartialEq)]
pub struct SinkList(pub Vec<SinkName>);

impl FromStr for SinkList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "all" {
            // A data set needs a folder, which an option of its own names.
            let others = SinkName::ALL.into_iter().filter(|name| *name != SinkName::Dataset);
            return Ok(Self(others.collect()));
        }
        let one = |name: &str| {
            SinkName::parse(name).ok_or_else(|| {
                let known = SinkName::ALL.map(SinkName::as_str).join(", ");
                format!("there is no output `{name}`; give some of {known}; or all, alone")
            })
        };
        text.split(',').map(str::trim).map(one).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_sinks() {
        assert_eq!("csv, jsonl".parse(), Ok(SinkList(vec![SinkName::Csv, SinkName::Jsonl])));
        let all = "all".parse::<SinkList>().unwrap().0;
        assert_eq!(all.len(), SinkName::ALL.len() - 1);
        assert!(!all.contains(&SinkName::Dataset), "it needs a folder");
        let error = "jsonl,xml".parse::<SinkList>().unwrap_err();
        assert!(error.contains("`xml`") && error.contains("csv"), "{error}");
    }
}
