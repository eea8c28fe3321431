//! The report on metadata as Markdown and CSV.

use super::{
    super::markdown::{cell, line},
    Field, Report, Row,
};

/// The report as Markdown: one table per field, then the worst pages.
pub(super) fn markdown(report: &Report) -> String {
    let mut text = String::from("# Evaluation of metadata\n\n");
    line(&mut text, format_args!("Gold: {} (sha256 {}).", report.gold, report.gold_digest));
    if !report.datasets.is_empty() {
        line(&mut text, format_args!("Only the data sets {}.", report.datasets.join(", ")));
    }
    text.push_str("In percent of the gold's values; a value that is missing counts as zero.\n\n");
    for field in Field::ALL {
        let rows: Vec<&Row> = report.rows.iter().filter(|row| row.field == field).collect();
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

fn table(text: &mut String, report: &Report, field: Field, rows: &[&Row]) {
    let (about, graded) = match field {
        Field::Title => ("title: the site's name taken off both", "F1 of words"),
        Field::Authors => ("authors: sets of names", "F1 of names"),
        Field::Date => ("date: day of publication", "within a day"),
        Field::DateByFetch => (
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
pub(super) fn csv(report: &Report) -> anyhow::Result<String> {
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
