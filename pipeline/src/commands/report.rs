//! `sitegrove report`: rebuilds the report of a run.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use sink::SiteRowsSink;

use crate::results::{earlier_ledger, finished_ledger};

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove report out/tonight
  sitegrove report out/tonight --compare out/yesterday

A run writes its report unless --sinks leaves it out. Rebuilding adds links to the pages now in RUN_DIR/report/sites and uses the layout of this version of sitegrove.")]
pub(super) struct ReportArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
    /// Compare with the run in this folder; the comparison stays in the report when that is rebuilt
    #[arg(long, value_name = "RUN_DIR")]
    compare: Option<PathBuf>,
}

/// Rebuilds the report of a run from its ledger and `report/sites.jsonl`.
pub(super) fn run(args: &ReportArgs, out: &mut dyn Write) -> Result<()> {
    let ledger = finished_ledger(&args.run)?;
    let shown = args.run.display();
    if !report::folder_of(&args.run).join(SiteRowsSink::FILE).is_file() {
        bail!(
            "the run in {shown} was made without the figures for a report (report/sites.jsonl); \
             run it again with report in --sinks"
        );
    }
    if let Some(earlier) = &args.compare {
        report::compare(&args.run, &ledger, earlier, &earlier_ledger(&args.run, earlier)?)?;
    }
    report::write(&args.run, &ledger)?;
    writeln!(out, "{}", args.run.join(report::FILE).display())?;
    Ok(())
}
