//! Fingerprints of bytes, for comparing them without keeping them.

use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Bytes per read.
const CHUNK: u64 = 1 << 20;

/// A fingerprint of bytes: their number and their XXH3 (64 bits).
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Fingerprint {
    /// Number of bytes.
    pub length: u64,
    /// Their XXH3.
    pub xxh3: u64,
}

impl Fingerprint {
    /// The fingerprint of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self { length: bytes.len() as u64, xxh3: xxh3_64(bytes) }
    }

    /// The fingerprint of the next bytes of a reader, at most `length`.
    ///
    /// # Errors If reading fails.
    pub fn of_next(from: &mut impl Read, length: u64) -> io::Result<Self> {
        let mut chunk = Vec::with_capacity(CHUNK.min(length) as usize);
        let mut hash = Xxh3::new();
        let mut read = 0;
        while read < length {
            chunk.clear();
            let bytes = from.by_ref().take(CHUNK.min(length - read)).read_to_end(&mut chunk)?;
            if bytes == 0 {
                break;
            }
            hash.update(&chunk);
            read += bytes as u64;
        }
        Ok(Self { length: read, xxh3: hash.digest() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_bytes_are_as_many_as_asked_for() {
        let bytes: Vec<u8> = (0..3 * CHUNK + 7).map(|n| (n % 251) as u8).collect();
        for length in [0, 1, 100, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 7] {
            let mut from = bytes.as_slice();
            let found = Fingerprint::of_next(&mut from, length).unwrap();
            assert_eq!(found, Fingerprint::of(&bytes[..length as usize]));
            assert_eq!(from.len() as u64, bytes.len() as u64 - length);
        }
        let found = Fingerprint::of_next(&mut bytes.as_slice(), 1 << 40).unwrap();
        assert_eq!(found, Fingerprint::of(&bytes), "no more than there are");
    }
}
