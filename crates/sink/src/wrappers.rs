//! `wrappers/SITE.json`: what was learnt about a site.

use model::{StructuralPattern, Template, Wrapper};
use serde::{Deserialize, Serialize};

use crate::SCHEMA;
use crate::articles::rounded;

/// All templates of a site.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SiteRecord {
    schema: u32,
    site: String,
    templates: Vec<TemplateRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fixed: Vec<FixedRecord>,
}

impl SiteRecord {
    /// Takes the templates in the order of their ids, and the fixed wrappers by host.
    pub fn new(site: &str, templates: Vec<TemplateRecord>, fixed: Vec<FixedRecord>) -> Self {
        Self { schema: SCHEMA, site: site.to_owned(), templates, fixed }
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
        for fixed in other.fixed {
            match self.fixed.iter_mut().find(|known| known.host == fixed.host) {
                Some(known) => {
                    known.pages += fixed.pages;
                    known.matched += fixed.matched;
                }
                None => self.fixed.push(fixed),
            }
        }
    }

    /// Puts something before the names of all templates, so that those of parts differ.
    pub fn prefix(&mut self, prefix: &str) {
        for template in &mut self.templates {
            template.id.insert_str(0, prefix);
        }
    }

    /// Takes out how wrappers written by hand fared.
    pub fn clear_fixed(&mut self) {
        self.fixed.clear();
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

/// How a wrapper that was written by hand fared.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FixedRecord {
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

impl TemplateRecord {
    /// Counts no page of it: they come with later parts of the site.
    pub fn clear_pages(&mut self) {
        self.pages = 0;
    }

    /// Takes a template with its wrapper, if one was learnt, the best-ranked patterns (best first)
    /// and some URLs of its pages.
    pub fn new(
        template: &Template,
        wrapper: Option<&Wrapper>,
        patterns: &[StructuralPattern],
        examples: Vec<String>,
    ) -> Self {
        Self {
            id: template.id.clone(),
            kind: template.kind.as_str().to_owned(),
            pages: template.members.len(),
            signature: format!("{:016x}", template.signature),
            wrapper: wrapper.map(|w| WrapperRecord {
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
            patterns: patterns.iter().map(PatternRecord::from).collect(),
            examples,
        }
    }
}
