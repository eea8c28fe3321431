//! Streams one Zstandard frame, and reads the dictionaries in WARC archives.
//!
//! The WARC profile of Zstandard (iipc.github.io/warc-specifications) puts a dictionary, which may
//! itself be compressed, into a skippable frame before the frames that need it.

use std::io::Read;

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};
use zstd::zstd_safe::get_dict_id_from_frame;

use crate::member::StreamStep;

/// The first four bytes of every frame with data (RFC 8878 §3.1.1).
pub(crate) const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The first four bytes of the skippable frame that contains a dictionary.
pub(crate) const DICTIONARY: &[u8] = &[0x5d, 0x2a, 0x4d, 0x18];

/// Maximum size of a dictionary, compressed or not. The specification recommends up to 100 KB.
pub(crate) const LARGEST_DICTIONARY: usize = 16 << 20;

/// Bits of the largest window that a frame may require: 128 MiB, the default limit of `zstd`.
const WINDOW_BITS: u32 = 27;

/// Decoders for the frames of one archive, with the archive's dictionary.
#[derive(Default)]
pub(crate) struct Decoders {
    dictionary: Vec<u8>,
    /// A spare decoder: creating one takes longer than decoding a small frame.
    spare: Option<Decoder<'static>>,
}

impl Decoders {
    /// Reads a dictionary from the content of its frame, for the frames that follow; returns false if it
    /// is invalid.
    pub(crate) fn learn(&mut self, content: &[u8]) -> bool {
        let mut dictionary = Vec::new();
        if content.starts_with(MAGIC) {
            let Ok(decoder) = zstd::Decoder::with_buffer(content) else { return false };
            let mut bounded = decoder.take(LARGEST_DICTIONARY as u64 + 1);
            if bounded.read_to_end(&mut dictionary).is_err() {
                return false;
            }
        } else {
            dictionary.extend_from_slice(content);
        }
        if dictionary.len() > LARGEST_DICTIONARY || Decoder::with_dictionary(&dictionary).is_err() {
            return false;
        }
        self.dictionary = dictionary;
        self.spare = None;
        true
    }

    /// Starts a frame; `None` if memory allocation fails.
    pub(crate) fn begin(&mut self) -> Option<Decoder<'static>> {
        match self.spare.take() {
            Some(decoder) => Some(decoder),
            None => {
                let mut decoder = Decoder::with_dictionary(&self.dictionary).ok()?;
                decoder.set_parameter(DParameter::WindowLogMax(WINDOW_BITS)).ok()?;
                Some(decoder)
            }
        }
    }

    /// Takes back the decoder of a finished frame.
    pub(crate) fn end(&mut self, mut decoder: Decoder<'static>) {
        self.spare = decoder.reinit().is_ok().then_some(decoder);
    }

    /// Returns the id of the dictionary that the frame at the start of `bytes` needs, if that dictionary
    /// is missing.
    pub(crate) fn missing(&self, bytes: &[u8]) -> Option<u32> {
        let wanted = get_dict_id_from_frame(bytes)?;
        let held = zstd::zstd_safe::get_dict_id_from_dict(&self.dictionary);
        (held != Some(wanted)).then(|| wanted.get())
    }
}

/// Appends the output of a frame to `output`; returns how many bytes of `input` were consumed.
pub(crate) fn step(
    decoder: &mut Decoder<'static>,
    input: &[u8],
    output: &mut Vec<u8>,
    room: usize,
) -> (usize, StreamStep) {
    output.reserve(room);
    let length = output.len();
    let mut from = InBuffer::around(input);
    let mut to = OutBuffer::around_pos(output, length);
    let result = decoder.run(&mut from, &mut to);
    let (taken, full, given) = (from.pos(), to.pos() == to.capacity(), to.pos() - length);
    let step = match result {
        Err(_) => StreamStep::Damaged,
        Ok(0) => StreamStep::End { checksum: true, length: true },
        Ok(_) if full || given > 0 => StreamStep::Output,
        Ok(_) if taken == input.len() => StreamStep::Input,
        Ok(_) => StreamStep::Output,
    };
    (taken, step)
}
