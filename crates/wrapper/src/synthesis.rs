//! The complete synthesis, from wanted nodes to expressions.

use std::rc::Rc;

use dom::xpath::Path;
use dom::{Document, NodeId};

use crate::pages::{Memo, Page};
use crate::search::best_path;
use crate::selection::union_of;
use crate::steps::{Steps, Trail};
use crate::union::best_union;
use crate::verdict::total_of;

/// Sample pages of one layout. Results are cached, so that synthesis for other elements of the same
/// pages is cheaper.
pub struct Samples<'a> {
    memos: Vec<Memo<'a>>,
    steps: Rc<Steps>,
}

/// The wanted elements of a sample page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
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
        let steps = Rc::new(Steps::default());
        let memo = |page| Memo::new(page, Rc::clone(&steps));
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
    /// Each condition tried costs one pass over each page's elements. Most often one or two are
    /// tried; in the worst case some hundred, on the pages up to the first one that fails.
    pub fn synthesize(&self, wanted: &[Wanted<'_>]) -> Synthesis {
        let pages: Vec<Page<'_>> =
            self.memos.iter().zip(wanted).map(|(memo, wanted)| Page::new(memo, wanted)).collect();
        let mut trails: Vec<Trail> = Vec::new();
        if let Some(single) = best_path(&pages) {
            let union = if single.mistaken { best_union(&pages, &single) } else { Vec::new() };
            let better = !union.is_empty() && total_of(&union, &pages) < single.total;
            trails = if better { union } else { vec![single.trail] };
        }
        let is_exact = |page: &&Page<'_>| page.select_all(&trails) == page.wanted;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_select_what_paths_do() {
        let pages = [
            "<div id=a class='x y'><div class=x><p>1</p><ul><li><p>2</p><li><b>3</b></ul></div><p>4</p></div>\
             <div class=y><div><div class=x><p class=x>5</p><h1>6</h1></div></div><p>7</p></div>",
            "<p>1<div class=x>2<span class='y x'><p>3</span></div><div><p>4<div><div><p>5</div></div></div>",
            "",
        ]
        .map(dom::parse);
        let samples = Samples::new(&pages);
        let paths = [
            "//p",
            "/html",
            "//div//p",
            "//div/p",
            "//div/div/p",
            "//div[@id='a']//li/p",
            "/html/body/div/div/p",
            "/html/body/div//div/div//p",
            "//*[contains(concat(' ',normalize-space(@class),' '),' x ')]",
            "//div[contains(concat(' ',normalize-space(@class),' '),' x ')]/p",
            "//div[contains(concat(' ',normalize-space(@class),' '),' x ')][h1]//p",
            "//div[.//li]/p",
            "//div[p][not(@class)]",
            "//div[2]/p",
            "//div[not(@id)]/div[1]//p[@class='x']",
            "/p",
        ];
        for path in paths {
            let path: Path = path.parse().unwrap();
            for (at, page) in pages.iter().enumerate() {
                let found = samples.select_nested(at, std::slice::from_ref(&path));
                assert_eq!(found, path.select(page), "{path} on page {at}");
                let each = |id: &NodeId| path.steps[0].matches(page, *id);
                if let [step] = &path.steps[..]
                    && step.deep
                {
                    assert_eq!(found, page.ids().filter(each).collect::<Vec<_>>(), "{path}");
                }
            }
        }
    }
}
