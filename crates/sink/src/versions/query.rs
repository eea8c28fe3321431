//! Queries of an archive: the versions of an article, and the changes since a date.

use std::path::{Path, PathBuf};

use database::{Database, rows};
use model::{ArticleCorrection, named};
use rusqlite::params;
use serde::{Deserialize, Deserializer, Serialize};

use super::corrections::{StoredCorrection, corrections_in_force, corrections_of};
use super::{ArticleKey, is_archive};
use crate::SinkError;

/// A version of an article.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ArticleVersion {
    /// Number of the version; the first is 1.
    pub number: i64,
    /// Address of its first visit.
    pub url: String,
    /// When it was first seen: RFC 3339, UTC; `None` for a page without a date.
    #[serde(deserialize_with = "date")]
    pub first_seen: Option<String>,
    /// When it was last seen.
    #[serde(deserialize_with = "date")]
    pub last_seen: Option<String>,
    /// Number of visits.
    pub visits: i64,
    /// Fields that differ from the previous version.
    #[serde(deserialize_with = "rows::from_json")]
    pub changed: Vec<String>,
    /// Unified diff from the previous version; `None` for the first.
    pub diff: Option<String>,
    /// Headline.
    pub title: Option<String>,
    /// Names of the authors.
    #[serde(deserialize_with = "rows::from_json")]
    pub authors: Vec<String>,
    /// Date of publication given by the page.
    pub published: Option<String>,
    /// Date of the last change given by the page.
    pub modified: Option<String>,
    /// Language, as a BCP 47 tag.
    pub language: Option<String>,
    /// Summary by the publisher.
    pub description: Option<String>,
    /// Keywords of the page.
    #[serde(deserialize_with = "rows::from_json")]
    pub tags: Vec<String>,
    /// The text.
    pub text: String,
    /// Body as an HTML fragment; not part of what `history` prints.
    #[serde(skip_serializing)]
    pub html: String,
    /// Record id of its first visit; a sequence number for a page without a date.
    pub record_id: String,
    /// File that contains the record.
    pub file: String,
    /// Offset in the file, in bytes.
    pub offset: i64,
    /// How the text was found: engine, route, version, XPath expressions.
    #[serde(deserialize_with = "rows::from_json")]
    pub wrapper: serde_json::Value,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Program that extracted it, with its version.
    pub program: String,
    /// Why the record is truncated. Then no complete visit is known.
    pub truncated: Option<String>,
    /// Revision of the stored model that extracted it; 0 if that model was not kept; `None` without a model
    /// store.
    pub model_revision: Option<i64>,
    /// Health of its template, or else of its site, when the version was first seen; `None` without a model store.
    pub health: Option<String>,
    /// Other readings of its payloads, by date.
    #[serde(default)]
    pub readings: Vec<ArticleReading>,
    /// Times without a page at its address, by date, from its first visit to the next version.
    #[serde(default)]
    pub gone: Vec<GoneSpan>,
    /// Corrections of the article by hand, oldest first. Only the last version has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<StoredCorrection>,
}

/// A time in which the address of an article had no page.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct GoneSpan {
    /// The first answer without a page: RFC 3339, UTC.
    pub first_seen: String,
    /// The last response without a page: RFC 3339, UTC.
    pub last_seen: String,
    /// Status of these responses: 404, 410, or that of a redirect.
    pub status: i64,
    /// Target of the redirect.
    pub moved_to: Option<String>,
}

/// A different reading of a payload of a version.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ArticleReading {
    /// When it was fetched: RFC 3339, UTC; `None` for a page without a date.
    #[serde(deserialize_with = "date")]
    pub fetched: Option<String>,
    /// Fields that differ from the reading before.
    #[serde(deserialize_with = "rows::from_json")]
    pub changed: Vec<String>,
    /// Unified diff from the reading before.
    pub diff: String,
    /// Revision of the stored model, as in [`ArticleVersion`].
    pub model_revision: Option<i64>,
    /// Program that read it, with its version.
    pub program: String,
    /// Whether this reading replaced the one before, because the visit was read again on purpose.
    #[serde(deserialize_with = "flag")]
    pub replaced: bool,
}

/// A version first seen since a given time, or another event in the history of an article.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ArticleChange {
    /// Site of the article.
    pub site: String,
    /// Address of the first visit of the version.
    pub url: String,
    /// What happened.
    pub kind: ChangeKind,
    /// Number of the version.
    pub number: i64,
    /// When it was first seen or read differently, or when the address first had no page or had one again:
    /// RFC 3339, UTC.
    pub first_seen: String,
    /// Headline.
    pub title: Option<String>,
    /// Fields that differ from the version or reading before.
    #[serde(deserialize_with = "rows::from_json")]
    pub changed: Vec<String>,
    /// Unified diff from the version or reading before; `None` for the first version.
    pub diff: Option<String>,
    /// Revision of the stored model, as in [`ArticleVersion`].
    pub model_revision: Option<i64>,
    /// Status of the response, if the address is gone or moved.
    pub status: Option<i64>,
    /// Target of the redirect, if the address moved.
    pub moved_to: Option<String>,
    /// Who made or reverted the correction; may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why the article was corrected; may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

named! {
/// What happened to an article.
pub enum ChangeKind {
    /// Its first version.
    New => "new",
    /// The page changed: the same model and program extract other content from another payload.
    Changed => "changed",
    /// The payload differs, and so does the model or the program. Either may be the reason for the change.
    Unclear => "unclear",
    /// The same payload was read differently.
    Reread => "reread",
    /// Its address no longer has a page: status 404 or 410.
    Gone => "gone",
    /// Its address redirects to another one.
    Moved => "moved",
    /// Its address has a page again.
    Back => "back",
    /// A field was corrected by hand.
    Corrected => "corrected",
    /// A correction was reverted.
    Reverted => "reverted",
    /// The extracted value is no longer the one that was corrected.
    Outdated => "outdated",
}
}

/// An archive of articles, open for reading. A run that writes to it does not block readers. They
/// see its changes only after it ends.
#[derive(Debug)]
pub struct ArticleArchive {
    connection: Database,
    path: PathBuf,
}

fn date<'de, D: Deserializer<'de>>(column: D) -> Result<Option<String>, D::Error> {
    Ok(Some(String::deserialize(column)?).filter(|date| !date.is_empty()))
}

fn flag<'de, D: Deserializer<'de>>(column: D) -> Result<bool, D::Error> {
    Ok(u8::deserialize(column)? != 0)
}

impl ArticleArchive {
    /// Opens an archive.
    ///
    /// # Errors
    /// If there is no archive at `path`, or it has another schema.
    pub fn open(path: &Path) -> Result<Self, SinkError> {
        let connection = Database::read(path)?;
        if !is_archive(&connection, path)? {
            let why = "no run has added to it yet";
            return Err(SinkError::other("nothing is in", path, why));
        }
        Ok(Self { connection, path: path.to_owned() })
    }

    /// The versions of the article with this key (made by the function of the sink) or address, oldest
    /// first. Empty if the archive does not have it, or if several articles match.
    ///
    /// # Errors
    /// If the archive cannot be read.
    pub fn history(&self, key: &ArticleKey, url: &str) -> Result<Vec<ArticleVersion>, SinkError> {
        match key.find(&self.connection, url).map_err(|error| self.unreadable(error))? {
            Some(key) => self.versions(&key),
            None => Ok(Vec::new()),
        }
    }

    /// At most 2,000 keys of articles that an unknown key may stand for: those of its host, or else of any host.
    ///
    /// # Errors
    /// If the archive cannot be read.
    pub fn keys_near(&self, key: &str) -> Result<Vec<String>, SinkError> {
        let host = key.split(['/', '?']).next().unwrap_or_default();
        let of = |prefix: &str| -> rusqlite::Result<Vec<String>> {
            let sql = "SELECT key FROM articles WHERE substr(key, 1, length(?1)) = ?1
                ORDER BY key LIMIT 2000";
            rows::all(&self.connection, sql, [prefix], |row| row.get(0))
        };
        let found = of(host).and_then(|own| if own.is_empty() { of("") } else { Ok(own) });
        found.map_err(|error| self.unreadable(error))
    }

    /// The corrections in force, sorted by address, in the form of a corrections file.
    ///
    /// # Errors
    /// If the archive cannot be read.
    pub fn corrections_in_force(&self) -> Result<Vec<ArticleCorrection>, SinkError> {
        corrections_in_force(&self.connection).map_err(|error| self.unreadable(error))
    }

    /// The addresses and fields of outdated corrections, sorted by address.
    ///
    /// # Errors
    /// If the archive cannot be read.
    pub fn outdated_corrections(&self) -> Result<Vec<(String, String)>, SinkError> {
        let sql = "SELECT articles.key, field FROM corrections
            JOIN articles ON articles.id = corrections.article
            WHERE outdated IS NOT NULL ORDER BY articles.key, corrections.id";
        let all = rows::all(&self.connection, sql, [], |row| row.try_into());
        all.map_err(|error| self.unreadable(error))
    }

    /// The keys of all articles, or of those of a site, sorted.
    ///
    /// # Errors
    /// If the archive cannot be read.
    pub fn keys(&self, site: Option<&str>) -> Result<Vec<String>, SinkError> {
        let sql = "SELECT key FROM articles WHERE ?1 IS NULL OR site = ?1 ORDER BY key";
        let all = rows::all(&self.connection, sql, [site], |row| row.get(0));
        all.map_err(|error| self.unreadable(error))
    }

    /// The versions of the article with this key, oldest first.
    ///
    /// # Errors
    /// If the archive cannot be read.
    pub fn versions(&self, key: &str) -> Result<Vec<ArticleVersion>, SinkError> {
        let sql = "SELECT * FROM history WHERE key = ?1 ORDER BY number";
        let db = &self.connection;
        let all = || -> rusqlite::Result<Vec<ArticleVersion>> {
            let mut all: Vec<ArticleVersion> = rows::all(db, sql, [key], |row| {
                let (version, id): (ArticleVersion, i64) =
                    (rows::read_record(row)?, row.get("version")?);
                Ok(ArticleVersion { readings: self.readings(id)?, gone: self.gone(id)?, ..version })
            })?;
            if let Some(last) = all.last_mut() {
                last.corrections = corrections_of(db, key)?;
            }
            Ok(all)
        };
        all().map_err(|error| self.unreadable(error))
    }

    fn unreadable(&self, error: rusqlite::Error) -> SinkError {
        SinkError::other("cannot read", &self.path, error)
    }

    fn readings(&self, version: i64) -> rusqlite::Result<Vec<ArticleReading>> {
        let sql = "SELECT r.fetched, r.changed, r.diff, r.model_revision, r.program, r.replaced
            FROM visits AS v JOIN readings AS r USING (article, fetched, record_id)
            WHERE v.article = (SELECT article FROM versions WHERE id = ?1) AND v.version = ?1
            ORDER BY r.fetched, r.id";
        rows::all(&self.connection, sql, [version], rows::read_record)
    }

    /// Times without a page at the address of a version, from its first visit to the next version.
    fn gone(&self, version: i64) -> rusqlite::Result<Vec<GoneSpan>> {
        let sql = "SELECT a.first_seen, a.last_seen, a.status, a.moved_to
            FROM versions AS v JOIN absences AS a ON a.article = v.article
            WHERE v.id = ?1 AND a.first_seen >= v.first_seen
            AND NOT EXISTS (SELECT 1 FROM versions AS w WHERE w.article = v.article
                AND (w.first_seen, w.record_id) > (v.first_seen, v.record_id)
                AND w.first_seen <= a.first_seen)
            ORDER BY a.first_seen";
        rows::all(&self.connection, sql, [version], rows::read_record)
    }

    /// Passes to `take` everything that happened at `since` (RFC 3339, UTC, whole seconds) or later: versions first seen,
    /// different readings, and addresses that lost their page or got it back, of one site or of all. Sorted by
    /// date, then by address.
    ///
    /// # Errors
    /// If the archive cannot be read, or the error that `take` returns.
    pub fn changes<E: From<SinkError>>(
        &self,
        since: &str,
        site: Option<&str>,
        mut take: impl FnMut(ArticleChange) -> Result<(), E>,
    ) -> Result<(), E> {
        let of_archive = |error| E::from(self.unreadable(error));
        let sql = include_str!("changes.sql");
        let mut statement = self.connection.prepare(sql).map_err(of_archive)?;
        let mut rows = statement.query(params![since, site]).map_err(of_archive)?;
        while let Some(row) = rows.next().map_err(of_archive)? {
            take(rows::read_record(row).map_err(of_archive)?)?;
        }
        Ok(())
    }
}
