//! Temporary folders for what does not fit into memory while a process works.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};

/// A temporary folder. It is removed with its contents when this value is dropped.
#[derive(Debug)]
pub struct WorkFolder(PathBuf);

/// Creates a new folder that only the owner can read or write. Removes what a killed process left in it.
///
/// # Errors
/// If it cannot be created.
pub fn make_work_folder(path: &Path) -> io::Result<()> {
    if path.exists() {
        fs::remove_dir_all(path)?;
    }
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

impl WorkFolder {
    /// Creates the folder.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: PathBuf) -> Result<Self> {
        make_work_folder(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self(path))
    }

    /// Creates the folder of the process that writes the file `out`, next to that file.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn beside(out: &Path) -> Result<Self> {
        let mut name = OsString::from(".");
        name.push(out.file_name().unwrap_or_default());
        name.push(".work");
        Self::create(out.with_file_name(name))
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        // If it cannot be removed now, the next run of the step removes it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_folder_is_new_and_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("a/b");
        fs::create_dir_all(&at).unwrap();
        fs::write(at.join("left"), "").unwrap();
        make_work_folder(&at).unwrap();
        assert_eq!(fs::read_dir(&at).unwrap().count(), 0);
        assert_eq!(fs::metadata(&at).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
