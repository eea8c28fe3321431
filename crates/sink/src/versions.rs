//! `archive.sqlite`: an archive of articles in one SQLite file, to which each run adds.
//!
//! [`content`] defines the content of an article, [`visits`] adds visits and finds their versions, [`absences`] records when an
//! address had no page, [`corrections`] has the corrections made by hand, and [`query`] answers queries.

mod absences;
mod content;
mod corrections;
mod query;
mod visits;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use database::{
    ARTICLE_ARCHIVE, Cause, Database, DatabaseError, FileKind, WaitPolicy, create_schema, identify,
    rows,
};
use model::{Absence, Extracted, SiteResult};
use rusqlite::{Connection, ErrorCode};

pub use corrections::{ArchiveCorrector, StoredCorrection, contradicts};
pub use query::{
    ArticleArchive, ArticleChange, ArticleReading, ArticleVersion, ChangeKind, GoneSpan,
};

use crate::{Sink, SinkError};
use absences::note_address;
use corrections::has_corrections;
use visits::VisitWriter;

/// Normalised forms of an address. They are equal for addresses of the same page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleKey {
    /// Form of the address itself.
    pub own: String,
    /// Form of the canonical address in the page, if both addresses differ only in tracking
    /// parameters.
    pub named: Option<String>,
    /// Form without any tracking parameters, which different pages may share.
    pub stripped: String,
}

impl ArticleKey {
    /// The form that identifies the article.
    fn exact(&self) -> &str {
        self.named.as_ref().unwrap_or(&self.own)
    }

    /// Finds the key in an archive of the article with this key or the address `url`. Returns `None` if the archive does not have
    /// it, or if several articles match.
    fn find(&self, db: &Connection, url: &str) -> rusqlite::Result<Option<String>> {
        // Looking up a key uses an index. An address whose key was made with other settings needs a scan. If several articles
        // match, tracking parameters tell them apart.
        let ways = [
            ("SELECT key FROM articles WHERE key = ?1", self.exact()),
            ("SELECT max(key) FROM articles WHERE stripped = ?1 HAVING count(*) = 1", &self.stripped),
            (
                "SELECT max(key) FROM articles WHERE id IN (SELECT article FROM versions WHERE url = ?1)
                 HAVING count(*) = 1",
                url,
            ),
        ];
        for (sql, value) in ways {
            let found = rows::first(db, sql, [value], |row| row.get(0))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// Returns the key for an address and the canonical address in its page.
pub type KeyOf = Arc<dyn Fn(&str, Option<&str>) -> ArticleKey + Send + Sync>;

/// Adds a run to an archive of articles in a single transaction: until the run is finished, readers
/// see the previous state, and a run that is stopped or killed changes nothing.
pub struct VersionsSink<'a> {
    database: Database,
    path: PathBuf,
    key_of: KeyOf,
    visits: VisitWriter,
    waiting: WaitPolicy<'a>,
}

impl<'a> VersionsSink<'a> {
    /// Opens the archive at `path`, or creates it; its folder must exist. If `rereads` is set, visits that the archive has
    /// are read again, and what this run finds replaces their content. Waits for another run that writes to the archive and,
    /// at its end, for programs whose reading blocks the commit.
    ///
    /// # Errors
    /// If it cannot be opened, is not an archive of articles, has another schema, or another run keeps
    /// writing to it; or if waiting is stopped.
    pub fn open(
        path: &Path,
        key_of: KeyOf,
        rereads: bool,
        waiting: WaitPolicy<'a>,
    ) -> Result<Self, SinkError> {
        // A file that is not an archive must not be changed, not even its journal mode.
        let database =
            Database::begin(path, waiting, &|connection| is_archive(connection, path).map(drop))?;
        // While another run writes, the file may look empty.
        if !is_archive(&database, path)? {
            create_schema(&database, TABLES, ARTICLE_ARCHIVE, VERSION)
                .map_err(|e| SinkError::other("cannot write to", path, e))?;
        }
        let is_corrected = has_corrections(&database)
            .map_err(|error| SinkError::other("cannot read", path, error))?;
        let (path, visits) = (path.to_owned(), VisitWriter::new(rereads, is_corrected));
        Ok(Self { database, path, key_of, visits, waiting })
    }

    /// The keys of articles. If articles with different titles have the same canonical address, the
    /// template of the site is wrong, and their own addresses are used.
    fn keys(&self, articles: &[Extracted]) -> Vec<ArticleKey> {
        let key = |article: &Extracted| (self.key_of)(&article.url, article.canonical.as_deref());
        let mut keys: Vec<ArticleKey> = articles.iter().map(key).collect();
        let mut titles: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
        for (key, article) in keys.iter().zip(articles) {
            if let Some(named) = &key.named {
                let extracted = article.uncorrected.as_deref().unwrap_or(&article.article);
                titles.entry(named.clone()).or_default().insert(extracted.title.clone());
            }
        }
        for key in &mut keys {
            let one = |named: &String| titles.get(named).is_none_or(|titles| titles.len() == 1);
            key.named = key.named.take().filter(one);
        }
        keys
    }
}

impl Sink for VersionsSink<'_> {
    fn take(&mut self, site: &SiteResult, _rendered: &[u8]) -> Result<(), SinkError> {
        let keyed = site.articles.iter().zip(self.keys(&site.articles));
        for (article, key) in keyed.filter(|(article, _)| article.duplicate_of.is_none()) {
            // Versions contain what was extracted. Corrections are stored separately.
            let extracted = article.uncorrected.as_ref().map(|before| Extracted {
                article: (**before).clone(),
                payload: article.payload,
                ..Extracted::default()
            });
            let article = extracted.as_ref().unwrap_or(article);
            let added = self.visits.add_article(&self.database, article, &key);
            added.map_err(|e| SinkError::other("cannot write to", &self.path, e))?;
        }
        Ok(())
    }

    fn take_absences(&mut self, absences: &[Absence]) -> Result<(), SinkError> {
        for Absence { url, gone } in absences {
            let noted = note_address(&self.database, &(self.key_of)(url, None), gone);
            noted.map_err(|e| SinkError::other("cannot write to", &self.path, e))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        Ok(self.database.commit(self.waiting)?)
    }
}

/// `PRAGMA user_version`: version of the schema (docs/ARCHIVE.md).
const VERSION: i64 = 5;

const TABLES: &str = include_str!("versions/schema.sql");

/// Whether a file is an SQLite database, as archives of articles are.
///
/// # Errors
/// If it cannot be read.
pub fn is_database(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(16).read_to_end(&mut start)?;
    Ok(start.starts_with(b"SQLite format 3"))
}

/// Whether a file is an archive; `false` if it is still empty. Returns an error for any other file.
fn is_archive(connection: &Connection, path: &Path) -> Result<bool, SinkError> {
    let what = "cannot use";
    let why = match identify(connection, ARTICLE_ARCHIVE, VERSION) {
        Ok(FileKind::Own) => return Ok(true),
        Ok(FileKind::Empty) => return Ok(false),
        Ok(FileKind::OtherVersion(version)) => format!(
            "its schema is {version}, this program knows {VERSION}: use the sitegrove that wrote it; \
             it was left as it is"
        ),
        Ok(FileKind::Foreign(found)) => format!("it is {found}, and was left as it is"),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            "it is not a database, and was left as it is".to_owned()
        }
        Err(error) => return Err(SinkError::other(what, path, error)),
    };
    Err(SinkError::other(what, path, why))
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
