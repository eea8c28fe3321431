//! The outputs of a run that can be chosen, by name.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use index::{IndexSink, is_index};
use sink::{
    AtomicFile, DatasetSink, LineStorage, ParquetSink, Sink, SinkError, SiteConfigSink,
    SiteRowsSink, VersionsSink, WarcSink, bulk_file, csv_file, jsonl_file,
};

use crate::config::{Config, EmitConfig};
use crate::error_chain::Problem;
use crate::sink_name::SinkName;
use crate::source::address_of;
use crate::waiting::waiting_for_databases;

impl SinkName {
    /// The files that it writes with these settings; none if it writes elsewhere.
    fn written(self, config: &EmitConfig) -> &'static [&'static str] {
        match self {
            Self::Jsonl if config.jsonl == LineStorage::Zstd => &self.files()[1..],
            Self::Jsonl => &self.files()[..1],
            _ if !self.is_in_run_folder(config) => &[],
            _ => self.files(),
        }
    }

    /// The file or folder that it writes; the first, if there are several.
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

    /// Whether its files belong to this run only and are in the run folder.
    pub fn is_in_run_folder(self, config: &EmitConfig) -> bool {
        match self {
            Self::Sqlite => config.archive.as_os_str().is_empty(),
            Self::Index => config.index.as_os_str().is_empty(),
            Self::Dataset => false,
            _ => true,
        }
    }

    /// The name of its file in the run folder, for messages.
    pub fn shown(self, config: &EmitConfig) -> String {
        let file = self.path(Path::new(""), config).display().to_string();
        if matches!(self, Self::Index | Self::Dataset | Self::SiteConfig) {
            file + "/"
        } else {
            file
        }
    }

    /// Opens it for a run folder. What waits for other programs looks at `stop`.
    ///
    /// # Errors
    /// If its files cannot be created.
    pub fn open<'a>(
        self,
        folder: &Path,
        config: &Config,
        stop: &'a AtomicBool,
    ) -> Result<Box<dyn Sink + 'a>, SinkError> {
        let emit = &config.emit;
        let path = self.path(folder, emit);
        Ok(match self {
            Self::Jsonl => Box::new(jsonl_file(&path, emit.jsonl)?),
            Self::Csv => Box::new(csv_file(&path, emit.csv)?),
            Self::Parquet => Box::new(ParquetSink::create(&path)?),
            Self::Bulk => Box::new(bulk_file(&path, emit.bulk)?),
            Self::Warc => {
                let index = folder.join(self.files()[1]);
                Box::new(WarcSink::create(&path, &index, emit.warc)?)
            }
            Self::Sqlite => {
                let waiting = waiting_for_databases(stop);
                let (key, rereads) = (article_key(config), config.run.reextract);
                Box::new(VersionsSink::open(&path, key, rereads, waiting)?)
            }
            Self::Index if self.is_in_run_folder(emit) => {
                let index = IndexSink::create(&path, emit.index_memory)?;
                Box::new(index.with_gone_removed(emit.forget_gone))
            }
            Self::Index => {
                let index = IndexSink::open(&path, emit.index_memory)?;
                Box::new(index.with_gone_removed(emit.forget_gone))
            }
            Self::Dataset => Box::new(DatasetSink::open(&path)?),
            Self::SiteConfig => Box::new(SiteConfigSink::create(&path)?),
            Self::Report => Box::new(SiteRowsSink::create(&report::folder_of(folder))?),
        })
    }

    /// Removes files of an earlier run that this run does not replace: all files in a run folder belong to
    /// one run. An archive of articles and an index elsewhere belong to many runs and stay.
    pub fn remove_stale(self, folder: &Path, config: &EmitConfig, written: bool) {
        for name in self.files() {
            // Left by an unfinished run.
            let _ = fs::remove_file(AtomicFile::temporary(&folder.join(name)));
        }
        let current = if written { self.written(config) } else { &[] };
        for name in self.files().iter().filter(|name| !current.contains(name)) {
            let path = folder.join(name);
            // A leftover that cannot be removed does no harm.
            let _ = match self {
                Self::Sqlite => Ok(()),
                Self::Index if is_index(&path) => fs::remove_dir_all(path),
                Self::Index => Ok(()),
                Self::SiteConfig => {
                    SiteConfigSink::remove(&path);
                    Ok(())
                }
                _ => fs::remove_file(path),
            };
        }
        if self == Self::Report && !written {
            report::remove_from(folder);
        }
    }
}

/// The forms of an address by which an archive identifies an article.
pub fn article_key(config: &Config) -> sink::KeyOf {
    let tracking = grouping::Tracking::new(&config.group.tracking_parameters);
    std::sync::Arc::new(move |url: &str, canonical: Option<&str>| {
        let Some(own) = tracking.address(url) else {
            let url = url.to_owned();
            return sink::ArticleKey { own: url.clone(), named: None, stripped: url };
        };
        // Runs read different pages: only the page itself can show that a parameter is one of tracking, by
        // its canonical address.
        let named = canonical.and_then(|canonical| tracking.address(canonical));
        let named = named.filter(|named| named.key == own.key && *named != own);
        let named = named.map(|named| named.exact());
        sink::ArticleKey { own: own.exact(), named, stripped: own.key }
    })
}

impl EmitConfig {
    /// Checks the settings before any work.
    ///
    /// # Errors
    /// If an output is at an address, a data set has no folder, or the index has too little
    /// memory.
    pub fn check(&self, run: &Path) -> anyhow::Result<()> {
        let dataset = self.dataset_made_in.as_ref().unwrap_or(&self.dataset);
        if let Some(address) = [run, dataset].into_iter().find_map(address_of) {
            anyhow::bail!(Problem::new(
                address,
                "only `sitegrove run` writes to an address",
                "name a local folder"
            ));
        }
        if self.chosen().contains(&SinkName::Dataset) && self.dataset.as_os_str().is_empty() {
            anyhow::bail!(
                "the output dataset needs a folder: name it with --dataset or emit.dataset"
            );
        }
        if !self.chosen().contains(&SinkName::Index) {
            return Ok(());
        }
        let (memory, least) = (self.index_memory, index::MIN_MEMORY);
        if memory < least {
            anyhow::bail!("emit.index_memory is {memory}; an index takes at least {least} bytes");
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
            // A data set needs a folder, which is named by an option of its own.
            let others = SinkName::ALL.iter().copied().filter(|name| *name != SinkName::Dataset);
            return Ok(Self(others.collect()));
        }
        let known =
            || SinkName::ALL.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        let one = |name: &str| {
            let found = SinkName::ALL.iter().copied().find(|sink| sink.as_str() == name);
            found.ok_or_else(|| {
                format!("there is no output `{name}`; the outputs are {}, or all", known())
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
