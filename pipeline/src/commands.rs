//! The commands of the binary, one file each.

pub mod bench;
pub mod evaluate;
pub mod extract;
pub mod inspect;
pub mod progress;
pub mod run;
pub mod search;
pub mod train;
