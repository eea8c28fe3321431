//! A file, whatever its name.

use std::fs::Metadata;

/// A file, whatever its name: two of one identity are the same file, as long as it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl FileIdentity {
    /// The identity of a file. On systems other than Unix, all files have the same.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there is nothing to ask for"))]
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            #[cfg(unix)]
            device: std::os::unix::fs::MetadataExt::dev(metadata),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(metadata),
        }
    }
}
