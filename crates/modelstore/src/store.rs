//! Opening a store, and the one transaction of a run.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use data_encoding::HEXLOWER;
use database::{Database, FileKind, MODEL_STORE, WaitPolicy, create_schema, identify, rows};
use model::SiteNight;
use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};

use crate::error::StoreError;
use crate::sample::unpack;
use crate::site::{self, Evicted, SiteState, count};

/// A run that is added to a store, identified by its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunIdentity {
    /// Digest of its inputs and of the settings that decide its results.
    pub digest: String,
    /// Version of the program.
    pub program: String,
}

/// A store of site models. For writing, it is locked until it is committed or dropped.
#[derive(Debug)]
pub struct Store {
    database: Mutex<Database>,
    path: PathBuf,
    /// The run that is being added, and whether the store contained it before.
    run: OnceLock<(i64, bool)>,
    revisions_removed: AtomicU64,
}

impl Store {
    /// Opens the store at `path` to change it, or creates one; its folder must exist. Waits for another process that
    /// writes to it.
    ///
    /// # Errors
    /// If the file cannot be opened, is damaged, is not a store, has another schema, or another process keeps writing to
    /// it; or if waiting is stopped. The file is left as it is.
    pub fn open(path: &Path, waiting: WaitPolicy<'_>) -> Result<Self, StoreError> {
        // A file that is not a store must not be changed, not even its journal mode.
        let check = |db: &Connection| match is_store(db, path)? {
            true => check_pages(db, path),
            false => Ok(()),
        };
        let database = Database::begin(path, waiting, &check)?;
        // While another process writes, the file may look empty.
        if !is_store(&database, path)? {
            create(&database, path)?;
        }
        Ok(Self::new(database, path))
    }

    /// Opens a store to read it.
    ///
    /// # Errors
    /// If the file does not exist, is damaged, is not a store, or has another schema.
    pub fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Absent(path.to_owned()));
        }
        let database = Database::read(path)?;
        match is_store(&database, path)? {
            true => Ok(Self::new(database, path)),
            false => Err(StoreError::Empty(path.to_owned())),
        }
    }

    /// Like [`Store::open_read_only`], but returns an empty store if the file does not exist.
    ///
    /// # Errors
    /// Those of [`Store::open_read_only`], except for a missing file.
    pub fn open_or_empty(path: &Path) -> Result<Self, StoreError> {
        match Self::open_read_only(path) {
            Err(StoreError::Empty(_)) => {}
            Err(StoreError::Absent(_)) if !path.exists() => {}
            other => return other,
        }
        let database = Database::in_memory()?;
        create(&database, path)?;
        Ok(Self::new(database, path))
    }

    fn new(database: Database, path: &Path) -> Self {
        let (database, path) = (Mutex::new(database), path.to_owned());
        Self { database, path, run: OnceLock::new(), revisions_removed: AtomicU64::new(0) }
    }

    /// The path of its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the connection. A panic in another thread leaves it usable.
    pub(crate) fn db(&self) -> MutexGuard<'_, Database> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn failed(&self, what: &'static str) -> impl Fn(rusqlite::Error) -> StoreError {
        move |error| StoreError::sqlite(what, &self.path, error)
    }

    /// Begins to add a run. Returns whether the store already contains it.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn begin(&self, run: &RunIdentity) -> Result<bool, StoreError> {
        if self.recognise(run)? {
            return Ok(true);
        }
        let id = {
            let db = self.db();
            let sql = "INSERT INTO runs (digest, night, sites, pages, program)
                VALUES (?1, '', 0, 0, ?2)";
            let added = db.execute(sql, params![run.digest, run.program]);
            added.map_err(self.failed("cannot write to"))?;
            db.last_insert_rowid()
        };
        // If it is called twice, the first run stays.
        let _ = self.run.set((id, false));
        Ok(false)
    }

    /// Returns whether the store contains a run. What is known of sites is then what that run found.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn recognise(&self, run: &RunIdentity) -> Result<bool, StoreError> {
        let sql = "SELECT id FROM runs WHERE digest = ?1";
        let known = rows::first(&self.db(), sql, [&run.digest], |row| row.get(0));
        let known: Option<i64> = known.map_err(self.failed("cannot read"))?;
        if let Some(id) = known {
            let _ = self.run.set((id, true));
        }
        Ok(known.is_some())
    }

    /// Returns the night and the number of sites of the last run before this one; `None` if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_night(&self) -> Result<Option<(String, u64)>, StoreError> {
        let this = self.run.get().map_or(-1, |(id, _)| *id);
        let sql = "SELECT night, sites FROM runs WHERE id <> ?1 ORDER BY id DESC LIMIT 1";
        let last = rows::first(&self.db(), sql, [this], |row| Ok((row.get(0)?, count(row, 1)?)));
        last.map_err(self.failed("cannot read"))
    }

    /// Returns a digest of all changes of the store, in hex; empty for a new one. Stores with equal digests have equal contents.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn state(&self) -> Result<String, StoreError> {
        state_of(&self.db()).map_err(self.failed("cannot read"))
    }

    /// Returns what is known of a site from before this run.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn site(&self, key: &str) -> Result<SiteState, StoreError> {
        let run = self.run.get().filter(|(_, before)| *before).map(|(id, _)| *id);
        let state = site::state(&self.db(), key, run).map_err(self.failed("cannot read"))?;
        // What cannot be unpacked is no model: the site is learnt anew, as after other damage.
        let model = state.model.map(|packed| unpack(&packed).unwrap_or_default());
        Ok(SiteState { model, ..state })
    }

    /// The number of the run that is being added; without one, a number after all others.
    pub(crate) fn run_number(&self) -> i64 {
        self.run.get().map_or(i64::MAX, |(id, _)| *id)
    }

    pub(crate) fn unpack_model(
        &self,
        key: &str,
        packed: Option<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        packed.map(|packed| unpack(&packed)).transpose().map_err(|error| {
            let what = format!(
                "the model of {key} cannot be unpacked: {error}; `sitegrove models forget FILE {key}` \
                 removes it alone"
            );
            StoreError::damaged(&self.path, what)
        })
    }

    /// Adds what a run found of a site. Changes nothing if the store contained the run before. The oldest revisions of
    /// the site's model are removed once all together have more than 4 MiB.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add_night(&self, night: &SiteNight) -> Result<(), StoreError> {
        if let Some((id, false)) = self.run.get() {
            let removed = site::take(&self.db(), *id, night);
            let removed = removed.map_err(self.failed("cannot write to"))?;
            self.revisions_removed.fetch_add(removed as u64, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Commits what was added; nothing can be added afterwards. Removes samples of the sites that were not seen for
    /// longest until all samples have at most `most_sample_bytes`. Waits for programs whose reading prevents the commit.
    ///
    /// # Errors
    /// If the store cannot be written, or waiting is stopped; the store is then unchanged.
    pub fn commit(
        &self,
        most_sample_bytes: u64,
        waiting: WaitPolicy<'_>,
    ) -> Result<Evicted, StoreError> {
        let db = self.db();
        let work = || {
            if let Some((run, false)) = self.run.get() {
                let sql = "UPDATE runs SET
                    night = coalesce((SELECT max(night) FROM nights WHERE run = ?1), ''),
                    sites = (SELECT count(*) FROM nights WHERE run = ?1 AND pages > 0),
                    pages = coalesce((SELECT sum(pages) FROM nights WHERE run = ?1), 0)
                    WHERE id = ?1";
                db.execute(sql, [run])?;
                let sql = "SELECT digest || ' ' || program FROM runs WHERE id = ?1";
                let run: String = db.query_row(sql, [run], |row| row.get(0))?;
                record_change(&db, &[b"run", run.as_bytes()])?;
            }
            let evicted = site::evict(&db, most_sample_bytes)?;
            if evicted.sites > 0 {
                record_change(&db, &[b"evict", &most_sample_bytes.to_le_bytes()])?;
            }
            Ok(evicted)
        };
        let mut evicted = work().map_err(self.failed("cannot write to"))?;
        evicted.revisions = self.revisions_removed.load(Ordering::Relaxed);
        db.commit(waiting)?;
        Ok(evicted)
    }
}

/// `PRAGMA user_version`: version of the schema (docs/NIGHTLY.md).
const VERSION: i64 = 4;

const TABLES: &str = include_str!("schema.sql");

/// Whether a file is a store; `false` if it is still empty. Any other file is an error. Only reads.
fn is_store(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let kind = identify(connection, MODEL_STORE, VERSION);
    match kind.map_err(|error| StoreError::sqlite("cannot read", path, error))? {
        FileKind::Own => Ok(true),
        FileKind::Empty => Ok(false),
        FileKind::OtherVersion(found) => {
            Err(StoreError::Schema { path: path.to_owned(), found, known: VERSION })
        }
        FileKind::Foreign(what) => Err(StoreError::Foreign { path: path.to_owned(), what }),
    }
}

/// Checks that the pages of the file are intact. Takes time linear in its length.
pub(crate) fn check_pages(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let said: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| StoreError::sqlite("cannot read", path, error))?;
    match said.as_str() {
        "ok" => Ok(()),
        _ => Err(StoreError::Damaged { path: path.to_owned(), what: said }),
    }
}

/// Makes an empty file a store, within the transaction that fills it.
fn create(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let created = create_schema(connection, TABLES, MODEL_STORE, VERSION);
    created.map_err(|error| StoreError::sqlite("cannot write to", path, error))
}

/// Returns the digest of all changes so far. The program is deterministic: the same changes in the same order give the
/// same contents, so these need not be read.
fn state_of(db: &Connection) -> rusqlite::Result<String> {
    db.query_row("SELECT digest FROM state", [], |row| row.get(0))
}

/// Adds a change to the digest, within the transaction that makes it.
pub(crate) fn record_change(db: &Connection, change: &[&[u8]]) -> rusqlite::Result<()> {
    let mut digest = Sha256::new_with_prefix(state_of(db)?);
    for part in change {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    db.execute("UPDATE state SET digest = ?1", [HEXLOWER.encode(&digest.finalize())]).map(drop)
}
