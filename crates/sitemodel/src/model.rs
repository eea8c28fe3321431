//! The site model: what was learnt of a site, as a value.

use grouping::AddressDigest;
use model::{TemplateKind, Wrapper};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::expected::Expected;
use crate::settings::Settings;
use crate::stages::cluster::Layouts;
use crate::template::Learnt;

/// What was learnt of a site: layouts, their templates, and for each the wrapper and what siblings share. It
/// borrows nothing of the pages, depends on the set of pages learnt from alone, and equal models have equal
/// [bytes](SiteModel::to_bytes).
#[derive(Clone, Debug)]
pub struct SiteModel {
    pub(crate) head: Head,
    /// What is known of all addresses of the site.
    pub(crate) addresses: AddressDigest,
    /// Per round of learning the layouts it found. A page belongs to the first that has a layout for it.
    pub(crate) rounds: Vec<Layouts>,
    /// By the numbers that the layouts name.
    pub(crate) templates: Vec<Template>,
}

/// What a model is of, and what it was learnt with.
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
    /// Pages learnt from, over all rounds.
    pub pages: u64,
    /// Whether the byte limit left pages out of a sample.
    pub cut: bool,
}

/// A template: pages of one layout and one kind.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Template {
    /// Name within the site, 12 hex digits: a hash of the layout it was first learnt from. It stays when
    /// the template is learnt anew.
    pub id: String,
    /// What its pages are for.
    pub kind: TemplateKind,
    /// Hash of the tag paths that more than half of the pages learnt from have.
    pub signature: u64,
    /// Pages of the sample that belong to it.
    pub pages: u64,
    /// Addresses of some of them.
    pub examples: Vec<String>,
    /// What its pages are expected to give.
    pub expected: Expected,
    /// What was learnt of it; `None` where its pages are dropped for their kind.
    pub learnt: Option<Learnt>,
}

impl Template {
    /// Its wrapper: XPath expressions, support and confidence; `None` where none was learnt.
    pub fn wrapper(&self) -> Option<&Wrapper> {
        Some(&self.learnt.as_ref()?.wrapper.as_ref()?.wrapper)
    }

    /// A name for the template of a layout, given the names in use.
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
    /// What it is of, and what it was learnt with.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Key of the site.
    pub fn site(&self) -> &str {
        &self.head.site
    }

    /// What is known of all addresses of the site.
    pub fn addresses(&self) -> &AddressDigest {
        &self.addresses
    }

    /// Its templates, in the order in which they were learnt.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// Whether it was learnt with these settings. Applying it with others never panics, but what comes of a
    /// page is then that of no run.
    ///
    /// # Errors
    /// Says in what they differ.
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
