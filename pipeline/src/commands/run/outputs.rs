//! Options that name outputs which grow from run to run.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use config::{Config, SinkName};

/// Outputs that grow from run to run.
#[derive(Args, Debug)]
pub struct OutputArgs {
    /// Add the articles to this archive, an SQLite file that is created if necessary; adds sqlite to the
    /// outputs
    #[arg(long, value_name = "FILE")]
    pub archive: Option<PathBuf>,
    /// Add the articles to the search index in this folder; adds index to the outputs
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Add the articles to the data set in this folder, or at this address (s3://) if the output is at one, too:
    /// Parquet files partitioned by date; adds dataset to the outputs
    #[arg(long, value_name = "DIR")]
    pub dataset: Option<PathBuf>,
    /// Remove articles whose addresses are gone (status 404 or 410, or a redirect elsewhere) from the index instead
    /// of marking them
    #[arg(long)]
    pub forget_gone: bool,
}

impl OutputArgs {
    /// Changes the settings accordingly.
    pub(crate) fn apply(&self, config: &mut Config) -> Result<()> {
        let emit = &mut config.emit;
        let named = [
            (&self.archive, &mut emit.archive, SinkName::Sqlite),
            (&self.index, &mut emit.index, SinkName::Index),
            (&self.dataset, &mut emit.dataset, SinkName::Dataset),
        ];
        for (path, setting, sink) in named {
            if let Some(path) = path {
                setting.clone_from(path);
                emit.sinks.push(sink);
            }
        }
        emit.forget_gone |= self.forget_gone;
        if self.forget_gone && !emit.sinks.contains(&SinkName::Index) {
            bail!("--forget-gone needs an index: name it with --index, or choose --sinks index");
        }
        Ok(())
    }
}
