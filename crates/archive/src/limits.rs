//! The limits of a reader, which hold for any input.

/// Limits on the cost of one record. There is no `Default`: the defaults are in the configuration
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest record body that is kept, in bytes; a longer one is skipped and reported.
    pub record_bytes: u64,
    /// Longest record head, in bytes; a longer one counts as damage.
    pub head_bytes: usize,
    /// Longest compressed gzip member that is inflated in one call. A longer one is streamed, which
    /// is slower but takes no more memory.
    pub member_bytes: usize,
    /// Maximum ratio of output to input bytes of a gzip member larger than `record_bytes`. A member
    /// above it is abandoned and reported.
    pub ratio: u64,
}

impl Limits {
    /// Limits that suit real crawls: 32 MiB records, 1 MiB heads, 8 MiB members, 500 to 1.
    pub const USUAL: Limits =
        Limits { record_bytes: 32 << 20, head_bytes: 1 << 20, member_bytes: 8 << 20, ratio: 500 };
}
