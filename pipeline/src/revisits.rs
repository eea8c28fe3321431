//! Gives revisit records the page they found unchanged, when it is among the inputs.
//!
//! A revisit names its original by the digest of its payload, by address and date, or by record
//! (WARC 1.1 §6.7); a server's "not modified" may name nothing but its own address. What it asks for
//! and what records offer is sorted and merged, in files where it is much, so that any number of
//! revisits takes little memory. Only what revisits may ask for is offered: a crawl without them costs
//! nothing.

mod originals;

use std::io;

use archive::Record;
use data_encoding::{BASE32_NOPAD, HEXLOWER_PERMISSIVE};
use jiff::Timestamp;
use model::{Drop, Origin, Page};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::stages::read::Intake;

pub(crate) use originals::{
    Candidate, Original, Originals, Revisits, Settled, Visited, halves, whole,
};

/// A revisit record.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Revisit {
    /// The address visited again.
    pub url: String,
    /// When.
    pub date: Option<Timestamp>,
    /// Where the record lies.
    pub origin: Origin,
    /// Digest of the payload, if the record has one.
    pub digest: Option<u128>,
    /// `WARC-Refers-To`, the original's record id.
    pub record: Option<String>,
    /// `WARC-Refers-To-Target-URI` and `WARC-Refers-To-Date`.
    pub visit: (Option<String>, Option<Timestamp>),
    /// Whether the server said that nothing was modified since the last visit.
    pub not_modified: bool,
}

/// Bits of a digest's hash that tell its value; those above tell how it was made.
const VALUE_BITS: u32 = 96;

/// A hash of a `WARC-Payload-Digest`: equal for equal bytes, in hexadecimal or base32, in letters of
/// either case.
pub fn digest(text: &str) -> u128 {
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

/// Whether two digests are known to be of different payloads: digests that were made in different ways
/// tell nothing.
fn differ(a: Option<u128>, b: Option<u128>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a != b && a >> VALUE_BITS == b >> VALUE_BITS)
}

impl Revisit {
    /// What a revisit record says of its original.
    pub fn new(url: String, digest: Option<u128>, record: &Record, origin: Origin) -> Self {
        let bare = |value: &str| value.trim_matches(['<', '>', ' ']).to_owned();
        let field = |name| record.headers.get(name).map(bare);
        let profile = field("WARC-Profile").unwrap_or_default();
        let date = field("WARC-Refers-To-Date");
        Self {
            url,
            date: record.date,
            origin,
            digest,
            record: field("WARC-Refers-To"),
            visit: (
                field("WARC-Refers-To-Target-URI"),
                date.and_then(|date| archive::parse_date(&date)),
            ),
            not_modified: profile.ends_with("server-not-modified"),
        }
    }

    /// Left out because its original is not there.
    pub fn without_original(self) -> Drop {
        let Self { url, date: fetched, origin, .. } = self;
        Visited { url, fetched, origin }.without_original()
    }

    /// The names it gives its original, the surest first. Record ids come after what tells of the
    /// payload or the visit: archives that were merged may have one id several times.
    fn keys(&self) -> Vec<u128> {
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

    /// Bytes that it holds, roughly.
    fn bytes(&self) -> usize {
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

fn of_record(id: &str) -> u128 {
    key(b'r', &[id.as_bytes()])
}

/// Dates are compared by the second: one of the two may have lost its fraction.
fn of_visit(url: &str, date: Timestamp) -> u128 {
    key(b'v', &[url.as_bytes(), &date.as_second().to_le_bytes()])
}

fn of_payload_at(digest: u128, url: &str) -> u128 {
    key(b'p', &[&digest.to_le_bytes(), url.as_bytes()])
}

fn of_payload(digest: u128) -> u128 {
    key(b'b', &[&digest.to_le_bytes()])
}

fn of_url(url: &str) -> u128 {
    key(b'u', &[url.as_bytes()])
}

/// The place of what has none.
pub(crate) fn nowhere() -> Origin {
    Origin { file: "".into(), offset: 0, record_id: String::new(), truncated: None }
}

/// Replaces every revisit by the page it found unchanged, or by a drop. `digests` go with the intakes.
///
/// # Errors
/// None that a sorter in memory can have.
pub fn resolve(intakes: &mut Vec<Intake>, digests: &[Option<u128>]) -> io::Result<()> {
    let mut revisits = Revisits::new(None);
    for intake in intakes.iter() {
        if let Intake::Revisit(revisit) = intake {
            revisits.push(revisit.clone())?;
        }
    }
    let Some(mut originals) = Originals::of(revisits, None)? else { return Ok(()) };
    let nowhere = nowhere();
    for (place, (intake, &digest)) in intakes.iter().zip(digests).enumerate() {
        let (origin, url, fetched) = match intake {
            Intake::Page(page) => (&page.origin, Some(page.url.as_str()), page.fetched),
            Intake::Drop(drop) => (&drop.origin, Some(drop.url.as_str()), None),
            Intake::Feed(_) => (&nowhere, None, None),
            Intake::Redirect { .. } | Intake::Revisit(_) => continue,
        };
        let is_page = matches!(intake, Intake::Page(_));
        originals.offer(&Candidate { origin, url, is_page, fetched, digest }, || match intake {
            Intake::Drop(drop) => Original::Drop(drop.reason, drop.detail.clone()),
            Intake::Page(_) => Original::Page(place),
            _ => Original::Feed,
        })?;
    }
    let mut settled: Vec<Intake> = Vec::new();
    originals.settle(&mut |one| {
        settled.extend(match one {
            Settled::Drop(drop) => Some(Intake::Drop(drop)),
            Settled::Page(visited, place) => match intakes.get(place) {
                Some(Intake::Page(page)) => Some(Intake::Page(copy_of(page, visited))),
                // Only pages are places.
                _ => None,
            },
        });
        Ok(())
    })?;
    intakes.retain(|intake| !matches!(intake, Intake::Revisit(_)));
    intakes.extend(settled);
    Ok(())
}

fn copy_of(page: &Page, visited: Visited) -> Page {
    let origin = visited.origin_of_copy(&page.origin);
    let Visited { url, fetched, .. } = visited;
    Page { url, fetched, origin, ..page.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_compared_by_what_they_say() {
        let hex = digest("sha1:3F2A5B1C00112233445566778899AABBCCDDEEFF");
        for same in [
            "SHA-1:3f2a5b1c00112233445566778899aabbccddeeff",
            "sha1:H4VFWHAACERDGRCVMZ3YRGNKXPGN33X7",
            " sha1:h4vfwhaacerdgrcvmz3yrgnkxpgn33x7",
        ] {
            assert_eq!(digest(same), hex, "{same}");
        }
        let other = digest("sha1:0000000000112233445566778899AABBCCDDEEFF");
        assert!(differ(Some(hex), Some(other)) && !differ(Some(hex), Some(hex)));
        assert!(!differ(Some(hex), None) && !differ(None, None));
        // Nobody knows whether these are of one payload.
        assert!(!differ(Some(hex), Some(digest("md5:00112233445566778899aabbccddeeff"))));
        assert!(!differ(Some(hex), Some(digest("sha1:short"))));
        assert!(differ(Some(digest("blake3:abc")), Some(digest("blake3:abd"))));
    }
}
