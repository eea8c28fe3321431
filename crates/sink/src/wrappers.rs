//! `wrappers/SITE.json`: the templates and wrappers learnt for a site.

use model::{SiteConfigUse, SiteSummary, StructuralPattern, TemplateSummary, rounded};
use serde::{Deserialize, Serialize};

use crate::SCHEMA;

/// All templates of a site: what the file holds, as it is written and read.
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
    pub support: SupportRecord,
}

/// Evidence for a wrapper; see [`model::Support`].
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SupportRecord {
    /// Pages it was learnt from.
    pub learnt_from: u32,
    /// Share of these on which the expressions are exact.
    pub exact: f64,
    /// Pages of these that were held back for a test.
    pub held_back: u32,
    /// Of those, pages on which the same is selected without their vote.
    pub held_back_agreeing: u32,
    /// How far the runner-up is behind.
    pub runner_up_margin: f64,
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
                support: SupportRecord {
                    learnt_from: w.support.learnt_from,
                    exact: rounded(w.support.exact),
                    held_back: w.support.held_back,
                    held_back_agreeing: w.support.held_back_agreeing,
                    runner_up_margin: rounded(w.support.runner_up_margin),
                },
            }),
            patterns: template.patterns.iter().map(PatternRecord::from).collect(),
            examples: template.examples.clone(),
        }
    }
}
