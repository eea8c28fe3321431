//! Turns scores into one decision per pattern.

use serde::{Deserialize, Serialize};

use crate::patterns::{PatternId, Patterns, UNKNOWN};
use crate::pools::ScoredPage;

/// The decision on the elements of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Decision {
    /// Outside the article.
    Outside,
    /// In the article.
    Keep,
    /// Inside an element that is kept, but not part of the article, like everything below it.
    Prune,
}

impl Decision {
    /// All decisions, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Outside, Self::Keep, Self::Prune];
}

/// Parameters of decisions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecideParameters {
    /// Factor of the [`threshold`]: 1, or less if that keeps nothing.
    pub factor: f32,
    /// Cost of each switch between a pattern and the one above it, in hundredths of an article, times
    /// √pages.
    pub switch_cost: f32,
}

/// What it costs to change an earlier decision on a pattern, in hundredths of an article, times √pages: the
/// evidence has to be clear.
const CHANGE_COST: f64 = 1.0;

/// Pages with fewer words to keep have less weight.
const LEAST_MASS: f32 = 20.0;

/// Decides for each pattern: the decisions with the largest sum over kept blocks of words · (score −
/// [`threshold`]), minus the cost of each switch on the way down (a Potts model on the merged tree, solved
/// exactly). Everything below a pruned element is pruned, so that a wrapper consists of elements minus
/// elements inside them. Linear in patterns and blocks.
///
/// `earlier` has the decision that other pages of the template gave for each pattern, if any; empty without
/// other pages. It stays unless the evidence against it is clear, so that results do not alternate while more
/// pages are learnt from.
pub fn decide(
    pages: &[ScoredPage<'_>],
    patterns: &Patterns,
    earlier: &[Option<Decision>],
    parameters: &DecideParameters,
) -> Vec<Decision> {
    let threshold = parameters.factor * threshold(pages);
    let mut gains = vec![0.0f64; patterns.len()];
    for page in pages {
        // Long articles have no more weight than short ones.
        let scored = page.page.blocks.iter().zip(page.scores);
        let mass: f32 = scored.map(|(block, score)| block.words as f32 * score).sum();
        let weight = 100.0 / f64::from(mass.max(LEAST_MASS));
        for (at, block) in page.page.blocks.iter().enumerate() {
            let id = page.pattern(at);
            if id != UNKNOWN {
                gains[id as usize] +=
                    weight * f64::from(block.words) * f64::from(page.scores[at] - threshold);
            }
        }
    }
    let root = (pages.len() as f64).sqrt();
    let cost = f64::from(parameters.switch_cost) * root;
    // Per pattern and decision the best sum of its subtree; children have higher ids.
    let mut best: Vec<[f64; 3]> = gains.iter().map(|&gain| [0.0, gain, 0.0]).collect();
    for (own, decision) in best.iter_mut().zip(earlier) {
        if let Some(decision) = decision {
            own[*decision as usize] += CHANGE_COST * root;
        }
    }
    for id in (1..patterns.len()).rev() {
        let own = best[id];
        let above = &mut best[patterns.parent(id as PatternId) as usize];
        for (sum, &state) in above.iter_mut().zip(&Decision::ALL) {
            *sum += choose(&own, state, cost).1;
        }
    }
    let mut decisions: Vec<Decision> = Vec::with_capacity(patterns.len());
    for (id, own) in best.iter().enumerate() {
        let above = match id {
            0 => Decision::Outside,
            _ => decisions[patterns.parent(id as PatternId) as usize],
        };
        decisions.push(choose(own, above, cost).0);
    }
    decisions
}

/// Score from which on a word of the pages is to be kept: half of the largest F1 that can be expected of them, the
/// mean over pages. It maximises the expected F1 if scores are probabilities (Lipton, Elkan and Naryanaswamy 2014,
/// "Optimal Thresholding of Classifiers to Maximize F1 Measure", theorem 1): where no choice of blocks is sure, more are
/// kept. At most one half.
pub fn threshold(pages: &[ScoredPage<'_>]) -> f32 {
    let sum: f32 = pages.iter().map(expected_f1).sum();
    sum / pages.len().max(1) as f32 / 2.0
}

/// The largest F1 that can be expected of a page: of its best blocks, as many as give the most.
fn expected_f1(page: &ScoredPage<'_>) -> f32 {
    let blocks = page.page.blocks.iter().zip(page.scores);
    let mut blocks: Vec<(f32, f32)> =
        blocks.map(|(block, &score)| (score, block.words as f32)).collect();
    blocks.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all: f32 = blocks.iter().map(|(score, words)| score * words).sum();
    let (mut kept, mut right, mut best) = (0.0f32, 0.0f32, 0.0f32);
    for (score, words) in blocks {
        kept += words;
        right += score * words;
        best = best.max(2.0 * right / (kept + all).max(1.0));
    }
    best
}

/// The best decision below another, and its sum minus the cost of the switch.
fn choose(own: &[f64; 3], above: Decision, cost: f64) -> (Decision, f64) {
    let [outside, keep, prune] = *own;
    let (stay, switch) = match above {
        Decision::Outside => ((Decision::Outside, outside), (Decision::Keep, keep - cost)),
        Decision::Keep => ((Decision::Keep, keep), (Decision::Prune, prune - cost)),
        Decision::Prune => return (Decision::Prune, prune),
    };
    if switch.1 > stay.1 { switch } else { stay }
}
