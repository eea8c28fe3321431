//! The schema of the archive (docs/ARCHIVE.md), and its detection in a file.

use std::path::Path;

use database::{ARTICLE_ARCHIVE, FileKind, create_schema, identify};
use rusqlite::{Connection, ErrorCode};

use crate::SinkError;

/// `PRAGMA user_version`: version of the schema.
const VERSION: i64 = 4;

const TABLES: &str = include_str!("schema.sql");

/// Whether a file is an archive; `false` if it is still empty. Any other file is an error.
pub(super) fn is_archive(connection: &Connection, path: &Path) -> Result<bool, SinkError> {
    let what = "cannot use";
    match identify(connection, ARTICLE_ARCHIVE, VERSION) {
        Ok(FileKind::Own) => Ok(true),
        Ok(FileKind::Empty) => Ok(false),
        Ok(FileKind::OtherVersion(version)) => {
            let why = format!(
                "its schema is {version}, this program knows {VERSION}: use the sitegrove that \
                 wrote it; it was left as it is"
            );
            Err(SinkError::other(what, path, why))
        }
        Ok(FileKind::Foreign(found)) => {
            Err(SinkError::other(what, path, format!("it is {found}, and was left as it is")))
        }
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(SinkError::other(what, path, "it is not a database, and was left as it is"))
        }
        Err(error) => Err(SinkError::other(what, path, error)),
    }
}

/// Creates the schema in an empty file, inside the transaction that fills it.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    create_schema(connection, TABLES, ARTICLE_ARCHIVE, VERSION)
}
