//! How the store is laid out (docs/NIGHTLY.md), and how a file is recognised as one.

use std::path::Path;

use database::{FileKind, MODEL_STORE, create_schema, identify};
use rusqlite::Connection;

use crate::error::StoreError;

/// `PRAGMA user_version`: version of the schema.
const VERSION: i64 = 2;

const TABLES: &str = include_str!("schema.sql");

/// Whether a file is a store; `false` if it is still empty. Any other file is an error. Reads only.
pub(crate) fn is_store(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let kind = identify(connection, MODEL_STORE, VERSION);
    match kind.map_err(|error| StoreError::sqlite("cannot read", path, error))? {
        FileKind::Own => Ok(true),
        FileKind::Empty => Ok(false),
        FileKind::OtherVersion(found) => {
            Err(StoreError::Schema { path: path.to_owned(), found, known: VERSION })
        }
        FileKind::Foreign(what) => Err(StoreError::Foreign { path: path.to_owned(), what }),
    }
}

/// Checks that the pages of the file are whole. Takes time linear in its length.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let said: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| StoreError::sqlite("cannot read", path, error))?;
    match said.as_str() {
        "ok" => Ok(()),
        _ => Err(StoreError::Damaged { path: path.to_owned(), what: said }),
    }
}

/// Makes an empty file a store, within the transaction that fills it.
pub(crate) fn create(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let created = create_schema(connection, TABLES, MODEL_STORE, VERSION);
    created.map_err(|error| StoreError::sqlite("cannot write to", path, error))
}
