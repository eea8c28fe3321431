//! One line of `health.jsonl`: how a site's stored model fares with this run's pages.

use model::SiteNight;
use serde::Serialize;

use crate::SCHEMA;
use crate::articles::rounded;

/// How a site's model fares; the order of the fields is the order in the file.
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

/// How a template fares.
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

/// The record of a site's night.
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
