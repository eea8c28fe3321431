//! The archive as an output of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{Absence, Article, Field, SiteResult};
use rusqlite::Connection;

use super::grow::Growth;
use super::key::{ArticleKey, KeyOf};
use super::schema::{self, Found};
use super::{absent, failed};
use crate::{Sink, SinkError};

/// How long a run waits for another run that writes to the same archive.
const PATIENCE: Duration = Duration::from_secs(60);

/// Adds a run to an archive of articles, in a single transaction: until the run is finished readers
/// see the previous state, and a run that is stopped or killed changes nothing.
pub struct VersionsSink {
    /// `None` after it is closed.
    connection: Option<Connection>,
    path: PathBuf,
    key_of: KeyOf,
    growth: Growth,
    /// Whether this run created the file.
    made: bool,
}

impl VersionsSink {
    /// Opens the archive at `path`, or begins one; its folder must exist. Where `rereads`, visits that are known
    /// are read again: what this run finds replaces what was read of them.
    ///
    /// # Errors
    /// If it cannot be opened, is no archive of articles or one of another schema, or another run
    /// is still writing to it after a minute.
    pub fn open(path: &Path, key_of: KeyOf, rereads: bool) -> Result<Self, SinkError> {
        let absent = fs::metadata(path).map_or(true, |m| m.len() == 0);
        let connection = Connection::open(path).map_err(|e| failed("cannot open", path, e))?;
        let mut sink = Self {
            connection: None,
            path: path.to_owned(),
            key_of,
            growth: Growth::new(rereads),
            made: false,
        };
        // A file that is not an archive must not be changed, not even its journal mode.
        schema::found(&connection, path)?;
        let begun = begin(&connection);
        sink.connection = Some(connection);
        begun.map_err(|e| failed("cannot write to", path, e))?;
        if let Some(connection) = &sink.connection
            && schema::found(connection, path)? == Found::Empty
        {
            // Known only now: while another run writes, the file may look empty.
            sink.made = absent;
            schema::create(connection).map_err(|e| failed("cannot write to", path, e))?;
        }
        if let Some(connection) = &sink.connection {
            schema::bring_up_to_date(connection).map_err(|e| failed("cannot write to", path, e))?;
        }
        Ok(sink)
    }

    /// The keys of articles. If articles with different titles name the same canonical address, the
    /// site's template is wrong, and their own addresses are used.
    fn keys(&self, articles: &[Article]) -> Vec<ArticleKey> {
        let field = |field: &Option<Field<String>>| field.as_ref().map(|f| f.value.clone());
        let key = |article: &Article| {
            (self.key_of)(&article.url, field(&article.metadata.canonical).as_deref())
        };
        let mut keys: Vec<ArticleKey> = articles.iter().map(key).collect();
        let mut titles: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
        for (key, article) in keys.iter().zip(articles) {
            if let Some(named) = &key.named {
                titles.entry(named.clone()).or_default().insert(field(&article.metadata.title));
            }
        }
        for key in &mut keys {
            let one = |named: &String| titles.get(named).is_none_or(|titles| titles.len() == 1);
            key.named = key.named.take().filter(one);
        }
        keys
    }
}

fn begin(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    // With a write-ahead log, readers can read while a run writes. If a reader prevents the change
    // of mode, readers wait for the end of the run instead.
    let _ = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
    connection.set_prepared_statement_cache_capacity(32);
    connection.execute_batch("BEGIN IMMEDIATE")
}

impl Sink for VersionsSink {
    fn take(&mut self, site: &SiteResult, _rendered: &[u8]) -> Result<(), SinkError> {
        let Some(connection) = &self.connection else { return Ok(()) };
        let keyed = site.articles.iter().zip(self.keys(&site.articles));
        for (article, key) in keyed.filter(|(article, _)| article.duplicate_of().is_none()) {
            let grown = self.growth.visit(connection, article, &key);
            grown.map_err(|e| failed("cannot write to", &self.path, e))?;
        }
        Ok(())
    }

    fn absent(&mut self, absences: &[Absence]) -> Result<(), SinkError> {
        let Some(connection) = &self.connection else { return Ok(()) };
        for Absence { url, gone } in absences {
            let noted = absent::note_address(connection, &(self.key_of)(url, None), gone);
            noted.map_err(|e| failed("cannot write to", &self.path, e))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        let Some(connection) = &self.connection else { return Ok(()) };
        let committed = connection.execute_batch("COMMIT");
        committed.map_err(|e| failed("cannot write to", &self.path, e))?;
        self.made = false;
        // Leaves a single file, without a log beside it, so that it can be copied. While there are
        // readers the log has to stay; they read both, and the next run merges it.
        let _ = connection.busy_timeout(Duration::ZERO);
        let _ = connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()));
        Ok(())
    }
}

impl Drop for VersionsSink {
    fn drop(&mut self) {
        // Closing rolls back uncommitted changes.
        let unfinished = self.connection.take().is_some();
        if self.made && unfinished {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl fmt::Debug for VersionsSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VersionsSink").field("path", &self.path).finish_non_exhaustive()
    }
}
