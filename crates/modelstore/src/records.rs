//! What goes into a store and comes out of it.

use std::collections::BTreeMap;

use model::{FeedItem, Page, TemplateNight, Verdict};
use serde::{Deserialize, Serialize};

/// A run that is taken in, identified by its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Digest of its inputs and of the settings that decide its results.
    pub digest: String,
    /// Version of the program.
    pub program: String,
}

/// What a run found of a site, and what is to be kept of it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Update {
    /// Key of the site.
    pub site: String,
    /// Date of its newest page, `YYYY-MM-DD`; empty where pages have no dates.
    pub night: String,
    /// What was decided about its model.
    pub decision: String,
    /// Why.
    pub reason: String,
    /// The revision that was applied; 0 for a model that is not kept.
    pub applied: u32,
    /// How the site is.
    pub verdict: Verdict,
    /// Pages that were looked at to tell.
    pub pages: u64,
    /// Of those, pages of no template.
    pub unassigned: u64,
    /// A new revision of its model.
    pub revision: Option<Revision>,
    /// The retained pages, if they changed.
    pub sample: Option<PackedSample>,
    /// How its templates are.
    pub templates: Vec<TemplateNight>,
}

/// A revision of a site's model.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Revision {
    /// Its number, from 1.
    pub number: u32,
    /// Why it was learnt.
    pub reason: String,
    /// Pages that it was learnt from.
    pub pages: u64,
    /// Its templates.
    pub templates: u64,
    /// Version of the format of its bytes.
    pub format: u32,
    /// Engine that learnt it.
    pub engine: String,
    /// SHA-256 of the weights, in hex.
    pub weights: Option<String>,
    /// SHA-256 of the settings, in hex.
    pub settings: String,
    /// Its bytes.
    #[serde(with = "bytes")]
    pub model: Vec<u8>,
}

/// A page that is kept to learn from again.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Retained {
    /// Id of its template; empty for none.
    pub template: String,
    /// The page.
    pub page: Page,
    /// The feed items that pointed to it.
    pub items: Vec<FeedItem>,
}

/// What is known of a retained page without unpacking it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct RetainedHead {
    /// Its address.
    pub url: String,
    /// Id of its template; empty for none.
    pub template: String,
    /// When it was fetched, RFC 3339; empty where that is not known.
    pub fetched: String,
    /// Bytes of its HTML.
    pub html_bytes: u64,
}

/// The retained pages of a site, compressed together.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PackedSample {
    /// What they are.
    pub heads: Vec<RetainedHead>,
    /// They themselves.
    #[serde(with = "bytes")]
    pub blob: Vec<u8>,
}

/// What a store knows of a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteState {
    /// Number of the newest revision of its model; 0 for none.
    pub revision: u32,
    /// Bytes of that revision, or of the one that this run applied when it was first taken in.
    pub model: Option<Vec<u8>>,
    /// Its retained pages, by address.
    pub retained: Vec<RetainedHead>,
    /// By template, the last night that it was seen.
    pub last_seen: BTreeMap<String, String>,
    /// What this very run found when it was first taken in.
    pub before: Option<Box<Update>>,
}

/// What was let go of to keep the store small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evicted {
    /// Sites whose samples went.
    pub sites: u64,
    /// Bytes of those.
    pub bytes: u64,
    /// Old revisions of models.
    pub revisions: u64,
}

/// Byte strings as such, not as lists of numbers.
mod bytes {
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }

            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
                Ok(bytes)
            }
        }
        from.deserialize_byte_buf(Bytes)
    }
}
