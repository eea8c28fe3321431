//! Visits and versions as rows of the archive.

use model::{Extracted, Verdict, rounded};
use rusqlite::{Connection, OptionalExtension, Result, Row, named_params, params};
use serde_json::json;

use super::content::Content;
use super::describe::diff;
use super::essence::Essence;

/// A visit, with what is known of it.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    /// The article's id.
    pub(super) id: i64,
    pub(super) at: &'a Moment,
    pub(super) article: &'a Extracted,
    pub(super) essence: &'a Essence,
    /// Id of its file.
    pub(super) file: i64,
}

/// What extracts articles, as archives name it.
pub(super) const PROGRAM: &str = concat!("sitegrove ", env!("CARGO_PKG_VERSION"));

/// A place among the visits of an article.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    /// RFC 3339, UTC, whole seconds: compares as text. Empty for a page without a date, which comes
    /// before all others.
    pub(super) fetched: String,
    /// Tells apart visits in the same second; for pages without a date a running number.
    pub(super) record_id: String,
}

/// A visit next to another.
pub(super) struct Neighbour {
    pub(super) version: i64,
    pub(super) at: Moment,
    file: i64,
    offset: i64,
}

/// Whether an article has a visit that is complete, or one that is truncated.
pub(super) fn has_visit(db: &Connection, article: i64, whole: bool) -> Result<bool> {
    let sql = "SELECT 1 FROM visits WHERE article = ?1 AND (truncated IS NULL) = ?2 LIMIT 1";
    db.prepare_cached(sql)?.exists(params![article, whole])
}

pub(super) fn add(db: &Connection, seen: &Seen<'_>, version: i64) -> Result<()> {
    let sql = "INSERT INTO visits VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let Seen { id, at, article, file, .. } = seen;
    db.prepare_cached(sql)?.execute(params![
        id,
        at.fetched,
        at.record_id,
        file,
        offset(article),
        version,
        article.origin.truncated,
        article.payload,
    ])?;
    Ok(())
}

pub(super) fn offset(article: &Extracted) -> i64 {
    article.origin.offset as i64
}

/// Gives each truncated visit the version of the complete one before it, else of the one after; versions
/// of truncated visits alone go.
pub(super) fn settle_truncated(db: &Connection, article: i64) -> Result<()> {
    let sql = "UPDATE visits SET version = coalesce(
            (SELECT whole.version FROM visits AS whole
             WHERE whole.article = visits.article AND whole.truncated IS NULL
             AND (whole.fetched, whole.record_id) < (visits.fetched, visits.record_id)
             ORDER BY whole.fetched DESC, whole.record_id DESC LIMIT 1),
            (SELECT whole.version FROM visits AS whole
             WHERE whole.article = visits.article AND whole.truncated IS NULL
             ORDER BY whole.fetched, whole.record_id LIMIT 1))
        WHERE article = ?1 AND truncated IS NOT NULL";
    db.prepare_cached(sql)?.execute([article])?;
    let sql = "DELETE FROM versions WHERE article = ?1 AND truncated IS NOT NULL";
    db.prepare_cached(sql)?.execute([article])?;
    Ok(())
}

pub(super) const BEFORE: &str = "SELECT version, fetched, record_id, file, offset FROM visits
    WHERE article = ?1 AND (fetched, record_id) < (?2, ?3) AND (truncated IS NULL) = ?4
    ORDER BY fetched DESC, record_id DESC LIMIT 1";
pub(super) const AFTER: &str = "SELECT version, fetched, record_id, file, offset FROM visits
    WHERE article = ?1 AND (fetched, record_id) > (?2, ?3) AND (truncated IS NULL) = ?4
    ORDER BY fetched, record_id LIMIT 1";

/// The next visit before or after, complete or truncated.
pub(super) fn neighbour(
    db: &Connection,
    article: i64,
    at: &Moment,
    sql: &str,
    whole: bool,
) -> Result<Option<Neighbour>> {
    let read = |row: &Row<'_>| {
        let at = Moment { fetched: row.get(1)?, record_id: row.get(2)? };
        Ok(Neighbour { version: row.get(0)?, at, file: row.get(3)?, offset: row.get(4)? })
    };
    let mut statement = db.prepare_cached(sql)?;
    statement.query_row(params![article, at.fetched, at.record_id, whole], read).optional()
}

/// Writes a new version that begins with a visit.
pub(super) fn insert(db: &Connection, seen: &Seen<'_>) -> Result<i64> {
    write(db, None, seen, seen.at, (seen.file, offset(seen.article)))?;
    Ok(db.last_insert_rowid())
}

/// Writes what a visit saw over the content of its version, which begins when it began.
pub(super) fn rewrite(db: &Connection, version: i64, seen: &Seen<'_>) -> Result<()> {
    let sql = "SELECT first_seen, record_id, file, offset FROM versions WHERE id = ?1";
    let (begins, place) = db.prepare_cached(sql)?.query_row([version], |row| {
        let begins = Moment { fetched: row.get(0)?, record_id: row.get(1)? };
        Ok((begins, (row.get(2)?, row.get(3)?)))
    })?;
    write(db, Some(version), seen, &begins, place)
}

/// Writes a version: a new one, or one whose content is now what this visit saw. It begins with a visit that
/// lies in a file at an offset.
pub(super) fn write(
    db: &Connection,
    version: Option<i64>,
    seen: &Seen<'_>,
    begins: &Moment,
    (file, offset): (i64, i64),
) -> Result<()> {
    let Seen { id, article, essence, .. } = *seen;
    let wrapper = json!({
        "engine": article.engine,
        "route": article.route.as_str(),
        "version": article.wrapper_version,
        "content": article.xpath,
        "prune": article.prune,
    });
    let sql = "INSERT OR REPLACE INTO versions VALUES (
        :id, :article, :fetched, :fetched, 0, '[]', NULL, :url, :title, :authors, :published,
        :modified, :language, :description, :image, :tags, :canonical, :site_name, :sources, :text,
        :html, :digest, :record_id, :file, :offset, :template, :wrapper, :confidence, :program,
        :truncated, :model_revision, :health)";
    db.prepare_cached(sql)?.execute(named_params! {
        ":id": version,
        ":article": id,
        ":fetched": begins.fetched,
        ":url": article.url,
        ":title": article.title,
        ":authors": json!(article.authors).to_string(),
        ":published": article.published,
        ":modified": article.modified,
        ":language": article.language,
        ":description": article.description,
        ":image": article.image,
        ":tags": json!(article.tags).to_string(),
        ":canonical": article.canonical,
        ":site_name": article.site_name,
        ":sources": json!(article.sources).to_string(),
        ":text": article.text,
        ":html": article.html,
        ":digest": essence.digest,
        ":record_id": begins.record_id,
        ":file": file,
        ":offset": offset,
        ":template": article.template,
        ":wrapper": wrapper.to_string(),
        ":confidence": rounded(article.confidence),
        ":program": PROGRAM,
        ":truncated": article.origin.truncated,
        ":model_revision": article.model_revision,
        ":health": article.health.map(Verdict::as_str),
    })?;
    Ok(())
}

/// Parts the version of a visit before that visit: what comes from there on becomes a version of its
/// own, with the same content.
pub(super) fn part(db: &Connection, article: i64, from: &Neighbour) -> Result<()> {
    let columns = "url, title, authors, published, modified, language, description, image, tags,
        canonical, site_name, sources, text, html, digest, template, wrapper, confidence, program,
        truncated, model_revision, health";
    let sql = format!(
        "INSERT INTO versions (article, first_seen, last_seen, visits, changed, diff, record_id,
            file, offset, {columns})
        SELECT article, ?2, last_seen, 0, '[]', NULL, ?3, ?4, ?5, {columns}
        FROM versions WHERE id = ?1"
    );
    let at = &from.at;
    db.prepare_cached(&sql)?.execute(params![
        from.version,
        at.fetched,
        at.record_id,
        from.file,
        from.offset
    ])?;
    let later = db.last_insert_rowid();
    let sql = "UPDATE visits SET version = ?1
        WHERE article = ?2 AND version = ?3 AND (fetched, record_id) >= (?4, ?5)";
    db.prepare_cached(sql)?.execute(params![
        later,
        article,
        from.version,
        at.fetched,
        at.record_id
    ])?;
    recount(db, from.version)?;
    recount(db, later)?;
    Ok(())
}

/// Counts the visits of a version and sets its last date; gives when it begins.
pub(super) fn recount(db: &Connection, version: i64) -> Result<Moment> {
    let sql = "UPDATE versions SET (visits, last_seen) =
        (SELECT count(*), max(fetched) FROM visits
         WHERE visits.article = versions.article AND visits.version = versions.id
         AND (visits.truncated IS NULL) = (versions.truncated IS NULL))
        WHERE id = ?1 RETURNING first_seen, record_id";
    db.prepare_cached(sql)?
        .query_row([version], |row| Ok(Moment { fetched: row.get(0)?, record_id: row.get(1)? }))
}

/// When the version after this moment begins.
pub(super) fn following(db: &Connection, article: i64, at: &Moment) -> Result<Option<Moment>> {
    let sql = "SELECT first_seen, record_id FROM versions
        WHERE article = ?1 AND (first_seen, record_id) > (?2, ?3)
        ORDER BY first_seen, record_id LIMIT 1";
    let read = |row: &Row<'_>| Ok(Moment { fetched: row.get(0)?, record_id: row.get(1)? });
    db.prepare_cached(sql)?.query_row(params![article, at.fetched, at.record_id], read).optional()
}

/// Says how the version that begins at this moment differs from the one before.
pub(super) fn describe(db: &Connection, article: i64, begins: &Moment) -> Result<()> {
    let sql = "SELECT id FROM versions
        WHERE article = ?1 AND (first_seen, record_id) <= (?2, ?3)
        ORDER BY first_seen DESC, record_id DESC LIMIT 2";
    let found = db
        .prepare_cached(sql)?
        .query_map(params![article, begins.fetched, begins.record_id], |row| row.get(0))?
        .collect::<Result<Vec<i64>>>()?;
    let (changed, said) = match found[..] {
        [new, old] => {
            let (new, old) = (Content::of(db, new)?, Content::of(db, old)?);
            let changed = new.essence.changes_since(&old.essence);
            let said = diff(&old.told, &new.told, &changed);
            (changed, Some(said))
        }
        _ => (Vec::new(), None),
    };
    if let Some(version) = found.first() {
        let sql = "UPDATE versions SET changed = ?2, diff = ?3 WHERE id = ?1";
        db.prepare_cached(sql)?.execute(params![version, json!(changed).to_string(), said])?;
    }
    Ok(())
}
