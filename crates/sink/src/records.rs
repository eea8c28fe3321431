//! Records of `dropped.jsonl`, `health.jsonl` and `comparison.json`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{Assessment, Drop, Origin, SiteNight, TemplateNight, UsualNight, rounded};
use serde::{Deserialize, Serialize};

use crate::SCHEMA;

/// A line of `dropped.jsonl`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DropRecord<'a> {
    /// The stage that dropped the page or record.
    pub stage: Cow<'a, str>,
    /// The reason, as [`model::DropReason::as_str`] returns it.
    pub reason: Cow<'a, str>,
    /// Address; empty if none could be read.
    pub url: Cow<'a, str>,
    /// Site; empty before grouping.
    pub site: Cow<'a, str>,
    /// Details in words; may be empty.
    pub detail: Cow<'a, str>,
    /// Record or file that it was read from.
    pub origin: Cow<'a, Origin>,
}

/// Makes the record of a drop.
pub fn drop_record(drop: &Drop) -> DropRecord<'_> {
    DropRecord {
        stage: drop.stage.as_str().into(),
        reason: drop.reason.as_str().into(),
        url: (&drop.url).into(),
        site: (&drop.site).into(),
        detail: (&drop.detail).into(),
        origin: Cow::Borrowed(&drop.origin),
    }
}

/// A line of `health.jsonl`: the health of a site, and how well its stored model fits the pages of this run.
#[derive(Debug, Serialize)]
pub struct HealthRecord<'a> {
    schema: u32,
    site: &'a str,
    night: Option<&'a str>,
    #[serde(flatten)]
    health: &'a Assessment,
    decision: &'a str,
    reason: &'a str,
    model_revision: u32,
    pages: u64,
    unassigned: u64,
    templates: &'a [TemplateNight],
}

fn date_of(night: &SiteNight) -> Option<&str> {
    Some(&*night.night).filter(|date| !date.is_empty())
}

/// Makes the health record of a site for one run.
pub fn health_record(night: &SiteNight) -> HealthRecord<'_> {
    HealthRecord {
        schema: SCHEMA,
        site: &night.site,
        night: date_of(night),
        health: &night.health,
        decision: &night.decision,
        reason: &night.reason,
        model_revision: night.model_revision,
        pages: night.sampled,
        unassigned: night.unassigned,
        templates: &night.templates,
    }
}

/// A site in `comparison.json`: its figures of tonight, and those to expect from its own history.
#[derive(Debug, Serialize)]
pub struct ComparedNight<'a> {
    site: &'a str,
    night: Option<&'a str>,
    #[serde(flatten)]
    health: &'a Assessment,
    decision: &'a str,
    pages: u64,
    articles: u64,
    words: u64,
    confidence: Option<f64>,
    fields: &'a BTreeMap<String, u64>,
    drops: &'a BTreeMap<String, u64>,
    gone: u64,
    usual: Option<&'a UsualNight>,
}

/// Makes the entry of a site in `comparison.json`.
pub fn compared_night(night: &SiteNight) -> ComparedNight<'_> {
    let figures = &night.figures;
    ComparedNight {
        site: &night.site,
        night: date_of(night),
        health: &night.health,
        decision: &night.decision,
        pages: figures.pages,
        articles: figures.articles,
        words: figures.words,
        confidence: figures.mean_confidence().map(rounded),
        fields: &figures.fields,
        drops: &figures.drops,
        gone: figures.gone,
        usual: night.usual.as_ref(),
    }
}
