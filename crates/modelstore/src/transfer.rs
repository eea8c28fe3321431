//! Models as rows of a table: out of one store, into another.

use rusqlite::{OptionalExtension, Result, Row, params};

use crate::error::StoreError;
use crate::rows::{Import, ModelRow};
use crate::store::{Store, record_change};

impl Store {
    /// The revisions of a site's model with their bytes, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn models(&self, key: &str) -> Result<Vec<ModelRow>, StoreError> {
        let sql = "SELECT site, revision, night, reason, pages, templates, format, engine, weights, settings,
            (SELECT verdict FROM nights WHERE nights.site = models.site AND nights.revision = models.revision
                ORDER BY night DESC, run DESC LIMIT 1), blob
            FROM models WHERE site = ?1 ORDER BY revision";
        let row = |row: &Row<'_>| {
            Ok(ModelRow {
                site: row.get(0)?,
                revision: row.get(1)?,
                night: row.get(2)?,
                reason: row.get(3)?,
                pages: row.get::<_, i64>(4)?.unsigned_abs(),
                templates: row.get::<_, i64>(5)?.unsigned_abs(),
                format: row.get(6)?,
                engine: row.get(7)?,
                weights: row.get(8)?,
                settings: row.get(9)?,
                health: row.get(10)?,
                blob: row.get(11)?,
            })
        };
        let db = self.db();
        let rows = || db.prepare_cached(sql)?.query_map([key], row)?.collect::<Result<Vec<_>>>();
        rows().map_err(self.failed("cannot read"))
    }

    /// Adds a revision under its number, unless the store has it. To be followed by [`Store::commit`].
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn import(&self, model: &ModelRow) -> Result<Import, StoreError> {
        let ModelRow { site, revision, night, blob, .. } = model;
        let db = self.db();
        let import = || {
            let known = "SELECT blob FROM models WHERE site = ?1 AND revision = ?2";
            let known: Option<Vec<u8>> = db
                .prepare_cached(known)?
                .query_row(params![site, revision], |row| row.get(0))
                .optional()?;
            if let Some(known) = known {
                return Ok(if known == *blob { Import::Known } else { Import::Other });
            }
            let sql = "INSERT INTO sites (site, first_seen, last_seen, revision)
                VALUES (?1, ?2, ?2, ?3) ON CONFLICT DO UPDATE SET first_seen = min(first_seen, ?2),
                last_seen = max(last_seen, ?2), revision = max(revision, ?3)";
            db.prepare_cached(sql)?.execute(params![site, night, revision])?;
            let sql =
                "INSERT INTO models VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, NULL, ?11)";
            db.prepare_cached(sql)?.execute(params![
                site,
                revision,
                night,
                model.reason,
                model.pages as i64,
                model.templates as i64,
                model.format,
                model.engine,
                model.weights,
                model.settings,
                blob
            ])?;
            let change = [b"import", site.as_bytes(), &revision.to_le_bytes(), blob];
            record_change(&db, &change)?;
            Ok(Import::Added)
        };
        import().map_err(self.failed("cannot write to"))
    }
}
