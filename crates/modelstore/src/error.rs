//! Why a store cannot be used.

#[cfg(feature = "sqlite")]
use std::path::Path;
use std::path::PathBuf;

#[cfg(feature = "sqlite")]
use rusqlite::ErrorCode;

/// Why a store cannot be used. The file was left as it is.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite failed, for example because the disk failed or is full.
    #[error("{what} the model store {}: {source}", path.display())]
    Sqlite {
        /// What failed.
        what: &'static str,
        /// The store.
        path: PathBuf,
        /// What SQLite says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Its pages or values are damaged.
    #[error("the model store {} is damaged: {what}; restore it from a copy, or move it away and \
             begin a new one", path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The file is not a database.
    #[error("{} is not a database, so it is no model store; it was left as it is", .0.display())]
    NoDatabase(PathBuf),
    /// It is the database of another program.
    #[error("{} is the database of another program, not a model store; it was left as it is",
            .0.display())]
    Foreign(PathBuf),
    /// It has another schema.
    #[error("the model store {} has schema {found}, this program knows {known}; use the sitegrove that \
             wrote it", path.display())]
    Schema {
        /// The store.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Another process writes to it.
    #[error("another run is still writing to the model store {}; run again once it is done",
            .0.display())]
    Busy(PathBuf),
    /// This build has no SQLite.
    #[error("cannot use the model store {}: this build was made without the cargo feature `sqlite`",
            .0.display())]
    LeftOut(PathBuf),
    /// It is not there.
    #[error("there is no model store at {}; `sitegrove run … --models FILE` makes one", .0.display())]
    Absent(PathBuf),
}

impl StoreError {
    /// An error of SQLite.
    #[cfg(feature = "sqlite")]
    pub(crate) fn sqlite(what: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NoDatabase(path.to_owned()),
            Some(ErrorCode::DatabaseCorrupt) => Self::damaged(path, source.to_string()),
            _ => Self::Sqlite { what, path: path.to_owned(), source: source.into() },
        }
    }

    /// A value that does not say what it must.
    #[cfg(feature = "sqlite")]
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }
}
