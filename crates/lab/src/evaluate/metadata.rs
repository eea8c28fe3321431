/*!
`sitegrove-lab evaluate --metadata`: compares titles, authors and dates of several runs with those of the gold.

Each field is scored on the pages whose gold has it, by data set and over all. [`score::metadata`] documents the scores
and what counts as equal. A page or field that a run lacks scores zero and has no value.

If the first run records when it fetched its pages (`fetched`), dates are counted twice: all of them, and without those
more than a day after the fetch, which no page fetched then can have. With a crawl whose times are invented, or whose
gold was taken from a later copy, the first figure measures mainly those times. The second figure uses the same pages
for every run.
*/

mod render;
mod worst;

use std::collections::BTreeSet;

use anyhow::ensure;
use score::{
    aggregate::mean,
    metadata::{FieldScore, authors, date, day, has_names, title},
};
use serde::Serialize;

use super::{ReportFormat, Run, percent::percent, runs::RunPage, tables::ALL};
use crate::gold::{GoldFile, GoldPage};

/// A field that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Field {
    Title,
    Authors,
    Date,
    /// Dates not later than a day after the page was fetched.
    DateByFetch,
}

impl Field {
    const ALL: [Self; 4] = [Self::Title, Self::Authors, Self::Date, Self::DateByFetch];

    const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Authors => "authors",
            Self::Date => "date",
            Self::DateByFetch => "date-by-fetch",
        }
    }
}

/// The result of the comparison.
#[derive(Serialize)]
struct Report {
    gold: String,
    gold_digest: String,
    datasets: Vec<String>,
    runs: Vec<String>,
    /// Dates of the gold that do not begin with year-month-day, and are ignored.
    unread_dates: usize,
    rows: Vec<Row>,
    worst: Vec<worst::Listing>,
}

/// One field of one data set.
#[derive(Serialize)]
struct Row {
    field: Field,
    dataset: String,
    /// Pages whose gold has the field.
    gold: usize,
    /// In the order of the runs.
    runs: Vec<Figures>,
}

/// The figures of a run, in percent of the gold's values.
#[derive(Serialize)]
struct Figures {
    exact: f64,
    graded: f64,
    with_value: f64,
}

/// The score of every run for one field of one page, and whether it has a value.
type Scored = Vec<(FieldScore, bool)>;

/// Compares the runs and writes the report.
///
/// # Errors
/// If no page of the gold has a title, an author or a date.
pub(super) fn report(
    gold: &GoldFile,
    runs: &[Run],
    worst: usize,
    format: ReportFormat,
) -> anyhow::Result<String> {
    let mut names: Vec<&str> = gold
        .pages
        .iter()
        .map(|page| page.dataset.as_str())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    names.push(ALL);
    let mut rows = Vec::new();
    let mut listings = Vec::new();
    for field in Field::ALL {
        let scored: Vec<Option<Scored>> =
            gold.pages.iter().map(|page| score_page(field, page, runs)).collect();
        rows.extend(
            names.iter().filter_map(|name| row(field, name, &gold.pages, &scored, runs.len())),
        );
        if worst > 0 && field != Field::DateByFetch {
            listings.push(worst::listing(field, &gold.pages, runs, &scored, worst));
        }
    }
    // A second count of the same pages is omitted.
    let counts = |field| rows.iter().filter(|r| r.field == field).map(|r| r.gold).sum::<usize>();
    if counts(Field::Date) == counts(Field::DateByFetch) {
        rows.retain(|row| row.field != Field::DateByFetch);
    }
    ensure!(
        !rows.is_empty(),
        "no page of {} has gold_title, gold_author or gold_date",
        gold.path.display()
    );
    let dates = gold.pages.iter().filter_map(|page| page.date.as_deref());
    let report = Report {
        gold: gold.path.display().to_string(),
        gold_digest: gold.digest.clone(),
        datasets: gold.datasets.clone(),
        runs: runs.iter().map(|run| run.name.clone()).collect(),
        unread_dates: dates.filter(|date| day(date).is_none()).count(),
        rows,
        worst: listings,
    };
    match format {
        ReportFormat::Markdown => Ok(render::markdown(&report)),
        ReportFormat::Json => Ok(serde_json::to_string_pretty(&report)? + "\n"),
        ReportFormat::Csv => render::csv(&report),
    }
}

/// Scores one field of a page; `None` if its gold does not have it.
fn score_page(field: Field, page: &GoldPage, runs: &[Run]) -> Option<Scored> {
    let mut found = runs.iter().map(|run| run.pages.get(&page.url));
    match field {
        Field::Title => {
            let address = url::Url::parse(&page.url).ok();
            let host = address.as_ref().and_then(url::Url::host_str).unwrap_or_default();
            let gold = page.title.as_deref()?;
            let score = |run: Option<&RunPage>| {
                let own = run.and_then(|page| page.title.as_deref()).unwrap_or_default();
                Some((title(gold, own, host)?, !own.trim().is_empty()))
            };
            found.map(score).collect()
        }
        Field::Authors => {
            let score = |run: Option<&RunPage>| {
                let own = run.map(|page| page.authors.as_slice()).unwrap_or_default();
                Some((authors(&page.authors, own)?, has_names(own)))
            };
            found.map(score).collect()
        }
        Field::Date | Field::DateByFetch => {
            let gold = day(page.date.as_deref()?)?;
            if field == Field::DateByFetch {
                let first = found.clone().next().flatten();
                let fetched = first.and_then(|page| day(page.fetched.as_deref()?));
                if fetched.and_then(|day| day.tomorrow().ok()).is_some_and(|latest| gold > latest) {
                    return None;
                }
            }
            let score = |run: Option<&RunPage>| {
                let own = run.and_then(|page| day(page.published.as_deref()?));
                (date(gold, own), own.is_some())
            };
            Some(found.by_ref().map(score).collect())
        }
    }
}

fn row(
    field: Field,
    dataset: &str,
    pages: &[GoldPage],
    scored: &[Option<Scored>],
    runs: usize,
) -> Option<Row> {
    let of_set: Vec<&Scored> = pages
        .iter()
        .zip(scored)
        .filter(|(page, _)| dataset == ALL || page.dataset == dataset)
        .filter_map(|(_, scored)| scored.as_ref())
        .collect();
    let figures = |run: usize| {
        let share = |of: fn(&(FieldScore, bool)) -> f64| {
            let values: Vec<f64> = of_set.iter().map(|scored| of(&scored[run])).collect();
            percent(mean(&values).unwrap_or_default())
        };
        Figures {
            exact: share(|s| f64::from(u8::from(s.0.exact))),
            graded: share(|s| s.0.graded),
            with_value: share(|s| f64::from(u8::from(s.1))),
        }
    };
    (!of_set.is_empty()).then(|| Row {
        field,
        dataset: dataset.to_owned(),
        gold: of_set.len(),
        runs: (0..runs).map(figures).collect(),
    })
}
