//! Boosted decision trees: a probability from a row of features.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::elementary::logistic;
use crate::vectors;
use bundle::Bundle;

mod bundle;

/// One tree in pre-order: the left child of a split comes right after it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct DecisionTree {
    /// Column of a split; −1 for a leaf.
    #[serde(rename = "f")]
    pub features: Vec<i16>,
    /// Threshold of a split (lower values go left), or value of a leaf.
    #[serde(rename = "v")]
    pub values: Vec<f32>,
    /// Index of the right child.
    #[serde(rename = "r")]
    pub rights: Vec<u16>,
}

impl DecisionTree {
    /// The value of the leaf that a row reaches.
    pub(crate) fn value(&self, row: &[f32]) -> f32 {
        let mut at = 0;
        loop {
            let feature = self.features[at];
            if feature < 0 {
                return self.values[at];
            }
            at = if row[feature as usize] < self.values[at] {
                at + 1
            } else {
                usize::from(self.rights[at])
            };
        }
    }

    /// Its splits: column and threshold.
    pub(crate) fn splits(&self) -> impl Iterator<Item = (u16, f32)> {
        let nodes = self.features.iter().zip(&self.values);
        nodes.filter(|node| *node.0 >= 0).map(|(&feature, &value)| (feature as u16, value))
    }

    /// Whether the arrays are of one length, every walk ends at a leaf and no column is beyond `width`.
    pub(crate) fn is_sound(&self, width: usize) -> bool {
        let nodes = self.features.len();
        nodes > 0
            && self.values.len() == nodes
            && self.rights.len() == nodes
            && (0..nodes).all(|at| {
                let feature = self.features[at];
                let right = usize::from(self.rights[at]);
                feature < 0
                    || ((feature as usize) < width
                        && at + 1 < nodes
                        && right > at + 1
                        && right < nodes)
            })
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
        let tree = DecisionTree {
            features: vec![0, -1, -1],
            values: vec![1.0, -2.0, 2.0],
            rights: vec![2, 0, 0],
        };
        let trees = Trees::new(0.0, vec![tree]);
        assert!(trees.are_sound(1) && !trees.are_sound(0));
        assert!(trees.probability(&[0.5]) < 0.2 && trees.probability(&[1.0]) > 0.8);
    }

    #[test]
    fn loops_and_gaps_are_refused() {
        let tree =
            DecisionTree { features: vec![0, -1], values: vec![1.0, 1.0], rights: vec![0, 0] };
        assert!(!Trees::new(0.0, vec![tree]).are_sound(1));
        assert!(!Trees::new(0.0, vec![DecisionTree::default()]).are_sound(1));
    }
}
