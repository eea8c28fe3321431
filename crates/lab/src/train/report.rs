//! The held-out figures: by step and data set, and side by side for several ways to fit weights. All are figures of
//! complete runs with the default settings.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use grove::{Figure, ScoredPage, TYPES, most_probable, threshold};
use model::PageType;
use rayon::prelude::*;
use score::aggregate::{group_means, mean, template_groups};
use score::bootstrap;

use super::HeldOut;
use crate::train::course::{Course, page_f1, text_of_blocks};
use crate::train::pages::{LabelledPage, TrainingTemplate};
use crate::train::percent;

/// Minimum number of pages of a template that form a group, as in `evaluate`.
const MIN_GROUP: usize = 3;
/// F1 below which a page counts as wrong.
const WRONG: f64 = 0.7;

/// The steps of extraction, in the order of the columns.
const STEPS: [&str; 5] = ["page", "siblings", "patterns", "ending", "article"];

pub(super) struct HeldOutTable {
    /// Data set, number of groups, and mean over groups of each step; the last rows are all groups, and pages in no group.
    rows: Vec<(String, usize, [f64; 5])>,
    pages: usize,
    wrong: usize,
}

impl HeldOutTable {
    pub(super) fn of(
        templates: &[TrainingTemplate<'_>],
        course: &Course,
        held_out: &[HeldOut<'_>],
    ) -> Self {
        let of_template = |(t, template): (usize, &TrainingTemplate<'_>)| -> Vec<[Option<f64>; 4]> {
            let pages = template.pages.iter().enumerate();
            let with_gold = pages.filter(|(_, page)| page.gold.is_some());
            with_gold.map(|(p, page)| of_page(page, course, t, p)).collect()
        };
        let steps: Vec<[Option<f64>; 4]> =
            templates.par_iter().enumerate().flat_map_iter(of_template).collect();
        let groups = groups_of(held_out);
        let column = |step: usize, page: usize| -> Option<f64> {
            if step < 4 { steps[page][step] } else { held_out[page].f1 }
        };
        let means: Vec<BTreeMap<(&str, &str), f64>> = (0..STEPS.len())
            .map(|step| {
                let values = groups.iter().enumerate();
                group_means(values.filter_map(|(page, g)| Some(((*g)?, column(step, page)?))))
            })
            .collect();
        let mut sets: BTreeMap<&str, Vec<[f64; 5]>> = BTreeMap::new();
        for key in means[0].keys() {
            let row = std::array::from_fn(|step| means[step].get(key).copied().unwrap_or(0.0));
            sets.entry(key.0).or_default().push(row);
        }
        let all: Vec<[f64; 5]> = sets.values().flatten().copied().collect();
        let alone: Vec<[f64; 5]> = (0..held_out.len())
            .filter(|&page| groups[page].is_none())
            .filter_map(|page| {
                held_out[page].f1?;
                Some(std::array::from_fn(|step| column(step, page).unwrap_or(0.0)))
            })
            .collect();
        let row = |set: &str, of: &[[f64; 5]]| (set.to_owned(), of.len(), mean_by_step(of));
        let mut rows: Vec<_> = sets.iter().map(|(set, groups)| row(set, groups)).collect();
        rows.extend([row("ALL", &all), row("single pages", &alone)]);
        let counted = held_out.iter().filter_map(|page| page.f1);
        let wrong = counted.clone().filter(|&f1| f1 < WRONG).count();
        Self { rows, pages: counted.count(), wrong }
    }

    pub(super) fn print(&self, name: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "## {name}\n")?;
        writeln!(
            out,
            "Pairs of words, title-neutral F1 in percent, mean over groups of siblings.\n"
        )?;
        writeln!(out, "| data set | groups | {} |", STEPS.join(" | "))?;
        writeln!(out, "|---|--:|{}", "--:|".repeat(STEPS.len()))?;
        for (set, count, values) in &self.rows {
            let values: Vec<String> = values.iter().map(|v| format!("{:.1}", v * 100.0)).collect();
            writeln!(out, "| {set} | {count} | {} |", values.join(" | "))?;
        }
        let Self { pages, wrong, .. } = self;
        writeln!(out, "\n{wrong} of {pages} pages are below {:.0}.\n", WRONG * 100.0)?;
        Ok(())
    }

    /// The figures recorded in the weights file.
    pub(super) fn figures(&self, name: &str) -> Vec<Figure> {
        let rows = self.rows.iter();
        rows.map(|(set, _, [.., f1])| percent(format!("{name}, {set}, F1"), *f1)).collect()
    }
}

fn groups_of<'a>(pages: &[HeldOut<'a>]) -> Vec<Option<(&'a str, &'a str)>> {
    let key = |page: &HeldOut<'a>| (&*page.gold.dataset, page.gold.template.as_deref());
    let keys: Vec<_> = pages.iter().map(key).collect();
    template_groups(&keys, MIN_GROUP)
}

/// F1 of a page after each step but the last.
fn of_page(page: &LabelledPage<'_>, course: &Course, t: usize, p: usize) -> [Option<f64>; 4] {
    let above = |scores: &[f32]| -> Vec<usize> {
        let threshold = threshold(&[ScoredPage { page: &page.blocks, patterns: &[], scores }]);
        (0..scores.len()).filter(|&at| scores[at] > threshold).collect()
    };
    let kept = &course.kept[t][p];
    let steps = [
        above(&course.first[t][p]),
        above(&course.second[t][p]),
        kept.clone(),
        kept[..course.ends[t][p]].to_vec(),
    ];
    steps.map(|blocks| page_f1(page, &text_of_blocks(page, &blocks)))
}

fn mean_by_step(rows: &[[f64; 5]]) -> [f64; 5] {
    std::array::from_fn(|step| {
        rows.iter().map(|row| row[step]).sum::<f64>() / rows.len().max(1) as f64
    })
}

/// Quality of page type prediction: pages by the type in the gold and the predicted type of their template.
pub(super) fn types(
    templates: &[TrainingTemplate<'_>],
    course: &Course,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut counts = [[0u32; TYPES]; TYPES];
    for (template, types) in templates.iter().zip(&course.types) {
        let predicted = most_probable(types).page_type;
        let golden = template.pages.iter().filter_map(|page| page.gold.as_ref()?.0.page_type);
        golden.for_each(|gold| counts[gold as usize][predicted as usize] += 1);
    }
    let all: u32 = counts.iter().flatten().sum();
    if all == 0 {
        return Ok(());
    }
    let names = PageType::ALL.map(PageType::as_str);
    writeln!(out, "| page type | {} | predicted correctly |", names.join(" | "))?;
    writeln!(out, "|---|{}", "--:|".repeat(TYPES + 1))?;
    let percent = |part: u32, of: u32| 100.0 * f64::from(part) / f64::from(of.max(1));
    for (at, row) in counts.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(u32::to_string).collect();
        let correct = percent(row[at], row.iter().sum());
        writeln!(out, "| {} | {} | {correct:.0} % |", names[at], cells.join(" | "))?;
    }
    let right: u32 = (0..TYPES).map(|at| counts[at][at]).sum();
    let right = percent(right, all);
    writeln!(out, "\n{right:.1} % of {all} pages with a type are predicted correctly.\n")?;
    Ok(())
}

const SEED: u64 = 1;

/// Figures by row, in percent, some with the margin of a 95 % interval.
type FigureColumn = BTreeMap<String, (f64, Option<f64>)>;

/// Prints one column for each way to fit weights, given as its name and the results of the pages.
pub(super) fn side_by_side(
    heading: &str,
    columns: &[(String, Vec<HeldOut<'_>>)],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let values: Vec<FigureColumn> = columns.iter().map(|(_, pages)| column(pages)).collect();
    let rows: BTreeSet<&String> = values.iter().flat_map(BTreeMap::keys).collect();
    let names: Vec<&str> = columns.iter().map(|(name, _)| &**name).collect();
    writeln!(out, "## {heading}\n")?;
    writeln!(
        out,
        "Groups: pairs of words, title-neutral F1 in percent, mean over groups of siblings, ± half of the 95 % \
         interval; field-neutral: bylines, dates and captions are compared neither. Types: words, F1 in percent, mean over pages; a page without an article counts 0.\n"
    )?;
    writeln!(out, "| | {} |\n|---|{}", names.join(" | "), "--:|".repeat(names.len()))?;
    for row in rows {
        let cell = |column: &FigureColumn| match column.get(row) {
            Some((value, Some(margin))) => format!("{value:.1} ± {margin:.1}"),
            Some((value, None)) => format!("{value:.1}"),
            None => String::new(),
        };
        let cells: Vec<String> = values.iter().map(cell).collect();
        writeln!(out, "| {row} | {} |", cells.join(" | "))?;
    }
    writeln!(out)?;
    Ok(())
}

fn column(pages: &[HeldOut<'_>]) -> FigureColumn {
    let groups = groups_of(pages);
    let mut column = FigureColumn::new();
    let mut put = |row: String, values: &[f64], with_margin: bool| {
        let Some(value) = mean(values) else { return };
        let margin = with_margin.then(|| bootstrap::paired(values, SEED)).flatten();
        let margin = margin.map(|interval| (interval.high - interval.low) * 50.0);
        column.insert(row, (value * 100.0, margin));
    };
    // In data sets with types, groups of siblings may be of any type.
    let with_type = pages.iter().filter(|page| page.gold.page_type.is_some());
    let typed: BTreeSet<&str> = with_type.map(|page| &*page.gold.dataset).collect();
    for (measure, without_fields) in [("", false), (", field-neutral", true)] {
        let f1 = |page: &HeldOut<'_>| if without_fields { page.fields_f1 } else { page.f1 };
        let pairs = || {
            pages.iter().zip(&groups).filter_map(|(page, group)| Some((page, *group, f1(page)?)))
        };
        let means = group_means(pairs().filter_map(|(_, group, f1)| Some((group?, f1))));
        let sets: BTreeSet<&str> = means.keys().map(|key| key.0).collect();
        for set in sets {
            let own: Vec<f64> =
                means.iter().filter(|(key, _)| key.0 == set).map(|own| *own.1).collect();
            put(format!("groups, {set} ({}){measure}", own.len()), &own, false);
        }
        let all: Vec<f64> = means.values().copied().collect();
        put(format!("groups, all ({}){measure}", all.len()), &all, true);
        let articles: Vec<f64> =
            means.iter().filter(|(key, _)| !typed.contains(key.0)).map(|own| *own.1).collect();
        put(format!("groups, sets of articles ({}){measure}", articles.len()), &articles, true);
        let single = pairs().filter(|(page, group, _)| {
            group.is_none() && page.gold.page_type.is_none_or(|own| own == PageType::Article)
        });
        let single: Vec<f64> = single.map(|own| own.2).collect();
        put(format!("single articles ({}){measure}", single.len()), &single, true);
    }
    let of_types = |is: &dyn Fn(PageType) -> bool| -> Vec<f64> {
        let own = pages.iter().filter(|page| page.gold.page_type.is_some_and(is));
        own.filter_map(|page| page.words_f1).collect()
    };
    for own in PageType::ALL {
        let values = of_types(&|other| other == own);
        put(format!("type {} ({})", own.as_str(), values.len()), &values, false);
    }
    let values = of_types(&|_| true);
    put(format!("types, all ({})", values.len()), &values, true);
    let scored = pages.iter().filter_map(|page| page.f1);
    let wrong: Vec<f64> = scored.map(|f1| f64::from(u8::from(f1 < WRONG))).collect();
    put(format!("pages below {:.0} ({})", WRONG * 100.0, wrong.len()), &wrong, false);
    column
}

/// Prints how reliable the confidence is: held-out pages in tenths by confidence, with their F1; how well confidence
/// orders pages; and the shares of good and bad pages below thresholds for doubtful articles.
pub(super) fn reliability(held_out: &[HeldOut<'_>], out: &mut dyn Write) -> anyhow::Result<()> {
    let confidence = |page: &HeldOut<'_>| Some((page.article.as_ref()?.confidence, page.f1?));
    let mut pages: Vec<(f64, f64)> = held_out.iter().filter_map(confidence).collect();
    pages.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    writeln!(out, "| confidence | pages | mean confidence | mean F1 |\n|---|--:|--:|--:|")?;
    for tenth in 0..10 {
        let own = &pages[pages.len() * tenth / 10..pages.len() * (tenth + 1) / 10];
        let (Some(first), Some(last)) = (own.first(), own.last()) else { continue };
        let mean = |of: fn(&(f64, f64)) -> f64| own.iter().map(of).sum::<f64>() / own.len() as f64;
        let (count, said, is) = (own.len(), mean(|page| page.0), mean(|page| page.1));
        writeln!(out, "| {:.3}–{:.3} | {count} | {said:.3} | {is:.3} |", first.0, last.0)?;
    }
    let bad: Vec<f64> = pages.iter().filter(|page| page.1 < WRONG).map(|page| page.0).collect();
    let good: Vec<f64> = pages.iter().filter(|page| page.1 >= WRONG).map(|page| page.0).collect();
    if bad.is_empty() || good.is_empty() {
        writeln!(out)?;
        return Ok(());
    }
    // Counts pairs of a good and a bad page in which the good one has the higher confidence; ties count half.
    let below = |bad: f64| {
        let less = good.partition_point(|&own| own < bad);
        let equal = good.partition_point(|&own| own <= bad) - less;
        good.len() as f64 - less as f64 - equal as f64 / 2.0
    };
    let auc = bad.iter().map(|&own| below(own)).sum::<f64>() / (bad.len() * good.len()) as f64;
    let (below, wrong, all) = (WRONG * 100.0, bad.len(), pages.len());
    writeln!(out, "\nAUC for pages below {below:.0} ({wrong} of {all}): {auc:.3}.\n")?;
    writeln!(out, "| doubtful below | of the bad pages | of the good pages |\n|---|--:|--:|")?;
    for threshold in (50..=95).step_by(5).map(|percent| f64::from(percent) / 100.0) {
        let share = |pages: &[f64]| {
            100.0 * pages.partition_point(|&own| own < threshold) as f64 / pages.len() as f64
        };
        writeln!(out, "| {threshold:.2} | {:.0} % | {:.1} % |", share(&bad), share(&good))?;
    }
    writeln!(out)?;
    Ok(())
}
