//! Features for the confidence of an article.

use crate::elementary::{ln, log};
use crate::pools::{Pools, ScoredPage};
use crate::rows::{Names, Row, Rows};
use crate::signs::Ends;

/// The result for a page.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// The page with the second scores.
    pub page: ScoredPage<'a>,
    /// Sums over its siblings.
    pub pools: &'a Pools,
    /// Blocks that the wrapper (or the page-wise decision) keeps.
    pub kept: &'a [usize],
    /// How many of those come before the end.
    pub end: usize,
}

/// Names of the columns of [`confidence_rows`].
pub fn confidence_feature_names() -> Vec<String> {
    crate::siblings::with_example(|_, page, template| {
        let mut names = Vec::new();
        let taken = Taken { page: *page, pools: template.pools, kept: &[0], end: 1 };
        fill(&mut Names(&mut names), &taken);
        names
    })
}

/// One row for an article.
pub fn confidence_rows(taken: &Taken<'_>) -> Rows {
    static WIDTH: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let width = *WIDTH.get_or_init(|| confidence_feature_names().len());
    let mut rows = Rows::new(width, 1);
    rows.push(|row| fill(row, taken));
    rows
}

fn fill(row: &mut impl Row, taken: &Taken<'_>) {
    let page = taken.page.page;
    let kept = &taken.kept[..taken.end.min(taken.kept.len())];
    let mut is_kept = vec![false; page.blocks.len()];
    kept.iter().for_each(|&at| is_kept[at] = true);
    let (mut words, mut mass, mut links, mut agreeing, mut sentences) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut lost, mut unsure, mut all, mut kept_mass_by_page) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
    let (mut repeated, mut comments) = (0.0f32, 0.0f32);
    for (at, block) in page.blocks.iter().enumerate() {
        let (own, score) = (block.words as f32, taken.page.scores[at]);
        all += own * score;
        if (0.25..0.75).contains(&score) {
            unsure += own;
        }
        if is_kept[at] {
            words += own;
            mass += own * score;
            links += block.link_words as f32;
            agreeing += own * page.agreement[at].max(0.0);
            sentences += own * f32::from(u8::from(page.signs[at].ends == Ends::Sentence));
            kept_mass_by_page +=
                own * f32::from(u8::from(block.words >= 10 && block.link_words * 3 < block.words));
            let elsewhere = taken.pools.elsewhere(page.signs[at].letters_hash);
            repeated += own * elsewhere.max(0.0);
            comments += own * f32::from(u8::from(page.is_comment(at)));
        } else {
            lost += own * score;
        }
    }
    let per_word = |sum: f32| sum / words.max(1.0);
    row.put("log words", log(words));
    row.put("log blocks", log(kept.len() as f32));
    row.put("mean score", per_word(mass));
    row.put("lost score", lost / all.max(1.0));
    row.put("lost words", log(lost));
    row.put("unsure words", unsure / words.max(1.0));
    row.put("link density", per_word(links));
    row.put("sentences", per_word(sentences));
    row.put(
        "agreement",
        if page.agreement.iter().any(|&a| a >= 0.0) { per_word(agreeing) } else { -1.0 },
    );
    row.put("good words of page", per_word(kept_mass_by_page));
    row.put("repeated elsewhere", per_word(repeated));
    row.put("comments", per_word(comments));
    row.put("siblings", ln(taken.pools.pages.max(1.0)));
    row.put("cut", (taken.kept.len() - kept.len()) as f32 / taken.kept.len().max(1) as f32);
    let first = kept.first().map_or(-1.0, |&at| taken.page.scores[at]);
    let last = kept.last().map_or(-1.0, |&at| taken.page.scores[at]);
    row.put("first score", first);
    row.put("last score", last);
    let gaps = kept.windows(2).filter(|pair| pair[1] > pair[0] + 1).count();
    row.put("gaps", log(gaps as f32));
}
