//! Adds visits to the archive.
//!
//! The visits of an article are kept in the order of their dates. A version is a run of consecutive
//! visits with the same content. So crawls may be added in any order: an older one may extend a
//! version to an earlier date, become a version between two others, or split one.

use std::collections::BTreeMap;

use model::Extracted;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::absent::{self, seconds};
use super::essence::Essence;
use super::key::ArticleKey;
use super::place::place;
use super::reread::reread;
use super::rows::{AFTER, BEFORE, Moment, Neighbour, Seen, add, has_visit, neighbour};

/// What is known of the archive while a run adds to it.
#[derive(Debug)]
pub(super) struct Growth {
    /// Ids of input files.
    files: BTreeMap<String, i64>,
    /// Whether visits that are known are read again.
    rereads: bool,
}

impl Growth {
    /// Where `rereads`, visits that are known are read again: what they say replaces what was read of them.
    pub(super) fn new(rereads: bool) -> Self {
        Self { files: BTreeMap::new(), rereads }
    }

    /// Adds a visit. A visit that is in the archive already changes nothing, unless visits are read again. A truncated
    /// visit is ignored if a complete one is known.
    pub(super) fn visit(
        &mut self,
        db: &Connection,
        article: &Extracted,
        key: &ArticleKey,
    ) -> Result<()> {
        let essence = Essence::of(article);
        let id = article_id(db, key, article, &essence)?;
        self.visit_of(db, id, article, &essence)?;
        article.absence().map_or(Ok(()), |gone| absent::note(db, id, &gone))
    }

    /// Adds a visit of an article with a known id.
    fn visit_of(
        &mut self,
        db: &Connection,
        id: i64,
        article: &Extracted,
        essence: &Essence,
    ) -> Result<()> {
        let is_whole = article.origin.truncated.is_none();
        let has_whole = has_visit(db, id, true)?;
        let Some(at) = self.moment(db, id, article, essence)? else { return Ok(()) };
        absent::note_visit(db, id, &at.fetched)?;
        let file = self.file_id(db, &article.origin.file)?;
        let seen = Seen { id, at: &at, article, essence, file };
        let known = "SELECT version FROM visits
            WHERE article = ?1 AND fetched = ?2 AND record_id = ?3";
        let known = db
            .prepare_cached(known)?
            .query_row(params![id, at.fetched, at.record_id], |row| row.get(0))
            .optional()?;
        if let Some(version) = known {
            return match self.rereads && (is_whole || !has_whole) {
                true => reread(db, &seen, version, is_whole),
                false => Ok(()),
            };
        }
        if has_whole && !is_whole {
            let before = neighbour(db, id, &at, BEFORE, true)?;
            let in_force =
                before.map_or_else(|| neighbour(db, id, &at, AFTER, true), |v| Ok(Some(v)))?;
            return match in_force.filter(|_| article.fetched.is_some()) {
                Some(Neighbour { version, .. }) => add(db, &seen, version),
                None => Ok(()),
            };
        }
        place(db, &seen, is_whole, false)?;
        Ok(())
    }

    /// When the visit was. Of pages without a date, a payload or content that such a visit has shown before is
    /// nothing new: then there is none, unless that visit is to be read again.
    fn moment(
        &self,
        db: &Connection,
        article_id: i64,
        article: &Extracted,
        essence: &Essence,
    ) -> Result<Option<Moment>> {
        if let Some(fetched) = article.fetched {
            let record_id = article.origin.record_id.clone();
            return Ok(Some(Moment { fetched: seconds(fetched), record_id }));
        }
        let undated = "SELECT version, record_id, payload IS ?3 FROM visits
            WHERE article = ?1 AND fetched = '' AND (truncated IS NULL) = ?2
            ORDER BY payload IS ?3 DESC, record_id";
        let is_whole = article.origin.truncated.is_none();
        let visits = db
            .prepare_cached(undated)?
            .query_map(params![article_id, is_whole, article.payload], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?
            .collect::<Result<Vec<(i64, String, bool)>>>()?;
        for (version, record_id, is_same) in visits {
            if is_same && self.rereads {
                return Ok(Some(Moment { fetched: String::new(), record_id }));
            }
            if is_same || essence.changes_since(&Essence::stored(db, version)?).is_empty() {
                return Ok(None);
            }
        }
        let count = "SELECT count(*) FROM visits WHERE article = ?1 AND fetched = ''";
        let count: i64 = db.prepare_cached(count)?.query_row([article_id], |row| row.get(0))?;
        Ok(Some(Moment { fetched: String::new(), record_id: format!("{:08}", count + 1) }))
    }

    fn file_id(&mut self, db: &Connection, name: &str) -> Result<i64> {
        if let Some(&id) = self.files.get(name) {
            return Ok(id);
        }
        db.execute("INSERT INTO files (name) VALUES (?1) ON CONFLICT DO NOTHING", [name])?;
        let id = "SELECT id FROM files WHERE name = ?1";
        let id = db.query_row(id, [name], |row| row.get(0))?;
        self.files.insert(name.to_owned(), id);
        Ok(id)
    }
}

/// The article of a key. A key that is not in the archive belongs to another article if it differs
/// from that only in tracking parameters and has the content of one of its versions; else the
/// article is new.
fn article_id(
    db: &Connection,
    key: &ArticleKey,
    article: &Extracted,
    essence: &Essence,
) -> Result<i64> {
    let known = "SELECT id FROM articles WHERE key = ?1";
    let known = db.prepare_cached(known)?.query_row([key.exact()], |row| row.get(0)).optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    let alike = "SELECT versions.id, articles.id FROM versions
        JOIN articles ON articles.id = versions.article
        WHERE versions.digest = ?1 AND articles.stripped = ?2 ORDER BY articles.key, versions.id";
    let alike = db
        .prepare_cached(alike)?
        .query_map(params![essence.digest, key.stripped], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<Vec<(i64, i64)>>>()?;
    for (version, id) in alike {
        if essence.changes_since(&Essence::stored(db, version)?).is_empty() {
            return Ok(id);
        }
    }
    let new = "INSERT INTO articles (key, site, stripped) VALUES (?1, ?2, ?3)";
    db.prepare_cached(new)?.execute(params![key.exact(), article.site, key.stripped])?;
    Ok(db.last_insert_rowid())
}
