//! Revisit records, and the names by which they refer to their originals.
//!
//! A revisit names its original by the digest of its payload, by address and date, or by record id (WARC 1.1 §6.7). The
//! record of a "not modified" response may have nothing but its own address.

use data_encoding::{BASE32_NOPAD, HEXLOWER_PERMISSIVE};
use jiff::Timestamp;
use model::{Drop, DropReason, Origin, Stage};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// A revisit record.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Revisit {
    /// The address that was visited again.
    pub url: String,
    /// When it was visited.
    pub date: Option<Timestamp>,
    /// The origin of the record.
    pub origin: Origin,
    /// Digest of the payload, if the record has one.
    pub digest: Option<u128>,
    /// `WARC-Refers-To`, the original's record id.
    pub record: Option<String>,
    /// `WARC-Refers-To-Target-URI` and `WARC-Refers-To-Date`.
    pub visit: (Option<String>, Option<Timestamp>),
    /// Whether the server said that nothing was modified since an earlier visit.
    pub not_modified: bool,
}

/// Number of bits of a digest's hash that hold its value; the bits above hold the algorithm.
const VALUE_BITS: u32 = 96;

/// Hashes a `WARC-Payload-Digest`: equal for equal bytes, in hexadecimal or base32, in upper or lower case.
pub fn payload_digest(text: &str) -> u128 {
    let (algorithm, value) = text.trim().split_once(':').unwrap_or(("", text.trim()));
    let algorithm = algorithm.trim().to_ascii_lowercase().replace('-', "");
    let value = value.trim().trim_end_matches('=');
    let length = match &*algorithm {
        "md5" => 16,
        "sha1" => 20,
        "sha256" => 32,
        "sha384" => 48,
        "sha512" => 64,
        _ => 0,
    };
    let bytes = match value.len() {
        hex if hex == 2 * length => HEXLOWER_PERMISSIVE.decode(value.as_bytes()).ok(),
        base32 if base32 == (8 * length).div_ceil(5) => {
            BASE32_NOPAD.decode(value.to_ascii_uppercase().as_bytes()).ok()
        }
        _ => None,
    };
    let (form, bytes) = match bytes {
        Some(bytes) if length > 0 => (0, bytes),
        _ => (1 + value.len() as u64, value.to_ascii_uppercase().into_bytes()),
    };
    let kind = xxh3_64(format!("{form} {algorithm}").as_bytes());
    u128::from(kind as u32) << VALUE_BITS | key(b'd', &[&bytes]) >> (128 - VALUE_BITS)
}

/// Whether two digests are known to be of different payloads. Digests of different algorithms cannot be compared.
pub(crate) fn differ(a: Option<u128>, b: Option<u128>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a != b && a >> VALUE_BITS == b >> VALUE_BITS)
}

impl Revisit {
    /// Returns the names of its original, the most reliable first. Record ids come after payload digest and visit,
    /// because merged archives may contain one id several times.
    pub(crate) fn keys(&self) -> Vec<u128> {
        let url = self.visit.0.as_deref().unwrap_or(&self.url);
        let mut keys = Vec::new();
        keys.extend(self.digest.map(|digest| of_payload_at(digest, url)));
        keys.extend(self.visit.1.map(|date| of_visit(url, date)));
        keys.extend(self.record.as_deref().map(of_record));
        keys.extend(self.digest.map(of_payload));
        if self.not_modified {
            keys.push(of_url(url));
        }
        keys
    }

    /// Approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let texts = [Some(&self.url), self.record.as_ref(), self.visit.0.as_ref()];
        texts.into_iter().flatten().map(|text| text.len() + 16).sum::<usize>()
            + self.origin.record_id.len()
    }
}

fn key(kind: u8, parts: &[&[u8]]) -> u128 {
    let mut bytes = vec![kind];
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    xxh3_128(&bytes)
}

pub(crate) fn of_record(id: &str) -> u128 {
    key(b'r', &[id.as_bytes()])
}

/// Dates are compared by the second, because one of the two may have lost its fraction.
pub(crate) fn of_visit(url: &str, date: Timestamp) -> u128 {
    key(b'v', &[url.as_bytes(), &date.as_second().to_le_bytes()])
}

pub(crate) fn of_payload_at(digest: u128, url: &str) -> u128 {
    key(b'p', &[&digest.to_le_bytes(), url.as_bytes()])
}

pub(crate) fn of_payload(digest: u128) -> u128 {
    key(b'b', &[&digest.to_le_bytes()])
}

pub(crate) fn of_url(url: &str) -> u128 {
    key(b'u', &[url.as_bytes()])
}

/// A visit that found a page unchanged.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Visited {
    /// The address that was visited.
    pub url: String,
    /// When it was visited.
    pub fetched: Option<Timestamp>,
    /// The origin of the revisit record.
    pub origin: Origin,
}

impl Visited {
    /// Drops the visit, for this reason.
    pub fn dropped(self, reason: DropReason, detail: String) -> Drop {
        let Self { url, origin, .. } = self;
        let (site, stage) = (String::new(), Stage::Read);
        Drop { site, url, origin, stage, reason, detail, gone: None, refused: None }
    }

    /// Drops the visit, because the original is not in the input.
    pub(crate) fn without_original(self) -> Drop {
        let detail = "the page is in another archive; give it as an input too".to_owned();
        self.dropped(DropReason::Revisit, detail)
    }

    /// The origin of the copied page. A truncated revisit record does not make the copy truncated.
    pub fn origin_of_copy(&self, of: &Origin) -> Origin {
        Origin { truncated: of.truncated.clone(), ..self.origin.clone() }
    }
}

/// A Bloom filter with one hash function: contains all names that were added, and appears to contain a few others.
#[derive(Debug, Default)]
pub struct NameFilter(Vec<u64>);

impl NameFilter {
    /// 8 MiB, allocated with the first name. After ten million names, one in eight other names passes.
    const BITS: u128 = 1 << 26;

    fn place(name: u128) -> (usize, u64) {
        let bit = (name % Self::BITS) as usize;
        (bit / 64, 1 << (bit % 64))
    }

    /// Adds a name.
    pub fn add(&mut self, name: u128) {
        if self.0.is_empty() {
            self.0 = vec![0; (Self::BITS / 64) as usize];
        }
        let (at, bit) = Self::place(name);
        self.0[at] |= bit;
    }

    /// Adds the names by which a revisit refers to its original.
    pub fn add_names_of(&mut self, revisit: &Revisit) {
        revisit.keys().into_iter().for_each(|name| self.add(name));
    }

    /// Whether a name was added, or may have been.
    pub fn may_have(&self, name: u128) -> bool {
        let (at, bit) = Self::place(name);
        self.0.get(at).is_some_and(|bits| bits & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_compared_by_what_they_say() {
        let hex = payload_digest("sha1:3F2A5B1C00112233445566778899AABBCCDDEEFF");
        for same in [
            "SHA-1:3f2a5b1c00112233445566778899aabbccddeeff",
            "sha1:H4VFWHAACERDGRCVMZ3YRGNKXPGN33X7",
            " sha1:h4vfwhaacerdgrcvmz3yrgnkxpgn33x7",
        ] {
            assert_eq!(payload_digest(same), hex, "{same}");
        }
        let other = payload_digest("sha1:0000000000112233445566778899AABBCCDDEEFF");
        assert!(differ(Some(hex), Some(other)) && !differ(Some(hex), Some(hex)));
        assert!(!differ(Some(hex), None) && !differ(None, None));
        // It is unknown whether these are of one payload.
        assert!(!differ(Some(hex), Some(payload_digest("md5:00112233445566778899aabbccddeeff"))));
        assert!(!differ(Some(hex), Some(payload_digest("sha1:short"))));
        assert!(differ(Some(payload_digest("blake3:abc")), Some(payload_digest("blake3:abd"))));
    }

    #[test]
    fn digests_of_every_algorithm_are_read_in_both_forms() {
        let algorithms =
            [("md5", 16), ("sha1", 20), ("sha-256", 32), ("sha384", 48), ("SHA-512", 64)];
        for (algorithm, length) in algorithms {
            let bytes: Vec<u8> = (0..length).collect();
            let in_hex = HEXLOWER_PERMISSIVE.encode(&bytes).to_uppercase();
            let in_base32 = BASE32_NOPAD.encode(&bytes).to_lowercase();
            let [hex, base32] =
                [in_hex, in_base32].map(|value| payload_digest(&format!("{algorithm}:{value}")));
            assert_eq!(hex, base32, "{algorithm}");
            let other = payload_digest(&format!("{algorithm}:{}", "00".repeat(length.into())));
            assert!(differ(Some(hex), Some(other)), "{algorithm}");
            assert_ne!(of_payload(hex), of_payload(other), "{algorithm}");
        }
    }
}
