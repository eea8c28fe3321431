//! Differences between each method and the first, by group, with the interval of the mean.

use std::fmt::Write;

use score::bootstrap;

use super::{Summaries, plan::Plan};

/// Seed of the intervals: arbitrary, but fixed.
const SEED: u64 = 1;

/// The difference of every other column from the first, in points of F1.
pub(super) fn markdown(plan: &Plan, by_group: &[Summaries]) -> String {
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
