//! `sitegrove report`: the report of a run, drawn again.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use sink::SiteRowsSink;

use crate::progress::ledger::Ledger;
use crate::report;

/// Arguments of `sitegrove report`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove report out/tonight

A run writes its report itself, unless --sinks leaves it out. Drawn again, it links the pages that are
in RUN_DIR/report/sites now, and looks as this version of sitegrove makes it.")]
pub struct ReportArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    pub run: PathBuf,
}

/// Draws the report of a run from its ledger and `report/sites.jsonl`.
///
/// # Errors
/// If the folder holds no finished run or no figures for a report, or the report cannot be written.
pub fn run(args: &ReportArgs, out: &mut dyn Write) -> Result<()> {
    let ledger = Ledger::of_run(&args.run)?;
    let shown = args.run.display();
    if !report::folder_of(&args.run).join(SiteRowsSink::FILE).is_file() {
        bail!(
            "the run in {shown} was made without the figures a report is drawn from \
             (report/sites.jsonl); run it again with report among its --sinks"
        );
    }
    report::write(&args.run, &ledger)?;
    writeln!(out, "{}", args.run.join(report::FILE).display())?;
    Ok(())
}
