/*!
`sitegrove-lab evaluate --metadata`: compares titles, authors and dates of several runs with those of the gold.

Each field is scored on the pages whose gold has it, by data set and over all. [`score::metadata`] documents the scores
and what counts as equal. A page or field that a run lacks scores zero and has no value.

If the first run records when it fetched its pages (`fetched`), dates are counted twice: all of them, and without those
more than a day after the fetch, which no page fetched then can have. With a crawl whose times are invented, or whose
gold was taken from a later copy, the first figure measures mainly those times. The second figure uses the same pages
for every run.
*/

use std::collections::BTreeSet;

use anyhow::ensure;
use score::aggregate::mean;
use score::metadata::{FieldScore, authors, date, day, has_names, title};
use serde::Serialize;
use terminal::printed;

use crate::evaluate::markdown::{cell, line};
use crate::evaluate::runs::RunPage;
use crate::evaluate::{ALL, EvaluatedRun, ReportFormat, percent};
use crate::gold::{GoldFile, GoldPage};

/// A field that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum MetadataField {
    Title,
    Authors,
    Date,
    /// Dates not later than a day after the page was fetched.
    DateByFetch,
}

impl MetadataField {
    const ALL: [Self; 4] = [Self::Title, Self::Authors, Self::Date, Self::DateByFetch];

    const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Authors => "authors",
            Self::Date => "date",
            Self::DateByFetch => "date-by-fetch",
        }
    }
}

/// The result of the comparison.
#[derive(Serialize)]
struct MetadataReport {
    gold: String,
    gold_digest: String,
    datasets: Vec<String>,
    runs: Vec<String>,
    /// Dates of the gold that do not begin with year-month-day, and are ignored.
    unread_dates: usize,
    rows: Vec<MetadataRow>,
    worst: Vec<Listing>,
}

/// One field of one data set.
#[derive(Serialize)]
struct MetadataRow {
    field: MetadataField,
    dataset: String,
    /// Pages whose gold has the field.
    gold: usize,
    /// In the order of the runs.
    runs: Vec<MetadataFigures>,
}

/// The figures of a run, in percent of the gold's values.
#[derive(Serialize)]
struct MetadataFigures {
    exact: f64,
    graded: f64,
    with_value: f64,
}

/// The score of every run for one field of one page, and whether it has a value.
type Scored = Vec<(FieldScore, bool)>;

/// Compares the runs and writes the report.
///
/// # Errors
/// If no page of the gold has a title, an author or a date.
pub(super) fn report(
    gold: &GoldFile,
    runs: &[EvaluatedRun],
    worst: usize,
    format: ReportFormat,
) -> anyhow::Result<String> {
    let mut names: Vec<&str> = gold
        .pages
        .iter()
        .map(|page| page.dataset.as_str())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    names.push(ALL);
    let mut rows = Vec::new();
    let mut listings = Vec::new();
    for field in MetadataField::ALL {
        let scored: Vec<Option<Scored>> =
            gold.pages.iter().map(|page| score_page(field, page, runs)).collect();
        rows.extend(
            names.iter().filter_map(|name| row(field, name, &gold.pages, &scored, runs.len())),
        );
        if worst > 0 && field != MetadataField::DateByFetch {
            listings.push(list_worst(field, &gold.pages, runs, &scored, worst));
        }
    }
    // A second count of the same pages is omitted.
    let counts = |field| rows.iter().filter(|r| r.field == field).map(|r| r.gold).sum::<usize>();
    if counts(MetadataField::Date) == counts(MetadataField::DateByFetch) {
        rows.retain(|row| row.field != MetadataField::DateByFetch);
    }
    ensure!(
        !rows.is_empty(),
        "no page of {} has gold_title, gold_author or gold_date",
        gold.path.display()
    );
    let dates = gold.pages.iter().filter_map(|page| page.date.as_deref());
    let report = MetadataReport {
        gold: gold.path.display().to_string(),
        gold_digest: gold.digest.clone(),
        datasets: gold.datasets.clone(),
        runs: runs.iter().map(|run| run.name.clone()).collect(),
        unread_dates: dates.filter(|date| day(date).is_none()).count(),
        rows,
        worst: listings,
    };
    match format {
        ReportFormat::Markdown => Ok(markdown(&report)),
        ReportFormat::Json => Ok(serde_json::to_string_pretty(&report)? + "\n"),
        ReportFormat::Csv => csv(&report),
    }
}

/// Scores one field of a page; `None` if its gold does not have it.
fn score_page(field: MetadataField, page: &GoldPage, runs: &[EvaluatedRun]) -> Option<Scored> {
    let mut found = runs.iter().map(|run| run.pages.get(&page.url));
    match field {
        MetadataField::Title => {
            let address = url::Url::parse(&page.url).ok();
            let host = address.as_ref().and_then(url::Url::host_str).unwrap_or_default();
            let gold = page.title.as_deref()?;
            let score = |run: Option<&RunPage>| {
                let own = run.and_then(|page| page.title.as_deref()).unwrap_or_default();
                Some((title(gold, own, host)?, !own.trim().is_empty()))
            };
            found.map(score).collect()
        }
        MetadataField::Authors => {
            let score = |run: Option<&RunPage>| {
                let own = run.map(|page| page.authors.as_slice()).unwrap_or_default();
                Some((authors(&page.authors, own)?, has_names(own)))
            };
            found.map(score).collect()
        }
        MetadataField::Date | MetadataField::DateByFetch => {
            let gold = day(page.date.as_deref()?)?;
            if field == MetadataField::DateByFetch {
                let first = found.clone().next().flatten();
                let fetched = first.and_then(|page| day(page.fetched.as_deref()?));
                if fetched.and_then(|day| day.tomorrow().ok()).is_some_and(|latest| gold > latest) {
                    return None;
                }
            }
            let score = |run: Option<&RunPage>| {
                let own = run.and_then(|page| day(page.published.as_deref()?));
                (date(gold, own), own.is_some())
            };
            Some(found.by_ref().map(score).collect())
        }
    }
}

fn row(
    field: MetadataField,
    dataset: &str,
    pages: &[GoldPage],
    scored: &[Option<Scored>],
    runs: usize,
) -> Option<MetadataRow> {
    let of_set: Vec<&Scored> = pages
        .iter()
        .zip(scored)
        .filter(|(page, _)| dataset == ALL || page.dataset == dataset)
        .filter_map(|(_, scored)| scored.as_ref())
        .collect();
    let figures = |run: usize| {
        let share = |of: fn(&(FieldScore, bool)) -> f64| {
            let values: Vec<f64> = of_set.iter().map(|scored| of(&scored[run])).collect();
            percent(mean(&values).unwrap_or_default())
        };
        MetadataFigures {
            exact: share(|s| f64::from(u8::from(s.0.exact))),
            graded: share(|s| s.0.graded),
            with_value: share(|s| f64::from(u8::from(s.1))),
        }
    };
    (!of_set.is_empty()).then(|| MetadataRow {
        field,
        dataset: dataset.to_owned(),
        gold: of_set.len(),
        runs: (0..runs).map(figures).collect(),
    })
}

/// The report as Markdown: one table per field, then the worst pages.
fn markdown(report: &MetadataReport) -> String {
    let mut text = String::from("# Evaluation of metadata\n\n");
    line(&mut text, format_args!("Gold: {} (sha256 {}).", report.gold, report.gold_digest));
    if !report.datasets.is_empty() {
        line(&mut text, format_args!("Only the data sets {}.", report.datasets.join(", ")));
    }
    text.push_str("In percent of the gold's values; a value that is missing counts as zero.\n\n");
    for field in MetadataField::ALL {
        let rows: Vec<&MetadataRow> = report.rows.iter().filter(|row| row.field == field).collect();
        if !rows.is_empty() {
            table(&mut text, report, field, &rows);
        }
    }
    if report.unread_dates > 0 {
        let count = report.unread_dates;
        line(
            &mut text,
            format_args!(
                "{count} dates of the gold do not begin with year-month-day and are left out.\n"
            ),
        );
    }
    for listing in report.worst.iter().filter(|listing| !listing.pages.is_empty()) {
        line(&mut text, format_args!("## Worst {} of {}\n", listing.field.name(), report.runs[0]));
        for page in &listing.pages {
            line(&mut text, format_args!("- {:.1} {} ({})", page.graded, page.url, page.dataset));
            line(&mut text, format_args!("  - gold: {}", safe(&page.gold)));
            for (run, value) in report.runs.iter().zip(&page.values) {
                let value = value.as_deref().map_or_else(|| "–".to_owned(), safe);
                line(&mut text, format_args!("  - {run}: {value}"));
            }
        }
        text.push('\n');
    }
    text
}

fn table(text: &mut String, report: &MetadataReport, field: MetadataField, rows: &[&MetadataRow]) {
    let (about, graded) = match field {
        MetadataField::Title => ("title: the site's name taken off both", "F1 of words"),
        MetadataField::Authors => ("authors: sets of names", "F1 of names"),
        MetadataField::Date => ("date: day of publication", "within a day"),
        MetadataField::DateByFetch => (
            "date-by-fetch: the same, without dates of the gold more than a day after the fetch",
            "within a day",
        ),
    };
    line(text, format_args!("## {about}\n"));
    line(text, format_args!("| data set | gold | run | exact | {graded} | with a value |"));
    text.push_str("|---|--:|---|--:|--:|--:|\n");
    // Some systems extract only some fields: no row for the others.
    let has = |name: &&String| {
        let at = report.runs.iter().position(|run| run == *name);
        at.is_some_and(|at| rows.iter().any(|row| row.runs[at].with_value > 0.0))
    };
    for row in rows {
        for (run, figures) in report.runs.iter().zip(&row.runs).filter(|(run, _)| has(run)) {
            line(
                text,
                format_args!(
                    "| {} | {} | {} | {:.1} | {:.1} | {:.1} |",
                    cell(&row.dataset),
                    row.gold,
                    cell(run),
                    figures.exact,
                    figures.graded,
                    figures.with_value
                ),
            );
        }
    }
    text.push('\n');
}

/// One line per figure: `field,dataset,run,statistic,gold,value`.
fn csv(report: &MetadataReport) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["field", "dataset", "run", "statistic", "gold", "value"])?;
    for row in &report.rows {
        for (run, figures) in report.runs.iter().zip(&row.runs) {
            for (statistic, value) in [
                ("exact", figures.exact),
                ("graded", figures.graded),
                ("with_value", figures.with_value),
            ] {
                let (gold, value) = (row.gold.to_string(), value.to_string());
                writer.write_record([
                    row.field.name(),
                    &row.dataset,
                    run,
                    statistic,
                    &gold,
                    &value,
                ])?;
            }
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Text with markup escaped.
fn safe(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Maximum number of characters shown of a value.
const CHARACTERS: usize = 160;

/// The worst pages of one field.
#[derive(Serialize)]
struct Listing {
    field: MetadataField,
    pages: Vec<WorstValue>,
}

/// A page on which the value of the first run differs from the gold.
#[derive(Serialize)]
struct WorstValue {
    url: String,
    dataset: String,
    graded: f64,
    gold: String,
    /// The values of all runs, in order.
    values: Vec<Option<String>>,
}

/// The `count` pages with the lowest scores of the first run, without exact ones; ties in the order
/// of the gold.
fn list_worst(
    field: MetadataField,
    gold: &[GoldPage],
    runs: &[EvaluatedRun],
    scored: &[Option<Scored>],
    count: usize,
) -> Listing {
    let first = |at: usize| scored[at].as_ref().and_then(|scores| scores.first()).map(|s| s.0);
    let mut missed: Vec<_> = (0..gold.len())
        .filter_map(|at| Some((at, first(at).filter(|score| !score.exact)?.graded)))
        .collect();
    missed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let page = |(at, graded): (usize, f64)| {
        let page = &gold[at];
        let own =
            |run: &EvaluatedRun| run.pages.get(&page.url).and_then(|found| value(field, found));
        WorstValue {
            url: page.url.clone(),
            dataset: page.dataset.clone(),
            graded: percent(graded),
            gold: shortened(&match field {
                MetadataField::Title => page.title.clone().unwrap_or_default(),
                MetadataField::Authors => page.authors.join("; "),
                MetadataField::Date | MetadataField::DateByFetch => {
                    page.date.clone().unwrap_or_default()
                }
            }),
            values: runs.iter().map(|run| own(run).map(|v| shortened(&v))).collect(),
        }
    };
    Listing { field, pages: missed.into_iter().take(count).map(page).collect() }
}

fn value(field: MetadataField, page: &RunPage) -> Option<String> {
    match field {
        MetadataField::Title => page.title.clone(),
        MetadataField::Authors => (!page.authors.is_empty()).then(|| page.authors.join("; ")),
        MetadataField::Date | MetadataField::DateByFetch => page.published.clone(),
    }
}

/// The beginning of a value.
fn shortened(text: &str) -> String {
    printed::line(text.trim()).chars().take(CHARACTERS).collect()
}
