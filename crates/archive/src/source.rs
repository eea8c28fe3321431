//! The look-ahead buffer over the raw bytes of an archive, with file offsets; and gaps in the decompressed bytes, with messages.

use std::io::{self, ErrorKind, Read};

use model::DropReason;

use crate::Fault;

/// Number of bytes per read.
const CHUNK: usize = 256 << 10;

/// A source of raw bytes with look-ahead, file offset, and some of the bytes consumed last.
pub(crate) struct ByteSource<R> {
    reader: R,
    bytes: Vec<u8>,
    position: usize,
    /// File offset of `bytes[0]`.
    base: u64,
    ended: bool,
    error: Option<String>,
    /// Number of consumed bytes that [`ByteSource::rewind`] can return to.
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

    /// Takes the read error that ended the source. It is returned only once.
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
            let read = self.reader.read(&mut self.bytes[length..]);
            self.bytes.truncate(length + read.as_ref().map_or(0, |count| *count.min(&CHUNK)));
            match read {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error = Some(error.to_string());
                    self.ended = true;
                }
                Ok(count) => self.ended = count == 0,
            }
        }
    }

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

/// A gap in the decompressed bytes, or a fault without missing bytes.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    pub(crate) fault: Fault,
    /// Whether bytes are missing. If not, the fault is only reported.
    pub(crate) lossy: bool,
    /// Whether earlier bytes of the unit at `offset` may be wrong.
    pub(crate) garbled: bool,
}

impl Gap {
    /// A gap with missing bytes.
    pub(crate) fn lost(
        offset: u64,
        reason: DropReason,
        recovered_at: Option<u64>,
        detail: String,
    ) -> Self {
        let (target_uri, record_id) = (None, String::new());
        let fault = Fault { offset, target_uri, record_id, reason, detail, recovered_at };
        Self { fault, lossy: true, garbled: false }
    }

    /// A fault that lost no bytes; reading continues at `next`.
    pub(crate) fn noted(offset: u64, reason: DropReason, next: u64, detail: String) -> Self {
        Self { lossy: false, ..Self::lost(offset, reason, Some(next), detail) }
    }

    /// A gap because of a read error.
    pub(crate) fn unreadable(offset: u64, error: &str) -> Self {
        let detail =
            format!("reading failed ({error}); the records before were kept; read the file again");
        Self::lost(offset, DropReason::CutShort, None, detail)
    }

    /// The gap after the recovered part of a damaged member.
    pub(crate) fn damage(name: &str, offset: u64, found: Option<u64>) -> Self {
        let (reason, what) = match found {
            Some(_) => (DropReason::BadCompression, "is damaged"),
            None => (DropReason::CutShort, "is damaged or ends early"),
        };
        let detail = format!(
            "the {name} {what}; the records before the damage were kept, {}; fetch the archive \
             again to get the rest",
            went_on(found)
        );
        Self { garbled: true, ..Self::lost(offset, reason, found, detail) }
    }

    /// A member whose data was kept although its checksum is wrong.
    pub(crate) fn bad_checksum(name: &str, offset: u64, next: u64) -> Self {
        let detail = format!(
            "the checksum of the {name} at byte {offset} is wrong although its data can be \
             unwrapped; its records were kept, look at them before relying on them"
        );
        Self::noted(offset, DropReason::BadCompression, next, detail)
    }
}

/// Says where reading continued, for messages.
pub(crate) fn went_on(found: Option<u64>) -> String {
    match found {
        Some(found) => format!("reading continued at byte {found}"),
        None => "nothing readable follows".to_owned(),
    }
}

/// The result of a request for more bytes.
pub(crate) enum More {
    /// Bytes may have been appended. They belong to the member at this file offset.
    Data(u64),
    /// The following bytes are not compressed.
    Plain,
    /// The following bytes are not contiguous with the preceding ones.
    Broken(Gap),
    End,
}
