//! The outputs of a run that can be chosen, by name.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sink::{
    CsvSink, JsonlSink, Sink, SinkError, SiteConfigSink, SiteRowsSink, WarcContent, WarcSink,
};

use crate::config::{Config, EmitConfig, WarcBlocks};
use crate::report;

/// An output that can be chosen (`--sinks`, `emit.sinks`).
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SinkName {
    /// `articles.jsonl`.
    Jsonl,
    /// `articles.csv`.
    Csv,
    /// `articles.warc.gz` and its index, `articles.cdxj`.
    Warc,
    /// `archive.sqlite`, or another archive of articles.
    Sqlite,
    /// `site-config/HOST.txt`.
    SiteConfig,
    /// `report/`: the figures of each site; once the run's own are known, the page with all of them
    /// is drawn from these ([`crate::report`]).
    Report,
}

impl SinkName {
    /// All of them, in the order they are written.
    pub const ALL: [Self; 6] =
        [Self::Jsonl, Self::Csv, Self::Warc, Self::Sqlite, Self::SiteConfig, Self::Report];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Warc => "warc",
            Self::Sqlite => "sqlite",
            Self::SiteConfig => "siteconfig",
            Self::Report => "report",
        }
    }

    /// What it writes in a run folder.
    pub fn file(self) -> &'static str {
        match self {
            Self::Jsonl => "articles.jsonl",
            Self::Csv => "articles.csv",
            Self::Warc => "articles.warc.gz",
            Self::Sqlite => "archive.sqlite",
            Self::SiteConfig => "site-config/",
            Self::Report => report::FILE,
        }
    }

    /// The file it writes.
    pub fn path(self, folder: &Path, config: &EmitConfig) -> PathBuf {
        match self {
            Self::Sqlite if !config.archive.as_os_str().is_empty() => config.archive.clone(),
            _ => folder.join(self.file()),
        }
    }

    /// Whether it has the HTML of articles, with these settings.
    pub fn has_html(self, config: &EmitConfig) -> bool {
        match self {
            Self::Csv | Self::SiteConfig | Self::Report => false,
            Self::Warc => config.warc == WarcBlocks::Html,
            _ => true,
        }
    }

    /// Whether this build has it.
    pub fn is_built(self) -> bool {
        self != Self::Sqlite || cfg!(feature = "sqlite")
    }

    /// Opens it for a run folder.
    ///
    /// # Errors
    /// If its files cannot be created.
    pub fn open(self, folder: &Path, config: &Config) -> Result<Box<dyn Sink>, SinkError> {
        let path = self.path(folder, &config.emit);
        Ok(match self {
            Self::Jsonl => Box::new(JsonlSink::create(&path)?),
            Self::Csv => Box::new(CsvSink::create(&path)?),
            Self::Warc => {
                let content = match config.emit.warc {
                    WarcBlocks::Html => WarcContent::Html,
                    WarcBlocks::Text => WarcContent::Text,
                };
                Box::new(WarcSink::create(&path, &folder.join(CDXJ), content)?)
            }
            #[cfg(feature = "sqlite")]
            Self::Sqlite => Box::new(sink::VersionsSink::open(&path, article_key(config))?),
            #[cfg(not(feature = "sqlite"))]
            Self::Sqlite => {
                let source = std::io::Error::other(LEFT_OUT);
                return Err(SinkError { what: "cannot write", path, source });
            }
            Self::SiteConfig => Box::new(SiteConfigSink::create(&path)?),
            Self::Report => Box::new(SiteRowsSink::create(&report::folder_of(folder))?),
        })
    }

    /// Removes what an earlier run wrote here, as a run does that does not choose this sink: what
    /// lies in a run folder is all of one run. An archive of articles is of many runs, and stays.
    pub fn remove_from(self, folder: &Path) {
        let path = folder.join(self.file());
        match self {
            Self::Sqlite => return,
            Self::SiteConfig => return SiteConfigSink::remove(&path),
            _ => {}
        }
        // A leftover that cannot be removed harms nobody.
        let _ = fs::remove_file(path);
        if self == Self::Report {
            report::remove_from(folder);
        }
        if self == Self::Warc {
            let _ = fs::remove_file(folder.join(CDXJ));
        }
    }
}

/// The index of `articles.warc.gz`.
const CDXJ: &str = "articles.cdxj";

/// Said where an archive of articles is asked of a build without SQLite.
pub const LEFT_OUT: &str = "archives of articles (sqlite) are left out of this build: it was made without the cargo feature `sqlite`";

/// The form of an address by which an archive knows an article.
#[cfg(feature = "sqlite")]
pub fn article_key(config: &Config) -> sink::KeyOf {
    let tracking = crate::urls::Tracking::new(&config.group.tracking_parameters);
    std::sync::Arc::new(move |url| tracking.key(url).unwrap_or_else(|| url.to_owned()))
}

impl fmt::Display for SinkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Several sinks, as the command line names them: `jsonl,csv`, or `all`.
#[derive(Clone, Debug, PartialEq)]
pub struct SinkList(pub Vec<SinkName>);

impl FromStr for SinkList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "all" {
            let built = SinkName::ALL.into_iter().filter(|name| name.is_built());
            return Ok(Self(built.collect()));
        }
        let known = || SinkName::ALL.map(SinkName::as_str).join(", ");
        let one = |name: &str| {
            let found = SinkName::ALL.into_iter().find(|sink| sink.as_str() == name);
            found.ok_or_else(|| format!("there is no sink `{name}`; choose from {}, all", known()))
        };
        text.split(',').map(str::trim).map(one).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_BUILT: usize = SinkName::ALL.len() - !cfg!(feature = "sqlite") as usize;

    #[test]
    fn lists_of_sinks() {
        assert_eq!("csv, jsonl".parse(), Ok(SinkList(vec![SinkName::Csv, SinkName::Jsonl])));
        assert_eq!("all".parse::<SinkList>().unwrap().0.len(), ALL_BUILT);
        let error = "jsonl,xml".parse::<SinkList>().unwrap_err();
        assert!(error.contains("`xml`") && error.contains("csv"), "{error}");
    }
}
