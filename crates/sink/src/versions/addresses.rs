//! Finds the article of an address in an archive.

use rusqlite::{Connection, OptionalExtension, Result};

use super::ArticleKey;

/// The key of the article with this key (from the sink's function) or address; `None` if it is not in the archive, or if several
/// articles match.
pub(super) fn find_key(db: &Connection, key: &ArticleKey, url: &str) -> Result<Option<String>> {
    // The key finds an article by an index. An address whose key was made with other settings needs a scan. Tracking
    // parameters tell articles apart where there are several.
    let ways = [
        ("SELECT key FROM articles WHERE key = ?1", key.exact()),
        ("SELECT max(key) FROM articles WHERE stripped = ?1 HAVING count(*) = 1", &key.stripped),
        (
            "SELECT max(key) FROM articles WHERE id IN (SELECT article FROM versions WHERE url = ?1)
             HAVING count(*) = 1",
            url,
        ),
    ];
    for (sql, value) in ways {
        let found = db.prepare_cached(sql)?.query_row([value], |row| row.get(0)).optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
