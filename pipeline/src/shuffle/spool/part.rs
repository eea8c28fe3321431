//! The pages of one part of a spool: in memory, or in its file.
//!
//! A file contains for each page two frames (`frames`): its head in MessagePack and its compressed HTML.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::frames::{Damaged, HEADER, content_of, damaged, length_of, write_frame};
use crate::shuffle::stored::{Head, Html, SourceRecord, Stored};

const BUFFER: usize = 64 << 10;

/// Size of the file of a part.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Extent {
    pub(crate) pages: u64,
    pub(super) bytes: u64,
}

/// The pages of a part. It moves from memory to its file once, under its lock: afterwards every page is
/// stored where another process finds it.
#[derive(Debug)]
pub(super) enum Part {
    Held(Vec<Stored>),
    Filed {
        /// None before the first page, and if another process wrote it.
        file: Option<BufWriter<File>>,
        extent: Extent,
    },
}

impl Default for Part {
    fn default() -> Self {
        Self::Held(Vec::new())
    }
}

impl Part {
    /// A part in a file of this size.
    pub(super) fn filed(extent: Extent) -> Self {
        Self::Filed { file: None, extent }
    }

    /// Writes a page to the file at `path`; returns the number of bytes written.
    pub(super) fn write(&mut self, path: &Path, head: &[u8], packed: &[u8]) -> io::Result<u64> {
        let Self::Filed { file, extent } = self else {
            return Err(io::Error::other("a part that is in memory has no file"));
        };
        let file = match file {
            Some(file) => file,
            empty => {
                let file = File::options().create(true).append(true).open(path)?;
                empty.insert(BufWriter::with_capacity(BUFFER, file))
            }
        };
        let bytes = write_frame(file, head)? + write_frame(file, packed)?;
        extent.pages += 1;
        extent.bytes += bytes;
        Ok(bytes)
    }

    /// Flushes the file and returns its size; `None` if there is no file.
    pub(super) fn flush(&mut self) -> io::Result<Option<Extent>> {
        match self {
            Self::Held(_) => Ok(None),
            Self::Filed { file, extent } => {
                file.as_mut().map_or(Ok(()), BufWriter::flush)?;
                Ok(Some(*extent))
            }
        }
    }
}

/// Lists the pages in the file of a part at `path`, which must contain exactly the pages that were written.
pub(super) fn list(
    path: &Path,
    part: usize,
    put: Extent,
    see: &mut dyn FnMut(Stored),
) -> io::Result<()> {
    if put == Extent::default() {
        return Ok(());
    }
    let not_all = || {
        let what = format!("{} does not hold the {} pages put there", path.display(), put.pages);
        io::Error::other(Damaged(what))
    };
    let file = File::open(path)?;
    let end = file.metadata()?.len();
    if end != put.bytes {
        return Err(not_all());
    }
    let mut from = BufReader::with_capacity(BUFFER, file);
    let (mut at, mut pages) = (0, 0);
    while at < end {
        let mut header = [0; HEADER];
        from.read_exact(&mut header).map_err(|_| not_all())?;
        let length = u64::from(length_of(header));
        let html_at = at + HEADER as u64 + length;
        if html_at + HEADER as u64 > end {
            return Err(damaged(path, at));
        }
        let mut frame = header.to_vec();
        from.by_ref().take(length).read_to_end(&mut frame)?;
        let bytes = content_of(frame).ok_or_else(|| damaged(path, at))?;
        // The HTML is checked when it is read, and its length by that and by what comes next.
        from.read_exact(&mut header).map_err(|_| not_all())?;
        let packed = length_of(header);
        let html = Html::Packed { part, at: html_at, bytes: packed };
        let head: Head = rmp_serde::from_slice(&bytes).map_err(io::Error::other)?;
        see(Stored { head, html, source: SourceRecord::default() });
        from.seek_relative(i64::from(packed))?;
        at = html_at + HEADER as u64 + u64::from(packed);
        pages += 1;
    }
    if (pages, at) == (put.pages, end) { Ok(()) } else { Err(not_all()) }
}
