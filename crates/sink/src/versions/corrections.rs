//! Corrections of articles by hand, stored beside the versions that runs extracted.
//!
//! A correction is for one field. It replaces an earlier one for that field, which is kept as history. A correction is outdated
//! while the last version has another value than the one that was corrected. It stays in force then.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use database::{Database, WaitPolicy, rows};
use jiff::Timestamp;
use model::{Article, ArticleCorrection, CorrectedField, CorrectedValues};
use rusqlite::{Connection, Result, params};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::absences::seconds;
use super::content::{ArticleContent, day, diff, set, squeezed};
use super::{ArticleKey, is_archive};
use crate::SinkError;

/// A correction of a field, as it is stored in an archive.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct StoredCorrection {
    /// `title`, `authors`, `published` or `text`.
    pub field: String,
    /// Corrected value; null to leave the field empty.
    #[serde(deserialize_with = "rows::from_json")]
    pub value: Value,
    /// Value that was extracted when the correction was made.
    #[serde(deserialize_with = "rows::from_json")]
    pub extracted: Value,
    /// Unified diff from the extracted to the corrected value.
    pub diff: String,
    /// Who corrected it; may be empty.
    pub by: String,
    /// Why it was corrected; may be empty.
    pub reason: String,
    /// When it was corrected: RFC 3339, UTC.
    pub at: String,
    /// When it was replaced or reverted; `None` while it is in force.
    pub ended: Option<String>,
    /// Who reverted it, if someone did; may be empty.
    pub reverted_by: Option<String>,
    /// When the last version was first seen, if its value is neither the one that was corrected nor the correction.
    pub outdated: Option<String>,
}

impl StoredCorrection {
    /// Whether it is in force.
    pub fn is_in_force(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether the field of an article has the value that was corrected.
    pub fn is_of(&self, article: &Article) -> bool {
        let field = CorrectedField::parse(&self.field);
        field.is_some_and(|field| {
            is_same(field, &value_of(field, &ArticleContent::of(article)), &self.extracted)
        })
    }

    /// The field, and the correction in the form of a corrections file.
    pub fn line(&self, url: &str) -> Option<(CorrectedField, ArticleCorrection)> {
        let field = CorrectedField::parse(&self.field)?;
        let own = ArticleCorrection {
            url: url.to_owned(),
            values: values_of(field, &self.value),
            by: self.by.clone(),
            reason: self.reason.clone(),
            at: self.at.parse().ok(),
            extracted: values_of(field, &self.extracted),
        };
        Some((field, own))
    }
}

/// The corrections of the article with this key, oldest first.
pub(super) fn corrections_of(db: &Connection, key: &str) -> Result<Vec<StoredCorrection>> {
    let sql =
        "SELECT corrections.* FROM corrections JOIN articles ON articles.id = corrections.article
        WHERE articles.key = ?1 ORDER BY corrections.id";
    rows::all(db, sql, [key], rows::read_record)
}

/// All corrections in force, sorted by address, in the form of a corrections file. Corrections of one article that were made
/// together are merged.
pub(super) fn corrections_in_force(db: &Connection) -> Result<Vec<ArticleCorrection>> {
    let sql = "SELECT corrections.*, (SELECT url FROM versions
            WHERE versions.article = corrections.article
            ORDER BY first_seen DESC, record_id DESC LIMIT 1) AS url
        FROM corrections JOIN articles ON articles.id = corrections.article
        WHERE ended IS NULL ORDER BY articles.key, corrections.id";
    let stored: Vec<(StoredCorrection, String)> =
        rows::all(db, sql, [], |row| Ok((rows::read_record(row)?, row.get("url")?)))?;
    let mut all: Vec<ArticleCorrection> = Vec::new();
    for (stored, url) in stored {
        let Some((_, own)) = stored.line(&url) else { continue };
        let same = all.last_mut().filter(|last| {
            (&last.url, &last.by, &last.reason, last.at) == (&own.url, &own.by, &own.reason, own.at)
        });
        match same {
            Some(last) => {
                merge(&mut last.values, own.values);
                merge(&mut last.extracted, own.extracted);
            }
            None => all.push(own),
        }
    }
    Ok(all)
}

fn merge(into: &mut CorrectedValues, other: CorrectedValues) {
    into.title = into.title.take().or(other.title);
    into.authors = into.authors.take().or(other.authors);
    into.published = into.published.take().or(other.published);
    into.text = into.text.take().or(other.text);
}

/// Converts a stored value; null becomes an empty value.
fn values_of(field: CorrectedField, value: &Value) -> CorrectedValues {
    let text = || Some(value.as_str().unwrap_or_default().to_owned());
    let mut values = CorrectedValues::default();
    match field {
        CorrectedField::Title => values.title = text(),
        CorrectedField::Published => values.published = text(),
        CorrectedField::Text => values.text = text(),
        CorrectedField::Authors => {
            let names = value.as_array().into_iter().flatten();
            values.authors = Some(names.filter_map(|own| Some(own.as_str()?.to_owned())).collect());
        }
    }
    values
}

/// The value of a field in a content; null if there is none.
fn value_of(field: CorrectedField, content: &ArticleContent) -> Value {
    match field {
        CorrectedField::Title => json!(content.title),
        CorrectedField::Authors => json!(content.authors),
        CorrectedField::Published => json!(content.published),
        CorrectedField::Text => json!(content.text),
    }
}

/// Whether two values of a field count as the same, by the rules for versions.
fn is_same(field: CorrectedField, one: &Value, other: &Value) -> bool {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match field {
        CorrectedField::Authors => {
            let names = |value: &Value| {
                let all = value.as_array().into_iter().flatten().map(text);
                set(&all.collect::<Vec<_>>())
            };
            names(one) == names(other)
        }
        CorrectedField::Published => day(&text(one)) == day(&text(other)),
        CorrectedField::Title | CorrectedField::Text => {
            squeezed(&text(one)) == squeezed(&text(other))
        }
    }
}

/// Whether the value that is extracted now contradicts a correction: it is neither the value that was extracted when the
/// correction was made, nor the corrected value. A missing value contradicts nothing, since a page may show less than before.
fn is_outdated(field: CorrectedField, now: &Value, extracted: &Value, value: &Value) -> bool {
    let is_empty = now.is_null() || now.as_array().is_some_and(Vec::is_empty);
    !is_empty && !is_same(field, now, extracted) && !is_same(field, now, value)
}

/// Whether an article as extracted now contradicts a correction of a field; false if the correction has no extracted value.
pub fn contradicts(
    field: CorrectedField,
    article: &Article,
    correction: &ArticleCorrection,
) -> bool {
    let value = given(field, &correction.values).unwrap_or_default();
    let now = || value_of(field, &ArticleContent::of(article));
    let extracted = given(field, &correction.extracted);
    extracted.is_some_and(|extracted| is_outdated(field, &now(), &extracted, &value))
}

/// Marks the corrections of an article that its last version makes outdated, and unmarks the others.
pub(super) fn note_outdated(db: &Connection, article: i64) -> Result<()> {
    let sql = "SELECT * FROM corrections WHERE article = ?1 AND ended IS NULL";
    let found: Vec<(i64, StoredCorrection)> =
        rows::all(db, sql, [article], |row| Ok((row.get("id")?, rows::read_record(row)?)))?;
    if found.is_empty() {
        return Ok(());
    }
    let Some((version, seen)) = last_version(db, article)? else { return Ok(()) };
    let content = ArticleContent::stored(db, version)?;
    for (id, StoredCorrection { field, extracted, value, .. }) in found {
        let Some(field) = CorrectedField::parse(&field) else { continue };
        let now = value_of(field, &content);
        let since = is_outdated(field, &now, &extracted, &value).then_some(&seen);
        let sql = "UPDATE corrections SET outdated = ?2 WHERE id = ?1";
        rows::change(db, sql, params![id, since])?;
    }
    Ok(())
}

/// The id of the last version of an article, and when it was first seen.
fn last_version(db: &Connection, article: i64) -> Result<Option<(i64, String)>> {
    let sql = "SELECT id, first_seen FROM versions WHERE article = ?1
        ORDER BY first_seen DESC, record_id DESC LIMIT 1";
    rows::first(db, sql, [article], |row| row.try_into())
}

/// Whether an archive has corrections in force.
pub(super) fn has_corrections(db: &Connection) -> Result<bool> {
    rows::exists(db, "SELECT 1 FROM corrections WHERE ended IS NULL LIMIT 1", [])
}

/// Changes the corrections of an archive in one transaction.
#[derive(Debug)]
pub struct ArchiveCorrector {
    database: Database,
    path: PathBuf,
}

impl ArchiveCorrector {
    /// Opens the archive at `path`, which must exist. Waits for a run that writes to it.
    ///
    /// # Errors
    /// If it is not an archive, has another schema, or a run keeps writing to it.
    pub fn open(path: &Path, waiting: WaitPolicy<'_>) -> std::result::Result<Self, SinkError> {
        let database =
            Database::begin(path, waiting, &|connection| match is_archive(connection, path)? {
                true => Ok(()),
                false => Err(SinkError::other("nothing is in", path, "no run has added to it yet")),
            })?;
        Ok(Self { database, path: path.to_owned() })
    }

    /// Corrects an article; `at` is the time of the correction. Returns the corrected fields, without those that the archive has
    /// already; `None` if it does not have the article.
    ///
    /// # Errors
    /// If the archive cannot be written.
    pub fn correct(
        &self,
        key: &ArticleKey,
        correction: &ArticleCorrection,
        at: Timestamp,
    ) -> std::result::Result<Option<Vec<CorrectedField>>, SinkError> {
        let add = || -> Result<Option<Vec<CorrectedField>>> {
            let db = &*self.database;
            let Some((article, version)) = self.last_of(key, &correction.url)? else {
                return Ok(None);
            };
            let content = ArticleContent::stored(db, version)?;
            let mut corrected = Vec::new();
            for field in correction.values.fields() {
                if self.add(article, &content, correction, field, &seconds(at))? {
                    corrected.push(field);
                }
            }
            note_outdated(db, article)?;
            Ok(Some(corrected))
        };
        add().map_err(|error| self.failed(error))
    }

    fn add(
        &self,
        article: i64,
        content: &ArticleContent,
        correction: &ArticleCorrection,
        field: CorrectedField,
        at: &str,
    ) -> Result<bool> {
        let db = &*self.database;
        // An empty text removes the value.
        let value =
            |values| given(field, values).map(|own| if own == "" { Value::Null } else { own });
        let corrected = value(&correction.values).unwrap_or_default();
        let sql = "SELECT 1 FROM corrections
            WHERE article = ?1 AND field = ?2 AND value = ?3 AND by = ?4 AND reason = ?5
            AND ended IS NULL";
        let text = corrected.to_string();
        let own = params![article, field.as_str(), text, correction.by, correction.reason];
        if rows::exists(db, sql, own)? && correction.at.is_none_or(|own| seconds(own) == at) {
            return Ok(false);
        }
        self.end(article, field, at, None)?;
        // A correction that includes the extracted value was made when that was extracted.
        let extracted = value(&correction.extracted).unwrap_or_else(|| value_of(field, content));
        let sides = [&extracted, &corrected].map(|value| content_of(field, value));
        let diff = diff(&sides[0], &sides[1], &[field.as_str()]);
        let sql = "INSERT INTO corrections
                (article, field, value, extracted, diff, by, reason, at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let ArticleCorrection { by, reason, .. } = correction;
        let own =
            params![article, field.as_str(), text, extracted.to_string(), diff, by, reason, at];
        rows::change(db, sql, own)?;
        Ok(true)
    }

    /// Reverts the corrections of fields of an article that are in force. Returns the reverted fields; `None` if the archive does
    /// not have the article.
    ///
    /// # Errors
    /// If the archive cannot be written.
    pub fn revert(
        &self,
        key: &ArticleKey,
        url: &str,
        fields: &BTreeSet<CorrectedField>,
        by: &str,
        at: Timestamp,
    ) -> std::result::Result<Option<Vec<CorrectedField>>, SinkError> {
        let revert = || -> Result<Option<Vec<CorrectedField>>> {
            let Some((article, _)) = self.last_of(key, url)? else { return Ok(None) };
            let mut reverted = Vec::new();
            for field in fields {
                if self.end(article, *field, &seconds(at), Some(by))? {
                    reverted.push(*field);
                }
            }
            Ok(Some(reverted))
        };
        revert().map_err(|error| self.failed(error))
    }

    fn end(
        &self,
        article: i64,
        field: CorrectedField,
        at: &str,
        reverted_by: Option<&str>,
    ) -> Result<bool> {
        let sql = "UPDATE corrections SET ended = ?3, reverted_by = ?4, outdated = NULL
            WHERE article = ?1 AND field = ?2 AND ended IS NULL";
        let ended = params![article, field.as_str(), at, reverted_by];
        Ok(rows::change(&self.database, sql, ended)? > 0)
    }

    /// The ids of the article at an address and of its last version.
    fn last_of(&self, key: &ArticleKey, url: &str) -> Result<Option<(i64, i64)>> {
        let Some(key) = key.find(&self.database, url)? else { return Ok(None) };
        let sql = "SELECT id FROM articles WHERE key = ?1";
        let article = self.database.prepare_cached(sql)?.query_row([key], |row| row.get(0))?;
        Ok(last_version(&self.database, article)?.map(|(version, _)| (article, version)))
    }

    /// Commits the changes.
    ///
    /// # Errors
    /// If the archive cannot be written.
    pub fn commit(self, waiting: WaitPolicy<'_>) -> std::result::Result<(), SinkError> {
        Ok(self.database.commit(waiting)?)
    }

    fn failed(&self, error: rusqlite::Error) -> SinkError {
        SinkError::other("cannot write to", &self.path, error)
    }
}

/// The value that a correction gives a field, if it gives one.
fn given(field: CorrectedField, values: &CorrectedValues) -> Option<Value> {
    match field {
        CorrectedField::Title => values.title.as_deref().map(Value::from),
        CorrectedField::Authors => values.authors.clone().map(Value::from),
        CorrectedField::Published => values.published.as_deref().map(Value::from),
        CorrectedField::Text => values.text.as_deref().map(Value::from),
    }
}

/// Makes a content with a single value, to compute a diff.
fn content_of(field: CorrectedField, value: &Value) -> ArticleContent {
    let CorrectedValues { title, authors, published, text } = values_of(field, value);
    ArticleContent {
        title,
        authors: authors.unwrap_or_default(),
        published,
        text: text.unwrap_or_default(),
        ..ArticleContent::default()
    }
}
