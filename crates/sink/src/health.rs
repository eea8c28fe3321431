//! One line of `health.jsonl`: how well a site's stored model fits the pages of this run.

use model::{SiteNight, rounded};
use serde::Serialize;

use crate::SCHEMA;

/// The health of a site's model; the order of the fields is the order in the file.
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
    templates: Vec<TemplateHealthRecord<'a>>,
}

/// The health of a template.
#[derive(Debug, Serialize)]
struct TemplateHealthRecord<'a> {
    template: &'a str,
    health: &'static str,
    pages: u64,
    by_wrapper: f64,
    by_wrapper_expected: f64,
    confidence: f64,
    confidence_expected: f64,
    agreement: Option<f64>,
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
        templates: (night.templates.iter())
            .map(|own| TemplateHealthRecord {
                template: &own.template,
                health: own.verdict.as_str(),
                pages: own.pages,
                by_wrapper: rounded(own.by_wrapper),
                by_wrapper_expected: rounded(own.by_wrapper_expected),
                confidence: rounded(own.confidence),
                confidence_expected: rounded(own.confidence_expected),
                agreement: own.agreement.map(rounded),
            })
            .collect(),
    }
}
