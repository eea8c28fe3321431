//! `wrappers/SITE.json`: what was learnt about a site.

use model::{StructuralPattern, TemplateKind, Wrapper};
use serde::{Deserialize, Serialize};

use crate::SCHEMA;
use crate::articles::rounded;

/// All templates of a site.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SiteRecord {
    schema: u32,
    site: String,
    /// Whether the byte limit left pages out of the sample learnt from.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    sample_cut: bool,
    templates: Vec<TemplateRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    site_configs: Vec<SiteConfigRecord>,
}

impl SiteRecord {
    /// Takes the templates in the order in which they were learnt, and the site configs by host.
    pub fn new(
        site: &str,
        sample_cut: bool,
        templates: Vec<TemplateRecord>,
        site_configs: Vec<SiteConfigRecord>,
    ) -> Self {
        Self { schema: SCHEMA, site: site.to_owned(), sample_cut, templates, site_configs }
    }

    /// Adds what another part of the same site has: pages of templates that are known are counted, other
    /// templates are added.
    pub fn absorb(&mut self, other: Self) {
        for template in other.templates {
            match self.templates.iter_mut().find(|known| known.id == template.id) {
                Some(known) => known.pages += template.pages,
                None => self.templates.push(template),
            }
        }
        for config in other.site_configs {
            match self.site_configs.iter_mut().find(|known| known.host == config.host) {
                Some(known) => {
                    known.pages += config.pages;
                    known.matched += config.matched;
                }
                None => self.site_configs.push(config),
            }
        }
        self.sample_cut |= other.sample_cut;
    }

    /// How many layouts the site has.
    pub(crate) fn layouts(&self) -> usize {
        self.templates.len()
    }

    /// How many of them have a wrapper.
    pub(crate) fn wrappers(&self) -> usize {
        self.templates.iter().filter(|template| template.wrapper.is_some()).count()
    }
}

/// Counts of what a site config selected.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SiteConfigRecord {
    /// The host it is for; with a dot before it, the hosts below.
    pub host: String,
    /// Expressions of the body, in the order they are tried.
    pub body: Vec<String>,
    /// Pages of the host.
    pub pages: usize,
    /// Of those, pages on which it found a body.
    pub matched: usize,
}

/// One template: what its pages are for, its wrapper, and the patterns it was chosen from.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TemplateRecord {
    id: String,
    kind: String,
    pages: usize,
    /// Hex, as JSON numbers hold 53 bits only.
    signature: String,
    wrapper: Option<WrapperRecord>,
    patterns: Vec<PatternRecord>,
    examples: Vec<String>,
}

/// A wrapper.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct WrapperRecord {
    engine: String,
    version: u32,
    content: Vec<String>,
    prune: Vec<String>,
    confidence: f64,
    support: SupportRecord,
}

/// Evidence for a wrapper.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SupportRecord {
    learnt_from: u32,
    held_back: u32,
    held_back_agreeing: u32,
    runner_up_margin: f64,
}

/// A ranked structural pattern.
#[derive(Clone, Debug, Deserialize, Serialize)]
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

/// What is written of a template.
#[derive(Clone, Copy, Debug)]
pub struct TemplateFacts<'a> {
    /// Its name within the site.
    pub id: &'a str,
    /// What its pages are for.
    pub kind: TemplateKind,
    /// Pages that belong to it.
    pub pages: usize,
    /// Hash of its layout.
    pub signature: u64,
    /// Its wrapper, if one was learnt.
    pub wrapper: Option<&'a Wrapper>,
    /// The best-ranked patterns, best first.
    pub patterns: &'a [StructuralPattern],
    /// Addresses of some of its pages.
    pub examples: &'a [String],
}

impl From<TemplateFacts<'_>> for TemplateRecord {
    fn from(facts: TemplateFacts<'_>) -> Self {
        Self {
            id: facts.id.to_owned(),
            kind: facts.kind.as_str().to_owned(),
            pages: facts.pages,
            signature: format!("{:016x}", facts.signature),
            wrapper: facts.wrapper.map(|w| WrapperRecord {
                engine: w.engine.clone(),
                version: w.version,
                content: w.content.clone(),
                prune: w.prune.clone(),
                confidence: rounded(w.confidence),
                support: SupportRecord {
                    learnt_from: w.support.learnt_from,
                    held_back: w.support.held_back,
                    held_back_agreeing: w.support.held_back_agreeing,
                    runner_up_margin: rounded(w.support.runner_up_margin),
                },
            }),
            patterns: facts.patterns.iter().map(PatternRecord::from).collect(),
            examples: facts.examples.to_vec(),
        }
    }
}
