//! Streams one gzip member: its header, its deflate data, its trailer.
//!
//! Slower than [`crate::inflate`], but it works piecewise and keeps the readable part of a damaged
//! member.

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memchr;

use crate::inflate::crc32;

/// The first three bytes of every gzip member (RFC 1952; deflate is the only method defined).
pub(crate) const MAGIC: &[u8] = &[0x1f, 0x8b, 0x08];

/// Maximum length of a name or comment in a gzip header, in bytes.
const LONGEST_NAME: usize = 64 << 10;

/// The result of one step through a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamStep {
    /// There may be more output once there is room for it.
    Output,
    /// More input is needed.
    Input,
    End {
        checksum: bool,
        length: bool,
    },
    /// The deflate data is invalid from here on.
    Damaged,
}

/// Returns the length of the gzip header at the start of `bytes`; `Input` if the header may continue after them.
pub(crate) fn header(bytes: &[u8]) -> Result<usize, StreamStep> {
    if !bytes.starts_with(&MAGIC[..bytes.len().min(3)]) {
        return Err(StreamStep::Damaged);
    }
    let Some(&flags) = bytes.get(3) else { return Err(StreamStep::Input) };
    if flags & 0xe0 != 0 {
        return Err(StreamStep::Damaged);
    }
    let mut at = 10;
    if flags & 4 != 0 {
        let Some(length) = bytes.get(at..at + 2) else { return Err(StreamStep::Input) };
        at += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let Some(rest) = bytes.get(at..) else { return Err(StreamStep::Input) };
            match memchr(0, &rest[..rest.len().min(LONGEST_NAME)]) {
                Some(length) => at += length + 1,
                None if rest.len() < LONGEST_NAME => return Err(StreamStep::Input),
                None => return Err(StreamStep::Damaged),
            }
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    if at <= bytes.len() { Ok(at) } else { Err(StreamStep::Input) }
}

pub(crate) struct GzipMember {
    inflate: Decompress,
    sum: u32,
    header_read: bool,
    data_read: bool,
}

impl GzipMember {
    pub(crate) fn new() -> Self {
        Self { inflate: Decompress::new(false), sum: 0, header_read: false, data_read: false }
    }

    pub(crate) fn step(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        room: usize,
    ) -> (usize, StreamStep) {
        let mut taken = 0;
        if !self.header_read {
            match header(input) {
                Ok(length) => taken = length,
                Err(step) => return (0, step),
            }
            self.header_read = true;
        }
        if !self.data_read {
            let (length, before) = (output.len(), self.inflate.total_out());
            let taken_before = self.inflate.total_in();
            output.resize(length + room, 0);
            let data = &input[taken..];
            let status =
                self.inflate.decompress(data, &mut output[length..], FlushDecompress::None);
            taken += (self.inflate.total_in() - taken_before) as usize;
            output.truncate(length + (self.inflate.total_out() - before) as usize);
            self.sum = crc32(self.sum, &output[length..]);
            let full = output.len() == length + room;
            match status {
                Ok(Status::StreamEnd) => self.data_read = true,
                Err(_) => return (taken, StreamStep::Damaged),
                Ok(_) if full => return (taken, StreamStep::Output),
                Ok(_) if taken == input.len() => return (taken, StreamStep::Input),
                Ok(Status::Ok) => return (taken, StreamStep::Output),
                Ok(Status::BufError) => return (taken, StreamStep::Damaged),
            }
        }
        let Some(&[a, b, c, d, e, f, g, h]) = input.get(taken..taken + 8) else {
            return (taken, StreamStep::Input);
        };
        let checksum = u32::from_le_bytes([a, b, c, d]) == self.sum;
        let length = u32::from_le_bytes([e, f, g, h]) == self.inflate.total_out() as u32;
        (taken + 8, StreamStep::End { checksum, length })
    }
}
