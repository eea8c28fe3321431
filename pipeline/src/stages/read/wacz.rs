//! Archives in a WACZ file: a ZIP file with WARC files under `archive/` (WACZ 1.1.1 §5.2.1), which are mostly
//! stored as they are, so that their records can be reached by the offset in the WACZ file.

use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::source::open;
use zip::{CompressionMethod, ZipArchive};

/// The first bytes of a ZIP file.
const MAGIC: &[u8] = b"PK\x03\x04";

/// An archive in a WACZ file.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    /// Where its bytes begin in the WACZ file.
    pub(super) start: u64,
    /// How many there are, as stored.
    pub(super) length: u64,
    pub(super) packing: Packing,
}

/// How the bytes of a member are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// As they are.
    Stored,
    /// Compressed with Deflate.
    Deflated,
    /// In a way that is not read.
    Other,
}

/// Whether a file is a ZIP file.
///
/// # Errors
/// If it cannot be read.
pub(super) fn is_zip(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    open(path)?.take(MAGIC.len() as u64).read_to_end(&mut first)?;
    Ok(first == MAGIC)
}

/// The archives in a WACZ file, in the order of their bytes.
///
/// # Errors
/// If the file cannot be read, or its directory is damaged.
pub(super) fn members(path: &Path) -> io::Result<Vec<Member>> {
    let mut zip = ZipArchive::new(BufReader::new(open(path)?)).map_err(io::Error::other)?;
    let mut members = Vec::new();
    for index in 0..zip.len() {
        let file = zip.by_index_raw(index).map_err(io::Error::other)?;
        let name = file.name().map_err(io::Error::other)?.into_owned();
        let Some(start) = file.data_start().filter(|_| is_archive(&name)) else { continue };
        let packing = match file.compression() {
            CompressionMethod::Stored if !file.encrypted() => Packing::Stored,
            CompressionMethod::Deflated if !file.encrypted() => Packing::Deflated,
            _ => Packing::Other,
        };
        members.push(Member { start, length: file.compressed_size(), name, packing });
    }
    members.sort_by_key(|member| member.start);
    Ok(members)
}

fn is_archive(name: &str) -> bool {
    name.strip_prefix("archive/").is_some_and(|name| crate::inputs::is_archive(Path::new(name)))
}
