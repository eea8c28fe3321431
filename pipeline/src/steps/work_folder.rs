//! A folder for what does not fit into memory while a step works.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shuffle::spool::Spool;

/// Such a folder; it is removed with everything in it when this is dropped.
#[derive(Debug)]
pub(super) struct WorkFolder(PathBuf);

impl WorkFolder {
    /// Makes the folder. What a killed process left in it is removed.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let made = Spool::make_folder(&path);
        made.with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self(path))
    }

    /// Makes the folder of the process that writes the file `out`, beside that.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn beside(out: &Path) -> Result<Self> {
        let mut name = OsString::from(".");
        name.push(out.file_name().unwrap_or_default());
        name.push(".work");
        Self::create(out.with_file_name(name))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        // What cannot be removed is removed when the step is run again.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
