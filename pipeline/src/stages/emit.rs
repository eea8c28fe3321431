//! Stage 8, emit.
//!
//! Takes: the results of each site, in emission order.
//! Gives: the files of the run folder, each appearing whole or not at all.
//! Why: the outputs are the same bytes whatever the number of threads.
//! Drops: nothing; it writes down what the others dropped.

use std::fs;
use std::path::{Path, PathBuf};

use model::{Article, Drop};
use sink::{
    ArticleCsv, AtomicFile, SinkError, SiteRecord, article_record, drop_record, site_file_name,
};

/// All that came of one site.
#[derive(Debug)]
pub struct SiteResult {
    /// Its articles, by (URL, record id).
    pub articles: Vec<Article>,
    /// What was dropped on the way, sorted.
    pub drops: Vec<Drop>,
    /// Its templates and wrappers.
    pub record: SiteRecord,
    /// Key of the site.
    pub site: String,
    /// Its best wrapper, for the summary: template, articles, expression.
    pub best: Option<BestWrapper>,
}

/// The wrapper of a site that gave the most articles.
#[derive(Clone, Debug)]
pub struct BestWrapper {
    /// Articles it gave.
    pub articles: usize,
    /// Its expressions.
    pub content: Vec<String>,
    /// Its confidence.
    pub confidence: f64,
}

/// The open files of a run folder. Dropped before [`Outputs::finish`], they leave nothing behind.
pub struct Outputs {
    folder: PathBuf,
    articles: AtomicFile,
    csv: ArticleCsv,
    dropped: AtomicFile,
    stale_wrappers: Vec<PathBuf>,
}

impl Outputs {
    /// Opens the files of a run folder, which must exist.
    ///
    /// # Errors
    /// If a file cannot be created.
    pub fn create(folder: &Path) -> Result<Self, SinkError> {
        let wrappers = folder.join("wrappers");
        fs::create_dir_all(&wrappers).map_err(|source| SinkError {
            what: "cannot create",
            path: wrappers.clone(),
            source,
        })?;
        let stale = fs::read_dir(&wrappers).into_iter().flatten().flatten().map(|e| e.path());
        Ok(Self {
            folder: folder.to_owned(),
            articles: AtomicFile::create(&folder.join("articles.jsonl"))?,
            csv: ArticleCsv::create(&folder.join("articles.csv"))?,
            dropped: AtomicFile::create(&folder.join("dropped.jsonl"))?,
            stale_wrappers: stale.collect(),
        })
    }

    /// Writes what came of one site. Call in emission order.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub fn emit(&mut self, result: &SiteResult) -> Result<(), SinkError> {
        for article in &result.articles {
            self.articles.write_json_line(&article_record(article))?;
            self.csv.write(article)?;
        }
        self.emit_drops(&result.drops)?;
        let name = format!("{}.json", site_file_name(&result.site));
        let path = self.folder.join("wrappers").join(name);
        let mut text = serde_json::to_vec_pretty(&result.record).unwrap_or_default();
        text.push(b'\n');
        AtomicFile::write_whole(&path, &text)?;
        self.stale_wrappers.retain(|stale| *stale != path);
        Ok(())
    }

    /// Writes drops that belong to no site.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub fn emit_drops(&mut self, drops: &[Drop]) -> Result<(), SinkError> {
        drops.iter().try_for_each(|drop| self.dropped.write_json_line(&drop_record(drop)))
    }

    /// Moves all files to their places; wrappers of sites that are no longer there go.
    ///
    /// # Errors
    /// If a file cannot be finished.
    pub fn finish(self) -> Result<(), SinkError> {
        self.articles.finish()?;
        self.csv.finish()?;
        self.dropped.finish()?;
        for stale in self.stale_wrappers {
            // A leftover that cannot be removed harms nobody.
            let _ = fs::remove_file(stale);
        }
        Ok(())
    }
}
