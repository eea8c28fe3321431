//! Objects below a prefix of a bucket: what outputs at an address are written to.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// A file to upload, and the name of its object below the prefix.
#[derive(Clone, Debug)]
pub struct UploadFile {
    /// Where the file is.
    pub from: PathBuf,
    /// The name of its object below the prefix, with `/`.
    pub name: String,
    /// Its length.
    pub bytes: u64,
}

/// The objects below a prefix. Requests that fail are repeated before an error is returned.
pub trait Objects: Debug {
    /// Their names below the prefix, with their sizes in bytes.
    fn list(&self) -> io::Result<BTreeMap<String, u64>>;

    /// The contents of an object.
    fn get(&self, name: &str) -> io::Result<Vec<u8>>;

    /// Writes an object, which appears as a whole.
    fn put(&self, name: &str, contents: Vec<u8>) -> io::Result<()>;

    /// Removes an object, if it exists.
    fn delete(&self, name: &str) -> io::Result<()>;

    /// Uploads files, several at once, until `stop` is set; calls `done` after each. Returns those that failed.
    fn upload(
        &self,
        files: &[UploadFile],
        stop: &AtomicBool,
        done: &mut dyn FnMut(&UploadFile),
    ) -> Vec<(String, io::Error)>;
}
