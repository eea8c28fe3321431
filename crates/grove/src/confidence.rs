//! Features for the confidence of an article.

use std::sync::LazyLock;

use crate::elementary::{ln, log};
use crate::page::{TYPES, TypeProbabilities, type_columns};
use crate::pools::{Pools, ScoredPage};
use crate::rows::{FeatureRow, FeatureTable, column_names, flag};
use crate::signs::Ends;

/// The result of the engine for a page.
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

/// First score from which a block reads like text of the page.
const READS: f32 = 0.4;

/// The sum of `of` over blocks, in their order.
fn sum(blocks: impl Iterator<Item = usize>, of: impl Fn(usize) -> f32) -> f32 {
    blocks.fold(0.0, |sum, at| sum + of(at))
}

fn fill(row: &mut impl FeatureRow, taken: &ConfidenceInput<'_>) {
    let ConfidenceInput { page: scored, first, types, pools, kept: before_cut, end } = *taken;
    let (page, scores) = (scored.page, scored.scores);
    let (blocks, signs) = (&page.blocks, &page.signs);
    let kept = &before_cut[..end.min(before_cut.len())];
    let mut is_kept = vec![false; blocks.len()];
    kept.iter().for_each(|&at| is_kept[at] = true);
    let all = || 0..blocks.len();
    let inside = || kept.iter().copied();
    let outside = || all().filter(|&at| !is_kept[at]);
    let own = |at: usize| blocks[at].words as f32;
    let links = |at: usize| blocks[at].link_words as f32;
    let mass = |at: usize| own(at) * scores[at];
    let of_comments = |at: usize| own(at) * flag(page.is_comment(at));
    let is_good =
        |at: usize| blocks[at].words >= 10 && blocks[at].link_words * 3 < blocks[at].words;
    let good = |at: usize| own(at) * flag(is_good(at));
    let read = |at: usize| own(at) * flag(first[at] > READS);

    let words = sum(inside(), own);
    let per_word = |sum: f32| sum / words.max(1.0);
    let (lost, good_kept) = (sum(outside(), mass), sum(inside(), good));
    row.put("log words", log(words));
    row.put("log blocks", log(kept.len() as f32));
    row.put("mean score", per_word(sum(inside(), mass)));
    row.put("lost score", lost / sum(all(), mass).max(1.0));
    row.put("lost words", log(lost));
    let unsure = all().filter(|&at| (0.25..0.75).contains(&scores[at]));
    row.put("unsure words", per_word(sum(unsure, own)));
    row.put("link density", per_word(sum(inside(), links)));
    let in_sentences = |at: usize| own(at) * flag(signs[at].ends == Ends::Sentence);
    row.put("sentences", per_word(sum(inside(), in_sentences)));
    let agreeing = sum(inside(), |at| own(at) * page.agreement[at].max(0.0));
    let has_full_text = page.agreement.iter().any(|&share| share >= 0.0);
    row.put("agreement", if has_full_text { per_word(agreeing) } else { -1.0 });
    row.put("good words of page", per_word(good_kept));
    let repeated = |at: usize| own(at) * pools.elsewhere(signs[at].letters_hash).max(0.0);
    row.put("repeated elsewhere", per_word(sum(inside(), repeated)));
    row.put("comments", per_word(sum(inside(), of_comments)));
    let siblings = pools.pages.max(1.0);
    row.put("siblings", ln(siblings));
    row.put("cut", (before_cut.len() - kept.len()) as f32 / before_cut.len().max(1) as f32);
    row.put("first score", kept.first().map_or(-1.0, |&at| scores[at]));
    row.put("last score", kept.last().map_or(-1.0, |&at| scores[at]));
    let gaps = kept.windows(2).filter(|pair| pair[1] > pair[0] + 1).count();
    row.put("gaps", log(gaps as f32));

    // Signs against the article: the scores of the page alone, the spread of scores, form.
    let of_page = sum(all(), own);
    row.put("share of page", words / of_page.max(1.0));
    row.put("log words of page", log(of_page));
    row.put("link density of page", sum(all(), links) / of_page.max(1.0));
    let good = sum(all(), good);
    row.put("good words kept", good_kept / good.max(1.0));
    row.put("log good words left", log(good - good_kept));
    let (read, read_kept) = (sum(all(), read), sum(inside(), read));
    row.put("read by itself", per_word(read_kept));
    row.put("kept of what reads", read_kept / read.max(1.0));
    row.put("agrees with page", 2.0 * read_kept / (words + read).max(1.0));
    row.put("first score of kept", per_word(sum(inside(), |at| own(at) * first[at])));
    let apart = sum(inside(), |at| own(at) * (first[at] - scores[at]).abs());
    row.put("apart", per_word(apart));
    let unsure = sum(inside(), |at| own(at) * 4.0 * scores[at] * (1.0 - scores[at]));
    row.put("unsure inside", per_word(unsure));
    let below = |score: f32| sum(inside(), |at| own(at) * flag(scores[at] < score));
    row.put("words below half", per_word(below(0.5)));
    row.put("words of low score", per_word(below(0.8)));
    row.put("comments outside", sum(outside(), of_comments) / of_page.max(1.0));
    let support = |at: usize| own(at) * pools.get(scored.pattern(at)).pages / siblings;
    row.put("support", pools.among_siblings(per_word(sum(inside(), support))));
    let off_pool =
        |at: usize| own(at) * (first[at] - pools.mean(scored.pattern(at), first[at])).abs();
    row.put("off the pool", pools.among_siblings(per_word(sum(inside(), off_pool))));
    let short = sum(inside(), |at| flag(blocks[at].words <= 3));
    row.put("short blocks", short / kept.len().max(1) as f32);
    row.put("dates", log(sum(inside(), |at| flag(blocks[at].words <= 12 && signs[at].year))));
    row.put("longest block", inside().map(own).fold(0.0, f32::max) / words.max(1.0));
    row.put_all(type_columns(), types);
}
