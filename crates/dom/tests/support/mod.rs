//! The html5lib test format: reading it, and trees as it writes them.

pub(crate) mod dat;
pub(crate) mod tree;
