//! Opens a database file, and holds the one transaction that changes it.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{Cause, DatabaseError, FileIdentity, Obstacle, WaitPolicy};

/// How long SQLite waits before the stop flag is checked again.
const TICK: Duration = Duration::from_millis(50);
/// Time between two attempts. Needed because SQLite itself does not wait for every obstacle.
const PAUSE: Duration = Duration::from_millis(5);
/// How long to wait for readers when switching to or from a write-ahead log, before going on without the switch.
const SWITCH: Duration = Duration::from_secs(1);
/// How long a reader waits for the short moments in which a transaction begins or ends.
const READER_PATIENCE: Duration = Duration::from_secs(10);

/// A connection to a file: to read it, or within the transaction that changes it.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    path: PathBuf,
    file: Option<FileIdentity>,
}

impl Database {
    /// Opens the file at a path, or creates one, and begins the transaction that changes it. A file that `check` refuses
    /// is not changed, not even its journal mode.
    ///
    /// The file is never removed again, because another process may have it open. If the transaction does not end, the
    /// file is left as it was; a new one is then a database without tables.
    ///
    /// # Errors
    /// If the file cannot be opened, is not a regular file, is refused, or another process keeps writing to it; or if the
    /// stop flag is set while waiting.
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
            // With a write-ahead log, readers block nobody. A reader that reads for long prevents the switch to it: then
            // readers may have to wait for the end of the transaction, and the transaction for readers.
            wait.until(Obstacle::Writer, |begun| {
                database.switch_journal("PRAGMA journal_mode = WAL", begun);
                database.execute_batch("BEGIN IMMEDIATE")
            })?;
            // While this process waited, the file may have been moved and replaced. A new file is opened a second time:
            // only then is it known to be the one at the path.
            if file.is_some() && file == file_at(path)? {
                // Pages that do not fit into memory stay there while a reader prevents them from being written.
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

    /// Opens an empty database in memory.
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

    /// Passes the connection to `check` once the file can be read.
    fn check<E: From<DatabaseError>>(
        &self,
        wait: &mut Wait<'_>,
        check: &dyn Fn(&Connection) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error| failed("cannot read", &self.path, error);
        // Within a read transaction, no other process can interfere.
        self.execute_batch("BEGIN").map_err(failed)?;
        wait.until(Obstacle::Writer, |_| match self.execute_batch(FIRST_READ) {
            Err(error) if is_busy(&error) => Err(error),
            // `check` has a better message for a file that is not a database.
            _ => Ok(()),
        })?;
        check(self)?;
        Ok(self.execute_batch("ROLLBACK").map_err(failed)?)
    }

    /// Changes the journal mode. Returns whether no other process prevented it.
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

    /// Commits the transaction. Waits for readers as long as necessary, since the data is complete.
    ///
    /// # Errors
    /// If the file cannot be written, or is no longer the one at its path; or if the stop flag is set while waiting. The
    /// file is then as it was before the transaction.
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

    /// Leaves a single file, which people can copy, and which can be read in a folder that is not writable. While other
    /// processes have it open, the log has to stay; it is then merged as far as they allow.
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

/// Whether the error is that another process is in the way.
fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// A wait for other processes.
struct Wait<'a> {
    path: &'a Path,
    waiting: WaitPolicy<'a>,
    /// Longest wait; `None` for as long as necessary.
    patience: Option<Duration>,
    begun: Instant,
    has_reported: bool,
}

impl<'a> Wait<'a> {
    fn new(path: &'a Path, waiting: WaitPolicy<'a>, patience: Option<Duration>) -> Self {
        Self { path, waiting, patience, begun: Instant::now(), has_reported: false }
    }

    /// Tries until no other process is in the way. The attempt is given the time at which the wait began.
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
            if !self.has_reported {
                (self.waiting.tell)(self.path, obstacle);
                self.has_reported = true;
            }
            if self.patience.is_some_and(|patience| self.begun.elapsed() >= patience) {
                return Err(failed(WRITE, self.path, Cause::Busy));
            }
            thread::sleep(PAUSE);
        }
    }
}

/// Returns the identity of the file at a path; `None` if there is none. The file is not opened, because closing it would
/// release the locks that SQLite holds on it in this process.
fn file_at(path: &Path) -> Result<Option<FileIdentity>, DatabaseError> {
    // Errors are reported when the file is opened.
    let Ok(of) = fs::metadata(path) else { return Ok(None) };
    if !of.is_file() {
        return Err(failed(WRITE, path, Cause::NotAFile));
    }
    Ok(Some(FileIdentity::of(&of)))
}
