//! `archive.sqlite`: an archive of articles in one SQLite file, to which each run adds.
//!
//! [`essence`] says what of an article counts as its content, [`schema`] how it is stored. [`grow`] is what a
//! visit changes: [`place`] finds its version, [`reread`] reads known ones again, [`readings`] notes pages that
//! did not change but were read differently; [`rows`] and [`content`] are what they write and read. [`absent`] notes when an address had no page.
//! [`describe`] is what is said of the difference to the version before, [`sink`] makes an output of it and
//! [`read`] answers questions.

mod absent;
mod content;
mod describe;
mod essence;
mod grow;
mod key;
mod place;
mod read;
mod readings;
mod reread;
mod rows;
mod schema;
mod sink;
#[cfg(test)]
mod tests;

pub use key::{ArticleKey, KeyOf};
pub use read::{ArticleArchive, Change, ChangeKind, GoneSpan, Reading, Version};
pub use sink::VersionsSink;

use std::io;
use std::path::Path;

use database::{Cause, DatabaseError};

use crate::SinkError;

/// An error of SQLite, with the file it is about.
fn failed(what: &'static str, path: &Path, error: rusqlite::Error) -> SinkError {
    SinkError { what, path: path.to_owned(), source: io::Error::other(error) }
}

impl From<DatabaseError> for SinkError {
    fn from(error: DatabaseError) -> Self {
        let DatabaseError { what, path, cause } = error;
        let kind = match cause {
            Cause::Stopped => io::ErrorKind::Interrupted,
            _ => io::ErrorKind::Other,
        };
        Self { what, path, source: io::Error::new(kind, cause) }
    }
}

/// An error for a file that is not of the expected kind.
fn refused(what: &'static str, path: &Path, why: impl Into<String>) -> SinkError {
    SinkError { what, path: path.to_owned(), source: io::Error::other(why.into()) }
}
