//! What a decoder answers when it is asked for more bytes.

use crate::gap::Break;

/// What a decoder has done when asked for more.
pub(crate) enum More {
    /// It may have appended bytes; they belong to the member at this file offset.
    Data(u64),
    /// What follows is not compressed.
    Plain,
    /// The bytes after this do not follow on those before.
    Broken(Break),
    /// Nothing follows.
    End,
}
