//! Nights: the results of a site in a run with a model store, and the data that the store keeps.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::record::{serialize_rounded, serialize_rounded_if_some};
use crate::{DropReason, Verdict};

/// The results of a site in a run with a model store, and the data for the store to keep.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct SiteNight {
    /// Key of the site.
    pub site: String,
    /// Date of its newest page, `YYYY-MM-DD`; empty if pages have no dates.
    pub night: String,
    /// The verdict on the site.
    pub health: Assessment,
    /// The results of its pages.
    pub figures: NightFigures,
    /// The mean of usual nights; `None` if there are none.
    pub usual: Option<UsualNight>,
    /// The decision about the model.
    pub decision: String,
    /// The reason for the decision.
    pub reason: String,
    /// The revision that was applied; 0 for a model that is not kept.
    pub model_revision: u32,
    /// Whether pages without a template went to a second round of learning, for this night only.
    pub second_round: bool,
    /// Pages of its sample.
    pub sampled: u64,
    /// Sampled pages that the model had no template for.
    pub unassigned: u64,
    /// The results of its templates, by id.
    pub templates: Vec<TemplateNight>,
    /// Pages that have lost their texts; `None` if this was not checked. Not kept in the store.
    pub lost_texts: Option<Vec<LostTexts>>,
    /// How words that pages already had in earlier captures were read. Not kept in the store.
    pub shared_words: SharedWords,
    /// What changed, if the site changed.
    pub change: Option<SiteChange>,
    /// A new revision of its model, if there is one.
    pub revision: Option<Revision>,
    /// The retained pages, if they changed.
    pub sample: Option<PackedSample>,
    /// Known texts by address, packed, if they changed.
    pub texts: Option<Vec<u8>>,
}

/// How the reason of a decision begins if the stored model is damaged.
pub const DAMAGED_MODEL: &str = "the stored model cannot be read";

/// How words that pages already had in earlier captures were read. All values are sums over pages.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct SharedWords {
    /// Pages with an earlier capture.
    pub pages: u64,
    /// Of these, pages whose text is different, although the earlier text was certain.
    pub others: u64,
    /// Pages whose text is different, although both texts agree in the words that both pages have.
    pub edited: u64,
    /// Share of the earlier text's words that are still on the page, but no longer in the text.
    pub lost: f64,
    /// Share of the words of tonight's text that were on the page before, but not in the text.
    pub gained: f64,
    /// Agreement of both texts in these words: twice the words in both, divided by the sum of the words in each.
    pub agreement: f64,
}

impl SharedWords {
    /// Maximum agreement of texts that count as different.
    pub const OTHER: f64 = 0.9;
    /// Minimum confidence of a text that counts as certain. A less confident text may be wrong, and a different one no loss.
    pub const SURE: f64 = 0.8;

    /// Mean agreement of both texts, 0 to 1; `None` if no page has an earlier capture.
    pub fn mean_agreement(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.agreement / self.pages as f64)
    }

    /// Adds the sums of other pages.
    pub fn add(&mut self, other: &Self) {
        self.pages += other.pages;
        self.others += other.others;
        self.edited += other.edited;
        self.lost += other.lost;
        self.gained += other.gained;
        self.agreement += other.agreement;
    }
}

/// Pages of a night that have far fewer words of their own than pages of earlier nights.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct LostTexts {
    /// The id of their template; empty for pages without one.
    pub template: String,
    /// The beginning of the notice that replaces their text; empty if there is none.
    pub notice: String,
    /// The kind of wall: `duplicate-text` if it is unknown; `None` if there is no notice.
    pub kind: Option<DropReason>,
    /// Number of pages that have lost their texts.
    pub pages: u64,
    /// Number of pages that were checked.
    pub of: u64,
    /// Share of their own words that the pages have lost.
    pub lost: f64,
}

/// A verdict on a site, with its evidence and a recommendation.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Assessment {
    /// The verdict; the field `health` of records.
    #[serde(rename = "health")]
    pub verdict: Verdict,
    /// What a blocked site serves: the reason of most drops, such as `bot-check`, or a status, such as `http-403`.
    pub blocked_by: Option<String>,
    /// The numbers that support it, in a sentence.
    pub evidence: String,
    /// One thing to do; empty if there is nothing.
    pub next: String,
}

/// Prefix for the name of a field whose value comes from a feed.
pub const OF_FEEDS: &str = "feed:";

/// The results of a site in a night. All but the last are sums, so that the parts of a site can be added.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct NightFigures {
    /// Pages that were grouped into it.
    pub pages: u64,
    /// Articles.
    pub articles: u64,
    /// Words of articles.
    pub words: u64,
    /// Sums of the natural logarithms of the numbers of words, each plus one, and of the squares of these logarithms.
    pub lengths: [f64; 2],
    /// Sum of the confidences of articles.
    pub confidence: f64,
    /// Articles with a value for a field, by the field's name; prefixed with [`OF_FEEDS`], articles with a value from a feed.
    pub fields: BTreeMap<String, u64>,
    /// Drops by reason; responses that refuse a page by status, such as `http-403`.
    pub drops: BTreeMap<String, u64>,
    /// Articles by template.
    pub templates: BTreeMap<String, u64>,
    /// Articles of which the page has only the first part.
    pub partial: u64,
    /// Addresses that are gone (status 404 or 410).
    pub gone: u64,
    /// Articles whose text of an earlier night is known.
    pub known: u64,
    /// Sum of the similarities of these articles to their earlier texts, 0 to 1 each.
    pub similarity: f64,
    /// Mean agreement with the engine's judgement of single pages, 0 to 1; `None` if no page was compared.
    pub agreement: Option<f64>,
}

/// How often each key occurs.
pub fn counts_of<K: Ord, N: AddAssign + Default + From<u8>>(
    keys: impl IntoIterator<Item = K>,
) -> BTreeMap<K, N> {
    let mut counts: BTreeMap<K, N> = BTreeMap::new();
    keys.into_iter().for_each(|key| *counts.entry(key).or_default() += N::from(1));
    counts
}

/// Adds numbers by name.
pub fn add_counts<K: Clone + Ord>(to: &mut BTreeMap<K, u64>, numbers: &BTreeMap<K, u64>) {
    for (name, number) in numbers {
        *to.entry(name.clone()).or_default() += number;
    }
}

impl NightFigures {
    /// Adds the figures of another part of the site.
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

    /// Mean confidence of its articles, 0 to 1; `None` without articles.
    pub fn mean_confidence(&self) -> Option<f64> {
        (self.articles > 0).then(|| self.confidence / self.articles as f64)
    }

    /// Mean similarity of its texts to the texts of earlier nights, 0 to 1; `None` if no earlier text is known.
    pub fn mean_similarity(&self) -> Option<f64> {
        (self.known > 0).then(|| self.similarity / self.known as f64)
    }

    /// Number of pages that the site replaced by something else.
    pub fn refused(&self) -> u64 {
        let refused = self.drops.iter().filter(|(reason, _)| is_refusal(reason));
        refused.map(|(_, number)| number).sum()
    }

    /// What is served instead of most of these pages.
    pub fn refused_by(&self) -> Option<&str> {
        let refused = self.drops.iter().filter(|(reason, _)| is_refusal(reason));
        refused.max_by_key(|(_, number)| **number).map(|(reason, _)| reason.as_str())
    }

    /// Number of pages in which no text was found.
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastNight {
    /// Its date, `YYYY-MM-DD`; empty if pages have no dates.
    pub night: String,
    /// The verdict on the site.
    pub verdict: Verdict,
    /// What was decided about its model.
    pub decision: String,
    /// The results of its pages.
    pub figures: NightFigures,
}

/// The usual results of a site: means over the nights that a night is compared with.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct UsualNight {
    /// Number of these nights.
    pub nights: u64,
    /// Mean number of pages.
    #[serde(serialize_with = "serialize_rounded")]
    pub pages: f64,
    /// Articles.
    #[serde(serialize_with = "serialize_rounded")]
    pub articles: f64,
    /// Mean number of words of an article.
    #[serde(serialize_with = "serialize_rounded")]
    pub words: f64,
    /// Mean confidence of an article, 0 to 1.
    #[serde(serialize_with = "serialize_rounded")]
    pub confidence: f64,
}

/// Changes of a site whose model was learnt again, template by template.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SiteChange {
    /// The date of the night, `YYYY-MM-DD`; empty if pages have no dates.
    pub night: String,
    /// The verdict on the earlier model.
    pub verdict: Verdict,
    /// Why the model was learnt again.
    pub reason: String,
    /// The new revision of the model.
    pub model_revision: u32,
    /// The templates whose pages are now read differently, those with the most pages first.
    pub templates: Vec<TemplateChange>,
}

/// A template before and after the model of its site was learnt again.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TemplateChange {
    /// Its id.
    pub template: String,
    /// Number of its pages in the night's sample.
    pub pages: u64,
    /// A page that shows the difference.
    pub url: String,
    /// What the earlier model extracts from that page; `None` if it has no template for it.
    pub before: Option<PageReading>,
    /// What the new model extracts from it.
    pub after: PageReading,
}

/// What a model extracts from a page.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct PageReading {
    /// The expressions of the wrapper of the page's template.
    pub content: Vec<String>,
    /// The expressions of the nodes that the wrapper removes.
    pub prune: Vec<String>,
    /// A passage of the text, from the point where the readings differ; empty if there is no article.
    pub text: String,
    /// Number of characters of the whole text.
    pub characters: u64,
    /// Confidence; `None` if there is no article.
    pub confidence: Option<f64>,
}

/// The results of a template in a night.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct TemplateNight {
    /// Its id.
    pub template: String,
    /// The verdict on the template; the field `health` of records.
    #[serde(rename = "health")]
    pub verdict: Verdict,
    /// Number of pages that were checked.
    pub pages: u64,
    /// Share of pages on which the wrapper found the article.
    #[serde(serialize_with = "serialize_rounded")]
    pub by_wrapper: f64,
    /// Expected share, from the pages that were learnt from.
    #[serde(serialize_with = "serialize_rounded")]
    pub by_wrapper_expected: f64,
    /// Mean confidence.
    #[serde(serialize_with = "serialize_rounded")]
    pub confidence: f64,
    /// Expected mean confidence, from the pages that were learnt from.
    #[serde(serialize_with = "serialize_rounded")]
    pub confidence_expected: f64,
    /// Mean agreement with the engine's judgement of single pages, 0 to 1; `None` if no page was judged.
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
    /// The serialised model.
    #[serde(with = "bytes")]
    pub model: Vec<u8>,
}

/// The metadata of a retained page, which can be read without unpacking the page.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct RetainedHead {
    /// Its address.
    pub url: String,
    /// Id of its template; empty for none.
    pub template: String,
    /// When it was fetched, RFC 3339; empty if unknown.
    pub fetched: String,
    /// Size of its HTML in bytes.
    pub html_bytes: u64,
}

/// The retained pages of a site, compressed together.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PackedSample {
    /// The metadata of each page, by address.
    pub heads: Vec<RetainedHead>,
    /// The pages, as `modelstore` packs them.
    #[serde(with = "bytes")]
    pub blob: Vec<u8>,
}

/// Serialises byte strings as such, not as lists of numbers.
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
