//! Estimates of the quality of an article's text, by which users can filter articles.

use serde::{Deserialize, Serialize};

use crate::named;
use crate::record::{record, serialize_rounded, serialize_rounded_if_some};

record! {
/// Measures of the text of an article. They are shares of its words, 0 to 1, with four decimals.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Quality {
    /// Expected share of the text that belongs to the article: precision ([how accurate it is](ALGORITHM.md#confidence); engine
    /// `grove`).
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "serialize_rounded_if_some")]
    pub precision: Option<f64>,
    /// Expected share of the article that is in the text: recall, likewise.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "serialize_rounded_if_some")]
    pub recall: Option<f64>,
    /// Share of the words in runs of twelve words that the text has had before.
    #[serde(serialize_with = "serialize_rounded")]
    pub repeated: f64,
    /// Share of the words in links.
    #[serde(serialize_with = "serialize_rounded")]
    pub links: f64,
    /// Share of the words in paragraphs that at least two of the pages have that the template was learnt from, if it was learnt from
    /// several (engine `grove`).
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "serialize_rounded_if_some")]
    pub boilerplate: Option<f64>,
    /// Share of the words in paragraphs that articles of other sites of the crawl have ([shared text](DUPLICATES.md#shared-text)).
    #[serde(serialize_with = "serialize_rounded")]
    pub elsewhere: f64,
}
}

named! {
/// Why an article is doubtful.
pub enum Doubt {
    /// Much of the text is repeated.
    Repeated => "repeated",
    /// The type of the page is uncertain: it may not be an article.
    Type => "type",
    /// The text probably contains more than the article.
    TooMuch => "too-much",
    /// The text probably lacks a part of the article.
    TooLittle => "too-little",
    /// Both, or neither is more likely than the other.
    Mixed => "mixed",
}
}

/// Minimum share of repeated words that is a reason for doubt.
const MUCH_REPEATED: f64 = 0.2;
/// Probability of the page's type below which the type is the reason for doubt.
const SURE_TYPE: f64 = 0.5;
/// Minimum difference between expected precision and recall for one of them to be the reason.
const APART: f64 = 0.1;

impl Doubt {
    /// The main reason to doubt a text of this quality, on a page whose type has this probability.
    pub fn about(quality: &Quality, type_probability: Option<f64>) -> Self {
        let more =
            quality.recall.zip(quality.precision).map(|(recall, precision)| recall - precision);
        match more {
            _ if quality.repeated >= MUCH_REPEATED => Self::Repeated,
            Some(more) if more >= APART => Self::TooMuch,
            Some(more) if more <= -APART => Self::TooLittle,
            _ if type_probability.is_some_and(|own| own < SURE_TYPE) => Self::Type,
            _ => Self::Mixed,
        }
    }
}
