//! The store of site models in a run: opened before anything is read, and kept when all is written.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use config::Config;
use config::files::sha256_of;
use errors::Stopped;
use input::waiting::waiting_for_databases;
use model::SiteResult;
use modelstore::{RunIdentity, Store, StoreError};
use report::readable::count;
use sink::{InputRecord, LastNight};

use super::RunContext;

/// Opens the store that the settings name, if any; waits for another run that writes to it.
pub(crate) fn open(config: &Config, stop: &AtomicBool, stopped: Stopped) -> Result<Option<Store>> {
    let Some(path) = config.run.models() else {
        anyhow::ensure!(
            !config.run.reextract,
            "run.reextract needs a store: name it by run.models"
        );
        return Ok(None);
    };
    if config.run.reextract {
        return Ok(Some(Store::open_read_only(path)?));
    }
    config.run.models_bytes()?;
    let opened = Store::open(path, waiting_for_databases(stop));
    opened.map(Some).map_err(|error| unless_stopped(error, stopped))
}

/// Which run this is: one of the same inputs, by their contents, and the same settings is the same night.
pub(crate) fn run_of(config: &Config, inputs: &[InputRecord]) -> RunIdentity {
    let digest = sha256_of(&format!("{} {}", contents_of(inputs), config.night_hash()));
    RunIdentity { digest, program: env!("CARGO_PKG_VERSION").to_owned() }
}

/// What inputs hold, of which some pages may be chosen, in any order.
fn contents_of(inputs: &[InputRecord]) -> String {
    let one = |input: &InputRecord| match &input.chosen {
        Some(chosen) => format!("{} {}", input.sha256, chosen.pages),
        None => input.sha256.clone(),
    };
    let mut of: Vec<String> = inputs.iter().map(one).collect();
    of.sort_unstable();
    of.join(" ")
}

/// The name of a night in outputs that grow: a hash of the contents of its inputs, and of the choice of their pages.
pub(crate) fn night_name(inputs: &[InputRecord]) -> String {
    sha256_of(&contents_of(inputs)).chars().take(32).collect()
}

/// Tells a store which run this is. Returns the night before.
pub(crate) fn begin(store: &Store, run: &RunIdentity) -> Result<Option<LastNight>> {
    if store.begin(run)? {
        let path = store.path().display();
        tracing::info!(at = %path, "already contains this night; it is not changed");
    }
    Ok(store.last_night()?.map(|(night, sites)| LastNight { night, sites }))
}

/// Hands a store what is to be kept of a site.
pub(crate) fn take(store: &Store, result: &SiteResult) -> Result<()> {
    result.night.as_ref().map_or(Ok(()), |night| Ok(store.add_night(night)?))
}

/// Keeps all that a store took in, once the outputs are written. Waits for programs that read the store, where they are
/// in the way. Returns what it then holds, as [`Store::state`] does.
pub(crate) fn commit(
    store: &Store,
    config: &Config,
    stop: &AtomicBool,
    stopped: Stopped,
) -> Result<String> {
    let kept = store.commit(config.run.models_bytes()?, waiting_for_databases(stop));
    let evicted = kept.map_err(|error| unless_stopped(error, stopped))?;
    if evicted.sites > 0 {
        tracing::info!(
            at = %store.path().display(),
            sites = evicted.sites,
            "removed the retained pages of the {} sites not seen for longest, to stay below run.models_size",
            evicted.sites
        );
    }
    if evicted.revisions > 0 {
        tracing::info!(
            at = %store.path().display(),
            revisions = evicted.revisions,
            "removed {} of models, of sites whose revisions weigh more than 4 MiB",
            count(evicted.revisions as usize, "old revision")
        );
    }
    Ok(store.state()?)
}

fn unless_stopped(error: StoreError, stopped: Stopped) -> anyhow::Error {
    if error.is_stopped() { stopped.into() } else { error.into() }
}

impl RunContext<'_> {
    /// The store, unless it is only read.
    pub(super) fn growing(&self) -> Option<&Store> {
        self.store.filter(|_| !self.config.run.reextract)
    }
}
