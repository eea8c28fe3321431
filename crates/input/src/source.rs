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

/// Message of a build without access to addresses.
#[cfg(not(feature = "remote"))]
const NO_REMOTE: &str =
    "this build has no access to addresses: it was made without the cargo feature `remote`";

/// The objects below an address, for outputs.
///
/// # Errors
/// If it cannot be opened, or this build has no access to addresses.
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
/// If it does not exist, cannot be read, or this build reads no addresses.
pub fn open(path: &Path) -> io::Result<Box<dyn SourceFile>> {
    open_counted(path, None, &Arc::default())
}

/// As [`open`]; `transfer` counts what is read of a file at an address. Of that only the `records` are read, if given, in the
/// order of their places: then a file that does not exist is an error of reading.
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

/// Bytes of a file that can be read, and the time of its last change in nanoseconds since 1970, if known.
///
/// # Errors
/// As [`open`].
pub fn state(path: &Path) -> io::Result<(u64, Option<i64>)> {
    match address_of(path) {
        None => {
            // Opened, not only examined: it may exist without being readable. To open a pipe waits for its writer.
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

/// The addresses that an address stands for, if it is a folder or a pattern; `wanted` chooses among those in a folder.
///
/// # Errors
/// If they cannot be listed, there are none, or this build reads no addresses.
pub fn addresses_like(address: &str, wanted: &dyn Fn(&str) -> bool) -> io::Result<Vec<String>> {
    #[cfg(feature = "remote")]
    return remote::list_addresses(address, wanted);
    #[cfg(not(feature = "remote"))]
    {
        let _ = (address, wanted);
        Err(io::Error::other(NO_REMOTE))
    }
}
