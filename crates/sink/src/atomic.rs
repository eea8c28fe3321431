//! Files that appear complete or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::fingerprint::Fingerprint;

/// Why an output could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{what} {}: {source}", path.display())]
pub struct SinkError {
    /// The failed operation, e.g. `cannot write`.
    pub what: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// The error from the system.
    #[source]
    pub source: io::Error,
}

impl SinkError {
    fn new(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self { what, path: path.to_owned(), source }
    }
}

/// Creates a folder and its parents, unless they exist.
///
/// # Errors If it cannot be created.
pub fn make_folder(path: &Path) -> Result<(), SinkError> {
    fs::create_dir_all(path).map_err(|e| SinkError::new("cannot create", path, e))
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

/// A file under a temporary name, which [`AtomicFile::finish`] renames once its bytes are on disk.
/// If it is dropped before that, the temporary file is removed.
///
/// Bytes that an earlier process left under the temporary name are kept as long as the same bytes
/// are written: they are not written twice.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    /// Its buffer is empty while `left` is set. `None` after the file is closed.
    writer: Option<BufWriter<File>>,
    /// Bytes written so far.
    written: u64,
    /// Bytes that an earlier process left, until something else is written.
    left: Option<u64>,
    /// Whether the temporary file is kept when dropped.
    stays: bool,
}

impl AtomicFile {
    /// Starts a file that will appear at `path`; its folder must exist.
    ///
    /// # Errors
    /// If the temporary file cannot be created.
    pub fn create(path: &Path) -> Result<Self, SinkError> {
        let temporary = Self::temporary(path);
        let open = || {
            let mut options = File::options();
            let file = options.read(true).write(true).create(true).truncate(false);
            let file = file.open(&temporary)?;
            let left = file.metadata()?.len();
            Ok((file, left))
        };
        let (file, left) = open().map_err(|e| SinkError::new("cannot create", &temporary, e))?;
        let writer = Some(BufWriter::with_capacity(1 << 18, file));
        let left = (left > 0).then_some(left);
        Ok(Self { path: path.to_owned(), temporary, writer, written: 0, left, stays: false })
    }

    /// The temporary name of a file that will appear at `path`.
    pub fn temporary(path: &Path) -> PathBuf {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".partial");
        path.with_file_name(name)
    }

    /// The path at which it will appear.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether nothing is written yet.
    pub fn is_empty(&self) -> bool {
        self.written == 0
    }

    /// Whether an earlier process left these bytes, at `behind` bytes after the end of what is
    /// written.
    pub fn holds(&mut self, behind: u64, bytes: &Fingerprint) -> bool {
        let (Some(left), Some(writer)) = (self.left, &mut self.writer) else {
            return bytes.length == 0;
        };
        let at = self.written + behind;
        let file = writer.get_mut();
        at + bytes.length <= left
            && file.seek(SeekFrom::Start(at)).is_ok()
            && Fingerprint::of_next(file, bytes.length).is_ok_and(|next| next == *bytes)
    }

    /// Whether all that an earlier process left after the end of what is written is these bytes.
    pub fn holds_only(&mut self, bytes: &Fingerprint) -> bool {
        self.left.map_or(0, |left| left - self.written) == bytes.length && self.holds(0, bytes)
    }

    /// Counts bytes that an earlier process left as written.
    pub fn pass(&mut self, bytes: u64) {
        self.written = self.left.map_or(self.written, |left| left.min(self.written + bytes));
    }

    /// Truncates the file to what is written.
    fn cut(&mut self) -> io::Result<()> {
        if let (Some(left), Some(writer)) = (self.left.take(), &mut self.writer) {
            let file = writer.get_mut();
            if left > self.written {
                file.set_len(self.written)?;
            }
            file.seek(SeekFrom::Start(self.written))?;
        }
        Ok(())
    }

    /// Passes all bytes to the system, so that they survive the end of this process.
    ///
    /// # Errors On a write error, such as a full disk.
    pub fn hand_over(&mut self) -> Result<(), SinkError> {
        let flushed = self.writer.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(|e| SinkError::new("cannot write", &self.path, e))
    }

    /// Keeps the file under its temporary name when dropped, for a process that resumes the run.
    ///
    /// # Errors On a write error, such as a full disk.
    pub fn keep(&mut self) -> Result<(), SinkError> {
        self.stays = true;
        self.hand_over()
    }

    /// Writes bytes.
    ///
    /// # Errors On a write error, such as a full disk; the message names the file.
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        let written = self.write_all(bytes);
        written.map_err(|e| SinkError::new("cannot write", &self.path, e))
    }

    /// Passes all bytes to the system and closes the file; it stays under its temporary name until
    /// it is finished. For callers with many waiting files: the number of open files is limited.
    ///
    /// # Errors On a write error, such as a full disk.
    pub fn close(&mut self) -> Result<(), SinkError> {
        self.end(false)
    }

    fn end(&mut self, sync: bool) -> Result<(), SinkError> {
        let cut = self.cut();
        cut.map_err(|e| SinkError::new("cannot write", &self.path, e))?;
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let file = writer.into_inner().map_err(io::IntoInnerError::into_error);
        let synced = file.and_then(|file| if sync { file.sync_all() } else { Ok(()) });
        synced.map_err(|e| SinkError::new("cannot write", &self.path, e))
    }

    /// Moves written and closed files of one folder to their paths once all their bytes are on
    /// disk. Waits once for all of them if the system supports that: a disk takes a millisecond or
    /// more for each.
    ///
    /// # Errors If writing or moving fails. Paths not reached are unchanged.
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

    fn place(mut self) -> Result<(), SinkError> {
        let moved = fs::rename(&self.temporary, &self.path);
        moved.map_err(|e| SinkError::new("cannot write", &self.path, e))?;
        self.stays = true;
        Ok(())
    }

    /// Writes everything to disk and moves the file to its path.
    ///
    /// # Errors If writing or moving fails. The path is then unchanged.
    pub fn finish(mut self) -> Result<(), SinkError> {
        self.end(true)?;
        self.place()
    }

    /// Writes a complete file.
    ///
    /// # Errors
    /// As [`AtomicFile::create`] and [`AtomicFile::finish`].
    pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), SinkError> {
        let mut file = Self::create(path)?;
        file.write_bytes(bytes)?;
        file.finish()
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left.is_some() {
            let bytes = Fingerprint::of(bytes);
            if self.holds(0, &bytes) {
                self.pass(bytes.length);
                return Ok(bytes.length as usize);
            }
            self.cut()?;
        }
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
        if !self.stays {
            // The error cannot be reported here; the next run removes a leftover file.
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
        file.write_bytes(b"1\n").unwrap();
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_bytes(b"[\"x\"]\n").unwrap();
        assert!(!path.exists());
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[\"x\"]\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_was_left_stays_as_far_as_it_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let lines = ["[1]\n", "[2]\n", "[3]\n"].map(str::as_bytes);
        let prints = lines.map(Fingerprint::of);
        for (left, held) in [
            ("", 0),
            ("[1", 0),
            ("[1]\n", 1),
            ("[1]\n[2]\n[", 2),
            ("[1]\n[4]\n[3]\n", 1),
            ("[1]\n[2]\n[3]\n", 3),
            ("[1]\n[2]\n[3]\n[4]\n", 3),
            ("[4]\n[2]\n[3]\n", 0),
        ] {
            for asked in [true, false] {
                fs::write(AtomicFile::temporary(&path), left).unwrap();
                let mut file = AtomicFile::create(&path).unwrap();
                let mut passed = 0;
                for (line, print) in lines.iter().zip(&prints) {
                    if asked && file.holds(0, print) {
                        passed += 1;
                        file.pass(print.length);
                    } else {
                        file.write_bytes(line).unwrap();
                    }
                }
                assert_eq!(passed, if asked { held } else { 0 }, "{left}");
                file.finish().unwrap();
                assert_eq!(fs::read(&path).unwrap(), lines.concat(), "{left}");
            }
        }
    }

    #[test]
    fn what_is_kept_can_be_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let (one, other) = (b"[1]\n", b"[2]\n");
        let prints = [one, other].map(|line| Fingerprint::of(line));
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_bytes(one).unwrap();
        file.write_bytes(other).unwrap();
        file.keep().unwrap();
        drop(file);
        // Stopped again before all of it is skipped: nothing is lost.
        let mut file = AtomicFile::create(&path).unwrap();
        assert!(file.holds(0, &prints[0]) && !file.holds_only(&prints[0]));
        assert!(file.holds(4, &prints[1]) && !file.holds(5, &prints[1]));
        file.pass(prints[0].length);
        assert!(!file.holds(0, &prints[0]) && file.holds_only(&prints[1]));
        file.keep().unwrap();
        drop(file);
        assert!(!path.exists());
        assert_eq!(fs::read(AtomicFile::temporary(&path)).unwrap(), [&one[..], other].concat());
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = AtomicFile::create(Path::new("/nowhere/at/all.csv")).unwrap_err();
        assert!(error.to_string().starts_with("cannot create /nowhere/at/"), "{error}");
    }
}
