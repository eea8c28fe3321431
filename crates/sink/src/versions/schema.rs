//! The schema of the archive (docs/ARCHIVE.md), and its detection in a file.

use std::path::Path;

use rusqlite::Connection;

use super::{failed, refused};
use crate::SinkError;

/// `PRAGMA application_id` of an archive of articles: `SiGr`.
pub(super) const APPLICATION: i64 = 0x5369_4772;

/// `PRAGMA user_version`: version of the schema.
pub(super) const VERSION: i64 = 4;

/// Schemas before that are read, and brought up to date by the first run that adds to them: 1 lacks `stripped`
/// of articles and `truncated` of versions and visits; 1 and 2 lack `model_revision`, `health`,
/// `payload` and `readings`; all lack `absences` and `gone`.
const FORMER: [i64; 3] = [1, 2, 3];

const TABLES: &str = "
CREATE TABLE articles (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    site TEXT NOT NULL,
    stripped TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX articles_by_site ON articles (site);
CREATE INDEX articles_by_stripped ON articles (stripped);
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles (id),
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    visits INTEGER NOT NULL,
    changed TEXT NOT NULL,
    diff TEXT,
    url TEXT NOT NULL,
    title TEXT,
    authors TEXT NOT NULL,
    published TEXT,
    modified TEXT,
    language TEXT,
    description TEXT,
    image TEXT,
    tags TEXT NOT NULL,
    canonical TEXT,
    site_name TEXT,
    sources TEXT NOT NULL,
    text TEXT NOT NULL,
    html TEXT NOT NULL,
    digest BLOB NOT NULL,
    record_id TEXT NOT NULL,
    file INTEGER NOT NULL REFERENCES files (id),
    offset INTEGER NOT NULL,
    template TEXT NOT NULL,
    wrapper TEXT NOT NULL,
    confidence REAL NOT NULL,
    program TEXT NOT NULL,
    truncated TEXT,
    model_revision INTEGER,
    health TEXT
) STRICT;
CREATE INDEX versions_in_order ON versions (article, first_seen, record_id);
CREATE INDEX versions_by_date ON versions (first_seen);
CREATE INDEX versions_by_digest ON versions (digest);
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE visits (
    article INTEGER NOT NULL REFERENCES articles (id),
    fetched TEXT NOT NULL,
    record_id TEXT NOT NULL,
    file INTEGER NOT NULL REFERENCES files (id),
    offset INTEGER NOT NULL,
    version INTEGER NOT NULL REFERENCES versions (id),
    truncated TEXT,
    payload BLOB,
    PRIMARY KEY (article, fetched, record_id)
) STRICT, WITHOUT ROWID;
";

/// What an archive of schema 1 or 2 lacks altogether.
const SINCE_3: &str = "
CREATE TABLE readings (
    id INTEGER PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles (id),
    fetched TEXT NOT NULL,
    record_id TEXT NOT NULL,
    changed TEXT NOT NULL,
    diff TEXT NOT NULL,
    digest BLOB NOT NULL,
    model_revision INTEGER,
    program TEXT NOT NULL,
    replaced INTEGER NOT NULL
) STRICT;
CREATE INDEX readings_by_visit ON readings (article, fetched, record_id);
CREATE INDEX readings_by_date ON readings (fetched);
CREATE VIEW history AS
SELECT articles.key AS key, articles.site AS site,
    row_number() OVER (
        PARTITION BY versions.article ORDER BY versions.first_seen, versions.record_id
    ) AS number,
    versions.id AS version, versions.url, versions.first_seen, versions.last_seen,
    versions.visits, versions.changed, versions.diff, versions.title, versions.authors,
    versions.published, versions.modified, versions.language, versions.description,
    versions.image, versions.tags, versions.canonical, versions.site_name, versions.text,
    versions.html, versions.record_id, files.name AS file, versions.offset, versions.template,
    versions.wrapper, versions.confidence, versions.program, versions.truncated,
    versions.model_revision, versions.health
FROM versions
JOIN articles ON articles.id = versions.article
JOIN files ON files.id = versions.file;
";

/// What an archive of schema 3 or before lacks.
const SINCE_4: &str = "
CREATE TABLE absences (
    article INTEGER NOT NULL REFERENCES articles (id),
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    status INTEGER NOT NULL,
    moved_to TEXT,
    PRIMARY KEY (article, first_seen)
) STRICT, WITHOUT ROWID;
CREATE INDEX absences_by_date ON absences (first_seen);
CREATE VIEW gone AS
SELECT articles.key AS key, articles.site AS site,
    (SELECT versions.url FROM versions WHERE versions.article = absences.article
     ORDER BY versions.first_seen DESC, versions.record_id DESC LIMIT 1) AS url,
    (SELECT min(own.first_seen) FROM absences AS own WHERE own.article = absences.article
     AND own.last_seen > (SELECT max(fetched) FROM visits WHERE article = own.article)) AS since,
    max(absences.last_seen) AS last_seen, absences.status AS status,
    absences.moved_to AS moved_to
FROM absences JOIN articles ON articles.id = absences.article
WHERE absences.last_seen >
    (SELECT max(fetched) FROM visits WHERE visits.article = absences.article)
GROUP BY absences.article;
";

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// An archive of articles.
    Archive,
    /// An archive of articles of a schema before.
    Former(i64),
    /// Nothing yet.
    Empty,
}

impl Found {
    /// The version of its schema.
    pub(super) fn version(self) -> i64 {
        match self {
            Self::Former(version) => version,
            Self::Archive | Self::Empty => VERSION,
        }
    }
}

/// Distinguishes an archive from a file of another kind.
pub(super) fn found(connection: &Connection, path: &Path) -> Result<Found, SinkError> {
    let what = "cannot use";
    let number = |sql: &str| {
        connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(|error| {
            match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::NotADatabase) => {
                    refused(what, path, "it is not a database, and was left as it is")
                }
                _ => failed(what, path, error),
            }
        })
    };
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    match (application, version) {
        (0, 0) if tables == 0 => Ok(Found::Empty),
        (APPLICATION, VERSION) => Ok(Found::Archive),
        (APPLICATION, version) if FORMER.contains(&version) => Ok(Found::Former(version)),
        (APPLICATION, version) => {
            let why = format!(
                "its schema is {version}, this program knows {VERSION}: use the sitegrove that \
                 wrote it; it was left as it is"
            );
            Err(refused(what, path, why))
        }
        _ => {
            let why = "it is the database of another program, and was left as it is";
            Err(refused(what, path, why))
        }
    }
}

/// Creates the schema in an empty file, inside the transaction that fills it.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.execute_batch(SINCE_3)?;
    connection.execute_batch(SINCE_4)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", VERSION)
}

/// Gives an archive of a schema before what it lacks, within the transaction that adds to it.
pub(super) fn bring_up_to_date(connection: &Connection) -> rusqlite::Result<()> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if !FORMER.contains(&version) {
        return Ok(());
    }
    if version == 1 {
        connection.execute_batch(
            "ALTER TABLE articles ADD COLUMN stripped TEXT NOT NULL DEFAULT '';
            ALTER TABLE versions ADD COLUMN truncated TEXT;
            ALTER TABLE visits ADD COLUMN truncated TEXT;
            UPDATE articles SET stripped = key;
            CREATE INDEX articles_by_stripped ON articles (stripped);
            CREATE INDEX versions_by_digest ON versions (digest);",
        )?;
    }
    if version < 3 {
        connection.execute_batch(
            "ALTER TABLE versions ADD COLUMN model_revision INTEGER;
            ALTER TABLE versions ADD COLUMN health TEXT;
            ALTER TABLE visits ADD COLUMN payload BLOB;
            DROP VIEW history;",
        )?;
        connection.execute_batch(SINCE_3)?;
    }
    connection.execute_batch(SINCE_4)?;
    connection.pragma_update(None, "user_version", VERSION)
}
