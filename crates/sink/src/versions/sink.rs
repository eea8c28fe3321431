//! The archive as an output of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use database::{Database, WaitPolicy};
use model::{Absence, Extracted, SiteResult};

use super::grow::Growth;
use super::key::{ArticleKey, KeyOf};
use super::schema::{self, Found};
use super::{absent, failed};
use crate::{Sink, SinkError};

/// Adds a run to an archive of articles, in a single transaction: until the run is finished readers
/// see the previous state, and a run that is stopped or killed changes nothing.
pub struct VersionsSink<'a> {
    database: Database,
    path: PathBuf,
    key_of: KeyOf,
    growth: Growth,
    waiting: WaitPolicy<'a>,
}

impl<'a> VersionsSink<'a> {
    /// Opens the archive at `path`, or begins one; its folder must exist. Where `rereads`, visits that are known
    /// are read again: what this run finds replaces what was read of them. Waits for another run that writes to it and,
    /// at its end, for programs that read it where they are in the way.
    ///
    /// # Errors
    /// If it cannot be opened, is no archive of articles or one of another schema, or another run
    /// keeps writing to it; if waiting is stopped.
    pub fn open(
        path: &Path,
        key_of: KeyOf,
        rereads: bool,
        waiting: WaitPolicy<'a>,
    ) -> Result<Self, SinkError> {
        // A file that is not an archive must not be changed, not even its journal mode.
        let database = Database::begin(path, waiting, &|connection| {
            schema::found(connection, path).map(drop)
        })?;
        // As long as another run writes, the file may look empty.
        if schema::found(&database, path)? == Found::Empty {
            schema::create(&database).map_err(|e| failed("cannot write to", path, e))?;
        }
        let (path, growth) = (path.to_owned(), Growth::new(rereads));
        Ok(Self { database, path, key_of, growth, waiting })
    }

    /// The keys of articles. If articles with different titles name the same canonical address, the
    /// site's template is wrong, and their own addresses are used.
    fn keys(&self, articles: &[Extracted]) -> Vec<ArticleKey> {
        let key = |article: &Extracted| (self.key_of)(&article.url, article.canonical.as_deref());
        let mut keys: Vec<ArticleKey> = articles.iter().map(key).collect();
        let mut titles: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
        for (key, article) in keys.iter().zip(articles) {
            if let Some(named) = &key.named {
                titles.entry(named.clone()).or_default().insert(article.title.clone());
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
            let grown = self.growth.visit(&self.database, article, &key);
            grown.map_err(|e| failed("cannot write to", &self.path, e))?;
        }
        Ok(())
    }

    fn absent(&mut self, absences: &[Absence]) -> Result<(), SinkError> {
        for Absence { url, gone } in absences {
            let noted = absent::note_address(&self.database, &(self.key_of)(url, None), gone);
            noted.map_err(|e| failed("cannot write to", &self.path, e))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        Ok(self.database.commit(self.waiting)?)
    }
}

impl fmt::Debug for VersionsSink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VersionsSink").field("path", &self.path).finish_non_exhaustive()
    }
}
