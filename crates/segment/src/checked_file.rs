//! Files with a checksum of every block, verified before any byte of the block is used: files that one process writes and another
//! reads are damaged now and then, and their contents determine results.
//!
//! Such a file is a Parquet file that any program can read. Its data pages are divided into blocks. The tail follows them: the
//! XXH3-64 of each block (8 bytes, little endian), the page indexes, and the footer. The metadata in the footer have the position
//! of the tail and its XXH3-128, computed with zeros in place of the checksum itself.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedFileWriter;
use sink::AtomicFile;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_128};

use crate::frames::Damaged;
use crate::frames::read_exact_at;

/// Size of a block, in bytes.
const BLOCK: usize = 64 << 10;
/// Metadata key of the position and checksum of the tail.
const TAIL: &str = "sitegrove.tail";
/// Prefix of the value of that key. Position and checksum follow, in hex digits.
const MARK: &[u8] = b"sitegrove-tail-xxh3:";
const PLACE: usize = 16;
const SUM: usize = 32;
/// Length of what follows the footer: its length, and the magic bytes.
const END: usize = 8;

/// A file that is being written. The Parquet writer writes to it.
pub struct CheckedWriter {
    file: AtomicFile,
    sums: Vec<u64>,
    /// Hash of the incomplete block.
    open: Xxh3,
    filled: usize,
    bytes: u64,
    /// The tail, once it has begun.
    tail: Option<Vec<u8>>,
}

impl CheckedWriter {
    /// Wraps a file that is still empty.
    pub fn new(file: AtomicFile) -> Self {
        Self { file, sums: Vec::new(), open: Xxh3::new(), filled: 0, bytes: 0, tail: None }
    }

    fn end_block(&mut self) {
        self.sums.push(self.open.digest());
        self.open.reset();
        self.filled = 0;
    }
}

impl Write for CheckedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(tail) = &mut self.tail {
            tail.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        let some = &bytes[..bytes.len().min(BLOCK - self.filled)];
        self.file.write_all(some)?;
        self.open.update(some);
        self.filled += some.len();
        self.bytes += some.len() as u64;
        if self.filled == BLOCK {
            self.end_block();
        }
        Ok(some.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Completes a Parquet file: writes its tail with the checksums, and moves the file to its path.
///
/// # Errors
/// If it cannot be written, for example because the disk is full.
pub fn finish(mut writer: SerializedFileWriter<CheckedWriter>) -> anyhow::Result<()> {
    writer.flush()?;
    let to = writer.inner_mut();
    if to.filled > 0 {
        to.end_block();
    }
    to.tail = Some(Vec::new());
    let sums: Vec<u8> = to.sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    let mark = format!("{}{:016x}:{}", String::from_utf8_lossy(MARK), to.bytes, "0".repeat(SUM));
    writer.write_all(&sums)?;
    writer.append_key_value_metadata(KeyValue::new(TAIL.to_owned(), mark));
    let CheckedWriter { mut file, tail, .. } = writer.into_inner()?;
    let mut tail = tail.unwrap_or_default();
    let sum = format!("{:032x}", xxh3_128(&tail));
    let at = mark_in(&tail)
        .ok_or_else(|| io::Error::other("the footer has no place for its checksum"))?;
    tail[at + PLACE + 1..][..SUM].copy_from_slice(sum.as_bytes());
    file.write_all(&tail)?;
    Ok(file.finish()?)
}

/// Finds the position and the checksum of the tail in its bytes.
fn mark_in(bytes: &[u8]) -> Option<usize> {
    let at = bytes.windows(MARK.len()).rposition(|some| some == MARK)? + MARK.len();
    (at + PLACE + 1 + SUM <= bytes.len()).then_some(at)
}

/// A file that several threads can read at different positions. The tail is verified on opening, other blocks are verified
/// when they are read.
#[derive(Clone, Debug)]
pub struct CheckedFile(Arc<Checked>);

#[derive(Debug)]
struct Checked {
    path: PathBuf,
    file: File,
    sums: Vec<u64>,
    tail_at: u64,
    tail: Bytes,
}

impl CheckedFile {
    /// Opens a file; `None` if it has no checksums.
    ///
    /// # Errors
    /// If it cannot be read, is not a Parquet file, or its tail is damaged.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let of_file =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let file = File::open(path).map_err(of_file)?;
        let length = file.metadata().map_err(of_file)?.len();
        let read = |at: u64| -> io::Result<Vec<u8>> {
            let mut bytes = vec![0; usize::try_from(length - at).map_err(io::Error::other)?];
            read_exact_at(&file, &mut bytes, at).map_err(of_file)?;
            Ok(bytes)
        };
        let footer_at = || -> io::Result<Option<u64>> {
            let Some(at) = length.checked_sub(END as u64) else { return Ok(None) };
            let end = read(at)?;
            let (footer, magic) = end.split_at(4);
            let footer = u32::from_le_bytes(footer.try_into().unwrap_or_default());
            Ok(at.checked_sub(u64::from(footer)).filter(|_| magic == b"PAR1"))
        };
        let Some(footer_at) = footer_at()? else {
            let what = "is not a Parquet file, or its end is damaged or missing";
            let what = format!("{} {what}", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        };
        let footer = read(footer_at)?;
        let Some(at) = mark_in(&footer) else { return Ok(None) };
        let damaged = || {
            let (shown, at) = (path.display(), footer_at);
            let what = format!(
                "{shown} is damaged at its end, behind the pages or in the footer at byte {at}"
            );
            io::Error::other(Damaged(what + ": it is not what was written"))
        };
        let number = |bytes: &[u8]| u128::from_str_radix(std::str::from_utf8(bytes).ok()?, 16).ok();
        let tail_at = number(&footer[at..at + PLACE]).and_then(|at| u64::try_from(at).ok());
        let tail_at = tail_at.filter(|at| *at <= footer_at).ok_or_else(damaged)?;
        let sum = number(&footer[at + PLACE + 1..][..SUM]).ok_or_else(damaged)?;
        let mut tail = read(tail_at)?;
        let at = tail.len() - footer.len() + at + PLACE + 1;
        tail[at..at + SUM].fill(b'0');
        let blocks = tail_at.div_ceil(BLOCK as u64) as usize;
        if xxh3_128(&tail) != sum || tail.len() < blocks * size_of::<u64>() {
            return Err(damaged());
        }
        let sums =
            tail.as_chunks().0[..blocks].iter().map(|sum| u64::from_le_bytes(*sum)).collect();
        let (path, tail) = (path.to_owned(), tail.into());
        Ok(Some(Self(Arc::new(Checked { path, file, sums, tail_at, tail }))))
    }

    /// Reads from a position to the end of the block, which is verified. In the tail, reads to the end of the file.
    fn bytes_from(&self, start: u64) -> io::Result<Bytes> {
        let Checked { path, file, sums, tail_at, tail } = &*self.0;
        if start >= *tail_at {
            let skipped = usize::try_from(start - tail_at).map_err(io::Error::other)?;
            return Ok(tail.slice(skipped.min(tail.len())..));
        }
        let number = start / BLOCK as u64;
        let at = number * BLOCK as u64;
        let mut bytes = vec![0; (tail_at - at).min(BLOCK as u64) as usize];
        let read = read_exact_at(file, &mut bytes, at);
        read.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        if sums.get(number as usize) != Some(&xxh3_64(&bytes)) {
            let end = at + bytes.len() as u64;
            return Err(io::Error::other(Damaged(format!(
                "{} is damaged between bytes {at} and {end}: they are not what was written",
                path.display()
            ))));
        }
        Ok(Bytes::from(bytes).slice((start - at) as usize..))
    }
}

impl Length for CheckedFile {
    fn len(&self) -> u64 {
        self.0.tail_at + self.0.tail.len() as u64
    }
}

impl ChunkReader for CheckedFile {
    type T = CheckedReader;

    fn get_read(&self, start: u64) -> Result<CheckedReader, ParquetError> {
        Ok(CheckedReader { file: self.clone(), next: start, block: Bytes::new() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let first = self.bytes_from(start)?;
        if first.len() >= length {
            return Ok(first.slice(..length));
        }
        let mut bytes = vec![0; length];
        self.get_read(start)?.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Reads on from a position.
#[derive(Debug)]
pub struct CheckedReader {
    file: CheckedFile,
    /// Position after the rest of the current block.
    next: u64,
    block: Bytes,
}

impl Read for CheckedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.block.is_empty() {
            self.block = self.file.bytes_from(self.next)?;
            self.next += self.block.len() as u64;
        }
        let some = self.block.split_to(buffer.len().min(self.block.len()));
        buffer[..some.len()].copy_from_slice(&some);
        Ok(some.len())
    }
}
