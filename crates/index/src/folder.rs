//! Where an index lies: opened, or built beside its place and moved there when it is whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tantivy::directory::MmapDirectory;
use tantivy::{Index, TantivyError};

use crate::IndexError;
use crate::schema::{Imprint, is_known};

/// What tells an index from other folders.
const META: &str = "meta.json";

/// Whether a folder looks like an index, of whatever program.
pub fn is_index(folder: &Path) -> bool {
    folder.join(META).is_file()
}

/// Opens an index that we made; gives what it says of how.
pub(crate) fn open(folder: &Path) -> Result<(Index, Imprint), IndexError> {
    if !is_index(folder) {
        return Err(IndexError::NotAnIndex(folder.to_owned()));
    }
    let cannot = || IndexError::at("cannot open", folder);
    let directory = MmapDirectory::open(folder).map_err(TantivyError::from).map_err(cannot())?;
    let index = Index::open(directory).map_err(cannot())?;
    let payload = index.load_metas().map_err(cannot())?.payload;
    match Imprint::read(payload.as_deref()) {
        Some(imprint) if is_known(&index.schema()) => Ok((index, imprint)),
        _ => Err(IndexError::Foreign(folder.to_owned())),
    }
}

/// Opens an index to change it: what is added must be analysed as what is there.
pub(crate) fn open_to_grow(folder: &Path) -> Result<Index, IndexError> {
    let (index, imprint) = open(folder)?;
    let today = Imprint::today();
    if imprint == today {
        return Ok(index);
    }
    let path = folder.to_owned();
    Err(IndexError::OtherRules { path, made: imprint.told(), today: today.told() })
}

/// A folder under a temporary name beside its place. Dropped before it is moved there, it goes.
#[derive(Debug)]
pub(crate) struct NewFolder {
    place: PathBuf,
    temporary: PathBuf,
    moved: bool,
}

impl NewFolder {
    /// Begins an empty folder that will replace the index at `place`, or nothing.
    pub(crate) fn begin(place: &Path) -> io::Result<Self> {
        if fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_some()) && !is_index(place)
        {
            return Err(io::Error::other("there is a folder that holds something else"));
        }
        let temporary = beside(place, "partial");
        remove(&temporary)?;
        fs::create_dir_all(&temporary)?;
        Ok(Self { place: place.to_owned(), temporary, moved: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Moves it to its place. What was there goes, or stays if that fails.
    pub(crate) fn finish(mut self) -> io::Result<()> {
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
        // A leftover that cannot be removed harms nobody; the next run removes it.
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

/// The name `.NAME.ENDING` in the same folder.
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
        drop(NewFolder::begin(&place).unwrap());
        assert_eq!(names(), 0);
        for generation in ["1", "2"] {
            let new = NewFolder::begin(&place).unwrap();
            fs::write(new.path().join(META), generation).unwrap();
            new.finish().unwrap();
            assert_eq!(fs::read_to_string(place.join(META)).unwrap(), generation);
            assert_eq!(names(), 1);
        }
        fs::remove_file(place.join(META)).unwrap();
        fs::write(place.join("letter.txt"), "dear").unwrap();
        assert!(NewFolder::begin(&place).is_err());
        assert_eq!(names(), 1);
    }
}
