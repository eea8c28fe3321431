//! How much memory a run may take.

use std::fs;

/// Reads an amount of memory or disk: bytes, or a number with `kB`, `MB`, `GB`, `TB` (powers of 1000) or
/// `KiB`, `MiB`, `GiB`, `TiB` (powers of 1024); `K`, `M`, `G`, `T` are short for the latter.
///
/// # Errors
/// With what is wrong with the text.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let wrong = || format!("`{text}` is no amount of memory; write for example 800MiB or 4GB");
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        _ => return Err(wrong()),
    };
    Ok((number * factor as f64) as u64)
}

/// An amount for people: `1.5 GB`.
pub fn shown(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    };
    format!("{:.1} {name}", bytes as f64 / unit)
}

/// Half of the machine's memory, or of what this process may take of it (cgroups); where neither is
/// known, 2 GiB.
pub fn half_of_machine() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some(kib * 1024)
    });
    // Version 2 and version 1 of control groups, as a container sees its own.
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let allowed =
        limits.iter().filter_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok());
    machine.into_iter().chain(allowed).min().map_or(2 << 30, |bytes: u64| bytes / 2)
}

/// What the program, its buffers and a site of middle size take: less is not possible.
pub const LEAST: u64 = 256 << 20;

/// Memory of a site that is being worked on, for each byte of its HTML: trees, words, features,
/// results. Measured on real sites (docs/PERFORMANCE.md), rounded up.
const WORKING: u64 = 10;

/// How a budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Bytes of pages that may wait in memory for their site's turn.
    pub waiting: u64,
    /// HTML of the largest site that is worked on beside others; larger ones are alone.
    pub beside: u64,
}

impl Shares {
    /// Shares of a budget among threads. Neither decides what comes out, only how fast and where.
    pub fn of(budget: u64, threads: usize) -> Self {
        Self { waiting: budget * 2 / 5, beside: budget / 4 / WORKING / threads.max(1) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        assert_eq!(parse_size("1GiB"), Ok(1 << 30));
        assert_eq!(parse_size("1.5 GB"), Ok(1_500_000_000));
        assert_eq!(parse_size("64m"), Ok(64 << 20));
        assert_eq!(parse_size("123"), Ok(123));
        for wrong in ["", "GB", "1 XB", "-1", "1..5G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(shown(1_500_000_000), "1.5 GB");
        assert!(half_of_machine() > 0);
    }
}
