//! Records of `dropped.jsonl` and `health.jsonl`.

use std::borrow::Cow;

use model::{Drop, Origin, SiteNight, TemplateNight};
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

/// A line of `health.jsonl`: how well a site's stored model fits the pages of this run.
#[derive(Debug, Serialize)]
pub struct HealthRecord<'a> {
    schema: u32,
    site: &'a str,
    night: Option<&'a str>,
    health: &'static str,
    decision: &'a str,
    reason: &'a str,
    model_revision: u32,
    pages: u64,
    unassigned: u64,
    templates: &'a [TemplateNight],
}

/// The record of a site for one run.
pub fn health_record(night: &SiteNight) -> HealthRecord<'_> {
    HealthRecord {
        schema: SCHEMA,
        site: &night.site,
        night: Some(&*night.night).filter(|date| !date.is_empty()),
        health: night.verdict.as_str(),
        decision: &night.decision,
        reason: &night.reason,
        model_revision: night.model_revision,
        pages: night.pages,
        unassigned: night.unassigned,
        templates: &night.templates,
    }
}
