//! The whole way from wanted nodes to expressions.

use dom::xpath::Path;
use dom::{Document, NodeId};

use crate::pages::{Memo, Page};
use crate::search::best_path;
use crate::union::best_union;
use crate::verdict::total_of;

/// A page and the elements wanted on it (sorted, not overlapping; may be none).
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The page.
    pub document: &'a Document,
    /// The elements wanted.
    pub wanted: &'a [NodeId],
    /// Subtrees outside which it does not matter what is selected: what is taken out of a body may be
    /// called by a name that is common elsewhere. `None` for the whole page.
    pub scope: Option<&'a [NodeId]>,
    /// Elements (sorted) that may be selected or not: other expressions want them.
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

/// Finds the shortest and most robust expressions for the wanted nodes.
///
/// Costs a look at each page's elements for each condition tried, most often one or two; at the
/// worst some hundred conditions, on the pages up to the first that one fails on.
pub fn synthesize(samples: &[Sample<'_>]) -> Synthesis {
    let memos: Vec<Memo<'_>> = samples.iter().map(|s| Memo::new(s.document)).collect();
    let pages: Vec<Page<'_>> = memos
        .iter()
        .zip(samples)
        .map(|(memo, s)| Page::new(memo, s.wanted, s.scope, s.free))
        .collect();
    let mut paths = Vec::new();
    if let Some(single) = best_path(&pages) {
        let union = if single.mistaken { best_union(&pages, &single) } else { Vec::new() };
        let better = !union.is_empty() && total_of(&union, &pages) < single.total;
        paths = if better { union } else { vec![single.path] };
    }
    let is_exact = |page: &&Page<'_>| page.select_all(&paths) == page.wanted;
    let exact = if paths.is_empty() { 0 } else { pages.iter().filter(is_exact).count() };
    Synthesis { paths, exact: exact as f64 / samples.len().max(1) as f64 }
}
