//! One line of `health.jsonl`: how a site's stored model fares with this run's pages.

use model::Verdict;
use serde::{Deserialize, Serialize};

use crate::SCHEMA;
use crate::articles::rounded;

/// What a run with a store of models found of a site.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SiteNight {
    /// Its line of `health.jsonl`.
    pub health: HealthRecord,
    /// What the store is to take in, as its own bytes; empty where it took this run in before.
    pub update: Vec<u8>,
}

/// How a site's model fares; the order of the fields is the order in the file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct HealthRecord {
    schema: u32,
    site: String,
    night: Option<String>,
    health: Verdict,
    decision: String,
    reason: String,
    model_revision: u32,
    pages: u64,
    unassigned: u64,
    templates: Vec<TemplateHealthRecord>,
}

/// How a template fares.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TemplateHealthRecord {
    /// Its id.
    pub template: String,
    /// The verdict.
    pub health: Verdict,
    /// Pages looked at.
    pub pages: u64,
    /// Share on which the wrapper found the article.
    pub by_wrapper: f64,
    /// The same of the pages learnt from.
    pub by_wrapper_expected: f64,
    /// Mean confidence.
    pub confidence: f64,
    /// The same of the pages learnt from.
    pub confidence_expected: f64,
    /// Mean agreement with the judgement of single pages.
    pub agreement: Option<f64>,
}

impl HealthRecord {
    /// The record of a site: its night; what was decided, why, and the revision that was applied; the verdict,
    /// the pages looked at and those of no template; its templates.
    pub fn new(
        site: &str,
        night: &str,
        (decision, reason, model_revision): (&str, &str, u32),
        (health, pages, unassigned): (Verdict, u64, u64),
        templates: Vec<TemplateHealthRecord>,
    ) -> Self {
        let shorter = |own: TemplateHealthRecord| TemplateHealthRecord {
            by_wrapper: rounded(own.by_wrapper),
            by_wrapper_expected: rounded(own.by_wrapper_expected),
            confidence: rounded(own.confidence),
            confidence_expected: rounded(own.confidence_expected),
            agreement: own.agreement.map(rounded),
            ..own
        };
        Self {
            schema: SCHEMA,
            site: site.to_owned(),
            night: (!night.is_empty()).then(|| night.to_owned()),
            health,
            decision: decision.to_owned(),
            reason: reason.to_owned(),
            model_revision,
            pages,
            unassigned,
            templates: templates.into_iter().map(shorter).collect(),
        }
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.health
    }

    /// What was decided.
    pub fn decision(&self) -> &str {
        &self.decision
    }
}
