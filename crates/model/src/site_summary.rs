//! Summary of what was learnt about a site: its templates with their wrappers.

use serde::{Deserialize, Serialize};

use crate::pattern::StructuralPattern;
use crate::template::TemplateKind;
use crate::wrapper::Wrapper;

/// Summary of what was learnt about a site.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct SiteSummary {
    /// Key of the site.
    pub site: String,
    /// Whether the byte limit left pages out of the sample.
    pub sample_cut: bool,
    /// Its templates, in the order in which they were learnt.
    pub templates: Vec<TemplateSummary>,
    /// The site configs for its hosts, by host.
    pub site_configs: Vec<SiteConfigUse>,
}

/// Summary of a template.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TemplateSummary {
    /// Its id within the site.
    pub id: String,
    /// Kind of its pages.
    pub kind: TemplateKind,
    /// Pages that belong to it.
    pub pages: usize,
    /// Hash of its layout.
    pub signature: u64,
    /// Its wrapper, if one was learnt.
    pub wrapper: Option<Wrapper>,
    /// The best-ranked patterns, best first.
    pub patterns: Vec<StructuralPattern>,
    /// Addresses of some of its pages.
    pub examples: Vec<String>,
}

/// Counts of what a site config selected.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct SiteConfigUse {
    /// The host it is for; with a leading dot, its subdomains.
    pub host: String,
    /// Expressions of the body, in the order they are tried.
    pub body: Vec<String>,
    /// Pages of the host.
    pub pages: usize,
    /// Number of these on which it found a body.
    pub matched: usize,
    /// Of those, pages on which the engine's text was used instead, as the body was next to nothing of it.
    pub overruled: usize,
}

impl SiteSummary {
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
                    known.overruled += config.overruled;
                }
                None => self.site_configs.push(config),
            }
        }
        self.sample_cut |= other.sample_cut;
    }
}
