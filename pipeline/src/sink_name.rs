//! Outputs by name.

use serde::{Deserialize, Serialize};

/// What an output has of articles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputContents {
    /// Every field.
    Record,
    /// Some fields, also the HTML.
    Html,
    /// Some fields, without HTML and Markdown.
    Text,
}

/// Declares the outputs: name, files in a run folder (the main one first), contents, and size in thousandths of the HTML, from
/// a run with all outputs over 2,123 real pages.
macro_rules! outputs {
    ($($(#[$doc:meta])* $sink:ident: $name:literal, $files:expr, $contents:ident, $size:literal;)*) => {
        /// An output that can be chosen (`--sinks`, `emit.sinks`).
        #[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
        pub enum SinkName {
            $($(#[$doc])* #[serde(rename = $name)] $sink,)*
        }

        impl SinkName {
            /// All of them, in the order they are written.
            pub const ALL: &[Self] = &[$(Self::$sink),*];

            /// Its name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$sink => $name,)* }
            }

            /// Everything that it may write in a run folder, with any settings; the main file first.
            pub fn files(self) -> &'static [&'static str] {
                match self { $(Self::$sink => &$files,)* }
            }

            /// Its size, in thousandths of the HTML of the pages.
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
    /// `archive.sqlite`, or another archive of articles.
    Sqlite: "sqlite", ["archive.sqlite"], Html, 135;
    /// `index/`, or a folder of its own.
    Index: "index", ["index"], Text, 44;
    /// A data set of articles, in a folder of its own.
    Dataset: "dataset", [], Record, 40;
    /// `site-config/HOST.txt`.
    SiteConfig: "siteconfig", ["site-config"], Text, 1;
    /// `report/`: the figures of each site. The HTML page is made from them at the end of the run (crate `report`).
    Report: "report", ["report/index.html"], Text, 1;
}

impl SinkName {
    /// Whether it may have the HTML of articles.
    pub fn has_html(self) -> bool {
        self.contents() != OutputContents::Text
    }

    /// Whether it can contain articles as Markdown: outputs with every field do.
    pub fn has_markdown(self) -> bool {
        self.contents() == OutputContents::Record
    }
}
