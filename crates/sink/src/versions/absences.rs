//! Records when the address of an article had no page.
//!
//! Responses without a page are stored as spans: the first and the last of consecutive equal responses without a visit between
//! them. So all nights on which an address stays gone take one row, and crawls may be added in any order.

use database::rows;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::Gone;
use rusqlite::{Connection, Result, params};

use super::{ArticleKey, GoneSpan};

impl GoneSpan {
    fn is_of(&self, gone: &Gone) -> bool {
        self.status == i64::from(gone.status) && self.moved_to == gone.moved_to
    }
}

const SPANS: &str = "SELECT first_seen, last_seen, status, moved_to FROM absences";

/// Formats a time as the archive stores it.
pub(super) fn seconds(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Records a response without a page at the address with this key, if the archive has its article.
pub(super) fn note_address(db: &Connection, key: &ArticleKey, gone: &Gone) -> Result<()> {
    let sql = "SELECT id FROM articles WHERE key IN (?1, ?2) ORDER BY key = ?1 DESC LIMIT 1";
    let id = rows::first(db, sql, [&key.own, &key.stripped], |row| row.get(0))?;
    id.map_or(Ok(()), |id| note_absence(db, id, gone))
}

/// Records a response without a page at the address of an article.
pub(super) fn note_absence(db: &Connection, article: i64, gone: &Gone) -> Result<()> {
    let at = seconds(gone.at);
    let find = |condition: &str| {
        let sql = format!("{SPANS} WHERE article = ?1 AND first_seen {condition} LIMIT 1");
        rows::first(db, &sql, params![article, at], rows::read_record)
    };
    let before: Option<GoneSpan> = find("<= ?2 ORDER BY first_seen DESC")?;
    let after = find("> ?2 ORDER BY first_seen")?;
    let single = GoneSpan {
        first_seen: at.clone(),
        last_seen: at.clone(),
        status: gone.status.into(),
        moved_to: gone.moved_to.clone(),
    };
    if let Some(span) = before.as_ref().filter(|span| span.last_seen >= at) {
        if !span.is_of(gone) && span.first_seen < at && at < span.last_seen {
            split(db, article, span)?;
            insert(db, article, &single)?;
        }
        return Ok(());
    }
    let visited = |from: &str, to: &str| {
        let sql = "SELECT 1 FROM visits WHERE article = ?1 AND fetched >= ?2 AND fetched <= ?3";
        rows::exists(db, sql, params![article, from, to])
    };
    let extends = match before.filter(|span| span.is_of(gone)) {
        Some(span) if !visited(&span.last_seen, &at)? => Some(span),
        _ => None,
    };
    let begins = match after.filter(|span| span.is_of(gone)) {
        Some(span) if !visited(&at, &span.first_seen)? => Some(span),
        _ => None,
    };
    if let Some(span) = &begins {
        let sql = "DELETE FROM absences WHERE article = ?1 AND first_seen = ?2";
        rows::change(db, sql, params![article, span.first_seen])?;
    }
    let last_seen = begins.map_or(at.clone(), |span| span.last_seen);
    match &extends {
        Some(span) => set_end(db, article, span, &last_seen),
        None => insert(db, article, &GoneSpan { last_seen, ..single }),
    }
}

/// Records a visit. It splits a span around it, since the page was there in between.
pub(super) fn note_presence(db: &Connection, article: i64, at: &str) -> Result<()> {
    let sql = format!("{SPANS} WHERE article = ?1 AND first_seen < ?2 AND last_seen > ?2");
    let span = rows::first(db, &sql, params![article, at], rows::read_record)?;
    span.map_or(Ok(()), |span| split(db, article, &span))
}

/// Splits a span into two: one with its first response, one with its last response.
fn split(db: &Connection, article: i64, span: &GoneSpan) -> Result<()> {
    set_end(db, article, span, &span.first_seen)?;
    insert(db, article, &GoneSpan { first_seen: span.last_seen.clone(), ..span.clone() })
}

fn insert(db: &Connection, article: i64, span: &GoneSpan) -> Result<()> {
    let sql = "INSERT INTO absences (article, first_seen, last_seen, status, moved_to)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let GoneSpan { first_seen, last_seen, status, moved_to } = span;
    rows::change(db, sql, params![article, first_seen, last_seen, status, moved_to]).map(drop)
}

fn set_end(db: &Connection, article: i64, span: &GoneSpan, last: &str) -> Result<()> {
    let sql = "UPDATE absences SET last_seen = ?3 WHERE article = ?1 AND first_seen = ?2";
    rows::change(db, sql, params![article, span.first_seen, last]).map(drop)
}
