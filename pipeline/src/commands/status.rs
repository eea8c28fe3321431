//! `sitegrove status`: how far a run is, told from outside.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::memory::shown;
use crate::printed::{Console, line};
use crate::progress::ledger::{FILE, Ledger, Phase, Progress, State};
use crate::resume::folder::{RunFolder, STATE};

/// Arguments of `sitegrove status`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove status out/tonight
  sitegrove status out/tonight --json | jq .progress

Exit codes: 0 the run is complete or at work; 1 it is neither: the same command goes on with it; 2 there
is no run.")]
pub struct StatusArgs {
    /// Folder of a run
    #[arg(value_name = "RUN_DIR")]
    pub run: PathBuf,
    /// Print the run's ledger as JSON
    #[arg(long)]
    pub json: bool,
}

/// Tells how far a run is. Gives whether it is complete or a process is at work on it.
///
/// # Errors
/// If the folder holds no run.
pub fn run(args: &StatusArgs, out: &mut Console<'_>) -> Result<bool> {
    // A run that is to replace a finished one tells of itself in its own folder.
    let own = Ledger::read(&args.run.join(STATE));
    let ledger = own.or_else(|| Ledger::read(&args.run));
    let shown = args.run.display();
    let at_work = RunFolder::is_held(&args.run);
    let Some(ledger) = ledger else {
        anyhow::ensure!(at_work, "{shown} holds no run: there is no readable {FILE} in it");
        writeln!(out, "beginning")?;
        return Ok(true);
    };
    if args.json {
        out.as_json().write_all(ledger.to_json().as_bytes())?;
    } else {
        tell(&ledger, at_work, out).context("cannot print")?;
    }
    Ok(at_work || ledger.state == State::Complete)
}

fn tell(ledger: &Ledger, at_work: bool, out: &mut dyn Write) -> Result<()> {
    let counts = &ledger.counts;
    let Some(progress) = &ledger.progress else {
        writeln!(
            out,
            "complete: {} articles from {} pages of {} sites in {:.1} s, begun {}",
            counts.articles, counts.pages, counts.sites, ledger.seconds, ledger.started,
        )?;
        return tell_problems(ledger, out);
    };
    let Progress { process, updated, stopped, .. } = progress;
    match (at_work, ledger.state) {
        (true, _) => writeln!(out, "at work: process {process}, as of {updated}")?,
        (false, State::Stopped) => writeln!(out, "stopped: {}", line(stopped))?,
        (false, _) => writeln!(
            out,
            "broken off: process {process} is gone since {updated}; the same command goes on with the run"
        )?,
    }
    let percent = |done: u64, all: u64| done as f64 * 100.0 / all.max(1) as f64;
    match progress.phase {
        Phase::Reading => {
            let (read, all) = (progress.bytes_read, progress.bytes);
            let rate = read as f64 / ledger.seconds.max(0.001);
            let left = (all.saturating_sub(read)) as f64 / rate.max(1.0);
            writeln!(
                out,
                "reading: {} of {} ({:.0} %), about {left:.0} s of it left",
                shown(read),
                shown(all),
                percent(read, all),
            )?;
        }
        Phase::Resuming => writeln!(out, "taking over what was done before")?,
        Phase::Learning => {
            writeln!(
                out,
                "learning: {} of {} sites, {} of {} pages ({:.0} %), {} articles, {} left out",
                counts.sites,
                progress.sites,
                counts.pages,
                progress.pages,
                percent(counts.pages, progress.pages),
                counts.articles,
                counts.dropped,
            )?;
        }
        Phase::Writing => writeln!(out, "finishing the outputs")?,
    }
    if progress.spool_bytes > 0 {
        writeln!(out, "pages on disk: {}", shown(progress.spool_bytes))?;
    }
    if let Some(peak) = ledger.peak_rss_bytes {
        writeln!(out, "{:.0} s so far, most memory {}", ledger.seconds, shown(peak))?;
    }
    tell_problems(ledger, out)
}

fn tell_problems(ledger: &Ledger, out: &mut dyn Write) -> Result<()> {
    for problem in &ledger.unreadable {
        writeln!(out, "not read to its end: {}", line(problem))?;
    }
    for (name, problem) in &ledger.failed_sinks {
        writeln!(out, "not written: {name}: {}", line(problem))?;
    }
    Ok(())
}
