/*!
Extraction methods that use a single page, one paper per file.

| method | paper | file |
|---|---|---|
| `words-leaves` | Insa, Silva and Tamarit: Using the words/leafs ratio in the DOM tree for content extraction (2013) | `words_leaves.rs` |
| `euclid` | Alarte and Silva: page-level main content extraction in R⁴ (2022) | `euclid.rs` |
| `blocks` | Lin, Chen and Niu: Combining a segmentation-like approach and a density-based approach in content extraction (2012) | `blocks.rs`, and `redundancy.rs` for its step across pages |
| `density` | Arias, Deschacht and Moens: Language independent content extraction from web pages (2009) | `density.rs` |
| `text-density` | Sun, Song and Liao: DOM based content extraction via text density (2011) | `text_density.rs` |

Each takes a document parsed with [`dom::Keep::Content`] and returns the kept nodes: elements or text
nodes in ascending order, none inside another. Where a paper is ambiguous or contradicts itself, the
file's documentation describes the choice made.

Invariants: time and memory are linear in the nodes of the page (times its depth where stated; the
parser bounds that), except for redundancy; nothing is learnt or kept between pages; nothing fails.
*/

pub mod blocks;
pub mod density;
pub mod euclid;
pub mod redundancy;
mod text;
pub mod text_density;
mod tree_distance;
pub mod words_leaves;

use dom::{Document, NodeId};
use serde::{Deserialize, Serialize};

pub use blocks::{BlocksConfig, blocks};
pub use density::{DensityConfig, density};
pub use euclid::{EuclidConfig, euclid};
pub use redundancy::Redundant;
pub use text_density::{TextDensityConfig, text_density};
pub use words_leaves::{WordsLeavesConfig, words_leaves};

/// A single-page method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// [`words_leaves()`]
    WordsLeaves,
    /// [`euclid()`]
    Euclid,
    /// [`blocks()`]
    Blocks,
    /// [`density()`]
    Density,
    /// [`text_density()`]
    TextDensity,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 5] =
        [Self::WordsLeaves, Self::Euclid, Self::Blocks, Self::Density, Self::TextDensity];

    /// The method's name, as it is written in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::WordsLeaves => "words-leaves",
            Self::Euclid => "euclid",
            Self::Blocks => "blocks",
            Self::Density => "density",
            Self::TextDensity => "text-density",
        }
    }
}

/// The parameters of all methods, each a table of the settings file.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Parameters {
    /// Of [`words_leaves()`].
    pub words_leaves: WordsLeavesConfig,
    /// Of [`euclid()`].
    pub euclid: EuclidConfig,
    /// Of [`blocks()`] and its step across pages.
    pub blocks: BlocksConfig,
    /// Of [`density()`].
    pub density: DensityConfig,
    /// Of [`text_density()`].
    pub text_density: TextDensityConfig,
}

impl Parameters {
    /// The parameters of the papers.
    pub const PUBLISHED: Self = Self {
        words_leaves: WordsLeavesConfig::PUBLISHED,
        euclid: EuclidConfig::PUBLISHED,
        blocks: BlocksConfig::PUBLISHED,
        density: DensityConfig::PUBLISHED,
        text_density: TextDensityConfig::PUBLISHED,
    };
}

/// Applies a method to a page; returns the kept nodes.
pub fn extract(document: &Document, method: Method, parameters: &Parameters) -> Vec<NodeId> {
    match method {
        Method::WordsLeaves => words_leaves(document, &parameters.words_leaves),
        Method::Euclid => euclid(document, &parameters.euclid),
        Method::Blocks => blocks(document, &parameters.blocks),
        Method::Density => density(document, &parameters.density),
        Method::TextDensity => text_density(document, &parameters.text_density),
    }
}
