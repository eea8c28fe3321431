//! Templates and the health of a model as Python has them.

use std::collections::BTreeMap;

use model::Wrapper;
use pyo3::prelude::*;
use sitemodel::Verdict;

use crate::shown::short;

/// A template: pages of one layout and one kind, with the wrapper that was learnt of them.
#[pyclass(frozen, get_all, eq, module = "sitegrove")]
#[derive(PartialEq)]
pub(crate) struct Template {
    /// Name within the site, 12 hex digits. It stays when the template is learnt anew.
    id: String,
    /// What its pages are for: ``article``, ``list`` or ``other``. Pages of the last two are dropped.
    kind: &'static str,
    /// Pages that it was learnt from.
    pages: u64,
    /// Addresses of some of them.
    examples: Vec<String>,
    /// XPath expressions that select the body of articles; empty where no wrapper was learnt.
    content: Vec<String>,
    /// XPath expressions of what is taken out of it.
    prune: Vec<String>,
    /// How sure the wrapper is, 0 to 1; None without one.
    confidence: Option<f64>,
    /// Version of the wrapper, from 1; 0 without one.
    version: u32,
}

impl Template {
    /// A template of a model.
    pub(crate) fn of(template: &sitemodel::Template) -> Self {
        let wrapper = template.wrapper();
        let paths = |of: fn(&Wrapper) -> &Vec<String>| wrapper.map(of).cloned().unwrap_or_default();
        Self {
            id: template.id.clone(),
            kind: template.kind.as_str(),
            pages: template.pages,
            examples: template.examples.clone(),
            content: paths(|wrapper| &wrapper.content),
            prune: paths(|wrapper| &wrapper.prune),
            confidence: wrapper.map(|wrapper| wrapper.confidence),
            version: wrapper.map_or(0, |wrapper| wrapper.version),
        }
    }
}

#[pymethods]
impl Template {
    fn __repr__(&self) -> String {
        let Self { id, kind, pages, .. } = self;
        let paths = short(&self.content.join(" | "));
        format!("<Template {id} {kind} ({pages} pages) {paths}>")
    }
}

/// Whether a model still fits its site, by the pages it was applied to.
#[pyclass(frozen, get_all, eq, module = "sitegrove")]
#[derive(PartialEq)]
pub(crate) struct Health {
    /// ``healthy``, ``drifting``, ``broken``, or ``too-few-pages`` where it cannot be told yet.
    verdict: &'static str,
    /// The same by id of each template that pages were of.
    templates: BTreeMap<String, &'static str>,
    /// Pages that no template is for.
    unassigned: u64,
    /// Pages that the model was applied to.
    pages: u64,
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::TooFewPages => "too-few-pages",
        Verdict::Healthy => "healthy",
        Verdict::Drifting => "drifting",
        Verdict::Broken => "broken",
    }
}

impl Health {
    /// What was assessed.
    pub(crate) fn of(health: sitemodel::SiteHealth) -> Self {
        let (unassigned, pages) = health.unassigned;
        let templates = health.templates.into_iter();
        Self {
            verdict: name(health.site),
            templates: templates.map(|(id, verdict)| (id, name(verdict.verdict))).collect(),
            unassigned,
            pages,
        }
    }
}

#[pymethods]
impl Health {
    fn __repr__(&self) -> String {
        let Self { verdict, unassigned, pages, .. } = self;
        format!("<Health {verdict} ({pages} pages, {unassigned} of no template)>")
    }
}
