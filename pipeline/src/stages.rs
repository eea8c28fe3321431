//! The stages of the program, one file each; `run.rs` and `site.rs` call them. What is learnt, and how, is
//! the crate `sitemodel`.

pub mod apply;
pub mod emit;
pub mod group;
pub mod learn;
pub mod read;
