//! The figures of one gold side by side, by data set and by page type: with weights that were fitted to it, and with
//! weights that were fitted without the publisher or the data set. All are those of complete runs with the default
//! settings.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
};

use model::PageType;
use score::{
    aggregate::{group_means, mean, template_groups},
    bootstrap,
};

use super::trial::HeldOut;

/// Fewest pages of a template that make a group, as in `evaluate`.
const MIN_GROUP: usize = 3;
/// Seed of the intervals.
const SEED: u64 = 1;
/// What counts as a page gone wrong.
const WRONG: f64 = 0.7;

/// Figures by row, in percent, with the margin of a 95 % interval where there is one.
type Column = BTreeMap<String, (f64, Option<f64>)>;

/// Prints one column for each way to fit weights: a name, and what became of the pages.
pub(super) fn side_by_side(
    heading: &str,
    columns: &[(String, Vec<HeldOut<'_>>)],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let values: Vec<Column> = columns.iter().map(|(_, pages)| column(pages)).collect();
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
        let cell = |column: &Column| match column.get(row) {
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

fn column(pages: &[HeldOut<'_>]) -> Column {
    let keys: Vec<(&str, Option<&str>)> = pages.iter().map(|p| (p.dataset, p.template)).collect();
    let groups = template_groups(&keys, MIN_GROUP);
    let mut column = Column::new();
    let mut put = |row: String, values: &[f64], with_margin: bool| {
        let Some(value) = mean(values) else { return };
        let margin = with_margin.then(|| bootstrap::paired(values, SEED)).flatten();
        let margin = margin.map(|interval| (interval.high - interval.low) * 50.0);
        column.insert(row, (value * 100.0, margin));
    };
    // Where the gold has types, its groups are of all types.
    let typed: BTreeSet<&str> =
        pages.iter().filter(|page| page.page_type.is_some()).map(|page| page.dataset).collect();
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
            group.is_none() && page.page_type.is_none_or(|own| own == PageType::Article)
        });
        let single: Vec<f64> = single.map(|own| own.2).collect();
        put(format!("single articles ({}){measure}", single.len()), &single, true);
    }
    let of_types = |is: &dyn Fn(PageType) -> bool| -> Vec<f64> {
        let own = pages.iter().filter(|page| page.page_type.is_some_and(is));
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

/// How far confidence is what it says: held-out pages in tenths by confidence, with the F1 they have; how well it
/// orders pages; and what a threshold below which an article is doubtful would catch.
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
    // Pairs of a good and a bad page of which the good one has more confidence; ties count half.
    let below = |bad: f64| {
        let less = good.partition_point(|&own| own < bad);
        let equal = good.partition_point(|&own| own <= bad) - less;
        good.len() as f64 - less as f64 - equal as f64 / 2.0
    };
    let auc = bad.iter().map(|&own| below(own)).sum::<f64>() / (bad.len() * good.len()) as f64;
    writeln!(
        out,
        "\nAUC for pages below {:.0} ({} of {}): {auc:.3}.\n",
        WRONG * 100.0,
        bad.len(),
        pages.len()
    )?;
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
