//! The outputs of a run that can be chosen, by name.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use index::{IndexSink, is_index};
use serde::{Deserialize, Serialize};
use sink::{BulkSink, CsvSink, JsonlSink, LineStorage, Sink, SinkError};

use crate::config::{CsvForm, EmitConfig, JsonlForm, without_detours};

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
    /// `index/`, or a folder of its own.
    Index,
}

impl SinkName {
    /// All of them, in the order they are written.
    pub const ALL: [Self; 5] = [Self::Jsonl, Self::Csv, Self::Parquet, Self::Bulk, Self::Index];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Bulk => "bulk",
            Self::Index => "index",
        }
    }

    /// Whether this build can write it: some outputs are left out of lean builds.
    pub fn is_built_in(self) -> bool {
        self != Self::Parquet || cfg!(feature = "parquet")
    }

    /// All that it may write in a run folder, with whatever settings.
    fn files(self) -> &'static [&'static str] {
        match self {
            Self::Jsonl => &["articles.jsonl", "articles.jsonl.zst"],
            Self::Csv => &["articles.csv"],
            Self::Parquet => &["articles.parquet"],
            Self::Bulk => &["articles.bulk.ndjson"],
            Self::Index => &["index"],
        }
    }

    /// What it writes in a run folder; nothing if it writes elsewhere.
    fn file(self, config: &EmitConfig) -> Option<&'static str> {
        match self {
            Self::Jsonl if config.jsonl == JsonlForm::Zstd => Some("articles.jsonl.zst"),
            Self::Index if !config.index.as_os_str().is_empty() => None,
            _ => self.files().first().copied(),
        }
    }

    /// What it writes, as people are told of it.
    pub fn shown(self, config: &EmitConfig) -> String {
        match self.file(config) {
            Some(file) if self == Self::Index => format!("{file}/"),
            Some(file) => file.to_owned(),
            None => config.index.display().to_string(),
        }
    }

    /// Opens it for a run folder.
    ///
    /// # Errors
    /// If its files cannot be created.
    pub fn open(self, folder: &Path, config: &EmitConfig) -> Result<Box<dyn Sink>, SinkError> {
        let path = self.file(config).map_or_else(PathBuf::new, |file| folder.join(file));
        Ok(match self {
            Self::Jsonl => {
                let storage = match config.jsonl {
                    JsonlForm::Plain => LineStorage::Plain,
                    JsonlForm::Zstd => LineStorage::Zstd,
                };
                Box::new(JsonlSink::create(&path, storage)?)
            }
            Self::Csv => Box::new(CsvSink::create(&path, config.csv == CsvForm::Mark)?),
            Self::Parquet => parquet(&path)?,
            Self::Bulk => Box::new(BulkSink::create(&path, config.bulk)?),
            Self::Index if config.index.as_os_str().is_empty() => {
                Box::new(IndexSink::replacing(&path, config.index_memory)?)
            }
            Self::Index => Box::new(IndexSink::growing(&config.index, config.index_memory)?),
        })
    }

    /// Removes what an earlier run wrote here and this one, if it chose this sink, does not replace:
    /// what lies in a run folder is all of one run. An index that grows lies elsewhere and stays.
    pub fn remove_stale(self, folder: &Path, config: &EmitConfig) {
        let written = config.chosen().contains(&self).then(|| self.file(config)).flatten();
        for name in self.files().iter().filter(|name| Some(**name) != written) {
            let path = folder.join(name);
            // A leftover that cannot be removed harms nobody.
            let _ = match self {
                Self::Index if is_index(&path) => fs::remove_dir_all(path),
                Self::Index => Ok(()),
                _ => fs::remove_file(path),
            };
        }
    }
}

#[cfg(feature = "parquet")]
fn parquet(path: &Path) -> Result<Box<dyn Sink>, SinkError> {
    Ok(Box::new(sink::ParquetSink::create(path)?))
}

/// Checked before a run begins; said here all the same.
#[cfg(not(feature = "parquet"))]
fn parquet(path: &Path) -> Result<Box<dyn Sink>, SinkError> {
    let source = std::io::Error::other(LEFT_OUT);
    Err(SinkError { what: "cannot write", path: path.to_owned(), source })
}

/// Why a build cannot write an output.
const LEFT_OUT: &str = "it is left out of this build; build with `--features parquet`";

impl EmitConfig {
    /// Checks what can be known before any work.
    ///
    /// # Errors
    /// If an output is left out of this build, the index has too little memory, or an index that
    /// grows would lie in the run folder, whose files are all of one run.
    pub fn check(&self, run: &Path) -> anyhow::Result<()> {
        if let Some(name) = self.chosen().into_iter().find(|name| !name.is_built_in()) {
            anyhow::bail!("cannot write the output `{name}`: {LEFT_OUT}");
        }
        if !self.chosen().contains(&SinkName::Index) {
            return Ok(());
        }
        let (memory, least) = (self.index_memory, index::MIN_MEMORY);
        if memory < least {
            anyhow::bail!("emit.index_memory is {memory}; an index takes at least {least} bytes");
        }
        let whole = |path: &Path| without_detours(&std::path::absolute(path).unwrap_or_default());
        if !self.index.as_os_str().is_empty() && whole(&self.index).starts_with(whole(run)) {
            let (index, run) = (self.index.display(), run.display());
            anyhow::bail!(
                "the index {index} (emit.index) lies in the run folder {run}, whose files are \
                 replaced by the next run; name a folder elsewhere, or none for an index of this \
                 run only"
            );
        }
        Ok(())
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
            let all = SinkName::ALL.into_iter().filter(|name| name.is_built_in());
            return Ok(Self(all.collect()));
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
        let all = "all".parse::<SinkList>().unwrap().0;
        assert_eq!(all.len(), SinkName::ALL.into_iter().filter(|n| n.is_built_in()).count());
        let error = "jsonl,xml".parse::<SinkList>().unwrap_err();
        assert!(error.contains("`xml`") && error.contains("csv"), "{error}");
    }
}
