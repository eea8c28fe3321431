//! Settings of learning and applying, and the weights of the engine `grove`.

use std::sync::{Arc, OnceLock};

use grouping::{SampleLimits, Tracking};
use grove::{Weights, WeightsError};
use model::{PageType, RightsStatement, TemplateCorrection};
use pagewise::Parameters;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use terms::TermWeighting;

use crate::corrections::Corrections;
use crate::engine::Engine;
use crate::site_config::SiteConfigs;

/// The settings file, with every key, its default and its description.
pub const DEFAULT: &str = include_str!("../configs/default.toml");

/// Limits of the HTML parse.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ParseLimits {
    /// Maximum depth of nesting.
    pub max_depth: u32,
    /// Maximum number of nodes.
    pub max_nodes: u32,
    /// Maximum number of attributes of a tag.
    pub max_attributes: u32,
    /// Maximum number of steps to parse a page.
    pub max_steps: u64,
}

/// Settings of the cluster stage.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterConfig {
    /// Minimum similarity of the pages of one template, 0..=1.
    pub similarity: f64,
    /// Added to the similarity of pages that one feed lists.
    pub feed_bonus: f64,
    /// Number of pages that are compared with each other; other pages join the nearest layout.
    pub sample: usize,
    /// Minimum number of words of an article or list page.
    pub min_words: u32,
    /// Whether list pages are extracted too.
    pub extract_lists: bool,
}

/// Source of signifiers.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SignifierChoice {
    /// Terms of the page, by tf-idf.
    TfIdf,
    /// Feed items; tf-idf for pages without any.
    Feeds,
}

/// Settings of the signify stage.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SignifyConfig {
    /// Source of signifiers.
    pub source: SignifierChoice,
    /// Number of signifiers per page.
    pub top: usize,
    /// Weight of a term.
    pub weighting: TermWeighting,
}

/// Settings of the rank stage.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RankConfig {
    /// The extraction engine.
    pub engine: Engine,
    /// Number of sibling pages that a template is learnt from.
    pub learn_from: usize,
    /// Whether pages similar to the sample take the fast path, without scoring.
    pub fast_path: bool,
}

/// Settings of the extract stage.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractConfig {
    /// Method for pages without siblings or without a match.
    pub page_wise: Engine,
    /// Minimum number of words of an article.
    pub min_words: u32,
    /// Confidence below which an article is marked as doubtful.
    pub doubtful_below: f64,
    /// Confidence below which a standfirst, authors or a date are left out.
    pub omit_fields_below: f64,
    /// Whether the text of an article begins with its title; otherwise it never does.
    pub title_in_text: bool,
}

/// What is done about statements of pages on their use.
#[derive(Clone, Debug, Default)]
pub struct RightsChoice {
    /// Name of the robot whose rules apply in addition to those for all robots; empty for none.
    pub robot: String,
    /// Articles of pages with one of these statements are left out.
    pub skip: Vec<RightsStatement>,
}

/// Which pages are joined as parts of one article, if no site config decides.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JoinParts {
    /// Pages with one title and numbered addresses that link to each other.
    #[default]
    Numbered,
    /// All pages that `rel=next` links lead to.
    RelNext,
    /// No pages.
    None,
}

/// All settings of learning and applying: the tables of the settings file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Tables {
    /// Query parameters that are ignored when addresses are compared.
    pub tracking_parameters: Vec<String>,
    /// Which pages are parts of one article.
    pub join_parts: JoinParts,
    /// Limits of the HTML parse.
    pub parse: ParseLimits,
    /// The sample of a site.
    pub sample: SampleLimits,
    /// Settings of the stage cluster.
    pub cluster: ClusterConfig,
    /// Settings of the stage signify.
    pub signify: SignifyConfig,
    /// Settings of the stage rank.
    pub rank: RankConfig,
    /// Maximum number of pages held back to test a wrapper.
    pub hold_back: usize,
    /// Settings of the stage extract.
    pub extract: ExtractConfig,
    /// Parameters of the single-page methods.
    pub methods: Parameters,
}

/// Forms of an article that are made in addition to its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArticleForms {
    /// The HTML fragment.
    pub html: bool,
    /// Markdown.
    pub markdown: bool,
    /// Maximum number of words of a passage; 0 for no passages.
    pub passages: u32,
}

/// The settings of [`crate::learn()`] and [`crate::SiteModel::apply`]. With equal [`Settings::digest`] and weights, equal
/// models are learnt from equal pages.
#[derive(Clone, Debug)]
pub struct Settings {
    tables: Tables,
    /// Weights for the engine `grove` that replace the built-in ones.
    pub own_weights: Option<Arc<LoadedWeights>>,
    /// Site configs, which take precedence over learnt wrappers on the pages of their hosts.
    pub site_configs: Option<Arc<SiteConfigs>>,
    /// Corrections of templates, which are evidence for what is learnt.
    pub corrections: Option<Arc<Corrections>>,
    /// The forms of articles that are made.
    pub forms: ArticleForms,
    /// The page types of which articles are made; empty for all types. Models do not depend on them.
    pub page_types: Vec<PageType>,
    /// What is done about statements of pages on their use. Models do not depend on it.
    pub rights: RightsChoice,
    tracking: Tracking,
    digest: [u8; 32],
}

impl Settings {
    /// Makes settings with the built-in weights, without site configs, for text only.
    pub fn new(tables: Tables) -> Self {
        let digest = Sha256::digest(serde_json::to_vec(&tables).unwrap_or_default()).into();
        let tracking = Tracking::new(&tables.tracking_parameters);
        Self {
            tables,
            own_weights: None,
            site_configs: None,
            corrections: None,
            forms: ArticleForms::default(),
            page_types: Vec::new(),
            rights: RightsChoice::default(),
            tracking,
            digest,
        }
    }

    /// Returns the defaults of `configs/default.toml`.
    ///
    /// # Panics
    /// If that file, which is built in, lacks a key; a test prevents this.
    pub fn standard() -> Self {
        let read = || -> Result<Tables, toml::de::Error> {
            let mut file: toml::Table = toml::from_str(DEFAULT)?;
            // There, some values are in tables of stages, and the single-page methods have tables of their own.
            for stage in ["group", "wrap"] {
                if let Some(toml::Value::Table(values)) = file.remove(stage) {
                    file.extend(values);
                }
            }
            file.insert("methods".to_owned(), file.clone().into());
            file.try_into()
        };
        read().map_or_else(|error| panic!("the default settings: {error}"), Self::new)
    }

    /// Whether articles are made of pages of this type.
    pub fn wants(&self, page_type: PageType) -> bool {
        self.page_types.is_empty() || self.page_types.contains(&page_type)
    }

    /// The tables.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The query parameters that are ignored when addresses are compared.
    pub fn tracking(&self) -> &Tracking {
        &self.tracking
    }

    /// The weights of the engine `grove`.
    pub fn weights(&self) -> &LoadedWeights {
        self.own_weights.as_deref().unwrap_or_else(|| built_in())
    }

    /// The corrections of the pages of a site, given its key.
    pub(crate) fn corrections_of(&self, site: &str) -> &[TemplateCorrection] {
        self.corrections.as_deref().map_or(&[], |all| all.of_site(site))
    }

    /// Returns the SHA-256 of the tables, without weights, site configs, forms and page types.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }
}

/// Weights and the SHA-256 of their file.
#[derive(Clone, Debug)]
pub struct LoadedWeights {
    /// The weights.
    pub weights: Weights,
    /// SHA-256 of the file.
    pub digest: [u8; 32],
}

impl LoadedWeights {
    /// Reads a weights file, as `sitegrove-lab train` writes it.
    ///
    /// # Errors
    /// If this version cannot use the weights.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        Ok(Self { weights: Weights::from_json(bytes)?, digest: Sha256::digest(bytes).into() })
    }
}

/// The built-in weights (`configs/weights.json`).
///
/// # Panics
/// If the built-in file is not for this version; a test prevents this.
pub fn built_in() -> &'static LoadedWeights {
    static BUILT_IN: OnceLock<LoadedWeights> = OnceLock::new();
    BUILT_IN.get_or_init(|| {
        match LoadedWeights::from_bytes(include_bytes!("../configs/weights.json")) {
            Ok(weights) => weights,
            Err(error) => panic!("the weights built in: {error}"),
        }
    })
}
