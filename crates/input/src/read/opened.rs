//! An input opened for reading: counted and digested on its way.

use std::cell::RefCell;
use std::io::{self, Read};

use config::files::address_of;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::Input;
use crate::cdx::Ranges;
use crate::source::open;
use crate::waiting::{InterruptibleStream, is_stream};

/// An input being read. Archive readers take an IO error for the end of the file, so it is
/// remembered here.
pub(super) struct Opened<'a> {
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
    pub(super) fn new(
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
    pub(super) fn whole(&mut self, limit: usize) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        self.by_ref().take(limit as u64 + 1).read_to_end(&mut bytes)?;
        Ok((bytes.len() <= limit).then_some(bytes))
    }

    /// Bytes read, and their SHA-256 in hex.
    pub(super) fn finish(self) -> (u64, String) {
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
