//! Records of `dropped.jsonl`, `health.jsonl` and `comparison.json`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{Assessment, Drop, Origin, SiteNight, TemplateNight, UsualNight, rounded};
use serde::{Deserialize, Serialize};

use crate::SCHEMA;

/// A drop, as it is written and read.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DropRecord<'a> {
    /// The stage that dropped it.
    pub stage: Cow<'a, str>,
    /// The reason, as [`model::DropReason::as_str`].
    pub reason: Cow<'a, str>,
    /// Its address; empty where none could be read.
    pub url: Cow<'a, str>,
    /// Its site; empty before grouping.
    pub site: Cow<'a, str>,
    /// Details in a sentence; may be empty.
    pub detail: Cow<'a, str>,
    /// Where it was read.
    pub origin: Cow<'a, Origin>,
}

/// The record of a drop.
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

/// A line of `health.jsonl`: how a site is, and how well its stored model fits the pages of this run.
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

/// The record of a site for one run.
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

/// A site in `comparison.json`: tonight, and what its own history lets expect.
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

/// What `comparison.json` says of a site.
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
