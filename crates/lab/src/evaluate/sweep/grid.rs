//! The figures of a sweep: a row for each value of the variable, a column for each method; and the differences between
//! each method and the first, by group.

use std::fmt::Write;

use score::aggregate::{ScoreSummary, mean};
use score::bootstrap;

use crate::evaluate::sweep::Summaries;
use crate::evaluate::sweep::plan::{SweepFigure, SweepPlan};

pub(super) struct Grid {
    pub(super) axis: &'static str,
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<(String, Vec<SweepCell>)>,
    /// Groups and pages measured.
    pub(super) size: (usize, usize),
    /// Whether to show precision and recall in addition to F1.
    whole: bool,
}

/// The mean over groups, for one method at one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SweepCell {
    pub(super) groups: usize,
    pub(super) pages: usize,
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f1: f64,
}

impl SweepCell {
    fn of<'s>(summaries: impl Iterator<Item = &'s ScoreSummary>) -> Self {
        let summaries: Vec<&ScoreSummary> = summaries.collect();
        let part = |pick: fn(&ScoreSummary) -> f64| {
            mean(&summaries.iter().map(|&summary| pick(summary)).collect::<Vec<f64>>())
        };
        Self {
            groups: summaries.len(),
            pages: summaries.iter().map(|summary| summary.pages).sum(),
            precision: part(|summary| summary.precision).unwrap_or(0.0),
            recall: part(|summary| summary.recall).unwrap_or(0.0),
            f1: part(|summary| summary.f1).unwrap_or(0.0),
        }
    }
}

impl Grid {
    /// Means of the groups' summaries, by row and column.
    pub(super) fn of(plan: &SweepPlan, by_group: &[Summaries], pages: usize) -> Self {
        let cell = |row: usize, column: usize| {
            SweepCell::of(by_group.iter().filter_map(move |group| group[row][column].as_ref()))
        };
        let cells = |row: usize| (0..plan.columns.len()).map(|c| cell(row, c)).collect();
        Self {
            axis: plan.axis,
            columns: plan.columns.clone(),
            rows: plan.rows.iter().enumerate().map(|(r, row)| (row.at.clone(), cells(r))).collect(),
            size: (by_group.len(), pages),
            whole: matches!(plan.figure, Some(SweepFigure::Bars { .. })),
        }
    }

    /// One line per cell, shares from 0 to 1.
    pub(super) fn csv(&self) -> anyhow::Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let column = if self.whole { "measure" } else { "method" };
        let head = [self.axis, column, "groups", "scored_pages", "precision", "recall", "f1"];
        writer.write_record(head)?;
        for (at, cells) in &self.rows {
            for (name, cell) in self.columns.iter().zip(cells) {
                let (groups, pages) = (cell.groups.to_string(), cell.pages.to_string());
                let [p, r, f1] = [cell.precision, cell.recall, cell.f1].map(|v| format!("{v:.4}"));
                writer.write_record([at, *name, &groups, &pages, &p, &r, &f1])?;
            }
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    /// The table as Markdown, in percent.
    pub(super) fn markdown(&self) -> String {
        let mut text = format!("| {} |", self.axis);
        for name in &self.columns {
            let parts = if self.whole { ": P / R / F1" } else { "" };
            let _ = write!(text, " {name}{parts} |");
        }
        let _ = writeln!(text, "\n|--:|{}", "--:|".repeat(self.columns.len()));
        for (at, cells) in &self.rows {
            let _ = write!(text, "| {at} |");
            for cell in cells {
                let f1 = cell.f1 * 100.0;
                let _ = if self.whole {
                    let (p, r) = (cell.precision * 100.0, cell.recall * 100.0);
                    write!(text, " {p:.1} / {r:.1} / {f1:.1} |")
                } else {
                    write!(text, " {f1:.1} |")
                };
            }
            text.push('\n');
        }
        text.push('\n');
        text
    }
}

/// Seed of the intervals: arbitrary, but fixed.
const SEED: u64 = 1;

/// The difference of every other column from the first, in points of F1.
pub(super) fn differences_markdown(plan: &SweepPlan, by_group: &[Summaries]) -> String {
    let (first, others) = (plan.columns[0], &plan.columns[1..]);
    let mut text = format!("Less {first}, in points, [95 % interval over groups]:\n\n");
    let _ = write!(text, "| {} |", plan.axis);
    for other in others {
        let _ = write!(text, " {other} |");
    }
    let _ = writeln!(text, "\n|--:|{}", "--:|".repeat(others.len()));
    for (at, row) in plan.rows.iter().enumerate() {
        let _ = write!(text, "| {} |", row.at);
        for other in 1..plan.columns.len() {
            let differences: Vec<f64> = by_group
                .iter()
                .filter_map(|group| Some(group[at][other]?.f1 - group[at][0]?.f1))
                .collect();
            let Some(interval) = bootstrap::paired(&differences, SEED) else { continue };
            let [mean, low, high] =
                [interval.mean, interval.low, interval.high].map(|share| share * 100.0);
            let _ = write!(text, " {mean:+.1} [{low:+.1}, {high:+.1}] |");
        }
        text.push('\n');
    }
    text.push('\n');
    text
}
