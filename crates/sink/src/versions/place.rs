//! The place of a visit among those of its article: in a version, between two, or at the start of one.

use rusqlite::{Connection, Result, params};

use super::content::Content;
use super::essence::Essence;
use super::readings::{note_reading, note_replaced};
use super::rows::{
    AFTER, BEFORE, Neighbour, Seen, add, describe, following, has_visit, insert, neighbour, offset,
    part, recount, rewrite, settle_truncated, write,
};

/// Gives a visit its place among those of its article, and returns its version. Where `rereads`, it is one that
/// was known before and is read again.
pub(super) fn place(
    db: &Connection,
    seen: &Seen<'_>,
    is_whole: bool,
    rereads: bool,
) -> Result<i64> {
    let Seen { id, at, .. } = *seen;
    let before = neighbour(db, id, at, BEFORE, is_whole)?;
    let after = neighbour(db, id, at, AFTER, is_whole)?;
    let version = match (same(db, seen, &before)?, &before, &after) {
        (Some(version), ..) => {
            take_in(db, seen, version, rereads)?;
            version
        }
        (None, Some(b), Some(a)) if a.version == b.version => {
            part(db, id, a)?;
            insert(db, seen)?
        }
        _ => match same(db, seen, &after)? {
            Some(version) => {
                if !rereads {
                    note_replaced(db, seen, version, &Content::of(db, version)?)?;
                }
                write(db, Some(version), seen, at, (seen.file, offset(seen.article)))?;
                version
            }
            None => insert(db, seen)?,
        },
    };
    add(db, seen, version)?;
    if is_whole && has_visit(db, id, false)? {
        settle_truncated(db, id)?;
    }
    let begun = recount(db, version)?;
    if begun == *at {
        describe(db, id, &begun)?;
    }
    if let Some(later) = following(db, id, &begun)? {
        // Of the common case, the newest visit of all, nothing comes after.
        if begun == *at || before.is_some_and(|b| b.version != version) {
            describe(db, id, &later)?;
        }
    }
    Ok(version)
}

/// A visit joins a version that began before. The same payload may have been read differently: that is
/// noted, and the version keeps what it was read as first; read again on purpose, it is what it is read as
/// now.
fn take_in(db: &Connection, seen: &Seen<'_>, version: i64, rereads: bool) -> Result<()> {
    let old = Content::of(db, version)?;
    if seen.essence.changes_since(&old.essence).is_empty() {
        return Ok(());
    }
    match rereads {
        true => rewrite(db, version, seen),
        false => note_reading(db, seen, version, &old),
    }
}

/// The version of a neighbour, if the visit has the same content, or the same payload as a visit of it.
fn same(db: &Connection, seen: &Seen<'_>, neighbour: &Option<Neighbour>) -> Result<Option<i64>> {
    let Some(Neighbour { version, .. }) = *neighbour else { return Ok(None) };
    let alike = "SELECT 1 FROM visits WHERE article = ?1 AND version = ?2 AND payload = ?3";
    let alike =
        db.prepare_cached(alike)?.exists(params![seen.id, version, seen.article.payload])?;
    let is_same = alike || seen.essence.changes_since(&Essence::stored(db, version)?).is_empty();
    Ok(is_same.then_some(version))
}
