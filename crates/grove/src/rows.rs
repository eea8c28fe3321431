//! Tables of features: one row per block.

use std::fmt::Display;

/// Rows of equal width, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureTable {
    width: usize,
    values: Vec<f32>,
}

impl FeatureTable {
    /// Creates a table of this width with a row for each item. `fill` must add `width` values per row.
    #[inline]
    pub(crate) fn of<T>(
        width: usize,
        items: impl ExactSizeIterator<Item = T>,
        mut fill: impl FnMut(&mut Values<'_>, T),
    ) -> Self {
        let mut values = vec![0.0; width * items.len()];
        for (row, item) in values.chunks_exact_mut(width.max(1)).zip(items) {
            let mut row = Values { row, at: 0 };
            fill(&mut row, item);
            debug_assert_eq!(row.at, width);
        }
        Self { width, values }
    }

    /// Sets some columns of all rows, from one on.
    pub(crate) fn set_columns(&mut self, from: usize, values: &[f32]) {
        for row in self.values.chunks_exact_mut(self.width.max(1)) {
            row[from..from + values.len()].copy_from_slice(values);
        }
    }

    pub(crate) fn values(&self) -> &[f32] {
        &self.values
    }

    /// Number of features in a row.
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

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// One row.
    pub fn row(&self, at: usize) -> &[f32] {
        &self.values[at * self.width..(at + 1) * self.width]
    }
}

/// A row that is being filled, with values or with the names of columns, so that names and values are defined
/// in one place.
pub(crate) trait FeatureRow {
    fn put(&mut self, name: impl Display, value: f32);

    fn put_all(&mut self, names: impl Iterator<Item = String>, values: &[f32]);
}

/// Values, for the trees. Names cost nothing here.
pub(crate) struct Values<'a> {
    row: &'a mut [f32],
    /// Number of values so far.
    at: usize,
}

impl Values<'_> {
    /// Copies the values of another row.
    #[inline]
    pub(crate) fn copy(&mut self, values: &[f32]) {
        let end = self.at + values.len();
        if let Some(row) = self.row.get_mut(self.at..end) {
            row.copy_from_slice(values);
        }
        self.at = end;
    }
}

impl FeatureRow for Values<'_> {
    #[inline]
    fn put(&mut self, _: impl Display, value: f32) {
        if let Some(own) = self.row.get_mut(self.at) {
            *own = if value.is_finite() { value } else { 0.0 };
        }
        self.at += 1;
    }

    #[inline]
    fn put_all(&mut self, _: impl Iterator<Item = String>, values: &[f32]) {
        self.copy(values);
    }
}

/// 1 for true, 0 for false.
pub(crate) fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

/// The names of the columns that `fill` fills.
pub(crate) fn column_names(fill: impl FnOnce(&mut ColumnNames)) -> Vec<String> {
    let mut names = ColumnNames(Vec::new());
    fill(&mut names);
    names.0
}

pub(crate) struct ColumnNames(Vec<String>);

impl FeatureRow for ColumnNames {
    fn put(&mut self, name: impl Display, _: f32) {
        self.0.push(name.to_string());
    }

    fn put_all(&mut self, names: impl Iterator<Item = String>, _: &[f32]) {
        self.0.extend(names);
    }
}
