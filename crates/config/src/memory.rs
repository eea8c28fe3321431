//! Memory limit of a run.

mod groups;

use std::fs;
use std::path::Path;

use bytesize::ByteSize;

/// Parses a size: a number with `B`, with `kB`, `MB`, `GB`, `TB` (powers of 1000) or with `KiB`, `MiB`, `GiB`,
/// `TiB` (powers of 1024). `K`, `M`, `G`, `T` are short for powers of 1000, `Ki` and so on for powers of 1024.
/// Case is ignored. A unit is required, since `--memory 4` rarely means four bytes.
///
/// # Errors
/// If the text is not a size.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let has_unit = text.contains(|c: char| c.is_ascii_alphabetic());
    let size: Option<ByteSize> = text.trim().parse().ok().filter(|_| has_unit);
    size.map(|size| size.as_u64()).ok_or_else(|| {
        format!(
            "invalid memory size `{text}`: expected a number with a unit, such as 800MiB or 4GB"
        )
    })
}

/// Half of the machine's memory, or of the memory limit of this process (control groups); 2 GiB if neither is known.
pub fn half_of_machine() -> u64 {
    half_of(Path::new("/"))
}

/// Like [`half_of_machine`], with the file system at `root`.
fn half_of(root: &Path) -> u64 {
    let machine = fs::read_to_string(root.join("proc/meminfo")).ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some(kib * 1024)
    });
    machine.into_iter().chain(groups::limit(root)).min().map_or(2 << 30, |bytes| bytes / 2)
}

/// Minimum memory limit, in bytes: what the program, its buffers and a site of medium size need.
pub const LEAST: u64 = 256 << 20;

/// Bytes of memory for processing a site, per byte of its weight: trees, words, features, results. Ordinary sites
/// need half of it (docs/PERFORMANCE.md).
const WORKING: u64 = 10;

/// Weight of a node of a tree, in bytes.
const NODE: u64 = 12;

/// The weight of a page: the bytes of its HTML, or more if it has many tags. The weight times `WORKING` is an upper bound
/// of the memory for processing the page, whatever it contains. The weight depends only on the page, so whether
/// a site is processed as a whole depends only on its pages.
pub fn weight(html: &str) -> u64 {
    (html.len() as u64).max(NODE * u64::from(dom::Room::of(html).nodes))
}

/// How the memory limit is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryShares {
    /// Bytes of pages that are kept in memory until their site is processed.
    pub pages: u64,
    /// Maximum weight of a site that is processed in parallel with others. Larger sites are processed alone.
    pub parallel_site: u64,
    /// Maximum total weight of the sites in progress: listed, being processed, or waiting for an earlier site to be written.
    pub in_progress: u64,
    /// Number of files that are read in parallel.
    pub files: usize,
}

impl MemoryShares {
    /// Divides a memory limit among threads. Reading a file takes at most `reading` bytes. The result affects speed and
    /// disk use, never results.
    pub fn of(budget: u64, threads: usize, reading: u64) -> Self {
        let threads = threads.max(1);
        let files = usize::try_from(budget / 2 / reading.max(1)).unwrap_or(usize::MAX);
        Self {
            pages: budget * 2 / 5,
            parallel_site: budget / 4 / WORKING / threads as u64,
            in_progress: budget / 8,
            files: files.clamp(1, threads),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        assert_eq!(parse_size("1GiB"), Ok(1 << 30));
        assert_eq!(parse_size("1.5 GB"), Ok(1_500_000_000));
        assert_eq!(parse_size("60MiB"), Ok(60 << 20));
        assert_eq!(parse_size(" 1.5gb "), Ok(1_500_000_000));
        assert_eq!(parse_size("64m"), Ok(64_000_000));
        assert_eq!(parse_size("64Mi"), Ok(64 << 20));
        assert_eq!(parse_size("123B"), Ok(123));
        for wrong in ["", "4", "123", "GB", "1 XB", "-1GB", "1..5G", "inf", "1e3"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        assert!(half_of_machine() > 0);
    }
}
