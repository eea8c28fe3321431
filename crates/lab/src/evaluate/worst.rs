//! The worst pages of the first run: what was missed and what was extra.

use score::{Gold, QualityMeasure, neutral, paragraphs, words::WordNumbers};
use serde::Serialize;
use terminal::printed::line;

use super::{EvaluatedRun, Scores};
use crate::fields::percent;
use crate::gold::GoldPage;

/// Maximum number of paragraphs shown of each sort.
const PARAGRAPHS: usize = 6;
/// Maximum number of characters shown of a paragraph.
const CHARACTERS: usize = 160;

/// A page with its missed and extra paragraphs.
#[derive(Serialize)]
pub(super) struct WorstPage {
    pub(super) url: String,
    pub(super) dataset: String,
    pub(super) template: Option<String>,
    pub(super) measure: &'static str,
    pub(super) precision: f64,
    pub(super) recall: f64,
    /// The F1 of every run, in order.
    pub(super) f1: Vec<Option<f64>>,
    pub(super) missed: ParagraphExcerpts,
    pub(super) extra: ParagraphExcerpts,
}

/// The first few of many paragraphs, shortened.
#[derive(Serialize)]
pub(super) struct ParagraphExcerpts {
    pub(super) paragraphs: Vec<String>,
    /// Number of further paragraphs.
    pub(super) more: usize,
}

/// The `count` pages with the lowest scores of the first run under the first measure, worst first;
/// ties in the order of the gold.
pub(super) fn pages(
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
