//! Queries for what is shown of a store, and the revisions that move from one store to another.

use std::io;

use database::rows;
use model::{Assessment, NightFigures, PastNight};
use rusqlite::{Params, Row, params};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::sample::{Retained, unpack};
use crate::site::{self, FIGURES, assessment, count, figures, verdict};
use crate::store::{Store, check_pages, record_change};

/// Summary of a store.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct StoreSummary {
    /// Runs that the store contains.
    pub runs: u64,
    /// Sites.
    pub sites: u64,
    /// Revisions of models.
    pub revisions: u64,
    /// Bytes of the models, compressed.
    pub model_bytes: u64,
    /// Retained pages.
    pub retained: u64,
    /// Bytes of the retained pages, compressed.
    pub sample_bytes: u64,
}

/// A site, as it was when last seen.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SiteRow {
    /// Its key.
    pub site: String,
    /// Number of the newest revision of its model; 0 if there is none.
    pub revision: u32,
    /// Verdict of the last night.
    pub verdict: String,
    /// First night.
    pub first_seen: String,
    /// Last night.
    pub last_seen: String,
    /// Retained pages.
    pub retained: u64,
    /// Bytes of the newest revision and the retained pages, compressed.
    pub bytes: u64,
}

/// A revision of a model.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RevisionRow {
    /// Number, from 1.
    pub revision: u32,
    /// The night in which it was learnt, `YYYY-MM-DD`; empty if pages have no dates.
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
    /// Bytes, compressed.
    pub bytes: u64,
}

/// A night of a site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NightRow {
    /// Number of the run.
    pub run: i64,
    /// Date.
    pub night: String,
    /// The verdict on the site, with its evidence.
    #[serde(flatten)]
    pub health: Assessment,
    /// The decision about the site's model.
    pub decision: String,
    /// Why it was made.
    pub reason: String,
    /// The revision that was applied.
    pub revision: u32,
    /// Pages of the sample.
    pub sampled: u64,
    /// Pages of the sample without a template.
    pub unassigned: u64,
    /// Figures of the outcomes of its pages.
    #[serde(flatten)]
    pub figures: NightFigures,
}

/// A revision of a model with its bytes, as it moves from one store to another.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRow {
    /// Key of the site.
    pub site: String,
    /// The revision, and how it was learnt.
    pub head: RevisionRow,
    /// SHA-256 of the settings, in hex.
    pub settings: String,
    /// Verdict of the last night in which it was applied.
    pub health: Option<String>,
    /// The model, compressed (zstd).
    pub blob: Vec<u8>,
}

impl ModelRow {
    /// Returns the model's bytes.
    ///
    /// # Errors
    /// If the compressed bytes are damaged.
    pub fn model(&self) -> io::Result<Vec<u8>> {
        unpack(&self.blob)
    }
}

/// What became of an imported revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// It was added.
    Added,
    /// The store already has it.
    Known,
    /// The store has other bytes under its number, and was not changed.
    Other,
}

/// Maximum number of nights that a night is compared with.
const MOST_NIGHTS: usize = 40;
/// Maximum number of nights with articles that are added, if none of these has any.
const MOST_WITH_ARTICLES: usize = 14;

impl Store {
    fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let db = self.db();
        rows::all(&db, sql, params, read).map_err(self.failed("cannot read"))
    }

    /// Returns a summary of the store.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn summary(&self) -> Result<StoreSummary, StoreError> {
        let sql =
            "SELECT (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM sites) AS sites,
            (SELECT count(*) FROM models) AS revisions,
            (SELECT coalesce(sum(length(blob)), 0) FROM models) AS model_bytes,
            (SELECT count(*) FROM retained) AS retained,
            (SELECT coalesce(sum(bytes), 0) FROM samples) AS sample_bytes";
        self.db().query_row(sql, [], rows::read_record).map_err(self.failed("cannot read"))
    }

    /// Checks that the pages of the file are intact. Takes time linear in its length.
    ///
    /// # Errors
    /// If they are not.
    pub fn check(&self) -> Result<(), StoreError> {
        check_pages(&self.db(), self.path())
    }

    /// Returns all sites, by key.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn sites(&self) -> Result<Vec<SiteRow>, StoreError> {
        let sql = "SELECT sites.site, sites.revision,
            coalesce((SELECT verdict FROM nights WHERE nights.site = sites.site
                ORDER BY night DESC, run DESC LIMIT 1), '') AS verdict,
            sites.first_seen, sites.last_seen,
            (SELECT count(*) FROM retained WHERE retained.site = sites.site) AS retained,
            coalesce((SELECT length(blob) FROM models WHERE models.site = sites.site
                AND models.revision = sites.revision), 0)
            + coalesce((SELECT bytes FROM samples WHERE samples.site = sites.site), 0) AS bytes
            FROM sites ORDER BY sites.site";
        self.rows(sql, [], rows::read_record)
    }

    /// Returns the revisions of a site's model, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn revisions(&self, key: &str) -> Result<Vec<RevisionRow>, StoreError> {
        let sql = "SELECT revision, night, reason, pages, templates, format, engine, weights,
            length(blob) AS bytes FROM models WHERE site = ?1 ORDER BY revision";
        self.rows(sql, [key], rows::read_record)
    }

    /// Returns the nights of a site by date; those of one date in the order in which they were added.
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

    /// Returns the bytes of a revision; of the newest, if `revision` is `None`.
    ///
    /// # Errors
    /// If the store cannot be read, or the bytes are damaged.
    pub fn model(&self, key: &str, revision: Option<u32>) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT blob FROM models WHERE site = ?1 AND revision =
            coalesce(?2, (SELECT max(revision) FROM models WHERE site = ?1))";
        let packed = rows::first(&self.db(), sql, params![key, revision], |row| row.get(0));
        self.unpack_model(key, packed.map_err(self.failed("cannot read"))?)
    }

    /// Returns the nights of a site up to a night of this run, oldest first, without what was added after the run: the
    /// last forty, and the last fourteen with articles if none of the forty has any. `night` is a date, or empty if pages
    /// have no dates. Nights may have been added in any order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn history(&self, key: &str, night: &str) -> Result<Vec<PastNight>, StoreError> {
        let read = |condition: &str, most: usize| -> Result<Vec<PastNight>, StoreError> {
            let sql = format!(
                "SELECT {FIGURES}, night, decision FROM nights WHERE site = ?1 AND run < ?2 \
                AND (?3 = '' OR night <= ?3) {condition} ORDER BY night DESC, run DESC LIMIT {most}"
            );
            self.rows(&sql, params![key, self.run_number(), night], |row| {
                let verdict = verdict(row, "verdict")?;
                let (night, decision) = (row.get("night")?, row.get("decision")?);
                Ok(PastNight { night, verdict, decision, figures: figures(row)? })
            })
        };
        let mut nights = read("", MOST_NIGHTS)?;
        if nights.len() == MOST_NIGHTS && nights.iter().all(|past| past.figures.articles == 0) {
            nights.extend(read("AND articles > 0", MOST_WITH_ARTICLES)?);
        }
        nights.reverse();
        Ok(nights)
    }

    /// Returns the sites that were seen before this run and since a date, but not in this run, by key.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn absent(&self, night: &str, since: &str) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT site FROM sites WHERE (?2 = '' OR first_seen <= ?2) AND last_seen >= ?3
            AND EXISTS (SELECT 1 FROM nights WHERE nights.site = sites.site AND nights.run < ?1)
            AND NOT EXISTS (SELECT 1 FROM nights WHERE nights.site = sites.site
                AND nights.run = ?1 AND nights.pages > 0)
            ORDER BY site";
        self.rows(sql, params![self.run_number(), night, since], |row| row.get(0))
    }

    /// Returns whether this run added pages of a site.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn has_pages(&self, key: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM nights WHERE site = ?1 AND run = ?2 AND pages > 0";
        let found = rows::exists(&self.db(), sql, params![key, self.run_number()]);
        found.map_err(self.failed("cannot read"))
    }

    /// Returns the retained pages of a site.
    ///
    /// # Errors
    /// If the store cannot be read, or the pages are damaged.
    pub fn sample(&self, key: &str) -> Result<Vec<Retained>, StoreError> {
        let sql = "SELECT blob FROM samples WHERE site = ?1";
        let packed = rows::first(&self.db(), sql, [key], |row| row.get::<_, Vec<u8>>(0));
        let Some(packed) = packed.map_err(self.failed("cannot read"))? else {
            return Ok(Vec::new());
        };
        let pages = unpack(&packed)
            .and_then(|pages| rmp_serde::from_slice(&pages).map_err(io::Error::other));
        pages.map_err(|error| {
            let what = format!("the pages of {key} cannot be unpacked: {error}");
            StoreError::damaged(self.path(), what)
        })
    }

    /// Returns the texts at a site's addresses that the last night kept.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT blob FROM texts WHERE site = ?1";
        let found = rows::first(&self.db(), sql, [key], |row| row.get(0));
        found.map_err(self.failed("cannot read"))
    }

    /// Removes everything that is known of a site. Returns whether there was anything. Call [`Store::commit`] afterwards.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget(&self, key: &str) -> Result<bool, StoreError> {
        let db = self.db();
        let forget = || {
            for table in ["models", "templates", "samples", "retained", "texts", "nights", "health"]
            {
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

    /// Returns the revisions of a site's model with their bytes, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn models(&self, key: &str) -> Result<Vec<ModelRow>, StoreError> {
        let sql = "SELECT revision, night, reason, pages, templates, format, engine, weights,
            length(blob) AS bytes, site, settings,
            (SELECT verdict FROM nights WHERE nights.site = models.site AND nights.revision = models.revision
                ORDER BY night DESC, run DESC LIMIT 1) AS health, blob
            FROM models WHERE site = ?1 ORDER BY revision";
        self.rows(sql, [key], |row| {
            Ok(ModelRow {
                head: rows::read_record(row)?,
                site: row.get("site")?,
                settings: row.get("settings")?,
                health: row.get("health")?,
                blob: row.get("blob")?,
            })
        })
    }

    /// Adds a revision under its number, unless the store has it. Call [`Store::commit`] afterwards.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn import(&self, model: &ModelRow) -> Result<Import, StoreError> {
        let ModelRow { site, head, settings, blob, .. } = model;
        let RevisionRow { revision, night, .. } = head;
        let db = self.db();
        let import = || {
            if let Some(known) = site::blob(&db, site, *revision)? {
                return Ok(if known == *blob { Import::Known } else { Import::Other });
            }
            let sql = "INSERT INTO sites (site, first_seen, last_seen, revision)
                VALUES (?1, ?2, ?2, ?3) ON CONFLICT DO UPDATE SET first_seen = min(first_seen, ?2),
                last_seen = max(last_seen, ?2), revision = max(revision, ?3)";
            rows::change(&db, sql, params![site, night, revision])?;
            let sql =
                "INSERT INTO models VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, NULL, ?11)";
            let row = params![
                site, revision, night, head.reason, head.pages as i64, head.templates as i64,
                head.format, head.engine, head.weights, settings, blob
            ];
            rows::change(&db, sql, row)?;
            let change = [b"import", site.as_bytes(), &revision.to_le_bytes(), blob];
            record_change(&db, &change)?;
            Ok(Import::Added)
        };
        import().map_err(self.failed("cannot write to"))
    }
}
