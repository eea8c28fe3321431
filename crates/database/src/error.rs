//! Why a file cannot be used.

use std::path::PathBuf;

/// A file that cannot be used. It was left as it is.
#[derive(Debug, thiserror::Error)]
#[error("{what} {}: {cause}", path.display())]
pub struct DatabaseError {
    /// What failed, e.g. `cannot open`.
    pub what: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub cause: Cause,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// SQLite failed, for example because the disk failed or is full.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// It is a folder, a pipe, a device or the like.
    #[error("it is not a regular file; name one, or a path where there is nothing yet")]
    NotAFile,
    /// Another process changes it.
    #[error("another run is still writing to it; run again once it is done")]
    Busy,
    /// The flag was set.
    #[error("stopped while waiting for other programs that use it")]
    Stopped,
    /// What is at the path is not the file that was opened.
    #[error(
        "it was moved, removed or replaced while this run wrote to it, so nothing was added; give \
         the same command again"
    )]
    Moved,
}
