//! The held-out figures, by step and data set.

use std::{collections::BTreeMap, io::Write};

use grove::{Figure, ScoredPage, TYPES, most_probable, threshold};
use model::PageType;
use rayon::prelude::*;
use score::aggregate::{group_means, template_groups};

use super::{
    course::{Course, page_f1, text_of_blocks},
    pages::{Prepared, Siblings},
    percent,
    trial::HeldOut,
};

/// Minimum number of pages of a template that form a group, as in `evaluate`.
const MIN_GROUP: usize = 3;
/// F1 below which a page counts as wrong.
const WRONG: f64 = 0.7;

/// The steps towards an article, in the order of the columns.
const STEPS: [&str; 5] = ["page", "siblings", "patterns", "ending", "article"];

/// F1 by data set and step.
pub(super) struct Table {
    /// Data set, number of groups, mean over groups of each step.
    rows: Vec<(String, usize, [f64; 5])>,
    /// Pages in no group.
    singles: (usize, [f64; 5]),
    /// All groups, pages, and wrong pages.
    all: [f64; 5],
    groups: usize,
    pages: usize,
    wrong: usize,
}

impl Table {
    /// Scores every step.
    pub(super) fn of(
        templates: &[Siblings<'_>],
        course: &Course,
        held_out: &[HeldOut<'_>],
    ) -> Self {
        let steps: Vec<[Option<f64>; 4]> = (0..templates.len())
            .into_par_iter()
            .flat_map_iter(|t| {
                let pages = templates[t].pages.iter().enumerate();
                pages
                    .filter(|(_, page)| page.gold.is_some())
                    .map(move |(p, page)| of_page(page, course, t, p))
            })
            .collect();
        let keys: Vec<(&str, Option<&str>)> =
            held_out.iter().map(|page| (page.dataset, page.template)).collect();
        let groups = template_groups(&keys, MIN_GROUP);
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
        let counted = held_out.iter().filter_map(|page| page.f1);
        Self {
            rows: sets
                .iter()
                .map(|(set, groups)| ((*set).to_owned(), groups.len(), mean(groups)))
                .collect(),
            singles: (alone.len(), mean(&alone)),
            all: mean(&all),
            groups: all.len(),
            pages: counted.clone().count(),
            wrong: counted.filter(|&f1| f1 < WRONG).count(),
        }
    }

    /// Prints the table as Markdown.
    pub(super) fn print(&self, name: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "## {name}\n")?;
        writeln!(
            out,
            "Pairs of words, title-neutral F1 in percent, mean over groups of siblings.\n"
        )?;
        writeln!(out, "| data set | groups | {} |", STEPS.join(" | "))?;
        writeln!(out, "|---|--:|{}", "--:|".repeat(STEPS.len()))?;
        let mut row = |set: &str, count: usize, values: &[f64; 5]| {
            let values: Vec<String> = values.iter().map(|v| format!("{:.1}", v * 100.0)).collect();
            writeln!(out, "| {set} | {count} | {} |", values.join(" | "))
        };
        for (set, groups, values) in &self.rows {
            row(set, *groups, values)?;
        }
        row("ALL", self.groups, &self.all)?;
        row("single pages", self.singles.0, &self.singles.1)?;
        writeln!(
            out,
            "\n{} of {} pages are below {:.0}.\n",
            self.wrong,
            self.pages,
            WRONG * 100.0
        )?;
        Ok(())
    }

    /// The figures recorded in the weights file.
    pub(super) fn figures(&self, name: &str) -> Vec<Figure> {
        let article = STEPS.len() - 1;
        let sets = self.rows.iter().map(|(set, _, values)| (set.as_str(), values[article]));
        let all = [("ALL", self.all[article]), ("single pages", self.singles.1[article])];
        sets.chain(all).map(|(set, f1)| percent(format!("{name}, {set}, F1"), f1)).collect()
    }
}

/// F1 of a page after each step but the last.
fn of_page(page: &Prepared<'_>, course: &Course, t: usize, p: usize) -> [Option<f64>; 4] {
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

fn mean(rows: &[[f64; 5]]) -> [f64; 5] {
    std::array::from_fn(|step| {
        rows.iter().map(|row| row[step]).sum::<f64>() / rows.len().max(1) as f64
    })
}

/// Quality of page type prediction: pages by the type in the gold and the predicted type of their template.
pub(super) fn types(
    templates: &[Siblings<'_>],
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
    writeln!(
        out,
        "\n{:.1} % of {all} pages with a type are predicted correctly.\n",
        percent(right, all)
    )?;
    Ok(())
}
