//! Known visits, read again on purpose: what they say now replaces what was read of them.

use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use super::content::Content;
use super::place::place;
use super::readings::note;
use super::rows::{
    AFTER, BEFORE, Moment, Neighbour, Seen, describe, has_visit, neighbour, recount, rewrite,
    settle_truncated,
};

/// Reads a known visit again: it is taken out of its version and placed anew.
pub(super) fn reread(db: &Connection, seen: &Seen<'_>, version: i64, is_whole: bool) -> Result<()> {
    let old = Content::of(db, version)?;
    let is_same = seen.essence.changes_since(&old.essence).is_empty();
    if is_same {
        if begins(db, version)? == *seen.at {
            // What reads it may be another.
            rewrite(db, version, seen)?;
            recount(db, version)?;
            describe(db, seen.id, seen.at)?;
        }
        return Ok(());
    }
    take_out(db, seen, version, is_whole)?;
    let version = place(db, seen, is_whole, true)?;
    note(db, seen, &old, true)?;
    settle(db, seen, version, is_whole)
}

fn begins(db: &Connection, version: i64) -> Result<Moment> {
    let sql = "SELECT first_seen, record_id FROM versions WHERE id = ?1";
    let read = |row: &Row<'_>| Ok(Moment { fetched: row.get(0)?, record_id: row.get(1)? });
    db.prepare_cached(sql)?.query_row([version], read)
}

/// Takes a visit out of its version, which then begins with its next one. A version without any stays until
/// the visit is placed.
fn take_out(db: &Connection, seen: &Seen<'_>, version: i64, is_whole: bool) -> Result<()> {
    let sql = "DELETE FROM visits WHERE article = ?1 AND fetched = ?2 AND record_id = ?3";
    db.prepare_cached(sql)?.execute(params![seen.id, seen.at.fetched, seen.at.record_id])?;
    let sql = "UPDATE versions SET (first_seen, record_id, file, offset) =
            (SELECT fetched, record_id, file, offset FROM visits
             WHERE article = ?2 AND version = ?1 AND (truncated IS NULL) = ?3
             ORDER BY fetched, record_id LIMIT 1)
        WHERE id = ?1 AND EXISTS (SELECT 1 FROM visits
             WHERE article = ?2 AND version = ?1 AND (truncated IS NULL) = ?3)";
    db.prepare_cached(sql)?.execute(params![version, seen.id, is_whole])?;
    Ok(())
}

/// After a visit was placed anew: versions without visits go, neighbours of one content become one version, and
/// what is said of all of them is said again.
fn settle(db: &Connection, seen: &Seen<'_>, version: i64, is_whole: bool) -> Result<()> {
    if is_whole && has_visit(db, seen.id, false)? {
        settle_truncated(db, seen.id)?;
    }
    let sql = "DELETE FROM versions WHERE article = ?1
        AND NOT EXISTS (SELECT 1 FROM visits
            WHERE visits.article = ?1 AND visits.version = versions.id)";
    db.prepare_cached(sql)?.execute([seen.id])?;
    let mut version = version;
    let before = neighbour(db, seen.id, &begins(db, version)?, BEFORE, is_whole)?;
    if let Some(Neighbour { version: earlier, .. }) = before
        && is_one(db, earlier, version)?
    {
        join(db, seen.id, earlier, version)?;
        version = earlier;
    }
    let after = neighbour(db, seen.id, &last(db, seen.id, version)?, AFTER, is_whole)?;
    if let Some(Neighbour { version: later, .. }) = after
        && is_one(db, version, later)?
    {
        join(db, seen.id, version, later)?;
    }
    let sql = "SELECT id FROM versions WHERE article = ?1 ORDER BY first_seen, record_id";
    let all = db
        .prepare_cached(sql)?
        .query_map([seen.id], |row| row.get(0))?
        .collect::<Result<Vec<i64>>>()?;
    for version in all {
        let begins = recount(db, version)?;
        describe(db, seen.id, &begins)?;
    }
    Ok(())
}

fn is_one(db: &Connection, earlier: i64, later: i64) -> Result<bool> {
    let (earlier, later) = (Content::of(db, earlier)?, Content::of(db, later)?);
    Ok(later.essence.changes_since(&earlier.essence).is_empty())
}

fn join(db: &Connection, article: i64, earlier: i64, later: i64) -> Result<()> {
    let sql = "UPDATE visits SET version = ?2 WHERE article = ?1 AND version = ?3";
    db.prepare_cached(sql)?.execute(params![article, earlier, later])?;
    db.prepare_cached("DELETE FROM versions WHERE id = ?1")?.execute([later])?;
    Ok(())
}

/// The last visit of a version.
fn last(db: &Connection, article: i64, version: i64) -> Result<Moment> {
    let sql = "SELECT fetched, record_id FROM visits WHERE article = ?1 AND version = ?2
        ORDER BY fetched DESC, record_id DESC LIMIT 1";
    let read = |row: &Row<'_>| Ok(Moment { fetched: row.get(0)?, record_id: row.get(1)? });
    let found = db.prepare_cached(sql)?.query_row(params![article, version], read).optional()?;
    found.map_or_else(|| begins(db, version), Ok)
}
