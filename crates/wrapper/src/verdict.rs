//! How an expression fares on the sample pages, weighed against what it costs.

use dom::NodeId;
use dom::xpath::Path;

use crate::cost::cost;
use crate::pages::Page;
use crate::selection::union_of;

/// What it weighs that an expression is wrong at all.
pub(crate) const MISTAKE: u32 = 40;

/// The weight of boxes in boxes of the same name.
pub(crate) const NESTED: u32 = 8;

/// Mistakes so far, on so many pages in all.
pub(crate) struct Tally {
    pages: u32,
    /// Tenths of pages.
    wrong: u32,
    unwanted: u32,
    /// Selected nodes inside others: the weight of the worst page.
    nested: u32,
}

impl Tally {
    pub(crate) fn new(pages: &[Page<'_>]) -> Self {
        Self { pages: pages.len().max(1) as u32, wrong: 0, unwanted: 0, nested: 0 }
    }

    /// Compares a selection (rising, repeats allowed) with what is wanted on the page.
    pub(crate) fn add(&mut self, page: &Page<'_>, selected: Vec<NodeId>) {
        if selected == page.wanted {
            return;
        }
        let count = selected.len();
        let found = page.document().outermost(selected);
        if !page.must {
            let right = found.iter().all(|id| page.wanted.binary_search(id).is_ok());
            self.wrong += if right { 0 } else { 10 };
        } else if page.wanted.is_empty() {
            self.unwanted += 1;
        } else if found == page.wanted {
            // One in each is a box in a box of the same name; more are a heap.
            let few = count <= 2 * found.len();
            self.nested = self.nested.max(if few { NESTED } else { MISTAKE });
        } else {
            // Nothing at all is worse than something else; one node is likely a body.
            self.wrong += match found.len() {
                0 => 12,
                1 => 9,
                _ => 10,
            };
        }
    }

    /// Whether something wanted was not found, or something else was.
    pub(crate) fn is_mistaken(&self) -> bool {
        self.wrong > 0
    }

    /// What the mistakes weigh, in the unit of `cost`: a wrong page is dearer than anything one
    /// would add to an expression of normal length, but in a crowd not dearer than a list of
    /// positions. Where nothing is wanted, something found is likely a page that the learner
    /// missed. Selected nodes inside others change nothing but are not what one reads.
    pub(crate) fn penalty(&self) -> u32 {
        let wrong = if self.wrong > 0 { MISTAKE + 30 * self.wrong / self.pages } else { 0 };
        let unwanted = if self.unwanted > 0 { 8 + 40 * self.unwanted / self.pages } else { 0 };
        wrong + unwanted + self.nested
    }
}

/// Cost and mistakes of a path together, or `None` as soon as they reach `bound`.
pub(crate) fn total(path: &Path, pages: &[Page<'_>], bound: u32) -> Option<(u32, Tally)> {
    let cost = cost(path);
    let mut tally = Tally::new(pages);
    if cost >= bound {
        return None;
    }
    for page in pages {
        tally.add(page, page.select(path));
        if cost + tally.penalty() >= bound {
            return None;
        }
    }
    Some((cost + tally.penalty(), tally))
}

/// What every further expression of a union costs beside its own length.
const ANOTHER: u32 = 15;

/// Cost and mistakes of a union of paths.
pub(crate) fn total_of(paths: &[Path], pages: &[Page<'_>]) -> u32 {
    let mut tally = Tally::new(pages);
    for page in pages {
        tally.add(page, union_of(paths.iter().map(|path| page.select(path))));
    }
    let costs: u32 = paths.iter().map(|path| cost(path) + ANOTHER).sum();
    costs.saturating_sub(ANOTHER) + tally.penalty()
}
