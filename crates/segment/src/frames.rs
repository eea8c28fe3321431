//! Frames: temporary files are written in pieces with checksums, which are verified before any byte of a piece is used.
//!
//! A frame consists of the length of its content (4 bytes, little endian), the XXH3-64 of the content (8 bytes), and the content.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use lz4_flex::block::{compress_into, decompress_size_prepended, get_maximum_output_size};
use xxhash_rust::xxh3::xxh3_64;

/// Length of the header of a frame, in bytes.
pub const HEADER: usize = 12;
/// Length of the prefix of the compressed block that contains the uncompressed length, in bytes.
const LENGTH: usize = 4;
/// Maximum length of the content of a frame, in bytes. A greater length means damage.
const LONGEST: u32 = 1 << 30;

/// Maximum size to which a thread's buffers may grow and still be kept for the next frame, in bytes.
const KEPT: usize = 8 << 20;

thread_local! {
    /// Buffers for the uncompressed input and the compressed output.
    static PACKER: RefCell<(Vec<u8>, Vec<u8>)> = RefCell::default();
}

/// Makes a frame of `before`, uncompressed, followed by what `write` writes, compressed. Uses LZ4, since results are rarely read
/// again, and at most once.
pub fn frame(
    before: &[u8],
    write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
) -> io::Result<Vec<u8>> {
    PACKER.with_borrow_mut(|(plain, packed)| {
        plain.clear();
        write(plain)?;
        let length = u32::try_from(plain.len()).map_err(io::Error::other)?;
        let block_at = before.len() + LENGTH;
        let most = block_at + get_maximum_output_size(plain.len());
        packed.resize(packed.len().max(most), 0);
        packed[..before.len()].copy_from_slice(before);
        packed[before.len()..block_at].copy_from_slice(&length.to_le_bytes());
        let block = compress_into(plain, &mut packed[block_at..]).map_err(io::Error::other)?;
        let content = &packed[..block_at + block];
        let mut frame = Vec::with_capacity(HEADER + content.len());
        frame.extend_from_slice(&header_of(content)?);
        frame.extend_from_slice(content);
        for buffer in [plain, packed] {
            buffer.truncate(KEPT);
            buffer.shrink_to(KEPT);
        }
        Ok(frame)
    })
}

/// Decompresses a block.
pub fn unpacked(packed: &[u8]) -> io::Result<Vec<u8>> {
    decompress_size_prepended(packed).map_err(io::Error::other)
}

fn header_of(content: &[u8]) -> io::Result<[u8; HEADER]> {
    let length = u32::try_from(content.len()).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or(io::ErrorKind::FileTooLarge)?;
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&length.to_le_bytes());
    header[4..].copy_from_slice(&xxh3_64(content).to_le_bytes());
    Ok(header)
}

/// Writes content as a frame, uncompressed; returns the length of the frame.
pub fn write_frame(to: &mut impl Write, content: &[u8]) -> io::Result<u64> {
    to.write_all(&header_of(content)?)?;
    to.write_all(content)?;
    Ok((HEADER + content.len()) as u64)
}

/// Reads the content of the frame at a position; `bytes` is the length of the frame.
pub(crate) fn read_frame_at(
    file: &File,
    path: &Path,
    at: u64,
    bytes: usize,
) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; bytes];
    let read = read_exact_at(file, &mut frame, at);
    read.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    let is_whole = frame.split_first_chunk::<HEADER>().is_some_and(|(header, content)| {
        header_of(content).is_ok_and(|of_content| of_content == *header)
    });
    if !is_whole {
        return Err(damaged(path, at));
    }
    frame.drain(..HEADER);
    Ok(frame)
}

/// A file does not contain what was written to it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Damaged(pub String);

/// The error of a file that does not contain what was written at a position.
pub fn damaged(path: &Path, at: u64) -> io::Error {
    let shown = path.display();
    let what = format!("{shown} is damaged at byte {at}: it does not hold what was written there");
    io::Error::other(Damaged(what))
}

/// Whether an error says that a file is damaged ([`Damaged`]).
pub fn is_damage(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<Damaged>())
}

/// Reads the complete frames of a file.
#[derive(Debug)]
pub struct Frames {
    from: BufReader<File>,
    path: PathBuf,
    left: u64,
    end: u64,
    /// Whether anything other than complete frames was found.
    damaged: bool,
}

impl Frames {
    /// Opens the file at `path`; `None` if it does not exist.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        match File::open(path) {
            Ok(file) => {
                let left = file.metadata()?.len();
                let (from, path) = (BufReader::with_capacity(1 << 18, file), path.to_owned());
                Ok(Some(Self { from, path, left, end: 0, damaged: false }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The error of a file that ends too early, or continues after its end.
    pub fn cut_short(&self) -> io::Error {
        damaged(&self.path, self.end)
    }

    /// Offset behind the last frame that was read.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Reads the next frame; `None` at the end of the file or at an incomplete frame.
    pub fn next_until_damage(&mut self) -> io::Result<Option<Vec<u8>>> {
        let next = self.whole();
        if !matches!(next, Ok(Some(_))) {
            self.damaged |= self.left > 0;
            self.left = 0;
        }
        next
    }

    /// Reads the next frame; `None` at the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read, or the next frame is incomplete; the message names the file.
    pub fn next_of_whole(&mut self) -> io::Result<Option<Vec<u8>>> {
        let next = self.next_until_damage()?;
        match next.is_none() && self.damaged {
            true => Err(damaged(&self.path, self.end)),
            false => Ok(next),
        }
    }

    fn whole(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut header = [0; HEADER];
        if self.left < HEADER as u64 {
            return Ok(None);
        }
        self.from.read_exact(&mut header)?;
        let [a, b, c, d, ..] = header;
        let length = u32::from_le_bytes([a, b, c, d]);
        let whole = HEADER as u64 + u64::from(length);
        if length > LONGEST || whole > self.left {
            return Ok(None);
        }
        let mut content = vec![0; length as usize];
        self.from.read_exact(&mut content)?;
        if header_of(&content)? != header {
            return Ok(None);
        }
        self.left -= whole;
        self.end += whole;
        Ok(Some(content))
    }
}

/// Reads at a position; returns the number of bytes.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

/// Fills a buffer, starting at a position.
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match read_at(file, buffer, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = &mut buffer[read..];
                at += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
