//! Nights: what a run with a store of models finds of a site, and what is kept of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::{serialize_rounded, serialize_rounded_if_some};
use crate::{DropReason, Verdict};

/// What a run with a store of models found of a site, and what the store is to keep of it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct SiteNight {
    /// Key of the site.
    pub site: String,
    /// Date of its newest page, `YYYY-MM-DD`; empty where pages have no dates.
    pub night: String,
    /// How it is.
    pub health: Assessment,
    /// What came of it.
    pub figures: NightFigures,
    /// What comes of it usually; `None` if there is no such night.
    pub usual: Option<UsualNight>,
    /// What was decided about the model.
    pub decision: String,
    /// The grounds of the decision.
    pub reason: String,
    /// The revision that was applied; 0 for a model that is not kept.
    pub model_revision: u32,
    /// Whether pages of no template were learnt from once more, for this night only.
    pub second_round: bool,
    /// Pages of its sample.
    pub sampled: u64,
    /// Of those, pages that the model had no template for.
    pub unassigned: u64,
    /// How its templates are, by id.
    pub templates: Vec<TemplateNight>,
    /// Its pages that have lost their texts; `None` if none were looked for. Not kept.
    pub lost_texts: Option<Vec<LostTexts>>,
    /// What became of words that its pages had before. Not kept.
    pub shared_words: SharedWords,
    /// What changed, where the site did.
    pub change: Option<SiteChange>,
    /// A new revision of its model, to be kept.
    pub revision: Option<Revision>,
    /// The retained pages, if they changed.
    pub sample: Option<PackedSample>,
    /// What is known of the texts at its addresses, packed, if that changed.
    pub texts: Option<Vec<u8>>,
}

/// What the grounds of a decision begin with where the stored model is damaged.
pub const DAMAGED_MODEL: &str = "the stored model cannot be read";

/// How the words that pages had in earlier captures, too, were read: sums over pages.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct SharedWords {
    /// Pages of which an earlier capture was read.
    pub pages: u64,
    /// Of these, pages whose texts are others, where the former one was sure.
    pub others: u64,
    /// Share of the words of the former text that are still on the page, and not in the text any more.
    pub lost: f64,
    /// Share of the words of tonight's text that were on the page before, and not in the text.
    pub gained: f64,
    /// Agreement of both texts in these words: twice those in both, of those in each.
    pub agreement: f64,
}

impl SharedWords {
    /// Agreement up to which the texts of a page are others.
    pub const OTHER: f64 = 0.9;
    /// Confidence from which on a text is sure. What was found with less may be none, and another one no loss.
    pub const SURE: f64 = 0.8;

    /// Mean agreement of both texts, 0 to 1; `None` where no earlier capture was read.
    pub fn mean_agreement(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.agreement / self.pages as f64)
    }

    /// Adds those of other pages.
    pub fn add(&mut self, other: &Self) {
        self.pages += other.pages;
        self.others += other.others;
        self.lost += other.lost;
        self.gained += other.gained;
        self.agreement += other.agreement;
    }
}

/// Pages of a night that have far fewer words of their own than those of earlier nights.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct LostTexts {
    /// The id of their template; empty for pages of none.
    pub template: String,
    /// The beginning of the notice that replaces their text; empty if there is none.
    pub notice: String,
    /// What kind of wall that is: `duplicate-text` if nothing tells; `None` if there is no notice.
    pub kind: Option<DropReason>,
    /// Number of these pages.
    pub pages: u64,
    /// All pages that were looked at.
    pub of: u64,
    /// Share of their own words that these pages have lost.
    pub lost: f64,
}

/// A verdict on a site, with what it rests on and what to do about it.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Assessment {
    /// The verdict; the field `health` of records.
    #[serde(rename = "health")]
    pub verdict: Verdict,
    /// What a blocked site answers with: the reason of most drops, such as `bot-check`, or a status, such as `http-403`.
    pub blocked_by: Option<String>,
    /// The numbers that it rests on, in a sentence.
    pub evidence: String,
    /// One thing to do; empty if there is nothing.
    pub next: String,
}

/// Stands before the name of a field that articles have from a feed.
pub const OF_FEEDS: &str = "feed:";

/// What came of a site in a night. All but the last are sums, so that those of the parts of a site can be added.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct NightFigures {
    /// Pages that reached it.
    pub pages: u64,
    /// Articles.
    pub articles: u64,
    /// Words of articles.
    pub words: u64,
    /// Sums of the natural logarithms of the numbers of words, each plus one, and of the squares of these logarithms.
    pub lengths: [f64; 2],
    /// Sum of the confidences of articles.
    pub confidence: f64,
    /// Articles that have a field, by the name of the field; with [`OF_FEEDS`] before the name, those that have it from a feed.
    pub fields: BTreeMap<String, u64>,
    /// What was left out, by reason; answers that refuse a page by status, as `http-403`.
    pub drops: BTreeMap<String, u64>,
    /// Articles by template.
    pub templates: BTreeMap<String, u64>,
    /// Articles of which the page has only the beginning.
    pub partial: u64,
    /// Addresses that are gone (status 404 or 410).
    pub gone: u64,
    /// Articles of which the text of an earlier night is known.
    pub known: u64,
    /// Sum of their similarities to it, 0 to 1 each.
    pub similarity: f64,
    /// Mean agreement with the engine's judgement of single pages, 0 to 1; `None` where none was compared.
    pub agreement: Option<f64>,
}

/// Adds numbers by name.
pub fn add_counts<K: Clone + Ord>(to: &mut BTreeMap<K, u64>, numbers: &BTreeMap<K, u64>) {
    for (name, number) in numbers {
        *to.entry(name.clone()).or_default() += number;
    }
}

impl NightFigures {
    /// Adds those of another part.
    pub fn add(&mut self, other: &Self) {
        self.pages += other.pages;
        self.articles += other.articles;
        self.words += other.words;
        self.lengths[0] += other.lengths[0];
        self.lengths[1] += other.lengths[1];
        self.confidence += other.confidence;
        for (to, from) in [
            (&mut self.fields, &other.fields),
            (&mut self.drops, &other.drops),
            (&mut self.templates, &other.templates),
        ] {
            add_counts(to, from);
        }
        self.partial += other.partial;
        self.gone += other.gone;
        self.known += other.known;
        self.similarity += other.similarity;
        self.agreement = self.agreement.or(other.agreement);
    }

    /// Mean confidence of its articles, 0 to 1; `None` without any.
    pub fn mean_confidence(&self) -> Option<f64> {
        (self.articles > 0).then(|| self.confidence / self.articles as f64)
    }

    /// Mean similarity of its texts to those of earlier nights, 0 to 1; `None` where none of an address is known.
    pub fn mean_similarity(&self) -> Option<f64> {
        (self.known > 0).then(|| self.similarity / self.known as f64)
    }

    /// Pages that the site does not serve, but something else instead of them.
    pub fn refused(&self) -> u64 {
        let refused = self.drops.iter().filter(|(reason, _)| is_refusal(reason));
        refused.map(|(_, number)| number).sum()
    }

    /// What is served instead of most of these.
    pub fn refused_by(&self) -> Option<&str> {
        let refused = self.drops.iter().filter(|(reason, _)| is_refusal(reason));
        refused.max_by_key(|(_, number)| **number).map(|(reason, _)| reason.as_str())
    }

    /// Pages in which no text was found.
    pub fn lost(&self) -> u64 {
        let lost = [
            DropReason::NoContent,
            DropReason::NoArticle,
            DropReason::TooMuchWork,
            DropReason::Internal,
        ];
        lost.iter().filter_map(|reason| self.drops.get(reason.as_str())).sum()
    }
}

fn is_refusal(reason: &str) -> bool {
    reason.starts_with("http-") || DropReason::parse(reason).is_some_and(DropReason::is_wall)
}

/// An earlier night of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct PastNight {
    /// Its date, `YYYY-MM-DD`; empty where pages have no dates.
    pub night: String,
    /// What was said of the site.
    pub verdict: Verdict,
    /// What came of it.
    pub figures: NightFigures,
}

/// What usually comes of a site: means over the nights that a night is compared with.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct UsualNight {
    /// The number of these nights.
    pub nights: u64,
    /// Pages.
    #[serde(serialize_with = "serialize_rounded")]
    pub pages: f64,
    /// Articles.
    #[serde(serialize_with = "serialize_rounded")]
    pub articles: f64,
    /// Words of an article.
    #[serde(serialize_with = "serialize_rounded")]
    pub words: f64,
    /// Confidence of an article, 0 to 1.
    #[serde(serialize_with = "serialize_rounded")]
    pub confidence: f64,
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
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
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
