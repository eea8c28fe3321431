//! Parts of files: where listed records are, and how much was transferred of files at addresses.

use std::sync::atomic::{AtomicU64, Ordering};

/// A record of an archive.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordAt {
    /// Offset of the record, or of its compressed member, in bytes.
    pub offset: u64,
    /// Bytes that it takes there.
    pub length: u64,
}

/// The digest of the places of records, in hex.
pub(crate) fn digest_of(records: &[RecordAt]) -> String {
    let places: String =
        records.iter().map(|own| format!("{} {} ", own.offset, own.length)).collect();
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(places.as_bytes()))
}

/// What was read of a file at an address.
#[derive(Debug, Default)]
pub struct Transfer {
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Transfer {
    /// Counts a request, and the bytes of its answer.
    #[cfg(feature = "remote")]
    pub(crate) fn add(&self, bytes: usize) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Requests, without those that were repeated, and bytes; `None` if there were no requests.
    pub fn counts(&self) -> Option<(u64, u64)> {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (of(&self.requests) > 0).then(|| (of(&self.requests), of(&self.bytes)))
    }
}
