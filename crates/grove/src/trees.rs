//! Boosted decision trees: a probability from a row of features.

use serde::{Deserialize, Serialize};

/// A sum of decision trees through the logistic function.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Trees {
    /// Log-odds before any tree.
    pub base: f32,
    /// The trees.
    pub trees: Vec<Tree>,
}

/// One tree in pre-order: the left child of a split comes right after it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Tree {
    /// Column a split looks at; −1 for a leaf.
    #[serde(rename = "f")]
    pub features: Vec<i16>,
    /// Values below it go left; a leaf's value.
    #[serde(rename = "v")]
    pub values: Vec<f32>,
    /// Index of the right child.
    #[serde(rename = "r")]
    pub rights: Vec<u16>,
}

impl Tree {
    fn value(&self, row: &[f32]) -> f32 {
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

    /// Whether the arrays are of one length, every walk ends at a leaf and no column is beyond `width`.
    fn is_sound(&self, width: usize) -> bool {
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

impl Trees {
    /// The probability for a row, in 0..=1. The row must be as wide as the trees were fitted on.
    pub fn probability(&self, row: &[f32]) -> f32 {
        let sum = self.trees.iter().fold(self.base, |sum, tree| sum + tree.value(row));
        1.0 / (1.0 + (-sum).exp())
    }

    /// Probabilities of all rows.
    pub fn probabilities(&self, rows: &crate::Rows) -> Vec<f32> {
        rows.iter().map(|row| self.probability(row)).collect()
    }

    /// Whether the trees can be asked about rows of this width without going astray.
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
        let trees = Trees { base: 0.0, trees: vec![tree] };
        assert!(trees.are_sound(1) && !trees.are_sound(0));
        assert!(trees.probability(&[0.5]) < 0.2 && trees.probability(&[1.0]) > 0.8);
    }

    #[test]
    fn loops_and_gaps_are_refused() {
        let tree = Tree { features: vec![0, -1], values: vec![1.0, 1.0], rights: vec![0, 0] };
        assert!(!Trees { base: 0.0, trees: vec![tree] }.are_sound(1));
        assert!(!Trees { base: 0.0, trees: vec![Tree::default()] }.are_sound(1));
    }
}
