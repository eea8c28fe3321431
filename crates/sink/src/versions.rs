//! `archive.sqlite`: an archive of articles in one SQLite file, to which each run adds.
//!
//! [`essence`] defines which parts of an article count as its content, [`schema`] how it is stored,
//! [`grow`] the changes by a visit, [`describe`] the description of the difference from the
//! previous version. [`sink`] is the output of a run, and [`read`] the queries.

mod describe;
mod essence;
mod grow;
mod key;
mod read;
mod schema;
mod sink;
#[cfg(test)]
mod tests;

pub use key::{ArticleKey, KeyOf};
pub use read::{ArticleArchive, Change, Version};
pub use sink::VersionsSink;

use std::io;
use std::path::Path;

use crate::SinkError;

/// An error of SQLite, with the file it is about.
fn failed(what: &'static str, path: &Path, error: rusqlite::Error) -> SinkError {
    SinkError { what, path: path.to_owned(), source: io::Error::other(error) }
}

/// An error for a file that is not of the expected kind.
fn refused(what: &'static str, path: &Path, why: impl Into<String>) -> SinkError {
    SinkError { what, path: path.to_owned(), source: io::Error::other(why.into()) }
}
