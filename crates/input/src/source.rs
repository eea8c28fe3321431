//! Files to read, in the file system or at an address.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
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

/// An open file.
#[derive(Debug)]
pub enum SourceFile {
    /// In the file system.
    Local(File),
    /// At an address.
    #[cfg(feature = "remote")]
    Remote(Box<RemoteFile>),
}

/// Opens a file.
///
/// # Errors
/// If it does not exist, cannot be read, or this build reads no addresses.
pub fn open(path: &Path) -> io::Result<SourceFile> {
    open_counted(path, &Arc::default())
}

/// As [`open`]; `transfer` counts what is read of a file at an address.
pub(crate) fn open_counted(path: &Path, transfer: &Arc<Transfer>) -> io::Result<SourceFile> {
    let _ = transfer;
    match address_of(path) {
        None => File::open(path).map(SourceFile::Local),
        #[cfg(feature = "remote")]
        Some(address) => RemoteFile::open(address, Arc::clone(transfer))
            .map(|file| SourceFile::Remote(Box::new(file))),
        #[cfg(not(feature = "remote"))]
        Some(_) => Err(io::Error::other(NO_REMOTE)),
    }
}

/// Listed records of a file, in the order of their places.
#[derive(Debug)]
pub(crate) enum ListedRecords {
    /// In the file system.
    Local(File),
    /// At an address.
    #[cfg(feature = "remote")]
    Remote(Box<RemoteRecords>),
}

impl ListedRecords {
    /// Opens the records; `transfer` counts what is read of a file at an address.
    ///
    /// # Errors
    /// As [`open`], but that a file at an address does not exist is an error of reading.
    pub(crate) fn open(
        path: &Path,
        records: &[RecordAt],
        transfer: &Arc<Transfer>,
    ) -> io::Result<Self> {
        let _ = (records, transfer);
        match address_of(path) {
            None => File::open(path).map(Self::Local),
            #[cfg(feature = "remote")]
            Some(address) => RemoteRecords::open(address, records, Arc::clone(transfer))
                .map(|records| Self::Remote(Box::new(records))),
            #[cfg(not(feature = "remote"))]
            Some(_) => Err(io::Error::other(NO_REMOTE)),
        }
    }

    /// Goes on to the record that begins at an offset.
    pub(crate) fn seek_to(&mut self, offset: u64) -> io::Result<()> {
        match self {
            Self::Local(file) => file.seek(SeekFrom::Start(offset)).map(|_| ()),
            #[cfg(feature = "remote")]
            Self::Remote(records) => {
                records.seek_to(offset);
                Ok(())
            }
        }
    }
}

impl Read for ListedRecords {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Local(file) => file.read(buffer),
            #[cfg(feature = "remote")]
            Self::Remote(records) => records.read(buffer),
        }
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

impl Read for SourceFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Local(file) => file.read(buffer),
            #[cfg(feature = "remote")]
            Self::Remote(file) => file.read(buffer),
        }
    }
}

impl Seek for SourceFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Local(file) => file.seek(to),
            #[cfg(feature = "remote")]
            Self::Remote(file) => file.seek(to),
        }
    }
}
