//! Tables of features: one row a block.

use std::fmt::Display;

/// Rows of equal width, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    width: usize,
    values: Vec<f32>,
}

impl Rows {
    /// No rows of this width, with room for some.
    pub(crate) fn new(width: usize, rows: usize) -> Self {
        Self { width, values: Vec::with_capacity(width * rows) }
    }

    /// Adds a row. What `fill` gives must be as many values as the rows are wide.
    pub(crate) fn push(&mut self, fill: impl FnOnce(&mut Row<'_>)) {
        let before = self.values.len();
        fill(&mut Row::Values(&mut self.values));
        debug_assert_eq!(self.values.len() - before, self.width);
        self.values.resize(before + self.width, 0.0);
    }

    /// Features a row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The rows in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.width.max(1))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// One row.
    pub fn row(&self, at: usize) -> &[f32] {
        &self.values[at * self.width..(at + 1) * self.width]
    }
}

/// A row being filled: with values, or with the names of what would be filled in, so that the names
/// are where the values are.
pub(crate) enum Row<'a> {
    Values(&'a mut Vec<f32>),
    Names(&'a mut Vec<String>),
}

impl Row<'_> {
    pub(crate) fn put(&mut self, name: impl Display, value: f32) {
        match self {
            Self::Values(values) => values.push(if value.is_finite() { value } else { 0.0 }),
            Self::Names(names) => names.push(name.to_string()),
        }
    }
}
