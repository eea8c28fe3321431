//! Matches revisit records with the records they found unchanged.
//!
//! A revisit gives its original several names, the surest first ([`requests`]); records offer themselves
//! under the names they have ([`offers`]). Both are sorted by whoever calls, in files where it is much,
//! and merged ([`answer`]); [`Settling`] decides what becomes of each revisit. Only what revisits may ask
//! for need be offered ([`NameFilter`]): a crawl without them costs nothing.

use std::cmp::Reverse;

use jiff::Timestamp;
use model::{Drop, DropReason, Origin};
use serde::{Deserialize, Serialize};

use crate::revisit::{
    Revisit, Visited, differ, of_payload, of_payload_at, of_record, of_url, of_visit,
};

/// A record that may be what revisits found unchanged.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Where it lies: of several with one name, the first complete one counts.
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

/// What a record gave; of pages, where they are.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Original<P> {
    /// A page.
    Page(P),
    /// A feed, whose items were read.
    Feed,
    /// Nothing, for this reason.
    Drop(DropReason, String),
}

impl<P> Original<P> {
    /// Bytes that it holds beside its own size.
    pub fn bytes(&self) -> usize {
        if let Self::Drop(_, detail) = self { detail.len() } else { 0 }
    }
}

/// Of several records with one name the least, complete ones before others.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
enum Rank {
    First(bool, Origin),
    Latest(bool, Reverse<(Option<Timestamp>, Origin)>),
}

/// A 128-bit hash as it is stored: its upper half, its lower half.
pub type Halves = (u64, u64);

/// A 128-bit hash in two halves.
pub fn halves(hash: u128) -> Halves {
    ((hash >> 64) as u64, hash as u64)
}

/// The hash of two halves.
pub fn whole((high, low): Halves) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// A name that a revisit gives its original. Sorted by name.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Request {
    name: Halves,
    /// Number of the revisit.
    revisit: u64,
    /// Number of the name among those it gives.
    evidence: u8,
    digest: Option<Halves>,
}

/// The names that the revisit of this number gives its original, but for those that no record offers.
pub fn requests(number: u64, revisit: &Revisit, offered: &NameFilter) -> Vec<Request> {
    let digest = revisit.digest.map(halves);
    let names = (0..).zip(revisit.keys()).filter(|(_, name)| offered.may_have(*name));
    names
        .map(|(evidence, name)| Request { name: halves(name), revisit: number, evidence, digest })
        .collect()
}

/// A name of a record. Sorted by name, of one name the best first.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Offer<P> {
    name: Halves,
    rank: Rank,
    digest: Option<Halves>,
    original: Original<P>,
}

impl<P> Offer<P> {
    /// Bytes that it holds beside its own size, roughly.
    pub fn bytes(&self) -> usize {
        let (Rank::First(_, origin) | Rank::Latest(_, Reverse((_, origin)))) = &self.rank;
        origin.record_id.len() + self.original.bytes()
    }
}

/// What a record offers of what is `asked` for; adds the names to `offered`.
pub fn offers<P>(
    of: &Candidate<'_>,
    asked: &NameFilter,
    offered: &mut NameFilter,
    original: impl Fn() -> Original<P>,
) -> Vec<Offer<P>> {
    let is_cut = of.origin.truncated.is_some();
    let digest = of.digest.map(halves);
    let mut offers = Vec::new();
    let mut offer = |name: u128, latest: bool| {
        if !asked.may_have(name) {
            return;
        }
        offered.add(name);
        let rank = match latest {
            false => Rank::First(is_cut, of.origin.clone()),
            true => Rank::Latest(is_cut, Reverse((of.fetched, of.origin.clone()))),
        };
        offers.push(Offer { name: halves(name), rank, digest, original: original() });
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

/// An original that a revisit names. Sorted by the number of the revisit, the surest first.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Answer<P> {
    /// Number of the revisit.
    pub revisit: u64,
    evidence: u8,
    /// What the revisit found unchanged, by this name.
    pub original: Original<P>,
}

/// Records of one name with different digests that are looked at. A name of more tells nothing.
const MOST_OF_NAME: usize = 64;

/// Answers requests with what is offered under the same name, the least by rank, unless its digest is
/// known to be another than the revisit's. Takes both sorted; linear in their number.
///
/// # Errors
/// Those of the iterators and of `give`.
pub fn answer<P: Clone, E>(
    requests: impl Iterator<Item = Result<Request, E>>,
    offers: impl Iterator<Item = Result<Offer<P>, E>>,
    give: &mut dyn FnMut(Answer<P>) -> Result<(), E>,
) -> Result<(), E> {
    let mut offers = offers;
    let mut next = offers.next().transpose()?;
    let mut name = None;
    let mut of_name: Vec<(Option<Halves>, Original<P>)> = Vec::new();
    for request in requests {
        let Request { name: asked, revisit, evidence, digest } = request?;
        if name.replace(asked) != Some(asked) {
            of_name.clear();
            while let Some(offer) = next.take_if(|offer| offer.name <= asked) {
                let is_new = of_name.iter().all(|(digest, _)| *digest != offer.digest);
                if offer.name == asked && is_new && of_name.len() < MOST_OF_NAME {
                    of_name.push((offer.digest, offer.original));
                }
                next = offers.next().transpose()?;
            }
        }
        let fits = |offered: &Option<Halves>| !differ(offered.map(whole), digest.map(whole));
        if let Some((_, original)) = of_name.iter().find(|(offered, _)| fits(offered)) {
            give(Answer { revisit, evidence, original: original.clone() })?;
        }
    }
    Ok(())
}

/// A revisit with its original. Sorted by address, the latest first.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Resolved<P> {
    url: String,
    latest: Reverse<(Option<Timestamp>, Origin)>,
    original: Option<Original<P>>,
}

impl<P> Resolved<P> {
    /// A revisit, with the surest of the originals it names.
    pub fn new(revisit: Revisit, original: Option<Original<P>>) -> Self {
        let Revisit { url, date, origin, .. } = revisit;
        Self { url, latest: Reverse((date, origin)), original }
    }

    /// Bytes that it holds beside its own size, roughly.
    pub fn bytes(&self) -> usize {
        let Reverse((_, origin)) = &self.latest;
        self.url.len() + origin.record_id.len()
    }
}

/// What became of a revisit.
#[derive(Debug)]
pub enum Settled<P> {
    /// The page it found unchanged, which is to be copied under its address.
    Page(Visited, P),
    /// There is none.
    Drop(Drop),
}

/// Decides what becomes of revisits, taken in the order of [`Resolved`].
#[derive(Debug, Default)]
pub struct Settling {
    last_url: Option<String>,
}

impl Settling {
    /// What becomes of the next revisit. Of several of one address only the latest gives a page, so at
    /// most one copy is made for each address.
    pub fn next<P>(&mut self, resolved: Resolved<P>) -> Settled<P> {
        let Resolved { url, latest: Reverse((fetched, origin)), original } = resolved;
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

/// A set of names that has all that were added and a few others (a Bloom filter of one hash).
#[derive(Debug, Default)]
pub struct NameFilter(Vec<u64>);

impl NameFilter {
    /// Of 8 MiB, once there is a name: for ten million names one in eight others passes.
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

    /// Adds the names that a revisit gives its original.
    pub fn add_names_of(&mut self, revisit: &Revisit) {
        revisit.keys().into_iter().for_each(|name| self.add(name));
    }

    /// Whether a name was added, or may have been.
    pub fn may_have(&self, name: u128) -> bool {
        let (at, bit) = Self::place(name);
        self.0.get(at).is_some_and(|bits| bits & bit != 0)
    }
}
