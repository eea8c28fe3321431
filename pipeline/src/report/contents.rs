//! What the articles are: their metadata fields, languages, dates and page types.

use std::collections::BTreeMap;

use super::bars::{Bar, bars};
use super::histogram::{Class, Histogram, Tick, histogram};
use super::of_all;
use super::rows::Totals;
use crate::html::Html;
use crate::numerals::{grouped, percent};

/// Maximum number of languages that are drawn; the others are one bar.
const LANGUAGES: usize = 8;
/// Maximum number of months, or of years, in the plot of dates.
const CLASSES: usize = 30;
/// Of so many articles, one may be older than the months or years that are drawn one by one.
const OLDER: u64 = 20;

/// Every metadata field, with what it is.
const FIELDS: [(&str, &str); 13] = [
    ("title", "headline"),
    ("authors", "names"),
    ("published", "date of publication"),
    ("modified", "date of the last change"),
    ("language", ""),
    ("description", "the publisher’s summary"),
    ("image", "lead image"),
    ("tags", "keywords"),
    ("canonical", "canonical address"),
    ("site_name", "name of the publication"),
    ("section", "section of the publication"),
    ("access", "whether it is free to read"),
    ("license", "terms of use"),
];

/// The plots; none for a run of a version that did not count these.
pub(super) fn figures(html: &mut Html, totals: &Totals) {
    if totals.fields.is_empty() {
        return;
    }
    dates(html, totals);
    languages(html, totals);
    page_types(html, totals);
    fields(html, totals);
}

/// Articles that have each metadata field.
fn fields(html: &mut Html, totals: &Totals) {
    html.raw("<section class=\"figure wide\">\n<h2>Metadata</h2>\n");
    html.raw("<p>Share of the articles that have each field.</p>\n");
    let unknown = totals.fields.keys().map(String::as_str);
    let unknown = unknown.filter(|name| FIELDS.iter().all(|(known, _)| known != name));
    let all = FIELDS.into_iter().chain(unknown.map(|name| (name, "")));
    let each = all.map(|(name, meaning)| {
        let n = totals.fields.get(name).copied().unwrap_or(0);
        Bar {
            name: name.to_owned(),
            more: meaning.to_owned(),
            amount: n as f64,
            shown: percent(n as f64, totals.articles as f64),
        }
    });
    bars(html, ["Field", "Articles"], &each.collect::<Vec<_>>(), totals.articles as f64);
    html.raw("</section>\n");
}

/// Articles by language.
fn languages(html: &mut Html, totals: &Totals) {
    let mut each: Vec<(&str, u64)> =
        totals.languages.iter().map(|(name, &n)| (name.as_str(), n)).collect();
    each.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let rest = each.split_off(each.len().min(LANGUAGES));
    let known: u64 = totals.languages.values().sum();
    let none = totals.articles.saturating_sub(known);
    let mut drawn: Vec<Bar> =
        each.into_iter().map(|(name, n)| share(name, "", n, totals)).collect();
    if !rest.is_empty() {
        let n = rest.iter().map(|(_, n)| n).sum();
        drawn.push(share("others", &format!("{} languages", rest.len()), n, totals));
    }
    if none > 0 {
        drawn.push(share("unknown", "", none, totals));
    }
    html.raw("<section class=\"figure\">\n<h2>Languages</h2>\n");
    html.raw("<p>Articles by language, as ISO 639 codes.</p>\n");
    bars(html, ["Language", "Articles"], &drawn, 0.0);
    html.raw("</section>\n");
}

/// Articles by page type.
fn page_types(html: &mut Html, totals: &Totals) {
    html.raw("<section class=\"figure\">\n<h2>Page types</h2>\n");
    if totals.page_types.is_empty() {
        html.raw("<p>This engine does not tell page types apart.</p>\n</section>\n");
        return;
    }
    html.raw("<p>Articles by the type of their pages.</p>\n");
    let mut each: Vec<(&str, u64)> =
        totals.page_types.iter().map(|(name, &n)| (name.as_str(), n)).collect();
    each.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let drawn: Vec<Bar> = each.into_iter().map(|(name, n)| share(name, "", n, totals)).collect();
    bars(html, ["Page type", "Articles"], &drawn, 0.0);
    html.raw("</section>\n");
}

fn share(name: &str, more: &str, n: u64, totals: &Totals) -> Bar {
    Bar {
        name: name.to_owned(),
        more: more.to_owned(),
        amount: n as f64,
        shown: match totals.articles {
            0 => grouped(n),
            all => percent(n as f64, all as f64),
        },
    }
}

/// A month or a year as a number, and back.
struct Unit {
    of: fn(&str) -> Option<i64>,
    name: fn(i64) -> String,
    /// Distance of the marks on the axis.
    marks: usize,
    noun: &'static str,
}

const MONTHS: Unit = Unit {
    of: |month| {
        let (year, month) = month.split_once('-')?;
        Some(year.parse::<i64>().ok()? * 12 + month.parse::<i64>().ok()?.clamp(1, 12) - 1)
    },
    name: |month| format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1),
    marks: 3,
    noun: "month",
};

const YEARS: Unit = Unit {
    of: |month| month.split_once('-')?.0.parse().ok(),
    name: |year| format!("{year:04}"),
    marks: 2,
    noun: "year",
};

/// Articles by month of publication, or by year if they span many months.
fn dates(html: &mut Html, totals: &Totals) {
    let dated: u64 = totals.months.values().sum();
    let Dates { unit, counts, from, to } =
        match [MONTHS, YEARS].map(|unit| classes(&totals.months, unit)) {
            [Some(months), _] if months.to - months.from < CLASSES as i64 => months,
            [_, Some(years)] => years,
            _ => {
                html.raw("<section class=\"figure\">\n<h2>Dates</h2>\n");
                html.raw("<p>No article has a date of publication.</p>\n</section>\n");
                return;
            }
        };
    let from = from.max(to - CLASSES as i64 + 1);
    let older: u64 = counts.range(..from).map(|(_, n)| n).sum();
    let earliest = counts.keys().next().copied().unwrap_or(from);
    let mut drawn = Vec::new();
    if older > 0 {
        drawn.push(Class {
            name: format!("{} to {}", (unit.name)(earliest), (unit.name)(from - 1)),
            amount: older,
        });
    }
    let before = drawn.len();
    drawn.extend(
        (from..=to).map(|at| Class {
            name: (unit.name)(at),
            amount: counts.get(&at).copied().unwrap_or(0),
        }),
    );
    // A few bars do not fill the picture.
    let empty = 6usize.saturating_sub(drawn.len());
    drawn.extend((1..=empty as i64).map(|at| Class { name: (unit.name)(to + at), amount: 0 }));
    let all = drawn.len();
    let every = match all {
        0..=3 => 1,
        4..=9 => 3.min(unit.marks),
        10..=18 => 2 * unit.marks,
        _ => 4 * unit.marks,
    };
    let mut ticks: Vec<Tick> = (before..all)
        .step_by(every)
        .map(|at| Tick { at: at as f64 + 0.5, text: drawn[at].name.clone() })
        .collect();
    if older > 0 {
        ticks.retain(|tick| tick.at > 3.0);
        ticks.insert(0, Tick { at: 0.5, text: "older".to_owned() });
    }
    let summary = match dated {
        0 => String::new(),
        _ => format!(
            "{} have a date of publication, from {} to {}.",
            of_all(dated, totals.articles),
            (unit.name)(earliest),
            (unit.name)(to),
        ),
    };
    histogram(
        html,
        &Histogram {
            id: "dates",
            title: "Dates",
            summary,
            counted: "articles",
            axis: unit.noun,
            classes: drawn,
            ticks,
        },
    );
}

/// Counts by month or by year.
struct Dates {
    unit: Unit,
    counts: BTreeMap<i64, u64>,
    /// The first unit that is drawn by itself, and the last.
    from: i64,
    to: i64,
}

/// The counts by unit; `None` if there are no dates.
fn classes(months: &BTreeMap<String, u64>, unit: Unit) -> Option<Dates> {
    let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
    for (month, n) in months {
        if let Some(at) = (unit.of)(month) {
            *counts.entry(at).or_default() += n;
        }
    }
    let all: u64 = counts.values().sum();
    let mut older = 0;
    let from = counts.iter().find_map(|(&at, n)| {
        older += n;
        (older > all / OLDER).then_some(at)
    })?;
    let to = *counts.keys().next_back()?;
    Some(Dates { unit, counts, from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(months: &[(&str, u64)]) -> String {
        let months: BTreeMap<String, u64> =
            months.iter().map(|&(month, n)| (month.to_owned(), n)).collect();
        let articles = months.values().sum();
        let mut html = Html::default();
        dates(&mut html, &Totals { months, articles, ..Totals::default() });
        html.finish()
    }

    #[test]
    fn dates_are_drawn_by_month_or_by_year() {
        let few = drawn(&[("2025-11", 3), ("2026-01", 5)]);
        assert!(
            few.contains("2025-11: 3 articles") && few.contains("2026-01: 5 articles"),
            "{few}"
        );
        assert!(few.contains("from 2025-11 to 2026-01"), "{few}");
        let years = drawn(&[("2004-02", 30), ("2015-03", 30), ("2026-01", 40)]);
        assert!(years.contains("2004: 30 articles") && years.contains(">year</text>"), "{years}");
        // One old article does not make the plot one of years.
        let one = drawn(&[("1970-01", 1), ("2025-12", 40), ("2026-01", 60)]);
        assert!(one.contains("1970-01 to 2025-11: 1 articles"), "{one}");
        assert!(one.contains("2026-01: 60 articles"), "{one}");
        assert!(drawn(&[]).contains("No article has a date"));
        assert!(drawn(&[("nonsense", 1)]).contains("No article has a date"));
        // However far apart the dates are.
        let far = drawn(&[("0001-01", 50), ("9999-12", 50)]);
        assert!(far.contains("9999: 50 articles") && far.len() < 20_000, "{}", far.len());
    }
}
