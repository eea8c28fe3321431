//! The report: every figure of every table, in percent, in one fixed order.

use std::collections::{BTreeMap, BTreeSet};

use score::{
    Measure, Score,
    aggregate::{group_means, macro_mean, mean, summarise, template_groups},
    bootstrap,
};
use serde::Serialize;

use super::{GoldFile, Run, Scores, floors::Verdict, read::GoldPage, worst::WorstPage};

/// Name of the rows over all data sets.
pub(super) const ALL: &str = "ALL";
/// Seed of the intervals: any number, but always the same.
const SEED: u64 = 1;

/// Everything an evaluation found.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) gold: String,
    pub(super) gold_digest: String,
    pub(super) pages: usize,
    pub(super) datasets: Vec<String>,
    pub(super) min_group: usize,
    pub(super) runs: Vec<RunInfo>,
    pub(super) measures: Vec<MeasureTables>,
    pub(super) worst: Vec<WorstPage>,
    pub(super) floors: Option<Verdict>,
}

/// What is to know of a run beside its scores.
#[derive(Serialize)]
pub(super) struct RunInfo {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) records: usize,
    pub(super) duplicates: usize,
    /// Pages of the gold the run lacks, counted as empty outputs.
    pub(super) missing: usize,
    /// Pages of the run that are not among the gold.
    pub(super) unknown: usize,
    /// Time spent on pages of the gold, where the run tells.
    pub(super) seconds: Option<f64>,
}

/// The tables of one measure.
#[derive(Serialize)]
pub(super) struct MeasureTables {
    pub(super) measure: &'static str,
    pub(super) about: String,
    pub(super) rows: Vec<Row>,
    pub(super) summaries: Vec<SummaryRow>,
    pub(super) differences: Vec<Difference>,
}

/// One row of the main table: the F1 of every run over one kind of page of one data set.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) dataset: String,
    /// False: the macro mean over groups of siblings. True: the mean over pages of no group.
    pub(super) singles: bool,
    /// Number of groups, or of pages.
    pub(super) units: usize,
    pub(super) f1: Vec<Option<f64>>,
}

/// Everything else about one run on one data set.
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

/// How far the first run is ahead of another.
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

impl Row {
    /// Name of the row in tables and in the floors.
    pub(super) fn label(&self) -> String {
        format!("{}{}", self.dataset, if self.singles { " singles" } else { "" })
    }
}

/// A share in percent, to four decimals.
pub(super) fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}

/// Makes the tables; the worst pages and the floors are added by others.
pub(super) fn report(
    gold: &GoldFile,
    runs: &[Run],
    measures: &[Measure],
    scores: &Scores,
    min_group: usize,
) -> Report {
    let frame = Frame::of(&gold.pages, min_group);
    let tables = |(at, measure): (usize, &Measure)| {
        let scores: Vec<&[Option<Score>]> = scores.iter().map(|run| &run[at][..]).collect();
        MeasureTables {
            measure: measure.name(),
            about: measure.describe(),
            rows: frame.rows(&scores),
            summaries: frame.summaries(runs, &scores),
            differences: frame.differences(runs, &scores),
        }
    };
    Report {
        gold: gold.path.display().to_string(),
        gold_digest: gold.digest.clone(),
        pages: gold.pages.len(),
        datasets: gold.datasets.clone(),
        min_group,
        runs: runs.iter().map(|run| run_info(run, &gold.pages)).collect(),
        measures: measures.iter().enumerate().map(tables).collect(),
        worst: Vec::new(),
        floors: None,
    }
}

fn run_info(run: &Run, gold: &[GoldPage]) -> RunInfo {
    let urls: BTreeSet<&str> = gold.iter().map(|page| page.url.as_str()).collect();
    let found: Vec<_> = urls.iter().filter_map(|&url| run.pages.get(url)).collect();
    let seconds: Vec<f64> = found.iter().filter_map(|page| page.seconds).collect();
    RunInfo {
        name: run.name.clone(),
        path: run.path.display().to_string(),
        records: run.records,
        duplicates: run.duplicates,
        missing: gold.iter().filter(|page| !run.pages.contains_key(&page.url)).count(),
        unknown: run.pages.len() - found.len(),
        seconds: (!seconds.is_empty()).then(|| seconds.iter().sum()),
    }
}

/// How the pages of the gold are grouped.
struct Frame<'a> {
    pages: &'a [GoldPage],
    groups: Vec<Option<(&'a str, &'a str)>>,
    /// The data sets by name, then [`ALL`].
    slices: Vec<&'a str>,
}

impl<'a> Frame<'a> {
    fn of(pages: &'a [GoldPage], min_group: usize) -> Self {
        let keys: Vec<_> =
            pages.iter().map(|p| (p.dataset.as_str(), p.template.as_deref())).collect();
        let names: BTreeSet<&str> = pages.iter().map(|page| page.dataset.as_str()).collect();
        Self {
            pages,
            groups: template_groups(&keys, min_group),
            slices: names.into_iter().chain([ALL]).collect(),
        }
    }

    /// The pages of a slice that have a score, with it.
    fn scored<'s>(
        &'s self,
        slice: &'s str,
        scores: &'s [Option<Score>],
    ) -> impl Iterator<Item = (usize, Score)> + 's {
        let inside = move |at: usize| slice == ALL || self.pages[at].dataset == slice;
        scores
            .iter()
            .enumerate()
            .filter_map(move |(at, score)| score.filter(|_| inside(at)).map(|s| (at, s)))
    }

    fn by_template(
        &self,
        slice: &str,
        scores: &[Option<Score>],
    ) -> BTreeMap<(&'a str, &'a str), f64> {
        let grouped = |(at, score): (usize, Score)| self.groups[at].map(|group| (group, score.f1));
        group_means(self.scored(slice, scores).filter_map(grouped))
    }

    /// A site is one whatever data sets its pages are in.
    fn by_site(&self, slice: &str, scores: &[Option<Score>]) -> BTreeMap<&'a str, f64> {
        group_means(
            self.scored(slice, scores).map(|(at, score)| (self.pages[at].site.as_str(), score.f1)),
        )
    }

    fn rows(&self, scores: &[&[Option<Score>]]) -> Vec<Row> {
        let groups = |slice: &&str| {
            let by_run: Vec<_> =
                scores.iter().map(|scores| self.by_template(slice, scores)).collect();
            let f1 = by_run.iter().map(|groups| macro_mean(groups).map(percent)).collect();
            Row { dataset: slice.to_string(), singles: false, units: by_run[0].len(), f1 }
        };
        let singles = |slice: &&str| {
            let lone = |scores| -> Vec<f64> {
                let scored =
                    self.scored(slice, scores).filter(|(at, _)| self.groups[*at].is_none());
                scored.map(|(_, score)| score.f1).collect()
            };
            let by_run: Vec<_> = scores.iter().map(|scores| lone(scores)).collect();
            let f1 = by_run.iter().map(|values| mean(values).map(percent)).collect();
            Row { dataset: slice.to_string(), singles: true, units: by_run[0].len(), f1 }
        };
        let rows = self.slices.iter().map(groups).chain(self.slices.iter().map(singles));
        rows.filter(|row| row.units > 0).collect()
    }

    fn summaries(&self, runs: &[Run], scores: &[&[Option<Score>]]) -> Vec<SummaryRow> {
        let mut rows = Vec::new();
        for slice in &self.slices {
            for (run, scores) in runs.iter().zip(scores) {
                let pages: Vec<Score> =
                    self.scored(slice, scores).map(|(_, score)| score).collect();
                let sites = self.by_site(slice, scores);
                let templates = self.by_template(slice, scores);
                let (Some(summary), Some(macro_sites)) = (summarise(&pages), macro_mean(&sites))
                else {
                    continue;
                };
                rows.push(SummaryRow {
                    dataset: slice.to_string(),
                    run: run.name.clone(),
                    pages: summary.pages,
                    precision: percent(summary.precision),
                    recall: percent(summary.recall),
                    f1: percent(summary.f1),
                    median: percent(summary.median),
                    tenth: percent(summary.tenth),
                    sites: sites.len(),
                    macro_sites: percent(macro_sites),
                    templates: templates.len(),
                    macro_templates: macro_mean(&templates).map(percent),
                });
            }
        }
        rows
    }

    fn differences(&self, runs: &[Run], scores: &[&[Option<Score>]]) -> Vec<Difference> {
        let mut rows = Vec::new();
        for (run, other) in runs.iter().zip(scores).skip(1) {
            let templates =
                paired(&self.by_template(ALL, scores[0]), &self.by_template(ALL, other));
            let sites = paired(&self.by_site(ALL, scores[0]), &self.by_site(ALL, other));
            for (over, differences) in [("templates", templates), ("sites", sites)] {
                let Some(interval) = bootstrap::paired(&differences, SEED) else { continue };
                rows.push(Difference {
                    first: runs[0].name.clone(),
                    other: run.name.clone(),
                    over,
                    mean: percent(interval.mean),
                    low: percent(interval.low),
                    high: percent(interval.high),
                    units: interval.units,
                    wins: interval.wins,
                    losses: interval.losses,
                });
            }
        }
        rows
    }
}

/// First minus second, key by key. Both have the same keys: which pages are scored depends on the gold alone.
fn paired<K: Ord>(first: &BTreeMap<K, f64>, second: &BTreeMap<K, f64>) -> Vec<f64> {
    first.values().zip(second.values()).map(|(a, b)| a - b).collect()
}
