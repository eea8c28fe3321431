//! Reads an archive at the pace of the caller, from any source of bytes.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use config::ReadConfig;
use flate2::read::DeflateDecoder;

use super::reading::{FileReading, ReadRecords, records};
use super::wacz::{self, Packing, WaczMember};
use super::{Intake, PayloadDigest};
use crate::source::open;
use crate::waiting::is_stream;

/// An iterator over the contents of an archive. Damage is an [`Intake::Drop`]. If the system fails to read, the iterator
/// returns an error and ends.
pub struct ArchiveReader<R: Read> {
    /// The records of the current archive.
    records: Option<ReadRecords<ErrorKeepingReader<R>>>,
    failure: Failure,
    file: Arc<str>,
    config: ReadConfig,
    ready: VecDeque<Intake>,
    /// Offset in the file at which the current archive begins.
    base: u64,
    /// The remaining archives of the file, each with its offset.
    archives: VecDeque<(u64, R)>,
}

/// An I/O error, and where it occurred.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {file} at byte {offset}: {source}")]
pub struct BrokenOff {
    /// Name of the archive.
    pub file: Arc<str>,
    /// Number of bytes read before.
    pub offset: u64,
    /// The error of the system.
    #[source]
    pub source: io::Error,
}

type Failure = Arc<Mutex<Option<(u64, io::Error)>>>;

/// Keeps the first error of a reader, since archive readers treat an error as the end of the file.
struct ErrorKeepingReader<R> {
    inner: R,
    bytes: u64,
    failure: Failure,
}

impl<R: Read> Read for ErrorKeepingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer);
        match read {
            Ok(bytes) => {
                self.bytes += bytes as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let kind = error.kind();
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert((self.bytes, error));
                Err(kind.into())
            }
        }
    }
}

impl<R: Read> ArchiveReader<R> {
    /// Starts to read; `file` is the file name in the origins of pages.
    pub fn new(reader: R, file: &str, config: &ReadConfig) -> Self {
        Self::of_archives(VecDeque::from([(0, reader)]), file, config)
    }

    fn of_archives(archives: VecDeque<(u64, R)>, file: &str, config: &ReadConfig) -> Self {
        let (file, config, ready) = (file.into(), config.clone(), VecDeque::new());
        Self { records: None, failure: Failure::default(), file, config, ready, base: 0, archives }
    }
}

impl ArchiveReader<Box<dyn Read + Send>> {
    /// Starts to read a file: an archive, or the archives in a WACZ file. Offsets refer to that file, except for
    /// archives that are compressed within a WACZ file.
    ///
    /// # Errors
    /// If the file cannot be opened, or is a damaged WACZ file.
    pub fn open(path: &Path, config: &ReadConfig) -> io::Result<Self> {
        let name = path.to_string_lossy();
        if !is_stream(path) && wacz::is_zip(path)? {
            let mut archives: VecDeque<(u64, Box<dyn Read + Send>)> = VecDeque::new();
            for WaczMember { name, start, length, packing } in wacz::members(path)? {
                let mut file = open(path)?;
                file.seek(SeekFrom::Start(start))?;
                let bytes = file.take(length);
                archives.push_back(match packing {
                    Packing::Stored => (start, Box::new(bytes)),
                    Packing::Deflated => (0, Box::new(DeflateDecoder::new(bytes))),
                    Packing::Other => {
                        let why = format!("{name} in it is stored in a way that is not read");
                        return Err(io::Error::other(why));
                    }
                });
            }
            return Ok(Self::of_archives(archives, &name, config));
        }
        Ok(Self::new(open(path)?, &name, config))
    }
}

impl<R: Read> Iterator for ArchiveReader<R> {
    type Item = Result<Intake, BrokenOff>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(intake) = self.ready.pop_front() {
                return Some(Ok(intake));
            }
            let record = self.records.as_mut().and_then(Iterator::next);
            let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((offset, source)) = failure {
                return Some(Err(BrokenOff { file: Arc::clone(&self.file), offset, source }));
            }
            let Some(record) = record else {
                let (base, inner) = self.archives.pop_front()?;
                let failure = Arc::clone(&self.failure);
                let reader = ErrorKeepingReader { inner, bytes: 0, failure };
                (self.base, self.records) = (base, Some(records(reader, &self.config)));
                continue;
            };
            let base = self.base;
            let ready = &mut self.ready;
            let mut take = |intake, _: PayloadDigest| ready.push_back(intake);
            let mut reading = FileReading::new(&self.config, Arc::clone(&self.file), &mut take);
            reading.read_item(record, base);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Config;

    struct Failing(&'static [u8]);

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("the disk is gone")),
                bytes => Ok(bytes),
            }
        }
    }

    const ARCHIVE: &[u8] = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://e.org/\r\n\
        Content-Type: text/html\r\nContent-Length: 4\r\n\r\n<p>x\r\n\r\n";

    #[test]
    fn pages_come_one_by_one_and_failures_are_told() {
        let config = Config::load(None).unwrap().read;
        let all: Vec<_> = ArchiveReader::new(ARCHIVE, "a.warc", &config).collect();
        let [Ok(Intake::Page(page))] = &all[..] else { panic!("{all:?}") };
        assert_eq!(
            (&*page.url, &*page.html, &*page.origin.file),
            ("http://e.org/", "<p>x", "a.warc")
        );
        let broken = ArchiveReader::new(Failing(ARCHIVE), "a.warc", &config);
        let errors: Vec<String> =
            broken.take(3).filter_map(|item| Some(item.err()?.to_string())).collect();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(
            errors[0].starts_with("cannot read a.warc at byte ") && errors[0].ends_with("gone")
        );
    }
}
