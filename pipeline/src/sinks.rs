//! The outputs of a run that can be chosen, by name.

use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sink::{CsvSink, JsonlSink, Sink, SinkError, SiteConfigSink, SiteRowsSink};

use crate::config::EmitConfig;
use crate::report;

/// An output that can be chosen (`--sinks`, `emit.sinks`).
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SinkName {
    /// `articles.jsonl`.
    Jsonl,
    /// `articles.csv`.
    Csv,
    /// `site-config/HOST.txt`.
    SiteConfig,
    /// `report/`: the figures of each site; once the run's own are known, the page with all of them
    /// is drawn from these ([`crate::report`]).
    Report,
}

impl SinkName {
    /// All of them, in the order they are written.
    pub const ALL: [Self; 4] = [Self::Jsonl, Self::Csv, Self::SiteConfig, Self::Report];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::SiteConfig => "siteconfig",
            Self::Report => "report",
        }
    }

    /// What it writes in a run folder.
    pub fn file(self) -> &'static str {
        match self {
            Self::Jsonl => "articles.jsonl",
            Self::Csv => "articles.csv",
            Self::SiteConfig => "site-config/",
            Self::Report => report::FILE,
        }
    }

    /// Opens it for a run folder.
    ///
    /// # Errors
    /// If its files cannot be created.
    pub fn open(self, folder: &Path, _config: &EmitConfig) -> Result<Box<dyn Sink>, SinkError> {
        let path = folder.join(self.file());
        Ok(match self {
            Self::Jsonl => Box::new(JsonlSink::create(&path)?),
            Self::Csv => Box::new(CsvSink::create(&path)?),
            Self::SiteConfig => Box::new(SiteConfigSink::create(&path)?),
            Self::Report => Box::new(SiteRowsSink::create(&report::folder_of(folder))?),
        })
    }

    /// Removes what an earlier run wrote here, as a run does that does not choose this sink: what
    /// lies in a run folder is all of one run.
    pub fn remove_from(self, folder: &Path) {
        let path = folder.join(self.file());
        if self == Self::SiteConfig {
            return SiteConfigSink::remove(&path);
        }
        // A leftover that cannot be removed harms nobody.
        let _ = fs::remove_file(path);
        if self == Self::Report {
            report::remove_from(folder);
        }
    }
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
            return Ok(Self(SinkName::ALL.to_vec()));
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

    #[test]
    fn lists_of_sinks() {
        assert_eq!("csv, jsonl".parse(), Ok(SinkList(vec![SinkName::Csv, SinkName::Jsonl])));
        assert_eq!("all".parse::<SinkList>().unwrap().0.len(), SinkName::ALL.len());
        let error = "jsonl,xml".parse::<SinkList>().unwrap_err();
        assert!(error.contains("`xml`") && error.contains("csv"), "{error}");
    }
}
