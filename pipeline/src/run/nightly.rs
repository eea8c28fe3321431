//! The store of site models in a run: opened before anything is read, and kept when all is written.

use anyhow::{Context, Result};
use modelstore::{Run, Store, Update};
use sink::SiteResult;

use crate::config::Config;
use crate::digests::sha256_of;
use crate::ledger::InputRecord;

/// Opens the store that the settings name, if any; waits for another run that writes to it.
///
/// # Errors
/// If it is damaged, is something else, or another run keeps writing to it.
pub(super) fn open(config: &Config) -> Result<Option<Store>> {
    let Some(path) = config.run.models() else { return Ok(None) };
    config.run.models_bytes()?;
    let waiting = || {
        tracing::warn!("another run writes to {}: this one waits for it", path.display());
    };
    Ok(Some(Store::open(path, &waiting)?))
}

/// Tells the store which run this is: one of the same inputs, by their contents, and the same settings is the
/// same night.
pub(super) fn begin(
    store: Option<&mut Store>,
    config: &Config,
    inputs: &[InputRecord],
) -> Result<()> {
    let Some(store) = store else { return Ok(()) };
    let mut of: Vec<&str> = inputs.iter().map(|input| &*input.sha256).collect();
    of.sort_unstable();
    let digest = sha256_of(&format!("{} {}", of.join(" "), config.hash()));
    let program = env!("CARGO_PKG_VERSION").to_owned();
    if store.begin(&Run { digest, program })? {
        let path = store.path().display();
        tracing::info!("{path} has taken in this night before: it stays as it is");
    }
    Ok(())
}

/// Hands the store what is to be kept of a site.
pub(super) fn take(store: Option<&Store>, result: &SiteResult) -> Result<()> {
    let (Some(store), Some(night)) = (store, &result.night) else { return Ok(()) };
    if night.update.is_empty() {
        return Ok(());
    }
    let update: Update = rmp_serde::from_slice(&night.update)
        .with_context(|| format!("cannot read what is to be kept of {}", result.site))?;
    Ok(store.take(&update)?)
}

/// Keeps all of it.
pub(super) fn commit(store: Option<Store>, config: &Config) -> Result<()> {
    let Some(store) = store else { return Ok(()) };
    let path = store.path().to_owned();
    let evicted = store.commit(config.run.models_bytes()?)?;
    if evicted.sites > 0 {
        tracing::info!(
            "{}: retained pages of {} sites not seen for longest were let go, as run.models_size says",
            path.display(),
            evicted.sites
        );
    }
    Ok(())
}
