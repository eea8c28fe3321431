//! The eight stages, in order. Each is one function in one file; `run.rs` calls them.

pub mod cluster;
pub mod emit;
pub mod extract;
pub mod group;
pub mod judge;
pub mod rank;
pub mod read;
pub mod signify;
pub mod wrap;
