//! The work of a parse, counted: a limit on it means the same on every machine, as one on time does not.

use std::cell::Cell;

/// Counts steps. One is a token, an attribute read or copied, an element that the tree builder looks at in a
/// search of its lists, a node put in or moved. What is linear in a page's bytes alone is none: those have a
/// limit of their own.
#[derive(Debug)]
pub(crate) struct Steps {
    taken: Cell<u64>,
    most: u64,
}

impl Steps {
    /// None yet, of so many.
    pub(crate) fn of(most: u64) -> Self {
        Self { taken: Cell::new(0), most }
    }

    /// One more.
    #[inline(always)]
    pub(crate) fn one(&self) {
        self.more(1);
    }

    /// So many more.
    #[inline(always)]
    pub(crate) fn more(&self, steps: usize) {
        self.taken.set(self.taken.get().wrapping_add(steps as u64));
    }

    /// How many there were.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.get()
    }

    /// Whether there were more than allowed. The page is given up then: nothing more is done.
    #[inline]
    pub(crate) fn are_too_many(&self) -> bool {
        self.taken.get() > self.most
    }
}
