//! Errors of reading a feed.

use model::DropReason;

/// Why a feed cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// It is larger than the limit.
    #[error(
        "the feed has {bytes} bytes, more than the limit of {limit}; raise the limit to read it"
    )]
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Neither XML nor JSON of a feed. Contains its beginning.
    #[error("not a feed; it begins {0:?}")]
    NotAFeed(String),
    /// Malformed and not repairable. Contains the parser's message.
    #[error("the feed is broken and could not be repaired ({0}); ask its publisher to validate it")]
    Broken(String),
    /// It has items, but none of them can be read.
    #[error("the feed has items, but none of them could be read; its version may be unknown")]
    NoItems,
}

impl FeedError {
    /// The drop reason of this error.
    pub fn reason(&self) -> DropReason {
        match self {
            Self::TooLarge { .. } => DropReason::TooLarge,
            Self::NotAFeed(_) | Self::Broken(_) | Self::NoItems => DropReason::BadFeed,
        }
    }
}
