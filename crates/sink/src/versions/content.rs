//! The content of a version, read back.

use rusqlite::{Connection, Result, Row};

use super::describe::Told;
use super::essence::{Described, Essence};

/// The content of a version: what is compared of it, and what is shown.
pub(super) struct Content {
    pub(super) essence: Essence,
    pub(super) told: Told,
}

impl Content {
    /// That of a stored version.
    pub(super) fn of(db: &Connection, version: i64) -> Result<Self> {
        let essence = Essence::stored(db, version)?;
        let sql = "SELECT text FROM versions WHERE id = ?1";
        let text: String = db.prepare_cached(sql)?.query_row([version], |row| row.get(0))?;
        Ok(Self { told: Told::new(&essence, &text), essence })
    }
}

impl Essence {
    /// The content of a stored version, as far as it is compared.
    pub(super) fn stored(db: &Connection, version: i64) -> Result<Self> {
        let sql = "SELECT digest, title, authors, published, description, tags,
            sources ->> 'description', sources ->> 'tags' FROM versions WHERE id = ?1";
        db.prepare_cached(sql)?.query_row([version], |row| {
            let source = |at| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
            let tags = strings(row, 5)?;
            Ok(Self {
                digest: row.get(0)?,
                title: row.get(1)?,
                authors: strings(row, 2)?,
                published: row.get(3)?,
                description: Described { value: row.get(4)?, source: source(6)? },
                tags: Described { value: (!tags.is_empty()).then_some(tags), source: source(7)? },
            })
        })
    }
}

/// A list of strings, which is stored as JSON.
pub(super) fn strings(row: &Row<'_>, at: usize) -> Result<Vec<String>> {
    let json: String = row.get(at)?;
    Ok(serde_json::from_str(&json).unwrap_or_default())
}
