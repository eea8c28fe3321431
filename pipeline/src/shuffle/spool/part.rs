//! The pages of one part of a spool: in memory, or in its file.
//!
//! A file holds, for each page, the lengths of what follows (4 bytes each, little endian), its head in MessagePack and
//! its HTML, packed.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::shuffle::stored::{Head, Html, Stored, Whence};

const BUFFER: usize = 64 << 10;

/// What a part's file holds.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Extent {
    pub(crate) pages: u64,
    pub(super) bytes: u64,
}

/// Where the pages of a part are. It goes from memory to its file once, under its lock: from then on no page can
/// be put where only this process would find it.
#[derive(Debug)]
pub(super) enum Part {
    Held(Vec<Stored>),
    Filed {
        /// None before the first page, and where another process wrote it.
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
    /// One in a file that holds so much.
    pub(super) fn filed(extent: Extent) -> Self {
        Self::Filed { file: None, extent }
    }

    /// Writes a page to the file, at `path`; gives the bytes it takes there.
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

    /// Sees to it that all that was put into the file is there, and says what that is; `None` if there is no file.
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

/// Lists the pages in the file of a part, at `path`, which must be those that were put there.
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
        see(Stored { head, html, whence: Whence::default() });
        from.seek_relative(i64::from(packed))?;
        at = html_at + u64::from(packed);
        pages += 1;
    }
    if (pages, at) == (put.pages, end) { Ok(()) } else { Err(not_all()) }
}
