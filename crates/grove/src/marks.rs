//! Marks by people or models on pages of a template, as evidence about its patterns.
//!
//! A mark concerns one block; siblings have other blocks with the same pattern. So the marks of a pattern, weighted by their
//! reliability, are compared with the scores of the marked blocks, and the difference in log-odds is added to the scores of all
//! blocks with that pattern. Scores that are right do not change. Decisions count a marked page as several pages.

use std::collections::BTreeMap;

use model::{Mark, MarkedBlock, TemplateCorrection};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::belief::{MarksOfPage, believe};
use crate::cues;
use crate::elementary::{ln, logistic};
use crate::page::PageBlocks;
use crate::patterns::{PatternId, Patterns};
use crate::pools::ScoredPage;

/// The corrections that marks make in a template, by pattern. Borrows nothing from pages.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct MarkedPatterns(Vec<MarkedPattern>);

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct MarkedPattern {
    /// The value added to the log-odds of the scores of its blocks.
    shift: f32,
    /// Words of its marked blocks, in percent of the text of their pages, and the sum of percent · corrected score.
    share: f32,
    scored: f32,
    /// Whether its blocks are comments, if that is marked.
    is_comment: Option<bool>,
}

/// A mark that says whether a block is text.
#[derive(Clone, Copy, Debug)]
struct PlacedMark {
    pattern: usize,
    mark: Mark,
    words: u32,
    /// The score of the block, or the mean of its pattern if the block is not in the sample.
    expected: f32,
}

/// Sums over the marks of a pattern.
#[derive(Clone, Copy, Debug, Default)]
struct MarkSum {
    words: f32,
    /// Sums over marked blocks: weights, weights · probabilities of text, and weights · expected scores.
    weight: f32,
    text: f32,
    expected: f32,
}

/// Sums over the blocks of a pattern in the sample.
#[derive(Clone, Copy, Debug, Default)]
struct SampleSum {
    pages: f32,
    words: f32,
    scored: f32,
}

impl SampleSum {
    fn mean(&self) -> f32 {
        if self.words > 0.0 { self.scored / self.words } else { 0.5 }
    }
}

/// A block of `WORDS` words has the weight 1. The weight grows with the square root of the words, up to `LONGEST`.
const WORDS: f32 = 5.0;
const LONGEST: f32 = 25.0;
/// Weight of a mark for its own block, beside its weight for the pattern.
const OF_BLOCK: f32 = 0.5;
/// Number of pages that a marked page counts as in decisions.
const PAGES: f32 = 3.0;
/// Pages with fewer marked words of text weigh as if they had this many.
const LEAST_MASS: f32 = 50.0;

impl MarkedPatterns {
    /// Learns from marks, given the patterns and second scores of a sample, and for each correction the number of its page
    /// among these; `None` if no pattern is marked. Linear in marks, patterns and blocks.
    pub fn learn(
        corrections: &[TemplateCorrection],
        patterns: &Patterns,
        pages: &[ScoredPage<'_>],
        of_pages: &[Option<usize>],
    ) -> Option<Self> {
        if corrections.is_empty() {
            return None;
        }
        let sample = sums_of_sample(pages, patterns);
        let mut by_origin: BTreeMap<&str, Vec<(Vec<PlacedMark>, MarksOfPage)>> = BTreeMap::new();
        for (correction, &page) in corrections.iter().zip(of_pages) {
            let page = page.map(|at| &pages[at]);
            let marks = place(correction, page, patterns, &sample);
            let blocks = match page {
                Some(page) => page.scores.len(),
                None => {
                    pages.iter().map(|page| page.scores.len()).sum::<usize>() / pages.len().max(1)
                }
            };
            let covered = marks.len() as f32 / blocks.max(marks.len()).max(1) as f32;
            let seen = marks.iter().map(|own| (own.expected, own.is_text())).collect();
            let of_origin = by_origin.entry(&correction.by).or_default();
            of_origin.push((marks, MarksOfPage { marks: seen, covered }));
        }
        let mut marked = vec![MarkedPattern::default(); patterns.len()];
        let mut sums = vec![MarkSum::default(); patterns.len()];
        let mut weighted: Vec<(PlacedMark, f32, f32)> = Vec::new();
        for of_origin in by_origin.into_values() {
            let (placed, seen): (Vec<_>, Vec<_>) = of_origin.into_iter().unzip();
            for (marks, believed) in placed.into_iter().zip(believe(&seen)) {
                let text =
                    marks.iter().filter(|own| own.is_text()).map(|own| own.words).sum::<u32>();
                let percent = 100.0 / (text as f32).max(LEAST_MASS);
                for (own, believed) in marks.into_iter().zip(believed) {
                    let words = own.words as f32;
                    sums[own.pattern].add(&own, believed);
                    weighted.push((own, percent * words, odds(believed) - odds(own.expected)));
                    let is_comment = &mut marked[own.pattern].is_comment;
                    match own.mark {
                        Mark::Comment if believed < 0.5 => *is_comment = Some(true),
                        Mark::Content if believed > 0.5 => *is_comment = is_comment.or(Some(false)),
                        _ => {}
                    }
                }
            }
        }
        for ((pattern, sum), sample) in marked.iter_mut().zip(&sums).zip(&sample) {
            pattern.shift = sum.shift(sample);
        }
        let is_known = !weighted.is_empty();
        for (mark, share, evidence) in weighted {
            let pattern = &mut marked[mark.pattern];
            let odds = odds(mark.expected) + pattern.shift + OF_BLOCK * evidence;
            pattern.share += share;
            pattern.scored += share * logistic(odds);
        }
        is_known.then_some(Self(marked))
    }

    /// Validates the corrections against patterns, after deserialisation.
    ///
    /// # Errors
    /// Describes the first mismatch.
    pub fn check(&self, patterns: &Patterns) -> Result<(), String> {
        let (own, wanted) = (self.0.len(), patterns.len());
        if own == wanted {
            return Ok(());
        }
        Err(format!("marks of {own} patterns, not of {wanted}"))
    }

    /// Corrects the scores of a page, and notes which of its blocks are comments.
    pub fn correct(&self, page: &mut PageBlocks, of_nodes: &[PatternId], scores: &mut [f32]) {
        for ((block, cues), score) in page.blocks.iter().zip(&mut page.cues).zip(scores) {
            let Some(own) = self.0.get(of_nodes[block.element as usize] as usize) else { continue };
            if own.shift != 0.0 {
                *score = logistic(odds(*score) + own.shift);
            }
            match own.is_comment {
                Some(true) => *cues |= cues::COMMENTS,
                Some(false) => *cues &= !cues::COMMENTS,
                None => {}
            }
        }
    }

    /// Whether some blocks are marked as text of an article.
    pub fn has_text(&self) -> bool {
        self.0.iter().any(|own| own.is_comment == Some(false))
    }

    /// The value that marks add to the sum for keeping a pattern, given the threshold: as much as several such pages.
    pub(crate) fn gain(&self, pattern: PatternId, threshold: f32) -> f64 {
        let own = self.0[pattern as usize];
        f64::from(PAGES * (own.scored - own.share * threshold))
    }
}

impl PlacedMark {
    fn is_text(&self) -> bool {
        self.mark.is_text() == Some(true)
    }
}

impl MarkSum {
    /// Adds a mark, given the probability that its block is text.
    fn add(&mut self, mark: &PlacedMark, believed: f32) {
        let words = mark.words as f32;
        let weight = (words.min(LONGEST) / WORDS).sqrt();
        self.words += words;
        self.weight += weight;
        self.text += weight * believed;
        self.expected += weight * mark.expected;
    }

    /// The correction of the log-odds of scores.
    fn shift(&self, sample: &SampleSum) -> f32 {
        if self.weight <= 0.0 {
            return 0.0;
        }
        // If siblings have many more words with this pattern than are marked, the marks count for less.
        let usual = sample.words / sample.pages.max(1.0);
        let prior = (usual / self.words.max(1.0)).max(1.0);
        let expected = self.expected / self.weight;
        let seen = (prior * expected + self.text) / (prior + self.weight);
        odds(seen) - odds(expected)
    }
}

/// The marks of a correction that say whether a block is text, for known patterns.
fn place(
    correction: &TemplateCorrection,
    page: Option<&ScoredPage<'_>>,
    patterns: &Patterns,
    sample: &[SampleSum],
) -> Vec<PlacedMark> {
    let of_elements = patterns.find_named(&correction.elements);
    let mut scores: FxHashMap<(PatternId, u64), f32> = FxHashMap::default();
    if let Some(page) = page {
        for (at, signs) in page.page.signs.iter().enumerate() {
            scores.entry((page.pattern(at), signs.letters_hash)).or_insert(page.scores[at]);
        }
    }
    let place = |block: &MarkedBlock| {
        block.mark.is_text()?;
        let &pattern = of_elements.get(block.element? as usize)?;
        let hash = u64::from_str_radix(&block.hash, 16).ok();
        let score = hash.and_then(|hash| scores.get(&(pattern, hash)).copied());
        let expected = score.unwrap_or(sample.get(pattern as usize)?.mean());
        let (pattern, words) = (pattern as usize, block.words.max(1));
        Some(PlacedMark { pattern, mark: block.mark, words, expected })
    };
    correction.blocks.iter().filter_map(place).collect()
}

fn sums_of_sample(pages: &[ScoredPage<'_>], patterns: &Patterns) -> Vec<SampleSum> {
    let mut sums = vec![SampleSum::default(); patterns.len()];
    let mut last = vec![usize::MAX; patterns.len()];
    for (number, page) in pages.iter().enumerate() {
        for (at, block) in page.page.blocks.iter().enumerate() {
            let pattern = page.pattern(at) as usize;
            let Some(own) = sums.get_mut(pattern) else { continue };
            own.words += block.words as f32;
            own.scored += block.words as f32 * page.scores[at];
            if last[pattern] != number {
                last[pattern] = number;
                own.pages += 1.0;
            }
        }
    }
    sums
}

/// Scores are limited to this distance from 0 and 1.
const LEAST: f32 = 0.002;

fn odds(score: f32) -> f32 {
    let score = score.clamp(LEAST, 1.0 - LEAST);
    ln(score / (1.0 - score))
}
