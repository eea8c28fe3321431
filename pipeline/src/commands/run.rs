//! `sitegrove run`: extracts the articles of a crawl.

pub(super) mod arguments;
mod fail_on;
mod summary;

use std::path::Path;

use anyhow::Result;
use config::files::address_of;
use config::{Config, SinkName, Unused};
use input::file_type::not_an_archive;
use model::DropReason;
use report::readable::count;
use sink::{InputRecord, Ledger};
use terminal::command_line::CommandContext;
use terminal::progress_bar::{ProgressDisplay, Quiet};

use crate::run::forecast::forecast;
use crate::run::target::run as run_pipeline;
use crate::run::{RunReport, RunRequest, Upload};

pub use self::arguments::RunArgs;
use self::fail_on::fails;
use self::summary::print_forecast;
pub(super) use self::summary::{amounts, summary};

/// Runs the pipeline and prints a summary. Returns whether pages were found, every input was read to its end
/// and every output was written.
///
/// # Errors
/// As [`crate::run::run`].
pub fn run(args: &RunArgs, with: CommandContext<'_, '_>) -> Result<bool> {
    let config = args.config()?;
    warn_of_settings(&config);
    if args.dry_run {
        let forecast = watched(&with, "learning", &config, forecast)?;
        print_forecast(&forecast, args.format, with.out)?;
        return Ok(forecast.is_sound());
    }
    let run = |request: RunRequest<'_>| run_pipeline(request, args.overwrite);
    let report = watched(&with, "learning", &config, run)?;
    let is_whole = warn_of_results(&report, &config);
    summary(&report, &config, args.format, with.out)?;
    Ok(is_whole && !fails(&report.ledger, &args.fail_on))
}

/// Does some work and shows its progress, if that is wanted. `verb` says what is done with the pages.
pub(super) fn watched<T>(
    with: &CommandContext<'_, '_>,
    verb: &'static str,
    config: &Config,
    work: impl FnOnce(RunRequest<'_>) -> Result<T>,
) -> Result<T> {
    let request = RunRequest { config, stop: with.stop, observer: &Quiet };
    let Some(form) = with.progress else { return work(request) };
    let progress = ProgressDisplay::new(form, verb);
    let done = work(RunRequest { observer: &progress, ..request });
    progress.clear();
    done
}

pub(super) fn warn_of_settings(config: &Config) {
    let without_effect = |at: &str, what: &str, it: &str, has: fn(SinkName) -> bool| {
        let have = SinkName::ALL.iter().copied().filter(|name| has(*name));
        let have: Vec<&str> = have.map(SinkName::as_str).collect();
        let next = format!("these contain {it}: {}", have.join(", "));
        tracing::warn!(at, next, "has no effect: none of the chosen outputs contains {what}");
    };
    if config.emit.markdown && !config.emit.wants_markdown() {
        without_effect("--markdown", "Markdown", "it", SinkName::has_markdown);
    }
    if config.emit.passages > 0 && config.emit.words_of_passages() == 0 {
        without_effect("--passages", "passages", "them", SinkName::has_passages);
    }
    if !config.run.work.as_os_str().is_empty() && address_of(&config.run.out).is_none() {
        let next = "--spool names a folder for pages that do not fit into memory";
        tracing::warn!(at = "--work", next, "has no effect: the output is not at an address");
    }
    for Unused { setting, engines } in config.unused() {
        let engine = config.rank.engine.name();
        tracing::warn!(
            at = setting,
            next = format!("these engines use it: {}", engines.join(", ")),
            "has no effect with the engine {engine}"
        );
    }
}

const INPUTS_NAMED: usize = 5;

/// Warns of what a run lacks. Returns whether pages were found, all inputs read to their end, and all outputs written.
pub(super) fn warn_of_results(report: &RunReport, config: &Config) -> bool {
    let is_sound = warn_of_inputs_and_outputs(&report.ledger);
    warn_of_upload(report.upload.as_ref());
    warn_of_corrections(&report.ledger, config);
    if let (Some(models), 1..) = (config.run.models(), report.ledger.counts.models_damaged) {
        let damaged = count(report.ledger.counts.models_damaged as usize, "model");
        tracing::warn!(
            at = %models.display(),
            next = "others were learnt instead; see `sitegrove models check`",
            "{damaged} cannot be read"
        );
    }
    let is_uploaded = report.upload.as_ref().is_none_or(|upload| upload.failed.is_empty());
    is_sound
        && report.ledger.unreadable.is_empty()
        && report.ledger.failed_sinks.is_empty()
        && is_uploaded
}

/// Advice about an input that could not be read.
pub(super) const READS_OTHERS: &str =
    "the other inputs were read; the same command reads all of them again";

/// Returns whether pages were found, or the inputs are sound and contain none.
fn warn_of_inputs_and_outputs(ledger: &Ledger) -> bool {
    for problem in ledger.unread() {
        tracing::error!(next = READS_OTHERS, "{problem}");
    }
    for input in &ledger.inputs {
        if let Some(cut_short) = &input.cut_short {
            tracing::error!(at = input.file, "{}", cut_short.problem());
        }
    }
    for (name, problem) in &ledger.failed_sinks {
        tracing::error!(
            next = "the same command writes it; outputs that are not named so are complete",
            "cannot write the output {name}: {problem}"
        );
    }
    let empty = |input: &&InputRecord| input.records.is_empty();
    for input in ledger.inputs.iter().filter(empty).take(INPUTS_NAMED) {
        tracing::warn!(
            at = input.file,
            next = "no page was read from it",
            "{}",
            not_an_archive(Path::new(&input.file))
        );
    }
    let more = ledger.inputs.iter().filter(empty).count().saturating_sub(INPUTS_NAMED);
    if more > 0 {
        tracing::warn!(next = "dropped.jsonl lists them", "{more} more inputs contain no record");
    }
    let is_sound = ledger.counts.pages > 0 || is_empty_night(ledger);
    if !is_sound {
        tracing::error!(
            next = "give WARC, ARC, WACZ, HTML or MHTML files",
            "no page was found in the inputs"
        );
    }
    is_sound
}

/// Warns of outdated corrections: names those of the archive that the run added to, and counts all.
fn warn_of_corrections(ledger: &Ledger, config: &Config) {
    let (sqlite, next) =
        (SinkName::Sqlite, "correct them anew, or revert them: `sitegrove correct --help`");
    let is_written = config.emit.chosen().contains(&sqlite)
        && !ledger.failed_sinks.contains_key(sqlite.as_str());
    let path = sqlite.path(&config.run.out, &config.emit);
    let outdated = match is_written {
        true => sink::ArticleArchive::open(&path).and_then(|own| own.outdated_corrections()),
        false => Ok(Vec::new()),
    };
    let Ok(outdated) = outdated else { return };
    for (url, field) in outdated.iter().take(INPUTS_NAMED) {
        tracing::warn!(at = url, "correction outdated: another {field} is extracted now");
    }
    match (outdated.len() as u64).max(ledger.counts.corrections_outdated) {
        0 => {}
        number => tracing::warn!(next, "outdated corrections: {number}"),
    }
}

fn warn_of_upload(upload: Option<&Upload>) {
    let Some(Upload { failed, kept: Some(kept), .. }) = upload else { return };
    for (object, why) in failed.iter().take(INPUTS_NAMED) {
        tracing::error!(at = object, "cannot be written: {why}");
    }
    let more = failed.len().saturating_sub(INPUTS_NAMED);
    if !failed.is_empty() {
        tracing::error!(
            at = %kept.display(),
            next = "the same command uploads what is missing",
            "keeps the complete results, as {} could not be written",
            match more {
                0 => "objects".to_owned(),
                more => format!("these objects and {more} more"),
            }
        );
    }
}

/// Whether the inputs are sound and contain no page, as after a night on which nothing was crawled.
fn is_empty_night(ledger: &Ledger) -> bool {
    ledger.counts.pages == 0
        && ledger.inputs.iter().any(|input| !input.records.is_empty())
        && !DropReason::DAMAGE.iter().any(|reason| ledger.drops.contains_key(reason.as_str()))
}
