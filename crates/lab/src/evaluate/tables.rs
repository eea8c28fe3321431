//! The tables of the report: all figures, in percent, in a fixed order; and the worst pages.

use std::collections::{BTreeMap, BTreeSet};

use model::{PageType, counts_of};
use rayon::prelude::*;
use score::aggregate::{group_means, macro_mean, mean, summarise, template_groups};
use score::words::WordNumbers;
use score::{Gold, QualityMeasure, Score, bootstrap, neutral, paragraphs};
use terminal::printed::line;

use super::report::{
    Difference, EvaluationReport, MeasureRow, MeasureTables, ParagraphExcerpts, RunInfo,
    SummaryRow, WorstPage,
};
use super::{ALL, EvaluatedRun, PageKey, Scores};
use crate::fields::percent;
use crate::gold::{GoldFile, GoldPage};

/// Name of the row of pages in rare or unknown languages.
const OTHER: &str = "other";

/// Seed of the intervals: arbitrary, but fixed.
const SEED: u64 = 1;

/// Builds the tables; the worst pages and the floors are added later.
pub(super) fn report(
    gold: &GoldFile,
    runs: &[EvaluatedRun],
    measures: &[QualityMeasure],
    scores: &Scores,
    min_group: usize,
    key: PageKey,
) -> EvaluationReport {
    let names = names_of_slices(&gold.pages, key);
    let frame = PageGroups::of(&gold.pages, &names, min_group);
    let tables = |(at, measure): (usize, &QualityMeasure)| {
        let scores: Vec<&[Option<Score>]> = scores.iter().map(|run| &run[at][..]).collect();
        MeasureTables {
            measure: measure.name(),
            about: measure.describe(),
            rows: frame.rows(&scores),
            summaries: frame.summaries(runs, &scores),
            differences: frame.differences(runs, &scores),
        }
    };
    EvaluationReport {
        gold: gold.path.display().to_string(),
        gold_digest: gold.digest.clone(),
        pages: gold.pages.len(),
        datasets: gold.datasets.clone(),
        key,
        min_group,
        runs: runs.iter().map(|run| run_info(run, &gold.pages)).collect(),
        measures: measures.iter().enumerate().map(tables).collect(),
        worst: Vec::new(),
        floors: None,
    }
}

fn run_info(run: &EvaluatedRun, gold: &[GoldPage]) -> RunInfo {
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

/// Languages with fewer pages are counted together.
const FEWEST_OF_LANGUAGE: usize = 10;

/// For each page, the name of the slice that it counts in, in addition to [`ALL`].
fn names_of_slices(pages: &[GoldPage], key: PageKey) -> Vec<String> {
    let language = |page: &GoldPage| {
        let found = terms::detect(&page.text);
        found.map_or_else(|| OTHER.to_owned(), |found| found.language.as_str().to_owned())
    };
    let mut names: Vec<String> = match key {
        PageKey::Dataset => pages.iter().map(|page| page.dataset.clone()).collect(),
        PageKey::Type => {
            // Gold without types consists of articles.
            let of = |page: &GoldPage| page.page_type.unwrap_or(PageType::Article);
            pages.iter().map(|page| of(page).as_str().to_owned()).collect()
        }
        PageKey::Language => pages.par_iter().map(language).collect(),
    };
    if key == PageKey::Language {
        let pages_of: BTreeMap<String, usize> = counts_of(names.iter().cloned());
        for name in names.iter_mut().filter(|name| pages_of[*name] < FEWEST_OF_LANGUAGE) {
            OTHER.clone_into(name);
        }
    }
    names
}

struct PageGroups<'a> {
    pages: &'a [GoldPage],
    /// For each page, the name of its slice.
    names: &'a [String],
    groups: Vec<Option<(&'a str, &'a str)>>,
    /// The slices by name, then [`ALL`].
    slices: Vec<&'a str>,
}

impl<'a> PageGroups<'a> {
    fn of(pages: &'a [GoldPage], names: &'a [String], min_group: usize) -> Self {
        let keys: Vec<_> =
            pages.iter().map(|p| (p.dataset.as_str(), p.template.as_deref())).collect();
        let slices: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        Self {
            pages,
            names,
            groups: template_groups(&keys, min_group),
            slices: slices.into_iter().chain([ALL]).collect(),
        }
    }

    /// The pages of a slice that have a score, with their scores.
    fn scored<'s>(
        &'s self,
        slice: &'s str,
        scores: &'s [Option<Score>],
    ) -> impl Iterator<Item = (usize, Score)> + 's {
        let inside = move |at: usize| slice == ALL || self.names[at] == slice;
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

    /// A site counts once, whatever data sets its pages are in.
    fn by_site(&self, slice: &str, scores: &[Option<Score>]) -> BTreeMap<&'a str, f64> {
        group_means(
            self.scored(slice, scores).map(|(at, score)| (self.pages[at].site.as_str(), score.f1)),
        )
    }

    fn rows(&self, scores: &[&[Option<Score>]]) -> Vec<MeasureRow> {
        let groups = |slice: &&str| {
            let by_run: Vec<_> =
                scores.iter().map(|scores| self.by_template(slice, scores)).collect();
            let f1 = by_run.iter().map(|groups| macro_mean(groups).map(percent)).collect();
            MeasureRow { dataset: slice.to_string(), singles: false, units: by_run[0].len(), f1 }
        };
        let singles = |slice: &&str| {
            let lone = |scores| -> Vec<f64> {
                let scored =
                    self.scored(slice, scores).filter(|(at, _)| self.groups[*at].is_none());
                scored.map(|(_, score)| score.f1).collect()
            };
            let by_run: Vec<_> = scores.iter().map(|scores| lone(scores)).collect();
            let f1 = by_run.iter().map(|values| mean(values).map(percent)).collect();
            MeasureRow { dataset: slice.to_string(), singles: true, units: by_run[0].len(), f1 }
        };
        let rows = self.slices.iter().map(groups).chain(self.slices.iter().map(singles));
        rows.filter(|row| row.units > 0).collect()
    }

    fn summaries(&self, runs: &[EvaluatedRun], scores: &[&[Option<Score>]]) -> Vec<SummaryRow> {
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

    fn differences(&self, runs: &[EvaluatedRun], scores: &[&[Option<Score>]]) -> Vec<Difference> {
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

/// First minus second, by key. Both have the same keys, because the gold alone decides which pages
/// are scored.
fn paired<K: Ord>(first: &BTreeMap<K, f64>, second: &BTreeMap<K, f64>) -> Vec<f64> {
    first.values().zip(second.values()).map(|(a, b)| a - b).collect()
}

/// Maximum number of paragraphs shown of each sort.
const PARAGRAPHS: usize = 6;
/// Maximum number of characters shown of a paragraph.
const CHARACTERS: usize = 160;

/// The `count` pages with the lowest scores of the first run under the first measure, worst first;
/// ties in the order of the gold.
pub(super) fn worst_pages(
    gold: &[GoldPage],
    fields: &[Vec<String>],
    runs: &[EvaluatedRun],
    measures: &[QualityMeasure],
    scores: &Scores,
    count: usize,
) -> Vec<WorstPage> {
    let (first, measure) = (&scores[0][0], measures[0]);
    let mut order: Vec<_> =
        first.iter().enumerate().filter_map(|(at, score)| Some((at, (*score)?))).collect();
    order.sort_by(|(_, a), (_, b)| a.f1.total_cmp(&b.f1));
    let page = |(at, score): (usize, score::Score)| {
        let page = &gold[at];
        let (text, output) =
            compared(&page.as_gold(&fields[at]), runs[0].output(&page.url).text, measure);
        WorstPage {
            url: page.url.clone(),
            dataset: page.dataset.clone(),
            template: page.template.clone(),
            measure: measure.name(),
            precision: percent(score.precision),
            recall: percent(score.recall),
            f1: scores.iter().map(|run| run[0][at].map(|score| percent(score.f1))).collect(),
            missed: excerpts(&paragraphs::lacking(&text, &output)),
            extra: excerpts(&paragraphs::lacking(&output, &text)),
        }
    };
    order.into_iter().take(count).map(page).collect()
}

/// The two texts without the optional text that the measure removes.
fn compared(gold: &Gold<'_>, output: &str, measure: QualityMeasure) -> (String, String) {
    gold.aside.of(measure.neutral).map_or_else(
        || (gold.text.to_owned(), output.to_owned()),
        |aside| neutral::strip(gold.text, output, &aside, &mut WordNumbers::new()),
    )
}

fn excerpts(all: &[&str]) -> ParagraphExcerpts {
    let paragraphs = all.iter().take(PARAGRAPHS).map(|text| shortened(text)).collect();
    ParagraphExcerpts { paragraphs, more: all.len().saturating_sub(PARAGRAPHS) }
}

fn shortened(text: &str) -> String {
    let text = line(text);
    let mut short: String = text.chars().take(CHARACTERS).collect();
    if text.chars().count() > CHARACTERS {
        short.push('…');
    }
    short
}
