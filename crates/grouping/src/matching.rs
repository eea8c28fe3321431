//! Matches revisit records with their originals.
//!
//! A revisit refers to its original by several names, the most reliable first ([`requests`]); records have names too
//! ([`offers`]). The caller sorts both, in files if necessary, and [`answer`] merges them. [`Settling`] then decides on
//! each revisit. Only names that revisits may ask for are offered ([`NameFilter`]), so a crawl without revisits costs
//! nothing.

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::Timestamp;
use model::{Drop, DropReason, Origin};
use serde::{Deserialize, Serialize};

use crate::revisit::{
    NameFilter, Revisit, Visited, differ, of_payload, of_payload_at, of_record, of_url, of_visit,
};

/// A record that may be the original of a revisit.
#[derive(Clone, Copy, Debug)]
pub struct OriginalCandidate<'a> {
    /// Its origin. If several records have one name, the earliest complete one is used.
    pub origin: &'a Origin,
    /// Its address; feeds have none.
    pub url: Option<&'a str>,
    /// Whether it is a page.
    pub is_page: bool,
    /// When it was fetched.
    pub fetched: Option<Timestamp>,
    /// Digest of its payload.
    pub digest: Option<u128>,
}

/// The result of reading a record; a page comes with its place.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Original<P> {
    /// A page.
    Page(P),
    /// A feed, whose items were read.
    Feed,
    /// A drop, with its reason and detail.
    Drop(DropReason, String),
}

impl<P> Original<P> {
    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        if let Self::Drop(_, detail) = self { detail.len() } else { 0 }
    }
}

/// Rank among records with the same name: complete ones first, then the earliest (or the latest).
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
enum Rank {
    /// Records without a time come last.
    First(bool, Reverse<Option<Reverse<Timestamp>>>),
    Latest(bool, Reverse<Option<Timestamp>>),
}

/// Breaks ties by id and digest. The path of the file comes last, since it should not matter.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
struct Tie {
    record_id: String,
    digest: Option<Halves>,
    offset: u64,
    file: Arc<str>,
}

impl Tie {
    fn of(origin: &Origin, digest: Option<Halves>) -> Self {
        let (record_id, file) = (origin.record_id.clone(), Arc::clone(&origin.file));
        Self { record_id, digest, offset: origin.offset, file }
    }
}

/// The upper and the lower half of a 128-bit hash, as they are stored.
pub type Halves = (u64, u64);

/// Splits a 128-bit hash into its halves.
pub fn halves(hash: u128) -> Halves {
    ((hash >> 64) as u64, hash as u64)
}

/// Joins the halves of a hash.
pub fn whole((high, low): Halves) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// A name by which a revisit refers to its original. Sorts by name.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct RevisitRequest {
    name: Halves,
    revisit: u64,
    /// Number of the name among those of the revisit; the lower, the more reliable.
    evidence: u8,
    digest: Option<Halves>,
}

/// Returns the names by which the revisit with this number refers to its original, except those that no record offers.
pub fn requests(number: u64, revisit: &Revisit, offered: &NameFilter) -> Vec<RevisitRequest> {
    let digest = revisit.digest.map(halves);
    let names = (0..).zip(revisit.keys()).filter(|(_, name)| offered.may_have(*name));
    names
        .map(|(evidence, name)| RevisitRequest {
            name: halves(name),
            revisit: number,
            evidence,
            digest,
        })
        .collect()
}

/// A name that a record offers. Sorts by name, the best record first.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Offer<P> {
    name: Halves,
    rank: Rank,
    tie: Tie,
    original: Original<P>,
}

impl<P> Offer<P> {
    /// Approximate bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.tie.record_id.len() + self.original.bytes()
    }
}

/// Returns the names of a record that are `asked` for, and adds them to `offered`.
pub fn offers<P>(
    of: &OriginalCandidate<'_>,
    asked: &NameFilter,
    offered: &mut NameFilter,
    original: impl Fn() -> Original<P>,
) -> Vec<Offer<P>> {
    let is_cut = of.origin.truncated.is_some();
    let tie = Tie::of(of.origin, of.digest.map(halves));
    let mut offers = Vec::new();
    let mut offer = |name: u128, latest: bool| {
        if !asked.may_have(name) {
            return;
        }
        offered.add(name);
        let rank = match latest {
            false => Rank::First(is_cut, Reverse(of.fetched.map(Reverse))),
            true => Rank::Latest(is_cut, Reverse(of.fetched)),
        };
        offers.push(Offer { name: halves(name), rank, tie: tie.clone(), original: original() });
    };
    if let Some(digest) = of.digest {
        offer(of_payload(digest), false);
        if let Some(url) = of.url {
            offer(of_payload_at(digest, url), false);
        }
    }
    if !of.origin.record_id.is_empty() {
        offer(of_record(&of.origin.record_id), false);
    }
    if let Some(url) = of.url.filter(|_| of.is_page) {
        if let Some(date) = of.fetched {
            offer(of_visit(url, date), false);
        }
        offer(of_url(url), true);
    }
    offers
}

/// An original that a revisit refers to. Sorts by the number of the revisit, the most reliable name first.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct RevisitAnswer<P> {
    /// Number of the revisit.
    pub revisit: u64,
    evidence: u8,
    /// The original by this name.
    pub original: Original<P>,
}

/// Maximum number of records with one name and different digests. A name with more is useless.
const MOST_OF_NAME: usize = 64;

/// Answers each request with the best offer of the same name, unless its digest is known to differ from that of the
/// revisit. Both must be sorted. Takes time linear in their number.
///
/// # Errors
/// The errors of the iterators and of `give`.
pub fn answer<P: Clone, E>(
    requests: impl Iterator<Item = Result<RevisitRequest, E>>,
    offers: impl Iterator<Item = Result<Offer<P>, E>>,
    give: &mut dyn FnMut(RevisitAnswer<P>) -> Result<(), E>,
) -> Result<(), E> {
    let mut offers = offers;
    let mut next = offers.next().transpose()?;
    let mut name = None;
    let mut of_name: Vec<(Option<Halves>, Original<P>)> = Vec::new();
    for request in requests {
        let RevisitRequest { name: asked, revisit, evidence, digest } = request?;
        if name.replace(asked) != Some(asked) {
            of_name.clear();
            while let Some(offer) = next.take_if(|offer| offer.name <= asked) {
                let is_new = of_name.iter().all(|(digest, _)| *digest != offer.tie.digest);
                if offer.name == asked && is_new && of_name.len() < MOST_OF_NAME {
                    of_name.push((offer.tie.digest, offer.original));
                }
                next = offers.next().transpose()?;
            }
        }
        let fits = |offered: &Option<Halves>| !differ(offered.map(whole), digest.map(whole));
        if let Some((_, original)) = of_name.iter().find(|(offered, _)| fits(offered)) {
            give(RevisitAnswer { revisit, evidence, original: original.clone() })?;
        }
    }
    Ok(())
}

/// A revisit with its original. Sorts by address, the latest first.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Resolved<P> {
    url: String,
    latest: Reverse<Option<Timestamp>>,
    tie: Tie,
    /// `WARC-Truncated` of the revisit.
    truncated: Option<String>,
    original: Option<Original<P>>,
}

impl<P> Resolved<P> {
    /// Joins a revisit with the most reliable of its originals.
    pub fn new(revisit: Revisit, original: Option<Original<P>>) -> Self {
        let tie = Tie::of(&revisit.origin, revisit.digest.map(halves));
        let Revisit { url, date, origin, .. } = revisit;
        Self { url, latest: Reverse(date), tie, truncated: origin.truncated, original }
    }

    /// Approximate bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.url.len() + self.tie.record_id.len()
    }
}

/// The decision on a revisit.
#[derive(Debug)]
pub enum Settled<P> {
    /// The original is a page, which is copied to the address of the revisit.
    Page(Visited, P),
    /// The revisit gives no page.
    Drop(Drop),
}

/// Decides on revisits, in the order of [`Resolved`].
#[derive(Debug, Default)]
pub struct Settling {
    last_url: Option<String>,
}

impl Settling {
    /// Decides on the next revisit. Only the latest revisit of an address gives a page, so that at most one copy is made
    /// for each address.
    pub fn next<P>(&mut self, resolved: Resolved<P>) -> Settled<P> {
        let Resolved { url, latest: Reverse(fetched), tie, truncated, original } = resolved;
        let Tie { record_id, offset, file, .. } = tie;
        let origin = Origin { file, offset, record_id, truncated };
        let visited = Visited { url, fetched, origin };
        match original {
            Some(Original::Page(_)) if self.last_url.as_ref() == Some(&visited.url) => {
                let detail = "visited again later, unchanged; that visit is kept".to_owned();
                Settled::Drop(visited.dropped(DropReason::DuplicateUrl, detail))
            }
            Some(Original::Page(place)) => {
                self.last_url = Some(visited.url.clone());
                Settled::Page(visited, place)
            }
            Some(Original::Feed) => {
                let detail = "a feed whose items were read from its original".to_owned();
                Settled::Drop(visited.dropped(DropReason::DuplicateUrl, detail))
            }
            Some(Original::Drop(reason, detail)) => {
                let detail = format!("as its original: {detail}");
                Settled::Drop(visited.dropped(reason, detail))
            }
            None => Settled::Drop(visited.without_original()),
        }
    }
}
