//! Features for the confidence of an article.

use std::sync::LazyLock;

use crate::elementary::{ln, log};
use crate::page::{TYPES, TypeProbabilities, type_columns};
use crate::pools::{Pools, ScoredPage};
use crate::rows::{FeatureRow, FeatureTable, column_names, flag};
use crate::signs::Ends;

/// The result for a page.
#[derive(Clone, Copy, Debug)]
pub struct ConfidenceInput<'a> {
    /// The page with the second scores.
    pub page: ScoredPage<'a>,
    /// Per block its first score.
    pub first: &'a [f32],
    /// The types of the template.
    pub types: &'a TypeProbabilities,
    /// Sums over its siblings.
    pub pools: &'a Pools,
    /// Blocks that the wrapper (or the page-wise decision) keeps.
    pub kept: &'a [usize],
    /// How many of those come before the end.
    pub end: usize,
}

/// Names of the columns of [`confidence_rows`].
pub(crate) fn confidence_feature_names() -> Vec<String> {
    crate::siblings::with_example(|_, page, template| {
        let (first, types, pools) = (page.scores, &[0.0; TYPES], template.pools);
        let taken = ConfidenceInput { page: *page, first, types, pools, kept: &[0], end: 1 };
        column_names(|row| fill(row, &taken))
    })
}

/// One row for an article.
pub fn confidence_rows(taken: &ConfidenceInput<'_>) -> FeatureTable {
    static WIDTH: LazyLock<usize> = LazyLock::new(|| confidence_feature_names().len());
    FeatureTable::of(*WIDTH, std::iter::once(()), |row, ()| fill(row, taken))
}

fn fill(row: &mut impl FeatureRow, taken: &ConfidenceInput<'_>) {
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
            sentences += own * flag(page.signs[at].ends == Ends::Sentence);
            kept_mass_by_page +=
                own * flag(block.words >= 10 && block.link_words * 3 < block.words);
            let elsewhere = taken.pools.elsewhere(page.signs[at].letters_hash);
            repeated += own * elsewhere.max(0.0);
            comments += own * flag(page.is_comment(at));
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
    let has_full_text = page.agreement.iter().any(|&share| share >= 0.0);
    row.put("agreement", if has_full_text { per_word(agreeing) } else { -1.0 });
    row.put("good words of page", per_word(kept_mass_by_page));
    row.put("repeated elsewhere", per_word(repeated));
    row.put("comments", per_word(comments));
    row.put("siblings", ln(taken.pools.pages.max(1.0)));
    row.put("cut", (taken.kept.len() - kept.len()) as f32 / taken.kept.len().max(1) as f32);
    row.put("first score", kept.first().map_or(-1.0, |&at| taken.page.scores[at]));
    row.put("last score", kept.last().map_or(-1.0, |&at| taken.page.scores[at]));
    let gaps = kept.windows(2).filter(|pair| pair[1] > pair[0] + 1).count();
    row.put("gaps", log(gaps as f32));
    fill_doubts(row, taken, kept, &is_kept);
    row.put_all(type_columns(), taken.types);
}

/// A block reads like text of the page by its first score from here on.
const READS: f32 = 0.4;

/// What disagrees with the article: the page by itself, the spread of scores, form.
fn fill_doubts(
    row: &mut impl FeatureRow,
    taken: &ConfidenceInput<'_>,
    kept: &[usize],
    is_kept: &[bool],
) {
    let page = taken.page.page;
    let (mut words, mut all, mut links) = (0.0f32, 0.0f32, 0.0f32);
    let (mut good, mut good_kept) = (0.0f32, 0.0f32);
    let (mut read, mut read_kept, mut first_kept, mut apart) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
    let (mut unsure, mut low, mut below) = (0.0f32, 0.0f32, 0.0f32);
    let (mut comments_out, mut support, mut off_pool) = (0.0f32, 0.0f32, 0.0f32);
    let (mut short, mut dates, mut lead) = (0.0f32, 0.0f32, 0.0f32);
    let siblings = taken.pools.pages.max(1.0);
    for (at, block) in page.blocks.iter().enumerate() {
        let (own, score, first) = (block.words as f32, taken.page.scores[at], taken.first[at]);
        let is_good = block.words >= 10 && block.link_words * 3 < block.words;
        let reads = flag(first > READS);
        all += own;
        links += block.link_words as f32;
        good += own * flag(is_good);
        read += own * reads;
        if !is_kept[at] {
            comments_out += own * flag(page.is_comment(at));
            continue;
        }
        words += own;
        good_kept += own * flag(is_good);
        read_kept += own * reads;
        first_kept += own * first;
        apart += own * (first - score).abs();
        unsure += own * 4.0 * score * (1.0 - score);
        below += own * flag(score < 0.5);
        low += own * flag(score < 0.8);
        let id = taken.page.pattern(at);
        support += own * taken.pools.get(id).pages / siblings;
        off_pool += own * (first - taken.pools.mean(id, first)).abs();
        short += flag(block.words <= 3);
        dates += flag(block.words <= 12 && page.signs[at].year);
        lead = lead.max(own);
    }
    let (per_word, blocks) = (|sum: f32| sum / words.max(1.0), kept.len().max(1) as f32);
    row.put("share of page", words / all.max(1.0));
    row.put("log words of page", log(all));
    row.put("link density of page", links / all.max(1.0));
    row.put("good words kept", good_kept / good.max(1.0));
    row.put("log good words left", log(good - good_kept));
    row.put("read by itself", per_word(read_kept));
    row.put("kept of what reads", read_kept / read.max(1.0));
    row.put("agrees with page", 2.0 * read_kept / (words + read).max(1.0));
    row.put("first score of kept", per_word(first_kept));
    row.put("apart", per_word(apart));
    row.put("unsure inside", per_word(unsure));
    row.put("words below half", per_word(below));
    row.put("words of low score", per_word(low));
    row.put("comments outside", comments_out / all.max(1.0));
    row.put("support", taken.pools.among_siblings(per_word(support)));
    row.put("off the pool", taken.pools.among_siblings(per_word(off_pool)));
    row.put("short blocks", short / blocks);
    row.put("dates", log(dates));
    row.put("longest block", lead / words.max(1.0));
}
