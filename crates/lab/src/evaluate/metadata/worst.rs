//! The pages with the worst values of the first run, with the values of the gold and of every run.

use serde::Serialize;
use terminal::printed::line;

use super::{
    super::{Run, percent::percent, runs::RunPage},
    Field, Scored,
};
use crate::gold::GoldPage;

/// Maximum number of characters shown of a value.
const CHARACTERS: usize = 160;

/// The worst pages of one field.
#[derive(Serialize)]
pub(super) struct Listing {
    pub(super) field: Field,
    pub(super) pages: Vec<WorstPage>,
}

/// A page on which the value of the first run differs from the gold.
#[derive(Serialize)]
pub(super) struct WorstPage {
    pub(super) url: String,
    pub(super) dataset: String,
    pub(super) graded: f64,
    pub(super) gold: String,
    /// The values of all runs, in order.
    pub(super) values: Vec<Option<String>>,
}

/// The `count` pages with the lowest scores of the first run, without exact ones; ties in the order
/// of the gold.
pub(super) fn listing(
    field: Field,
    gold: &[GoldPage],
    runs: &[Run],
    scored: &[Option<Scored>],
    count: usize,
) -> Listing {
    let first = |at: usize| scored[at].as_ref().and_then(|scores| scores.first()).map(|s| s.0);
    let mut missed: Vec<_> = (0..gold.len())
        .filter_map(|at| Some((at, first(at).filter(|score| !score.exact)?.graded)))
        .collect();
    missed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let page = |(at, graded): (usize, f64)| {
        let page = &gold[at];
        let own = |run: &Run| run.pages.get(&page.url).and_then(|found| value(field, found));
        WorstPage {
            url: page.url.clone(),
            dataset: page.dataset.clone(),
            graded: percent(graded),
            gold: shortened(&match field {
                Field::Title => page.title.clone().unwrap_or_default(),
                Field::Authors => page.authors.join("; "),
                Field::Date | Field::DateByFetch => page.date.clone().unwrap_or_default(),
            }),
            values: runs.iter().map(|run| own(run).map(|v| shortened(&v))).collect(),
        }
    };
    Listing { field, pages: missed.into_iter().take(count).map(page).collect() }
}

fn value(field: Field, page: &RunPage) -> Option<String> {
    match field {
        Field::Title => page.title.clone(),
        Field::Authors => (!page.authors.is_empty()).then(|| page.authors.join("; ")),
        Field::Date | Field::DateByFetch => page.published.clone(),
    }
}

/// The beginning of a value.
fn shortened(text: &str) -> String {
    line(text.trim()).chars().take(CHARACTERS).collect()
}
