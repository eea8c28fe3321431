//! Opening a file, and the one transaction that changes it.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{Cause, DatabaseError, FileIdentity, Obstacle, WaitPolicy};

/// How long SQLite waits before the flag is looked at again.
const TICK: Duration = Duration::from_millis(50);
/// Time between two attempts: not every obstacle is one that SQLite waits for.
const PAUSE: Duration = Duration::from_millis(5);
/// How long readers may keep a file from getting a write-ahead log, or from giving it up, before that is done without.
const SWITCH: Duration = Duration::from_secs(1);
/// How long a reader waits: for the moments in which a transaction begins or ends.
const READER_PATIENCE: Duration = Duration::from_secs(10);

/// A connection to a file: to read it, or within the transaction that changes it.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    path: PathBuf,
    /// The file that is changed.
    file: Option<FileIdentity>,
}

impl Database {
    /// Opens the file at a path, or makes one, and begins the transaction that changes it. What `check` refuses is not
    /// changed, not even its mode.
    ///
    /// The file is never removed again: another process may have it open. If the transaction does not end, it is left as
    /// it was, and one that was made is a database without tables.
    ///
    /// # Errors
    /// If the file cannot be opened, is no regular file, is refused, or another process keeps writing to it; if the flag
    /// is set while waiting.
    pub fn begin<E: From<DatabaseError>>(
        path: &Path,
        waiting: WaitPolicy<'_>,
        check: &dyn Fn(&Connection) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut wait = Wait::new(path, waiting, Some(waiting.patience));
        loop {
            let file = file_at(path)?;
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
            let mut database = Self::open(path, flags, TICK)?;
            database.check(&mut wait, check)?;
            database.file = file;
            wait.until(Obstacle::Writer, |begun| database.begin_immediately(begun))?;
            // While this process waited, the file may have been moved, and another one put in its place. A file that
            // was made here is opened again, as only then it is known to be the one at the path.
            if file.is_some() && file == file_at(path)? {
                // Pages that do not fit into memory stay there as long as a reader keeps them from being written.
                let _ = database.busy_timeout(Duration::ZERO);
                database.set_prepared_statement_cache_capacity(32);
                return Ok(database);
            }
        }
    }

    /// Opens a file to read it.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn read(path: &Path) -> Result<Self, DatabaseError> {
        Self::open(path, OpenFlags::SQLITE_OPEN_READ_ONLY, READER_PATIENCE)
    }

    /// A database without anything in it, in memory.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn in_memory() -> Result<Self, DatabaseError> {
        Self::open(Path::new(":memory:"), OpenFlags::default(), Duration::ZERO)
    }

    fn open(path: &Path, flags: OpenFlags, patience: Duration) -> Result<Self, DatabaseError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(path, flags).and_then(|connection| {
            connection.busy_timeout(patience)?;
            Ok(Self { connection, path: path.to_owned(), file: None })
        });
        opened.map_err(|error| failed("cannot open", path, error))
    }

    /// Passes the connection to `check` once it can be read.
    fn check<E: From<DatabaseError>>(
        &self,
        wait: &mut Wait<'_>,
        check: &dyn Fn(&Connection) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error| failed("cannot read", &self.path, error);
        // Within a transaction that reads, no other process gets in the way.
        self.execute_batch("BEGIN").map_err(failed)?;
        wait.until(Obstacle::Writer, |_| match self.execute_batch(FIRST_READ) {
            Err(error) if is_busy(&error) => Err(error),
            // `check` has better words for what is no database.
            _ => Ok(()),
        })?;
        check(self)?;
        Ok(self.execute_batch("ROLLBACK").map_err(failed)?)
    }

    /// Begins to change the file, unless another process does. With a write-ahead log, readers are in nobody's way. One
    /// that reads for long keeps the file from getting it: then readers may have to wait for the end of the
    /// transaction, and the transaction for them.
    fn begin_immediately(&self, waiting_since: Instant) -> rusqlite::Result<()> {
        self.switch_journal("PRAGMA journal_mode = WAL", waiting_since);
        self.execute_batch("BEGIN IMMEDIATE")
    }

    /// Changes the mode of the journal. Returns whether no other process was in the way.
    fn switch_journal(&self, sql: &str, begun: Instant) -> bool {
        loop {
            match self.query_row(sql, [], |_| Ok(())) {
                Err(error) if !is_busy(&error) => return true,
                Err(_) if begun.elapsed() >= SWITCH => return false,
                Err(_) => thread::sleep(PAUSE),
                Ok(()) => return true,
            }
        }
    }

    /// Commits the transaction. Waits for readers as long as it has to, as what is written is complete.
    ///
    /// # Errors
    /// If the file cannot be written, or is no longer the one at its path; if the flag is set while waiting. The file is
    /// then as it was before the transaction.
    pub fn commit(&self, waiting: WaitPolicy<'_>) -> Result<(), DatabaseError> {
        if file_at(&self.path)? != self.file {
            return Err(failed(WRITE, &self.path, Cause::Moved));
        }
        self.busy_timeout(TICK).map_err(|error| failed(WRITE, &self.path, error))?;
        let mut wait = Wait::new(&self.path, waiting, None);
        wait.until(Obstacle::Reader, |_| self.execute_batch("COMMIT"))?;
        self.leave_one_file();
        Ok(())
    }

    /// One file with nothing beside it is what people copy, and what can be read in a folder that cannot be written.
    /// While others have it open, its log has to stay; it is then merged as far as they let it.
    fn leave_one_file(&self) {
        if !self.switch_journal("PRAGMA journal_mode = DELETE", Instant::now()) {
            let _ = self.query_row("PRAGMA wal_checkpoint", [], |_| Ok(()));
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if self.file.is_some() && !self.is_autocommit() {
            let _ = self.execute_batch("ROLLBACK");
            self.leave_one_file();
        }
    }
}

impl Deref for Database {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// Reads the file's header.
const FIRST_READ: &str = "SELECT count(*) FROM sqlite_schema";

const WRITE: &str = "cannot write to";

fn failed(what: &'static str, path: &Path, cause: impl Into<Cause>) -> DatabaseError {
    DatabaseError { what, path: path.to_owned(), cause: cause.into() }
}

/// Whether another process is in the way.
fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// A wait for other processes.
struct Wait<'a> {
    path: &'a Path,
    waiting: WaitPolicy<'a>,
    /// Longest wait; `None` if it takes as long as it has to.
    patience: Option<Duration>,
    begun: Instant,
    is_told: bool,
}

impl<'a> Wait<'a> {
    fn new(path: &'a Path, waiting: WaitPolicy<'a>, patience: Option<Duration>) -> Self {
        Self { path, waiting, patience, begun: Instant::now(), is_told: false }
    }

    /// Tries until no other process is in the way. What is tried is given the beginning of the wait.
    fn until(
        &mut self,
        obstacle: Obstacle,
        mut attempt: impl FnMut(Instant) -> rusqlite::Result<()>,
    ) -> Result<(), DatabaseError> {
        loop {
            let Err(error) = attempt(self.begun) else { return Ok(()) };
            if !is_busy(&error) {
                return Err(failed(WRITE, self.path, error));
            }
            if self.waiting.stop.load(Ordering::Relaxed) {
                return Err(failed(WRITE, self.path, Cause::Stopped));
            }
            if !self.is_told {
                (self.waiting.tell)(self.path, obstacle);
                self.is_told = true;
            }
            if self.patience.is_some_and(|patience| self.begun.elapsed() >= patience) {
                return Err(failed(WRITE, self.path, Cause::Busy));
            }
            thread::sleep(PAUSE);
        }
    }
}

/// The file at a path; `None` if there is nothing. It is not opened: closing it would give up the locks that SQLite has
/// on it in this process.
fn file_at(path: &Path) -> Result<Option<FileIdentity>, DatabaseError> {
    // Errors are those of opening it.
    let Ok(of) = fs::metadata(path) else { return Ok(None) };
    if !of.is_file() {
        return Err(failed(WRITE, path, Cause::NotAFile));
    }
    Ok(Some(FileIdentity::of(&of)))
}
