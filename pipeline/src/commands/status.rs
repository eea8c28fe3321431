//! `sitegrove status`: prints the progress of a run, from the files that the run keeps up to date.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use report::readable::{duration, grouped, size, to_the_second};
use sink::{Ledger, RunPhase, RunProgress, RunState};
use terminal::arguments::PrintFormat;
use terminal::printed::{Console, line};

use super::run::amounts;
use crate::results::no_ledger;
use crate::run::folder::{RunFolder, STATE, holds_merge};

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove status out/tonight
  sitegrove status out/tonight --format json | jq .progress

Exit codes: 0 the run is complete or running; 1 it was stopped or killed, and the same command resumes it, or it lacks an input or an output; 2 there is no run.")]
pub(super) struct StatusArgs {
    /// Run folder
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
    /// Output format; JSON is the ledger of the run
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

/// Prints the progress of a run. Returns whether it is complete, with all inputs and outputs, or a process is working on it.
pub(super) fn run(args: &StatusArgs, out: &mut Console<'_>) -> Result<bool> {
    // A run that replaces a finished one keeps its ledger in the state folder until it is complete.
    let own = Ledger::read(&args.run.join(STATE));
    let ledger = own.or_else(|| Ledger::read(&args.run));
    let running = RunFolder::is_held(&args.run);
    let Some(ledger) = ledger else {
        let stopped_merge = !running && holds_merge(&args.run);
        anyhow::ensure!(running || stopped_merge, no_ledger(&args.run, "run"));
        let (state, said) = match stopped_merge {
            true => ("stopped", "stopped: a merge; the same command starts it again"),
            false => ("running", "starting"),
        };
        match args.format {
            PrintFormat::Json => out.json_line(&serde_json::json!({ "state": state }))?,
            PrintFormat::Text => writeln!(out, "{said}")?,
        }
        return Ok(running);
    };
    if args.format == PrintFormat::Json {
        out.as_json().write_all(ledger.to_json().as_bytes())?;
    } else {
        print(&ledger, running, out).context("cannot print")?;
    }
    let is_whole = ledger.unreadable.is_empty() && ledger.failed_sinks.is_empty();
    Ok(running || ledger.state == RunState::Complete && is_whole)
}

fn print(ledger: &Ledger, running: bool, out: &mut dyn Write) -> Result<()> {
    let counts = &ledger.counts;
    let Some(progress) = &ledger.progress else {
        let (all, took) = (amounts(counts), duration(ledger.seconds));
        writeln!(out, "complete: {all} in {took}, started {}", to_the_second(&ledger.started))?;
        return print_problems(ledger, out);
    };
    let RunProgress { process, updated, stopped, .. } = progress;
    match (running, ledger.state) {
        (true, _) => writeln!(out, "running: process {process}, as of {}", to_the_second(updated))?,
        // After Ctrl-C, the reason begins with the same word.
        (false, RunState::Stopped) => {
            let why = stopped.strip_prefix("stopped ").unwrap_or(stopped);
            writeln!(out, "stopped: {}", line(why))?;
        }
        (false, _) => writeln!(
            out,
            "interrupted: process {process} ended after {}; the same command resumes the run",
            to_the_second(updated)
        )?,
    }
    let percent = |done: u64, all: u64| done as f64 * 100.0 / all.max(1) as f64;
    match progress.phase {
        RunPhase::Reading => {
            let (read, all) = (progress.bytes_read, progress.bytes);
            let rate = read as f64 / ledger.seconds.max(0.001);
            let rest = duration((all.saturating_sub(read)) as f64 / rate.max(1.0));
            let left = if read == 0 { String::new() } else { format!(", about {rest} left") };
            let (share, read, all) = (percent(read, all), size(read), size(all));
            writeln!(out, "reading: {read} of {all} ({share:.0} %){left}")?;
        }
        RunPhase::Resuming => {
            writeln!(out, "resuming: reading the results of the earlier process")?
        }
        RunPhase::Learning => {
            let (share, of) = (percent(counts.pages, progress.pages), grouped(progress.pages));
            let [sites, all, pages, articles, dropped] =
                [counts.sites, progress.sites, counts.pages, counts.articles, counts.dropped]
                    .map(grouped);
            write!(
                out,
                "learning: {sites} of {all} sites, {pages} of {of} pages ({share:.0} %), "
            )?;
            writeln!(out, "{articles} articles, {dropped} dropped")?;
        }
        RunPhase::Writing => writeln!(out, "writing: finishing the outputs")?,
    }
    if progress.spool_bytes > 0 {
        writeln!(out, "pages on disk: {}", size(progress.spool_bytes))?;
    }
    if let Some(peak) = ledger.peak_rss_bytes {
        writeln!(out, "{} so far, peak memory {}", duration(ledger.seconds), size(peak))?;
    }
    print_problems(ledger, out)
}

fn print_problems(ledger: &Ledger, out: &mut dyn Write) -> Result<()> {
    for problem in &ledger.unreadable {
        writeln!(out, "input not read to its end: {}", line(problem))?;
    }
    for (name, problem) in &ledger.failed_sinks {
        writeln!(out, "output not written: {name}: {}; the same command writes it", line(problem))?;
    }
    Ok(())
}
