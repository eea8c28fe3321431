//! `report/index.html`: a self-contained page about the whole run.
//!
//! It is made from files of the run: `report/sites.jsonl`, which the sink of the same name writes site by site, the
//! ledger, and `report/compared.json`, if the run is compared with an earlier one. So it can be rebuilt at any time, as
//! `sitegrove inspect` does to link its pages.

mod bars;
mod changed;
mod compared;
mod comparison;
mod contents;
mod first;
mod histogram;
mod lines;
mod overview;
mod rows;
mod shapes;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sink::{AtomicFile, SiteRowsSink};

use crate::html::{Brought, Html};
use crate::numerals::{count, grouped};
use comparison::Comparison;
use rows::Rows;
use sink::{EarlierRun, Ledger};

/// The report's folder in a run folder.
pub const FOLDER: &str = "report";
/// The report in a run folder.
pub const FILE: &str = "report/index.html";

const BROUGHT: Brought = Brought {
    style: concat!(include_str!("html/base.css"), include_str!("report/style.css")),
    script: include_str!("report/script.js"),
};

/// The report's folder of a run.
pub fn folder_of(run: &Path) -> PathBuf {
    run.join(FOLDER)
}

/// The folder of pages about single sites, which the report links.
pub fn pages_of(run: &Path) -> PathBuf {
    folder_of(run).join(SiteRowsSink::PAGES)
}

/// Writes the report of a run folder from `report/sites.jsonl` and the ledger.
///
/// # Errors
/// If the figures of the sites cannot be read, or the report cannot be written.
pub fn write(run: &Path, ledger: &Ledger) -> Result<()> {
    let rows = Rows::read(&folder_of(run).join(SiteRowsSink::FILE), &pages_of(run))?;
    let compared = comparison::read(run)?;
    let document = document(run, ledger, &rows, compared.as_ref());
    let path = run.join(FILE);
    AtomicFile::write_whole(&path, document.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Rebuilds the report, if the run has one: its links may have changed.
///
/// # Errors
/// As [`write()`].
pub fn refresh(run: &Path, ledger: &Ledger) -> Result<bool> {
    let has_one = run.join(FILE).is_file() && folder_of(run).join(SiteRowsSink::FILE).is_file();
    if has_one {
        write(run, ledger)?;
    }
    Ok(has_one)
}

/// Compares a run with an earlier one; if the run has a report, the comparison becomes a part of it when it is
/// written again. Returns the figures of the earlier run.
///
/// # Errors
/// If a folder contains no finished run, its figures cannot be read, or the comparison cannot be written.
pub fn compare(run: &Path, ledger: &Ledger, earlier: &Path, before: &Ledger) -> Result<EarlierRun> {
    let compared = comparison::compare(run, ledger, earlier, before)?;
    if folder_of(run).join(SiteRowsSink::FILE).is_file() {
        comparison::write(run, &compared)?;
    }
    Ok(compared.before.run)
}

/// Removes the comparison of a report, which belongs to an earlier run in the same folder.
pub fn forget_comparison(run: &Path) {
    // A leftover that cannot be removed is replaced, or else shown with the folder and time of both runs.
    let _ = fs::remove_file(folder_of(run).join(comparison::FILE));
}

/// Removes the report files of an earlier run, except [`FILE`].
pub fn remove_from(run: &Path) {
    let folder = folder_of(run);
    SiteRowsSink::remove_pages(&folder);
    // Leftovers that cannot be removed do no harm.
    for name in
        [SiteRowsSink::FILE, comparison::FILE, ".sites.jsonl.partial", ".index.html.partial"]
    {
        let _ = fs::remove_file(folder.join(name));
    }
    let _ = fs::remove_dir(folder);
}

fn document(run: &Path, ledger: &Ledger, rows: &Rows, compared: Option<&Comparison>) -> String {
    let mut html = Html::default();
    let counts = &ledger.counts;
    let title = format!(
        "{} of {}",
        count(counts.articles as usize, "article"),
        count(counts.sites as usize, "site")
    );
    html.head(&format!("{title} – sitegrove report"), BROUGHT);
    html.raw("<body>\n<a class=\"skip\" href=\"#sites\">Skip to the sites</a>\n<header>\n");
    html.element("<h1>", &title, "</h1>\n<p class=\"facts\">");
    html.text(&format!(
        "From {} · begun {} · engine {} · sitegrove {} · settings {}",
        count(counts.pages as usize, "page"),
        begun(&ledger.started),
        ledger.engine,
        ledger.version,
        ledger.config_hash.get(..12).unwrap_or_default(),
    ));
    html.raw("</p>\n</header>\n<main>\n");
    overview::problems(&mut html, ledger);
    overview::tiles(&mut html, ledger, &rows.totals);
    first::look(&mut html, ledger, rows);
    changed::sites(&mut html, rows);
    if let Some(compared) = compared {
        compared::section(&mut html, compared);
    }
    html.raw("<div class=\"figures\">\n");
    shapes::confidences(&mut html, &rows.totals, &ledger.engine);
    shapes::lengths(&mut html, &rows.totals);
    shapes::articles_per_site(&mut html, rows);
    contents::figures(&mut html, &rows.totals);
    overview::left_out(&mut html, ledger);
    overview::stages(&mut html, ledger);
    html.raw("</div>\n");
    table::sites(&mut html, run, rows);
    overview::inputs(&mut html, ledger);
    html.raw("</main>\n<footer><p>All figures are also in <code>ledger.json</code> and ");
    html.raw("<code>report/sites.jsonl</code> of the run folder.</p></footer>\n");
    table::data(&mut html, rows);
    html.end(BROUGHT);
    html.finish()
}

/// `2026-11-21 15:49 UTC` of an RFC 3339 time.
fn begun(started: &str) -> String {
    match (started.get(..10), started.get(11..16)) {
        (Some(day), Some(minute)) => format!("{day} {minute} UTC"),
        _ => started.to_owned(),
    }
}

/// A number of a total with its share, in words.
fn of_all(part: u64, whole: u64) -> String {
    format!("{} ({})", grouped(part), crate::numerals::percent(part as f64, whole as f64))
}
