/*!
`sitegrove-lab evaluate --metadata`: compares titles, standfirsts, authors and dates of several runs with those of the gold.

Each field is counted by data set, in the sets whose gold has it, and over these. [`score::metadata`] documents what counts as
equal. A page or field that a run lacks has no value; a value on a page whose gold has none is wrong, as another value is.

If the first run records when it fetched its pages (`fetched`), dates are counted twice: all of them, and without those
more than a day after the fetch, which no page fetched then can have. With a crawl whose times are invented, or whose
gold was taken from a later copy, the first figure measures mainly those times. The second figure uses the same pages
for every run.
*/

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use anyhow::ensure;
use score::metadata::day;
use serde::Serialize;
use terminal::printed;

use super::report::{cell, safe};
use crate::evaluate::{ALL, EvaluatedRun, ReportFormat};
use crate::fields::{
    ComparedValue, FieldFigures, HEADS, MetadataField, ReliabilityRow, SURE, SURE_HEADS, compare,
    percent, reliability,
};
use crate::gold::{GoldFile, GoldPage};

/// The fields that gold may have.
const FIELDS: [MetadataField; 5] = [
    MetadataField::Title,
    MetadataField::Subtitle,
    MetadataField::Authors,
    MetadataField::Date,
    MetadataField::DateByFetch,
];

#[derive(Serialize)]
struct MetadataReport {
    gold: String,
    gold_digest: String,
    datasets: Vec<String>,
    runs: Vec<String>,
    /// Dates of the gold that do not begin with year-month-day, and are ignored.
    unread_dates: usize,
    rows: Vec<MetadataRow>,
    reliability: Vec<RunReliability>,
    worst: Vec<Listing>,
}

#[derive(Serialize)]
struct MetadataRow {
    field: MetadataField,
    dataset: String,
    runs: Vec<FieldFigures>,
}

/// The reliability of a run's confidences of a field.
#[derive(Serialize)]
struct RunReliability {
    field: MetadataField,
    run: String,
    #[serde(flatten)]
    row: ReliabilityRow,
}

/// A field of every page of the gold, by run; `None` for a page that is left out.
type FieldByPage = Vec<Option<Vec<ComparedValue>>>;

/// Compares the runs and writes the report.
///
/// # Errors
/// If no page of the gold has a title, a summary, an author or a date.
pub(super) fn report(
    gold: &GoldFile,
    runs: &[EvaluatedRun],
    worst: usize,
    format: ReportFormat,
) -> anyhow::Result<String> {
    let (mut rows, mut reliable, mut listings) = (Vec::new(), Vec::new(), Vec::new());
    for field in FIELDS {
        let compared: FieldByPage =
            gold.pages.iter().map(|page| compare_page(field, page, runs)).collect();
        let pages: Vec<(&str, &[ComparedValue])> = gold
            .pages
            .iter()
            .zip(&compared)
            .filter_map(|(page, compared)| Some((page.dataset.as_str(), compared.as_deref()?)))
            .collect();
        let sets: BTreeSet<&str> = pages
            .iter()
            .filter(|(_, values)| values.iter().any(|value| value.score.is_some()))
            .map(|(dataset, _)| *dataset)
            .collect();
        let of_set = |name: &str, run: usize| -> Vec<ComparedValue> {
            let is_in = |set: &str| set == name || name == ALL && sets.contains(set);
            pages.iter().filter(|(set, _)| is_in(set)).map(|(_, values)| values[run]).collect()
        };
        let all = (!sets.is_empty()).then_some(ALL);
        rows.extend(sets.iter().copied().chain(all).map(|name| MetadataRow {
            field,
            dataset: name.to_owned(),
            runs: (0..runs.len()).map(|run| FieldFigures::of(&of_set(name, run))).collect(),
        }));
        if field == MetadataField::DateByFetch {
            continue;
        }
        for (at, run) in runs.iter().enumerate() {
            let rows = reliability(&of_set(ALL, at)).into_iter();
            reliable.extend(rows.map(|row| RunReliability { field, run: run.name.clone(), row }));
        }
        if worst > 0 {
            listings.push(list_worst(field, &gold.pages, runs, &compared, worst));
        }
    }
    // If both fields count the same pages, one is omitted.
    let counts =
        |field| rows.iter().filter(|r| r.field == field).map(|r| r.runs[0].gold).sum::<usize>();
    if counts(MetadataField::Date) == counts(MetadataField::DateByFetch) {
        rows.retain(|row| row.field != MetadataField::DateByFetch);
    }
    ensure!(
        !rows.is_empty(),
        "no page of {} has gold_title, gold_summary, gold_author or gold_date",
        gold.path.display()
    );
    let dates = gold.pages.iter().filter_map(|page| page.fields.published.as_deref());
    let report = MetadataReport {
        gold: gold.path.display().to_string(),
        gold_digest: gold.digest.clone(),
        datasets: gold.datasets.clone(),
        runs: runs.iter().map(|run| run.name.clone()).collect(),
        unread_dates: dates.filter(|date| day(date).is_none()).count(),
        rows,
        reliability: reliable,
        worst: listings,
    };
    match format {
        ReportFormat::Markdown => Ok(markdown(&report)?),
        ReportFormat::Json => Ok(serde_json::to_string_pretty(&report)? + "\n"),
        ReportFormat::Csv => csv(&report),
    }
}

/// Compares one field of a page; `None` if the page is left out.
fn compare_page(
    field: MetadataField,
    page: &GoldPage,
    runs: &[EvaluatedRun],
) -> Option<Vec<ComparedValue>> {
    let found = runs.iter().map(|run| run.pages.get(&page.url).map(|page| &page.fields));
    if field == MetadataField::DateByFetch {
        let first = found.clone().next().flatten();
        let fetched = first.and_then(|fields| day(fields.fetched.as_deref()?));
        let latest = fetched.and_then(|day| day.tomorrow().ok());
        let gold = page.fields.published.as_deref().and_then(day);
        if latest.zip(gold).is_some_and(|(latest, gold)| gold > latest) {
            return None;
        }
    }
    found.map(|found| compare(field, &page.url, &page.fields, found)).collect()
}

/// The report as Markdown: one table per field, then reliability and the worst pages.
fn markdown(report: &MetadataReport) -> Result<String, fmt::Error> {
    let mut text = String::from("# Evaluation of metadata\n\n");
    writeln!(text, "Gold: {} (sha256 {}).", report.gold, report.gold_digest)?;
    if !report.datasets.is_empty() {
        writeln!(text, "Only the data sets {}.", report.datasets.join(", "))?;
    }
    writeln!(
        text,
        "Values; precision and recall in percent. Wrong is another value, or (in brackets) one on a page whose gold has \
             none; sure are values with a confidence of at least {SURE}.\n"
    )?;
    for field in FIELDS {
        let rows: Vec<&MetadataRow> = report.rows.iter().filter(|row| row.field == field).collect();
        if !rows.is_empty() {
            table(&mut text, report, field, &rows)?;
        }
    }
    if report.unread_dates > 0 {
        let count = report.unread_dates;
        writeln!(
            text,
            "{count} dates of the gold do not begin with year-month-day and are left out.\n"
        )?;
    }
    if !report.reliability.is_empty() {
        text.push_str("## Confidence, on pages whose gold has the field\n\n");
        text.push_str("| field | run | confidence | values | mean confidence | right |\n");
        text.push_str("|---|---|---|--:|--:|--:|\n");
        for RunReliability { field, run, row } in &report.reliability {
            let (name, run) = (field.as_str(), cell(run));
            let ReliabilityRow { from, to, values, said, right } = row;
            writeln!(text, "| {name} | {run} | {from}–{to} | {values} | {said:.1} | {right:.1} |")?;
        }
        text.push('\n');
    }
    for listing in report.worst.iter().filter(|listing| !listing.pages.is_empty()) {
        writeln!(text, "## Worst {} of {}\n", listing.field.as_str(), report.runs[0])?;
        for page in &listing.pages {
            writeln!(text, "- {:.1} {} ({})", page.graded, page.url, page.dataset)?;
            writeln!(text, "  - gold: {}", safe(&page.gold))?;
            for (run, value) in report.runs.iter().zip(&page.values) {
                let value = value.as_deref().map_or_else(|| "–".to_owned(), safe);
                writeln!(text, "  - {run}: {value}")?;
            }
        }
        text.push('\n');
    }
    Ok(text)
}

fn table(
    text: &mut String,
    report: &MetadataReport,
    field: MetadataField,
    rows: &[&MetadataRow],
) -> fmt::Result {
    let (about, graded) = match field {
        MetadataField::Title => ("title: the site's name taken off both", "F1 of words"),
        MetadataField::Subtitle => ("subtitle: the standfirst", "F1 of words"),
        MetadataField::Authors => ("authors: sets of names", "F1 of names"),
        MetadataField::DateByFetch => (
            "date-by-fetch: the same, without dates of the gold more than a day after the fetch",
            "within a day",
        ),
        _ => ("date: day of publication", "within a day"),
    };
    writeln!(text, "## {about}\n")?;
    let (heads, sure) = (HEADS.join(" | "), SURE_HEADS.join(" | "));
    writeln!(text, "| data set | run | {heads} | {graded} | {sure} |")?;
    writeln!(text, "|---|---|{}", "--:|".repeat(HEADS.len() + 1 + SURE_HEADS.len()))?;
    // Some systems extract only some fields: they get no row for the other fields.
    let has = |at: usize| rows.iter().any(|row| row.runs[at].has_values());
    let shown: Vec<usize> = (0..report.runs.len()).filter(|at| has(*at)).collect();
    for row in rows {
        for &at in &shown {
            let (cells, sure) = row.runs[at].cells();
            let (set, run) = (cell(&row.dataset), cell(&report.runs[at]));
            let (cells, sure, graded) = (cells.join(" | "), sure.join(" | "), row.runs[at].graded);
            writeln!(text, "| {set} | {run} | {cells} | {graded:.1} | {sure} |")?;
        }
    }
    text.push('\n');
    for &other in shown.iter().filter(|at| **at > 0) {
        let behind = |row: &&&MetadataRow| row.runs[0].exact <= row.runs[other].exact;
        let sets = rows.iter().filter(behind).map(|row| {
            let (first, other) = (row.runs[0].exact, row.runs[other].exact);
            format!("{} ({first} and {other})", cell(&row.dataset))
        });
        let sets: Vec<String> = sets.collect();
        if !sets.is_empty() {
            let (first, other) = (cell(&report.runs[0]), cell(&report.runs[other]));
            let sets = sets.join(", ");
            writeln!(text, "{first} is not ahead of {other} (exact values of both): {sets}\n")?;
        }
    }
    Ok(())
}

/// One line per figure: `field,dataset,run,statistic,value`.
fn csv(report: &MetadataReport) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["field", "dataset", "run", "statistic", "value"])?;
    for row in &report.rows {
        for (run, figures) in report.runs.iter().zip(&row.runs) {
            let serde_json::Value::Object(figures) = serde_json::to_value(figures)? else {
                continue;
            };
            for (statistic, value) in figures.iter().filter(|(_, value)| !value.is_null()) {
                let value = value.to_string();
                writer.write_record([row.field.as_str(), &row.dataset, run, statistic, &value])?;
            }
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Maximum number of characters shown of a value.
const CHARACTERS: usize = 160;

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

/// The `count` pages with the lowest scores of the first run, without exact matches. Ties are in the order of the
/// gold.
fn list_worst(
    field: MetadataField,
    gold: &[GoldPage],
    runs: &[EvaluatedRun],
    compared: &FieldByPage,
    count: usize,
) -> Listing {
    let first = |at: usize| compared[at].as_ref()?.first()?.score;
    let mut missed: Vec<_> = (0..gold.len())
        .filter_map(|at| Some((at, first(at).filter(|score| !score.exact)?.graded)))
        .collect();
    missed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let page = |(at, graded): (usize, f64)| {
        let page = &gold[at];
        let own = |run: &EvaluatedRun| run.pages.get(&page.url)?.fields.value(field);
        WorstValue {
            url: page.url.clone(),
            dataset: page.dataset.clone(),
            graded: percent(graded),
            gold: shortened(&page.fields.value(field).unwrap_or_default()),
            values: runs.iter().map(|run| own(run).map(|v| shortened(&v))).collect(),
        }
    };
    Listing { field, pages: missed.into_iter().take(count).map(page).collect() }
}

fn shortened(text: &str) -> String {
    printed::line(text.trim()).chars().take(CHARACTERS).collect()
}
