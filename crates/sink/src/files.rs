//! Files that appear as a whole or not at all, and their names.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use database::FileIdentity;
use xxhash_rust::xxh3::xxh3_64;

/// The error of an output that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{what} {}: {source}", path.display())]
pub struct SinkError {
    /// The failed operation, e.g. `cannot write`.
    pub what: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// The cause, in most cases an error of the system.
    #[source]
    pub source: io::Error,
}

impl SinkError {
    /// Makes an error from an I/O error.
    pub fn new(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self { what, path: path.to_owned(), source }
    }

    /// Makes an error from any other error, or from a reason in words.
    pub fn other(
        what: &'static str,
        path: &Path,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::new(what, path, io::Error::other(source))
    }

    /// Whether a wait for another program was stopped.
    pub fn is_stopped(&self) -> bool {
        self.source.kind() == io::ErrorKind::Interrupted
    }
}

/// Creates a folder and its parents, unless they exist.
///
/// # Errors
/// If it cannot be created.
pub fn make_folder(path: &Path) -> Result<(), SinkError> {
    fs::create_dir_all(path).map_err(|e| SinkError::new("cannot create", path, e))
}

/// The files in a folder with this extension; empty if the folder cannot be read.
pub(crate) fn files_with(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|own| own == extension)).collect()
}

/// Removes these files, and the folder if it is then empty. Ignores errors: a file that stays does no harm.
pub(crate) fn remove_files_with(folder: &Path, extension: &str) {
    for file in files_with(folder, extension) {
        let _ = fs::remove_file(file);
    }
    let _ = fs::remove_dir(folder);
}

/// Waits until all data written to the file system of a folder is on disk (syncfs(2)).
#[cfg(target_os = "linux")]
fn sync_whole(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

/// Other systems sync file by file.
#[cfg(not(target_os = "linux"))]
fn sync_whole(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A file with a temporary name, which [`AtomicFile::finish`] renames once all bytes are on disk.
/// Dropped before that, it removes the temporary file, unless another process has replaced that with its own.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    identity: FileIdentity,
    /// `None` once the file is closed.
    writer: Option<BufWriter<File>>,
    written: u64,
    /// Whether the file was moved to its path.
    is_placed: bool,
}

impl AtomicFile {
    /// Creates a file that will appear at `path`; its folder must exist. Removes what a killed process left under the temporary
    /// name, without following a link there.
    ///
    /// # Errors
    /// If the temporary file cannot be created, or `path` is a folder, a device or the like.
    pub fn create(path: &Path) -> Result<Self, SinkError> {
        let temporary = Self::temporary(path);
        if fs::metadata(path).is_ok_and(|of| !of.is_file()) {
            let why = "there is something that is not a regular file";
            return Err(SinkError::other("cannot replace", path, why));
        }
        let create = || {
            match fs::remove_file(&temporary) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let file = File::options().write(true).create_new(true).open(&temporary)?;
            Ok((FileIdentity::of(&file.metadata()?), file))
        };
        let (identity, file) =
            create().map_err(|e| SinkError::new("cannot create", &temporary, e))?;
        let writer = Some(BufWriter::with_capacity(1 << 18, file));
        let path = path.to_owned();
        Ok(Self { path, temporary, identity, writer, written: 0, is_placed: false })
    }

    /// The temporary name of a file that will appear at `path`.
    pub fn temporary(path: &Path) -> PathBuf {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".partial");
        path.with_file_name(name)
    }

    /// The path at which the file will appear.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether nothing has been written yet.
    pub fn is_empty(&self) -> bool {
        self.written == 0
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// On a write error, such as a full disk; the message names the file.
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        let written = self.write_all(bytes);
        written.map_err(|e| SinkError::new("cannot write", &self.path, e))
    }

    /// Passes all bytes to the system and closes the file, which keeps its temporary name until
    /// it is finished. For callers with many unfinished files, since the number of open files is limited.
    ///
    /// # Errors
    /// On a write error, such as a full disk.
    pub fn close(&mut self) -> Result<(), SinkError> {
        self.end(false)
    }

    fn end(&mut self, sync: bool) -> Result<(), SinkError> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let file = writer.into_inner().map_err(io::IntoInnerError::into_error);
        let synced = file.and_then(|file| if sync { file.sync_all() } else { Ok(()) });
        synced.map_err(|e| SinkError::new("cannot write", &self.path, e))
    }

    /// Moves written and closed files of one folder to their paths once all their bytes are on
    /// disk. Waits only once for all of them if the system supports that: a disk takes a millisecond
    /// or more per file.
    ///
    /// # Errors
    /// If writing or moving fails. The remaining paths are unchanged.
    pub fn finish_all(files: Vec<Self>) -> Result<(), SinkError> {
        let Some(first) = files.first() else { return Ok(()) };
        let together = first.path.parent().is_some_and(|folder| sync_whole(folder).is_ok());
        for mut file in files {
            if file.writer.is_some() {
                file.end(true)?;
            } else if !together {
                let synced = File::open(&file.temporary).and_then(|file| file.sync_all());
                synced.map_err(|e| SinkError::new("cannot write", &file.path, e))?;
            }
            file.place()?;
        }
        Ok(())
    }

    /// Whether the temporary file is still the one that this value created.
    fn is_own(&self) -> bool {
        fs::symlink_metadata(&self.temporary).is_ok_and(|of| FileIdentity::of(&of) == self.identity)
    }

    fn place(mut self) -> Result<(), SinkError> {
        let moved = match self.is_own() {
            true => fs::rename(&self.temporary, &self.path),
            false => {
                Err(io::Error::other("another process replaced the file while it was written"))
            }
        };
        moved.map_err(|e| SinkError::new("cannot write", &self.path, e))?;
        self.is_placed = true;
        Ok(())
    }

    /// Waits until all bytes are on disk, and moves the file to its path.
    ///
    /// # Errors
    /// If writing or moving fails. The path is unchanged then.
    pub fn finish(mut self) -> Result<(), SinkError> {
        self.end(true)?;
        self.place()
    }

    /// Writes a file as a whole.
    ///
    /// # Errors
    /// Those of [`AtomicFile::create`] and [`AtomicFile::finish`].
    pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), SinkError> {
        let mut file = Self::create(path)?;
        file.write_bytes(bytes)?;
        file.finish()
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(writer) = &mut self.writer else {
            return Err(io::Error::other("the file is finished"));
        };
        let written = writer.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            drop(writer.into_parts());
        }
        if !self.is_placed && self.is_own() {
            // The error cannot be reported here. The next run removes the file.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// File name (without extension) for a site key. Letters, digits, dots, hyphens and underscores
/// are kept; every other byte becomes `%` and two hex digits. Names that a system reserves, and
/// hidden or overlong ones, get a prefix or a hash. So different sites have different names, and
/// no name leads out of its folder.
pub fn site_file_name(site: &str) -> String {
    let mut name = String::with_capacity(site.len());
    for byte in site.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' => name.push(byte as char),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    let stem = name.split('.').next().unwrap_or_default();
    let reserved = matches!(stem, "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit()));
    if reserved || name.is_empty() || name.starts_with(['.', '-']) || name.ends_with('.') {
        name = format!("%site-{name}%");
    }
    if name.len() > 120 {
        name = format!("{}%{:016x}", &name[..100], xxh3_64(site.as_bytes()));
    }
    name
}
