//! Counts the work of a parse. A limit on it means the same on every machine, unlike a time limit.

use std::cell::Cell;

/// Counts steps. A step is a token, an attribute read or copied, an element that the tree builder
/// examines in a search of its lists, or a node inserted or moved. Work that is linear in the bytes
/// of the page is not counted: the bytes have their own limit.
#[derive(Debug)]
pub(crate) struct StepCounter {
    taken: Cell<u64>,
    most: u64,
}

impl StepCounter {
    /// Zero steps, with a limit of `most`.
    pub(crate) fn of(most: u64) -> Self {
        Self { taken: Cell::new(0), most }
    }

    /// Adds one step.
    #[inline(always)]
    pub(crate) fn one(&self) {
        self.more(1);
    }

    /// Adds steps.
    #[inline(always)]
    pub(crate) fn more(&self, steps: usize) {
        self.taken.set(self.taken.get().wrapping_add(steps as u64));
    }

    /// The number of steps so far.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.get()
    }

    /// Whether the limit is exceeded. The page is then given up: no further work is done.
    #[inline]
    pub(crate) fn are_too_many(&self) -> bool {
        self.taken.get() > self.most
    }
}
