//! Counts the articles of a run by confidence, length, site, date, language and page type, and their metadata fields.

use std::collections::BTreeMap;

use model::SiteFigures;
use sink::length_class_end;

use crate::charts::{Bar, BarTable, ChartClass, Histogram, Tick};
use crate::figures::SiteTable;
use crate::readable::{count, grouped, percent};

/// Maximum number of sites that are drawn individually.
const FEW_SITES: usize = 15;
/// Maximum number of classes whose names are all on the axis.
const NAMED_CLASSES: usize = 8;
/// Maximum number of languages that are drawn; the others are one bar.
const LANGUAGES: usize = 8;
/// Maximum number of months, or of years, in the plot of dates.
const CLASSES: usize = 30;
/// One article in this many may be older than the first month or year that is drawn individually.
const OLDER: u64 = 20;
/// Minimum number of classes of a histogram, so that a few do not look like many.
const FEWEST_CLASSES: usize = 6;

/// The metadata fields with their meanings.
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

pub(crate) fn by_confidence(totals: &SiteFigures, engine: &str) -> Histogram {
    let amount = |class: u32| totals.confidences.get(&class).copied().unwrap_or(0);
    let lowers = (0..20u32).map(|n| n * 5);
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
    let class = |lower: u32| ChartClass {
        name: format!("{:.2} to {:.2}", f64::from(lower) / 100.0, f64::from(lower + 5) / 100.0),
        amount: amount(lower),
    };
    let tick = |n: u32| Tick { at: f64::from(n * 4), text: format!("{:.1}", f64::from(n) / 5.0) };
    Histogram {
        id: "confidences",
        title: "Confidence",
        summary,
        counted: "articles",
        // docs/ALGORITHM.md explains the confidence of engines.
        axis: if engine == "grove" { "confidence (F1 to be expected)" } else { "confidence" },
        classes: lowers.map(class).collect(),
        ticks: (0..=5).map(tick).collect(),
    }
}

/// Articles by length. The axis is logarithmic: ten classes per power of ten.
pub(crate) fn by_length(totals: &SiteFigures) -> Histogram {
    let known = totals.lengths.keys().copied().filter(|&lower| length_class_end(lower).is_some());
    let (first, last) = (known.clone().min().unwrap_or(0), known.max().unwrap_or(0));
    let mut classes: Vec<(u32, u32)> = Vec::new();
    let mut lower = first;
    while let Some(end) = length_class_end(lower)
        && (lower <= last || classes.len() < FEWEST_CLASSES)
    {
        classes.push((lower, end));
        lower = end;
    }
    let marks: &[u32] = if classes.len() > 16 { &[1] } else { &[1, 2, 5] };
    let edges = classes.iter().map(|class| class.0).chain(classes.last().map(|class| class.1));
    let ticks = (0u32..).zip(edges).filter(|&(_, edge)| is_mark(edge, marks));
    let class = |&(lower, end): &(u32, u32)| ChartClass {
        name: format!("{} to {}", grouped(lower.into()), grouped(u64::from(end) - 1)),
        amount: totals.lengths.get(&lower).copied().unwrap_or(0),
    };
    Histogram {
        id: "lengths",
        title: "Length",
        summary: median_length(totals).unwrap_or_else(|| "No articles.".to_owned()),
        counted: "articles",
        axis: "characters of text (logarithmic)",
        classes: classes.iter().map(class).collect(),
        ticks: ticks
            .map(|(at, edge)| Tick { at: f64::from(at), text: grouped(edge.into()) })
            .collect(),
    }
}

/// Whether a class edge is one of these digits followed by zeros.
fn is_mark(edge: u32, digits: &[u32]) -> bool {
    let mut digit = edge;
    while digit >= 10 && digit.is_multiple_of(10) {
        digit /= 10;
    }
    digits.contains(&digit)
}

/// The median and the 95th percentile of the lengths.
fn median_length(totals: &SiteFigures) -> Option<String> {
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

/// The articles of each site; `None` if they are too many to be drawn individually.
pub(crate) fn of_each_site(sites: &SiteTable) -> Option<BarTable> {
    let each = sites
        .rows
        .iter()
        .map(|row| Bar::new(&row.site, "", row.articles as f64, grouped(row.articles)));
    (sites.rows.len() <= FEW_SITES).then(|| BarTable::new(["Site", "Articles"], each))
}

/// Sites by number of articles, in classes of sizes.
pub(crate) fn by_site_size(sites: &SiteTable) -> Histogram {
    let totals = &sites.totals;
    let most = totals.sites_by_size.keys().next_back().copied().unwrap_or(0);
    let class = |size: u32| ChartClass {
        name: match size {
            0 | 1 => size.to_string(),
            _ => format!("{}–{}", grouped(1u64 << (size - 1)), grouped((1u64 << size) - 1)),
        },
        amount: totals.sites_by_size.get(&size).copied().unwrap_or(0),
    };
    let classes: Vec<ChartClass> = (0..=most).map(class).collect();
    let every = if classes.len() > NAMED_CLASSES { 2 } else { 1 };
    let named = (0u32..).zip(&classes).step_by(every);
    let ticks = named.map(|(at, c)| Tick { at: f64::from(at) + 0.5, text: c.name.clone() });
    let largest = sites.rows.first().map_or(0, |row| row.articles);
    let tenth = totals.sites.div_ceil(10) as usize;
    let in_tenth: u64 = sites.rows.iter().take(tenth).map(|row| row.articles).sum();
    Histogram {
        id: "sizes",
        title: "Articles by site",
        summary: format!(
            "The largest site gave {}; the largest tenth of the sites gave {} of all.",
            count(largest as usize, "article"),
            percent(in_tenth as f64, totals.of.articles as f64),
        ),
        counted: "sites",
        axis: "articles of a site",
        ticks: ticks.collect(),
        classes,
    }
}

pub(crate) fn metadata(totals: &SiteFigures) -> BarTable {
    let unknown = totals.fields.keys().map(String::as_str);
    let unknown = unknown.filter(|name| FIELDS.iter().all(|(known, _)| known != name));
    let all = FIELDS.into_iter().chain(unknown.map(|name| (name, "")));
    let each = all.map(|(name, meaning)| {
        let n = totals.fields.get(name).copied().unwrap_or(0);
        Bar::new(name, meaning, n as f64, percent(n as f64, totals.articles as f64))
    });
    BarTable { full: totals.articles as f64, ..BarTable::new(["Field", "Articles"], each) }
}

pub(crate) fn by_language(totals: &SiteFigures) -> BarTable {
    let mut each = most_first(&totals.languages);
    let rest = each.split_off(each.len().min(LANGUAGES));
    let none = totals.articles.saturating_sub(totals.languages.values().sum());
    let mut drawn: Vec<Bar> =
        each.into_iter().map(|(name, n)| articles_of(name, "", n, totals)).collect();
    if !rest.is_empty() {
        let n = rest.iter().map(|(_, n)| n).sum();
        drawn.push(articles_of("others", format!("{} languages", rest.len()), n, totals));
    }
    if none > 0 {
        drawn.push(articles_of("unknown", "", none, totals));
    }
    BarTable::new(["Language", "Articles"], drawn.into_iter())
}

/// Articles by page type; `None` if the engine does not tell them apart.
pub(crate) fn by_page_type(totals: &SiteFigures) -> Option<BarTable> {
    let each = most_first(&totals.page_types).into_iter();
    let drawn = each.map(|(name, n)| articles_of(name, "", n, totals));
    (!totals.page_types.is_empty()).then(|| BarTable::new(["Page type", "Articles"], drawn))
}

pub(crate) fn most_first(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut each: Vec<(&str, u64)> = counts.iter().map(|(name, &n)| (name.as_str(), n)).collect();
    each.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    each
}

fn articles_of(name: &str, more: impl Into<String>, n: u64, totals: &SiteFigures) -> Bar {
    let shown = match totals.articles {
        0 => grouped(n),
        all => percent(n as f64, all as f64),
    };
    Bar::new(name, more, n as f64, shown)
}

/// Converts a month or a year to a number and back.
struct DateUnit {
    parse: fn(&str) -> Option<i64>,
    name: fn(i64) -> String,
    /// Distance between the marks on the axis.
    marks: usize,
    noun: &'static str,
}

const MONTHS: DateUnit = DateUnit {
    parse: |month| {
        let (year, month) = month.split_once('-')?;
        Some(year.parse::<i64>().ok()? * 12 + month.parse::<i64>().ok()?.clamp(1, 12) - 1)
    },
    name: |month| format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1),
    marks: 3,
    noun: "month",
};

const YEARS: DateUnit = DateUnit {
    parse: |month| month.split_once('-')?.0.parse().ok(),
    name: |year| format!("{year:04}"),
    marks: 2,
    noun: "year",
};

struct DateCounts {
    unit: DateUnit,
    counts: BTreeMap<i64, u64>,
    /// The first and the last unit that are drawn individually.
    from: i64,
    to: i64,
}

impl DateCounts {
    /// `None` if there are no dates.
    fn by(unit: DateUnit, months: &BTreeMap<String, u64>) -> Option<Self> {
        let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
        for (month, n) in months {
            if let Some(at) = (unit.parse)(month) {
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
        Some(Self { unit, counts, from, to })
    }
}

/// Articles by month of publication, or by year if they span many months; `None` if no article has a date.
pub(crate) fn by_date(totals: &SiteFigures) -> Option<Histogram> {
    let by_month = DateCounts::by(MONTHS, &totals.months);
    let few_months = by_month.filter(|months| months.to - months.from < CLASSES as i64);
    let DateCounts { unit, counts, from, to } =
        few_months.or_else(|| DateCounts::by(YEARS, &totals.months))?;
    let name = unit.name;
    let from = from.max(to - CLASSES as i64 + 1);
    let older: u64 = counts.range(..from).map(|(_, n)| n).sum();
    let earliest = counts.keys().next().copied().unwrap_or(from);
    let mut classes = Vec::new();
    if older > 0 {
        let name = format!("{} to {}", name(earliest), name(from - 1));
        classes.push(ChartClass { name, amount: older });
    }
    let before = classes.len();
    let last = to.max(from + (FEWEST_CLASSES - before) as i64 - 1);
    classes.extend(
        (from..=last)
            .map(|at| ChartClass { name: name(at), amount: counts.get(&at).copied().unwrap_or(0) }),
    );
    let every = match classes.len() {
        0..=9 => unit.marks.min(3),
        10..=18 => 2 * unit.marks,
        _ => 4 * unit.marks,
    };
    let mut ticks: Vec<Tick> = (before..classes.len())
        .step_by(every)
        .map(|at| Tick { at: at as f64 + 0.5, text: classes[at].name.clone() })
        .collect();
    if older > 0 {
        ticks.retain(|tick| tick.at > 3.0);
        ticks.insert(0, Tick { at: 0.5, text: "older".to_owned() });
    }
    let dated: u64 = totals.months.values().sum();
    let summary = match dated {
        0 => String::new(),
        _ => format!(
            "{} have a date of publication, from {} to {}.",
            with_share(dated, totals.articles),
            name(earliest),
            name(to),
        ),
    };
    Some(Histogram {
        id: "dates",
        title: "Dates",
        summary,
        counted: "articles",
        axis: unit.noun,
        classes,
        ticks,
    })
}

/// A number with its share of the total: `3 (30 %)`.
pub(crate) fn with_share(part: u64, whole: u64) -> String {
    format!("{} ({})", grouped(part), percent(part as f64, whole as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(months: &[(&str, u64)]) -> Option<(Vec<String>, Histogram)> {
        let months: BTreeMap<String, u64> =
            months.iter().map(|&(month, n)| (month.to_owned(), n)).collect();
        let articles = months.values().sum();
        let chart = by_date(&SiteFigures { months, articles, ..SiteFigures::default() })?;
        let bars = chart.picture().into_iter().flat_map(|picture| picture.bars);
        let bars = bars.map(|bar| format!("{}: {}", bar.class.name, bar.class.amount)).collect();
        Some((bars, chart))
    }

    #[test]
    fn dates_are_drawn_by_month_or_by_year() {
        let (few, chart) = drawn(&[("2025-11", 3), ("2026-01", 5)]).unwrap();
        assert_eq!(few, ["2025-11: 3", "2026-01: 5"]);
        assert!(chart.summary.contains("from 2025-11 to 2026-01"), "{}", chart.summary);
        let (years, chart) = drawn(&[("2004-02", 30), ("2015-03", 30), ("2026-01", 40)]).unwrap();
        assert_eq!((years[0].as_str(), chart.axis), ("2004: 30", "year"));
        // A single old article does not change the plot from months to years.
        let (one, _) = drawn(&[("1970-01", 1), ("2025-12", 40), ("2026-01", 60)]).unwrap();
        assert_eq!(one, ["1970-01 to 2025-11: 1", "2025-12: 40", "2026-01: 60"]);
        assert!(drawn(&[]).is_none() && drawn(&[("nonsense", 1)]).is_none());
        // The number of classes is limited, however far apart the dates are.
        let (far, chart) = drawn(&[("0001-01", 50), ("9999-12", 50)]).unwrap();
        assert!(far.contains(&"9999: 50".to_owned()) && chart.classes.len() <= CLASSES + 1);
    }

    #[test]
    fn the_median_is_that_of_the_classes() {
        let mut totals = SiteFigures::default();
        assert_eq!(median_length(&totals), None);
        totals.lengths = [(100, 9), (1000, 11), (8000, 1)].into();
        let text = median_length(&totals).unwrap();
        assert!(text.contains("between 1,000 and 1,250"), "{text}");
        assert!(text.contains("fewer than 1,250"), "{text}");
    }

    #[test]
    fn marks_are_round_numbers() {
        assert!(is_mark(1000, &[1]) && is_mark(500, &[1, 2, 5]) && !is_mark(500, &[1]));
        assert!(!is_mark(0, &[1, 2, 5]) && !is_mark(125, &[1, 2, 5]));
    }
}
