//! The site model: what was learnt about a site, as a value, and its bytes.
//!
//! ```text
//! magic "sitegrov" · version u32 · section*
//! section = name [u8; 4] · length u64 · xxh3_64 of the payload u64 · payload (MessagePack)
//! ```
//!
//! Sections: `head`, `addr` (digest of addresses), `rnd ` (layouts of a round of learning, one or more),
//! `tmpl` (a template, any number). Integers are little-endian. Maps are written in the order of their keys
//! and numbers in their shortest form, so that equal models are equal bytes.

use std::collections::{BTreeMap, BTreeSet};

use grouping::AddressDigest;
use model::{TemplateCorrection, TemplateKind, Wrapper};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::settings::Settings;
use crate::stages::cluster::Layouts;
use crate::template::LearntTemplate;

/// What was learnt about a site: layouts, their templates, and for each template its wrapper and what siblings share. It
/// borrows nothing from the pages and depends only on the set of pages in the sample. Equal models have equal
/// [bytes](SiteModel::to_bytes).
#[derive(Clone, Debug)]
pub struct SiteModel {
    pub(crate) head: ModelHead,
    pub(crate) addresses: AddressDigest,
    /// The layouts of each round of learning. A page belongs to the first round with a layout for it.
    pub(crate) rounds: Vec<Layouts>,
    /// The templates, by their numbers in the layouts.
    pub(crate) templates: Vec<Template>,
}

/// The site of a model, and the engine and settings it was learnt with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct ModelHead {
    /// Key of the site.
    pub site: String,
    /// Name of the engine.
    pub engine: String,
    /// SHA-256 of the weights, for the engine grove.
    pub weights: Option<[u8; 32]>,
    /// [`Settings::digest`].
    pub settings: [u8; 32],
    /// Number of pages in the samples of all rounds.
    pub pages: u64,
    /// Whether the byte limit left pages out of a sample.
    pub cut: bool,
}

/// Statistics of the pages that a template was learnt from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Expected {
    /// Number of pages.
    pub pages: u64,
    /// Number of these pages on which the wrapper found the article.
    pub by_wrapper: u64,
    /// Sum of the pages' confidences, in thousandths, so that the sum does not depend on order.
    pub confidence: u64,
}

impl Expected {
    /// Counts a page.
    pub(crate) fn add(&mut self, by_wrapper: bool, confidence: f64) {
        self.pages += 1;
        self.by_wrapper += u64::from(by_wrapper);
        self.confidence += (confidence.clamp(0.0, 1.0) * 1000.0).round() as u64;
    }

    /// Share of pages on which the wrapper found the article.
    pub fn share_by_wrapper(&self) -> f64 {
        self.by_wrapper as f64 / self.pages.max(1) as f64
    }

    /// Mean of the pages' confidences.
    pub fn mean_confidence(&self) -> f64 {
        self.confidence as f64 / 1000.0 / self.pages.max(1) as f64
    }
}

/// A template: pages of one layout and one kind.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Template {
    /// Id within the site, 12 hex digits: a hash of the layout that the template was first learnt from. It stays the same
    /// when the template is learnt again.
    pub id: String,
    /// Kind of its pages.
    pub kind: TemplateKind,
    /// Hash of the tag paths that more than half of its pages in the sample have.
    pub signature: u64,
    /// Number of pages of the sample that belong to it.
    pub pages: u64,
    /// Addresses of some of them.
    pub examples: Vec<String>,
    /// Statistics of its pages in the sample.
    pub expected: Expected,
    /// Hashes of the lines that pages at several addresses have in common, ascending; and whether at least half of the
    /// pages have the line (`walls.rs`).
    pub(crate) repeated: Vec<(u64, bool)>,
    /// Its corrections, by the addresses of their pages.
    pub corrections: Vec<TemplateCorrection>,
    /// What was learnt about the template; `None` if pages of its kind are dropped.
    pub learnt: Option<LearntTemplate>,
    /// Hashes of the repeated lines that pages have had in place of their texts.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) notices: BTreeSet<u64>,
}

impl Template {
    /// Its wrapper: XPath expressions, support and confidence; `None` if none was learnt.
    pub fn wrapper(&self) -> Option<&Wrapper> {
        Some(&self.learnt.as_ref()?.wrapper.as_ref()?.wrapper)
    }

    /// For each field, by its name in the record: XPath expressions that select the elements in which pages show it.
    pub fn fields(&self) -> BTreeMap<String, Vec<String>> {
        let places = self.learnt.iter().flat_map(|learnt| learnt.fields.places());
        places.map(|(field, place)| (field.to_owned(), place.xpath())).collect()
    }

    /// Makes an id, not in use yet, for the template of a layout.
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
    pub fn head(&self) -> &ModelHead {
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

    /// Returns the model with more addresses of the site: links that lead to them lead to pages of the site.
    #[must_use]
    pub fn with_addresses(mut self, more: &AddressDigest) -> Self {
        self.addresses = self.addresses.merged(more);
        self
    }

    /// Its templates, in the order in which they were learnt.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// Checks that the model was learnt with these settings. Applying it with other settings never panics, but gives
    /// other outcomes than a run.
    ///
    /// # Errors
    /// If engine, weights or settings differ; the error says which.
    pub fn fits(&self, settings: &Settings) -> Result<(), Mismatch> {
        let expected = ModelHead::of("", settings);
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

impl ModelHead {
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

/// Version of the format; models of other versions have to be learnt again.
pub const FORMAT: u32 = 8;

const MAGIC: [u8; 8] = *b"sitegrov";
const HEAD: [u8; 4] = *b"head";
const ADDRESSES: [u8; 4] = *b"addr";
const ROUND: [u8; 4] = *b"rnd ";
const TEMPLATE: [u8; 4] = *b"tmpl";
/// Bytes before the payload of a section.
const SECTION: usize = 20;
/// Maximum number of templates of a site.
const MOST_TEMPLATES: usize = 1 << 20;

/// Why bytes are not a valid model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The bytes do not start like a model.
    #[error("these are not the bytes of a site model")]
    NotAModel,
    /// The bytes have another version of the format.
    #[error("the model has format {0}; this version reads format {FORMAT}")]
    Version(u32),
    /// The bytes are damaged.
    #[error("the model is damaged at byte {offset}, in its section `{section}`: {what}")]
    Damaged {
        /// Offset of the section.
        offset: u64,
        /// The section of the model's bytes (docs/SITE-MODEL.md).
        section: String,
        /// What is wrong with the section.
        what: String,
    },
}

impl SiteModel {
    /// Serialises the model. Equal models give equal bytes, on any machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT.to_le_bytes());
        add(&mut bytes, HEAD, &self.head);
        add(&mut bytes, ADDRESSES, &self.addresses);
        self.rounds.iter().for_each(|round| add(&mut bytes, ROUND, round));
        self.templates.iter().for_each(|template| add(&mut bytes, TEMPLATE, template));
        bytes
    }

    /// Deserialises a model. Any bytes give a model or an error. Takes time and memory linear in their length.
    ///
    /// # Errors
    /// If the bytes are not a model, have another version of the format, or are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(ModelError::NotAModel)?;
        let (version, _) = rest.split_first_chunk().ok_or(ModelError::NotAModel)?;
        match u32::from_le_bytes(*version) {
            FORMAT => {}
            other => return Err(ModelError::Version(other)),
        }
        let mut sections = Sections { bytes, at: MAGIC.len() + version.len() };
        let head: ModelHead = sections.required(HEAD)?;
        let addresses: grouping::AddressDigest = sections.required(ADDRESSES)?;
        addresses.validate().map_err(|what| sections.damaged(ADDRESSES, what))?;
        let each_round = std::iter::from_fn(|| sections.optional(ROUND).transpose());
        let rounds: Vec<Layouts> = each_round.collect::<Result<_, _>>()?;
        let mut templates: Vec<Template> = Vec::new();
        while let Some(template) = sections.optional::<Template>(TEMPLATE)? {
            if let Some(learnt) = &template.learnt {
                learnt.check().map_err(|what| sections.damaged(TEMPLATE, what))?;
            }
            if !template.repeated.is_sorted() {
                return Err(sections.damaged(TEMPLATE, "its repeated lines".to_owned()));
            }
            templates.push(template);
            if templates.len() > MOST_TEMPLATES {
                return Err(sections.damaged(TEMPLATE, "there are too many".to_owned()));
            }
        }
        for round in &rounds {
            round.check(templates.len()).map_err(|what| sections.damaged(ROUND, what))?;
        }
        match sections.at == bytes.len() {
            true => Ok(Self { head, addresses, rounds, templates }),
            false => Err(sections.damaged(*b"end ", "more bytes follow".to_owned())),
        }
    }
}

fn add(bytes: &mut Vec<u8>, name: [u8; 4], value: &impl Serialize) {
    // Writing to a vector, with maps of known lengths, cannot fail.
    let payload = rmp_serde::to_vec(value).unwrap_or_default();
    bytes.extend(name);
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(xxh3_64(&payload).to_le_bytes());
    bytes.extend(payload);
}

struct Sections<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Sections<'_> {
    fn required<T: DeserializeOwned>(&mut self, name: [u8; 4]) -> Result<T, ModelError> {
        let found = self.optional(name)?;
        found.ok_or_else(|| self.damaged(name, "it is missing".to_owned()))
    }

    /// Reads the next section, if it has this name.
    fn optional<T: DeserializeOwned>(&mut self, name: [u8; 4]) -> Result<Option<T>, ModelError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if !rest.starts_with(&name) {
            return Ok(None);
        }
        let torn = || self.damaged(name, "the bytes end within it".to_owned());
        let (head, rest) = rest.split_at_checked(SECTION).ok_or_else(torn)?;
        let number = |at: usize| {
            head[at..].first_chunk().map_or(0, |bytes: &[u8; 8]| u64::from_le_bytes(*bytes))
        };
        let length = usize::try_from(number(4)).map_err(|_| torn())?;
        let payload = rest.get(..length).ok_or_else(torn)?;
        if xxh3_64(payload) != number(12) {
            return Err(self.damaged(name, "its checksum differs".to_owned()));
        }
        let value = rmp_serde::from_slice(payload)
            .map_err(|error| self.damaged(name, error.to_string()))?;
        self.at += SECTION + length;
        Ok(Some(value))
    }

    fn damaged(&self, name: [u8; 4], what: String) -> ModelError {
        let section = String::from_utf8_lossy(&name).trim().to_owned();
        ModelError::Damaged { offset: self.at as u64, section, what }
    }
}
