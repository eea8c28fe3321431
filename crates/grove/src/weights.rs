//! The weights file: the trees, and the data they were fitted to.

use serde::{Deserialize, Serialize};

use crate::confidence::confidence_feature_names;
use crate::ending::ending_feature_names;
use crate::page::{TYPES, page_feature_names};
use crate::page_type::type_feature_names;
use crate::siblings::sibling_feature_names;
use crate::trees::Trees;

/// Version of the file format. Other versions are refused: features change with the code.
pub const WEIGHTS_SCHEMA: u32 = 4;

/// One set of pages the weights were fitted on.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct TrainingSet {
    /// Its name in the gold.
    pub name: String,
    /// Number of its pages in the training data.
    pub pages: u32,
    /// Its licence, as given when training.
    pub licence: String,
}

/// A figure measured on held-out pages: the weights were fitted without a page's publisher (or data set).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Figure {
    /// What was measured, on what, leaving out what.
    pub name: String,
    /// The figure, in percent.
    pub value: f64,
}

/// The weights of the default engine. The default value has no weights and no schema.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Weights {
    /// [`WEIGHTS_SCHEMA`].
    pub schema: u32,
    /// SHA-256 of the gold file, in hex.
    pub gold: String,
    /// The sets of pages in it.
    pub trained_on: Vec<TrainingSet>,
    /// Results of cross-validation.
    pub figures: Vec<Figure>,
    /// Cost of a switch between patterns (see [`crate::DecideParameters`]).
    pub switch_cost: f32,
    /// Names of the columns of the page features, the sibling features, those of the ending, of confidence and
    /// of page types: weights for other features are refused.
    pub features: [Vec<String>; 5],
    /// Trees for each of [`model::PageType::ALL`]: whether a page is of that type.
    pub types: Vec<Trees>,
    /// First score of a block.
    pub page: Trees,
    /// Second score of a block.
    pub sibling: Trees,
    /// Score of a kept block.
    pub ending: Trees,
    /// Expected F1 of an article.
    pub confidence: Trees,
    /// Expected precision, by the same features.
    pub precision: Trees,
    /// Expected recall, by the same features.
    pub recall: Trees,
}

/// Why a weights file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// Not JSON of the right form.
    #[error("not a weights file: {0}")]
    Form(#[from] serde_json::Error),
    /// Made by another version.
    #[error(
        "weights of schema {found}, made by another version (this one reads {WEIGHTS_SCHEMA}): train again"
    )]
    Schema {
        /// The schema of the file.
        found: u32,
    },
    /// Fitted on other features.
    #[error("weights for other features than this version computes: train again")]
    Features,
    /// The trees are damaged.
    #[error("damaged trees: download the file again, or train again")]
    Trees,
}

impl Weights {
    /// Reads a weights file and checks that it can be used.
    ///
    /// # Errors
    /// If the file is not a weights file, was made for another version, or has invalid trees.
    pub fn from_json(json: &[u8]) -> Result<Self, WeightsError> {
        #[derive(Deserialize)]
        struct SchemaHead {
            schema: u32,
        }
        let weights = serde_json::from_slice::<Self>(json);
        // Files with another schema may also have another form.
        let found = match &weights {
            Ok(weights) => weights.schema,
            Err(_) => serde_json::from_slice::<SchemaHead>(json)?.schema,
        };
        if found != WEIGHTS_SCHEMA {
            return Err(WeightsError::Schema { found });
        }
        let weights = weights?;
        if weights.features != feature_names() {
            return Err(WeightsError::Features);
        }
        let [page, sibling, ending, confidence, types] = weights.features.each_ref().map(Vec::len);
        let sound = weights.page.are_sound(page)
            && weights.sibling.are_sound(sibling)
            && weights.ending.are_sound(ending)
            && weights.of_articles().iter().all(|trees| trees.are_sound(confidence))
            && weights.types.len() == TYPES
            && weights.types.iter().all(|trees| trees.are_sound(types));
        if sound && weights.switch_cost.is_finite() {
            Ok(weights)
        } else {
            Err(WeightsError::Trees)
        }
    }

    /// Number of trees in all.
    pub fn number_of_trees(&self) -> usize {
        let of_blocks = [&self.page, &self.sibling, &self.ending];
        of_blocks.into_iter().chain(self.of_articles()).chain(&self.types).map(Trees::len).sum()
    }

    /// The trees for articles: of F1, precision and recall.
    pub fn of_articles(&self) -> [&Trees; 3] {
        [&self.confidence, &self.precision, &self.recall]
    }

    /// The file's content. The same weights give the same bytes.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// Names of all features, as in [`Weights::features`].
pub fn feature_names() -> [Vec<String>; 5] {
    [
        page_feature_names(),
        sibling_feature_names(),
        ending_feature_names(),
        confidence_feature_names(),
        type_feature_names(),
    ]
}
