//! Defines the limits a reader keeps to, whatever the bytes say.

/// How much one record may cost. There is no `Default`: the configuration file is the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest record body that is kept, in bytes; a longer one is skipped and reported.
    pub record_bytes: u64,
    /// Longest record head, in bytes; a longer one counts as damage.
    pub head_bytes: usize,
    /// Longest compressed gzip member that is inflated in one go; a longer one is streamed, which
    /// is slower but takes no more memory.
    pub member_bytes: usize,
    /// Most output bytes per input byte of a gzip member larger than `record_bytes`; a member that
    /// passes it is abandoned and reported.
    pub ratio: u64,
}

impl Limits {
    /// Limits that suit real crawls: 32 MiB records, 1 MiB heads, 8 MiB members, 500 to 1.
    pub const USUAL: Limits =
        Limits { record_bytes: 32 << 20, head_bytes: 1 << 20, member_bytes: 8 << 20, ratio: 500 };
}
