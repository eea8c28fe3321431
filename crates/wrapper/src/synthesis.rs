//! The complete synthesis from wanted nodes to expressions: one expression, or a union if one is not enough (elements with
//! several tags, two kinds of pages).

use std::collections::BTreeMap;
use std::rc::Rc;

use dom::xpath::Path;
use dom::{Document, LocalName, NodeId};

use crate::pages::{IndexedPage, WantedPage, union_of};
use crate::search::{RatedPath, best_path};
use crate::steps::{StepTable, Trail};
use crate::verdict::total_of;

/// Sample pages of one layout. Results are cached, so that synthesis for other elements of the same
/// pages is cheaper.
pub struct Samples<'a> {
    memos: Vec<IndexedPage<'a>>,
    steps: Rc<StepTable>,
}

/// The wanted elements of a sample page.
#[derive(Clone, Copy, Debug, Default)]
pub struct WantedNodes<'a> {
    /// The wanted elements (sorted, not overlapping; may be empty).
    pub wanted: &'a [NodeId],
    /// Subtrees outside which the selection does not matter: an element to remove from a body may
    /// have a name that is common elsewhere. `None` for the whole page.
    pub scope: Option<&'a [NodeId]>,
    /// Elements (sorted) that may or may not be selected: other expressions select them.
    pub free: &'a [NodeId],
}

/// Expressions for the wanted nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Synthesis {
    /// Their union is the wrapper's selection; empty if nothing was wanted.
    pub paths: Vec<Path>,
    /// Share of the sample pages on which they select exactly the wanted nodes, in 0..=1.
    pub exact: f64,
}

impl<'a> Samples<'a> {
    /// Prepares the pages.
    pub fn new(pages: impl IntoIterator<Item = &'a Document>) -> Self {
        let steps = Rc::new(StepTable::default());
        let memo = |page| IndexedPage::new(page, Rc::clone(&steps));
        let memos = pages.into_iter().map(memo).collect();
        Self { memos, steps }
    }

    /// The same result as [`select`](crate::select), on one of the pages.
    pub fn select(&self, page: usize, paths: &[Path]) -> Vec<NodeId> {
        self.memos[page].document().outermost(self.select_nested(page, paths))
    }

    /// The same result as [`select_nested`](crate::select_nested), on one of the pages.
    pub fn select_nested(&self, page: usize, paths: &[Path]) -> Vec<NodeId> {
        union_of(paths.iter().map(|path| self.memos[page].select(&self.steps.trail(path))))
    }

    /// Finds the shortest and most robust expressions for the wanted nodes, given for each page.
    ///
    /// Each condition that is tried costs one pass over each page's elements. Usually one or two are tried; in the worst case
    /// some hundred, on the pages up to the first one that fails.
    pub fn synthesize(&self, wanted: &[WantedNodes<'_>]) -> Synthesis {
        let pages: Vec<WantedPage<'_>> = self
            .memos
            .iter()
            .zip(wanted)
            .map(|(memo, wanted)| WantedPage::new(memo, wanted))
            .collect();
        let mut trails: Vec<Trail> = Vec::new();
        if let Some(single) = best_path(&pages) {
            let union = if single.mistaken { best_union(&pages, &single) } else { Vec::new() };
            let better = !union.is_empty() && total_of(&union, &pages) < single.total;
            trails = if better { union } else { vec![single.trail] };
        }
        let is_exact = |page: &&WantedPage<'_>| page.select_all(&trails) == page.wanted;
        let exact = if trails.is_empty() { 0 } else { pages.iter().filter(is_exact).count() };
        let paths = trails.iter().map(|trail| self.steps.path(trail)).collect();
        Synthesis { paths, exact: exact as f64 / self.memos.len().max(1) as f64 }
    }
}

impl std::fmt::Debug for Samples<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Samples").field("pages", &self.memos.len()).finish()
    }
}

/// Maximum number of expressions in a union: a longer union is a list of cases, not a rule.
const MOST: usize = 3;

/// The best union, by tags, by order on the page or by kinds of pages; empty if there is none.
pub(crate) fn best_union(pages: &[WantedPage<'_>], single: &RatedPath) -> Vec<Trail> {
    let unions = [by_tag(pages), by_order(pages), by_page(pages, single)];
    unions
        .into_iter()
        .filter(|paths| paths.len() > 1)
        .min_by_key(|paths| total_of(paths, pages))
        .unwrap_or_default()
}

/// One expression for each tag name of the wanted elements.
fn by_tag(pages: &[WantedPage<'_>]) -> Vec<Trail> {
    let mut groups: BTreeMap<LocalName, Vec<Vec<NodeId>>> = BTreeMap::new();
    for (i, page) in pages.iter().enumerate() {
        for &id in page.wanted {
            let Some(name) = page.document().name(id) else { continue };
            let group = groups.entry(name.clone()).or_insert_with(|| vec![Vec::new(); pages.len()]);
            group[i].push(id);
        }
    }
    let groups: Vec<_> = groups.into_values().collect();
    paths_of(pages, &groups)
}

/// One expression for the first wanted element of each page, one for the second, and so on.
fn by_order(pages: &[WantedPage<'_>]) -> Vec<Trail> {
    let most = pages.iter().map(|page| page.wanted.len()).max().unwrap_or(0);
    let nth = |n: usize| pages.iter().map(move |p| p.wanted.get(n).copied().into_iter().collect());
    let groups: Vec<_> = (0..most.min(MOST + 1)).map(|n| nth(n).collect()).collect();
    paths_of(pages, &groups)
}

/// The best expression for each group of elements, given per page; empty if there is only one group
/// or too many.
fn paths_of(pages: &[WantedPage<'_>], groups: &[Vec<Vec<NodeId>>]) -> Vec<Trail> {
    if !(2..=MOST).contains(&groups.len()) {
        return Vec::new();
    }
    let path_of = |group: &Vec<Vec<NodeId>>| {
        let part: Vec<WantedPage<'_>> =
            pages.iter().zip(group).map(|(page, wanted)| page.wanting(wanted, true)).collect();
        Some(best_path(&part)?.trail)
    };
    let mut paths: Vec<Trail> = groups.iter().filter_map(path_of).collect();
    paths.dedup();
    paths
}

/// The best expression, and further ones for the pages on which it is wrong. They must not select anything unwanted on
/// the other pages.
fn by_page(pages: &[WantedPage<'_>], single: &RatedPath) -> Vec<Trail> {
    let mut paths = vec![single.trail.clone()];
    while paths.len() < MOST {
        let is_right = |page: &WantedPage<'_>| page.select_all(&paths) == page.wanted;
        let rest: Vec<WantedPage<'_>> =
            pages.iter().map(|page| page.wanting(page.wanted, !is_right(page))).collect();
        match best_path(&rest) {
            Some(found) if !paths.contains(&found.trail) => paths.push(found.trail),
            _ => break,
        }
    }
    paths
}
