//! The html5lib test format: its parser, and trees in its notation.

pub(crate) mod dat;
pub(crate) mod tree;
