//! The html5lib test format: reading it, and trees as it writes them.

pub mod dat;
pub mod tree;
