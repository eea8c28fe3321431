//! Settings of the single-page methods.

use pagewise::{
    BlocksConfig, DensityConfig, EuclidConfig, Parameters, RedundancyConfig, TextDensityConfig,
    WordsLeavesConfig,
};
use serde::{Deserialize, Serialize};

/// Parameters of all single-page methods; each is a table of the configuration.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MethodsConfig {
    /// Words-leaves ratio.
    pub words_leaves: WordsLeaves,
    /// Distances in R⁴.
    pub euclid: Euclid,
    /// BlockExtractor.
    pub blocks: Blocks,
    /// Density of strings.
    pub density: Density,
    /// Text density.
    pub text_density: TextDensity,
}

/// A ratio of words, characters and leaves.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ratio {
    /// WLR.
    WordsLeaves,
    /// CNR.
    CharactersNodes,
    /// WNR.
    WordsNodes,
    /// CLR.
    CharactersLeaves,
}

/// How relevance is computed.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relevance {
    /// With the ratio relative to the highest on the page.
    Normalised,
    /// As printed in the paper.
    Literal,
}

/// Settings of `words-leaves`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WordsLeaves {
    /// The ratio.
    pub ratio: Ratio,
    /// The relevance.
    pub relevance: Relevance,
}

/// Settings of `euclid`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Euclid {
    /// Size of the set of candidates (c).
    pub candidates: usize,
    /// Threshold of text to text outside links (tr).
    pub text_ratio: f64,
    /// Threshold for groups of links (hr).
    pub links: u32,
}

/// Settings of `blocks`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Blocks {
    /// Minimum density of a content block.
    pub threshold: f64,
    /// Share of nodes that may differ between redundant blocks.
    pub distance: f64,
}

/// Which strings `density` works on.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strings {
    /// Without empty ones.
    Filled,
    /// Exactly as in the paper.
    AsPrinted,
}

/// Settings of `density`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Density {
    /// Which strings.
    pub strings: Strings,
    /// Share of the longest string (c1).
    pub cutoff: f64,
    /// Distance to a string of the region (c2).
    pub distance: usize,
}

/// The density that `text-density` uses.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextDensityMeasure {
    /// Composite: links lower it.
    Composite,
    /// Characters per tag.
    Text,
}

/// Settings of `text-density`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextDensity {
    /// Which density.
    pub measure: TextDensityMeasure,
}

impl From<&MethodsConfig> for Parameters {
    fn from(config: &MethodsConfig) -> Self {
        use pagewise::{density, text_density, words_leaves};
        Self {
            words_leaves: WordsLeavesConfig {
                ratio: match config.words_leaves.ratio {
                    Ratio::WordsLeaves => words_leaves::LeafRatio::WordsLeaves,
                    Ratio::CharactersNodes => words_leaves::LeafRatio::CharactersNodes,
                    Ratio::WordsNodes => words_leaves::LeafRatio::WordsNodes,
                    Ratio::CharactersLeaves => words_leaves::LeafRatio::CharactersLeaves,
                },
                relevance: match config.words_leaves.relevance {
                    Relevance::Normalised => words_leaves::RelevanceForm::Normalised,
                    Relevance::Literal => words_leaves::RelevanceForm::Literal,
                },
            },
            euclid: EuclidConfig {
                candidates: config.euclid.candidates,
                text_ratio: config.euclid.text_ratio,
                links: config.euclid.links,
            },
            blocks: RedundancyConfig {
                blocks: BlocksConfig { threshold: config.blocks.threshold },
                distance: config.blocks.distance,
            },
            density: DensityConfig {
                strings: match config.density.strings {
                    Strings::Filled => density::StringList::Filled,
                    Strings::AsPrinted => density::StringList::AsPrinted,
                },
                cutoff: config.density.cutoff,
                distance: config.density.distance,
            },
            text_density: TextDensityConfig {
                measure: match config.text_density.measure {
                    TextDensityMeasure::Composite => text_density::DensityMeasure::Composite,
                    TextDensityMeasure::Text => text_density::DensityMeasure::Text,
                },
            },
        }
    }
}
