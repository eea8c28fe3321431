//! How much memory a run may take.

mod groups;

use std::fs;
use std::path::Path;

use bytesize::ByteSize;

/// Reads an amount of memory or disk: bytes, or a number with `kB`, `MB`, `GB`, `TB` (powers of 1000) or
/// `KiB`, `MiB`, `GiB`, `TiB` (powers of 1024); `K`, `M`, `G`, `T` are short for the former, `Ki` and so on for
/// the latter. Letters of either case.
///
/// # Errors
/// With what is wrong with the text.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let size: Result<ByteSize, _> = text.trim().parse();
    let wrong = |_| {
        format!(
            "invalid memory size `{text}`: expected a number with a unit, such as 800MiB or 4GB"
        )
    };
    size.map(|size| size.as_u64()).map_err(wrong)
}

/// An amount for people: `1.5 GB`.
pub fn shown(bytes: u64) -> String {
    ByteSize(bytes).display().si().to_string()
}

/// Half of the machine's memory, or of what this process may take of it (control groups); where neither is
/// known, 2 GiB.
pub fn half_of_machine() -> u64 {
    half_of(Path::new("/"))
}

/// As [`half_of_machine`], of the machine whose file system begins at `root`.
fn half_of(root: &Path) -> u64 {
    let machine = fs::read_to_string(root.join("proc/meminfo")).ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some(kib * 1024)
    });
    machine.into_iter().chain(groups::limit(root)).min().map_or(2 << 30, |bytes| bytes / 2)
}

/// What the program, its buffers and a site of middle size take: less is not possible.
pub const LEAST: u64 = 256 << 20;

/// Memory of a site that is being worked on, for each byte that its pages weigh: trees, words, features,
/// results. Ordinary sites take half of it (docs/PERFORMANCE.md).
const WORKING: u64 = 10;

/// What a node that a tree may have weighs.
const NODE: u64 = 12;

/// What a page weighs: its HTML in bytes, more if that is dense with tags. So much, times [`WORKING`], is what
/// it may take while its site is worked on, whatever is on it. It depends on the page alone, and so does whether a
/// site is worked on as a whole.
pub(crate) fn weight(html: &str) -> u64 {
    (html.len() as u64).max(NODE * u64::from(dom::Room::of(html).nodes))
}

/// How a budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Bytes of pages that may wait in memory for their site's turn.
    pub waiting: u64,
    /// What the largest site weighs that is worked on beside others; larger ones are alone.
    pub beside: u64,
    /// What the sites weigh that are on their way: listed, worked on, or done before an earlier one is.
    pub on_the_way: u64,
    /// Files that are read at a time.
    pub files: usize,
}

impl Shares {
    /// Shares of a budget among threads, where reading a file takes `reading` bytes at most. None decides what
    /// comes out, only how fast and where.
    pub fn of(budget: u64, threads: usize, reading: u64) -> Self {
        let threads = threads.max(1);
        let files = usize::try_from(budget / 2 / reading.max(1)).unwrap_or(usize::MAX);
        Self {
            waiting: budget * 2 / 5,
            beside: budget / 4 / WORKING / threads as u64,
            on_the_way: budget / 8,
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
        assert_eq!(parse_size("123"), Ok(123));
        for wrong in ["", "GB", "1 XB", "-1", "1..5G", "inf", "1e3"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        let sizes = [0, 999, 1_000, 64_000_000, 1_500_000_000, 3_000_000_000_000];
        let texts = ["0 B", "999 B", "1.0 kB", "64.0 MB", "1.5 GB", "3.0 TB"];
        assert_eq!(sizes.map(shown), texts);
        assert!(half_of_machine() > 0);
    }
}
