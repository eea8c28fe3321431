//! The look-ahead buffer over the raw bytes of an archive, with file offsets.

use std::io::{self, ErrorKind, Read};

/// Bytes per read.
const CHUNK: usize = 256 << 10;

/// Raw bytes with look-ahead, a file offset and some of the bytes consumed last.
pub(crate) struct ByteSource<R> {
    reader: R,
    bytes: Vec<u8>,
    position: usize,
    /// File offset of `bytes[0]`.
    base: u64,
    ended: bool,
    error: Option<String>,
    /// How many consumed bytes stay available to [`ByteSource::rewind`].
    memory: usize,
}

impl<R: Read> ByteSource<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            bytes: Vec::new(),
            position: 0,
            base: 0,
            ended: false,
            error: None,
            memory: 0,
        }
    }

    /// The bytes that are buffered and not yet consumed.
    pub(crate) fn buffered(&self) -> &[u8] {
        &self.bytes[self.position..]
    }

    /// File offset of the first byte of [`ByteSource::buffered`].
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Whether nothing follows the buffered bytes.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// The read error that ended the source; given only once.
    pub(crate) fn take_error(&mut self) -> Option<String> {
        self.error.take()
    }

    /// Reads until at least `want` bytes are buffered or the source has ended.
    pub(crate) fn fill_to(&mut self, want: usize) {
        if self.bytes.len() - self.position >= want || self.ended {
            return;
        }
        let drop = self.position.saturating_sub(self.memory);
        if drop > 0 {
            self.bytes.drain(..drop);
            self.position -= drop;
            self.base += drop as u64;
        }
        while self.bytes.len() - self.position < want && !self.ended {
            let length = self.bytes.len();
            self.bytes.resize(length + CHUNK, 0);
            let read = loop {
                match self.reader.read(&mut self.bytes[length..]) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    other => break other,
                }
            };
            match read {
                Ok(0) => self.ended = true,
                Ok(count) => {
                    self.bytes.truncate(length + count.min(CHUNK));
                    continue;
                }
                Err(error) => {
                    self.error = Some(error.to_string());
                    self.ended = true;
                }
            }
            self.bytes.truncate(length);
        }
    }

    /// Moves past `count` buffered bytes.
    pub(crate) fn consume(&mut self, count: usize) {
        self.position = (self.position + count).min(self.bytes.len());
    }

    /// Puts back bytes that were consumed just before the buffered ones.
    pub(crate) fn put_back(&mut self, bytes: &[u8]) {
        let offset = self.offset();
        self.bytes.splice(..self.position, bytes.iter().copied());
        self.position = 0;
        self.base = offset.saturating_sub(bytes.len() as u64);
    }

    /// Keeps the last `memory` consumed bytes from now on.
    pub(crate) fn remember(&mut self, memory: usize) {
        self.memory = memory;
    }

    /// Moves back by up to `count` bytes, as far as consumed bytes were kept.
    pub(crate) fn rewind(&mut self, count: usize) {
        self.position -= count.min(self.position);
    }
}

impl<R: Read> Read for ByteSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.fill_to(1);
        let read = self.buffered().read(buffer)?;
        self.consume(read);
        match self.take_error() {
            Some(error) if read == 0 && !buffer.is_empty() => Err(io::Error::other(error)),
            error => {
                self.error = error;
                Ok(read)
            }
        }
    }
}
