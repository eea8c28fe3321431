//! Prints the summary of a run, or what a run would process and need.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use config::{Config, SinkName};
use report::readable::{count, grouped, size, to_the_second};
use serde_json::json;
use sink::{Ledger, RunCounts, SiteAlarm};
use terminal::arguments::PrintFormat;
use terminal::printed::{Console, line};
use terminal::printed::{padded, width_of, wrapped, wrapper_in};

use crate::emit::{WRAPPER_LINES, WrapperForm};
use crate::run::forecast::{Forecast, InputForecast};
use crate::run::ledger::ALARMS;
use crate::run::{RunReport, Upload};

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

pub(super) fn print_forecast(
    forecast: &Forecast,
    format: PrintFormat,
    out: &mut Console<'_>,
) -> Result<()> {
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
