//! `site-config/HOST.txt`: wrappers in the format of Full-Text RSS and wallabag.

use std::fs;
use std::path::{Path, PathBuf};

use model::{SiteResult, WrittenSiteConfig};

use crate::files::{files_with, remove_files_with};
use crate::{AtomicFile, Sink, SinkError, make_folder};

/// Writes the site configs of each site to a folder.
#[derive(Debug)]
pub struct SiteConfigSink {
    folder: PathBuf,
    files: Vec<AtomicFile>,
    /// Files of an earlier run that this run has not replaced.
    stale: Vec<PathBuf>,
}

impl SiteConfigSink {
    /// Creates the folder if it does not exist.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(folder: &Path) -> Result<Self, SinkError> {
        make_folder(folder)?;
        Ok(Self { folder: folder.to_owned(), files: Vec::new(), stale: files_with(folder, "txt") })
    }

    /// Removes the files of an earlier run, and the folder if it is then empty.
    pub fn remove(folder: &Path) {
        remove_files_with(folder, "txt");
    }
}

impl Sink for SiteConfigSink {
    fn reads_articles(&self) -> bool {
        false
    }

    fn take(&mut self, site: &SiteResult, _: &[u8]) -> Result<(), SinkError> {
        for WrittenSiteConfig { name, text } in &site.site_configs {
            let path = self.folder.join(name);
            let mut file = AtomicFile::create(&path)?;
            file.write_bytes(text.as_bytes())?;
            file.close()?;
            self.files.push(file);
            self.stale.retain(|stale| *stale != path);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        AtomicFile::finish_all(self.files)?;
        for stale in self.stale {
            let _ = fs::remove_file(stale);
        }
        Ok(())
    }
}
