//! The result of an evaluation, and its machine-readable forms: nested JSON, and CSV with one figure per line.

use serde::Serialize;

use crate::evaluate::PageKey;
use crate::evaluate::worst::WorstPage;

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
