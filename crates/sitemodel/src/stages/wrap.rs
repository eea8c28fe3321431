//! Wrap.
//!
//! Takes: the pages a template is learnt from and its ranked patterns.
//! Gives: a wrapper: the XPath of the best pattern, its support and confidence.
//! Why: a wrapper is readable, and works on further pages and in other tools.
//! Drops: nothing; without a pattern there is no wrapper, and pages are extracted page-wise.

mod judged;

use dom::xpath::Path;
use dom::{Document, NodeId};
use forest::Recurring;
use grove::DecidedNodes;
use model::{StructuralPattern, Support, Wrapper};
use serde::{Deserialize, Serialize};
use wrapper::{Samples, WantedNodes, select};

use crate::parsed::ParsedPage;

pub(crate) use judged::wrap_judged;

/// The wrapper of a template, with compiled expressions.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "Wrapper", into = "Wrapper")]
pub struct CompiledWrapper {
    /// The wrapper.
    pub wrapper: Wrapper,
    /// Its content expressions, compiled.
    pub paths: Vec<Path>,
    /// Its prune expressions, compiled.
    pub prune: Vec<Path>,
}

impl From<CompiledWrapper> for Wrapper {
    fn from(compiled: CompiledWrapper) -> Self {
        compiled.wrapper
    }
}

impl TryFrom<Wrapper> for CompiledWrapper {
    type Error = String;

    fn try_from(wrapper: Wrapper) -> Result<Self, String> {
        let compile = |expressions: &[String]| -> Result<Vec<Path>, String> {
            let each = expressions.iter().map(|text| text.parse::<Path>());
            each.collect::<Result<_, _>>().map_err(|error| format!("the wrapper: {error}"))
        };
        let (paths, prune) = (compile(&wrapper.content)?, compile(&wrapper.prune)?);
        Ok(Self { wrapper, paths, prune })
    }
}

impl CompiledWrapper {
    /// Returns the nodes that the wrapper selects on a page.
    pub fn select(&self, document: &Document) -> DecidedNodes {
        DecidedNodes {
            keep: wrapper::select(&self.paths, document),
            prune: wrapper::select_nested(&self.prune, document),
        }
    }
}

/// A test of a wrapper: patterns ranked without some pages, and those pages.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    pub(crate) ranked: &'a [StructuralPattern],
    pub(crate) learnt_from: &'a [&'a ParsedPage<'a>],
    pub(crate) held_back: &'a [&'a ParsedPage<'a>],
}

/// Writes the wrapper for the best pattern, and tests it: a wrapper learnt without the pages held back must select the
/// same text on them.
pub fn wrap(
    engine: &str,
    pages: &[&ParsedPage<'_>],
    recurring: &Recurring,
    ranked: &[StructuralPattern],
    trial: Option<Trial<'_>>,
) -> Option<CompiledWrapper> {
    let (paths, exact) = paths_for(pages, recurring, ranked)?;
    let mut support = Support {
        learnt_from: pages.len() as u32,
        exact,
        runner_up_margin: margin(ranked),
        ..Support::default()
    };
    if let Some(trial) = trial {
        support.held_back = trial.held_back.len() as u32;
        let on_trial =
            paths_for(trial.learnt_from, recurring, trial.ranked).map(|p| p.0).unwrap_or_default();
        let agrees = |page: &&&ParsedPage<'_>| {
            let nodes = select(&paths, &page.document);
            !nodes.is_empty() && nodes == select(&on_trial, &page.document)
        };
        support.held_back_agreeing = trial.held_back.iter().filter(agrees).count() as u32;
    }
    let wrapper = Wrapper {
        engine: engine.to_owned(),
        content: paths.iter().map(ToString::to_string).collect(),
        prune: Vec::new(),
        confidence: confidence(&support, ranked.first()?.score.pages),
        support,
        version: 1,
    };
    Some(CompiledWrapper { wrapper, paths, prune: Vec::new() })
}

fn paths_for(
    pages: &[&ParsedPage<'_>],
    recurring: &Recurring,
    ranked: &[StructuralPattern],
) -> Option<(Vec<Path>, f64)> {
    let best = ranked.first()?;
    let wanted: Vec<Vec<NodeId>> =
        pages.iter().map(|page| forest::elements_of(best, &page.document, recurring)).collect();
    let samples = Samples::new(pages.iter().map(|page| &page.document));
    Some(paths_to(&samples, &wanted)).filter(|(paths, _)| !paths.is_empty())
}

/// Finds expressions that select the wanted nodes of each page, and the share of the pages on which they select exactly these.
pub(crate) fn paths_to(samples: &Samples<'_>, wanted: &[Vec<NodeId>]) -> (Vec<Path>, f64) {
    let wanted: Vec<WantedNodes<'_>> =
        wanted.iter().map(|wanted| WantedNodes { wanted, ..WantedNodes::default() }).collect();
    let synthesis = samples.synthesize(&wanted);
    (synthesis.paths, synthesis.exact)
}

/// Returns 1 − the runner-up's relevance over the winner's. Patterns with the same elements as the winner, such as its
/// parent without other text, are not excluded.
fn margin(ranked: &[StructuralPattern]) -> f64 {
    let relevance = |i: usize| ranked.get(i).map_or(0.0, |p: &StructuralPattern| p.score.relevance);
    if relevance(0) > 0.0 { 1.0 - relevance(1) / relevance(0) } else { 0.0 }
}

/// Returns the confidence of a wrapper, 0 to 1: the mean of three shares, of pages on which the pattern is significant,
/// of pages on which the XPath selects exactly what the pattern does, and of held-back pages that agree; lower for few
/// pages.
fn confidence(support: &Support, significant: u32) -> f64 {
    let pages = f64::from(support.learnt_from.max(1));
    let agreeing = if support.held_back == 0 {
        0.5
    } else {
        f64::from(support.held_back_agreeing) / f64::from(support.held_back)
    };
    let mean = (f64::from(significant) / pages + support.exact + agreeing) / 3.0;
    mean * pages / (pages + 1.0)
}
