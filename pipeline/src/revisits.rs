//! Gives revisit records the page they found unchanged, when it is among the inputs.
//!
//! A revisit names its original by record, by address and date, or by the digest of its payload
//! (WARC 1.1 §6.7); a server's "not modified" may name nothing but its own address. Only what the
//! revisits ask for is indexed, so a crawl without them costs nothing.

use std::cmp::Reverse;

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

/// A record that may be what revisits found unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    /// Where it lies: of several with one name, the first counts.
    pub(crate) origin: &'a Origin,
    /// Its address; feeds have none.
    pub(crate) url: Option<&'a str>,
    /// Whether it is a page.
    pub(crate) is_page: bool,
    /// When it was fetched.
    pub(crate) fetched: Option<Timestamp>,
    /// Digest of its payload.
    pub(crate) digest: Option<u128>,
}

/// What a record gave; of pages, where they are.
#[derive(Clone, Debug)]
pub(crate) enum Original<P> {
    Page(P),
    Feed,
    Drop(DropReason, String),
}

/// Of several records with one name the least.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    First(Origin),
    Latest(Reverse<(Option<Timestamp>, Origin)>),
}

/// What became of a revisit.
#[derive(Debug)]
pub(crate) enum Settled<P> {
    /// The page it found unchanged, which is to be copied under its name.
    Page(Revisit, P),
    /// There is none.
    Drop(Drop),
}

/// The records that revisits ask for.
#[derive(Debug)]
pub(crate) struct Originals<P> {
    revisits: Vec<Revisit>,
    wanted: FxHashMap<u128, Option<(Rank, Original<P>)>>,
}

impl<P: Clone> Originals<P> {
    pub(crate) fn of(revisits: Vec<Revisit>) -> Self {
        let keys = revisits.iter().flat_map(Revisit::keys);
        Self { wanted: keys.map(|key| (key, None)).collect(), revisits }
    }

    /// Whether there is no revisit.
    pub(crate) fn is_empty(&self) -> bool {
        self.revisits.is_empty()
    }

    /// Offers a record. The order of offers does not matter.
    pub(crate) fn offer(&mut self, of: &Candidate<'_>, original: impl Fn() -> Original<P>) {
        let mut found = |key: u128, rank: &dyn Fn() -> Rank| {
            if let Some(slot) = self.wanted.get_mut(&key) {
                let rank = rank();
                if slot.as_ref().is_none_or(|(other, _)| rank < *other) {
                    *slot = Some((rank, original()));
                }
            }
        };
        let first = || Rank::First(of.origin.clone());
        if let Some(digest) = of.digest {
            found(digest, &first);
            if let Some(url) = of.url {
                found(of_payload_at(digest, url), &first);
            }
        }
        if !of.origin.record_id.is_empty() {
            found(of_record(&of.origin.record_id), &first);
        }
        if let Some(url) = of.url.filter(|_| of.is_page) {
            if let Some(date) = of.fetched {
                found(of_visit(url, date), &first);
            }
            found(of_url(url), &|| Rank::Latest(Reverse((of.fetched, of.origin.clone()))));
        }
    }

    /// What becomes of every revisit. Of several of one address only the latest gives a page, so at
    /// most one copy is made for each address.
    pub(crate) fn settle(self) -> Vec<Settled<P>> {
        let Self { mut revisits, wanted } = self;
        // The latest visit of an address comes last.
        revisits.sort_by(|a, b| (&a.url, a.date, &a.origin).cmp(&(&b.url, b.date, &b.origin)));
        let mut later_url: Option<String> = None;
        let settle = |revisit: Revisit| {
            let found = revisit.keys().iter().find_map(|key| wanted.get(key)?.as_ref());
            match found.map(|(_, original)| original) {
                Some(Original::Page(_)) if later_url.as_ref() == Some(&revisit.url) => {
                    let detail = "visited again later, unchanged; that visit is kept".to_owned();
                    Settled::Drop(revisit.dropped(DropReason::DuplicateUrl, detail))
                }
                Some(Original::Page(place)) => {
                    later_url = Some(revisit.url.clone());
                    Settled::Page(revisit, place.clone())
                }
                Some(Original::Feed) => {
                    let detail = "a feed whose items were read from its original".to_owned();
                    Settled::Drop(revisit.dropped(DropReason::DuplicateUrl, detail))
                }
                Some(Original::Drop(reason, detail)) => {
                    let detail = format!("as its original: {detail}");
                    Settled::Drop(revisit.dropped(*reason, detail))
                }
                None => Settled::Drop(revisit.without_original()),
            }
        };
        revisits.into_iter().rev().map(settle).collect()
    }
}

/// The place of what has none.
pub(crate) fn nowhere() -> Origin {
    Origin { file: "".into(), offset: 0, record_id: String::new(), truncated: None }
}

/// Replaces every revisit by the page it found unchanged, or by a drop. `digests` go with the intakes.
pub fn resolve(intakes: &mut Vec<Intake>, digests: &[Option<u128>]) {
    let revisits = intakes.iter().filter_map(|intake| match intake {
        Intake::Revisit(revisit) => Some(revisit.clone()),
        _ => None,
    });
    let mut originals = Originals::of(revisits.collect());
    if originals.is_empty() {
        return;
    }
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
        });
    }
    let settled = originals.settle().into_iter().map(|settled| match settled {
        Settled::Drop(drop) => Intake::Drop(drop),
        Settled::Page(Revisit { url, date: fetched, origin, .. }, place) => match &intakes[place] {
            Intake::Page(page) => Intake::Page(Page { url, fetched, origin, ..page.clone() }),
            // Only pages are places.
            other => unreachable!("no page: {other:?}"),
        },
    });
    let settled: Vec<Intake> = settled.collect();
    intakes.retain(|intake| !matches!(intake, Intake::Revisit(_)));
    intakes.extend(settled);
}
