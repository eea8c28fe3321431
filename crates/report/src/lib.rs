/*!
HTML pages about a run and about its sites, each self-contained: no page loads anything.

| page | from | by |
|---|---|---|
| `report/index.html`: the run, its sites, the comparison with an earlier run | the ledger, `report/sites.jsonl`, `report/compared.json` | [`write()`] |
| `report/sites/SITE.html`: what was learnt of a site, and how its pages read | the records of the site, and its pages if they can be read again | [`SiteView`] |

Templates (in `templates`) write the pages, and escape all that is not theirs. As the report is made from files of
the run folder, it can be rebuilt at any time, as `sitegrove inspect` does to link its pages.
*/

mod charts;
mod comparison;
mod distributions;
mod figures;
mod markup;
pub mod readable;
mod run_page;
mod site;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use askama::Template;
use sink::{AtomicFile, EarlierRun, Ledger, SiteRowsSink};

use comparison::Comparison;
use figures::SiteTable;
use run_page::RunReportPage;

pub use figures::foreign_line;
pub use site::{PagesAgain, SiteRecords, SiteView, TemplatePages, WhatDiffers};

/// The report's folder in a run folder.
pub const FOLDER: &str = "report";
/// The report in a run folder.
pub const FILE: &str = "report/index.html";
/// The comparison with an earlier run in a run folder.
const COMPARISON: &str = "report/compared.json";

/// The report's folder of a run.
pub fn folder_of(run: &Path) -> PathBuf {
    run.join(FOLDER)
}

/// The folder of the pages about single sites; the report links to them.
pub fn pages_of(run: &Path) -> PathBuf {
    folder_of(run).join(SiteRowsSink::PAGES)
}

/// The figures of the sites of a run, which a run writes with its output `report`.
pub fn sites_file(run: &Path) -> PathBuf {
    folder_of(run).join(SiteRowsSink::FILE)
}

/// Writes the report of a run folder from `report/sites.jsonl` and the ledger.
///
/// # Errors
/// If the figures of the sites cannot be read, or the report cannot be written.
pub fn write(run: &Path, ledger: &Ledger) -> Result<()> {
    let sites = SiteTable::read(&sites_file(run), &pages_of(run))?;
    let compared = Comparison::read(run)?;
    let page = RunReportPage::new(run, ledger, &sites, compared.as_ref()).render()?;
    let path = run.join(FILE);
    AtomicFile::write_whole(&path, page.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Rebuilds the report, if the run has one: its links may have changed.
///
/// # Errors
/// Like [`write()`].
pub fn refresh(run: &Path, ledger: &Ledger) -> Result<bool> {
    let has_one = run.join(FILE).is_file() && sites_file(run).is_file();
    if has_one {
        write(run, ledger)?;
    }
    Ok(has_one)
}

/// Compares a run with an earlier one; if the run has a report, the comparison becomes a part of it when it is
/// written again. Returns the figures of the earlier run.
///
/// # Errors
/// If the figures of a run cannot be read, or the comparison cannot be written.
pub fn compare(
    run: &Path,
    ledger: &Ledger,
    earlier: &Path,
    ledger_of_earlier: &Ledger,
) -> Result<EarlierRun> {
    let compared = comparison::compare_runs(run, ledger, earlier, ledger_of_earlier)?;
    if sites_file(run).is_file() {
        compared.write(run)?;
    }
    Ok(compared.before.run)
}

/// Removes the comparison of a report, which belongs to an earlier run in the same folder.
pub fn forget_comparison(run: &Path) {
    // A file that cannot be removed is replaced later, or is shown with the folder and time of both runs.
    let _ = fs::remove_file(run.join(COMPARISON));
}

/// Removes the report files of an earlier run, except [`FILE`].
pub fn remove_from(run: &Path) {
    let folder = folder_of(run);
    SiteRowsSink::remove_pages(&folder);
    forget_comparison(run);
    // Files that cannot be removed do no harm.
    for name in [SiteRowsSink::FILE, ".sites.jsonl.partial", ".index.html.partial"] {
        let _ = fs::remove_file(folder.join(name));
    }
    let _ = fs::remove_dir(folder);
}
