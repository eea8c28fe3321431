//! The settings of a run, as far as they can be determined.

use std::path::Path;

use anyhow::{Result, anyhow};

use crate::config::Config;
use crate::progress::ledger::Ledger;
use sitemodel::settings::SignifierChoice;

/// Settings, and what was assumed.
pub(super) struct Settings {
    pub(super) config: Config,
    /// Empty if they are certainly those of the run.
    pub(super) assumed: String,
}

/// Finds the settings of a run. The ledger names the engine and a digest of all settings that decide the
/// results, not the settings themselves: the given configuration file (or the defaults), with the engine and
/// either source of signifiers, is compared with the digest.
///
/// # Errors
/// If the configuration cannot be read, or this version does not know the engine.
pub(super) fn settings_of(ledger: &Ledger, file: Option<&Path>) -> Result<Settings> {
    let mut config = Config::load(file)?;
    config.rank.engine = ledger.engine.parse().map_err(|error: String| anyhow!(error))?;
    let own = config.signify.source;
    for source in [own, SignifierChoice::TfIdf, SignifierChoice::Feeds] {
        config.signify.source = source;
        if config.hash() == ledger.config_hash {
            return Ok(Settings { config, assumed: String::new() });
        }
    }
    config.signify.source = own;
    let taken = match file {
        Some(file) => format!("{} is not what the run was made with", file.display()),
        None => "The run was made with other settings than the defaults, other weights, or by \
                 another version; its ledger holds only their digest"
            .to_owned(),
    };
    let version = match ledger.version.as_str() {
        env!("CARGO_PKG_VERSION") => String::new(),
        other => format!(" (the run's version is {other})"),
    };
    let assumed = format!(
        "{taken}{version}. Scores and patterns below are computed again with {}, and may differ from \
         those of the run. What is kept is the run's own. Name the run's configuration with --config.",
        if file.is_some() { "it all the same" } else { "the default settings" },
    );
    Ok(Settings { config, assumed })
}
