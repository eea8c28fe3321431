//! Files to read, in the file system or at an address.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use config::files::address_of;

use crate::objects::Objects;
use crate::parts::{RecordAt, Transfer};
#[cfg(feature = "remote")]
use crate::remote::{self, RemoteFile, RemoteRecords};
use crate::waiting::is_stream;

/// Error message of a build without access to addresses.
#[cfg(not(feature = "remote"))]
const NO_REMOTE: &str =
    "this build has no access to addresses: it was made without the cargo feature `remote`";

/// Opens the objects below an address, for outputs.
///
/// # Errors
/// If they cannot be opened, or this build has no access to addresses.
pub fn objects(address: &str) -> io::Result<Box<dyn Objects>> {
    #[cfg(feature = "remote")]
    return Ok(Box::new(remote::Bucket::open(address)?));
    #[cfg(not(feature = "remote"))]
    {
        let _ = address;
        Err(io::Error::other(NO_REMOTE))
    }
}

/// An open file, in the file system or at an address.
pub trait SourceFile: Read + Seek + Send {}

impl<T: Read + Seek + Send> SourceFile for T {}

/// Opens a file.
///
/// # Errors
/// If it does not exist or cannot be read, or this build has no access to addresses.
pub fn open(path: &Path) -> io::Result<Box<dyn SourceFile>> {
    open_counted(path, None, &Arc::default())
}

/// Like [`open`]. `transfer` counts what is read from a file at an address. If `records` is given, only these are read from it,
/// in their order; then a missing file is an error only when it is read.
pub(crate) fn open_counted(
    path: &Path,
    records: Option<&[RecordAt]>,
    transfer: &Arc<Transfer>,
) -> io::Result<Box<dyn SourceFile>> {
    let _ = (records, transfer);
    match address_of(path) {
        None => Ok(Box::new(File::open(path)?)),
        #[cfg(feature = "remote")]
        Some(address) => Ok(match records {
            None => Box::new(RemoteFile::open(address, Arc::clone(transfer))?),
            Some(records) => Box::new(RemoteRecords::open(address, records, Arc::clone(transfer))?),
        }),
        #[cfg(not(feature = "remote"))]
        Some(_) => Err(io::Error::other(NO_REMOTE)),
    }
}

/// Length of a readable file in bytes, and the time of its last change in nanoseconds since 1970, if known.
///
/// # Errors
/// Those of [`open`].
pub fn state(path: &Path) -> io::Result<(u64, Option<i64>)> {
    match address_of(path) {
        None => {
            // Opened, not only examined, since it may exist without being readable. Opening a pipe would wait for its writer.
            if is_stream(path) {
                return Ok((0, None));
            }
            let of = File::open(path)?.metadata()?;
            let modified = of.modified().ok().and_then(|at| jiff::Timestamp::try_from(at).ok());
            Ok((of.len(), modified.and_then(|at| i64::try_from(at.as_nanosecond()).ok())))
        }
        #[cfg(feature = "remote")]
        Some(address) => remote::state(address),
        #[cfg(not(feature = "remote"))]
        Some(_) => Err(io::Error::other(NO_REMOTE)),
    }
}

/// Lists the addresses that a folder or pattern stands for; any other address stands for itself. `wanted` filters folders.
///
/// # Errors
/// If they cannot be listed, there are none, or this build has no access to addresses.
pub fn addresses_like(address: &str, wanted: &dyn Fn(&str) -> bool) -> io::Result<Vec<String>> {
    #[cfg(feature = "remote")]
    return remote::list_addresses(address, wanted);
    #[cfg(not(feature = "remote"))]
    {
        let _ = (address, wanted);
        Err(io::Error::other(NO_REMOTE))
    }
}
