//! What is shown of a store, and what moves from one to another.

use std::io;

use model::{Assessment, NightFigures};
use rusqlite::{OptionalExtension, Params, Row, params};
use serde::Serialize;

use crate::error::StoreError;
use crate::sample::unpack;
use crate::site::{self, FIGURES, assessment, count, figures};
use crate::store::{Store, check_pages, record_change};

/// Summary of a store.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoreSummary {
    /// Runs that were taken in.
    pub runs: u64,
    /// Sites.
    pub sites: u64,
    /// Revisions of models.
    pub revisions: u64,
    /// Bytes of the models, packed.
    pub model_bytes: u64,
    /// Retained pages.
    pub retained: u64,
    /// Bytes of those, packed.
    pub sample_bytes: u64,
}

/// A site and how it was when last seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteRow {
    /// Its key.
    pub site: String,
    /// Number of the newest revision of its model; 0 for none.
    pub revision: u32,
    /// Verdict of the last night.
    pub verdict: String,
    /// First night.
    pub first_seen: String,
    /// Last night.
    pub last_seen: String,
    /// Retained pages.
    pub retained: u64,
    /// Bytes of the newest revision and the retained pages, packed.
    pub bytes: u64,
}

/// A revision of a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisionRow {
    /// Number, from 1.
    pub revision: u32,
    /// The night it was learnt in, `YYYY-MM-DD`; empty where pages have no dates.
    pub night: String,
    /// Why it was learnt.
    pub reason: String,
    /// Pages it was learnt from.
    pub pages: u64,
    /// Number of templates.
    pub templates: u64,
    /// Version of the format of the model's bytes.
    pub format: u32,
    /// Name of the engine that learnt it.
    pub engine: String,
    /// SHA-256 of the engine's weights, in hex.
    pub weights: Option<String>,
    /// Bytes, packed.
    pub bytes: u64,
}

/// A night of a site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NightRow {
    /// Number of the run.
    pub run: i64,
    /// Date.
    pub night: String,
    /// How the site was.
    #[serde(flatten)]
    pub health: Assessment,
    /// What was decided.
    pub decision: String,
    /// Why.
    pub reason: String,
    /// The revision that was applied.
    pub revision: u32,
    /// Pages of the sample.
    pub sampled: u64,
    /// Of these, pages of no template.
    pub unassigned: u64,
    /// What came of the site.
    #[serde(flatten)]
    pub figures: NightFigures,
}

/// A revision of a model with its bytes: what moves from one store to another.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRow {
    /// Key of the site.
    pub site: String,
    /// The revision, and how it was learnt.
    pub head: RevisionRow,
    /// SHA-256 of the settings, in hex.
    pub settings: String,
    /// Verdict of the last night that it was applied in.
    pub health: Option<String>,
    /// The model, packed (zstd).
    pub blob: Vec<u8>,
}

impl ModelRow {
    /// Its bytes.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn model(&self) -> io::Result<Vec<u8>> {
        unpack(&self.blob)
    }
}

/// What became of a revision that came from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// It was added.
    Added,
    /// The store has it.
    Known,
    /// The store has other bytes under its number; it was left as it is.
    Other,
}

impl RevisionRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
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
    }
}

impl Store {
    /// The rows of a query.
    fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let db = self.db();
        let rows =
            || db.prepare_cached(sql)?.query_map(params, read)?.collect::<rusqlite::Result<_>>();
        rows().map_err(self.failed("cannot read"))
    }

    /// Returns a summary of the store.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn summary(&self) -> Result<StoreSummary, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM sites),
            (SELECT count(*) FROM models), (SELECT coalesce(sum(length(blob)), 0) FROM models),
            (SELECT count(*) FROM retained), (SELECT coalesce(sum(bytes), 0) FROM samples)";
        let summary = self.db().query_row(sql, [], |row| {
            Ok(StoreSummary {
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
        check_pages(&self.db(), self.path())
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
        self.rows(sql, [], row)
    }

    /// The revisions of a site's model, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn revisions(&self, key: &str) -> Result<Vec<RevisionRow>, StoreError> {
        let sql = "SELECT revision, night, reason, pages, templates, format, engine, weights,
            length(blob) FROM models WHERE site = ?1 ORDER BY revision";
        self.rows(sql, [key], RevisionRow::read)
    }

    /// The nights of a site, by date, and those of one date in the order in which they were taken in.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn nights(&self, key: &str) -> Result<Vec<NightRow>, StoreError> {
        let sql = format!(
            "SELECT {FIGURES}, run, night, blocked_by, evidence, next, decision, reason, revision, sampled, unassigned
            FROM nights WHERE site = ?1 ORDER BY night, run"
        );
        let row = |row: &Row<'_>| {
            Ok(NightRow {
                run: row.get("run")?,
                night: row.get("night")?,
                health: assessment(row)?,
                decision: row.get("decision")?,
                reason: row.get("reason")?,
                revision: row.get("revision")?,
                sampled: count(row, "sampled")?,
                unassigned: count(row, "unassigned")?,
                figures: figures(row)?,
            })
        };
        self.rows(&sql, [key], row)
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
            let number: rusqlite::Result<Option<u32>> =
                revision.map_or_else(newest, |own| Ok(Some(own)));
            let packed = number.and_then(|number| match number {
                Some(number) => site::blob(&db, key, number),
                None => Ok(None),
            });
            packed.map_err(self.failed("cannot read"))?
        };
        self.unpack_model(key, packed)
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

    /// The revisions of a site's model with their bytes, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn models(&self, key: &str) -> Result<Vec<ModelRow>, StoreError> {
        let sql = "SELECT revision, night, reason, pages, templates, format, engine, weights, length(blob),
            site, settings,
            (SELECT verdict FROM nights WHERE nights.site = models.site AND nights.revision = models.revision
                ORDER BY night DESC, run DESC LIMIT 1), blob
            FROM models WHERE site = ?1 ORDER BY revision";
        self.rows(sql, [key], |row| {
            Ok(ModelRow {
                head: RevisionRow::read(row)?,
                site: row.get(9)?,
                settings: row.get(10)?,
                health: row.get(11)?,
                blob: row.get(12)?,
            })
        })
    }

    /// Adds a revision under its number, unless the store has it. To be followed by [`Store::commit`].
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn import(&self, model: &ModelRow) -> Result<Import, StoreError> {
        let ModelRow { site, head, settings, blob, .. } = model;
        let RevisionRow { revision, night, .. } = head;
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
                site, revision, night, head.reason, head.pages as i64, head.templates as i64,
                head.format, head.engine, head.weights, settings, blob
            ])?;
            let change = [b"import", site.as_bytes(), &revision.to_le_bytes(), blob];
            record_change(&db, &change)?;
            Ok(Import::Added)
        };
        import().map_err(self.failed("cannot write to"))
    }
}
