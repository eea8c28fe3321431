//! What commands show of a store.

use crate::error::StoreError;
use crate::rows::{NightRow, RevisionRow, SiteRow, Summary};
use crate::sample::unpack;
use crate::schema;
use crate::site;
use crate::store::{Store, record_change};
use model::TemplateNight;
use rusqlite::{Result, Row, params};

fn count(row: &Row<'_>, at: usize) -> Result<u64> {
    Ok(row.get::<_, i64>(at)?.unsigned_abs())
}

impl Store {
    /// Returns a summary of the store.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn summary(&self) -> Result<Summary, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM sites),
            (SELECT count(*) FROM models), (SELECT coalesce(sum(length(blob)), 0) FROM models),
            (SELECT count(*) FROM retained), (SELECT coalesce(sum(bytes), 0) FROM samples)";
        let summary = self.db().query_row(sql, [], |row| {
            Ok(Summary {
                runs: count(row, 0)?,
                sites: count(row, 1)?,
                revisions: count(row, 2)?,
                model_bytes: count(row, 3)?,
                retained: count(row, 4)?,
                sample_bytes: count(row, 5)?,
            })
        });
        summary.map_err(self.failed("cannot read"))
    }

    /// Checks that the pages of the file are whole. Takes time linear in its length.
    ///
    /// # Errors
    /// If they are not.
    pub fn check(&self) -> Result<(), StoreError> {
        schema::check(&self.db(), self.path())
    }

    /// All sites, by key.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn sites(&self) -> Result<Vec<SiteRow>, StoreError> {
        let sql = "SELECT sites.site, sites.revision,
            coalesce((SELECT verdict FROM nights WHERE nights.site = sites.site
                ORDER BY night DESC, run DESC LIMIT 1), ''),
            sites.first_seen, sites.last_seen,
            (SELECT count(*) FROM retained WHERE retained.site = sites.site),
            coalesce((SELECT length(blob) FROM models WHERE models.site = sites.site
                AND models.revision = sites.revision), 0)
            + coalesce((SELECT bytes FROM samples WHERE samples.site = sites.site), 0)
            FROM sites ORDER BY sites.site";
        let row = |row: &Row<'_>| {
            Ok(SiteRow {
                site: row.get(0)?,
                revision: row.get(1)?,
                verdict: row.get(2)?,
                first_seen: row.get(3)?,
                last_seen: row.get(4)?,
                retained: count(row, 5)?,
                bytes: count(row, 6)?,
            })
        };
        let db = self.db();
        let rows = || db.prepare(sql)?.query_map([], row)?.collect::<Result<Vec<_>>>();
        rows().map_err(self.failed("cannot read"))
    }

    /// The revisions of a site's model, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn revisions(&self, key: &str) -> Result<Vec<RevisionRow>, StoreError> {
        let sql = "SELECT revision, night, reason, pages, templates, format, engine, weights,
            length(blob) FROM models WHERE site = ?1 ORDER BY revision";
        let row = |row: &Row<'_>| {
            Ok(RevisionRow {
                revision: row.get(0)?,
                night: row.get(1)?,
                reason: row.get(2)?,
                pages: count(row, 3)?,
                templates: count(row, 4)?,
                format: row.get(5)?,
                engine: row.get(6)?,
                weights: row.get(7)?,
                bytes: count(row, 8)?,
            })
        };
        let db = self.db();
        let rows = || db.prepare(sql)?.query_map([key], row)?.collect::<Result<Vec<_>>>();
        rows().map_err(self.failed("cannot read"))
    }

    /// The nights of a site, in the order in which they were taken in.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn nights(&self, key: &str) -> Result<Vec<NightRow>, StoreError> {
        let sql = "SELECT run, night, decision, reason, revision, verdict, pages, unassigned
            FROM nights WHERE site = ?1 ORDER BY run";
        let row = |row: &Row<'_>| {
            Ok(NightRow {
                run: row.get(0)?,
                night: row.get(1)?,
                decision: row.get(2)?,
                reason: row.get(3)?,
                revision: row.get(4)?,
                verdict: row.get(5)?,
                pages: count(row, 6)?,
                unassigned: count(row, 7)?,
            })
        };
        let db = self.db();
        let rows = || db.prepare(sql)?.query_map([key], row)?.collect::<Result<Vec<_>>>();
        rows().map_err(self.failed("cannot read"))
    }

    /// How the templates of a site were in a run.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn health(&self, key: &str, run: i64) -> Result<Vec<TemplateNight>, StoreError> {
        site::health(&self.db(), key, run).map_err(self.failed("cannot read"))
    }

    /// The bytes of a revision; the newest where none is named.
    ///
    /// # Errors
    /// If the store cannot be read, or the bytes are damaged.
    pub fn model(&self, key: &str, revision: Option<u32>) -> Result<Option<Vec<u8>>, StoreError> {
        let packed = {
            let db = self.db();
            let newest = "SELECT max(revision) FROM models WHERE site = ?1";
            let newest = || db.query_row(newest, params![key], |row| row.get(0));
            let number: Result<Option<u32>> = revision.map_or_else(newest, |own| Ok(Some(own)));
            let packed = number.and_then(|number| match number {
                Some(number) => site::blob(&db, key, number),
                None => Ok(None),
            });
            packed.map_err(self.failed("cannot read"))?
        };
        packed.map(|packed| unpack(&packed)).transpose().map_err(|error| {
            StoreError::damaged(
                self.path(),
                format!("the model of {key} cannot be unpacked: {error}"),
            )
        })
    }

    /// Lets all that is known of a site go. Returns whether anything was. To be followed by
    /// [`Store::commit`].
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget(&self, key: &str) -> Result<bool, StoreError> {
        let db = self.db();
        let forget = || {
            for table in ["models", "templates", "samples", "retained", "nights", "health"] {
                db.execute(&format!("DELETE FROM {table} WHERE site = ?1"), [key])?;
            }
            let was_known = db.execute("DELETE FROM sites WHERE site = ?1", [key])? > 0;
            if was_known {
                record_change(&db, &[b"forget", key.as_bytes()])?;
            }
            Ok(was_known)
        };
        forget().map_err(self.failed("cannot write to"))
    }
}
