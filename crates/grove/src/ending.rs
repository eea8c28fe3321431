//! Where the article ends: a cut within each page, after the decisions by pattern.
//!
//! Comments, related texts and appended documents are sometimes in the article's own elements; where they
//! start depends on the page. Trees score each kept block again, by what comes before and after it; the
//! article ends where the sum of words · (score − 0.3) is largest: a cut has to be sure.

use std::sync::LazyLock;

use dom::{Document, is_heading};
use rustc_hash::FxHashSet;

use crate::block::density;
use crate::elementary::{ln, log};
use crate::page::sums;
use crate::pools::{Pools, ScoredPage};
use crate::rows::{FeatureRow, FeatureTable, column_names, flag};
use crate::signs::{Begins, Ends};

/// Score from which a kept block counts as part of the article: at ½, cuts remove more right than wrong text.
const SURE: f32 = 0.3;

/// Minimum gain of a cut, in words.
const LEAST_GAIN: f32 = 8.0;

/// Sources of the features.
struct Sequence<'a> {
    document: &'a Document,
    page: &'a ScoredPage<'a>,
    pools: &'a Pools,
    kept: &'a [usize],
    /// Words of the kept blocks before each kept block, and the sums of words · score.
    words: Vec<f32>,
    mass: Vec<f32>,
    /// Per kept block: whether a block with the comments feature, or a heading, came since the last kept one,
    /// and whether one with the comments feature came at all.
    comments_between: Vec<bool>,
    comments_before: Vec<bool>,
    words_between: Vec<f32>,
    first_of_pattern: Vec<bool>,
}

impl<'a> Sequence<'a> {
    fn of(
        document: &'a Document,
        page: &'a ScoredPage<'a>,
        pools: &'a Pools,
        kept: &'a [usize],
    ) -> Self {
        let blocks = &page.page.blocks;
        let own: Vec<f32> = kept.iter().map(|&at| blocks[at].words as f32).collect();
        let mass: Vec<f32> = kept.iter().zip(&own).map(|(&at, w)| w * page.scores[at]).collect();
        let (mut comments_between, mut comments_before) = (Vec::new(), Vec::new());
        let mut words_between = Vec::new();
        let (mut from, mut seen_comments) = (0, false);
        for &at in kept {
            let between = from..at;
            let comments = between.clone().any(|b| page.page.is_comment(b));
            seen_comments |= comments && from > 0;
            comments_between.push(comments && from > 0);
            comments_before.push(seen_comments);
            words_between.push(between.map(|b| blocks[b].words as f32).sum());
            from = at + 1;
        }
        let mut patterns = FxHashSet::default();
        let first_of_pattern = kept.iter().map(|&at| patterns.insert(page.pattern(at))).collect();
        Self {
            document,
            page,
            pools,
            kept,
            words: sums(&own),
            mass: sums(&mass),
            comments_between,
            comments_before,
            words_between,
            first_of_pattern,
        }
    }

    fn fill(&self, row: &mut impl FeatureRow, k: usize) {
        let at = self.kept[k];
        let page = self.page.page;
        let (block, signs) = (&page.blocks[at], &page.signs[at]);
        let count = self.kept.len();
        let all = self.words[count].max(1.0);
        let mean = |from: usize, to: usize| {
            let (from, to) = (from.min(count), to.min(count));
            let words = self.words[to] - self.words[from];
            if words > 0.0 { (self.mass[to] - self.mass[from]) / words } else { -1.0 }
        };
        let pool = self.pools.get(self.page.pattern(at));
        let siblings = self.pools.pages.max(1.0);
        let score = self.page.scores[at];
        row.put("score", score);
        row.put("log words", log(block.words as f32));
        row.put("link density", density(block));
        row.put("mean so far", mean(0, k));
        row.put("mean of last 3", mean(k.saturating_sub(3), k));
        row.put("mean of next", mean(k + 1, k + 2));
        row.put("mean of next 3", mean(k + 1, k + 4));
        row.put("mean of rest", mean(k, count));
        row.put("words before", log(self.words[k]));
        row.put("words after", log(self.words[count] - self.words[k]));
        row.put("share before", self.words[k] / all);
        row.put("share here", block.words as f32 / all);
        let gap = if k == 0 { 0 } else { at - self.kept[k - 1] - 1 };
        row.put("blocks between", log(gap as f32));
        row.put("words between", if k == 0 { 0.0 } else { log(self.words_between[k]) });
        row.put("comments between", flag(self.comments_between[k]));
        row.put("comments before", flag(self.comments_before[k]));
        let pattern = self.page.pattern(at);
        row.put("same pattern", flag(k > 0 && self.page.pattern(self.kept[k - 1]) == pattern));
        row.put("first of pattern", flag(self.first_of_pattern[k]));
        let next = self.kept.get(k + 1).map(|&next| self.page.pattern(next));
        row.put("next has pattern", flag(next == Some(pattern)));
        row.put("support", self.pools.among_siblings(pool.pages / siblings));
        row.put("siblings", ln(siblings));
        let distinct = pool.distinct / pool.blocks.max(1.0);
        row.put("distinct texts", self.pools.among_siblings(distinct));
        row.put("pages with this text", self.pools.elsewhere(signs.letters_hash));
        row.put("blocks a page", log(pool.blocks / pool.pages.max(1.0)));
        row.put("heading", flag(self.document.name(block.element).is_some_and(is_heading)));
        row.put("ends a sentence", flag(signs.ends == Ends::Sentence));
        row.put("ends in a colon", flag(signs.ends == Ends::Colon));
        row.put("begins small", flag(signs.begins == Begins::Lower));
        row.put("begins with a digit", flag(signs.begins == Begins::Digit));
        row.put("year", flag(signs.year));
        row.put("address", flag(signs.address));
        row.put("digits", signs.digits as f32 / signs.chars.max(1) as f32);
        row.put("capitals", signs.upper as f32 / signs.letters.max(1) as f32);
        row.put("questions", signs.questions as f32);
        row.put("quotes", signs.quotes as f32 / block.words.max(1) as f32);
        row.put("agreement", page.agreement[at]);
        row.put("page blocks after", log((page.blocks.len() - at) as f32));
        let level = |at: usize| f32::from(self.document.node(page.blocks[at].element).level);
        row.put("level change", if k == 0 { 0.0 } else { level(at) - level(self.kept[k - 1]) });
        for bit in 0..12 {
            row.put(format_args!("cue {bit}"), flag(page.cues[at] >> bit & 1 == 1));
        }
    }
}

pub(crate) fn ending_feature_names() -> Vec<String> {
    crate::siblings::with_example(|document, page, template| {
        column_names(|row| Sequence::of(document, page, template.pools, &[0]).fill(row, 0))
    })
}

/// One row for each kept block, given by ascending index among the page's blocks. `page` has the second
/// scores.
pub fn ending_rows(
    document: &Document,
    page: &ScoredPage<'_>,
    pools: &Pools,
    kept: &[usize],
) -> FeatureTable {
    static WIDTH: LazyLock<usize> = LazyLock::new(|| ending_feature_names().len());
    let sequence = Sequence::of(document, page, pools, kept);
    FeatureTable::of(*WIDTH, 0..kept.len(), |row, k| sequence.fill(row, k))
}

/// A cut may not take more than this share of the words whose second score is above one half: it would
/// contradict what is known from the page and its siblings.
const MOST_CUT: f32 = 0.5;

/// Number of kept blocks before the end: all, unless a cut gains enough. `words`, `scores` (of the trees for the
/// ending) and `second` scores are those of the kept blocks; at least one is left.
pub fn ending(words: &[u32], scores: &[f32], second: &[f32]) -> usize {
    let (mut sum, mut best, mut end) = (0.0f32, f32::NEG_INFINITY, 0);
    for (k, (&words, &score)) in words.iter().zip(scores).enumerate() {
        sum += words as f32 * (score - SURE);
        if sum >= best {
            (best, end) = (sum, k + 1);
        }
    }
    let sure = |from: usize| -> u32 {
        (words[from..].iter().zip(&second[from..]))
            .filter(|own| *own.1 > 0.5)
            .map(|own| own.0)
            .sum()
    };
    let is_safe = || sure(end) as f32 <= MOST_CUT * sure(0) as f32;
    if best - sum >= LEAST_GAIN && is_safe() { end } else { words.len() }
}
