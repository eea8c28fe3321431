//! Records of `dropped.jsonl`, `health.jsonl` and `wrappers/SITE.json`.

use std::borrow::Cow;

use model::{
    Drop, Origin, SiteConfigUse, SiteNight, SiteSummary, StructuralPattern, Support, TemplateNight,
    TemplateSummary, rounded,
};
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

/// All templates of a site: `wrappers/SITE.json`, as it is written and read.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SiteRecord {
    /// Version of the format.
    pub schema: u32,
    /// The site's key.
    pub site: String,
    /// Whether the byte limit excluded pages from the sample.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sample_cut: bool,
    /// The templates that pages of the run belong to, in the order in which they were learnt.
    pub templates: Vec<TemplateRecord>,
    /// Site configs for hosts of the site.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub site_configs: Vec<SiteConfigUse>,
}

impl From<&SiteSummary> for SiteRecord {
    fn from(summary: &SiteSummary) -> Self {
        Self {
            schema: SCHEMA,
            site: summary.site.clone(),
            sample_cut: summary.sample_cut,
            templates: summary.templates.iter().map(TemplateRecord::from).collect(),
            site_configs: summary.site_configs.clone(),
        }
    }
}

/// One template: the kind of its pages, its wrapper, and the patterns it was chosen from.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TemplateRecord {
    /// 12 hex digits: a hash of the layout that it was first learnt from.
    pub id: String,
    /// The kind of its pages: `article`, `list` or `other`.
    pub kind: String,
    /// Pages of the run that belong to it.
    pub pages: usize,
    /// Hash of the tag paths that its pages share, in hexadecimal, because JSON numbers have only 53 bits.
    pub signature: String,
    /// Its wrapper, if one was learnt.
    pub wrapper: Option<WrapperRecord>,
    /// Ranked structural patterns, the best first.
    pub patterns: Vec<PatternRecord>,
    /// Addresses of some of its pages.
    pub examples: Vec<String>,
}

/// A wrapper; see [`model::Wrapper`].
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct WrapperRecord {
    /// The engine that learnt it.
    pub engine: String,
    /// Rises by one each time that the template is learnt again and its expressions differ.
    pub version: u32,
    /// XPath 1.0 expressions of the body.
    pub content: Vec<String>,
    /// XPath 1.0 expressions of what is removed from the body.
    pub prune: Vec<String>,
    /// Its confidence, 0 to 1.
    pub confidence: f64,
    /// Evidence for it.
    pub support: Support,
}

/// A ranked structural pattern; see [`model::StructuralPattern`].
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PatternRecord {
    /// Its element type, for reading.
    pub element: String,
    /// Depth of its elements; `html` is 0.
    pub level: u32,
    /// Pages on which it is significant.
    pub pages: u32,
    /// Signifiers in its text, over all pages.
    pub x: u32,
    /// Other terms in its text, over all pages.
    pub y: u32,
    /// Mean density.
    pub j: f64,
    /// Mean unexpectedness, in nats.
    pub u: f64,
    /// Informativeness, over all pages.
    pub i: f64,
    /// The value by which patterns are ranked.
    pub relevance: f64,
}

impl From<&StructuralPattern> for PatternRecord {
    fn from(pattern: &StructuralPattern) -> Self {
        let mut element = pattern.element.tag.clone();
        for (name, value) in &pattern.element.attributes {
            element.push_str(&format!("[@{name}~{value:?}]"));
        }
        if let Some(dfs) = pattern.element.dfs {
            element.push_str(&format!("[@dfs={dfs}]"));
        }
        let s = pattern.score;
        Self {
            element,
            level: pattern.level,
            pages: s.pages,
            x: s.x,
            y: s.y,
            j: rounded(s.j),
            u: rounded(s.u),
            i: rounded(s.i),
            relevance: rounded(s.relevance),
        }
    }
}

impl From<&TemplateSummary> for TemplateRecord {
    fn from(template: &TemplateSummary) -> Self {
        Self {
            id: template.id.clone(),
            kind: template.kind.as_str().to_owned(),
            pages: template.pages,
            signature: format!("{:016x}", template.signature),
            wrapper: template.wrapper.as_ref().map(|w| WrapperRecord {
                engine: w.engine.clone(),
                version: w.version,
                content: w.content.clone(),
                prune: w.prune.clone(),
                confidence: rounded(w.confidence),
                support: w.support,
            }),
            patterns: template.patterns.iter().map(PatternRecord::from).collect(),
            examples: template.examples.clone(),
        }
    }
}
