//! Boosted decision trees: a probability from a row of features.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::bundle::Bundle;
use crate::elementary::exp;
use crate::tree::Tree;
use crate::vectors;

/// A sum of decision trees, followed by the logistic function.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Trees {
    /// Log-odds before any tree.
    base: f32,
    trees: Vec<Tree>,
    /// The trees in the layout for many rows, made on demand; `None` if they are too large.
    #[serde(skip)]
    bundle: OnceLock<Option<Bundle>>,
}

/// Ignores the layout for many rows.
impl PartialEq for Trees {
    fn eq(&self, other: &Self) -> bool {
        (self.base, &self.trees) == (other.base, &other.trees)
    }
}

/// The logistic function.
fn logistic(sum: f32) -> f32 {
    1.0 / (1.0 + exp(-sum))
}

/// Fewer rows than this are evaluated one by one.
const FEW: usize = 6;

impl Trees {
    /// From initial log-odds and trees.
    pub fn new(base: f32, trees: Vec<Tree>) -> Self {
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
    pub fn probabilities(&self, rows: &crate::Rows) -> Vec<f32> {
        let together = if rows.len() < FEW { None } else { self.side_by_side(rows) };
        together.unwrap_or_else(|| rows.iter().map(|row| self.probability(row)).collect())
    }

    /// The same for many rows; `None` where the trees are too large for it.
    pub(crate) fn side_by_side(&self, rows: &crate::Rows) -> Option<Vec<f32>> {
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
        let tree =
            Tree { features: vec![0, -1, -1], values: vec![1.0, -2.0, 2.0], rights: vec![2, 0, 0] };
        let trees = Trees::new(0.0, vec![tree]);
        assert!(trees.are_sound(1) && !trees.are_sound(0));
        assert!(trees.probability(&[0.5]) < 0.2 && trees.probability(&[1.0]) > 0.8);
    }

    #[test]
    fn loops_and_gaps_are_refused() {
        let tree = Tree { features: vec![0, -1], values: vec![1.0, 1.0], rights: vec![0, 0] };
        assert!(!Trees::new(0.0, vec![tree]).are_sound(1));
        assert!(!Trees::new(0.0, vec![Tree::default()]).are_sound(1));
    }
}
