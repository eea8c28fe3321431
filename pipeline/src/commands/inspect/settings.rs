//! The settings of a run, and its store of models.

use anyhow::Result;
use modelstore::Store;
use sink::Ledger;
use sitemodel::SiteModel;

use crate::config::Config;
use crate::error_chain::error_chain;

/// Settings and models to look at the sites of a run with.
pub(super) struct Settings {
    pub(super) config: Config,
    /// What differs from the run's, one sentence each; empty if nothing does.
    pub(super) differences: Vec<String>,
    /// The store of models, if the run used one and it still holds what it held then.
    store: Option<Store>,
}

impl Settings {
    /// The settings that the ledger of a run names, and the store that it used.
    ///
    /// # Errors
    /// If the default settings cannot be read.
    pub(super) fn of_run(ledger: &Ledger) -> Result<Self> {
        let default = Config::load(None)?;
        let mut differences = Vec::new();
        let config = default.with(ledger.settings.clone()).unwrap_or_else(|error| {
            differences.push(assumed(
                &format!("The settings of the run cannot be used: {}", error_chain(&error)),
                "the default settings",
            ));
            default
        });
        if differences.is_empty() && config.hash() != ledger.config_hash {
            let what = match ledger.version.as_str() {
                env!("CARGO_PKG_VERSION") => {
                    "The weights or the site configs that the run used have changed".to_owned()
                }
                other => format!("The run was made by version {other}"),
            };
            differences.push(assumed(&what, "those of today"));
        }
        let store = store_of(&config, ledger).unwrap_or_else(|problem| {
            differences.push(assumed(&problem, "models learnt from this run's pages alone"));
            None
        });
        Ok(Self { config, differences, store })
    }

    /// The model of a site that the run applied, if it is in a store.
    pub(super) fn stored_model(&self, site: &str) -> Option<SiteModel> {
        let state = self.store.as_ref()?.site(site).ok()?;
        SiteModel::from_bytes(&state.model?).ok()
    }
}

/// The store of models that a run used, if any.
fn store_of(config: &Config, ledger: &Ledger) -> Result<Option<Store>, String> {
    let (Some(path), Some(then)) = (config.run.models(), &ledger.store_state) else {
        return Ok(None);
    };
    let store = Store::look(path)
        .map_err(|error| format!("The models of the run cannot be read: {error}"))?;
    match store.state().map_err(|error| format!("The models of the run cannot be read: {error}"))? {
        now if now == *then => Ok(Some(store)),
        _ => Err(format!("The store {} has changed since the run", path.display())),
    }
}

/// Says what is different, and what is used instead.
fn assumed(what: &str, with: &str) -> String {
    format!(
        "{what}. Scores and patterns below are computed with {with}, and may differ from those of the run. Articles and \
         wrappers are the run's own."
    )
}
