//! The fast path: uses the scores of the sample instead of evaluating the trees.
//!
//! Siblings are similar, so the score of a block is approximately the mean final score of the sample's blocks
//! with its pattern. This takes one pass over the nodes, which also shows whether the page is similar to the
//! sample. If not, the trees are evaluated.

use dom::{Document, NodeId};
use serde::{Deserialize, Serialize};

use crate::block::TextBlock;
use crate::cues::{Cues, PageCues};
use crate::page::PageBlocks;
use crate::patterns::{PatternId, Patterns, UNKNOWN};
use crate::pools::{JudgedPage, ScoredPage};
use crate::rows::FeatureTable;
use crate::signs::Signs;

/// A scored page of the sample.
#[derive(Clone, Copy, Debug)]
pub struct ScoredSample<'a> {
    /// The parsed page that `page` scores.
    pub document: &'a Document,
    /// Its blocks with the second scores.
    pub page: ScoredPage<'a>,
    /// Per block its first score.
    pub first: &'a [f32],
    /// The blocks that the wrapper keeps.
    pub kept: &'a [usize],
}

/// Profile of a sample, by pattern and in total. Borrows nothing from its pages.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SampleProfile {
    of_patterns: Vec<OfPattern>,
    /// Maximum over the sample of the share of score that is lost, and minimum of the mean score that is
    /// kept.
    most_lost: f32,
    least_mean: f32,
}

/// Profile of the sample's blocks with one pattern.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct OfPattern {
    /// Mean score of its words; without words, of the words below it; else of the words around it.
    score: f32,
    /// Mean score of its words and of all words below it.
    around: f32,
    /// Both means for first scores.
    first: f32,
    first_around: f32,
    /// Lexicon features of its elements and those above.
    cues: u64,
}

/// Tolerance for a page, in the share of its score that is lost and in the mean score of its kept words.
const LEEWAY: f32 = 0.1;
/// More words than this must be lost, or unknown, to matter …
const LEAST_WORDS: f32 = 15.0;
/// … and the unknown words that are not kept must exceed this share of the kept words.
const UNKNOWN_SHARE: f32 = 0.25;

impl SampleProfile {
    /// Computes the profile of a sample. Linear in its nodes.
    pub fn of(sample: &[ScoredSample<'_>], patterns: &Patterns, cues: &mut Cues) -> Self {
        let mut own = vec![[0.0f32; 3]; patterns.len()];
        let mut of_patterns = vec![OfPattern::default(); patterns.len()];
        let mut met = vec![false; patterns.len()];
        for page in sample {
            let mut cues = cues.of_page(page.document);
            for id in page.document.ids().filter(|&id| page.document.name(id).is_some()) {
                let pattern = page.page.patterns[id as usize] as usize;
                if !std::mem::replace(&mut met[pattern], true) {
                    let above = of_patterns[patterns.parent(pattern as PatternId) as usize].cues;
                    of_patterns[pattern].cues = above | cues.of(id);
                }
            }
            for (at, block) in page.page.page.blocks.iter().enumerate() {
                let words = block.words as f32;
                let sums = &mut own[page.page.pattern(at) as usize];
                let more = [words, words * page.page.scores[at], words * page.first[at]];
                sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
        }
        let mut below = own.clone();
        for id in (1..below.len()).rev() {
            let more = below[id];
            let above = &mut below[patterns.parent(id as PatternId) as usize];
            above.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        let mean =
            |[words, mass, first]: [f32; 3]| (words > 0.0).then(|| (mass / words, first / words));
        for id in 0..of_patterns.len() {
            let above = of_patterns[patterns.parent(id as PatternId) as usize];
            let around = mean(below[id]).unwrap_or((above.around, above.first_around));
            let here = mean(own[id]).unwrap_or(around);
            let pattern = &mut of_patterns[id];
            (pattern.around, pattern.first_around) = around;
            (pattern.score, pattern.first) = here;
        }
        let mut profile = Self { of_patterns, most_lost: 0.0, least_mean: 1.0 };
        for page in sample.iter().filter(|page| !page.kept.is_empty()) {
            let blocks = &page.page.page.blocks;
            let pattern = |at: usize| page.page.pattern(at) as usize;
            let scores: Vec<f32> =
                (0..blocks.len()).map(|at| profile.of_patterns[pattern(at)].score).collect();
            let look = Look::of(blocks, &scores, page.kept, |_| false);
            profile.most_lost = profile.most_lost.max(look.lost_share());
            profile.least_mean = profile.least_mean.min(look.mean());
        }
        profile
    }

    /// Validates the profile against patterns, after deserialisation.
    ///
    /// # Errors
    /// Describes the first mismatch.
    pub fn check(&self, patterns: &Patterns) -> Result<(), String> {
        let (own, wanted) = (self.of_patterns.len(), patterns.len());
        if own == wanted {
            return Ok(());
        }
        Err(format!("the profile is of {own} patterns, not of {wanted}"))
    }

    /// Finds the expected scores of a page, given the patterns of its nodes ([`UNKNOWN`] for those that the sample lacks)
    /// and its blocks. Linear in both.
    pub fn look(
        &self,
        document: &Document,
        of_nodes: Vec<PatternId>,
        blocks: Vec<TextBlock>,
        cues: &mut Cues,
    ) -> JudgedPage {
        let mut scores = Vec::with_capacity(blocks.len());
        let mut firsts = Vec::with_capacity(blocks.len());
        let mut of_blocks = Vec::with_capacity(blocks.len());
        let mut cues = cues.of_page(document);
        // Blocks of one element are usually consecutive.
        let mut last: Option<(NodeId, (f32, f32, u64))> = None;
        for block in &blocks {
            let element = block.element;
            let expected = match last {
                Some(last) if last.0 == element => last.1,
                _ => self.expect(document, &of_nodes, element, &mut cues),
            };
            last = Some((element, expected));
            let (score, first, bits) = expected;
            scores.push(score);
            firsts.push(first);
            of_blocks.push(bits);
        }
        let count = blocks.len();
        let blocks = PageBlocks {
            blocks,
            rows: FeatureTable::default(),
            signs: vec![Signs::default(); count],
            cues: of_blocks,
            agreement: vec![-1.0; count],
            title: 0,
            of_kinds: cues.of_kinds,
        };
        JudgedPage { blocks, of_nodes, scores, first: firsts }
    }

    /// Scores and lexicon features of the blocks of an element: from its pattern, or from that of its nearest ancestor with a
    /// known pattern.
    fn expect(
        &self,
        document: &Document,
        of_nodes: &[PatternId],
        element: NodeId,
        cues: &mut PageCues<'_>,
    ) -> (f32, f32, u64) {
        let mut bits = 0;
        for id in document.ancestors(element) {
            match self.of_patterns.get(of_nodes[id as usize] as usize) {
                Some(pattern) if id == element => {
                    return (pattern.score, pattern.first, pattern.cues);
                }
                Some(pattern) => {
                    return (pattern.around, pattern.first_around, bits | pattern.cues);
                }
                None => bits |= cues.of(id),
            }
        }
        (0.0, 0.0, bits)
    }

    /// Whether a page with these kept blocks is similar to the sample: it misses little of what usually
    /// belongs to the article, keeps what usually does, and has few words of unknown patterns.
    pub fn fits(&self, fast: &JudgedPage, kept: &[usize]) -> bool {
        let blocks = &fast.blocks.blocks;
        let unknown = |at: usize| fast.of_nodes[blocks[at].element as usize] == UNKNOWN;
        let look = Look::of(blocks, &fast.scores, kept, unknown);
        let lost = look.lost > LEAST_WORDS && look.lost_share() > self.most_lost + LEEWAY;
        let strange = look.unknown > LEAST_WORDS && look.unknown > UNKNOWN_SHARE * look.words;
        look.words > 0.0 && !lost && !strange && look.mean() >= self.least_mean - LEEWAY
    }
}

/// Sums over a page's words.
struct Look {
    /// Kept words, and the sum of words · score.
    words: f32,
    mass: f32,
    /// The sum of words · score over blocks that are not kept.
    lost: f32,
    /// Words outside links in blocks with unknown patterns that are not kept.
    unknown: f32,
}

impl Look {
    fn of(
        blocks: &[TextBlock],
        scores: &[f32],
        kept: &[usize],
        unknown: impl Fn(usize) -> bool,
    ) -> Self {
        let mut look = Self { words: 0.0, mass: 0.0, lost: 0.0, unknown: 0.0 };
        let mut kept = kept.iter().copied().peekable();
        for (at, (block, score)) in blocks.iter().zip(scores).enumerate() {
            let words = block.words as f32;
            if kept.next_if_eq(&at).is_some() {
                look.words += words;
                look.mass += words * score;
                continue;
            }
            look.lost += words * score;
            if unknown(at) {
                look.unknown += words - block.link_words as f32;
            }
        }
        look
    }

    fn lost_share(&self) -> f32 {
        self.lost / (self.lost + self.mass).max(1e-6)
    }

    fn mean(&self) -> f32 {
        self.mass / self.words.max(1.0)
    }
}
