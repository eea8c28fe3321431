//! `sitegrove run`: extracts the articles of a crawl.

pub(super) mod arguments;

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::str::FromStr;

use anyhow::Result;
pub use arguments::RunArgs;
use config::files::address_of;
use config::{Config, SinkName, Unused};
use input::file_type::not_an_archive;
use model::{DropReason, Verdict};
use report::readable::{count, grouped, size, to_the_second};
use serde_json::json;
use sink::{InputRecord, Ledger, RunCounts, SiteAlarm};
use terminal::arguments::PrintFormat;
use terminal::command_line::CommandContext;
use terminal::printed::{Console, line, padded, width_of, wrapped, wrapper_in};
use terminal::progress_bar::{ProgressDisplay, Quiet};

use crate::emit::{WRAPPER_LINES, WrapperForm};
use crate::run::forecast::{Forecast, InputForecast, forecast};
use crate::run::ledger::ALARMS;
use crate::run::target::run as run_pipeline;
use crate::run::{RunReport, RunRequest, Upload};

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

const SITES_SHOWN: usize = 15;
/// Maximum width of the name of a site, in columns.
const SITE_COLUMNS: usize = 28;

/// Prints what a run did, unless the console is quiet.
pub(crate) fn summary(
    report: &RunReport,
    config: &Config,
    format: PrintFormat,
    out: &mut Console<'_>,
) -> Result<()> {
    if out.is_quiet() {
        return Ok(());
    }
    if format == PrintFormat::Json {
        return json_summary(report, config, out);
    }
    let (ledger, folder) = (&report.ledger, config.run.out.display());
    if report.nothing_to_do {
        let (all, started) = (amounts(&ledger.counts), to_the_second(&ledger.started));
        let text = format!(
            "Nothing to do: {folder} already contains this run ({all}, started {started}). \
             Use --overwrite to repeat it."
        );
        return Ok(writeln!(out, "{}", wrapped(&text, out.width(), ""))?);
    }
    head(report, config, out)?;
    attention(ledger, out)?;
    let wrappers = match WrapperForm::of(ledger.counts.sites as usize) {
        WrapperForm::Files => "wrappers/",
        WrapperForm::Lines => WRAPPER_LINES,
    };
    table(report, wrappers, out)?;
    let mut paragraph = |text: &str| {
        let text = wrapped(text, out.width(), "");
        writeln!(out, "\n{text}")
    };
    let counts = &ledger.counts;
    if counts.duplicates > 0 {
        paragraph(&format!(
            "Duplicates: {} marked as copies of others (duplicate_of)",
            count(counts.duplicates as usize, "article")
        ))?;
    }
    if counts.without_boilerplate > 0 {
        paragraph(&format!(
            "Shared text: offers, appeals or notices that several sites have were removed from {}",
            count(counts.without_boilerplate as usize, "article")
        ))?;
    }
    if counts.dropped > 0 {
        paragraph(&format!("Dropped: {} ({})", grouped(counts.dropped), joined(&ledger.drops)))?;
    }
    if counts.pages_overruled > 0 {
        paragraph(&format!(
            "Site configs: on {}, the site config found almost nothing, so the engine's text was \
             used; site_configs in wrappers/SITE.json has the counts for each host",
            count(counts.pages_overruled as usize, "page")
        ))?;
    }
    if counts.corrections_unmatched > 0 {
        paragraph(&format!(
            "Corrections: {} without effect, as nothing matches (see the warnings)",
            grouped(counts.corrections_unmatched)
        ))?;
    }
    if let Some(models) = config.run.models() {
        paragraph(&format!(
            "Sites: {}; models in {}: {}. Each site tonight and usually is in comparison.json, its templates in \
             health.jsonl",
            joined(&counts.sites_by_health),
            models.display(),
            joined(&counts.sites_by_decision)
        ))?;
    }
    let (here, elsewhere) = outputs(report, config);
    let always = [wrappers, "dropped.jsonl", "ledger.json"].map(str::to_owned);
    let files: Vec<String> =
        (here.into_iter().map(|name| name.shown(&config.emit))).chain(always).collect();
    let place = match &report.upload {
        Some(Upload { failed, kept: Some(kept), .. }) if !failed.is_empty() => kept.display(),
        _ => folder,
    };
    paragraph(&format!("Results in {place}: {}", files.join(", ")))?;
    if let Some(Upload { to, objects, bytes, .. }) = &report.upload {
        let objects = count(*objects as usize, "object");
        writeln!(out, "Uploaded {objects} ({}) to {to}", size(*bytes))?;
    }
    for name in elsewhere {
        writeln!(out, "Added to {}", name.path(&config.run.out, &config.emit).display())?;
    }
    Ok(())
}

/// Formats the numbers of articles, pages and sites of a run.
pub(in crate::commands) fn amounts(of: &RunCounts) -> String {
    let all = [(of.articles, "article"), (of.pages, "page"), (of.sites, "site")];
    let [articles, pages, sites] = all.map(|(number, what)| count(number as usize, what));
    format!("{articles} from {pages} of {sites}")
}

fn head(report: &RunReport, config: &Config, out: &mut Console<'_>) -> Result<()> {
    let (ledger, counts) = (&report.ledger, &report.ledger.counts);
    let text = format!(
        "{} in {:.1} s ({} pages/s, {:.*} MB of HTML/s, {})",
        amounts(counts),
        ledger.seconds,
        grouped(ledger.pages_per_second.round() as u64),
        // A run of few pages spends most of its time starting and writing: its low rate has a decimal.
        usize::from(ledger.html_mb_per_second < 10.0),
        ledger.html_mb_per_second,
        count(ledger.jobs, "thread"),
    );
    writeln!(out, "{}", wrapped(&text, out.width(), ""))?;
    let chosen = ledger.selection();
    if !chosen.is_all() {
        let text = format!("Chosen: {chosen}");
        writeln!(out, "{}", wrapped(&text, out.width(), ""))?;
    }
    if counts.pages == 0 {
        let records: u64 = ledger.inputs.iter().flat_map(|input| input.records.values()).sum();
        let (records, inputs) =
            (count(records as usize, "record"), count(ledger.inputs.len(), "input"));
        let what = if config.run.sites.is_empty() && chosen.is_all() { "" } else { "chosen " };
        writeln!(out, "\nNo {what}page among the {records} of {inputs}.")?;
    }
    Ok(())
}

/// Prints the sites that need attention, the worst first.
fn attention(ledger: &Ledger, out: &mut Console<'_>) -> Result<()> {
    let all = ledger.counts.sites_to_look_at();
    if all == 0 {
        return Ok(());
    }
    writeln!(out, "\n{} to look at:", count(all as usize, "site"))?;
    for SiteAlarm { site, health } in ledger.attention.iter().take(ALARMS) {
        let (verdict, evidence, next) = (health.verdict.as_str(), &health.evidence, &health.next);
        let text = format!("{}: {verdict}: {}. Next: {}", line(site), line(evidence), line(next));
        writeln!(out, "{}", wrapped(&text, out.width(), "  "))?;
    }
    let more = all.saturating_sub(ledger.attention.len().min(ALARMS) as u64);
    if more > 0 {
        writeln!(out, "… and {} more", grouped(more))?;
    }
    Ok(())
}

fn table(report: &RunReport, wrappers: &str, out: &mut Console<'_>) -> Result<()> {
    // Nothing can be learnt from a site with one page.
    let is_told = |(_, articles, best): &&(_, usize, Option<_>)| best.is_some() || *articles != 1;
    let shown = report.best.iter().filter(is_told).take(SITES_SHOWN);
    let sites: Vec<String> = shown.clone().map(|(site, ..)| line(site).into_owned()).collect();
    if sites.is_empty() {
        if !report.best.is_empty() {
            let text =
                "No site has several pages of one layout: every page was extracted by itself.";
            writeln!(out, "\n{}", wrapped(text, out.width(), ""))?;
        }
        return Ok(());
    }
    let most = SITE_COLUMNS.min(out.width() / 3).max(12);
    let columns = sites.iter().map(|site| width_of(site)).max().unwrap_or(0).clamp(4, most);
    // Two spaces between columns; articles and confidence have widths of their own.
    let rest = out.width().saturating_sub(columns + 2 + 8 + 2 + 10 + 2).max(12);
    writeln!(out, "\n{:<columns$}  {:>8}  {:>10}  best wrapper", "site", "articles", "confidence")?;
    let mut is_cut = false;
    for ((_, articles, best), site) in shown.zip(&sites) {
        let (confidence, wrapper) = match best {
            Some(best) => (format!("{:.2}", best.confidence), wrapper_in(rest, &best.content)),
            None if *articles > 0 => ("-".to_owned(), "(no wrapper)".to_owned()),
            None => ("-".to_owned(), "(no articles)".to_owned()),
        };
        is_cut |= wrapper.rsplit_once(" +").is_some_and(|(_, more)| more.parse::<u32>().is_ok());
        let site = padded(site, columns);
        writeln!(out, "{site}  {articles:>8}  {confidence:>10}  {wrapper}")?;
    }
    let more = report.ledger.counts.sites.saturating_sub(sites.len() as u64);
    if more > 0 {
        writeln!(out, "… and {} more {}", grouped(more), if more == 1 { "site" } else { "sites" })?;
    }
    if report.best.iter().take(SITES_SHOWN).any(|(.., best)| best.is_some()) {
        let cut = if is_cut { ", +2 two more" } else { "" };
        writeln!(out, "\n.name is a class, #name an id{cut}; {wrappers} has the XPath.")?;
    }
    Ok(())
}

fn joined(of: &BTreeMap<String, u64>) -> String {
    of.iter().map(|(name, n)| format!("{name} {}", grouped(*n))).collect::<Vec<_>>().join(", ")
}

/// Returns the outputs that were written: those in the run folder, and those elsewhere.
fn outputs(report: &RunReport, config: &Config) -> (Vec<SinkName>, Vec<SinkName>) {
    let mut written = config.emit.chosen();
    written.retain(|name| !report.ledger.failed_sinks.contains_key(name.as_str()));
    written.into_iter().partition(|name| name.is_in_run_folder(&config.emit))
}

fn json_summary(report: &RunReport, config: &Config, out: &mut Console<'_>) -> Result<()> {
    let ledger = &report.ledger;
    let (here, elsewhere) = outputs(report, config);
    let path = |name: &SinkName| name.path(&config.run.out, &config.emit);
    let written: BTreeMap<&str, _> =
        here.iter().chain(&elsewhere).map(|name| (name.as_str(), path(name))).collect();
    let sites = report.best.iter().take(SITES_SHOWN).map(|(site, articles, best)| {
        json!({
            "site": site,
            "articles": articles,
            "confidence": best.as_ref().map(|best| best.confidence),
            "content": best.as_ref().map(|best| &best.content),
        })
    });
    let chosen = ledger.selection();
    let summary = json!({
        "run": config.run.out,
        "nothing_to_do": report.nothing_to_do,
        "selection": (!chosen.is_all()).then_some(chosen),
        "counts": ledger.counts,
        "attention": ledger.attention,
        "drops": ledger.drops,
        "unreadable": ledger.unreadable,
        "failed_sinks": ledger.failed_sinks,
        "seconds": ledger.seconds,
        "sites": sites.collect::<Vec<_>>(),
        "outputs": written,
        "upload": report.upload,
    });
    Ok(out.json_line(&summary)?)
}

const INPUTS_SHOWN: usize = 30;

fn print_forecast(forecast: &Forecast, format: PrintFormat, out: &mut Console<'_>) -> Result<()> {
    if format == PrintFormat::Json {
        return Ok(out.json_line(forecast)?);
    }
    inputs(forecast, out)?;
    let Forecast { pages, sites, html_bytes, memory, memory_limit, spool_bytes, .. } = forecast;
    let mut paragraph = |text: String| writeln!(out, "{}", wrapped(&text, out.width(), "  "));
    if !forecast.selection.is_all() {
        paragraph(format!("chosen: {}", forecast.selection))?;
        let left_out: u64 = forecast.inputs.iter().flat_map(|input| input.left_out.values()).sum();
        paragraph(format!("left out: {}", count(left_out as usize, "record")))?;
    }
    paragraph(format!(
        "{} of {}, {} of HTML",
        count(*pages as usize, "page"),
        count(*sites as usize, "site"),
        size(*html_bytes)
    ))?;
    paragraph(format!(
        "memory: about {} of at most {} (--memory), with {}",
        size(*memory),
        size(*memory_limit),
        count(forecast.jobs, "thread")
    ))?;
    paragraph(match spool_bytes {
        0 => "disk during the run: none, all pages fit into memory".to_owned(),
        bytes => format!("disk during the run: about {} (--spool)", size(*bytes)),
    })?;
    paragraph(format!("disk for the results: about {}", size(forecast.results_bytes)))?;
    let folder = line(&forecast.out.to_string_lossy()).into_owned();
    paragraph(match forecast.out_holds {
        "new" => format!("results would be written to {folder}"),
        holds => format!(
            "{folder} already contains {}: the same command resumes or keeps it, another one needs \
             --overwrite or another --out",
            match holds {
                "other files" => "other files".to_owned(),
                run => format!("a {run}").replace("a unfinished", "an unfinished"),
            }
        ),
    })?;
    paragraph("Nothing was written.".to_owned())?;
    Ok(())
}

fn inputs(forecast: &Forecast, out: &mut Console<'_>) -> Result<()> {
    let shown_inputs = forecast.inputs.iter().take(INPUTS_SHOWN);
    let names: Vec<String> =
        shown_inputs.clone().map(|input| line(&input.file).into_owned()).collect();
    // The width of the other columns, with two spaces between them.
    let rest = out.width().saturating_sub(2 + 12 + 2 + 9 + 2 + 8).max(16);
    let columns = names.iter().map(|name| width_of(name)).max().unwrap_or(0).clamp(5, rest);
    writeln!(out, "{:<columns$}  {:<12}  {:>9}  {:>8}", "input", "format", "size", "pages")?;
    for (input, name) in shown_inputs.zip(&names) {
        let name = padded(name, columns);
        let InputForecast { format, bytes, pages, .. } = input;
        let (bytes, pages) = (size(*bytes), grouped(*pages));
        writeln!(out, "{name}  {format:<12}  {bytes:>9}  {pages:>8}")?;
        if let Some(problem) = &input.problem {
            writeln!(out, "  {}", wrapped(&line(problem), out.width() - 2, "  "))?;
        }
    }
    let more = forecast.inputs.len().saturating_sub(INPUTS_SHOWN);
    if more > 0 {
        writeln!(out, "… and {more} more {}", if more == 1 { "input" } else { "inputs" })?;
    }
    Ok(writeln!(out)?)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailOn {
    /// The inputs contain no page.
    Empty,
    /// More sites than this number have this verdict.
    Sites(Verdict, u64),
    /// There are fewer articles than this percentage of the usual number.
    PercentOfArticles(u64),
    /// There are fewer articles than this number.
    Articles(u64),
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let (name, limit) = match text.split_once(['<', '>']) {
            Some((name, limit)) => (name.trim(), Some(limit)),
            None => (text.trim(), None),
        };
        let is_less = text.contains('<');
        let found = match (name, limit) {
            ("empty", None) => Some(Self::Empty),
            ("articles", Some(limit)) if is_less => match limit.trim().strip_suffix('%') {
                Some(percent) => number(percent).map(Self::PercentOfArticles),
                None => number(limit).map(Self::Articles),
            },
            (name, limit) if !is_less => Verdict::parse(name)
                .filter(|verdict| *verdict != Verdict::Healthy)
                .zip(limit.map_or(Some(0), number))
                .map(|(verdict, limit)| Self::Sites(verdict, limit)),
            _ => None,
        };
        found.ok_or_else(|| {
            let verdicts = Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Healthy);
            let names: Vec<&str> = verdicts.rev().map(Verdict::as_str).collect();
            format!(
                "expected one of {}, each also with a number as in missing>3, or articles<80%, articles<500, empty",
                names.join(", ")
            )
        })
    }
}

impl fmt::Display for FailOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty"),
            Self::Sites(verdict, 0) => f.write_str(verdict.as_str()),
            Self::Sites(verdict, limit) => write!(f, "{}>{limit}", verdict.as_str()),
            Self::PercentOfArticles(percent) => write!(f, "articles<{percent}%"),
            Self::Articles(number) => write!(f, "articles<{number}"),
        }
    }
}

impl FailOn {
    /// Whether the condition compares with earlier nights.
    fn needs_nights(self) -> bool {
        matches!(self, Self::Sites(..) | Self::PercentOfArticles(_))
    }

    fn sites(verdict: Verdict, ledger: &Ledger) -> u64 {
        ledger.counts.sites_by_health.get(verdict.as_str()).copied().unwrap_or(0)
    }

    fn failure(self, ledger: &Ledger) -> Option<String> {
        let counts = &ledger.counts;
        let (is_met, why) = match self {
            Self::Empty => (counts.pages == 0, "the inputs hold no page".to_owned()),
            Self::Sites(verdict, limit) => {
                let sites = Self::sites(verdict, ledger);
                let is_are = if sites == 1 { "is" } else { "are" };
                let why =
                    format!("{} {is_are} {}", count(sites as usize, "site"), verdict.as_str());
                (sites > limit, why)
            }
            Self::PercentOfArticles(percent) => {
                let usual = counts.usual_articles.unwrap_or(0);
                let share = 100 * counts.articles / usual.max(1);
                let why =
                    format!("{share} % of the usual articles: {} of {usual}", counts.articles);
                (counts.articles * 100 < usual * percent, why)
            }
            Self::Articles(number) => {
                (counts.articles < number, count(counts.articles as usize, "article"))
            }
        };
        is_met.then_some(why)
    }

    /// Whether sites with this verdict are named if the condition is met; too few articles name all that need attention.
    fn names(self, verdict: Verdict) -> bool {
        match self {
            Self::Sites(own, _) => own == verdict,
            Self::PercentOfArticles(_) | Self::Articles(_) => verdict.needs_attention(),
            Self::Empty => false,
        }
    }
}

/// Returns whether a run fails. Prints why, and names the worst sites.
fn fails(ledger: &Ledger, fail_on: &[FailOn]) -> bool {
    let failures: Vec<(FailOn, String)> =
        fail_on.iter().filter_map(|own| Some((*own, own.failure(ledger)?))).collect();
    for (own, why) in &failures {
        tracing::error!(at = format!("--fail-on {own}"), "{why}");
    }
    let is_named = |verdict| failures.iter().any(|(own, _)| own.names(verdict));
    let named: Vec<&SiteAlarm> =
        ledger.attention.iter().filter(|alarm| is_named(alarm.health.verdict)).collect();
    for SiteAlarm { site, health } in named.iter().take(ALARMS) {
        let verdict = health.verdict.as_str();
        tracing::error!(
            at = site,
            health = verdict,
            next = health.next,
            "{verdict}: {}",
            health.evidence
        );
    }
    let all = Verdict::ALL.into_iter().filter(|&own| is_named(own));
    let all: u64 = all.map(|verdict| FailOn::sites(verdict, ledger)).sum();
    let more = all.saturating_sub(named.len().min(ALARMS) as u64);
    if more > 0 {
        tracing::error!(next = "comparison.json has all of them", "and {more} more");
    }
    !failures.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_back() {
        for text in
            ["empty", "missing", "missing>3", "too-few-pages>100", "articles<80%", "articles<500"]
        {
            assert_eq!(text.parse::<FailOn>().unwrap().to_string(), text);
        }
        assert_eq!("broken > 2".parse::<FailOn>(), Ok(FailOn::Sites(Verdict::Broken, 2)));
        for text in [
            "", "healthy", "pages", "missing<3", "articles", "articles>3", "missing>", "articles<%",
        ] {
            let error = text.parse::<FailOn>().unwrap_err();
            assert!(error.contains("missing>3"), "{text}: {error}");
        }
    }
}
