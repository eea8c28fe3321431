//! The report as Markdown.

use std::fmt::{self, Write};

use terminal::printed;

use super::{
    PageKey,
    report::{EvaluationReport, FloorVerdict, MeasureTables},
    worst::{ParagraphExcerpts, WorstPage},
};

pub(super) fn render(report: &EvaluationReport) -> Result<String, fmt::Error> {
    let mut text = String::from("# Evaluation\n\n");
    head(&mut text, report)?;
    for tables in &report.measures {
        measure(&mut text, report, tables)?;
    }
    if !report.worst.is_empty() {
        let page = &report.worst[0];
        writeln!(text, "## Worst pages of {} by {}\n", report.runs[0].name, page.measure)?;
        for page in &report.worst {
            worst(&mut text, report, page)?;
        }
    }
    if let Some(verdict) = &report.floors {
        text.push_str(&floors(verdict)?);
    }
    Ok(text)
}

pub(super) fn floors(verdict: &FloorVerdict) -> Result<String, fmt::Error> {
    let mut text = String::from("## Floors\n\n");
    let fate = if verdict.updated {
        "rewritten"
    } else if verdict.is_broken() {
        "**BROKEN**"
    } else {
        "held"
    };
    writeln!(
        text,
        "{}: {fate}. {} held, {} broken, {} not measured here; {} figures without a floor.\n",
        verdict.file,
        verdict.held,
        verdict.broken.len(),
        verdict.not_measured,
        verdict.without_floor
    )?;
    for broken in &verdict.broken {
        let (run, key) = (&broken.run, &broken.key);
        writeln!(text, "- {run}, {key}: {:.2} is below {:.2}", broken.measured, broken.floor)?;
    }
    if verdict.refused {
        text.push_str("\nThe file was left as it is: only --allow-lower lowers a floor.\n");
    }
    Ok(text)
}

fn head(text: &mut String, report: &EvaluationReport) -> fmt::Result {
    writeln!(text, "{} pages of {} (sha256 {}).", report.pages, report.gold, report.gold_digest)?;
    if !report.datasets.is_empty() {
        writeln!(text, "Only the data sets {}.", report.datasets.join(", "))?;
    }
    writeln!(
        text,
        "F1 in percent. Groups are templates of at least {} pages and weigh the same; singles are the pages of no group.\n",
        report.min_group
    )?;
    text.push_str("| run | file | records | repeated | pages missing (count as empty) | not in the gold | seconds |\n");
    text.push_str("|---|---|--:|--:|--:|--:|--:|\n");
    for run in &report.runs {
        let seconds = run.seconds.map_or_else(String::new, |seconds| format!("{seconds:.1}"));
        let (records, duplicates) = (run.records, run.duplicates);
        let (name, path) = (cell(&run.name), cell(&run.path));
        writeln!(
            text,
            "| {name} | {path} | {records} | {duplicates} | {} | {} | {seconds} |",
            run.missing, run.unknown
        )?;
    }
    text.write_char('\n')
}

fn measure(text: &mut String, report: &EvaluationReport, tables: &MeasureTables) -> fmt::Result {
    writeln!(text, "## {}: {}\n", tables.measure, tables.about)?;
    if tables.rows.is_empty() {
        return text.write_str("No page of the gold can be scored.\n\n");
    }
    let key = match report.key {
        PageKey::Dataset => "data set",
        PageKey::Type => "page type",
        PageKey::Language => "language",
    };
    write!(text, "| {key} | over |")?;
    for run in &report.runs {
        write!(text, " {} |", cell(&run.name))?;
    }
    writeln!(text, "\n|---|---|{}", "--:|".repeat(report.runs.len()))?;
    for row in &tables.rows {
        let unit = if row.singles { "pages" } else { "groups" };
        write!(text, "| {} | {} {unit} |", cell(&row.label()), row.units)?;
        for f1 in &row.f1 {
            write!(text, " {} |", figure(*f1))?;
        }
        text.push('\n');
    }
    writeln!(
        text,
        "\n| {key} | run | pages | P | R | F1 | median | 10th percentile | sites | F1 by site | groups | F1 by group |"
    )?;
    writeln!(text, "|---|---|{}", "--:|".repeat(10))?;
    for row in &tables.summaries {
        writeln!(
            text,
            "| {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {} | {:.1} | {} | {} |",
            cell(&row.dataset),
            cell(&row.run),
            row.pages,
            row.precision,
            row.recall,
            row.f1,
            row.median,
            row.tenth,
            row.sites,
            row.macro_sites,
            row.templates,
            figure(row.macro_templates)
        )?;
    }
    text.push('\n');
    for row in &tables.differences {
        writeln!(
            text,
            "- {} − {}: {:+.2} [{:+.2}, {:+.2}] over {} {}; wins {}, losses {}",
            row.first,
            row.other,
            row.mean,
            row.low,
            row.high,
            row.units,
            row.over,
            row.wins,
            row.losses
        )?;
    }
    text.write_str(if tables.differences.is_empty() { "" } else { "\n" })
}

fn worst(text: &mut String, report: &EvaluationReport, page: &WorstPage) -> fmt::Result {
    let f1 = figure(page.f1[0]);
    writeln!(text, "### {f1} (P {:.1}, R {:.1}) {}\n", page.precision, page.recall, page.url)?;
    let template = page.template.as_deref().unwrap_or("single");
    let others = report.runs.iter().zip(&page.f1).skip(1);
    let others: String =
        others.map(|(run, f1)| format!("; {} {}", run.name, figure(*f1))).collect();
    writeln!(text, "{}, {template}{others}\n", page.dataset)?;
    excerpts(text, "missed", &page.missed)?;
    excerpts(text, "extra", &page.extra)?;
    text.write_char('\n')
}

fn excerpts(text: &mut String, what: &str, excerpts: &ParagraphExcerpts) -> fmt::Result {
    for paragraph in &excerpts.paragraphs {
        writeln!(text, "- {what}: {}", safe(paragraph))?;
    }
    if excerpts.more > 0 {
        writeln!(text, "- {what}: {} more", excerpts.more)?;
    }
    Ok(())
}

/// Text with markup escaped.
pub(super) fn safe(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A figure, or a dash if there is none.
fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"))
}

/// Text escaped for a table cell.
pub(super) fn cell(text: &str) -> String {
    printed::line(text).replace('|', "\\|")
}
