//! Parts of files: the positions of listed records, and the number of bytes transferred from files at addresses.

use std::sync::atomic::{AtomicU64, Ordering};

/// A record of an archive.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordAt {
    /// Offset of the record, or of its compressed member, in bytes.
    pub offset: u64,
    /// Length in the file, in bytes.
    pub length: u64,
}

/// Digest of the positions of records, in hex.
pub(crate) fn digest_of(records: &[RecordAt]) -> String {
    let places: String =
        records.iter().map(|own| format!("{} {} ", own.offset, own.length)).collect();
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(places.as_bytes()))
}

/// Counts what is transferred from a file at an address.
#[derive(Debug, Default)]
pub struct Transfer {
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Transfer {
    /// Counts a request, and the bytes of its response.
    #[cfg(feature = "remote")]
    pub(crate) fn add(&self, bytes: usize) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// The numbers of requests, repetitions not counted, and of bytes; `None` if there were no requests.
    pub fn counts(&self) -> Option<(u64, u64)> {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (of(&self.requests) > 0).then(|| (of(&self.requests), of(&self.bytes)))
    }
}
