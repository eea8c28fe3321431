//! The end of a run: writes the report and the ledger, and removes temporary files.

use std::path::Path;

use anyhow::Result;
use config::{Config, SinkName};
use errors::error_chain;
use sink::{AtomicFile, EarlierRun, Ledger};

use super::{RunContext, resumable};
use crate::results::earlier_ledger;

impl RunContext<'_> {
    /// Writes the report, then the ledger, which marks the run as complete, and removes the state of the run.
    pub(super) fn finish(&self, ledger: Ledger) -> Result<Ledger> {
        let ledger =
            finish_folder(self.config, ledger).inspect_err(|error| self.status.stopped(error));
        let ledger = ledger.map_err(|error| resumable(error, "all sites"))?;
        self.status.write_metrics(&ledger);
        drop(self.work_folder.exists().then(|| std::fs::remove_dir_all(self.work_folder)));
        Ok(ledger)
    }
}

/// Writes the report, then the ledger, which marks the results as complete.
pub(crate) fn finish_folder(config: &Config, mut ledger: Ledger) -> Result<Ledger> {
    report::forget_comparison(&config.run.out);
    if let Some(earlier) = config.run.earlier() {
        // It was readable when the run began. The results of a night are not lost for a comparison.
        match compare(&config.run.out, &ledger, earlier) {
            Ok(compared) => ledger.compared = Some(compared),
            Err(error) => tracing::warn!("--compare: {}", error_chain(&error)),
        }
    }
    draw_report(config, &mut ledger)?;
    AtomicFile::write_whole(&config.run.out.join(Ledger::FILE), ledger.to_json().as_bytes())?;
    Ok(ledger)
}

/// Compares a run that was finished before with the earlier run that the settings name, and rebuilds its report.
pub(super) fn compare_finished(config: &Config, ledger: &mut Ledger) -> Result<()> {
    let Some(earlier) = config.run.earlier() else { return Ok(()) };
    let out = &config.run.out;
    ledger.compared = Some(compare(out, ledger, earlier)?);
    report::refresh(out, ledger)?;
    AtomicFile::write_whole(&out.join(Ledger::FILE), ledger.to_json().as_bytes())?;
    Ok(())
}

fn compare(run: &Path, ledger: &Ledger, earlier: &Path) -> Result<EarlierRun> {
    report::compare(run, ledger, earlier, &earlier_ledger(run, earlier)?)
}

/// Writes the report, if it is chosen and its figures are complete. It shows times, so it is written after
/// everything that is timed; only the ledger comes later.
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
