//! Streams one LZ4 frame, block by block.
//!
//! lz4_flex reads frames from a reader and does not return where a frame ends in its input. So the
//! frame (its layout is `lz4_Frame_format.md` of the reference implementation) is parsed here, and
//! the library decodes only the blocks.

use lz4_flex::block::{decompress_into, decompress_into_with_dict};
use xxhash_rust::xxh32::{Xxh32, xxh32};

use crate::member::StreamStep;

/// The first four bytes of every frame with data.
pub(crate) const MAGIC: &[u8] = &[0x04, 0x22, 0x4d, 0x18];

/// Number of output bytes that later blocks may refer to.
const HISTORY: usize = 64 << 10;

#[derive(Clone, Copy)]
struct Lz4Header {
    length: usize,
    linked: bool,
    block_sums: bool,
    content_size: Option<u64>,
    content_sum: bool,
    largest_block: usize,
}

#[derive(Default)]
pub(crate) struct Lz4Frame {
    header: Option<Lz4Header>,
    history: Vec<u8>,
    sum: Xxh32,
    given: u64,
}

impl Lz4Frame {
    /// Appends the next block to `output`; returns how many bytes of `input` were consumed.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut Vec<u8>) -> (usize, StreamStep) {
        let (header, before) = match self.header {
            Some(header) => (header, 0),
            None => match header(input) {
                Ok(header) => (*self.header.insert(header), header.length),
                Err(step) => return (0, step),
            },
        };
        let (block, step) = self.block(header, &input[before..], output);
        (before + block, step)
    }

    fn block(
        &mut self,
        header: Lz4Header,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> (usize, StreamStep) {
        let Some(word) = word(input, 0) else { return (0, StreamStep::Input) };
        if word == 0 {
            return self.end(header, input);
        }
        let (stored, size) = (word >> 31 == 1, (word & 0x7fff_ffff) as usize);
        if size > header.largest_block {
            return (0, StreamStep::Damaged);
        }
        let whole = 4 + size + if header.block_sums { 4 } else { 0 };
        let Some(block) = input.get(4..whole).map(|rest| &rest[..size]) else {
            return (0, StreamStep::Input);
        };
        if header.block_sums && self::word(input, 4 + size) != Some(xxh32(block, 0)) {
            return (0, StreamStep::Damaged);
        }
        let length = output.len();
        if stored {
            output.extend_from_slice(block);
        } else {
            output.resize(length + header.largest_block, 0);
            let room = &mut output[length..];
            let result = match header.linked {
                true => decompress_into_with_dict(block, room, &self.history),
                false => decompress_into(block, room),
            };
            output.truncate(length + result.as_ref().copied().unwrap_or(0));
            if result.is_err() {
                return (0, StreamStep::Damaged);
            }
        }
        let given = &output[length..];
        self.given += given.len() as u64;
        if header.content_sum {
            self.sum.update(given);
        }
        if header.linked {
            self.history.extend_from_slice(&given[given.len().saturating_sub(HISTORY)..]);
            let old = self.history.len().saturating_sub(HISTORY);
            self.history.drain(..old);
        }
        (whole, StreamStep::Output)
    }

    fn end(&mut self, header: Lz4Header, input: &[u8]) -> (usize, StreamStep) {
        let length = header.content_size.is_none_or(|size| size == self.given);
        if !header.content_sum {
            return (4, StreamStep::End { checksum: true, length });
        }
        match word(input, 4) {
            Some(sum) => (8, StreamStep::End { checksum: sum == self.sum.digest(), length }),
            None => (0, StreamStep::Input),
        }
    }
}

/// Reads the header of the frame at the start of `bytes`.
fn header(bytes: &[u8]) -> Result<Lz4Header, StreamStep> {
    if !bytes.starts_with(&MAGIC[..bytes.len().min(4)]) {
        return Err(StreamStep::Damaged);
    }
    let &[_, _, _, _, flags, sizes, ..] = bytes else { return Err(StreamStep::Input) };
    // Version 01, reserved bits zero. Frames with an external dictionary cannot be read.
    if flags & 0b1100_0011 != 0b0100_0000 || sizes & 0b1000_1111 != 0 {
        return Err(StreamStep::Damaged);
    }
    let largest_block = match sizes >> 4 {
        4 => 64 << 10,
        5 => 256 << 10,
        6 => 1 << 20,
        7 => 4 << 20,
        _ => return Err(StreamStep::Damaged),
    };
    let mut length = 6;
    let mut content_size = None;
    if flags & 8 != 0 {
        let Some(size) = bytes.get(6..14) else { return Err(StreamStep::Input) };
        content_size = size.try_into().ok().map(u64::from_le_bytes);
        length = 14;
    }
    let Some(&sum) = bytes.get(length) else { return Err(StreamStep::Input) };
    if sum != (xxh32(&bytes[4..length], 0) >> 8) as u8 {
        return Err(StreamStep::Damaged);
    }
    Ok(Lz4Header {
        length: length + 1,
        linked: flags & 32 == 0,
        block_sums: flags & 16 != 0,
        content_size,
        content_sum: flags & 4 != 0,
        largest_block,
    })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}
