/*!
The ratchet: figures that a run must not fall below.

The file records the gold and the setting the figures were measured with, since figures with another gold, another
minimum group size or other data sets are not comparable. A floor is a row of the main tables, `measure/data set` or
`measure/data set singles`, in percent of F1. Unless lowering is allowed, floors only rise.
*/

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use sink::AtomicFile;

use super::report::{Broken, EvaluationReport, FloorVerdict};

/// Tolerance below a floor, in percentage points, for rounding.
const EPSILON: f64 = 0.05;

/// Run → `measure/data set` → percent.
pub(super) type FloorFigures = BTreeMap<String, BTreeMap<String, f64>>;

/// Figures, and the settings that they depend on.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FloorsFile {
    gold_digest: String,
    min_group: usize,
    /// The requested data sets; empty for all.
    datasets: Vec<String>,
    floors: FloorFigures,
}

/// The permitted changes to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloorUpdate {
    /// Nothing.
    Keep,
    /// Floors may rise, and new ones may be added.
    Raise,
    /// Floors may also fall.
    Any,
}

impl FloorUpdate {
    pub(super) fn of(update: bool, allow_lower: bool) -> Self {
        match (update, allow_lower) {
            (false, _) => Self::Keep,
            (true, false) => Self::Raise,
            (true, true) => Self::Any,
        }
    }
}

impl FloorVerdict {
    /// Whether a figure is below its floor, and the floor was not lowered.
    pub(super) fn is_broken(&self) -> bool {
        !self.broken.is_empty() && !self.updated
    }
}

/// The figures of a report that can have floors.
pub(super) fn measured(report: &EvaluationReport) -> FloorsFile {
    let mut floors = FloorFigures::new();
    for tables in &report.measures {
        for row in &tables.rows {
            for (run, f1) in report.runs.iter().zip(&row.f1) {
                let Some(f1) = *f1 else { continue };
                let key = format!("{}/{}", tables.measure, row.label());
                floors.entry(run.name.clone()).or_default().insert(key, f1);
            }
        }
    }
    let (gold_digest, datasets) = (report.gold_digest.clone(), report.datasets.clone());
    FloorsFile { gold_digest, min_group: report.min_group, datasets, floors }
}

/// Compares figures with the floors in a file, and changes the file as far as `change` permits.
///
/// If lowering is refused, the file is unchanged and the verdict has broken floors.
pub(super) fn hold(
    path: &Path,
    measured: FloorsFile,
    change: FloorUpdate,
) -> anyhow::Result<FloorVerdict> {
    let mut floors = stored(path, &measured, change)?;
    let mut verdict = compare(path, &floors, &measured.floors);
    if change == FloorUpdate::Any || change == FloorUpdate::Raise && verdict.broken.is_empty() {
        for (run, figures) in &measured.floors {
            let floors = floors.entry(run.clone()).or_default();
            for (key, &value) in figures {
                let value = (value * 100.0).round() / 100.0;
                let floor = floors.entry(key.clone()).or_insert(value);
                *floor = if change == FloorUpdate::Any { value } else { floor.max(value) };
            }
        }
        let text = serde_json::to_string_pretty(&FloorsFile { floors, ..measured })? + "\n";
        AtomicFile::write_whole(path, text.as_bytes())?;
        verdict.updated = true;
    }
    verdict.refused = change == FloorUpdate::Raise && !verdict.updated;
    Ok(verdict)
}

/// Reads the floors of a file, if they were measured with the same settings; empty if the file is to be created or
/// replaced.
fn stored(path: &Path, measured: &FloorsFile, change: FloorUpdate) -> anyhow::Result<FloorFigures> {
    if change != FloorUpdate::Keep && !path.exists() {
        return Ok(FloorFigures::new());
    }
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    let file: FloorsFile = serde_json::from_str(&text).with_context(|| format!("{shown}"))?;
    for (run, floors) in &file.floors {
        for (key, floor) in floors {
            ensure!(
                (0.0..=100.0).contains(floor),
                "{shown}: {run}, {key}: {floor} is not a percentage"
            );
        }
    }
    let is_same_gold = file.gold_digest == measured.gold_digest;
    let is_same = is_same_gold
        && (file.min_group, &file.datasets) == (measured.min_group, &measured.datasets);
    match (is_same, change) {
        (true, _) => Ok(file.floors),
        (false, FloorUpdate::Any) => Ok(FloorFigures::new()),
        (false, _) if !is_same_gold => bail!(
            "{shown} holds floors of another gold (sha256 {}, not {}): use that gold, or measure everything again with --update-floors --allow-lower",
            file.gold_digest,
            measured.gold_digest
        ),
        (false, _) => bail!(
            "{shown} holds floors for --min-group {} --datasets {:?}: use the same, or measure everything again with --update-floors --allow-lower",
            file.min_group,
            file.datasets.join(",")
        ),
    }
}

fn compare(path: &Path, floors: &FloorFigures, measured: &FloorFigures) -> FloorVerdict {
    let get = |figures: &FloorFigures, run: &str, key: &str| figures.get(run)?.get(key).copied();
    let (mut held, mut not_measured, mut broken) = (0, 0, Vec::new());
    for (run, keys) in floors {
        for (key, &floor) in keys {
            match get(measured, run, key) {
                None => not_measured += 1,
                Some(value) if value < floor - EPSILON => broken.push(Broken {
                    run: run.clone(),
                    key: key.clone(),
                    floor,
                    measured: value,
                }),
                Some(_) => held += 1,
            }
        }
    }
    let figures = measured.iter().flat_map(|(run, keys)| keys.keys().map(move |key| (run, key)));
    let without_floor = figures.filter(|(run, key)| get(floors, run, key).is_none()).count();
    let file = path.display().to_string();
    FloorVerdict { file, held, not_measured, without_floor, broken, updated: false, refused: false }
}
