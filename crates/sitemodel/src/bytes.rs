//! Serialisation of a model: canonical, versioned, and validated when it is read.
//!
//! ```text
//! magic "sitegrov" · version u32 · section*
//! section = name [u8; 4] · length u64 · xxh3_64 of the payload u64 · payload (MessagePack)
//! ```
//!
//! Sections: `head`, `addr` (digest of addresses), `rnd ` (layouts of a round of learning, one or more),
//! `tmpl` (a template, any number). Integers are little-endian. Maps are written in the order of their keys
//! and numbers in their shortest form, so that equal models are equal bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

use crate::model::{Head, SiteModel, Template};
use crate::stages::cluster::Layouts;

/// Version of the format; models of other versions have to be learnt again.
pub const FORMAT: u32 = 4;

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
    /// They do not start like a model.
    #[error("these are not the bytes of a site model")]
    NotAModel,
    /// They have another version of the format.
    #[error("the model has format {0}; this version reads format {FORMAT}")]
    Version(u32),
    /// They are damaged.
    #[error("the model is damaged at byte {offset}, in its section `{section}`: {what}")]
    Damaged {
        /// Offset of the section.
        offset: u64,
        /// Its name.
        section: String,
        /// What is wrong with it.
        what: String,
    },
}

impl SiteModel {
    /// Serialises the model: equal models give equal bytes, on any machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT.to_le_bytes());
        add(&mut bytes, HEAD, &self.head);
        add(&mut bytes, ADDRESSES, &self.addresses);
        self.rounds.iter().for_each(|round| add(&mut bytes, ROUND, round));
        self.templates.iter().for_each(|template| add(&mut bytes, TEMPLATE, template));
        bytes
    }

    /// Deserialises a model. Any bytes give a model or an error, in time and memory linear in their length.
    ///
    /// # Errors
    /// If they are no model, have another version of the format, or are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(ModelError::NotAModel)?;
        let (version, _) = rest.split_first_chunk().ok_or(ModelError::NotAModel)?;
        match u32::from_le_bytes(*version) {
            FORMAT => {}
            other => return Err(ModelError::Version(other)),
        }
        let mut sections = Sections { bytes, at: MAGIC.len() + version.len() };
        let head: Head = sections.required(HEAD)?;
        let addresses: grouping::AddressDigest = sections.required(ADDRESSES)?;
        addresses.validate().map_err(|what| sections.damaged(ADDRESSES, what))?;
        let mut rounds: Vec<Layouts> = Vec::new();
        while let Some(round) = sections.optional(ROUND)? {
            rounds.push(round);
        }
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

/// Reads sections one after the other.
struct Sections<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Sections<'_> {
    fn required<T: DeserializeOwned>(&mut self, name: [u8; 4]) -> Result<T, ModelError> {
        let found = self.optional(name)?;
        found.ok_or_else(|| self.damaged(name, "it is missing".to_owned()))
    }

    /// The next section, if it has this name.
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
