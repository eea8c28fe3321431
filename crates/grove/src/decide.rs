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

const ALL: [Decision; 3] = [Decision::Outside, Decision::Keep, Decision::Prune];

/// Parameters of decisions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecideParameters {
    /// Score from which on a word belongs to the article.
    pub threshold: f32,
    /// Cost of each switch between a pattern and the one above it, in hundredths of an article, times
    /// √pages.
    pub switch_cost: f32,
}

/// Pages with fewer words to keep have less weight.
const LEAST_MASS: f32 = 20.0;

/// Decides for each pattern: the decisions with the largest sum over kept blocks of words · (score −
/// threshold), minus the cost of each switch on the way down (a Potts model on the merged tree, solved
/// exactly). Everything below a pruned element is pruned, so that a wrapper consists of elements minus
/// elements inside them. Linear in patterns and blocks.
pub fn decide(
    pages: &[ScoredPage<'_>],
    patterns: &Patterns,
    parameters: &DecideParameters,
) -> Vec<Decision> {
    let mut gains = vec![0.0f64; patterns.len()];
    for page in pages {
        // Long articles have no more weight than short ones.
        let scored = page.page.blocks.iter().zip(page.scores);
        let mass: f32 = scored.map(|(block, score)| block.words as f32 * score).sum();
        let weight = 100.0 / f64::from(mass.max(LEAST_MASS));
        for (at, block) in page.page.blocks.iter().enumerate() {
            let id = page.pattern(at);
            if id != UNKNOWN {
                gains[id as usize] += weight
                    * f64::from(block.words)
                    * f64::from(page.scores[at] - parameters.threshold);
            }
        }
    }
    let cost = f64::from(parameters.switch_cost) * (pages.len() as f64).sqrt();
    // Per pattern and decision the best sum of its subtree; children have higher ids.
    let mut best: Vec<[f64; 3]> = gains.iter().map(|&gain| [0.0, gain, 0.0]).collect();
    for id in (1..patterns.len()).rev() {
        let own = best[id];
        let above = &mut best[patterns.parent(id as PatternId) as usize];
        for (sum, &state) in above.iter_mut().zip(&ALL) {
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
