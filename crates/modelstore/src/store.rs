//! Opening a store, and the one transaction of a run.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};

use crate::digest::digest_of;
use crate::error::StoreError;
use crate::records::{Evicted, PackedSample, Retained, Run, SiteState, Update};
use crate::sample::unpack;
use crate::schema::{self, Found};
use crate::site;

/// How long a run waits for another one that writes to the same store.
const PATIENCE: Duration = Duration::from_secs(600);

/// A store of site models. For writing, it is locked until it is committed or dropped.
pub struct Store {
    /// `None` once it is closed.
    connection: Option<Mutex<Connection>>,
    path: PathBuf,
    /// The run that is taken in, and whether it was before.
    run: OnceLock<(i64, bool)>,
    /// Whether this process made the file.
    made: AtomicBool,
}

impl Store {
    /// Opens the store at `path` to change it, or begins one; its folder must exist. Where another process
    /// writes to it, calls `waiting` once and waits for up to ten minutes.
    ///
    /// # Errors
    /// If it cannot be opened, is damaged, is no store or one of another schema, or another process keeps
    /// writing to it. The file is left as it is.
    pub fn open(path: &Path, waiting: &dyn Fn()) -> Result<Self, StoreError> {
        Self::open_patiently(path, waiting, PATIENCE)
    }

    /// The same with another patience.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_patiently(
        path: &Path,
        waiting: &dyn Fn(),
        patience: Duration,
    ) -> Result<Self, StoreError> {
        let absent = fs::metadata(path).map_or(true, |m| m.len() == 0);
        let failed = |what| move |error| StoreError::sqlite(what, path, error);
        let connection = Connection::open(path).map_err(failed("cannot open"))?;
        // What is no store must not be changed, not even its mode.
        if schema::found(&connection, path)? == Found::Store {
            schema::check(&connection, path)?;
        }
        let mut store = Self {
            connection: None,
            path: path.to_owned(),
            run: OnceLock::new(),
            made: AtomicBool::new(false),
        };
        let begun = begin(&connection, waiting, patience);
        store.connection = Some(Mutex::new(connection));
        begun.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Busy(path.to_owned())
            }
            _ => failed("cannot write to")(error),
        })?;
        {
            let db = store.db();
            // As long as another process writes, the file may look empty.
            if schema::found(&db, path)? == Found::Empty {
                schema::create(&db).map_err(failed("cannot write to"))?;
                drop(db);
                store.made.store(absent, Ordering::Relaxed);
            }
        }
        Ok(store)
    }

    /// Opens a store to look at it.
    ///
    /// # Errors
    /// If it is not there, is damaged, is no store or one of another schema.
    pub fn look(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Absent(path.to_owned()));
        }
        let failed = |error| StoreError::sqlite("cannot open", path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(Duration::from_secs(10)).map_err(failed)?;
        if schema::found(&connection, path)? == Found::Empty {
            return Err(StoreError::Foreign(path.to_owned()));
        }
        let (connection, path) = (Some(Mutex::new(connection)), path.to_owned());
        Ok(Self { connection, path, run: OnceLock::new(), made: AtomicBool::new(false) })
    }

    /// The same, or one without anything in it where there is no file.
    ///
    /// # Errors
    /// As [`Store::look`], but for that.
    pub fn look_or_empty(path: &Path) -> Result<Self, StoreError> {
        if path.exists() {
            return Self::look(path);
        }
        let failed = |error| StoreError::sqlite("cannot open", path, error);
        let connection = Connection::open_in_memory().map_err(failed)?;
        schema::create(&connection).map_err(failed)?;
        let (connection, path) = (Some(Mutex::new(connection)), path.to_owned());
        Ok(Self { connection, path, run: OnceLock::new(), made: AtomicBool::new(false) })
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The connection. A panic elsewhere leaves it as good as it was.
    ///
    /// # Panics
    /// Once it is closed, which dropping does.
    #[expect(clippy::expect_used, reason = "dropping closes it")]
    pub(crate) fn db(&self) -> MutexGuard<'_, Connection> {
        let connection = self.connection.as_ref().expect("the store is open");
        connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn failed(&self, what: &'static str) -> impl Fn(rusqlite::Error) -> StoreError {
        move |error| StoreError::sqlite(what, &self.path, error)
    }

    /// Begins to take in a run. Returns whether it was taken in before.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn begin(&self, run: &Run) -> Result<bool, StoreError> {
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
        // Begun twice, it stays the first.
        let _ = self.run.set((id, false));
        Ok(false)
    }

    /// Returns whether a run was taken in before. What is known of sites is then as that run found it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn recognise(&self, run: &Run) -> Result<bool, StoreError> {
        let known = "SELECT id FROM runs WHERE digest = ?1";
        let known = self.db().query_row(known, [&run.digest], |row| row.get(0)).optional();
        let known: Option<i64> = known.map_err(self.failed("cannot read"))?;
        if let Some(id) = known {
            let _ = self.run.set((id, true));
        }
        Ok(known.is_some())
    }

    /// The last run that was taken in, without this one: its night, and how many sites it had. `None` if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_night(&self) -> Result<Option<(String, u64)>, StoreError> {
        let this = self.run.get().map_or(-1, |(id, _)| *id);
        let sql = "SELECT night, sites FROM runs WHERE id <> ?1 ORDER BY id DESC LIMIT 1";
        let last = self
            .db()
            .query_row(sql, [this], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())));
        last.optional().map_err(self.failed("cannot read"))
    }

    /// A digest of what the store holds. Of its runs and what they found, their digests count, and of the pages that it
    /// retains, their addresses, times and sizes: the rest follows from them.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn state(&self) -> Result<String, StoreError> {
        digest_of(&self.db()).map_err(self.failed("cannot read"))
    }

    /// What is known of a site, from before this run.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn site(&self, key: &str) -> Result<SiteState, StoreError> {
        let run = self.run.get().filter(|(_, before)| *before).map(|(id, _)| *id);
        let (state, packed) =
            site::state(&self.db(), key, run).map_err(self.failed("cannot read"))?;
        let model = packed.map(|packed| unpack(&packed)).transpose();
        let model = model.map_err(|error| {
            let what = format!("the model of {key} cannot be unpacked: {error}");
            StoreError::damaged(&self.path, what)
        })?;
        Ok(SiteState { model, ..state })
    }

    /// The retained pages of a site.
    ///
    /// # Errors
    /// If the store cannot be read, or the pages are damaged.
    pub fn sample(&self, key: &str) -> Result<Vec<Retained>, StoreError> {
        let packed = site::sample(&self.db(), key).map_err(self.failed("cannot read"))?;
        let pages = packed.map(|packed| PackedSample::pages(&packed)).transpose();
        let pages = pages.map_err(|error| {
            let what = format!("the pages of {key} cannot be unpacked: {error}");
            StoreError::damaged(&self.path, what)
        })?;
        Ok(pages.unwrap_or_default())
    }

    /// Takes in what a run found of a site. Changes nothing if the run was taken in before.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn take(&self, update: &Update) -> Result<(), StoreError> {
        match self.run.get() {
            Some((id, false)) => {
                site::take(&self.db(), *id, update).map_err(self.failed("cannot write to"))
            }
            _ => Ok(()),
        }
    }

    /// Keeps what was taken in; nothing can be taken in after. Samples of the sites not seen for longest go,
    /// until all samples weigh `most_sample_bytes` at most.
    ///
    /// # Errors
    /// If the store cannot be written: it is then as it was.
    pub fn commit(&self, most_sample_bytes: u64) -> Result<Evicted, StoreError> {
        let db = self.db();
        let work = || {
            if let Some((run, false)) = self.run.get() {
                let sql = "UPDATE runs SET
                    night = coalesce((SELECT max(night) FROM nights WHERE run = ?1), ''),
                    sites = (SELECT count(*) FROM nights WHERE run = ?1),
                    pages = coalesce((SELECT sum(pages) FROM nights WHERE run = ?1), 0)
                    WHERE id = ?1";
                db.execute(sql, [run])?;
            }
            let evicted = site::evict(&db, most_sample_bytes)?;
            db.execute_batch("COMMIT")?;
            Ok(evicted)
        };
        let evicted = work().map_err(self.failed("cannot write to"))?;
        self.made.store(false, Ordering::Relaxed);
        // One file, with nothing beside it, is what people copy. While readers are at work the log stays
        // beside it.
        let _ = db.busy_timeout(Duration::ZERO);
        let _ = db.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()));
        Ok(evicted)
    }
}

fn begin(db: &Connection, waiting: &dyn Fn(), patience: Duration) -> rusqlite::Result<()> {
    // With a write-ahead log others read on while a run writes. Where one of them keeps the mode from
    // changing, they wait for the run's end instead.
    db.busy_timeout(Duration::ZERO)?;
    let _ = db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
    db.set_prepared_statement_cache_capacity(32);
    match db.execute_batch("BEGIN IMMEDIATE") {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
            waiting();
            db.busy_timeout(patience)?;
            db.execute_batch("BEGIN IMMEDIATE")
        }
        begun => begun,
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Closing takes back what was not committed.
        let unfinished = self.connection.take().is_some();
        if self.made.load(Ordering::Relaxed) && unfinished {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.path).finish_non_exhaustive()
    }
}
