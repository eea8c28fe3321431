/*!
Forest: finds the element that contains the article from the structural patterns of its signifiers, over
sibling pages.

Source: M. Oita and P. Senellart, *FOREST: Focused Object Retrieval by Exploiting Significant Tag
Paths*, WebDB 2015, §3. Where the paper leaves a choice, the item documents the choice made.

The steps for a template: [`PageTerms`] of each sibling → signifiers (the `terms` crate) →
[`SignifierCounts`] → [`rank()`] → the best [`model::StructuralPattern`] → [`elements_of`].

Invariant: pure functions over parsed pages, without IO or threads; the same pages in the same order
give the same ranking, bit for bit.
*/

mod counts;
mod element_type;
mod measure;
mod rank;

pub use counts::{PageTerms, SignifierCounts, sigfeed};
pub use element_type::{Recurring, element_type, positions};
pub use measure::{coverage, informativeness, jeffreys_density, relevance, unexpectedness};
pub use rank::{CountedSibling, Frequency, PatternMeasure, elements_of, rank};
