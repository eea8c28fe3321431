//! Adds visits to the archive.
//!
//! The visits of an article are ordered by date. A version is a run of consecutive visits with the same content. Crawls
//! may be added in any order: an older one may extend a version to an earlier date, become a version between two others, or
//! split one. If a page did not change but was read differently, by another model or program, that does not make a new
//! version. It is recorded in the table `readings` instead.

use std::collections::BTreeMap;

use database::rows;
use model::{Extracted, Verdict, rounded};
use rusqlite::{Connection, Result, Row, named_params, params};
use serde_json::json;

use super::ArticleKey;
use super::absences::{note_absence, note_presence, seconds};
use super::content::{ArticleContent, diff};
use super::corrections::note_outdated;

/// Name and version of this program, as archives have it.
const PROGRAM: &str = concat!("sitegrove ", env!("CARGO_PKG_VERSION"));

/// Time of a visit, which orders the visits of an article.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct VisitTime {
    /// RFC 3339, UTC, whole seconds, so it can be compared as text. Empty for a page without a date, which comes first.
    fetched: String,
    /// Distinguishes visits in the same second. For pages without a date, a running number.
    record_id: String,
}

impl VisitTime {
    /// Reads the first two columns of a row.
    fn read(row: &Row<'_>) -> Result<Self> {
        Ok(Self { fetched: row.get(0)?, record_id: row.get(1)? })
    }
}

/// A visit of an article, as this run read its page.
struct Visit<'a> {
    article_id: i64,
    at: VisitTime,
    article: &'a Extracted,
    content: &'a ArticleContent,
    file: i64,
}

impl Visit<'_> {
    fn is_whole(&self) -> bool {
        self.article.origin.truncated.is_none()
    }

    fn offset(&self) -> i64 {
        self.article.origin.offset as i64
    }
}

struct Neighbour {
    at: VisitTime,
    version: i64,
    file: i64,
    offset: i64,
}

/// Adds visits to an archive during one run.
#[derive(Debug)]
pub(super) struct VisitWriter {
    files: BTreeMap<String, i64>,
    rereads: bool,
    is_corrected: bool,
}

impl VisitWriter {
    /// `rereads`: what this run finds replaces the content of known visits. `is_corrected`: the archive has corrections that are
    /// in force.
    pub(super) fn new(rereads: bool, is_corrected: bool) -> Self {
        Self { files: BTreeMap::new(), rereads, is_corrected }
    }

    /// Adds a visit. A visit that the archive already has changes nothing, unless visits are read again. A truncated visit does
    /// not change a version if a complete one is known.
    pub(super) fn add_article(
        &mut self,
        db: &Connection,
        article: &Extracted,
        key: &ArticleKey,
    ) -> Result<()> {
        let content = ArticleContent::of(article);
        let id = article_id(db, key, article, &content)?;
        self.add_visit(db, id, article, &content)?;
        if self.is_corrected {
            note_outdated(db, id)?;
        }
        article.absence().map_or(Ok(()), |gone| note_absence(db, id, &gone))
    }

    fn add_visit(
        &mut self,
        db: &Connection,
        article_id: i64,
        article: &Extracted,
        content: &ArticleContent,
    ) -> Result<()> {
        let has_whole = has_visit(db, article_id, true)?;
        let Some(at) = self.time_of(db, article_id, article, content)? else { return Ok(()) };
        note_presence(db, article_id, &at.fetched)?;
        let file = self.file_id(db, &article.origin.file)?;
        let visit = Visit { article_id, at, article, content, file };
        let known =
            "SELECT version FROM visits WHERE article = ?1 AND fetched = ?2 AND record_id = ?3";
        let at = params![article_id, visit.at.fetched, visit.at.record_id];
        if let Some(version) = rows::first(db, known, at, |row| row.get(0))? {
            return match self.rereads && (visit.is_whole() || !has_whole) {
                true => reread(db, &visit, version),
                false => Ok(()),
            };
        }
        if has_whole && !visit.is_whole() {
            let before = neighbour(db, article_id, &visit.at, BEFORE, true)?;
            let nearest = match before {
                Some(before) => Some(before),
                None => neighbour(db, article_id, &visit.at, AFTER, true)?,
            };
            return match nearest.filter(|_| article.fetched.is_some()) {
                Some(Neighbour { version, .. }) => insert_visit(db, &visit, version),
                None => Ok(()),
            };
        }
        place(db, &visit, false).map(drop)
    }

    /// Returns the time of the visit; `None` if the page has no date and an earlier visit without a date had the same payload or
    /// content, unless that visit is to be read again.
    fn time_of(
        &self,
        db: &Connection,
        article_id: i64,
        article: &Extracted,
        content: &ArticleContent,
    ) -> Result<Option<VisitTime>> {
        if let Some(fetched) = article.fetched {
            let record_id = article.origin.record_id.clone();
            return Ok(Some(VisitTime { fetched: seconds(fetched), record_id }));
        }
        let undated = "SELECT fetched, record_id, version, payload IS ?3 FROM visits
            WHERE article = ?1 AND fetched = '' AND (truncated IS NULL) = ?2
            ORDER BY payload IS ?3 DESC, record_id";
        let is_whole = article.origin.truncated.is_none();
        let known = params![article_id, is_whole, article.payload];
        let visits: Vec<(VisitTime, i64, bool)> = rows::all(db, undated, known, |row| {
            Ok((VisitTime::read(row)?, row.get(2)?, row.get(3)?))
        })?;
        for (at, version, is_same) in visits {
            if is_same && self.rereads {
                return Ok(Some(at));
            }
            if is_same || content.is_same(&ArticleContent::stored(db, version)?) {
                return Ok(None);
            }
        }
        let count = "SELECT count(*) FROM visits WHERE article = ?1 AND fetched = ''";
        let count: i64 = db.prepare_cached(count)?.query_row([article_id], |row| row.get(0))?;
        Ok(Some(VisitTime { fetched: String::new(), record_id: format!("{:08}", count + 1) }))
    }

    fn file_id(&mut self, db: &Connection, name: &str) -> Result<i64> {
        if let Some(&id) = self.files.get(name) {
            return Ok(id);
        }
        db.execute("INSERT INTO files (name) VALUES (?1) ON CONFLICT DO NOTHING", [name])?;
        let id = db.query_row("SELECT id FROM files WHERE name = ?1", [name], |row| row.get(0))?;
        self.files.insert(name.to_owned(), id);
        Ok(id)
    }
}

/// Finds or creates the article of a key. An unknown key belongs to an existing article if both keys differ only in tracking
/// parameters and the content is that of one of its versions.
fn article_id(
    db: &Connection,
    key: &ArticleKey,
    article: &Extracted,
    content: &ArticleContent,
) -> Result<i64> {
    let known = "SELECT id FROM articles WHERE key = ?1";
    if let Some(id) = rows::first(db, known, [key.exact()], |row| row.get(0))? {
        return Ok(id);
    }
    let alike = "SELECT versions.id, articles.id FROM versions
        JOIN articles ON articles.id = versions.article
        WHERE versions.digest = ?1 AND articles.stripped = ?2 ORDER BY articles.key, versions.id";
    let alike: Vec<(i64, i64)> =
        rows::all(db, alike, params![content.digest, key.stripped], |row| row.try_into())?;
    for (version, id) in alike {
        if content.is_same(&ArticleContent::stored(db, version)?) {
            return Ok(id);
        }
    }
    let new = "INSERT INTO articles (key, site, stripped) VALUES (?1, ?2, ?3)";
    rows::change(db, new, params![key.exact(), article.site, key.stripped])?;
    Ok(db.last_insert_rowid())
}

/// Places a visit among the visits of its article: in a version, between two versions, or at the start of one. Returns its
/// version. `rereads` is set if the visit was known before and is read again.
fn place(db: &Connection, visit: &Visit<'_>, rereads: bool) -> Result<i64> {
    let Visit { article_id, at, .. } = visit;
    let before = neighbour(db, *article_id, at, BEFORE, visit.is_whole())?;
    let after = neighbour(db, *article_id, at, AFTER, visit.is_whole())?;
    let version = match (version_shared(db, visit, &before)?, &before, &after) {
        (Some(version), ..) => {
            extend_version(db, visit, version, rereads)?;
            version
        }
        (None, Some(b), Some(a)) if a.version == b.version => {
            split_version(db, *article_id, a)?;
            insert_version(db, visit)?
        }
        _ => match version_shared(db, visit, &after)? {
            Some(version) => {
                if !rereads {
                    note_replaced(db, visit, version)?;
                }
                write_version(db, Some(version), visit, at, (visit.file, visit.offset()))?;
                version
            }
            None => insert_version(db, visit)?,
        },
    };
    insert_visit(db, visit, version)?;
    if visit.is_whole() && has_visit(db, *article_id, false)? {
        settle_truncated(db, *article_id)?;
    }
    let begun = recount(db, version)?;
    if begun == *at {
        describe(db, *article_id, &begun)?;
    }
    if let Some(later) = following(db, *article_id, &begun)? {
        // In the common case, the newest visit of all, no version follows.
        if begun == *at || before.is_some_and(|b| b.version != version) {
            describe(db, *article_id, &later)?;
        }
    }
    Ok(version)
}

/// Adds a visit to a version that began before. If the same payload is read differently, that is recorded and the version keeps
/// its first reading. If it was read again on purpose, the new reading replaces the content of the version.
fn extend_version(db: &Connection, visit: &Visit<'_>, version: i64, rereads: bool) -> Result<()> {
    let old = ArticleContent::stored(db, version)?;
    if visit.content.is_same(&old) {
        return Ok(());
    }
    if rereads {
        return rewrite_version(db, version, visit);
    }
    // The same different reading of a version is recorded only once.
    let changed = json!(visit.content.changes_since(&old)).to_string();
    let known = "SELECT 1 FROM readings JOIN visits USING (article, fetched, record_id)
        WHERE article = ?1 AND version = ?2 AND digest = ?3 AND changed = ?4";
    let own = params![visit.article_id, version, visit.content.digest, changed];
    if rows::exists(db, known, own)? { Ok(()) } else { note_reading(db, visit, &old, false) }
}

/// Returns the version of a neighbour if the visit has the same content as the version, or the payload of one of its visits.
fn version_shared(
    db: &Connection,
    visit: &Visit<'_>,
    neighbour: &Option<Neighbour>,
) -> Result<Option<i64>> {
    let Some(Neighbour { version, .. }) = *neighbour else { return Ok(None) };
    let sql = "SELECT 1 FROM visits WHERE article = ?1 AND version = ?2 AND payload = ?3";
    let payload = params![visit.article_id, version, visit.article.payload];
    let is_shared = rows::exists(db, sql, payload)?
        || visit.content.is_same(&ArticleContent::stored(db, version)?);
    Ok(is_shared.then_some(version))
}

/// Reads a known visit again: removes it from its version, and places it anew.
fn reread(db: &Connection, visit: &Visit<'_>, version: i64) -> Result<()> {
    let old = ArticleContent::stored(db, version)?;
    if visit.content.is_same(&old) {
        if version_start(db, version)? == visit.at {
            // The model or the program may be another one.
            rewrite_version(db, version, visit)?;
            recount(db, version)?;
            describe(db, visit.article_id, &visit.at)?;
        }
        return Ok(());
    }
    remove_visit(db, visit, version)?;
    let version = place(db, visit, true)?;
    note_reading(db, visit, &old, true)?;
    settle_versions(db, visit, version)
}

/// Removes a visit from its version, which then begins with its next visit. A version that has no visits left is kept until
/// the visit is placed.
fn remove_visit(db: &Connection, visit: &Visit<'_>, version: i64) -> Result<()> {
    let Visit { article_id, at, .. } = visit;
    let sql = "DELETE FROM visits WHERE article = ?1 AND fetched = ?2 AND record_id = ?3";
    rows::change(db, sql, params![article_id, at.fetched, at.record_id])?;
    let sql = "UPDATE versions SET (first_seen, record_id, file, offset) =
            (SELECT fetched, record_id, file, offset FROM visits
             WHERE article = ?2 AND version = ?1 AND (truncated IS NULL) = ?3
             ORDER BY fetched, record_id LIMIT 1)
        WHERE id = ?1 AND EXISTS (SELECT 1 FROM visits
             WHERE article = ?2 AND version = ?1 AND (truncated IS NULL) = ?3)";
    rows::change(db, sql, params![version, article_id, visit.is_whole()]).map(drop)
}

/// Cleans up after a visit was placed anew: deletes versions without visits, joins adjacent versions with the same content,
/// and computes counts and differences of all versions again.
fn settle_versions(db: &Connection, visit: &Visit<'_>, version: i64) -> Result<()> {
    let (id, is_whole) = (visit.article_id, visit.is_whole());
    if is_whole && has_visit(db, id, false)? {
        settle_truncated(db, id)?;
    }
    let sql = "DELETE FROM versions WHERE article = ?1
        AND NOT EXISTS (SELECT 1 FROM visits
            WHERE visits.article = ?1 AND visits.version = versions.id)";
    rows::change(db, sql, [id])?;
    let mut version = version;
    let start = version_start(db, version)?;
    if let Some(before) = neighbour(db, id, &start, BEFORE, is_whole)?
        && join_if_same(db, id, before.version, version)?
    {
        version = before.version;
    }
    let sql = "SELECT fetched, record_id FROM visits WHERE article = ?1 AND version = ?2
        ORDER BY fetched DESC, record_id DESC LIMIT 1";
    let last = rows::first(db, sql, params![id, version], VisitTime::read)?;
    let last = last.map_or_else(|| version_start(db, version), Ok)?;
    if let Some(after) = neighbour(db, id, &last, AFTER, is_whole)? {
        join_if_same(db, id, version, after.version)?;
    }
    let sql = "SELECT id FROM versions WHERE article = ?1 ORDER BY first_seen, record_id";
    let all: Vec<i64> = rows::all(db, sql, [id], |row| row.get(0))?;
    for version in all {
        let begins = recount(db, version)?;
        describe(db, id, &begins)?;
    }
    Ok(())
}

/// Joins two versions if they have the same content. Returns whether it did.
fn join_if_same(db: &Connection, article: i64, earlier: i64, later: i64) -> Result<bool> {
    if !ArticleContent::stored(db, later)?.is_same(&ArticleContent::stored(db, earlier)?) {
        return Ok(false);
    }
    let sql = "UPDATE visits SET version = ?2 WHERE article = ?1 AND version = ?3";
    rows::change(db, sql, params![article, earlier, later])?;
    rows::change(db, "DELETE FROM versions WHERE id = ?1", [later])?;
    Ok(true)
}

/// Records the old content of a version before an earlier visit replaces it: since both have the same payload, it is a
/// different reading by the later visit.
fn note_replaced(db: &Connection, visit: &Visit<'_>, version: i64) -> Result<()> {
    let old = ArticleContent::stored(db, version)?;
    let changed = old.changes_since(visit.content);
    if changed.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO readings (article, fetched, record_id, changed, diff, digest,
            model_revision, program, replaced)
        SELECT article, first_seen, record_id, ?2, ?3, digest, model_revision, program, 0
        FROM versions WHERE id = ?1";
    let diff = diff(visit.content, &old, &changed);
    rows::change(db, sql, params![version, json!(changed).to_string(), diff]).map(drop)
}

/// Records that a visit was read differently than before.
fn note_reading(
    db: &Connection,
    visit: &Visit<'_>,
    old: &ArticleContent,
    replaced: bool,
) -> Result<()> {
    let changed = visit.content.changes_since(old);
    let sql = "INSERT INTO readings (article, fetched, record_id, changed, diff, digest,
            model_revision, program, replaced)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let reading = params![
        visit.article_id,
        visit.at.fetched,
        visit.at.record_id,
        json!(changed).to_string(),
        diff(old, visit.content, &changed),
        visit.content.digest,
        visit.article.model_revision,
        PROGRAM,
        replaced,
    ];
    rows::change(db, sql, reading).map(drop)
}

/// Whether an article has a complete visit, or a truncated one, depending on `whole`.
fn has_visit(db: &Connection, article: i64, whole: bool) -> Result<bool> {
    let sql = "SELECT 1 FROM visits WHERE article = ?1 AND (truncated IS NULL) = ?2 LIMIT 1";
    rows::exists(db, sql, params![article, whole])
}

fn insert_visit(db: &Connection, visit: &Visit<'_>, version: i64) -> Result<()> {
    let sql = "INSERT INTO visits VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let row = params![
        visit.article_id,
        visit.at.fetched,
        visit.at.record_id,
        visit.file,
        visit.offset(),
        version,
        visit.article.origin.truncated,
        visit.article.payload,
    ];
    rows::change(db, sql, row).map(drop)
}

/// Assigns each truncated visit to the version of the complete visit before it, or else of the first complete visit. Deletes
/// versions that have only truncated visits.
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
    rows::change(db, sql, [article])?;
    let sql = "DELETE FROM versions WHERE article = ?1 AND truncated IS NOT NULL";
    rows::change(db, sql, [article]).map(drop)
}

const BEFORE: &str = "SELECT fetched, record_id, version, file, offset FROM visits
    WHERE article = ?1 AND (fetched, record_id) < (?2, ?3) AND (truncated IS NULL) = ?4
    ORDER BY fetched DESC, record_id DESC LIMIT 1";
const AFTER: &str = "SELECT fetched, record_id, version, file, offset FROM visits
    WHERE article = ?1 AND (fetched, record_id) > (?2, ?3) AND (truncated IS NULL) = ?4
    ORDER BY fetched, record_id LIMIT 1";

/// The nearest visit before or after, complete or truncated.
fn neighbour(
    db: &Connection,
    article: i64,
    at: &VisitTime,
    sql: &str,
    whole: bool,
) -> Result<Option<Neighbour>> {
    let read = |row: &Row<'_>| {
        let at = VisitTime::read(row)?;
        Ok(Neighbour { at, version: row.get(2)?, file: row.get(3)?, offset: row.get(4)? })
    };
    rows::first(db, sql, params![article, at.fetched, at.record_id, whole], read)
}

/// Inserts a new version that begins with a visit.
fn insert_version(db: &Connection, visit: &Visit<'_>) -> Result<i64> {
    write_version(db, None, visit, &visit.at, (visit.file, visit.offset()))?;
    Ok(db.last_insert_rowid())
}

/// Replaces the content of a version with that of a visit. The version begins when it began before.
fn rewrite_version(db: &Connection, version: i64, visit: &Visit<'_>) -> Result<()> {
    let sql = "SELECT first_seen, record_id, file, offset FROM versions WHERE id = ?1";
    let read = |row: &Row<'_>| Ok((VisitTime::read(row)?, (row.get(2)?, row.get(3)?)));
    let (begins, place) = db.prepare_cached(sql)?.query_row([version], read)?;
    write_version(db, Some(version), visit, &begins, place)
}

/// Writes a version with the content of a visit: a new one, or an existing one. `begins`, `file` and `offset` are those of its
/// first visit.
fn write_version(
    db: &Connection,
    version: Option<i64>,
    visit: &Visit<'_>,
    begins: &VisitTime,
    (file, offset): (i64, i64),
) -> Result<()> {
    let article = visit.article;
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
    let row = named_params! {
        ":id": version,
        ":article": visit.article_id,
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
        ":digest": visit.content.digest,
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
    };
    rows::change(db, sql, row).map(drop)
}

/// Splits a version before a visit. The visits from there on become a version of their own, with the same
/// content.
fn split_version(db: &Connection, article: i64, from: &Neighbour) -> Result<()> {
    let Neighbour { at, version, file, offset } = from;
    let columns = "url, title, authors, published, modified, language, description, image, tags,
        canonical, site_name, sources, text, html, digest, template, wrapper, confidence, program,
        truncated, model_revision, health";
    let sql = format!(
        "INSERT INTO versions (article, first_seen, last_seen, visits, changed, diff, record_id,
            file, offset, {columns})
        SELECT article, ?2, last_seen, 0, '[]', NULL, ?3, ?4, ?5, {columns}
        FROM versions WHERE id = ?1"
    );
    rows::change(db, &sql, params![version, at.fetched, at.record_id, file, offset])?;
    let later = db.last_insert_rowid();
    let sql = "UPDATE visits SET version = ?1
        WHERE article = ?2 AND version = ?3 AND (fetched, record_id) >= (?4, ?5)";
    rows::change(db, sql, params![later, article, version, at.fetched, at.record_id])?;
    recount(db, *version)?;
    recount(db, later).map(drop)
}

fn version_start(db: &Connection, version: i64) -> Result<VisitTime> {
    let sql = "SELECT first_seen, record_id FROM versions WHERE id = ?1";
    db.prepare_cached(sql)?.query_row([version], VisitTime::read)
}

/// Updates the number of visits and the last date of a version; returns when it begins.
fn recount(db: &Connection, version: i64) -> Result<VisitTime> {
    let sql = "UPDATE versions SET (visits, last_seen) =
        (SELECT count(*), max(fetched) FROM visits
         WHERE visits.article = versions.article AND visits.version = versions.id
         AND (visits.truncated IS NULL) = (versions.truncated IS NULL))
        WHERE id = ?1 RETURNING first_seen, record_id";
    db.prepare_cached(sql)?.query_row([version], VisitTime::read)
}

/// Returns when the next version after this time begins.
fn following(db: &Connection, article: i64, at: &VisitTime) -> Result<Option<VisitTime>> {
    let sql = "SELECT first_seen, record_id FROM versions
        WHERE article = ?1 AND (first_seen, record_id) > (?2, ?3)
        ORDER BY first_seen, record_id LIMIT 1";
    rows::first(db, sql, params![article, at.fetched, at.record_id], VisitTime::read)
}

/// Computes how the version that begins at this time differs from the one before.
fn describe(db: &Connection, article: i64, begins: &VisitTime) -> Result<()> {
    let sql = "SELECT id FROM versions
        WHERE article = ?1 AND (first_seen, record_id) <= (?2, ?3)
        ORDER BY first_seen DESC, record_id DESC LIMIT 2";
    let upto = params![article, begins.fetched, begins.record_id];
    let found: Vec<i64> = rows::all(db, sql, upto, |row| row.get(0))?;
    let (changed, diff) = match found[..] {
        [new, old] => {
            let (new, old) = (ArticleContent::stored(db, new)?, ArticleContent::stored(db, old)?);
            let changed = new.changes_since(&old);
            let diff = diff(&old, &new, &changed);
            (changed, Some(diff))
        }
        _ => (Vec::new(), None),
    };
    if let Some(version) = found.first() {
        let sql = "UPDATE versions SET changed = ?2, diff = ?3 WHERE id = ?1";
        rows::change(db, sql, params![version, json!(changed).to_string(), diff])?;
    }
    Ok(())
}
