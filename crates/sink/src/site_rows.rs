//! `report/sites.jsonl`: one line per site with its figures, the data of the report.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{SiteFigures, SiteResult, rounded};
use serde::Serialize;

use crate::atomic::make_folder;
use crate::site_figures::{absorb, figures_of};
use crate::{AtomicFile, Render, SCHEMA, Sink, SinkError, json_lines};

/// A line of the file.
#[derive(Serialize)]
struct SiteRow {
    schema: u32,
    #[serde(flatten)]
    figures: SiteFigures,
}

fn line(figures: SiteFigures) -> Vec<u8> {
    json_lines(std::iter::once(SiteRow { schema: SCHEMA, figures }))
}

/// Writes `report/sites.jsonl`.
#[derive(Debug)]
pub struct SiteRowsSink {
    file: AtomicFile,
    folder: PathBuf,
    /// The site whose parts are being received.
    open: Option<SiteFigures>,
}

impl SiteRowsSink {
    /// File name in the report's folder.
    pub const FILE: &'static str = "sites.jsonl";
    /// Name of the folder of single-site pages, in the report's folder.
    pub const PAGES: &'static str = "sites";

    /// Starts the file in the report's folder, which is created if necessary.
    ///
    /// # Errors
    /// If folder or file cannot be created.
    pub fn create(folder: &Path) -> Result<Self, SinkError> {
        make_folder(folder)?;
        let file = AtomicFile::create(&folder.join(Self::FILE))?;
        Ok(Self { file, folder: folder.to_owned(), open: None })
    }

    /// Removes single-site pages, which belong to an earlier run.
    pub fn remove_pages(folder: &Path) {
        let pages = folder.join(Self::PAGES);
        let entries = fs::read_dir(&pages).into_iter().flatten().flatten().map(|e| e.path());
        // A leftover page that cannot be removed does no harm; other files are kept.
        for page in entries.filter(|path| path.extension().is_some_and(|e| e == "html")) {
            let _ = fs::remove_file(page);
        }
        let _ = fs::remove_dir(&pages);
    }
}

impl Sink for SiteRowsSink {
    fn render(&self) -> Option<Render> {
        // A site in parts has one line for all parts.
        Some(Arc::new(|site| match site.figures {
            Some(_) => Vec::new(),
            None => line(figures_of(site)),
        }))
    }

    fn take(&mut self, site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError> {
        let Some(part) = site.figures.as_deref().cloned() else {
            return self.file.write_bytes(rendered);
        };
        match &mut self.open {
            Some(all) => absorb(all, part),
            none => *none = Some(part),
        }
        if site.more {
            return Ok(());
        }
        let Some(all) = self.open.take() else { return Ok(()) };
        let confidence = all.confidence.map(rounded);
        self.file.write_bytes(&line(SiteFigures { confidence, ..all }))
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        self.file.finish()?;
        Self::remove_pages(&self.folder);
        Ok(())
    }
}
