//! Notes when the address of an article had no page.
//!
//! Answers without a page are kept as spans: the first and the last of consecutive equal ones, between which no visit
//! lies. So the nights on which an address stays gone take one row, and crawls may be added in any order.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::Gone;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use super::key::ArticleKey;

/// A span of equal answers.
#[derive(Debug)]
struct Span {
    first: String,
    last: String,
    status: u16,
    moved_to: Option<String>,
}

impl Span {
    fn of(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            first: row.get(0)?,
            last: row.get(1)?,
            status: row.get(2)?,
            moved_to: row.get(3)?,
        })
    }

    fn is_of(&self, gone: &Gone) -> bool {
        self.status == gone.status && self.moved_to == gone.moved_to
    }
}

/// A time as the archive has it.
pub(super) fn seconds(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Notes an answer without a page at the address with this key, if the archive has its article.
pub(super) fn note_address(db: &Connection, key: &ArticleKey, gone: &Gone) -> Result<()> {
    let sql = "SELECT id FROM articles WHERE key IN (?1, ?2) ORDER BY key = ?1 DESC LIMIT 1";
    let id = db
        .prepare_cached(sql)?
        .query_row([&key.own, &key.stripped], |row| row.get(0))
        .optional()?;
    id.map_or(Ok(()), |id| note(db, id, gone))
}

/// Notes an answer without a page at the address of an article.
pub(super) fn note(db: &Connection, article: i64, gone: &Gone) -> Result<()> {
    let at = seconds(gone.at);
    let columns = "SELECT first_seen, last_seen, status, moved_to FROM absences WHERE article = ?1";
    let before = format!("{columns} AND first_seen <= ?2 ORDER BY first_seen DESC LIMIT 1");
    let before =
        db.prepare_cached(&before)?.query_row(params![article, at], Span::of).optional()?;
    let after = format!("{columns} AND first_seen > ?2 ORDER BY first_seen LIMIT 1");
    let after = db.prepare_cached(&after)?.query_row(params![article, at], Span::of).optional()?;
    if let Some(span) = before.as_ref().filter(|span| span.last >= at) {
        if !span.is_of(gone) && span.first < at && at < span.last {
            split(db, article, span)?;
            insert(db, article, &at, &at, gone.status, gone.moved_to.as_deref())?;
        }
        return Ok(());
    }
    let visited = |from: &str, to: &str| {
        let sql = "SELECT 1 FROM visits WHERE article = ?1 AND fetched >= ?2 AND fetched <= ?3";
        db.prepare_cached(sql)?.exists(params![article, from, to])
    };
    let extends = match before.filter(|span| span.is_of(gone)) {
        Some(span) if !visited(&span.last, &at)? => Some(span),
        _ => None,
    };
    let begins = match after.filter(|span| span.is_of(gone)) {
        Some(span) if !visited(&at, &span.first)? => Some(span),
        _ => None,
    };
    let last = begins.as_ref().map_or(&at, |span| &span.last);
    if let Some(span) = &begins {
        remove(db, article, span)?;
    }
    match &extends {
        Some(span) => extend(db, article, span, last),
        None => insert(db, article, &at, last, gone.status, gone.moved_to.as_deref()),
    }
}

/// Notes a visit: the page was there between the answers of a span that it lies in.
pub(super) fn note_visit(db: &Connection, article: i64, at: &str) -> Result<()> {
    let sql = "SELECT first_seen, last_seen, status, moved_to FROM absences
        WHERE article = ?1 AND first_seen < ?2 AND last_seen > ?2";
    let span = db.prepare_cached(sql)?.query_row(params![article, at], Span::of).optional()?;
    span.map_or(Ok(()), |span| split(db, article, &span))
}

/// Leaves of a span its first answer, and of its last one a span of its own.
fn split(db: &Connection, article: i64, span: &Span) -> Result<()> {
    extend(db, article, span, &span.first)?;
    insert(db, article, &span.last, &span.last, span.status, span.moved_to.as_deref())
}

fn insert(
    db: &Connection,
    article: i64,
    first: &str,
    last: &str,
    status: u16,
    moved_to: Option<&str>,
) -> Result<()> {
    let sql = "INSERT INTO absences (article, first_seen, last_seen, status, moved_to)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    db.prepare_cached(sql)?.execute(params![article, first, last, status, moved_to])?;
    Ok(())
}

fn extend(db: &Connection, article: i64, span: &Span, last: &str) -> Result<()> {
    let sql = "UPDATE absences SET last_seen = ?3 WHERE article = ?1 AND first_seen = ?2";
    db.prepare_cached(sql)?.execute(params![article, span.first, last])?;
    Ok(())
}

fn remove(db: &Connection, article: i64, span: &Span) -> Result<()> {
    let sql = "DELETE FROM absences WHERE article = ?1 AND first_seen = ?2";
    db.prepare_cached(sql)?.execute(params![article, span.first])?;
    Ok(())
}
