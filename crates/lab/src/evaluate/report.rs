//! The result of an evaluation and its forms: nested JSON, CSV with one figure per line, Markdown.

use std::fmt::{self, Write};

use serde::Serialize;
use terminal::printed;

use super::PageKey;

#[derive(Serialize)]
pub(super) struct EvaluationReport {
    pub(super) gold: String,
    pub(super) gold_digest: String,
    pub(super) pages: usize,
    pub(super) datasets: Vec<String>,
    /// What the rows stand for; the field `dataset` of a row has the name.
    pub(super) key: PageKey,
    pub(super) min_group: usize,
    pub(super) runs: Vec<RunInfo>,
    pub(super) measures: Vec<MeasureTables>,
    pub(super) worst: Vec<WorstPage>,
    pub(super) floors: Option<FloorVerdict>,
}

/// Properties of a run besides its scores.
#[derive(Serialize)]
pub(super) struct RunInfo {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) records: usize,
    pub(super) duplicates: usize,
    /// Pages of the gold that are not in the run; they count as empty outputs.
    pub(super) missing: usize,
    /// Pages of the run that are not in the gold.
    pub(super) unknown: usize,
    /// Time spent on pages of the gold, if the run records it.
    pub(super) seconds: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct MeasureTables {
    pub(super) measure: &'static str,
    pub(super) about: String,
    pub(super) rows: Vec<MeasureRow>,
    pub(super) summaries: Vec<SummaryRow>,
    pub(super) differences: Vec<Difference>,
}

/// One row of the main table: the F1 of every run, over one kind of pages of one data set, page type or language.
#[derive(Serialize)]
pub(super) struct MeasureRow {
    pub(super) dataset: String,
    /// False: the macro mean over groups of siblings. True: the mean over pages in no group.
    pub(super) singles: bool,
    /// Number of groups, or of pages.
    pub(super) units: usize,
    pub(super) f1: Vec<Option<f64>>,
}

/// All other figures of one run on one data set.
#[derive(Serialize)]
pub(super) struct SummaryRow {
    pub(super) dataset: String,
    pub(super) run: String,
    pub(super) pages: usize,
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f1: f64,
    pub(super) median: f64,
    pub(super) tenth: f64,
    pub(super) sites: usize,
    pub(super) macro_sites: f64,
    pub(super) templates: usize,
    pub(super) macro_templates: Option<f64>,
}

/// The difference between the first run and another.
#[derive(Serialize)]
pub(super) struct Difference {
    pub(super) first: String,
    pub(super) other: String,
    pub(super) over: &'static str,
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) units: usize,
    pub(super) wins: usize,
    pub(super) losses: usize,
}

impl MeasureRow {
    /// Name of the row in tables and in the floors.
    pub(super) fn label(&self) -> String {
        format!("{}{}", self.dataset, if self.singles { " singles" } else { "" })
    }
}

/// The comparison of the measured figures with their floors.
#[derive(Debug, Serialize)]
pub(super) struct FloorVerdict {
    pub(super) file: String,
    /// Floors that were met.
    pub(super) held: usize,
    /// Floors that this evaluation has no figure for: other runs or other measures.
    pub(super) not_measured: usize,
    pub(super) without_floor: usize,
    pub(super) broken: Vec<Broken>,
    /// Whether the file was written.
    pub(super) updated: bool,
    /// Whether the file was not written because a floor would have fallen.
    pub(super) refused: bool,
}

/// A figure below its floor.
#[derive(Debug, Serialize)]
pub(super) struct Broken {
    pub(super) run: String,
    pub(super) key: String,
    pub(super) floor: f64,
    pub(super) measured: f64,
}

/// A page with its missed and extra paragraphs.
#[derive(Serialize)]
pub(super) struct WorstPage {
    pub(super) url: String,
    pub(super) dataset: String,
    pub(super) template: Option<String>,
    pub(super) measure: &'static str,
    pub(super) precision: f64,
    pub(super) recall: f64,
    /// The F1 of every run, in order.
    pub(super) f1: Vec<Option<f64>>,
    pub(super) missed: ParagraphExcerpts,
    pub(super) extra: ParagraphExcerpts,
}

/// The first few of many paragraphs, shortened.
#[derive(Serialize)]
pub(super) struct ParagraphExcerpts {
    pub(super) paragraphs: Vec<String>,
    /// Number of further paragraphs.
    pub(super) more: usize,
}

/// One line per figure: `measure,dataset,run,over,statistic,units,value`.
///
/// `over` is the unit over which the mean is taken: templates, singles, pages, sites. For a
/// difference, `run` is `first - other`.
pub(super) fn csv(report: &EvaluationReport) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["measure", "dataset", "run", "over", "statistic", "units", "value"])?;
    for tables in &report.measures {
        let mut put =
            |dataset: &str, run: &str, over: &str, statistic: &str, units: usize, value: f64| {
                let (units, value) = (units.to_string(), value.to_string());
                writer.write_record([tables.measure, dataset, run, over, statistic, &units, &value])
            };
        for row in &tables.rows {
            let over = if row.singles { "singles" } else { "templates" };
            for (run, f1) in report.runs.iter().zip(&row.f1) {
                let Some(f1) = *f1 else { continue };
                put(&row.dataset, &run.name, over, "f1", row.units, f1)?;
            }
        }
        for row in &tables.summaries {
            let pages = [
                ("precision", row.precision),
                ("recall", row.recall),
                ("f1", row.f1),
                ("median_f1", row.median),
                ("tenth_percentile_f1", row.tenth),
            ];
            for (statistic, value) in pages {
                put(&row.dataset, &row.run, "pages", statistic, row.pages, value)?;
            }
            put(&row.dataset, &row.run, "sites", "f1", row.sites, row.macro_sites)?;
        }
        for row in &tables.differences {
            let runs = format!("{} - {}", row.first, row.other);
            for (statistic, value) in
                [("difference", row.mean), ("low", row.low), ("high", row.high)]
            {
                put(super::ALL, &runs, row.over, statistic, row.units, value)?;
            }
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

pub(super) fn markdown(report: &EvaluationReport) -> Result<String, fmt::Error> {
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
