//! Turns scores into one decision per pattern, and decisions into nodes of a page.

use dom::{Document, NodeId};
use serde::{Deserialize, Serialize};

use crate::block::TextBlock;
use crate::marks::MarkedPatterns;
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

/// Cost of a change of an earlier decision on a pattern, in hundredths of an article, times √pages, so that only
/// clear evidence changes it.
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
/// pages are learnt from. `marks` count as several pages more.
pub fn decide(
    pages: &[ScoredPage<'_>],
    patterns: &Patterns,
    earlier: &[Option<Decision>],
    marks: Option<&MarkedPatterns>,
    parameters: &DecideParameters,
) -> Vec<Decision> {
    let threshold = parameters.factor * threshold(pages);
    let mut gains = vec![0.0f64; patterns.len()];
    for page in pages {
        // Long and short articles have the same weight.
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
    if let Some(marks) = marks {
        for (id, gain) in (0..).zip(&mut gains) {
            *gain += marks.gain(id, threshold);
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

/// Elements that are kept, and elements inside them that are not; both in document order, the kept
/// ones without overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecidedNodes {
    /// Roots of the kept subtrees.
    pub keep: Vec<NodeId>,
    /// Roots of the pruned subtrees inside.
    pub prune: Vec<NodeId>,
}

impl DecidedNodes {
    /// The elements of a page by the decisions on their patterns, including those without words, such as
    /// pictures. Unknown patterns get the decision of the element around them.
    pub fn of(document: &Document, of_nodes: &[PatternId], decisions: &[Decision]) -> Self {
        let mut states: Vec<Decision> = Vec::with_capacity(document.len());
        let mut chosen = Self::default();
        for id in document.ids() {
            let above = match id {
                0 => Decision::Outside,
                _ => states[document.node(id).parent as usize],
            };
            let own = match of_nodes[id as usize] {
                _ if document.name(id).is_none() => above,
                UNKNOWN => above,
                pattern => decisions[pattern as usize],
            };
            states.push(match (above, own) {
                (Decision::Outside, Decision::Keep) => {
                    chosen.keep.push(id);
                    Decision::Keep
                }
                (Decision::Keep, Decision::Prune) => {
                    chosen.prune.push(id);
                    Decision::Prune
                }
                (above, _) => above,
            });
        }
        chosen
    }

    /// Indices of the blocks whose text is kept.
    pub fn blocks(&self, document: &Document, blocks: &[TextBlock]) -> Vec<usize> {
        // The nearest mark above a node decides; a later mark is inside an earlier one or after it.
        let mut marks: Vec<(NodeId, bool)> = self.keep.iter().map(|&id| (id, true)).collect();
        marks.extend(self.prune.iter().map(|&id| (id, false)));
        marks.sort_unstable();
        let mut marks = marks.into_iter().peekable();
        let mut around: Vec<(NodeId, bool)> = Vec::new();
        let mut kept = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            while let Some((id, keep)) = marks.next_if(|mark| mark.0 <= block.first) {
                while around.last().is_some_and(|a| a.0 <= id) {
                    around.pop();
                }
                around.push((document.node(id).end, keep));
            }
            while around.last().is_some_and(|a| a.0 <= block.first) {
                around.pop();
            }
            if around.last().is_some_and(|a| a.1) {
                kept.push(at);
            }
        }
        kept
    }
}

/// Covers all nodes inside the given roots from the node `cut` on, in document order, with as few subtrees as
/// possible.
pub fn from_here_on(document: &Document, roots: &[NodeId], cut: NodeId) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for &root in roots {
        if root >= cut {
            nodes.push(root);
        } else if document.contains(root, cut) {
            nodes.push(cut);
            let mut id = cut;
            while id != root {
                let parent = document.node(id).parent;
                nodes.extend(document.children(parent).filter(|&sibling| sibling > id));
                id = parent;
            }
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The outermost element inside a root that starts with this node.
pub fn widest_from(document: &Document, roots: &[NodeId], node: NodeId) -> NodeId {
    let mut id = node;
    while !roots.contains(&id) {
        let parent = document.node(id).parent;
        let begins = (parent + 1..id)
            .all(|before| document.text(before).is_none_or(|text| text.trim().is_empty()));
        if !begins || roots.contains(&parent) {
            break;
        }
        id = parent;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(d: &Document, name: &str) -> NodeId {
        d.ids().find(|&i| d.name(i).is_some_and(|n| &**n == name)).unwrap()
    }

    #[test]
    fn a_cut_takes_all_that_follows_inside_the_roots() {
        let d =
            dom::parse("<main><p>a</p><div><i>b</i><b>c</b></div><ul><li>d</ul></main><p>e</p>");
        let main = find(&d, "main");
        let cut = widest_from(&d, &[main], find(&d, "b"));
        assert_eq!(cut, find(&d, "b"));
        let gone = from_here_on(&d, &[main], cut);
        assert_eq!(gone, [find(&d, "b"), find(&d, "ul")]);
        assert_eq!(dom::text_of(&d, &[main], &gone), "a\n\nb");
        // The list item is the first of its list.
        let item = find(&d, "li");
        assert_eq!(widest_from(&d, &[main], item), find(&d, "ul"));
    }
}
