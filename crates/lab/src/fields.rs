//! Compares the metadata fields of articles: with gold for `evaluate --metadata`, with declarations of pages for
//! `recover`.

use std::collections::BTreeMap;

use model::{AuthorKind, FieldSource, named};
use score::aggregate::mean;
use score::metadata::{FieldScore, authors, date, day, has_names, text, title};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Confidence from which a value counts as sure.
pub(crate) const SURE: f64 = 0.9;

named! {
/// A field that is compared.
pub enum MetadataField {
    Title => "title",
    Subtitle => "subtitle",
    Authors => "authors",
    Date => "date",
    /// Dates not later than a day after the page was fetched.
    DateByFetch => "date-by-fetch",
    Modified => "modified",
    Section => "section",
}
}

impl MetadataField {
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Date | Self::DateByFetch => "published",
            field => field.as_str(),
        }
    }
}

/// The metadata of a page in the gold, a run or the output of another tool. Keys are those of an article.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FieldValues {
    pub(crate) title: Option<String>,
    pub(crate) subtitle: Option<String>,
    #[serde(deserialize_with = "read_list")]
    pub(crate) authors: Vec<String>,
    pub(crate) author_kinds: Vec<AuthorKind>,
    pub(crate) published: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) section: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) fetched: Option<String>,
    /// Sources by field; [`Self::source`] reads them.
    pub(crate) sources: BTreeMap<String, Value>,
}

impl FieldValues {
    /// The value of a field. Authors are separated by semicolons.
    pub(crate) fn value(&self, field: MetadataField) -> Option<String> {
        match field {
            MetadataField::Title => self.title.clone(),
            MetadataField::Subtitle => self.subtitle.clone(),
            MetadataField::Authors => (!self.authors.is_empty()).then(|| self.authors.join("; ")),
            MetadataField::Date | MetadataField::DateByFetch => self.published.clone(),
            MetadataField::Modified => self.modified.clone(),
            MetadataField::Section => self.section.clone(),
        }
    }

    /// The source of a value, and its confidence.
    pub(crate) fn source(&self, field: MetadataField) -> Option<FieldSource> {
        serde_json::from_value(self.sources.get(field.key())?.clone()).ok()
    }
}

/// Deserialises a string, a list of strings or null as a list.
pub(crate) fn read_list<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Option::deserialize(from)? {
        None => Vec::new(),
        Some(OneOrMany::One(text)) => vec![text],
        Some(OneOrMany::Many(texts)) => texts,
    })
}

/// The value of a field, compared with the expected one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComparedValue {
    /// `None` if no value is expected.
    pub(crate) score: Option<FieldScore>,
    pub(crate) is_found: bool,
    /// The confidence of the value, if the record has one.
    pub(crate) confidence: Option<f64>,
}

/// Compares a field of a page. `None` if the expected value is a date that does not begin with year-month-day.
pub(crate) fn compare(
    field: MetadataField,
    url: &str,
    expected: &FieldValues,
    found: Option<&FieldValues>,
) -> Option<ComparedValue> {
    let of = |values: Option<&FieldValues>| values.and_then(|values| values.value(field));
    let gold = of(Some(expected));
    let (asked, own) = (gold.as_deref().unwrap_or_default(), of(found).unwrap_or_default());
    let has_value = !own.trim().is_empty();
    let (score, is_found) = match field {
        MetadataField::Title => {
            let address = url::Url::parse(url).ok();
            let host = address.as_ref().and_then(url::Url::host_str).unwrap_or_default();
            (title(asked, &own, host), has_value)
        }
        MetadataField::Subtitle | MetadataField::Section => (text(asked, &own), has_value),
        MetadataField::Authors => {
            let own = found.map(|values| values.authors.as_slice()).unwrap_or_default();
            (authors(&expected.authors, own), has_names(own))
        }
        MetadataField::Date | MetadataField::DateByFetch | MetadataField::Modified => {
            let own = day(&own);
            let score = match &gold {
                Some(asked) => Some(date(day(asked)?, own)),
                None => None,
            };
            (score, own.is_some())
        }
    };
    let confidence = found.filter(|_| is_found).and_then(|values| values.source(field)?.confidence);
    Some(ComparedValue { score, is_found, confidence })
}

impl ComparedValue {
    pub(crate) fn is_exact(&self) -> bool {
        self.score.is_some_and(|score| score.exact)
    }

    pub(crate) fn is_wrong(&self) -> bool {
        self.is_found && !self.is_exact()
    }
}

/// The figures of compared values.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FieldFigures {
    /// Number of expected values.
    pub(crate) gold: usize,
    pub(crate) exact: usize,
    /// Values that were expected but not found.
    pub(crate) missing: usize,
    /// Values that differ from the expected value, or were found where none is expected.
    pub(crate) wrong: usize,
    /// Wrong values where none is expected.
    pub(crate) unasked: usize,
    /// Exact values in percent of the values found; `None` if none was found.
    pub(crate) precision: Option<f64>,
    /// Exact values in percent of the values expected.
    pub(crate) recall: f64,
    /// Mean partial agreement over the values expected, in percent.
    pub(crate) graded: f64,
    /// Values with a confidence of at least [`SURE`]; `None` if there are no confidences.
    pub(crate) sure: Option<usize>,
    /// Wrong values among them.
    pub(crate) sure_wrong: Option<usize>,
}

/// The headings of the columns of [`FieldFigures::cells`], before and after the column of partial agreement.
pub(crate) const HEADS: [&str; 6] = ["gold", "exact", "missing", "wrong", "precision", "recall"];
pub(crate) const SURE_HEADS: [&str; 2] = ["sure", "sure and wrong"];

impl FieldFigures {
    pub(crate) fn of(values: &[ComparedValue]) -> Self {
        let count = |of: &dyn Fn(&ComparedValue) -> bool| values.iter().filter(|v| of(v)).count();
        let scores: Vec<FieldScore> = values.iter().filter_map(|value| value.score).collect();
        let exact = count(&ComparedValue::is_exact);
        let wrong = count(&ComparedValue::is_wrong);
        let share = |of: usize| (of > 0).then(|| percent(exact as f64 / of as f64));
        let is_sure = |value: &ComparedValue| value.confidence.is_some_and(|own| own >= SURE);
        let has_confidence = values.iter().any(|value| value.confidence.is_some());
        let sure = |of: &dyn Fn(&ComparedValue) -> bool| has_confidence.then(|| count(of));
        Self {
            gold: scores.len(),
            exact,
            missing: count(&|value| value.score.is_some() && !value.is_found),
            wrong,
            unasked: count(&|value| value.score.is_none() && value.is_found),
            precision: share(exact + wrong),
            recall: share(scores.len()).unwrap_or_default(),
            graded: percent(
                mean(&scores.iter().map(|s| s.graded).collect::<Vec<_>>()).unwrap_or_default(),
            ),
            sure: sure(&is_sure),
            sure_wrong: sure(&|value| is_sure(value) && value.is_wrong()),
        }
    }

    /// Whether any value was found.
    pub(crate) fn has_values(&self) -> bool {
        self.exact + self.wrong > 0
    }

    /// The cells of a table row, in the order of [`HEADS`] and [`SURE_HEADS`].
    pub(crate) fn cells(&self) -> ([String; 6], [String; 2]) {
        let dash = || "–".to_owned();
        let wrong = match self.unasked {
            0 => self.wrong.to_string(),
            unasked => format!("{} ({unasked})", self.wrong),
        };
        let precision = self.precision.map_or_else(dash, |share| format!("{share:.1}"));
        let counts = [self.gold, self.exact, self.missing].map(|count| count.to_string());
        let [gold, exact, missing] = counts;
        let sure = [self.sure, self.sure_wrong];
        (
            [gold, exact, missing, wrong, precision, format!("{:.1}", self.recall)],
            sure.map(|count| count.map_or_else(dash, |count| count.to_string())),
        )
    }
}

/// Bounds of the rows of the reliability table.
const BOUNDS: [f64; 8] = [0.0, 0.5, 0.6, 0.7, 0.8, SURE, 0.95, 1.0];

/// How often values with a confidence in a range are right.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ReliabilityRow {
    /// Bounds of the confidence; the upper one belongs to the last row only.
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) values: usize,
    /// Mean confidence, in percent.
    pub(crate) said: f64,
    /// Percent of the values that are right.
    pub(crate) right: f64,
}

/// The reliability of confidences, on pages where a value is expected.
pub(crate) fn reliability(values: &[ComparedValue]) -> Vec<ReliabilityRow> {
    let known: Vec<(f64, f64)> = values
        .iter()
        .filter_map(|value| Some((value.confidence?, f64::from(u8::from(value.score?.exact)))))
        .collect();
    let row = |bounds: &[f64]| {
        let (from, to) = (bounds[0], bounds[1]);
        let is_in = |own: f64| own >= from && (own < to || to == 1.0);
        let (said, right): (Vec<f64>, Vec<f64>) =
            known.iter().copied().filter(|(own, _)| is_in(*own)).unzip();
        let (said_mean, right_mean) = (mean(&said)?, mean(&right)?);
        let (said_mean, right_mean) = (percent(said_mean), percent(right_mean));
        Some(ReliabilityRow { from, to, values: said.len(), said: said_mean, right: right_mean })
    };
    BOUNDS.windows(2).filter_map(row).collect()
}

/// A share in percent, to four decimals.
pub(crate) fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}
