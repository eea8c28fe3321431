//! Why a store cannot be used.

use std::path::Path;
use std::path::PathBuf;

use database::{Cause, DatabaseError};
use rusqlite::ErrorCode;

/// Why a store cannot be used. The file was left as it is.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite failed, for example because the disk failed or is full.
    #[error("{what} the model store {}: {source}", path.display())]
    Sqlite {
        /// What failed.
        what: &'static str,
        /// Path of the store.
        path: PathBuf,
        /// What SQLite says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The store's pages or values are damaged.
    #[error("the model store {} is damaged: {what}; restore it from a copy, or move it away and \
             begin a new one", path.display())]
    Damaged {
        /// Path of the store.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The file is not a database.
    #[error("{} is not a database, so it is no model store; it was left as it is", .0.display())]
    NoDatabase(PathBuf),
    /// The file is another database.
    #[error("{} is {what}, not a model store; it was left as it is", path.display())]
    Foreign {
        /// Path of the database.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The store has another schema.
    #[error("the model store {} has schema {found}, this program knows {known}; use the sitegrove that \
             wrote it", path.display())]
    Schema {
        /// Path of the store.
        path: PathBuf,
        /// The schema of the store.
        found: i64,
        /// The schema of this program.
        known: i64,
    },
    /// No run has added to it yet.
    #[error("nothing is in the model store {} yet: no run was completed with it", .0.display())]
    Empty(PathBuf),
    /// The file is not a regular file, or other programs kept it in use.
    #[error("cannot use the model store {}: {cause}", path.display())]
    Unusable {
        /// Path of the store.
        path: PathBuf,
        /// Why.
        cause: Cause,
    },
    /// There is no file at the path.
    #[error("there is no model store at {}; `sitegrove run … --models FILE` makes one", .0.display())]
    Absent(PathBuf),
}

impl From<DatabaseError> for StoreError {
    fn from(error: DatabaseError) -> Self {
        let DatabaseError { what, path, cause } = error;
        match cause {
            Cause::Sqlite(source) => Self::sqlite(what, &path, source),
            cause => Self::Unusable { path, cause },
        }
    }
}

impl StoreError {
    /// Whether the error is that a wait for other programs was stopped.
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Unusable { cause: Cause::Stopped, .. })
    }

    /// An error of SQLite.
    pub(crate) fn sqlite(what: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NoDatabase(path.to_owned()),
            Some(ErrorCode::DatabaseCorrupt) => Self::damaged(path, source.to_string()),
            _ => Self::Sqlite { what, path: path.to_owned(), source: source.into() },
        }
    }

    /// The error of a value that an undamaged store cannot contain.
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }
}
