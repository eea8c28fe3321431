//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Why an output could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{what} {}: {source}", path.display())]
pub struct SinkError {
    /// What was being done, e.g. `cannot write`.
    pub what: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

impl SinkError {
    fn new(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self { what, path: path.to_owned(), source }
    }
}

/// A file under a temporary name beside its place, moved there by [`AtomicFile::finish`] once its
/// bytes are on disk. Dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Begins a file that will appear at `path`; its folder must exist.
    ///
    /// # Errors
    /// If the temporary file cannot be created.
    pub fn create(path: &Path) -> Result<Self, SinkError> {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".partial");
        let temporary = path.with_file_name(name);
        let file =
            File::create(&temporary).map_err(|e| SinkError::new("cannot create", &temporary, e))?;
        let writer = Some(BufWriter::with_capacity(1 << 18, file));
        Ok(Self { path: path.to_owned(), temporary, writer })
    }

    /// Writes one JSON value and a line feed.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub fn write_json_line<T: serde::Serialize>(&mut self, value: &T) -> Result<(), SinkError> {
        let path = self.path.clone();
        let to_error = |e| SinkError::new("cannot write", &path, e);
        serde_json::to_writer(&mut *self, value).map_err(|e| to_error(e.into()))?;
        self.write_all(b"\n").map_err(to_error)
    }

    /// Writes everything to disk and moves the file to its place.
    ///
    /// # Errors
    /// If writing or moving fails; the place then holds what it held before.
    pub fn finish(mut self) -> Result<(), SinkError> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let moved = (|| {
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            drop(file);
            fs::rename(&self.temporary, &self.path)
        })();
        if let Err(error) = moved {
            // The write error is what the user must hear of; the leftover is only tidied up.
            let _ = fs::remove_file(&self.temporary);
            return Err(SinkError::new("cannot write", &self.path, error));
        }
        Ok(())
    }

    /// Writes a whole file at once.
    ///
    /// # Errors
    /// As [`AtomicFile::create`] and [`AtomicFile::finish`].
    pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), SinkError> {
        let mut file = Self::create(path)?;
        file.write_all(bytes).map_err(|e| SinkError::new("cannot write", path, e))?;
        file.finish()
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Some(writer) => writer.write(bytes),
            None => Err(io::Error::other("the file is finished")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            drop(writer.into_parts());
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_json_line(&1).unwrap();
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_json_line(&["x"]).unwrap();
        assert!(!path.exists());
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[\"x\"]\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = AtomicFile::create(Path::new("/nowhere/at/all.csv")).unwrap_err();
        assert!(error.to_string().starts_with("cannot create /nowhere/at/"), "{error}");
    }
}
