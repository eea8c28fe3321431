//! The end of a run: the report, the ledger, and what is not needed any more.

use anyhow::Result;
use sink::AtomicFile;

use super::RunContext;
use crate::config::Config;
use crate::error_chain::error_chain;
use crate::progress::ledger::{FILE, Ledger};
use crate::report;
use crate::sink_name::SinkName;

impl RunContext<'_> {
    /// Draws the report and writes the ledger, by which the run is complete; then removes its own state.
    pub(super) fn finish(&self, mut ledger: Ledger) -> Result<Ledger> {
        let config = self.config;
        draw_report(config, &mut ledger).inspect_err(|error| self.status.stopped(error))?;
        AtomicFile::write_whole(&config.run.out.join(FILE), ledger.to_json().as_bytes())?;
        self.status.tell_metrics(&ledger);
        drop(self.spool_at.exists().then(|| std::fs::remove_dir_all(self.spool_at)));
        Ok(ledger)
    }
}

/// Draws the report, if it is among the outputs and its figures are whole. It shows the run's times,
/// so it comes after all that is timed; only the ledger, which says that the run is complete, is later.
fn draw_report(config: &Config, ledger: &mut Ledger) -> Result<()> {
    let name = SinkName::Report;
    let chosen = config.emit.chosen();
    if !chosen.contains(&name) || ledger.failed_sinks.contains_key(name.as_str()) {
        return Ok(());
    }
    if let Err(error) = report::write(&config.run.out, ledger) {
        if ledger.failed_sinks.len() + 1 == chosen.len() {
            return Err(error);
        }
        ledger.failed_sinks.insert(name.as_str().to_owned(), error_chain(&error));
    }
    Ok(())
}
