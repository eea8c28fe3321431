//! Queries of an archive: the versions of an article, and the changes since a date.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Row, params};
use serde::Serialize;

use super::schema::{self, Found};
use super::{ArticleKey, failed, refused};
use crate::SinkError;

/// A version of an article.
#[derive(Clone, Debug, Serialize)]
pub struct Version {
    /// 1 for the first.
    pub number: i64,
    /// Address of its first visit.
    pub url: String,
    /// When it was first seen: RFC 3339, UTC; `None` for a page without a date.
    pub first_seen: Option<String>,
    /// When it was last seen.
    pub last_seen: Option<String>,
    /// Number of visits.
    pub visits: i64,
    /// Fields that differ from the previous version.
    pub changed: Vec<String>,
    /// Unified diff from the previous version; `None` for the first.
    pub diff: Option<String>,
    /// Headline.
    pub title: Option<String>,
    /// Names of the authors.
    pub authors: Vec<String>,
    /// Date of publication given by the page.
    pub published: Option<String>,
    /// Date of the last change given by the page.
    pub modified: Option<String>,
    /// BCP 47 tag.
    pub language: Option<String>,
    /// The publisher's summary.
    pub description: Option<String>,
    /// Keywords.
    pub tags: Vec<String>,
    /// The text.
    pub text: String,
    /// Record id of its first visit; a sequence number for a page without a date.
    pub record_id: String,
    /// File of that record.
    pub file: String,
    /// Offset in that file, in bytes.
    pub offset: i64,
    /// How the text was found: engine, route, version, XPath expressions.
    pub wrapper: serde_json::Value,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Program that extracted it, with its version.
    pub program: String,
    /// Why its record is truncated; then no complete visit is known.
    pub truncated: Option<String>,
}

/// A version first seen since a given time.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// Site of the article.
    pub site: String,
    /// Address of the first visit of the version.
    pub url: String,
    /// `new` for an article's first version, else `changed`.
    pub kind: &'static str,
    /// Number of the version.
    pub number: i64,
    /// When it was first seen: RFC 3339, UTC.
    pub first_seen: String,
    /// Headline.
    pub title: Option<String>,
    /// Fields that differ from the previous version.
    pub changed: Vec<String>,
    /// Unified diff from the previous version; `None` for the first.
    pub diff: Option<String>,
}

/// An archive of articles, open for reading. A run that writes to it does not block readers, and
/// its changes are visible only after it ends.
#[derive(Debug)]
pub struct ArticleArchive {
    connection: Connection,
    path: PathBuf,
    found: Found,
}

const HISTORY: &str = "SELECT number, url, first_seen, last_seen, visits, changed, diff, title,
    authors, published, modified, language, description, tags, text, record_id, file, offset,
    wrapper, confidence, program";

impl ArticleArchive {
    /// Opens an archive.
    ///
    /// # Errors If there is none at `path`, or one with another schema.
    pub fn open(path: &Path) -> Result<Self, SinkError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(path, flags).map_err(|e| failed("cannot open", path, e))?;
        let found = schema::found(&connection, path)?;
        if found == Found::Empty {
            let why = "no run has added to it yet";
            return Err(refused("nothing is in", path, why));
        }
        Ok(Self { connection, path: path.to_owned(), found })
    }

    /// The versions of the article with this key (from the sink's function) or address, the oldest
    /// first. Empty if it is not in the archive, or if several articles match.
    ///
    /// # Errors
    /// If the archive cannot be read.
    pub fn history(&self, key: &ArticleKey, url: &str) -> Result<Vec<Version>, SinkError> {
        // The key finds an article by an index. An address whose key was made with other settings
        // needs a scan.
        let by_key = self.versions("key = ?1", key.exact())?;
        if !by_key.is_empty() {
            return Ok(by_key);
        }
        let stripped = match self.found {
            Found::Former => "key = ?1",
            // If there are several articles, tracking parameters distinguish them.
            _ => "key IN (SELECT max(key) FROM articles WHERE stripped = ?1 HAVING count(*) = 1)",
        };
        let by_key = self.versions(stripped, &key.stripped)?;
        if !by_key.is_empty() {
            return Ok(by_key);
        }
        let of_url = "key IN (SELECT articles.key FROM versions
            JOIN articles ON articles.id = versions.article WHERE versions.url = ?1)";
        self.versions(of_url, url)
    }

    fn versions(&self, condition: &str, value: &str) -> Result<Vec<Version>, SinkError> {
        let truncated = if self.found == Found::Former { "NULL" } else { "truncated" };
        let sql =
            format!("{HISTORY}, {truncated} FROM history WHERE {condition} ORDER BY key, number");
        let all = || -> rusqlite::Result<Vec<Version>> {
            let mut statement = self.connection.prepare(&sql)?;
            statement.query_map([value], version)?.collect()
        };
        all().map_err(|e| failed("cannot read", &self.path, e))
    }

    /// Passes every version first seen at `since` (RFC 3339, UTC, whole seconds) or later to
    /// `take`, ordered by date, then by address; for one site or for all.
    ///
    /// # Errors If the archive cannot be read, or the error that `take` returns.
    pub fn changes<E: From<SinkError>>(
        &self,
        since: &str,
        site: Option<&str>,
        mut take: impl FnMut(Change) -> Result<(), E>,
    ) -> Result<(), E> {
        let of_archive = |e| E::from(failed("cannot read", &self.path, e));
        // The number is computed only for matching rows; the view would count all versions.
        let sql = "SELECT articles.site, v.url, v.first_seen, v.title, v.changed, v.diff,
                (SELECT count(*) FROM versions AS w WHERE w.article = v.article
                 AND (w.first_seen, w.record_id) <= (v.first_seen, v.record_id))
            FROM versions AS v JOIN articles ON articles.id = v.article
            WHERE v.first_seen >= ?1 AND (?2 IS NULL OR articles.site = ?2)
            ORDER BY v.first_seen, v.url";
        let mut statement = self.connection.prepare(sql).map_err(of_archive)?;
        let mut rows = statement.query(params![since, site]).map_err(of_archive)?;
        while let Some(row) = rows.next().map_err(of_archive)? {
            take(change(row).map_err(of_archive)?)?;
        }
        Ok(())
    }
}

fn list(row: &Row<'_>, at: usize) -> rusqlite::Result<Vec<String>> {
    let json: String = row.get(at)?;
    Ok(serde_json::from_str(&json).unwrap_or_default())
}

fn date(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<String>> {
    Ok(Some(row.get(at)?).filter(|date: &String| !date.is_empty()))
}

fn version(row: &Row<'_>) -> rusqlite::Result<Version> {
    let wrapper: String = row.get(18)?;
    Ok(Version {
        number: row.get(0)?,
        url: row.get(1)?,
        first_seen: date(row, 2)?,
        last_seen: date(row, 3)?,
        visits: row.get(4)?,
        changed: list(row, 5)?,
        diff: row.get(6)?,
        title: row.get(7)?,
        authors: list(row, 8)?,
        published: row.get(9)?,
        modified: row.get(10)?,
        language: row.get(11)?,
        description: row.get(12)?,
        tags: list(row, 13)?,
        text: row.get(14)?,
        record_id: row.get(15)?,
        file: row.get(16)?,
        offset: row.get(17)?,
        wrapper: serde_json::from_str(&wrapper).unwrap_or_default(),
        confidence: row.get(19)?,
        program: row.get(20)?,
        truncated: row.get(21)?,
    })
}

fn change(row: &Row<'_>) -> rusqlite::Result<Change> {
    let number = row.get(6)?;
    Ok(Change {
        site: row.get(0)?,
        url: row.get(1)?,
        kind: if number == 1 { "new" } else { "changed" },
        number,
        first_seen: row.get(2)?,
        title: row.get(3)?,
        changed: list(row, 4)?,
        diff: row.get(5)?,
    })
}
