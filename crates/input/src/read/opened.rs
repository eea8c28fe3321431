//! An input that is open for reading. It counts and hashes the bytes that are read.

use std::cell::RefCell;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use config::files::address_of;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use sink::{FetchCounts, InputRecord};

use crate::Input;
use crate::parts::Transfer;
use crate::source::{SourceFile, open, open_counted};
use crate::table::is_text;
use crate::waiting::{InterruptibleStream, is_stream};

/// Whether a table is read in parts instead of sequentially.
pub(super) fn is_in_parts(table: &Path) -> bool {
    address_of(table).is_some() && !is_text(table)
}

/// An input that is being read. Archive readers treat an I/O error as the end of the file, so the error
/// is kept here.
pub(super) struct Opened<'a> {
    inner: Inner<'a>,
    transfer: Arc<Transfer>,
    digest: Sha256,
    bytes: u64,
    progress: &'a (dyn Fn(u64) + Sync),
    stopped: &'a dyn Fn() -> bool,
    failure: &'a RefCell<Option<io::Error>>,
}

enum Inner<'a> {
    Whole(Box<dyn Read + 'a>),
    Records(Box<dyn SourceFile>),
}

impl<'a> Opened<'a> {
    /// Opens an input. `progress` receives the number of bytes read, `failure` keeps the first error. Reading, and
    /// waiting for a pipe or standard input, ends with an error when `stopped` returns true.
    pub(super) fn new(
        input: &Input,
        progress: &'a (dyn Fn(u64) + Sync),
        stopped: &'a dyn Fn() -> bool,
        failure: &'a RefCell<Option<io::Error>>,
    ) -> io::Result<Self> {
        let transfer = Arc::default();
        let whole = |from: InterruptibleStream<'a>| Inner::Whole(Box::new(from));
        let inner = match input {
            Input::Unreadable { why, .. } => return Err(io::Error::other(why.as_str())),
            _ if input.is_stdin() => whole(InterruptibleStream::new(|| Ok(io::stdin()), stopped)?),
            Input::Records { path, .. } if is_stream(path) => {
                return Err(io::Error::other(
                    "an index lists records of it, but it is not a regular file: records cannot be found in it",
                ));
            }
            _ if is_stream(input.path()) => {
                whole(InterruptibleStream::of_path(input.path(), stopped)?)
            }
            Input::Records { path, records, .. } => {
                Inner::Records(open_counted(path, Some(records), &transfer)?)
            }
            // Its parts are read in any order.
            Input::Table(path) if is_in_parts(path) => Inner::Whole(Box::new(io::empty())),
            _ if address_of(input.path()).is_some() => {
                // Read ahead in another thread, so that stopping the run ends the wait.
                let (path, counted) = (input.path().to_owned(), Arc::clone(&transfer));
                let open = move || open_counted(&path, None, &counted);
                whole(InterruptibleStream::new(open, stopped)?)
            }
            _ => Inner::Whole(open(input.path())?),
        };
        let (digest, bytes) = (Sha256::new(), 0);
        Ok(Self { inner, transfer, digest, bytes, progress, stopped, failure })
    }

    /// Reads a file that is not an archive; `None` if it has more than `limit` bytes.
    pub(super) fn whole(&mut self, limit: usize) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        self.by_ref().take(limit as u64 + 1).read_to_end(&mut bytes)?;
        Ok((bytes.len() <= limit).then_some(bytes))
    }

    /// Moves to a listed record and reads its first byte; `None` if the file ends before. After an error, others can be tried.
    pub(super) fn find_record(&mut self, offset: u64) -> io::Result<Option<u8>> {
        if let Inner::Records(records) = &mut self.inner {
            records.seek(SeekFrom::Start(offset))?;
        }
        let mut first = [0];
        let found = self.read_exact(&mut first);
        self.failure.replace(None);
        match found {
            Ok(()) => Ok(Some(first[0])),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Records bytes that were read in another way, and their digest.
    pub(super) fn note(&mut self, bytes: u64, digest: &[u8]) {
        self.digest.update(digest);
        self.bytes += bytes;
        (self.progress)(bytes);
    }

    /// Adds to the record of the input what was read: number of bytes, SHA-256, and requests.
    pub(super) fn finish(self, record: &mut InputRecord) {
        record.bytes = self.bytes;
        record.sha256 = HEXLOWER.encode(&self.digest.finalize());
        let counts = self.transfer.counts();
        record.fetched = counts.map(|(requests, bytes)| FetchCounts { requests, bytes });
    }
}

impl Read for Opened<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // An endless input may contain nothing.
        let read = match (self.stopped)() {
            true => Err(io::Error::other("stopped while reading")),
            false => match &mut self.inner {
                Inner::Whole(file) => file.read(buffer),
                Inner::Records(records) => records.read(buffer),
            },
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
