//! Payloads that were read differently: the page is the same, the model or the program is another.

use rusqlite::{Connection, Result, params};
use serde_json::json;

use super::content::Content;
use super::describe::{Told, diff};
use super::rows::{PROGRAM, Seen};

/// Notes that a visit was read differently from its version, which keeps its content. The same reading of one
/// version is noted once.
pub(super) fn note_reading(
    db: &Connection,
    seen: &Seen<'_>,
    version: i64,
    old: &Content,
) -> Result<()> {
    let changed = json!(seen.essence.changes_since(&old.essence)).to_string();
    let known = "SELECT 1 FROM readings JOIN visits USING (article, fetched, record_id)
        WHERE article = ?1 AND version = ?2 AND digest = ?3 AND changed = ?4";
    if db.prepare_cached(known)?.exists(params![seen.id, version, seen.essence.digest, changed])? {
        return Ok(());
    }
    note(db, seen, old, false)
}

/// Notes that the content of a version gives way to what an earlier visit saw: of one payload, that is how the
/// later visit was read.
pub(super) fn note_replaced(
    db: &Connection,
    seen: &Seen<'_>,
    version: i64,
    old: &Content,
) -> Result<()> {
    let changed = old.essence.changes_since(seen.essence);
    if changed.is_empty() {
        return Ok(());
    }
    let said = diff(&Told::new(seen.essence, &seen.article.text), &old.told, &changed);
    let sql = "INSERT INTO readings (article, fetched, record_id, changed, diff, digest,
            model_revision, program, replaced)
        SELECT article, first_seen, record_id, ?2, ?3, digest, model_revision, program, 0
        FROM versions WHERE id = ?1";
    let changed = json!(changed).to_string();
    db.prepare_cached(sql)?.execute(params![version, changed, said])?;
    Ok(())
}

/// Notes that a visit was read differently from an earlier reading of it.
pub(super) fn note(db: &Connection, seen: &Seen<'_>, old: &Content, replaced: bool) -> Result<()> {
    let changed = seen.essence.changes_since(&old.essence);
    let said = diff(&old.told, &Told::new(seen.essence, &seen.article.text), &changed);
    let sql = "INSERT INTO readings (article, fetched, record_id, changed, diff, digest,
            model_revision, program, replaced)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    db.prepare_cached(sql)?.execute(params![
        seen.id,
        seen.at.fetched,
        seen.at.record_id,
        json!(changed).to_string(),
        said,
        seen.essence.digest,
        seen.article.model_revision,
        PROGRAM,
        replaced,
    ])?;
    Ok(())
}
