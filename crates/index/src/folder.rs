//! Opens the folder of an index, or builds a new one under a temporary name and renames it when it is complete.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use same_file::Handle;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::{Directory, Index, TantivyError};

use crate::IndexError;
use crate::schema::{Imprint, is_known};

/// The file that distinguishes an index from other folders.
const META: &str = "meta.json";

/// Whether a folder looks like an index, made by any program.
pub fn is_index(folder: &Path) -> bool {
    folder.join(META).is_file()
}

/// Opens an index made by this program; returns it with its imprint.
pub(crate) fn open(folder: &Path) -> Result<(Index, Imprint), IndexError> {
    if !is_index(folder) {
        return Err(IndexError::NotAnIndex(folder.to_owned()));
    }
    let cannot = || IndexError::at("cannot open", folder);
    let directory = MmapDirectory::open(folder).map_err(TantivyError::from).map_err(cannot())?;
    let index = Index::open(IndexDirectory(directory)).map_err(cannot())?;
    let payload = index.load_metas().map_err(cannot())?.payload;
    match Imprint::read(payload.as_deref()) {
        Some(imprint) if is_known(&index.schema()) => Ok((index, imprint)),
        _ => Err(IndexError::Foreign(folder.to_owned())),
    }
}

/// The files of an index. A search creates a lock file, so that no writer removes them. Where it cannot, as on a read-only
/// file system, it reads without a lock.
#[derive(Clone, Debug)]
struct IndexDirectory(MmapDirectory);

impl Directory for IndexDirectory {
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.0.acquire_lock(lock) {
            Err(LockError::IoError(_)) if lock.filepath == META_LOCK.filepath => {
                Ok(DirectoryLock::from(Box::new(())))
            }
            acquired => acquired,
        }
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.0.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.0.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.0.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.0.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.0.sync_directory()
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.0.watch(callback)
    }
}

/// Opens an index to add documents. Fails if it was made with other analysis rules than this program has.
pub(crate) fn open_to_grow(folder: &Path) -> Result<Index, IndexError> {
    let (index, imprint) = open(folder)?;
    let today = Imprint::today();
    if imprint == today {
        return Ok(index);
    }
    let path = folder.to_owned();
    Err(IndexError::OtherRules { path, made: imprint.description(), today: today.description() })
}

/// The exclusive right to build a new index at a path. Until the index exists it has no lock of its
/// own, so a lock file beside it is used; the system releases it when the process ends.
#[derive(Debug)]
pub(crate) struct Turn {
    path: PathBuf,
    _file: File,
}

impl Turn {
    /// Acquires the right; `None` if another process has it.
    pub(crate) fn take(place: &Path) -> io::Result<Option<Self>> {
        let path = beside(place, "lock");
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        loop {
            let file =
                File::options().create(true).truncate(false).read(true).write(true).open(&path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(None),
                // Some network file systems do not support locks.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            // The previous owner may have removed the file after it was opened here.
            let same = Handle::from_path(&path)
                .and_then(|there| Ok(there == Handle::from_file(file.try_clone()?)?));
            match same {
                Ok(true) => return Ok(Some(Self { path, _file: file })),
                Ok(false) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Still locked, so not in use by another process. A leftover file is reused next time.
        let _ = fs::remove_file(&self.path);
    }
}

/// A folder under a temporary name. It is removed if dropped before it is renamed.
#[derive(Debug)]
pub(crate) struct NewFolder {
    place: PathBuf,
    temporary: PathBuf,
    moved: bool,
    /// The lock against other builds at the same path. Dropped last.
    _turn: Option<Turn>,
}

impl NewFolder {
    /// Creates an empty folder that will replace the index at `place`, if any. Without a `turn`,
    /// the caller ensures that no other process writes there.
    pub(crate) fn begin(place: &Path, turn: Option<Turn>) -> io::Result<Self> {
        check_place(place)?;
        let temporary = beside(place, "partial");
        remove(&temporary)?;
        fs::create_dir_all(&temporary)?;
        Ok(Self { place: place.to_owned(), temporary, moved: false, _turn: turn })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Moves the folder to its place. The previous index is removed, or stays if the move fails.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        // Another program may have put something there during the build.
        check_place(&self.place)?;
        let old = beside(&self.place, "replaced.partial");
        remove(&old)?;
        let replaces = self.place.exists();
        if replaces {
            fs::rename(&self.place, &old)?;
        }
        if let Err(error) = fs::rename(&self.temporary, &self.place) {
            if replaces {
                fs::rename(&old, &self.place)?;
            }
            return Err(error);
        }
        self.moved = true;
        // A leftover that cannot be removed does no harm; the next run removes it.
        let _ = remove(&old);
        Ok(())
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if !self.moved {
            let _ = remove(&self.temporary);
        }
    }
}

/// Checks that a new index may replace what is at a place: nothing, an empty folder or an index.
fn check_place(place: &Path) -> io::Result<()> {
    if fs::metadata(place).is_ok_and(|of| !of.is_dir()) {
        return Err(io::Error::other("there is a file, and an index is a folder"));
    }
    let holds_files = fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_some());
    match holds_files && !is_index(place) {
        true => Err(io::Error::other("there is a folder that holds something else")),
        false => Ok(()),
    }
}

/// Returns the path `.NAME.ENDING` in the same folder.
fn beside(place: &Path, ending: &str) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!(".{name}.{ending}"))
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_folder_takes_the_place_of_an_index_only() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("index");
        let names = || fs::read_dir(folder.path()).unwrap().count();
        drop(NewFolder::begin(&place, None).unwrap());
        assert_eq!(names(), 0);
        for generation in ["1", "2"] {
            let new = NewFolder::begin(&place, None).unwrap();
            fs::write(new.path().join(META), generation).unwrap();
            new.finish().unwrap();
            assert_eq!(fs::read_to_string(place.join(META)).unwrap(), generation);
            assert_eq!(names(), 1);
        }
        fs::remove_file(place.join(META)).unwrap();
        fs::write(place.join("letter.txt"), "dear").unwrap();
        assert!(NewFolder::begin(&place, None).is_err());
        assert_eq!(names(), 1);
        let place = folder.path().join("archive.sqlite");
        let new = NewFolder::begin(&place, None).unwrap();
        fs::write(new.path().join(META), "1").unwrap();
        fs::write(&place, "articles").unwrap();
        assert!(new.finish().is_err() && NewFolder::begin(&place, None).is_err());
        assert_eq!(fs::read_to_string(&place).unwrap(), "articles");
        assert_eq!(names(), 2);
    }

    #[test]
    fn one_at_a_time_builds_at_a_place() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("below/index");
        let turn = Turn::take(&place).unwrap();
        assert!(turn.is_some() && Turn::take(&place).unwrap().is_none());
        assert!(Turn::take(&folder.path().join("below/other")).unwrap().is_some());
        let new = NewFolder::begin(&place, turn).unwrap();
        fs::write(new.path().join(META), "1").unwrap();
        assert!(Turn::take(&place).unwrap().is_none());
        new.finish().unwrap();
        // Left by a process that was killed.
        fs::write(beside(&place, "lock"), "").unwrap();
        drop(Turn::take(&place).unwrap().unwrap());
        let left: Vec<_> = fs::read_dir(folder.path().join("below")).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn a_turn_is_never_had_by_two() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("index");
        let (at_work, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        let Some(turn) = Turn::take(&place).unwrap() else { continue };
                        assert_eq!(at_work.fetch_add(1, Ordering::SeqCst), 0);
                        taken.fetch_add(1, Ordering::SeqCst);
                        at_work.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                    }
                });
            }
        });
        assert!(taken.into_inner() > 8);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
