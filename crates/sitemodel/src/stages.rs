//! The stages of learning and applying, one file each.

pub mod cluster;
pub mod extract;
pub mod judge;
pub mod rank;
pub mod signify;
pub mod wrap;
