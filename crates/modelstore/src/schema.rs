//! How the store is laid out (docs/NIGHTLY.md), and how a file is recognised as one.

use std::path::Path;

use database::{MODEL_STORE, name_kind};
use rusqlite::Connection;

use crate::error::StoreError;

/// `PRAGMA user_version`: version of the schema.
pub(crate) const VERSION: i64 = 2;

const TABLES: &str = "
CREATE TABLE state (
    digest TEXT NOT NULL
) STRICT;
INSERT INTO state VALUES ('');
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    night TEXT NOT NULL,
    sites INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    program TEXT NOT NULL
) STRICT;
CREATE TABLE sites (
    site TEXT PRIMARY KEY,
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE models (
    site TEXT NOT NULL REFERENCES sites (site),
    revision INTEGER NOT NULL,
    night TEXT NOT NULL,
    reason TEXT NOT NULL,
    pages INTEGER NOT NULL,
    templates INTEGER NOT NULL,
    format INTEGER NOT NULL,
    engine TEXT NOT NULL,
    weights TEXT,
    settings TEXT NOT NULL,
    run INTEGER REFERENCES runs (id),
    blob BLOB NOT NULL,
    PRIMARY KEY (site, revision)
) STRICT;
CREATE TABLE templates (
    site TEXT NOT NULL REFERENCES sites (site),
    template TEXT NOT NULL,
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    PRIMARY KEY (site, template)
) STRICT, WITHOUT ROWID;
CREATE TABLE samples (
    site TEXT PRIMARY KEY REFERENCES sites (site),
    bytes INTEGER NOT NULL,
    html_bytes INTEGER NOT NULL,
    blob BLOB NOT NULL
) STRICT;
CREATE TABLE retained (
    site TEXT NOT NULL REFERENCES sites (site),
    url TEXT NOT NULL,
    template TEXT NOT NULL,
    fetched TEXT NOT NULL,
    html_bytes INTEGER NOT NULL,
    PRIMARY KEY (site, url)
) STRICT, WITHOUT ROWID;
CREATE TABLE nights (
    site TEXT NOT NULL REFERENCES sites (site),
    run INTEGER NOT NULL REFERENCES runs (id),
    night TEXT NOT NULL,
    decision TEXT NOT NULL,
    reason TEXT NOT NULL,
    revision INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    pages INTEGER NOT NULL,
    unassigned INTEGER NOT NULL,
    PRIMARY KEY (site, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX nights_by_run ON nights (run);
CREATE TABLE health (
    site TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (id),
    template TEXT NOT NULL,
    verdict TEXT NOT NULL,
    pages INTEGER NOT NULL,
    by_wrapper REAL NOT NULL,
    by_wrapper_expected REAL NOT NULL,
    confidence REAL NOT NULL,
    confidence_expected REAL NOT NULL,
    agreement REAL,
    PRIMARY KEY (site, run, template)
) STRICT, WITHOUT ROWID;
CREATE VIEW troubled AS
SELECT nights.night, nights.site, nights.verdict, nights.decision, nights.reason, nights.revision,
    nights.pages, nights.unassigned
FROM nights WHERE nights.verdict IN ('drifting', 'broken')
ORDER BY nights.night DESC, nights.site;
";

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A store of this schema.
    Store,
    /// Nothing yet.
    Empty,
}

/// Tells a store from a file of another kind. Reads only.
///
/// # Errors
/// If the file is damaged, is the database of another program, or a store of another schema.
pub(crate) fn found(connection: &Connection, path: &Path) -> Result<Found, StoreError> {
    let number = |sql: &str| {
        let number = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        number.map_err(|error| StoreError::sqlite("cannot read", path, error))
    };
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    match (application, version) {
        (0, 0) if tables == 0 => Ok(Found::Empty),
        (MODEL_STORE, VERSION) => Ok(Found::Store),
        (MODEL_STORE, found) => {
            Err(StoreError::Schema { path: path.to_owned(), found, known: VERSION })
        }
        _ => Err(StoreError::Foreign { path: path.to_owned(), what: name_kind(application) }),
    }
}

/// Checks that the pages of the file are whole. Takes time linear in its length.
///
/// # Errors
/// If they are not: what SQLite says.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let said: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| StoreError::sqlite("cannot read", path, error))?;
    match said.as_str() {
        "ok" => Ok(()),
        _ => Err(StoreError::Damaged { path: path.to_owned(), what: said }),
    }
}

/// Makes an empty file a store, within the transaction that fills it. Later schemas are brought about here,
/// step by step, from `user_version`.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "application_id", MODEL_STORE)?;
    connection.pragma_update(None, "user_version", VERSION)
}
