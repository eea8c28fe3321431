//! Objects below a prefix of a bucket, for outputs at an address.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// A file to upload, and the name of its object below the prefix.
#[derive(Clone, Debug)]
pub struct UploadFile {
    /// Path of the file.
    pub from: PathBuf,
    /// Name of the object below the prefix, with `/`.
    pub name: String,
    /// Length in bytes.
    pub bytes: u64,
}

/// The objects below a prefix. Failed requests are repeated before an error is returned.
pub trait Objects: Debug {
    /// Lists the objects: names below the prefix, and sizes in bytes.
    fn list(&self) -> io::Result<BTreeMap<String, u64>>;

    /// Reads an object.
    fn get(&self, name: &str) -> io::Result<Vec<u8>>;

    /// Writes an object. It appears as a whole.
    fn put(&self, name: &str, contents: Vec<u8>) -> io::Result<()>;

    /// Removes an object, if it exists.
    fn delete(&self, name: &str) -> io::Result<()>;

    /// Uploads files, several at a time, until `stop` is set. Calls `done` after each. Returns those that failed.
    fn upload(
        &self,
        files: &[UploadFile],
        stop: &AtomicBool,
        done: &mut dyn FnMut(&UploadFile),
    ) -> Vec<(String, io::Error)>;
}
