//! Archives that are compressed as a whole, with bzip2 or xz. Nothing in them can be reached without
//! decompressing everything before it, so offsets count decompressed bytes.

use std::io::{self, Read};

use bzip2::read::MultiBzDecoder;
use lzma_rust2::XzReader;
use model::DropReason;

use crate::Limits;
use crate::source::{ByteSource, Gap};

/// Maximum memory for the dictionary of an xz stream, in KiB. `xz -9` needs 65 MiB.
const XZ_MEMORY: u32 = 128 << 10;

/// Number of bytes decompressed per call. If a call fails, the bytes that it decompressed are lost.
const XZ_PIECE: usize = 4 << 10;

enum WholeDecoder<R: Read> {
    Bzip2(Box<MultiBzDecoder<ByteSource<R>>>),
    Xz(Box<XzReader<ByteSource<R>>>),
}

/// The decompressed bytes of an archive.
pub(crate) struct Whole<R: Read> {
    decoder: WholeDecoder<R>,
    bytes: u64,
    limits: Limits,
}

impl<R: Read> Whole<R> {
    /// Decompresses an archive with bzip2.
    pub(crate) fn bzip2(source: ByteSource<R>, limits: Limits) -> Self {
        let decoder = WholeDecoder::Bzip2(Box::new(MultiBzDecoder::new(source)));
        Self { decoder, bytes: 0, limits }
    }

    /// Decompresses an archive with xz.
    pub(crate) fn xz(source: ByteSource<R>, limits: Limits) -> Self {
        let decoder = XzReader::new_mem_limit(source, true, XZ_MEMORY);
        Self { decoder: WholeDecoder::Xz(Box::new(decoder)), bytes: 0, limits }
    }

    fn consumed(&self) -> u64 {
        match &self.decoder {
            WholeDecoder::Bzip2(decoder) => decoder.get_ref().offset(),
            WholeDecoder::Xz(decoder) => decoder.inner().offset(),
        }
    }
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let limits = self.limits;
        if self.bytes > limits.record_bytes && self.bytes / self.consumed().max(1) > limits.ratio {
            let ratio = limits.ratio;
            return Err(io::Error::other(format!(
                "it unwraps to more than {ratio} times its size"
            )));
        }
        let read = match &mut self.decoder {
            WholeDecoder::Bzip2(decoder) => decoder.read(buffer),
            WholeDecoder::Xz(decoder) => {
                let piece = buffer.len().min(XZ_PIECE);
                decoder.read(&mut buffer[..piece])
            }
        }?;
        self.bytes += read as u64;
        Ok(read)
    }
}

/// The gap after decompression failed, at `offset` decompressed bytes.
pub(crate) fn decompression_failed(offset: u64, error: &str) -> Gap {
    let detail = format!(
        "decompression failed after {offset} decompressed bytes ({error}); the records before \
         were kept; fetch the archive again"
    );
    Gap::lost(offset, DropReason::CutShort, None, detail)
}
