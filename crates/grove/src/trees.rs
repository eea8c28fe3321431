//! Boosted decision trees: a probability from a row of features.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::elementary::logistic;
use crate::vectors;
use bundle::Bundle;

mod bundle;

/// One tree.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "TreeArrays", into = "TreeArrays")]
pub struct DecisionTree {
    /// Its nodes in pre-order: the left child of a split comes right after it.
    pub nodes: Vec<DecisionNode>,
}

/// A split or a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecisionNode {
    /// Column of a split; −1 for a leaf.
    pub feature: i16,
    /// Index of the right child of a split.
    pub right: u16,
    /// Threshold of a split (lower values go left), or value of a leaf.
    pub value: f32,
}

/// The written form of a tree: columns, values and right children of its nodes.
#[derive(Deserialize, Serialize)]
struct TreeArrays {
    f: Vec<i16>,
    v: Vec<f32>,
    r: Vec<u16>,
}

impl TryFrom<TreeArrays> for DecisionTree {
    type Error = &'static str;

    fn try_from(TreeArrays { f, v, r }: TreeArrays) -> Result<Self, Self::Error> {
        if f.len() != v.len() || f.len() != r.len() {
            return Err("the arrays of a tree differ in length");
        }
        let nodes = f.into_iter().zip(r).zip(v);
        let node = |((feature, right), value)| DecisionNode { feature, right, value };
        Ok(Self { nodes: nodes.map(node).collect() })
    }
}

impl From<DecisionTree> for TreeArrays {
    fn from(DecisionTree { nodes }: DecisionTree) -> Self {
        Self {
            f: nodes.iter().map(|node| node.feature).collect(),
            v: nodes.iter().map(|node| node.value).collect(),
            r: nodes.iter().map(|node| node.right).collect(),
        }
    }
}

impl DecisionTree {
    /// The value of the leaf that a row reaches.
    pub(crate) fn value(&self, row: &[f32]) -> f32 {
        let mut at = 0;
        loop {
            let node = self.nodes[at];
            if node.feature < 0 {
                return node.value;
            }
            at = match row[node.feature as usize] < node.value {
                true => at + 1,
                false => usize::from(node.right),
            };
        }
    }

    /// Its splits: column and threshold.
    pub(crate) fn splits(&self) -> impl Iterator<Item = (u16, f32)> {
        let splits = self.nodes.iter().filter(|node| node.feature >= 0);
        splits.map(|node| (node.feature as u16, node.value))
    }

    /// Whether every walk ends at a leaf and no column is beyond `width`.
    pub(crate) fn is_sound(&self, width: usize) -> bool {
        let len = self.nodes.len();
        let is_sound = |(at, node): (usize, &DecisionNode)| {
            let right = usize::from(node.right);
            let is_split = (node.feature as usize) < width && right > at + 1 && right < len;
            node.feature < 0 || is_split
        };
        len > 0 && self.nodes.iter().enumerate().all(is_sound)
    }
}

/// A sum of decision trees, followed by the logistic function.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Trees {
    /// Log-odds before any tree.
    base: f32,
    trees: Vec<DecisionTree>,
    /// The trees in the layout for many rows, made on demand; `None` if they are too large.
    #[serde(skip)]
    bundle: OnceLock<Option<Bundle>>,
}

/// Compares without the layout for many rows.
impl PartialEq for Trees {
    fn eq(&self, other: &Self) -> bool {
        (self.base, &self.trees) == (other.base, &other.trees)
    }
}

/// Minimum number of rows to evaluate together; fewer are evaluated one by one.
const FEW: usize = 6;

impl Trees {
    /// Creates the sum of initial log-odds and trees.
    pub fn new(base: f32, trees: Vec<DecisionTree>) -> Self {
        Self { base, trees, bundle: OnceLock::new() }
    }

    /// Number of trees.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Whether there are no trees, so that the probability is constant.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The probability for a row, in 0..=1. The row must be as wide as the trees were fitted on.
    pub fn probability(&self, row: &[f32]) -> f32 {
        logistic(self.trees.iter().fold(self.base, |sum, tree| sum + tree.value(row)))
    }

    /// Probabilities of all rows: exactly the results of [`Trees::probability`].
    pub fn probabilities(&self, rows: &crate::FeatureTable) -> Vec<f32> {
        let together = if rows.len() < FEW { None } else { self.side_by_side(rows) };
        together.unwrap_or_else(|| rows.iter().map(|row| self.probability(row)).collect())
    }

    /// Like [`Self::probabilities`], with vector instructions; `None` without them, or if the trees are too large.
    pub(crate) fn side_by_side(&self, rows: &crate::FeatureTable) -> Option<Vec<f32>> {
        let level = vectors::level()?;
        let bundle = self.bundle.get_or_init(|| Bundle::of(&self.trees)).as_ref()?;
        Some(bundle.sums(level, rows, self.base).into_iter().map(logistic).collect())
    }

    /// Whether the trees are valid for rows of this width.
    pub(crate) fn are_sound(&self, width: usize) -> bool {
        self.base.is_finite() && self.trees.iter().all(|tree| tree.is_sound(width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stump_splits_below() {
        let node = |feature, right, value| DecisionNode { feature, right, value };
        let tree =
            DecisionTree { nodes: vec![node(0, 2, 1.0), node(-1, 0, -2.0), node(-1, 0, 2.0)] };
        let trees = Trees::new(0.0, vec![tree]);
        assert!(trees.are_sound(1) && !trees.are_sound(0));
        assert!(trees.probability(&[0.5]) < 0.2 && trees.probability(&[1.0]) > 0.8);
    }

    #[test]
    fn loops_and_gaps_are_refused() {
        let node = |feature| DecisionNode { feature, right: 0, value: 1.0 };
        let tree = DecisionTree { nodes: vec![node(0), node(-1)] };
        assert!(!Trees::new(0.0, vec![tree]).are_sound(1));
        assert!(!Trees::new(0.0, vec![DecisionTree::default()]).are_sound(1));
        assert!(serde_json::from_str::<DecisionTree>(r#"{"f":[-1],"v":[1],"r":[]}"#).is_err());
    }
}
