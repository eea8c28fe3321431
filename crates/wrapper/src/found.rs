//! An expression that was tried.

use crate::steps::Trail;

/// An expression, its cost including the weight of its mistakes, and whether it makes any.
pub(crate) struct Found {
    pub(crate) trail: Trail,
    pub(crate) total: u32,
    pub(crate) mistaken: bool,
}
