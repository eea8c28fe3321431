//! Assigns corrections to templates.

use std::collections::{BTreeMap, BTreeSet};

use dom::Document;
use dom::xpath::Path;
use grove::Patterns;
use model::TemplateCorrection;

use crate::corrections::is_of;
use crate::markable::{complete, known_share};
use crate::model::{SiteModel, Template};
use crate::parsed::ParsedPage;
use crate::settings::Settings;
use crate::stages::cluster::Cluster;
use crate::stages::signify::SiblingPage;

/// Number of pages of a cluster whose patterns are compared with those of corrections.
const COMPARED: usize = 3;
/// Minimum share of a correction's marks whose patterns a template must have, if the corrected page has no template.
const KNOWN: f64 = 0.5;

/// Returns the corrections of each cluster: those of its pages, and those of other pages whose patterns it has. `own` are
/// the corrections of the site; `taken` says whether a template that is not learnt now has corrections of a page.
pub(crate) fn assign(
    own: &[TemplateCorrection],
    sample: &[SiblingPage<'_>],
    clusters: &[Cluster],
    taken: &dyn Fn(&str) -> bool,
) -> Vec<Vec<TemplateCorrection>> {
    let mut of_clusters = vec![Vec::new(); clusters.len()];
    if own.is_empty() {
        return of_clusters;
    }
    let mut cluster_of: BTreeMap<&str, (usize, &ParsedPage<'_>)> = BTreeMap::new();
    for (at, cluster) in clusters.iter().enumerate() {
        for &member in &cluster.members {
            let page = sample[member as usize].page;
            cluster_of.insert(&page.page.url, (at, page));
        }
    }
    let mut trees: Option<Vec<Patterns>> = None;
    for correction in own {
        if let Some((at, page)) = cluster_of.get(&*correction.url) {
            of_clusters[*at].push(complete(correction, page));
            continue;
        }
        if taken(&correction.url) {
            continue;
        }
        let trees = trees.get_or_insert_with(|| {
            clusters.iter().map(|cluster| patterns_of(cluster, sample)).collect()
        });
        let known = trees.iter().map(|patterns| known_share(correction, patterns));
        if let Some(at) = best_known(known.enumerate()) {
            of_clusters[at].push(correction.clone());
        }
    }
    of_clusters
}

/// Returns the item with the largest share of the marks, if that is large enough; the first of equals.
fn best_known<T>(shares: impl Iterator<Item = (T, f64)>) -> Option<T> {
    let best = shares.reduce(|best, own| if own.1 > best.1 { own } else { best });
    best.filter(|own| own.1 >= KNOWN).map(|own| own.0)
}

fn patterns_of(cluster: &Cluster, sample: &[SiblingPage<'_>]) -> Patterns {
    let first = cluster.members.iter().take(COMPARED);
    let documents: Vec<&Document> =
        first.map(|&member| &sample[member as usize].page.document).collect();
    Patterns::of(&documents).0
}

/// Returns the corrections of a site that have no effect: no template of its model has them, or its template lost their patterns.
pub fn unmatched<'c>(
    model: &SiteModel,
    settings: &'c Settings,
) -> Vec<(&'c TemplateCorrection, &'static str)> {
    let own = settings.corrections_of(model.site());
    let why = |correction: &TemplateCorrection| {
        let mut templates = model.templates().iter();
        let has = |own: &&Template| own.corrections.iter().any(|c| is_of(c, correction));
        let Some(template) = templates.find(has) else {
            return Some("the page is not in the crawl, and no template has its elements");
        };
        let Some(learnt) = &template.learnt else {
            return Some(
                "pages of its template are dropped for their kind, and none of its blocks is content",
            );
        };
        if learnt.page_type().is_some_and(|own| !settings.wants(own.page_type)) {
            return Some("pages of its template are of a type that the settings leave out");
        }
        let patterns = &learnt.judgement()?.patterns;
        let stored = template.corrections.iter().find(|c| is_of(c, correction))?;
        if stored.blocks.is_empty() {
            return None;
        }
        if stored.blocks.iter().all(|block| block.element.is_none()) {
            let mut xpaths = stored.blocks.iter().map(|block| block.xpath.parse::<Path>());
            return Some(match xpaths.any(|path| path.is_ok()) {
                true => "its page has no element at the XPath",
                false => "its XPath cannot be read",
            });
        }
        let is_gone = known_share(stored, patterns) == 0.0;
        is_gone.then_some("its template has none of the marked elements any more")
    };
    own.iter().filter_map(|correction| Some((correction, why(correction)?))).collect()
}

/// Returns the ids of the templates that have not learnt yet from corrections in the settings: corrections of their pages
/// (`of_pages` has the template of each), or with their patterns.
pub fn not_learnt(
    model: &SiteModel,
    settings: &Settings,
    of_pages: &BTreeMap<&str, u32>,
) -> Vec<String> {
    let own = settings.corrections_of(model.site());
    let mut ids = BTreeSet::new();
    for correction in own {
        let of = |own: &Template| own.corrections.iter().any(|c| is_of(c, correction));
        if model.templates().iter().any(of) {
            continue;
        }
        let of_page =
            of_pages.get(&*correction.url).and_then(|&at| model.templates().get(at as usize));
        let share = |own: &Template| {
            let judgement = own.learnt.as_ref()?.judgement()?;
            Some(known_share(correction, &judgement.patterns))
        };
        let by_patterns =
            || best_known(model.templates().iter().filter_map(|own| Some((own, share(own)?))));
        // A line without blocks takes back the marks of its page.
        let has_marks = |own: &&Template| {
            correction.blocks.is_empty()
                && own.corrections.iter().any(|own| own.url == correction.url)
        };
        let of_marks = || model.templates().iter().find(has_marks);
        let template = of_page.or_else(of_marks).or_else(by_patterns);
        ids.extend(template.map(|template| template.id.clone()));
    }
    ids.into_iter().collect()
}
