//! One decision tree.

use serde::{Deserialize, Serialize};

/// One tree in pre-order: the left child of a split comes right after it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Tree {
    /// Column of a split; −1 for a leaf.
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
