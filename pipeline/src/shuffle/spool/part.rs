//! The pages of one part of a spool: in memory, or in its file.
//!
//! A file contains for each page the lengths of what follows (4 bytes each, little endian), its head in
//! MessagePack and its compressed HTML.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

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
        let lengths = [head.len() as u32, packed.len() as u32];
        for bytes in lengths.map(u32::to_le_bytes) {
            file.write_all(&bytes)?;
        }
        file.write_all(head)?;
        file.write_all(packed)?;
        let bytes = 8 + head.len() as u64 + packed.len() as u64;
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
        io::Error::other(what + "; start over with --overwrite")
    };
    let file = File::open(path)?;
    let end = file.metadata()?.len();
    if end != put.bytes {
        return Err(not_all());
    }
    let mut from = BufReader::with_capacity(BUFFER, file);
    let (mut at, mut pages) = (0, 0);
    while at < end {
        let mut lengths = [[0; 4]; 2];
        for bytes in &mut lengths {
            from.read_exact(bytes)?;
        }
        let [head, packed] = lengths.map(u32::from_le_bytes);
        let mut bytes = vec![0; head as usize];
        from.read_exact(&mut bytes)?;
        let html_at = at + 8 + u64::from(head);
        let html = Html::Packed { part, at: html_at, bytes: packed };
        let head: Head = rmp_serde::from_slice(&bytes).map_err(io::Error::other)?;
        see(Stored { head, html, source: SourceRecord::default() });
        from.seek_relative(i64::from(packed))?;
        at = html_at + u64::from(packed);
        pages += 1;
    }
    if (pages, at) == (put.pages, end) { Ok(()) } else { Err(not_all()) }
}
