//! Matches revisit records with the records they found unchanged.
//!
//! A revisit gives its original several names, the surest first ([`requests`]); records offer themselves
//! under the names they have ([`offers`]). Both are sorted by whoever calls, in files where it is much,
//! and merged ([`answer`]); [`Settling`] decides what becomes of each revisit. [`match_all`] does all of
//! this in memory. Only what revisits may ask
//! for need be offered ([`NameFilter`]): a crawl without them costs nothing.

use std::cmp::Reverse;
use std::convert::Infallible;
use std::sync::Arc;

use jiff::Timestamp;
use model::{Drop, DropReason, Origin};
use serde::{Deserialize, Serialize};

use crate::name_filter::NameFilter;
use crate::revisit::{
    Revisit, Visited, differ, of_payload, of_payload_at, of_record, of_url, of_visit,
};

/// A record that may be what revisits found unchanged.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Where it lies: of several with one name, the earliest complete one counts.
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
    /// The earliest; what has no time is the last.
    First(bool, Reverse<Option<Reverse<Timestamp>>>),
    Latest(bool, Reverse<Option<Timestamp>>),
}

/// What decides between records of one rank: id and digest. How a file's path is spelt comes last, as
/// it should not matter.
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
    tie: Tie,
    original: Original<P>,
}

impl<P> Offer<P> {
    /// Bytes that it holds beside its own size, roughly.
    pub fn bytes(&self) -> usize {
        self.tie.record_id.len() + self.original.bytes()
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
                let is_new = of_name.iter().all(|(digest, _)| *digest != offer.tie.digest);
                if offer.name == asked && is_new && of_name.len() < MOST_OF_NAME {
                    of_name.push((offer.tie.digest, offer.original));
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
    latest: Reverse<Option<Timestamp>>,
    tie: Tie,
    /// `WARC-Truncated` of the revisit.
    truncated: Option<String>,
    original: Option<Original<P>>,
}

impl<P> Resolved<P> {
    /// A revisit, with the surest of the originals it names.
    pub fn new(revisit: Revisit, original: Option<Original<P>>) -> Self {
        let tie = Tie::of(&revisit.origin, revisit.digest.map(halves));
        let Revisit { url, date, origin, .. } = revisit;
        Self { url, latest: Reverse(date), tie, truncated: origin.truncated, original }
    }

    /// Bytes that it holds beside its own size, roughly.
    pub fn bytes(&self) -> usize {
        self.url.len() + self.tie.record_id.len()
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

/// What becomes of revisits, all in memory. The result depends on the sets of revisits and candidates alone.
/// Takes n log n time.
pub fn match_all<P: Clone + Ord>(
    revisits: Vec<Revisit>,
    candidates: &[(Candidate<'_>, Original<P>)],
) -> Vec<Settled<P>> {
    if revisits.is_empty() {
        return Vec::new();
    }
    let (mut asked, mut offered) = (NameFilter::default(), NameFilter::default());
    revisits.iter().for_each(|revisit| asked.add_names_of(revisit));
    let mut offers: Vec<Offer<P>> = candidates
        .iter()
        .flat_map(|(of, original)| offers(of, &asked, &mut offered, || original.clone()))
        .collect();
    offers.sort_unstable();
    let mut requests: Vec<Request> = (0..)
        .zip(&revisits)
        .flat_map(|(number, revisit)| requests(number, revisit, &offered))
        .collect();
    requests.sort_unstable();
    let mut answers: Vec<Answer<P>> = Vec::new();
    let Ok(()) = answer::<P, Infallible>(
        requests.into_iter().map(Ok),
        offers.into_iter().map(Ok),
        &mut |answer| {
            answers.push(answer);
            Ok(())
        },
    );
    answers.sort_unstable();
    answers.dedup_by_key(|answer| answer.revisit);
    let mut answers = answers.into_iter().peekable();
    let resolve = |(number, revisit)| {
        let answer = answers.next_if(|answer| answer.revisit == number);
        Resolved::new(revisit, answer.map(|answer| answer.original))
    };
    let mut resolved: Vec<Resolved<P>> = (0..).zip(revisits).map(resolve).collect();
    resolved.sort_unstable();
    let mut settling = Settling::default();
    resolved.into_iter().map(|revisit| settling.next(revisit)).collect()
}

#[cfg(test)]
#[path = "matching_tests.rs"]
mod tests;
