//! Memory limit of a run, by default half of the machine's memory or of what control groups allow this process.
//!
//! A limit may be set on any group from the process's own up to the root of the mounted hierarchy: systemd
//! (`MemoryMax=`), Slurm and container engines set it on a nested group. The smallest limit counts (cgroups(7);
//! Linux `Documentation/admin-guide/cgroup-v2.rst`, "memory.max", "memory.high", and `cgroup-v1/memory.rst`).
//!
//! `sysinfo` 0.40 looks at nested groups, too, but returns no limit at all if a group in between lacks the
//! memory controller, and ignores `memory.high`; it needs Rust 1.95.

use std::fs;
use std::path::{Component, Path, PathBuf};

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
    machine.into_iter().chain(limit(root)).min().map_or(2 << 30, |bytes| bytes / 2)
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

/// Files that contain a limit in version 2, and in version 1.
const LIMITS: [&[&str]; 2] = [&["memory.max", "memory.high"], &["memory.limit_in_bytes"]];

/// The smallest limit from the group of this process up to the root, in either version; `None` if there
/// is none. The file system begins at `root`.
fn limit(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mounts = fs::read_to_string(root.join("proc/self/mountinfo")).unwrap_or_default();
    let own = [0, 1].map(|version| groups.lines().find_map(|line| group(line, version)));
    let limits = mounts.lines().filter_map(mount).filter_map(|mount| {
        let group = own[mount.version].as_deref();
        let at = |path: &str| root.join(path.trim_start_matches('/'));
        let top = at(&mount.point);
        let below = below(group.unwrap_or("/"), &mount.root);
        let folders = below.ancestors().map(|part| top.join(part));
        let files = LIMITS[mount.version];
        folders.flat_map(|at| files.iter().filter_map(move |file| read(&at.join(file)))).min()
    });
    limits.min()
}

/// The group's path in a line of `/proc/self/cgroup`, if the line is for version 2 (index 0), or for the memory
/// controller of version 1 (index 1).
fn group(line: &str, version: usize) -> Option<String> {
    let mut fields = line.splitn(3, ':');
    let (hierarchy, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
    let is_it = match version {
        0 => hierarchy == "0" && controllers.is_empty(),
        _ => controllers.split(',').any(|controller| controller == "memory"),
    };
    is_it.then(|| path.to_owned())
}

/// A mounted hierarchy of groups.
struct Mount {
    /// Index of the version in `LIMITS`.
    version: usize,
    /// The group that is mounted.
    root: String,
    point: String,
}

/// Parses a line of `/proc/self/mountinfo` that mounts a hierarchy with the memory controller
/// (proc_pid_mountinfo(5)).
fn mount(line: &str) -> Option<Mount> {
    let (about, kind) = line.split_once(" - ")?;
    let mut about = about.split(' ').skip(3).map(unescaped);
    let (root, point) = (about.next()?, about.next()?);
    let mut kind = kind.split(' ');
    let version = match (kind.next()?, kind.nth(1)) {
        ("cgroup2", _) => 0,
        ("cgroup", Some(options)) if options.split(',').any(|option| option == "memory") => 1,
        _ => return None,
    };
    Some(Mount { version, root, point })
}

/// Decodes the spaces, tabs, line ends and backslashes of a field, which are written `\040` and so on.
fn unescaped(field: &str) -> String {
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    escapes.iter().fold(field.to_owned(), |field, (code, sign)| field.replace(code, sign))
}

/// The path of a group relative to the mounted group; empty if it lies elsewhere.
fn below(group: &str, mounted: &str) -> PathBuf {
    let path = Path::new(group).strip_prefix(mounted).unwrap_or(Path::new(""));
    // `/../…`: a group outside the namespace.
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    if inside { path.to_owned() } else { PathBuf::new() }
}

/// Reads the limit in a file; `None` if it is `max`.
fn read(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::half_of;
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

    const V2: &str =
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1: &str = "31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                      32 23 0:28 / /sys/fs/cgroup/memory rw shared:7 master:2 - cgroup cgroup rw,memory\n\
                      33 23 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    /// Returns the limit on a machine with 16 GiB and these groups, mounts and limits.
    fn allowed(groups: &str, mounts: &str, limits: &[(&str, &str)]) -> u64 {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
        write("proc/self/cgroup", groups);
        write("proc/self/mountinfo", mounts);
        limits.iter().for_each(|(path, limit)| write(&format!("sys/fs/cgroup/{path}"), limit));
        2 * half_of(root.path())
    }

    #[test]
    fn the_smallest_limit_on_the_way_counts() {
        let groups = "0::/system.slice/night.slice/run.service\n";
        let service = "system.slice/night.slice/run.service";
        let max = |path: &'static str| (path, "max\n");
        assert_eq!(allowed(groups, V2, &[]), 16 << 30);
        let own = format!("{service}/memory.max");
        assert_eq!(allowed(groups, V2, &[(&own, "1073741824\n")]), 1 << 30);
        let above = ("system.slice/night.slice/memory.max", "536870912\n");
        assert_eq!(allowed(groups, V2, &[(&own, "1073741824\n"), above]), 512 << 20);
        assert_eq!(allowed(groups, V2, &[max("system.slice/memory.max"), above]), 512 << 20);
        assert_eq!(allowed(groups, V2, &[(&own, "max\n")]), 16 << 30);
        let high = format!("{service}/memory.high");
        assert_eq!(allowed(groups, V2, &[(&own, "max\n"), (&high, "268435456\n")]), 256 << 20);
        assert_eq!(allowed(groups, V2, &[("other.slice/memory.max", "1\n")]), 16 << 30);
        // A container sees its own group as the root.
        assert_eq!(allowed("0::/\n", V2, &[("memory.max", "1073741824\n")]), 1 << 30);
    }

    #[test]
    fn version_1_has_a_hierarchy_for_memory() {
        let groups =
            "9:name=systemd:/\n5:cpu,cpuacct:/slurm/cpu\n4:memory:/slurm/uid_7/job_8\n0::/\n";
        let unlimited = ("memory/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(allowed(groups, V1, &[unlimited]), 16 << 30);
        let job = ("memory/slurm/uid_7/job_8/memory.limit_in_bytes", "2147483648\n");
        assert_eq!(allowed(groups, V1, &[unlimited, job]), 2 << 30);
        let user = ("memory/slurm/uid_7/memory.limit_in_bytes", "1073741824\n");
        assert_eq!(allowed(groups, V1, &[unlimited, job, user]), 1 << 30);
    }

    #[test]
    fn a_part_of_the_hierarchy_may_be_mounted() {
        // Docker in the namespace of the host; a mount point with a space.
        let mounts =
            "32 23 0:28 /docker/a1b2 /sys/fs/cgroup/my\\040groups rw - cgroup2 cgroup2 rw\n";
        let limit = |path| [(path, "1073741824\n")];
        let own = limit("my groups/memory.max");
        assert_eq!(allowed("0::/docker/a1b2\n", mounts, &own), 1 << 30);
        let inner = limit("my groups/job/memory.max");
        assert_eq!(allowed("0::/docker/a1b2/job\n", mounts, &inner), 1 << 30);
        // Outside the namespace, and no group at all.
        assert_eq!(allowed("0::/../elsewhere\n", mounts, &own), 1 << 30);
        assert_eq!(allowed("", mounts, &own), 1 << 30);
        let nowhere = limit("elsewhere/memory.max");
        assert_eq!(allowed("0::/docker/a1b2/../../elsewhere\n", mounts, &nowhere), 16 << 30);
    }

    #[test]
    fn odd_lines_are_passed_over() {
        for odd in ["", ":", "a:b", "0:", "x - cgroup2", "1 2 3 / - cgroup2 a b", "\u{0} - \u{0}"] {
            assert_eq!(allowed(odd, odd, &[("memory.max", "1\n")]), 16 << 30, "{odd}");
        }
    }
}
