//! `wrappers/SITE.json`: the templates and wrappers learnt for a site.

use model::{SiteConfigUse, SiteSummary, StructuralPattern, TemplateSummary};
use serde::Serialize;

use crate::SCHEMA;
use crate::articles::rounded;

/// All templates of a site.
#[derive(Clone, Debug, Serialize)]
pub struct SiteRecord {
    schema: u32,
    site: String,
    /// Whether the byte limit excluded pages from the sample.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    sample_cut: bool,
    templates: Vec<TemplateRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    site_configs: Vec<SiteConfigUse>,
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
#[derive(Clone, Debug, Serialize)]
pub struct TemplateRecord {
    id: String,
    kind: String,
    pages: usize,
    /// In hexadecimal, because JSON numbers have only 53 bits.
    signature: String,
    wrapper: Option<WrapperRecord>,
    patterns: Vec<PatternRecord>,
    examples: Vec<String>,
}

/// A wrapper.
#[derive(Clone, Debug, Serialize)]
pub struct WrapperRecord {
    engine: String,
    version: u32,
    content: Vec<String>,
    prune: Vec<String>,
    confidence: f64,
    support: SupportRecord,
}

/// Evidence for a wrapper.
#[derive(Clone, Debug, Serialize)]
pub struct SupportRecord {
    learnt_from: u32,
    exact: f64,
    held_back: u32,
    held_back_agreeing: u32,
    runner_up_margin: f64,
}

/// A ranked structural pattern.
#[derive(Clone, Debug, Serialize)]
pub struct PatternRecord {
    element: String,
    level: u32,
    pages: u32,
    x: u32,
    y: u32,
    j: f64,
    u: f64,
    i: f64,
    relevance: f64,
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
