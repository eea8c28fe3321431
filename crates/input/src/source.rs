//! Files to read, in the file system or at an address; and an input that is being read, counted and digested on its way.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use config::files::address_of;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::Input;
use crate::cdx::Ranges;
use crate::objects::Objects;
#[cfg(feature = "remote")]
use crate::remote::{self, RemoteFile};
use crate::waiting::{InterruptibleStream, is_stream};

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
    match address_of(path) {
        None => File::open(path).map(SourceFile::Local),
        #[cfg(feature = "remote")]
        Some(address) => RemoteFile::open(address).map(|file| SourceFile::Remote(Box::new(file))),
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
pub(crate) fn list_addresses(
    address: &str,
    wanted: &dyn Fn(&str) -> bool,
) -> io::Result<Vec<String>> {
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

/// An input being read. Archive readers take an IO error for the end of the file, so it is
/// remembered here.
pub(crate) struct Opened<'a> {
    inner: Box<dyn Read + 'a>,
    digest: Sha256,
    bytes: u64,
    progress: &'a (dyn Fn(u64) + Sync),
    stopped: &'a dyn Fn() -> bool,
    failure: &'a RefCell<Option<io::Error>>,
}

impl<'a> Opened<'a> {
    /// Opens an input. `progress` receives the number of bytes read, `failure` keeps the first error. Reading, and
    /// waiting for a pipe or the standard input, ends with an error when `stopped` returns true.
    pub(crate) fn new(
        input: &Input,
        progress: &'a (dyn Fn(u64) + Sync),
        stopped: &'a dyn Fn() -> bool,
        failure: &'a RefCell<Option<io::Error>>,
    ) -> io::Result<Self> {
        let inner: Box<dyn Read + 'a> = match input {
            Input::Unreadable { why, .. } => return Err(io::Error::other(why.as_str())),
            _ if input.is_stdin() => {
                Box::new(InterruptibleStream::new(|| Ok(io::stdin()), stopped)?)
            }
            Input::Records { path, .. } if is_stream(path) => {
                return Err(io::Error::other(
                    "an index lists records of it, but it is not a regular file: records cannot be found in it",
                ));
            }
            _ if is_stream(input.path()) => {
                Box::new(InterruptibleStream::of_path(input.path(), stopped)?)
            }
            Input::Records { path, records } => {
                let (path, records) = (path.clone(), records.to_vec());
                Box::new(InterruptibleStream::new(
                    move || Ok(Ranges::new(open(&path)?, records)),
                    stopped,
                )?)
            }
            _ if address_of(input.path()).is_some() => {
                // Read ahead, and no longer than until the run is stopped.
                let path = input.path().to_owned();
                Box::new(InterruptibleStream::new(move || open(&path), stopped)?)
            }
            _ => Box::new(open(input.path())?),
        };
        Ok(Self { inner, digest: Sha256::new(), bytes: 0, progress, stopped, failure })
    }

    /// The contents of a file that is no archive; `None` if it has more than `limit` bytes.
    pub(crate) fn whole(&mut self, limit: usize) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        self.by_ref().take(limit as u64 + 1).read_to_end(&mut bytes)?;
        Ok((bytes.len() <= limit).then_some(bytes))
    }

    /// Bytes read, and their SHA-256 in hex.
    pub(crate) fn finish(self) -> (u64, String) {
        (self.bytes, HEXLOWER.encode(&self.digest.finalize()))
    }
}

impl Read for Opened<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // An endless input may be one that holds nothing.
        let read = match (self.stopped)() {
            true => Err(io::Error::other("stopped while reading")),
            false => self.inner.read(buffer),
        };
        match read {
            Ok(n) => {
                self.digest.update(&buffer[..n]);
                self.bytes += n as u64;
                (self.progress)(n as u64);
                Ok(n)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let copy = io::Error::new(error.kind(), error.to_string());
                self.failure.borrow_mut().get_or_insert(error);
                Err(copy)
            }
        }
    }
}
