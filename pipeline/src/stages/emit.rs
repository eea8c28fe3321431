//! Stage 8, emit.
//!
//! Takes: the results of each site, in emission order.
//! Gives: the files of the run folder, each appearing whole or not at all.
//! Why: the outputs are the same bytes whatever the number of threads.
//! Drops: nothing; it writes down what the others dropped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use model::{Article, Drop};
use sink::{
    AtomicFile, SinkError, SiteRecord, article_record, csv_header, csv_rows, drop_record,
    site_file_name,
};

use crate::ledger;

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

/// What is written of a site, ready as bytes: made where the site was processed, so that threads
/// wait for each other only while bytes are copied to files.
#[derive(Debug)]
pub struct SiteBytes {
    site: String,
    articles: Vec<u8>,
    rows: Vec<u8>,
    dropped: Vec<u8>,
    wrappers: Vec<u8>,
}

/// Turns the results of a site into bytes.
pub fn render(result: &SiteResult) -> SiteBytes {
    let mut wrappers = serde_json::to_vec_pretty(&result.record).unwrap_or_default();
    wrappers.push(b'\n');
    SiteBytes {
        site: result.site.clone(),
        articles: json_lines(result.articles.iter().map(article_record)),
        rows: csv_rows(&result.articles),
        dropped: json_lines(result.drops.iter().map(drop_record)),
        wrappers,
    }
}

fn json_lines<T: serde::Serialize>(records: impl Iterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for record in records {
        // Records are plain data and memory takes every byte: there is nothing to fail.
        if serde_json::to_writer(&mut bytes, &record).is_ok() {
            bytes.push(b'\n');
        }
    }
    bytes
}

/// The open files of a run folder. Dropped before [`Outputs::finish`], they leave nothing behind.
#[derive(Debug)]
pub struct Outputs {
    folder: PathBuf,
    wrappers: PathBuf,
    articles: AtomicFile,
    rows: AtomicFile,
    dropped: AtomicFile,
    /// Wrapper files of this run, waiting for the others to be complete.
    sites: Vec<AtomicFile>,
    /// Wrapper files of an earlier run.
    stale: Vec<PathBuf>,
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
        let mut rows = AtomicFile::create(&folder.join("articles.csv"))?;
        rows.write_bytes(&csv_header())?;
        Ok(Self {
            stale: stale.collect(),
            folder: folder.to_owned(),
            wrappers,
            articles: AtomicFile::create(&folder.join("articles.jsonl"))?,
            rows,
            dropped: AtomicFile::create(&folder.join("dropped.jsonl"))?,
            sites: Vec::new(),
        })
    }

    /// Writes what came of one site. Call in emission order.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub fn emit(&mut self, bytes: &SiteBytes) -> Result<(), SinkError> {
        self.articles.write_bytes(&bytes.articles)?;
        self.rows.write_bytes(&bytes.rows)?;
        self.dropped.write_bytes(&bytes.dropped)?;
        let path = self.wrappers.join(format!("{}.json", site_file_name(&bytes.site)));
        let mut file = AtomicFile::create(&path)?;
        file.write_bytes(&bytes.wrappers)?;
        file.close()?;
        self.sites.push(file);
        self.stale.retain(|stale| *stale != path);
        Ok(())
    }

    /// Writes drops that belong to no site.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub fn emit_drops(&mut self, drops: &[Drop]) -> Result<(), SinkError> {
        self.dropped.write_bytes(&json_lines(drops.iter().map(drop_record)))
    }

    /// Moves all files to their places; wrappers of sites that are no longer there go.
    ///
    /// # Errors
    /// If a file cannot be finished.
    pub fn finish(self) -> Result<(), SinkError> {
        // The ledger says that a run is complete: until the new one is written there must be none,
        // or a crash between two files would look like a finished run.
        match fs::remove_file(self.folder.join(ledger::FILE)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                let path = self.folder.join(ledger::FILE);
                return Err(SinkError { what: "cannot replace", path, source });
            }
            _ => {}
        }
        for file in [self.articles, self.rows, self.dropped].into_iter().chain(self.sites) {
            file.finish()?;
        }
        for stale in self.stale {
            // A leftover that cannot be removed harms nobody.
            let _ = fs::remove_file(stale);
        }
        Ok(())
    }
}
