/*!
Defines how an SQLite file is shared: one process at a time writes to it, in a single transaction, and any number of programs
may read it meanwhile, for any length of time.

A writer waits for others, checks a stop flag while it waits, and never removes or replaces a file. When it begins and before it
commits, it checks that its open file is still the one at the path, so that its data does not end up in a file that was moved away.
*/

mod database;
pub mod rows;

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rusqlite::Connection;

pub use database::Database;

/// `application_id` of a store of site models (<https://www.sqlite.org/fileformat2.html#application_id>).
pub const MODEL_STORE: i64 = 0x5369_4D6F;
/// `application_id` of an archive of articles.
pub const ARTICLE_ARCHIVE: i64 = 0x5369_4772;

/// What a file is, by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A database of the expected application and version.
    Own,
    /// A database without tables.
    Empty,
    /// A database of the expected application, with this other version of the schema.
    OtherVersion(i64),
    /// Another database; the text says which.
    Foreign(&'static str),
}

/// Compares `PRAGMA application_id` and `PRAGMA user_version` of a file with those of a schema. Only reads.
///
/// # Errors
/// If the file is not a database, or cannot be read.
pub fn identify(
    connection: &Connection,
    application: i64,
    version: i64,
) -> rusqlite::Result<FileKind> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let found = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
    Ok(match found {
        (0, 0) if tables == 0 => FileKind::Empty,
        (id, found) if id == application && found == version => FileKind::Own,
        (id, found) if id == application => FileKind::OtherVersion(found),
        (id, _) => FileKind::Foreign(name_kind(id)),
    })
}

/// Returns the name of the kind of database with this `application_id`, for messages.
pub fn name_kind(application: i64) -> &'static str {
    match application {
        MODEL_STORE => "a model store",
        ARTICLE_ARCHIVE => "an archive of articles",
        _ => "the database of another program",
    }
}

/// Makes an empty file a database of this application and version, within the transaction that fills it.
///
/// # Errors
/// If the file cannot be written.
pub fn create_schema(
    connection: &Connection,
    tables: &str,
    application: i64,
    version: i64,
) -> rusqlite::Result<()> {
    connection.execute_batch(tables)?;
    connection.pragma_update(None, "application_id", application)?;
    connection.pragma_update(None, "user_version", version)
}

/// What a process waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Another process that changes the file.
    Writer,
    /// Another program that reads the file, while the change is ready to be written.
    Reader,
}

/// How a process waits for others.
#[derive(Clone, Copy, Debug)]
pub struct WaitPolicy<'a> {
    /// Set to end the wait.
    pub stop: &'a AtomicBool,
    /// Called once for each obstacle, when the wait begins.
    pub tell: fn(&Path, Obstacle),
    /// Longest wait for another process that changes the file. Readers are waited for as long as they read, since the
    /// data to be written is complete by then.
    pub patience: Duration,
}

impl<'a> WaitPolicy<'a> {
    /// Waits for ten minutes.
    pub fn new(stop: &'a AtomicBool, tell: fn(&Path, Obstacle)) -> Self {
        Self { stop, tell, patience: Duration::from_secs(600) }
    }
}

/// The identity of a file, independent of its name: equal for the same file, as long as it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl FileIdentity {
    /// Returns the identity of a file. On systems other than Unix, all files have the same one.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there is nothing to ask for"))]
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            #[cfg(unix)]
            device: std::os::unix::fs::MetadataExt::dev(metadata),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(metadata),
        }
    }
}

/// The error of a file that cannot be used. The file was left as it is.
#[derive(Debug, thiserror::Error)]
#[error("{what} {}: {cause}", path.display())]
pub struct DatabaseError {
    /// What failed, e.g. `cannot open`.
    pub what: &'static str,
    /// The file that cannot be used.
    pub path: PathBuf,
    /// What is wrong with it, or what it is used by.
    #[source]
    pub cause: Cause,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// SQLite failed, for example because the disk failed or is full.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// The path is a folder, a pipe, a device or the like.
    #[error("it is not a regular file; name one, or a path where there is nothing yet")]
    NotAFile,
    /// Another process changes the file.
    #[error("another run is still writing to it; run again once it is done")]
    Busy,
    /// The stop flag ended the wait.
    #[error("stopped while waiting for other programs that use it")]
    Stopped,
    /// The file at the path is not the one that was opened.
    #[error(
        "it was moved, removed or replaced while this run wrote to it, so nothing was added; give \
         the same command again"
    )]
    Moved,
}
