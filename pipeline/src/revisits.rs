//! Gives revisit records the page they found unchanged, when it is among the inputs.
//!
//! A revisit names its original by record, by address and date, or by the digest of its payload
//! (WARC 1.1 §6.7); a server's "not modified" may name nothing but its own address. Only what the
//! revisits ask for is indexed, so a crawl without them costs nothing.

use archive::Record;
use jiff::Timestamp;
use model::{Drop, DropReason, Origin, Page, Stage};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use crate::stages::read::Intake;

/// A revisit record.
#[derive(Clone, Debug)]
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

/// The digest of the payload that gave the intake at `place`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    /// Hash of `WARC-Payload-Digest`.
    pub digest: u128,
    /// Index among what the read stage gave.
    pub place: usize,
}

/// A hash of a `WARC-Payload-Digest`, whose letters may be of either case.
pub fn digest(text: &str) -> u128 {
    key(b'd', &[text.trim().to_ascii_uppercase().as_bytes()])
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

    /// The revisit left out.
    pub fn dropped(self, reason: DropReason, detail: String) -> Drop {
        let Self { url, origin, .. } = self;
        Drop { site: String::new(), url, origin, stage: Stage::Read, reason, detail }
    }

    /// Left out because its original is not there.
    pub fn without_original(self) -> Drop {
        let detail = "the page is in another archive; give it as an input too".to_owned();
        self.dropped(DropReason::Revisit, detail)
    }

    /// The names it gives its original, the surest first.
    fn keys(&self) -> Vec<u128> {
        let url = self.visit.0.as_deref().unwrap_or(&self.url);
        let mut keys = Vec::new();
        keys.extend(self.record.as_deref().map(of_record));
        keys.extend(self.digest.map(|digest| of_payload_at(digest, url)));
        keys.extend(self.visit.1.map(|date| of_visit(url, date)));
        keys.extend(self.digest);
        if self.not_modified {
            keys.push(of_url(url));
        }
        keys
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

fn of_url(url: &str) -> u128 {
    key(b'u', &[url.as_bytes()])
}

/// Replaces every revisit by the page it found unchanged, or by a drop. Of several revisits of one
/// address only the latest gives a page, so at most one copy is made for each address.
pub fn resolve(intakes: &mut [Intake], payloads: &[Payload]) {
    let revisits: Vec<usize> =
        (0..intakes.len()).filter(|&place| matches!(intakes[place], Intake::Revisit(_))).collect();
    if revisits.is_empty() {
        return;
    }
    let originals = originals(intakes, payloads);
    // Address, date and place in the inputs: the latest visit of an address comes last.
    let mut visits: Vec<(String, Option<Timestamp>, Origin, usize)> = Vec::new();
    for &place in &revisits {
        if let Intake::Revisit(revisit) = &intakes[place] {
            visits.push((revisit.url.clone(), revisit.date, revisit.origin.clone(), place));
        }
    }
    visits.sort();
    let mut later_url: Option<String> = None;
    for (url, _, _, place) in visits.into_iter().rev() {
        let superseded = later_url.as_ref() == Some(&url);
        let Intake::Revisit(revisit) = &intakes[place] else { continue };
        let revisit = revisit.clone();
        let original = revisit.keys().iter().find_map(|key| originals.get(key).copied().flatten());
        let resolved = original.is_some_and(|at| matches!(intakes[at], Intake::Page(_)));
        intakes[place] = match original.map(|at| &intakes[at]) {
            Some(Intake::Page(_)) if superseded => {
                let detail = "visited again later, unchanged; that visit is kept".to_owned();
                Intake::Drop(revisit.dropped(DropReason::DuplicateUrl, detail))
            }
            Some(Intake::Page(page)) => {
                let Revisit { url, date: fetched, origin, .. } = revisit;
                Intake::Page(Page { url, fetched, origin, ..page.clone() })
            }
            Some(Intake::Feed(_)) => {
                let detail = "a feed whose items were read from its original".to_owned();
                Intake::Drop(revisit.dropped(DropReason::DuplicateUrl, detail))
            }
            Some(Intake::Drop(drop)) => {
                let detail = format!("as its original: {}", drop.detail);
                Intake::Drop(revisit.dropped(drop.reason, detail))
            }
            Some(Intake::Redirect { .. } | Intake::Revisit(_)) | None => {
                Intake::Drop(revisit.without_original())
            }
        };
        if resolved {
            later_url = Some(url);
        }
    }
}

/// Where the originals lie that the revisits among the intakes ask for; the first of several with
/// the same name, but the latest visit of an address.
fn originals(intakes: &[Intake], payloads: &[Payload]) -> FxHashMap<u128, Option<usize>> {
    let mut wanted: FxHashMap<u128, Option<usize>> = FxHashMap::default();
    for intake in intakes {
        if let Intake::Revisit(revisit) = intake {
            wanted.extend(revisit.keys().into_iter().map(|key| (key, None)));
        }
    }
    let mut found = |key: u128, place: usize| {
        if let Some(slot) = wanted.get_mut(&key) {
            slot.get_or_insert(place);
        }
    };
    for payload in payloads {
        found(payload.digest, payload.place);
        if let Some(url) = address(&intakes[payload.place]) {
            found(of_payload_at(payload.digest, url), payload.place);
        }
    }
    let mut visits: Vec<(&str, Option<Timestamp>, usize)> = Vec::new();
    for (place, intake) in intakes.iter().enumerate() {
        match intake {
            Intake::Page(page) => {
                found(of_record(&page.origin.record_id), place);
                if let Some(date) = page.fetched {
                    found(of_visit(&page.url, date), place);
                }
                visits.push((&page.url, page.fetched, place));
            }
            Intake::Drop(drop) if !drop.origin.record_id.is_empty() => {
                found(of_record(&drop.origin.record_id), place);
            }
            _ => {}
        }
    }
    visits.sort_unstable();
    for (url, _, place) in visits.into_iter().rev() {
        found(of_url(url), place);
    }
    wanted
}

fn address(intake: &Intake) -> Option<&str> {
    match intake {
        Intake::Page(page) => Some(&page.url),
        Intake::Drop(drop) => Some(&drop.url),
        Intake::Feed(_) | Intake::Redirect { .. } | Intake::Revisit(_) => None,
    }
}
