//! Archives in a WACZ file: a ZIP file with WARC files under `archive/` (WACZ 1.1.1 §5.2.1). Most are stored without
//! compression, so that their records can be reached by their offset in the WACZ file.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Result, bail};
use model::contain_panics;
use serde::Deserialize;
use zip::{CompressionMethod, ZipArchive};

use crate::cdx::{Listed, read_index_from};
use crate::parts::RecordAt;
use crate::source::open;

/// The first bytes of a ZIP file.
const MAGIC: &[u8] = b"PK\x03\x04";

/// An archive in a WACZ file.
#[derive(Debug)]
pub(super) struct WaczMember {
    pub(super) name: String,
    /// Offset of its bytes in the WACZ file.
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) packing: Packing,
}

/// How the bytes of a member are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// Without compression.
    Stored,
    Deflated,
    /// Compressed with an unsupported method.
    Other,
}

pub(super) fn is_zip(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    open(path)?.take(MAGIC.len() as u64).read_to_end(&mut first)?;
    Ok(first == MAGIC)
}

/// Lists the archives in a WACZ file, in the order of their bytes.
pub(super) fn members(path: &Path) -> io::Result<Vec<WaczMember>> {
    contain_panics(|| directory(path)).unwrap_or_else(|panic| Err(io::Error::other(panic.detail)))
}

fn directory(path: &Path) -> io::Result<Vec<WaczMember>> {
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
        members.push(WaczMember { start, length: file.compressed_size(), name, packing });
    }
    members.sort_by_key(|member| member.start);
    Ok(members)
}

fn is_archive(name: &str) -> bool {
    name.strip_prefix(ARCHIVES).is_some_and(|name| crate::is_archive(Path::new(name)))
}

/// Folder of the archives in a WACZ file.
const ARCHIVES: &str = "archive/";
/// Folder of the indexes in a WACZ file.
const INDEXES: &str = "indexes/";

/// A block of a compressed index (`.cdx.gz`), as listed in the file next to it (`.idx`).
#[derive(Deserialize)]
struct IndexBlock {
    offset: u64,
    length: u64,
    #[serde(skip)]
    key: String,
}

/// Passes to `take` the records whose keys begin with `prefix`, and some others, from the indexes of a WACZ file, with
/// their positions in that file. Passes on nothing if an archive is compressed within it.
///
/// # Errors
/// If the file cannot be read, or an index cannot be parsed.
pub fn indexed(path: &Path, prefix: &str, take: &mut dyn FnMut(Listed)) -> Result<()> {
    contain_panics(|| read_indexes(path, prefix, take)).unwrap_or_else(|panic| bail!("{panic}"))
}

fn read_indexes(path: &Path, prefix: &str, take: &mut dyn FnMut(Listed)) -> Result<()> {
    let archives = members(path)?;
    if archives.iter().any(|member| member.packing != Packing::Stored) {
        return Ok(());
    }
    let named =
        |member: &WaczMember| Some((member.name.strip_prefix(ARCHIVES)?.to_owned(), member.start));
    let starts: BTreeMap<String, u64> = archives.iter().filter_map(named).collect();
    let mut placed = |own: Listed| {
        // Some programs include the folder in the name.
        let file = own.file.strip_prefix(ARCHIVES).unwrap_or(&own.file);
        if let Some(start) = starts.get(file) {
            let record = RecordAt { offset: start + own.record.offset, ..own.record };
            take(Listed { record, ..own });
        }
    };
    let mut zip = ZipArchive::new(BufReader::new(open(path)?)).map_err(io::Error::other)?;
    let names = zip.file_names().map(|name| Ok(name.map_err(io::Error::other)?.into_owned()));
    let names: Vec<String> = names.collect::<io::Result<_>>()?;
    let is_index = |name: &&String| {
        name.starts_with(INDEXES) && crate::cdx::is_index(Path::new(name.as_str()))
    };
    for name in names.iter().filter(is_index) {
        let bare = name.strip_suffix(".gz").and_then(|name| Some(name.rsplit_once('.')?.0));
        let blocks = match bare.map(|bare| format!("{bare}.idx")).filter(|idx| names.contains(idx))
        {
            Some(idx) => blocks(zip.by_name(&idx).map_err(io::Error::other)?, prefix)?,
            None => None,
        };
        let whole = zip.by_name(name).map_err(io::Error::other)?;
        let start = whole.data_start().filter(|_| whole.compression() == CompressionMethod::Stored);
        match (blocks, start) {
            (Some(blocks), Some(start)) => {
                let mut file = open(path)?;
                for IndexBlock { offset, length, .. } in blocks {
                    file.seek(SeekFrom::Start(start + offset))?;
                    read_index_from((&mut file).take(length), &mut placed)?;
                }
            }
            _ => read_index_from(whole, &mut placed)?,
        }
    }
    Ok(())
}

/// The blocks of an index that may contain keys with a prefix; `None` if the list has another format.
fn blocks(list: impl Read, prefix: &str) -> io::Result<Option<Vec<IndexBlock>>> {
    let mut blocks: Vec<IndexBlock> = Vec::new();
    for line in BufReader::new(list).lines() {
        let line = line?;
        if line.starts_with('!') || line.is_empty() {
            continue;
        }
        let Some(at) = line.find('{') else { return Ok(None) };
        let Ok(block) = serde_json::from_str::<IndexBlock>(&line[at..]) else { return Ok(None) };
        blocks.push(IndexBlock { key: line[..at].to_owned(), ..block });
    }
    let after = |key: &str| key > prefix && !key.starts_with(prefix);
    // A matching key may be in the block that begins before it.
    let first = blocks.partition_point(|block| block.key.as_str() < prefix).saturating_sub(1);
    let last = blocks.partition_point(|block| !after(&block.key));
    blocks.truncate(last);
    Ok(Some(blocks.split_off(first.min(last))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_site() {
        let keys =
            ["com,a)/ 20", "com,blog)/x 20", "com,blog,news)/ 20", "com,blogs)/ 20", "org,z)/ 20"];
        let lines = |form: &str| -> String {
            let line = |(at, key): (usize, &&str)| {
                format!("{key} {}\n", form.replace('N', &at.to_string()))
            };
            "!meta 0 {}\n".to_owned() + &keys.iter().enumerate().map(line).collect::<String>()
        };
        let list = lines("{\"offset\": N, \"length\": 1}");
        let of = |prefix: &str| -> Vec<u64> {
            let blocks = blocks(list.as_bytes(), prefix).unwrap().unwrap();
            blocks.iter().map(|block| block.offset).collect()
        };
        // The first block may end with the first keys of the site.
        assert_eq!(of("com,blog"), [0, 1, 2, 3]);
        assert_eq!(of("com,b"), [0, 1, 2, 3]);
        assert_eq!(of("com,zebra"), [3]);
        assert_eq!(of("org,zz"), [4]);
        assert_eq!(of("at,first"), [0; 0]);
        assert!(blocks(lines("part N 1").as_bytes(), "com").unwrap().is_none());
    }
}
