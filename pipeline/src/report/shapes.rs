//! Distributions of articles: by confidence, by length, by site.

use sink::length_class_end;

use super::bars::{Bar, bars};
use super::histogram::{Class, Histogram, Tick, histogram};
use super::rows::{Rows, Totals};
use crate::html::Html;
use crate::numerals::{count, grouped, percent};

/// Maximum number of sites that are drawn individually.
const FEW_SITES: usize = 15;
/// Maximum number of classes whose names are all on the axis.
const NAMED_CLASSES: usize = 8;

/// Articles by confidence.
pub(super) fn confidences(html: &mut Html, totals: &Totals, engine: &str) {
    let amount = |class: u32| totals.confidences.get(&class).copied().unwrap_or(0);
    let lowers = (0..20u32).map(|n| n * 5);
    let name = |lower: u32| {
        format!("{:.2} to {:.2}", f64::from(lower) / 100.0, f64::from(lower + 5) / 100.0)
    };
    let high: u64 = lowers.clone().filter(|&lower| lower >= 80).map(amount).sum();
    let summary = match totals.articles {
        0 => "No articles.".to_owned(),
        all => format!(
            "{}: {} with a confidence of 0.8 or more; {} doubtful.",
            count(all as usize, "article"),
            percent(high as f64, all as f64),
            if totals.doubtful == 0 { "none".to_owned() } else { grouped(totals.doubtful) },
        ),
    };
    let classes = lowers.map(|lower| Class { name: name(lower), amount: amount(lower) });
    histogram(
        html,
        &Histogram {
            id: "confidences",
            title: "Confidence",
            summary,
            counted: "articles",
            // docs/ALGORITHM.md explains the confidence of engines.
            axis: if engine == "grove" { "confidence (F1 to be expected)" } else { "confidence" },
            classes: classes.collect(),
            ticks: (0..=5u32)
                .map(|n| Tick { at: f64::from(n * 4), text: format!("{:.1}", f64::from(n) / 5.0) })
                .collect(),
        },
    );
}

/// Articles by length. The axis is logarithmic: ten classes per power of ten.
pub(super) fn lengths(html: &mut Html, totals: &Totals) {
    let known = totals.lengths.keys().copied().filter(|&lower| length_class_end(lower).is_some());
    let (first, last) = (known.clone().min().unwrap_or(0), known.max().unwrap_or(0));
    let mut classes: Vec<(u32, u32)> = Vec::new();
    let mut next = Some(first);
    while let Some(lower) = next.filter(|&lower| lower <= last) {
        next = length_class_end(lower);
        classes.extend(next.map(|end| (lower, end)));
    }
    // Adds empty classes, so that a few lengths do not look like many.
    while classes.len() < 6 {
        let Some(lower) = classes.last().map(|class| class.1) else { break };
        let Some(end) = length_class_end(lower) else { break };
        classes.push((lower, end));
    }
    let marks: &[u32] = if classes.len() > 16 { &[1] } else { &[1, 2, 5] };
    let edges = classes.iter().map(|class| class.0).chain(classes.last().map(|class| class.1));
    let ticks = (0u32..).zip(edges).filter(|&(_, edge)| is_mark(edge, marks));
    let ticks = ticks.map(|(at, edge)| Tick { at: f64::from(at), text: grouped(edge.into()) });
    let class = |&(lower, end): &(u32, u32)| Class {
        name: format!("{} to {}", grouped(lower.into()), grouped(u64::from(end) - 1)),
        amount: totals.lengths.get(&lower).copied().unwrap_or(0),
    };
    histogram(
        html,
        &Histogram {
            id: "lengths",
            title: "Length",
            summary: median(totals).unwrap_or_else(|| "No articles.".to_owned()),
            counted: "articles",
            axis: "characters of text (logarithmic)",
            classes: classes.iter().map(class).collect(),
            ticks: ticks.collect(),
        },
    );
}

/// Whether an edge consists of one of these digits followed by zeros.
fn is_mark(edge: u32, digits: &[u32]) -> bool {
    let mut digit = edge;
    while digit >= 10 && digit.is_multiple_of(10) {
        digit /= 10;
    }
    digits.contains(&digit)
}

/// The median and the 95th percentile of the lengths.
fn median(totals: &Totals) -> Option<String> {
    let all: u64 = totals.lengths.values().sum();
    let class_of = |rank: u64| {
        let mut before = 0;
        totals.lengths.iter().find_map(|(&class, &n)| {
            before += n;
            (before > rank).then_some(class)
        })
    };
    let (middle, high) = (class_of(all / 2)?, class_of(all - 1 - all / 20)?);
    let end = |class| length_class_end(class).map(|end| grouped(end.into()));
    Some(format!(
        "The median is between {} and {} characters; 19 of 20 have fewer than {}.",
        grouped(middle.into()),
        end(middle)?,
        end(high)?,
    ))
}

/// Sites by number of articles: individually, or by size classes.
pub(super) fn articles_per_site(html: &mut Html, rows: &Rows) {
    let totals = &rows.totals;
    if rows.rows.len() <= FEW_SITES {
        html.raw("<section class=\"figure\">\n<h2>Articles by site</h2>\n");
        let each = rows.rows.iter().map(|row| Bar {
            name: row.site.clone(),
            more: String::new(),
            amount: row.articles as f64,
            shown: grouped(row.articles as u64),
        });
        bars(html, ["Site", "Articles"], &each.collect::<Vec<_>>(), 0.0);
        html.raw("</section>\n");
        return;
    }
    let most = totals.sites_by_size.keys().next_back().copied().unwrap_or(0);
    let class = |size: u32| Class {
        name: match size {
            0 | 1 => size.to_string(),
            _ => format!("{}–{}", grouped(1u64 << (size - 1)), grouped((1u64 << size) - 1)),
        },
        amount: totals.sites_by_size.get(&size).copied().unwrap_or(0),
    };
    let classes: Vec<Class> = (0..=most).map(class).collect();
    let every = if classes.len() > NAMED_CLASSES { 2 } else { 1 };
    let named = (0u32..).zip(&classes).step_by(every);
    let ticks = named.map(|(at, c)| Tick { at: f64::from(at) + 0.5, text: c.name.clone() });
    let largest = rows.rows.first().map_or(0, |row| row.articles as u64);
    let tenth = totals.sites.div_ceil(10) as usize;
    let in_tenth: u64 = rows.rows.iter().take(tenth).map(|row| row.articles as u64).sum();
    histogram(
        html,
        &Histogram {
            id: "sizes",
            title: "Articles by site",
            summary: format!(
                "The largest site gave {}; the largest tenth of the sites gave {} of all.",
                count(largest as usize, "article"),
                percent(in_tenth as f64, totals.articles as f64),
            ),
            counted: "sites",
            axis: "articles of a site",
            ticks: ticks.collect(),
            classes,
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_that_of_the_classes() {
        let mut totals = Totals::default();
        assert_eq!(median(&totals), None);
        totals.lengths = [(100, 9), (1000, 11), (8000, 1)].into();
        let text = median(&totals).unwrap();
        assert!(text.contains("between 1,000 and 1,250"), "{text}");
        assert!(text.contains("fewer than 1,250"), "{text}");
    }

    #[test]
    fn marks_are_round_numbers() {
        assert!(is_mark(1000, &[1]) && is_mark(500, &[1, 2, 5]) && !is_mark(500, &[1]));
        assert!(!is_mark(0, &[1, 2, 5]) && !is_mark(125, &[1, 2, 5]));
    }
}
