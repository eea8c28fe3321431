//! The answer of a decoder to a request for more bytes.

use crate::gap::Gap;

/// The result of a request for more bytes.
pub(crate) enum More {
    /// It may have appended bytes; they belong to the member at this file offset.
    Data(u64),
    /// What follows is not compressed.
    Plain,
    /// The following bytes are not contiguous with the preceding ones.
    Broken(Gap),
    /// Nothing follows.
    End,
}
