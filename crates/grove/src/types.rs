//! Probabilities of page types, and the columns of features that hold them.

use model::PageType;

/// Number of page types.
pub const TYPES: usize = PageType::ALL.len();

/// A probability for each of [`PageType::ALL`]; they sum to 1.
pub type TypeProbabilities = [f32; TYPES];

/// Names of the features that [`crate::PageBlocks::set_types`] fills.
pub(crate) fn type_columns() -> impl Iterator<Item = String> {
    PageType::ALL.iter().map(|own| format!("type {}", own.as_str()))
}
