//! What people or models marked on pages of a template, as evidence on its patterns.
//!
//! A mark says something of one block; siblings have other blocks with the same pattern. So the marks of a pattern are compared
//! with the scores of the marked blocks, and the difference, in log-odds, is added to the scores of all blocks with that
//! pattern: where scores are right already, nothing changes. Marks may be wrong; how often is seen from those that contradict
//! very sure scores, and few marks that are often wrong change little. Decisions count a marked page as several pages.

use model::{Mark, TemplateCorrection};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::cues;
use crate::elementary::{ln, logistic};
use crate::page::PageBlocks;
use crate::patterns::{PatternId, Patterns, UNKNOWN};
use crate::pools::ScoredPage;

/// What marks change in a template, by pattern. Borrows nothing from pages.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct MarkedPatterns(Vec<MarkedPattern>);

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct MarkedPattern {
    /// What is added to the log-odds of the scores of its blocks.
    shift: f32,
    /// Words of its marked blocks, in percent of the text of their pages, and these times their corrected scores.
    share: f32,
    scored: f32,
    /// Whether its blocks are comments, where that is marked.
    is_comment: Option<bool>,
}

/// A mark of a block that is text or not.
#[derive(Clone, Copy, Debug)]
struct PlacedMark {
    pattern: usize,
    is_text: bool,
    words: u32,
    /// The score of the block; of one that is not in the sample, the mean of its pattern.
    expected: f32,
}

/// Sums over the marks of a pattern.
#[derive(Clone, Copy, Debug, Default)]
struct MarkSum {
    words: f32,
    /// Weights of marked blocks; of those that are text; and times expected scores.
    weight: f32,
    text: f32,
    expected: f32,
    /// Log-odds that these marks can change at most, upwards and downwards.
    up: f32,
    down: f32,
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

/// A block of so many words has the weight 1; longer ones weigh more, by the square root, up to the second number.
const WORDS: f32 = 5.0;
const LONGEST: f32 = 25.0;
/// Weight of a mark for its own block, beside what it says of the pattern.
const OF_BLOCK: f32 = 0.5;
/// A marked page decides as much as so many pages.
const PAGES: f32 = 3.0;
/// Outside of this range scores are sure.
const SURELY_NOT: f32 = 0.02;
const SURELY: f32 = 0.95;
/// Bounds of the share of marks that are wrong.
const FEWEST_WRONG: f32 = 0.01;
const MOST_WRONG: f32 = 0.4;
/// Pages with less marked text weigh as if it were this many words.
const LEAST_MASS: f32 = 50.0;
/// Fewer marks that agree with sure scores do not tell how often marks are wrong: somebody marked what was to be changed.
const FEWEST_AGREEING: u32 = 20;

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
        let mut marked = vec![MarkedPattern::default(); patterns.len()];
        let mut sums = vec![MarkSum::default(); patterns.len()];
        let mut placed: Vec<(PlacedMark, f32, f32)> = Vec::new();
        let mut is_known = false;
        for (correction, &page) in corrections.iter().zip(of_pages) {
            let mut marks = Vec::new();
            let page = page.map(|at| &pages[at]);
            place(correction, page, patterns, &sample, |pattern, mark, placed| {
                is_known = true;
                let is_comment = &mut marked[pattern].is_comment;
                match mark {
                    Mark::Comment => *is_comment = Some(true),
                    Mark::Content => *is_comment = is_comment.or(Some(false)),
                    _ => {}
                }
                marks.extend(placed);
            });
            let wrong = share_of_wrong(&marks);
            let evidence = ln((1.0 - wrong) / wrong);
            let text: u32 = marks.iter().filter(|own| own.is_text).map(|own| own.words).sum();
            let percent = 100.0 / (text as f32).max(LEAST_MASS);
            for mark in marks {
                let words = mark.words as f32;
                let weight = (words.min(LONGEST) / WORDS).sqrt();
                let sum = &mut sums[mark.pattern];
                sum.words += words;
                sum.weight += weight;
                sum.expected += weight * mark.expected;
                let evidence = if mark.is_text {
                    sum.text += weight;
                    sum.up += evidence;
                    evidence
                } else {
                    sum.down += evidence;
                    -evidence
                };
                placed.push((mark, percent * words, evidence));
            }
        }
        for ((pattern, sum), sample) in marked.iter_mut().zip(&sums).zip(&sample) {
            pattern.shift = sum.shift(sample);
        }
        for (mark, share, evidence) in placed {
            let pattern = &mut marked[mark.pattern];
            let odds = odds(mark.expected) + pattern.shift + OF_BLOCK * evidence;
            pattern.share += share;
            pattern.scored += share * logistic(odds);
        }
        is_known.then_some(Self(marked))
    }

    /// Validates them against patterns, after deserialisation.
    ///
    /// # Errors
    /// Says what is wrong.
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

    /// What marks add to the sum for keeping a pattern, given the threshold: as much as several pages like the marked ones.
    pub(crate) fn gain(&self, pattern: PatternId, threshold: f32) -> f64 {
        let own = self.0[pattern as usize];
        f64::from(PAGES * (own.scored - own.share * threshold))
    }
}

impl MarkSum {
    /// What is to be added to the log-odds of scores.
    fn shift(&self, sample: &SampleSum) -> f32 {
        if self.weight <= 0.0 {
            return 0.0;
        }
        // Where siblings have much more with this pattern than is marked, the marks say less of it.
        let usual = sample.words / sample.pages.max(1.0);
        let prior = (usual / self.words.max(1.0)).max(1.0);
        let expected = self.expected / self.weight;
        let seen = (prior * expected + self.text) / (prior + self.weight);
        (odds(seen) - odds(expected)).clamp(-self.down, self.up)
    }
}

/// Calls `take` for the marks of a correction whose patterns are known, with the mark and its place if it says whether the
/// block is text.
fn place(
    correction: &TemplateCorrection,
    page: Option<&ScoredPage<'_>>,
    patterns: &Patterns,
    sample: &[SampleSum],
    mut take: impl FnMut(usize, Mark, Option<PlacedMark>),
) {
    let of_elements = patterns.find_named(&correction.elements);
    let mut scores: FxHashMap<(PatternId, u64), f32> = FxHashMap::default();
    if let Some(page) = page {
        for (at, signs) in page.page.signs.iter().enumerate() {
            scores.entry((page.pattern(at), signs.letters_hash)).or_insert(page.scores[at]);
        }
    }
    for block in &correction.blocks {
        let element = block.element.and_then(|at| of_elements.get(at as usize));
        let Some(&pattern) = element.filter(|pattern| **pattern != UNKNOWN) else { continue };
        let hash = u64::from_str_radix(&block.hash, 16).ok();
        let score = hash.and_then(|hash| scores.get(&(pattern, hash)).copied());
        let pattern = pattern as usize;
        let placed = block.mark.is_text().map(|is_text| PlacedMark {
            pattern,
            is_text,
            words: block.words.max(1),
            expected: score.unwrap_or_else(|| sample[pattern].mean()),
        });
        take(pattern, block.mark, placed);
    }
}

/// How often marks of a page are wrong, by those of blocks whose scores are sure.
fn share_of_wrong(marks: &[PlacedMark]) -> f32 {
    let (mut agreeing, mut contradicting) = (0u32, 0u32);
    for mark in marks {
        if !(SURELY_NOT..SURELY).contains(&mark.expected) {
            let agrees = mark.is_text == (mark.expected > 0.5);
            agreeing += u32::from(agrees);
            contradicting += u32::from(!agrees);
        }
    }
    if agreeing < FEWEST_AGREEING {
        return FEWEST_WRONG;
    }
    let wrong = (contradicting as f32 + 1.0) / (agreeing + contradicting + 2) as f32;
    wrong.clamp(FEWEST_WRONG, MOST_WRONG)
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

/// Scores are never surer than this.
const LEAST: f32 = 0.002;

fn odds(score: f32) -> f32 {
    let score = score.clamp(LEAST, 1.0 - LEAST);
    ln(score / (1.0 - score))
}
