//! Nights: what a run with a store of models finds of a site, and what is kept of it.

use serde::{Deserialize, Serialize};

use crate::Verdict;
use crate::record::{serialize_rounded, serialize_rounded_if_some};

/// What a run with a store of models found of a site, and what the store is to keep of it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SiteNight {
    /// Key of the site.
    pub site: String,
    /// Date of its newest page, `YYYY-MM-DD`; empty where pages have no dates.
    pub night: String,
    /// How its model fares.
    pub verdict: Verdict,
    /// What was decided about the model.
    pub decision: String,
    /// The grounds of the decision.
    pub reason: String,
    /// The revision that was applied; 0 for a model that is not kept.
    pub model_revision: u32,
    /// Pages that were looked at to tell.
    pub pages: u64,
    /// Of those, pages of no template.
    pub unassigned: u64,
    /// How its templates are, by id.
    pub templates: Vec<TemplateNight>,
    /// What changed, where the site did.
    pub change: Option<SiteChange>,
    /// A new revision of its model, to be kept.
    pub revision: Option<Revision>,
    /// The retained pages, if they changed.
    pub sample: Option<PackedSample>,
}

/// What changed about a site whose model was learnt anew, template by template.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SiteChange {
    /// The date of the night, `YYYY-MM-DD`; empty where pages have no dates.
    pub night: String,
    /// How the model fared before.
    pub verdict: Verdict,
    /// Why it was learnt anew.
    pub reason: String,
    /// The revision it has now.
    pub model_revision: u32,
    /// Its templates whose pages are read differently now, those with the most pages first.
    pub templates: Vec<TemplateChange>,
}

/// A template before and after its site was learnt anew.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TemplateChange {
    /// Its id.
    pub template: String,
    /// Pages of it in the night's sample.
    pub pages: u64,
    /// A page that shows the difference.
    pub url: String,
    /// What the model before makes of that page; `None` if it has no template for it.
    pub before: Option<PageReading>,
    /// What the new model makes of it.
    pub after: PageReading,
}

/// What a model makes of a page.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct PageReading {
    /// The wrapper of the page's template: what it selects.
    pub content: Vec<String>,
    /// What it removes from that.
    pub prune: Vec<String>,
    /// A passage of the text, from where the readings differ; empty if there is no article.
    pub text: String,
    /// Characters of the whole text.
    pub characters: u64,
    /// Confidence; `None` if there is no article.
    pub confidence: Option<f64>,
}

/// How a template fared in a night.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TemplateNight {
    /// Its id.
    pub template: String,
    /// How well what was learnt fits; the field `health` of records.
    #[serde(rename = "health")]
    pub verdict: Verdict,
    /// Pages that were looked at.
    pub pages: u64,
    /// Share of pages on which the wrapper found the article.
    #[serde(serialize_with = "serialize_rounded")]
    pub by_wrapper: f64,
    /// The same of the pages learnt from.
    #[serde(serialize_with = "serialize_rounded")]
    pub by_wrapper_expected: f64,
    /// Mean confidence.
    #[serde(serialize_with = "serialize_rounded")]
    pub confidence: f64,
    /// The same of the pages learnt from.
    #[serde(serialize_with = "serialize_rounded")]
    pub confidence_expected: f64,
    /// Mean agreement with the engine's judgement of single pages, 0 to 1; `None` where none was judged.
    #[serde(serialize_with = "serialize_rounded_if_some")]
    pub agreement: Option<f64>,
}

/// A revision of a site's model.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Revision {
    /// Number, from 1.
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
    /// One for each page, by address.
    pub heads: Vec<RetainedHead>,
    /// The pages, as `modelstore` packs them.
    #[serde(with = "bytes")]
    pub blob: Vec<u8>,
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
