//! The store of site models in a run: opened before anything is read, and kept when all is written.

use anyhow::{Context, Result};
use model::SiteResult;
use modelstore::{Run, Store, Update};

use super::RunContext;
use crate::config::Config;
use crate::digests::sha256_of;
use crate::progress::ledger::InputRecord;

/// Opens the store that the settings name, if any; waits for another run that writes to it.
///
/// # Errors
/// If it is damaged, is something else, or another run keeps writing to it.
pub(super) fn open(config: &Config) -> Result<Option<Store>> {
    let Some(path) = config.run.models() else {
        anyhow::ensure!(
            !config.run.reextract,
            "run.reextract needs a store: name it by run.models"
        );
        return Ok(None);
    };
    if config.run.reextract {
        return Ok(Some(Store::look(path)?));
    }
    config.run.models_bytes()?;
    let waiting = || {
        tracing::warn!("another run writes to {}: this one waits for it", path.display());
    };
    Ok(Some(Store::open(path, &waiting)?))
}

impl RunContext<'_> {
    /// The store, unless it is only read.
    fn growing(&self) -> Option<&Store> {
        self.store.filter(|_| !self.config.run.reextract)
    }

    /// Tells the store which run this is: one of the same inputs, by their contents, and the same settings is
    /// the same night.
    pub(super) fn begin_models(&self, inputs: &[InputRecord]) -> Result<()> {
        let Some(store) = self.growing() else { return Ok(()) };
        let mut of: Vec<&str> = inputs.iter().map(|input| &*input.sha256).collect();
        of.sort_unstable();
        let digest = sha256_of(&format!("{} {}", of.join(" "), self.config.night_hash()));
        let program = env!("CARGO_PKG_VERSION").to_owned();
        if store.begin(&Run { digest, program })? {
            let path = store.path().display();
            tracing::info!("{path} has taken in this night before: it stays as it is");
        }
        Ok(())
    }

    /// Hands the store what is to be kept of a site.
    pub(super) fn take_model(&self, result: &SiteResult) -> Result<()> {
        let (Some(store), Some(night)) = (self.growing(), &result.night) else { return Ok(()) };
        if night.update.is_empty() {
            return Ok(());
        }
        let update: Update = rmp_serde::from_slice(&night.update)
            .with_context(|| format!("cannot read what is to be kept of {}", result.site))?;
        Ok(store.take(&update)?)
    }

    /// Keeps all of it, once the outputs are written.
    pub(super) fn commit_models(&self) -> Result<()> {
        let Some(store) = self.growing() else { return Ok(()) };
        let evicted = store.commit(self.config.run.models_bytes()?)?;
        if evicted.sites > 0 {
            tracing::info!(
                "{}: retained pages of {} sites not seen for longest were removed, as run.models_size says",
                store.path().display(),
                evicted.sites
            );
        }
        Ok(())
    }
}
