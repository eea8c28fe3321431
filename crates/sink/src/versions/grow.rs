//! Adds visits to the archive.
//!
//! The visits of an article are kept in the order of their dates. A version is a run of consecutive
//! visits with the same content. So crawls may be added in any order: an older one may extend a
//! version to an earlier date, become a version between two others, or split one.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use model::{Article, Field};
use rusqlite::{Connection, OptionalExtension, Result, Row, named_params, params};
use serde_json::json;

use super::describe::{Told, diff};
use super::essence::{Described, Essence};
use super::key::ArticleKey;

/// State of the archive while a run adds to it.
#[derive(Debug, Default)]
pub(super) struct Growth {
    /// Ids of input files.
    files: BTreeMap<String, i64>,
}

/// The position of a visit among the visits of an article.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    /// RFC 3339, UTC, whole seconds: comparable as text. Empty for a page without a date, which
    /// sorts before all others.
    fetched: String,
    /// Distinguishes visits in the same second; a sequence number for pages without a date.
    record_id: String,
}

/// The previous or next visit.
struct Neighbour {
    version: i64,
    at: Moment,
    file: i64,
    offset: i64,
}

impl Growth {
    /// Adds a visit. A known visit changes nothing, whatever its content. A truncated visit is no
    /// evidence of the content if a complete one is known.
    pub(super) fn visit(
        &mut self,
        db: &Connection,
        article: &Article,
        key: &ArticleKey,
    ) -> Result<()> {
        let essence = Essence::of(article);
        let id = article_id(db, key, article, &essence)?;
        let is_whole = article.origin.truncated.is_none();
        let has_whole = has_visit(db, id, true)?;
        let Some(at) = moment(db, id, article, &essence)? else { return Ok(()) };
        let file = self.file_id(db, &article.origin.file)?;
        let known = "SELECT 1 FROM visits WHERE article = ?1 AND fetched = ?2 AND record_id = ?3";
        let known = db.prepare_cached(known)?.exists(params![id, at.fetched, at.record_id])?;
        if known {
            return Ok(());
        }
        if has_whole && !is_whole {
            let before = neighbour(db, id, &at, BEFORE, true)?;
            let in_force =
                before.map_or_else(|| neighbour(db, id, &at, AFTER, true), |v| Ok(Some(v)))?;
            return match in_force.filter(|_| article.fetched.is_some()) {
                Some(Neighbour { version, .. }) => add(db, id, &at, file, article, version),
                None => Ok(()),
            };
        }
        let before = neighbour(db, id, &at, BEFORE, is_whole)?;
        let after = neighbour(db, id, &at, AFTER, is_whole)?;
        let same = |neighbour: &Option<Neighbour>| -> Result<Option<i64>> {
            match neighbour {
                Some(n) => Ok(essence
                    .changes_since(&essence_of(db, n.version)?)
                    .is_empty()
                    .then_some(n.version)),
                None => Ok(None),
            }
        };
        let version = match (same(&before)?, &before, &after) {
            (Some(version), ..) => version,
            (None, Some(b), Some(a)) if a.version == b.version => {
                part(db, id, a)?;
                insert(db, id, &at, article, &essence, file)?
            }
            _ => match same(&after)? {
                Some(version) => {
                    write(db, Some(version), id, &at, article, &essence, file)?;
                    version
                }
                None => insert(db, id, &at, article, &essence, file)?,
            },
        };
        add(db, id, &at, file, article, version)?;
        if is_whole && has_visit(db, id, false)? {
            settle_truncated(db, id)?;
        }
        let begun = recount(db, version)?;
        if begun == at {
            describe(db, id, &begun)?;
        }
        if let Some(later) = following(db, id, &begun)? {
            // In the common case, the newest of all visits, none comes after it.
            if begun == at || before.is_some_and(|b| b.version != version) {
                describe(db, id, &later)?;
            }
        }
        Ok(())
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
    article: &Article,
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
        if essence.changes_since(&essence_of(db, version)?).is_empty() {
            return Ok(id);
        }
    }
    let new = "INSERT INTO articles (key, site, stripped) VALUES (?1, ?2, ?3)";
    db.prepare_cached(new)?.execute(params![key.exact(), article.site, key.stripped])?;
    Ok(db.last_insert_rowid())
}

/// Whether an article has a complete visit, or a truncated one.
fn has_visit(db: &Connection, article: i64, whole: bool) -> Result<bool> {
    let sql = "SELECT 1 FROM visits WHERE article = ?1 AND (truncated IS NULL) = ?2 LIMIT 1";
    db.prepare_cached(sql)?.exists(params![article, whole])
}

fn add(
    db: &Connection,
    id: i64,
    at: &Moment,
    file: i64,
    article: &Article,
    version: i64,
) -> Result<()> {
    let sql = "INSERT INTO visits VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let model::Origin { offset, truncated, .. } = &article.origin;
    db.prepare_cached(sql)?.execute(params![
        id,
        at.fetched,
        at.record_id,
        file,
        *offset as i64,
        version,
        truncated
    ])?;
    Ok(())
}

/// Assigns each truncated visit to the version of the complete visit before it, else of the one
/// after it. Versions of truncated visits alone are removed.
fn settle_truncated(db: &Connection, article: i64) -> Result<()> {
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

/// The position of the visit. For pages without a date, `None` if the content was already seen in
/// such a visit: then it is not new.
fn moment(
    db: &Connection,
    article_id: i64,
    article: &Article,
    essence: &Essence,
) -> Result<Option<Moment>> {
    if let Some(fetched) = article.fetched {
        let fetched = fetched.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let record_id = article.origin.record_id.clone();
        return Ok(Some(Moment { fetched, record_id }));
    }
    let undated = "SELECT DISTINCT version FROM visits
        WHERE article = ?1 AND fetched = '' AND (truncated IS NULL) = ?2";
    let versions = db
        .prepare_cached(undated)?
        .query_map(params![article_id, article.origin.truncated.is_none()], |row| row.get(0))?
        .collect::<Result<Vec<i64>>>()?;
    for version in versions {
        if essence.changes_since(&essence_of(db, version)?).is_empty() {
            return Ok(None);
        }
    }
    let count = "SELECT count(*) FROM visits WHERE article = ?1 AND fetched = ''";
    let count: i64 = db.prepare_cached(count)?.query_row([article_id], |row| row.get(0))?;
    Ok(Some(Moment { fetched: String::new(), record_id: format!("{:08}", count + 1) }))
}

const BEFORE: &str = "SELECT version, fetched, record_id, file, offset FROM visits
    WHERE article = ?1 AND (fetched, record_id) < (?2, ?3) AND (truncated IS NULL) = ?4
    ORDER BY fetched DESC, record_id DESC LIMIT 1";
const AFTER: &str = "SELECT version, fetched, record_id, file, offset FROM visits
    WHERE article = ?1 AND (fetched, record_id) > (?2, ?3) AND (truncated IS NULL) = ?4
    ORDER BY fetched, record_id LIMIT 1";

/// The next visit before or after, complete or truncated.
fn neighbour(
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

fn strings(row: &Row<'_>, at: usize) -> Result<Vec<String>> {
    let json: String = row.get(at)?;
    Ok(serde_json::from_str(&json).unwrap_or_default())
}

/// The content of a version for comparison.
fn essence_of(db: &Connection, version: i64) -> Result<Essence> {
    let sql = "SELECT digest, title, authors, published, description, tags,
        sources ->> 'description', sources ->> 'tags' FROM versions WHERE id = ?1";
    db.prepare_cached(sql)?.query_row([version], |row| {
        let source = |at| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
        let tags = strings(row, 5)?;
        Ok(Essence {
            digest: row.get(0)?,
            title: row.get(1)?,
            authors: strings(row, 2)?,
            published: row.get(3)?,
            description: Described { value: row.get(4)?, source: source(6)? },
            tags: Described { value: (!tags.is_empty()).then_some(tags), source: source(7)? },
        })
    })
}

/// Writes a new version that begins with a visit.
fn insert(
    db: &Connection,
    article_id: i64,
    at: &Moment,
    article: &Article,
    essence: &Essence,
    file: i64,
) -> Result<i64> {
    write(db, None, article_id, at, article, essence, file)?;
    Ok(db.last_insert_rowid())
}

/// Writes a version: a new one, or one that now begins with an earlier visit and gets its content.
fn write(
    db: &Connection,
    version: Option<i64>,
    article_id: i64,
    at: &Moment,
    article: &Article,
    essence: &Essence,
    file: i64,
) -> Result<()> {
    let m = &article.metadata;
    let text = |field: &Option<Field<String>>| field.as_ref().map(|f| f.value.clone());
    let list = |field: &Option<Field<Vec<String>>>| {
        json!(field.as_ref().map_or(&[][..], |f| &f.value)).to_string()
    };
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
        :truncated)";
    db.prepare_cached(sql)?.execute(named_params! {
        ":id": version,
        ":article": article_id,
        ":fetched": at.fetched,
        ":url": article.url,
        ":title": text(&m.title),
        ":authors": list(&m.authors),
        ":published": text(&m.published),
        ":modified": text(&m.modified),
        ":language": text(&m.language),
        ":description": text(&m.description),
        ":image": text(&m.image),
        ":tags": list(&m.tags),
        ":canonical": text(&m.canonical),
        ":site_name": text(&m.site_name),
        ":sources": json!(crate::articles::Sources::of(m)).to_string(),
        ":text": article.text,
        ":html": article.html,
        ":digest": essence.digest,
        ":record_id": at.record_id,
        ":file": file,
        ":offset": article.origin.offset as i64,
        ":template": article.template,
        ":wrapper": wrapper.to_string(),
        ":confidence": crate::articles::rounded(article.confidence),
        ":program": concat!("sitegrove ", env!("CARGO_PKG_VERSION")),
        ":truncated": article.origin.truncated,
    })?;
    Ok(())
}

/// Splits the version of a visit before that visit. The later part becomes a separate version with
/// the same content.
fn part(db: &Connection, article: i64, from: &Neighbour) -> Result<()> {
    let columns = "url, title, authors, published, modified, language, description, image, tags,
        canonical, site_name, sources, text, html, digest, template, wrapper, confidence, program,
        truncated";
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

/// Counts the visits of a version and updates its last date; returns its beginning.
fn recount(db: &Connection, version: i64) -> Result<Moment> {
    let sql = "UPDATE versions SET (visits, last_seen) =
        (SELECT count(*), max(fetched) FROM visits
         WHERE visits.article = versions.article AND visits.version = versions.id
         AND (visits.truncated IS NULL) = (versions.truncated IS NULL))
        WHERE id = ?1 RETURNING first_seen, record_id";
    db.prepare_cached(sql)?
        .query_row([version], |row| Ok(Moment { fetched: row.get(0)?, record_id: row.get(1)? }))
}

/// The beginning of the version after this position.
fn following(db: &Connection, article: i64, at: &Moment) -> Result<Option<Moment>> {
    let sql = "SELECT first_seen, record_id FROM versions
        WHERE article = ?1 AND (first_seen, record_id) > (?2, ?3)
        ORDER BY first_seen, record_id LIMIT 1";
    let read = |row: &Row<'_>| Ok(Moment { fetched: row.get(0)?, record_id: row.get(1)? });
    db.prepare_cached(sql)?.query_row(params![article, at.fetched, at.record_id], read).optional()
}

/// Describes how the version that begins at this position differs from the previous one.
fn describe(db: &Connection, article: i64, begins: &Moment) -> Result<()> {
    let sql = "SELECT id, title, authors, published, description, tags, text FROM versions
        WHERE article = ?1 AND (first_seen, record_id) <= (?2, ?3)
        ORDER BY first_seen DESC, record_id DESC LIMIT 2";
    let read = |row: &Row<'_>| {
        let told = Told {
            title: row.get(1)?,
            authors: strings(row, 2)?,
            published: row.get(3)?,
            description: row.get(4)?,
            tags: strings(row, 5)?,
            text: row.get(6)?,
        };
        Ok((row.get::<_, i64>(0)?, told))
    };
    let found = db
        .prepare_cached(sql)?
        .query_map(params![article, begins.fetched, begins.record_id], read)?
        .collect::<Result<Vec<_>>>()?;
    let (changed, said) = match &found[..] {
        [(new, after), (old, before)] => {
            let changed = essence_of(db, *new)?.changes_since(&essence_of(db, *old)?);
            let said = diff(before, after, &changed);
            (changed, Some(said))
        }
        _ => (Vec::new(), None),
    };
    if let Some((version, _)) = found.first() {
        let sql = "UPDATE versions SET changed = ?2, diff = ?3 WHERE id = ?1";
        db.prepare_cached(sql)?.execute(params![version, json!(changed).to_string(), said])?;
    }
    Ok(())
}
