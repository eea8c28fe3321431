//! The site model: what was learnt about a site, as a value.

use grouping::AddressDigest;
use model::{TemplateKind, Wrapper};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::expected::Expected;
use crate::settings::Settings;
use crate::stages::cluster::Layouts;
use crate::template::Learnt;

/// What was learnt about a site: layouts, their templates, and for each template its wrapper and what
/// siblings share. It borrows nothing from the pages and depends only on the set of pages in the sample.
/// Equal models have equal [bytes](SiteModel::to_bytes).
#[derive(Clone, Debug)]
pub struct SiteModel {
    pub(crate) head: Head,
    /// The digest of the addresses of the site.
    pub(crate) addresses: AddressDigest,
    /// The layouts of each round of learning. A page belongs to the first round with a layout for it.
    pub(crate) rounds: Vec<Layouts>,
    /// By the numbers in the layouts.
    pub(crate) templates: Vec<Template>,
}

/// The site of a model, and the engine and settings it was learnt with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Head {
    /// Key of the site.
    pub site: String,
    /// Name of the engine.
    pub engine: String,
    /// SHA-256 of the weights, for the engine grove.
    pub weights: Option<[u8; 32]>,
    /// [`Settings::digest`].
    pub settings: [u8; 32],
    /// Pages in the samples of all rounds.
    pub pages: u64,
    /// Whether the byte limit left pages out of a sample.
    pub cut: bool,
}

/// A template: pages of one layout and one kind.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Template {
    /// Id within the site, 12 hex digits: a hash of the layout it was first learnt from. It stays when the
    /// template is learnt again.
    pub id: String,
    /// Kind of its pages.
    pub kind: TemplateKind,
    /// Hash of the tag paths that more than half of its pages in the sample have.
    pub signature: u64,
    /// Pages of the sample that belong to it.
    pub pages: u64,
    /// Addresses of some of them.
    pub examples: Vec<String>,
    /// Statistics of its pages in the sample.
    pub expected: Expected,
    /// Hashes of the lines that pages at several addresses have in common, ascending, and whether half of the
    /// pages have the line (`walls.rs`).
    pub(crate) repeated: Vec<(u64, bool)>,
    /// What was learnt about it; `None` if pages of its kind are dropped.
    pub learnt: Option<Learnt>,
}

impl Template {
    /// Its wrapper: XPath expressions, support and confidence; `None` if none was learnt.
    pub fn wrapper(&self) -> Option<&Wrapper> {
        Some(&self.learnt.as_ref()?.wrapper.as_ref()?.wrapper)
    }

    /// An id for the template of a layout, given the ids in use.
    pub(crate) fn name(signature: u64, kind: TemplateKind, used: &[Self]) -> String {
        (0u64..)
            .map(|number| {
                let mut bytes = signature.to_le_bytes().to_vec();
                bytes.extend(kind.as_str().as_bytes());
                bytes.extend(number.to_le_bytes());
                format!("{:012x}", xxh3_64(&bytes) >> 16)
            })
            .find(|id| used.iter().all(|template| template.id != *id))
            .unwrap_or_default()
    }
}

/// Why a model cannot be used with some settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// It was learnt by another engine.
    #[error("the model was learnt by the engine {0}, the settings name {1}")]
    Engine(String, String),
    /// It was learnt with other weights.
    #[error("the model was learnt with other weights")]
    Weights,
    /// It was learnt with other settings.
    #[error("the model was learnt with other settings")]
    Settings,
}

impl SiteModel {
    /// The site of the model, and the engine and settings it was learnt with.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Key of the site.
    pub fn site(&self) -> &str {
        &self.head.site
    }

    /// The digest of the addresses of the site.
    pub fn addresses(&self) -> &AddressDigest {
        &self.addresses
    }

    /// Its templates, in the order in which they were learnt.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// Checks that it was learnt with these settings. Applying it with others never panics, but gives other
    /// outcomes than a run.
    ///
    /// # Errors
    /// Says what differs.
    pub fn fits(&self, settings: &Settings) -> Result<(), Mismatch> {
        let expected = Head::of("", settings);
        if self.head.engine != expected.engine {
            Err(Mismatch::Engine(self.head.engine.clone(), expected.engine))
        } else if self.head.weights != expected.weights {
            Err(Mismatch::Weights)
        } else if self.head.settings != expected.settings {
            Err(Mismatch::Settings)
        } else {
            Ok(())
        }
    }
}

impl PartialEq for SiteModel {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}

impl Head {
    pub(crate) fn of(site: &str, settings: &Settings) -> Self {
        let engine = settings.tables().rank.engine;
        let is_grove = engine == crate::engine::Engine::Grove;
        Self {
            site: site.to_owned(),
            engine: engine.name().to_owned(),
            weights: is_grove.then(|| settings.weights().digest),
            settings: settings.digest(),
            pages: 0,
            cut: false,
        }
    }
}
