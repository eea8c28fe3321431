/*!
The default engine: scores structural patterns across siblings.

```text
blocks ─► page features ─► score ─┐
                                  ├─► pools of patterns ─► core ─► second score ─► keep or prune
other siblings' blocks ───────────┘
```

A page is split into blocks ([`read_page`]); boosted trees score each block with features from the page alone. Scores
and features of all siblings' blocks are summed by structural pattern ([`Patterns`], [`Pools`]); further trees score
each block again with both ([`sibling_rows`]); [`decide()`] makes one decision per pattern. The trees are fitted by
`sitegrove-lab train`, on pages whose text is known.

Invariants: pure functions over parsed pages; no IO, no threads, no rules for sites or languages. Linear in the nodes of
the pages.
*/

/// An array of names of elements or attributes.
macro_rules! local_names {
    ($($name:tt),+ $(,)?) => { [$(dom::local_name!($name)),+] };
}

mod belief;
mod block;
mod confidence;
mod cues;
mod decide;
mod elementary;
mod ending;
mod fast_path;
mod lexicon;
mod marks;
mod page;
mod page_type;
mod patterns;
mod pools;
mod repeats;
mod rows;
mod siblings;
mod signs;
mod trees;
#[doc(hidden)]
pub mod vectors;
mod weights;

pub use block::{TextBlock, block_hash, blocks};
pub use confidence::{ConfidenceInput, confidence_rows};
pub use cues::Cues;
pub use decide::{
    DecideParameters, DecidedNodes, Decision, decide, from_here_on, threshold, widest_from,
};
pub use ending::{ending, ending_rows};
pub use fast_path::{SampleProfile, ScoredSample};
pub use marks::MarkedPatterns;
pub use page::{PageBlocks, PageView, TYPES, TypeProbabilities, read_page};
pub use page_type::{
    TypeView, mean_types, most_probable, probability_of, type_probabilities, type_rows,
};
pub use patterns::{PatternId, Patterns, UNKNOWN, named_elements};
pub use pools::{JudgedPage, Pools, ScoredPage};
pub use rows::FeatureTable;
pub use siblings::{SiblingStatistics, is_settled, second_scores, settle_scores, sibling_rows};
pub use trees::{DecisionNode, DecisionTree, Trees};
pub use weights::{Figure, TrainingSet, WEIGHTS_SCHEMA, Weights, WeightsError, feature_names};
