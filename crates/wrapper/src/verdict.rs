//! Weighs the mistakes of an expression on the sample pages against its cost.

use std::cell::Cell;

use dom::NodeId;

use crate::pages::{WantedPage, union_of};
use crate::steps::{Stride, Trail};

/// The weight of making any mistake.
pub(crate) const MISTAKE: u32 = 40;

/// The weight of selected elements nested in selected elements of the same name.
pub(crate) const NESTED: u32 = 8;

/// The mistakes so far, and the total number of pages.
pub(crate) struct MistakeTally {
    pages: u32,
    /// Pages with a wrong selection, in tenths.
    wrong: u32,
    unwanted: u32,
    /// The weight of selected nodes inside other selected nodes, on the worst page.
    nested: u32,
}

impl MistakeTally {
    pub(crate) fn new(pages: &[WantedPage<'_>]) -> Self {
        Self { pages: pages.len().max(1) as u32, wrong: 0, unwanted: 0, nested: 0 }
    }

    /// Compares the selection on a page with the wanted nodes.
    pub(crate) fn add(&mut self, page: &WantedPage<'_>, selection: Selection<'_>) {
        let compared = SelectionCheck::of(page, selection);
        if compared.is_same {
            return;
        }
        if !page.must {
            self.wrong += if compared.others { 10 } else { 0 };
        } else if page.wanted.is_empty() {
            self.unwanted += 1;
        } else if !compared.others && compared.outermost == page.wanted.len() {
            // One nested element for each outermost element is tolerable.
            let few = compared.count <= 2 * compared.outermost;
            self.nested = self.nested.max(if few { NESTED } else { MISTAKE });
        } else {
            // Selecting nothing is worse than selecting something else. A single node is probably a body.
            self.wrong += match compared.outermost {
                0 => 12,
                1 => 9,
                _ => 10,
            };
        }
    }

    /// Whether wanted nodes were missed, or other nodes were selected.
    pub(crate) fn is_mistaken(&self) -> bool {
        self.wrong > 0
    }

    /// The weight of the mistakes, in the unit of `cost`. A wrong page costs more than any addition to an expression of normal
    /// length, but one among many pages costs less than a list of positions. A node selected on a page where nothing is wanted
    /// is probably right, because the learner missed the page. Nodes inside other selected nodes change nothing, but are
    /// unexpected for readers of the expression.
    pub(crate) fn penalty(&self) -> u32 {
        let wrong = if self.wrong > 0 { MISTAKE + 30 * self.wrong / self.pages } else { 0 };
        let unwanted = if self.unwanted > 0 { 8 + 40 * self.unwanted / self.pages } else { 0 };
        wrong + unwanted + self.nested
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Selection<'s> {
    One(&'s [Stride]),
    Union(&'s [Trail]),
}

/// A selection compared with the wanted nodes, within the relevant roots.
struct SelectionCheck {
    is_same: bool,
    /// Numbers of selected nodes, and of outermost ones among them.
    count: usize,
    outermost: usize,
    /// Whether any outermost node is not wanted. On a page where all wanted nodes must be found: whether they differ from the
    /// first wanted nodes, in order.
    others: bool,
    end: NodeId,
}

impl SelectionCheck {
    fn of(page: &WantedPage<'_>, selection: Selection<'_>) -> Self {
        let mut compared = Self { is_same: true, count: 0, outermost: 0, others: false, end: 0 };
        match selection {
            Selection::One(trail) => page.each_selected(trail, |id| compared.take(page, id)),
            Selection::Union(trails) => {
                let selected = union_of(trails.iter().map(|trail| page.select(trail)));
                selected.into_iter().for_each(|id| _ = compared.take(page, id));
            }
        }
        compared.is_same &= compared.count == page.wanted.len();
        compared
    }

    /// Takes the next selected node, in ascending order. Returns the id before which further nodes can be skipped.
    fn take(&mut self, page: &WantedPage<'_>, id: NodeId) -> NodeId {
        self.is_same &= page.wanted.get(self.count) == Some(&id);
        self.count += 1;
        if id >= self.end {
            self.end = page.document().node(id).end;
            self.others |= if page.must {
                page.wanted.get(self.outermost) != Some(&id)
            } else {
                page.wanted.binary_search(&id).is_err()
            };
            self.outermost += 1;
        }
        if self.is_same || !self.others && page.must {
            return 0;
        }
        let is_clear = self.others && (!page.must || page.wanted.is_empty() || self.outermost > 1);
        // Nodes inside other selected nodes are not needed any more.
        if is_clear { NodeId::MAX } else { self.end }
    }
}

/// The sum of the cost and mistakes of a path. Fails with a lower bound as soon as the sum reaches `bound`. Starts with the
/// page that decided the last trial.
pub(crate) fn total(
    trail: &[Stride],
    pages: &[WantedPage<'_>],
    bound: u32,
    suspect: &Cell<usize>,
) -> Result<(u32, MistakeTally), u32> {
    let cost = cost(trail, pages);
    let mut tally = MistakeTally::new(pages);
    if cost >= bound {
        return Err(cost);
    }
    let first = suspect.get();
    for at in std::iter::once(first).chain((0..pages.len()).filter(|&at| at != first)) {
        let page = &pages[at];
        tally.add(page, Selection::One(trail));
        if cost + tally.penalty() >= bound {
            suspect.set(at);
            return Err(cost + tally.penalty());
        }
    }
    Ok((cost + tally.penalty(), tally))
}

fn cost(trail: &[Stride], pages: &[WantedPage<'_>]) -> u32 {
    pages.first().map_or(0, |page| page.memo.steps().cost(trail))
}

/// Cost of each further expression of a union, in addition to its length.
const ANOTHER: u32 = 15;

/// Cost and mistakes of a union of paths.
pub(crate) fn total_of(trails: &[Trail], pages: &[WantedPage<'_>]) -> u32 {
    let mut tally = MistakeTally::new(pages);
    for page in pages {
        tally.add(page, Selection::Union(trails));
    }
    let costs: u32 = trails.iter().map(|trail| cost(trail, pages) + ANOTHER).sum();
    costs.saturating_sub(ANOTHER) + tally.penalty()
}
