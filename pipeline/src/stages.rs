//! The stages of the program, one file each, called by `run.rs` and `site.rs`. Learning itself is in the
//! crate `sitemodel`.

pub mod apply;
pub(crate) mod emit;
pub mod learn;
