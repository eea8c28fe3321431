//! What revisits ask for and what records offer, sorted and merged: in files where it is much.

use std::cmp::Reverse;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use model::{Drop, DropReason, Origin, Stage};
use serde::{Deserialize, Serialize};

use super::{Revisit, differ, of_payload, of_payload_at, of_record, of_url, of_visit};
use crate::scale::sorted::{Item, Merged, Sorter};

/// Revisits as they are read, in any order.
#[derive(Debug)]
pub(crate) struct Revisits {
    /// Numbered as they come.
    all: Sorter<(u64, Revisit)>,
    count: u64,
    asked: Names,
}

impl Revisits {
    /// None yet. Where there are many, they go to files beside `path`; without one they are held.
    pub(crate) fn new(path: Option<&Path>) -> Self {
        Self { all: sorter(path, "read"), count: 0, asked: Names::default() }
    }

    pub(crate) fn push(&mut self, revisit: Revisit) -> io::Result<()> {
        revisit.keys().into_iter().for_each(|name| self.asked.add(name));
        self.count += 1;
        let bytes = revisit.bytes();
        self.all.push((self.count, revisit), bytes)
    }
}

fn sorter<T: Item>(path: Option<&Path>, name: &str) -> Sorter<T> {
    let beside = |path: &Path| {
        let mut path = path.as_os_str().to_owned();
        path.push(format!("-{name}"));
        path.into()
    };
    path.map_or_else(Sorter::in_memory, |path| Sorter::new(beside(path)))
}

/// A record that may be what revisits found unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    /// Where it lies: of several with one name, the first complete one counts.
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
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) enum Original<P> {
    Page(P),
    Feed,
    Drop(DropReason, String),
}

/// Of several records with one name the least, complete ones before others.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
enum Rank {
    First(bool, Origin),
    Latest(bool, Reverse<(Option<Timestamp>, Origin)>),
}

/// What became of a revisit.
#[derive(Debug)]
pub(crate) enum Settled<P> {
    /// The page it found unchanged, which is to be copied under its name.
    Page(Visited, P),
    /// There is none.
    Drop(Drop),
}

/// A visit that found a page unchanged.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) struct Visited {
    pub(crate) url: String,
    pub(crate) fetched: Option<Timestamp>,
    pub(crate) origin: Origin,
}

impl Visited {
    fn dropped(self, reason: DropReason, detail: String) -> Drop {
        let Self { url, origin, .. } = self;
        Drop { site: String::new(), url, origin, stage: Stage::Read, reason, detail }
    }

    pub(super) fn without_original(self) -> Drop {
        let detail = "the page is in another archive; give it as an input too".to_owned();
        self.dropped(DropReason::Revisit, detail)
    }

    /// Where the copy lies that it makes of a page. What is cut off of a revisit is no part of it.
    pub(crate) fn origin_of_copy(&self, of: &Origin) -> Origin {
        Origin { truncated: of.truncated.clone(), ..self.origin.clone() }
    }
}

/// A 128-bit hash as it is stored.
type Halves = (u64, u64);

pub(crate) fn halves(hash: u128) -> Halves {
    ((hash >> 64) as u64, hash as u64)
}

pub(crate) fn whole((high, low): Halves) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// A name that a revisit gives its original.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
struct Ask {
    name: Halves,
    /// Number of the revisit.
    revisit: u64,
    /// Number of the name among those it gives.
    evidence: u8,
    digest: Option<Halves>,
}

/// A name of a record.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
struct Offer<P> {
    name: Halves,
    rank: Rank,
    digest: Option<Halves>,
    original: Original<P>,
}

/// An original that a revisit names.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
struct Answer<P> {
    revisit: u64,
    evidence: u8,
    original: Original<P>,
}

/// A revisit with its original, in the order of addresses, the latest first.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
struct Resolved<P> {
    url: String,
    latest: Reverse<(Option<Timestamp>, Origin)>,
    original: Option<Original<P>>,
}

/// Names, roughly: all that were added are there, and few others.
#[derive(Debug, Default)]
struct Names(Vec<u64>);

impl Names {
    /// Of 8 MiB, once there is a name: for ten million names one in eight others passes.
    const BITS: u128 = 1 << 26;

    fn place(name: u128) -> (usize, u64) {
        let bit = (name % Self::BITS) as usize;
        (bit / 64, 1 << (bit % 64))
    }

    fn add(&mut self, name: u128) {
        if self.0.is_empty() {
            self.0 = vec![0; (Self::BITS / 64) as usize];
        }
        let (at, bit) = Self::place(name);
        self.0[at] |= bit;
    }

    fn has(&self, name: u128) -> bool {
        let (at, bit) = Self::place(name);
        self.0.get(at).is_some_and(|bits| bits & bit != 0)
    }
}

/// Records of one name with different digests that are looked at. A name of more tells nothing.
const MOST_OF_NAME: usize = 64;

/// What revisits ask for, and what records offer.
#[derive(Debug)]
pub(crate) struct Originals<'a, P> {
    path: Option<&'a Path>,
    revisits: Revisits,
    offers: Sorter<Offer<P>>,
    offered: Names,
}

impl<'a, P: Clone + Item> Originals<'a, P> {
    /// What these revisits ask for; none if there is no revisit. What is much goes to files beside `path`.
    ///
    /// # Errors
    /// If files cannot be written or read.
    pub(crate) fn of(mut revisits: Revisits, path: Option<&'a Path>) -> io::Result<Option<Self>> {
        if revisits.count == 0 {
            return Ok(None);
        }
        revisits.all.park()?;
        let offers = sorter(path, "offers");
        Ok(Some(Self { path, revisits, offers, offered: Names::default() }))
    }

    /// Offers a record. The order of offers does not matter.
    ///
    /// # Errors
    /// If files cannot be written.
    pub(crate) fn offer(
        &mut self,
        of: &Candidate<'_>,
        original: impl Fn() -> Original<P>,
    ) -> io::Result<()> {
        let is_cut = of.origin.truncated.is_some();
        let digest = of.digest.map(halves);
        let mut offer = |name: u128, latest: bool| {
            if !self.revisits.asked.has(name) {
                return Ok(());
            }
            self.offered.add(name);
            let rank = match latest {
                false => Rank::First(is_cut, of.origin.clone()),
                true => Rank::Latest(is_cut, Reverse((of.fetched, of.origin.clone()))),
            };
            let original = original();
            let detail = if let Original::Drop(_, detail) = &original { detail.len() } else { 0 };
            let bytes = of.origin.record_id.len() + detail;
            self.offers.push(Offer { name: halves(name), rank, digest, original }, bytes)
        };
        if let Some(digest) = of.digest {
            offer(of_payload(digest), false)?;
            if let Some(url) = of.url {
                offer(of_payload_at(digest, url), false)?;
            }
        }
        if !of.origin.record_id.is_empty() {
            offer(of_record(&of.origin.record_id), false)?;
        }
        if let Some(url) = of.url.filter(|_| of.is_page) {
            if let Some(date) = of.fetched {
                offer(of_visit(url, date), false)?;
            }
            offer(of_url(url), true)?;
        }
        Ok(())
    }

    /// Tells what becomes of every revisit. Of several of one address only the latest gives a page, so
    /// at most one copy is made for each address.
    ///
    /// # Errors
    /// If files cannot be written or read, and those of `take`.
    pub(crate) fn settle(
        self,
        take: &mut dyn FnMut(Settled<P>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { path, revisits: Revisits { all: revisits, .. }, offers, offered } = self;
        let mut asks = sorter(path, "asks");
        let mut asked = Ok(());
        revisits.each(&mut |(number, revisit)| {
            let digest = revisit.digest.map(halves);
            for (evidence, name) in (0..).zip(revisit.keys()) {
                if asked.is_ok() && offered.has(name) {
                    let ask = Ask { name: halves(name), revisit: *number, evidence, digest };
                    asked = asks.push(ask, 0);
                }
            }
        })?;
        asked?;
        let mut answers = sorter(path, "answers");
        answer(asks.finish()?, offers.finish()?, &mut answers)?;
        let mut answers = answers.finish()?;
        let mut resolved = sorter(path, "resolved");
        for revisit in revisits.finish()? {
            let (number, revisit) = revisit?;
            let mut original: Option<Original<P>> = None;
            while answers.peek().is_some_and(|answer| answer.revisit == number) {
                let answer = answers.next().transpose()?;
                original = original.or(answer.map(|answer| answer.original));
            }
            let bytes = revisit.url.len() + revisit.origin.record_id.len();
            let Revisit { url, date, origin, .. } = revisit;
            resolved.push(Resolved { url, latest: Reverse((date, origin)), original }, bytes)?;
        }
        let mut last_url: Option<String> = None;
        for revisit in resolved.finish()? {
            let Resolved { url, latest: Reverse((fetched, origin)), original } = revisit?;
            let visited = Visited { url, fetched, origin };
            take(match original {
                Some(Original::Page(_)) if last_url.as_ref() == Some(&visited.url) => {
                    let detail = "visited again later, unchanged; that visit is kept".to_owned();
                    Settled::Drop(visited.dropped(DropReason::DuplicateUrl, detail))
                }
                Some(Original::Page(place)) => {
                    last_url = Some(visited.url.clone());
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
            })?;
        }
        Ok(())
    }
}

/// Answers what is asked with what is offered under the same name, the least by rank, unless its digest
/// is known to be another than the revisit's.
fn answer<P: Clone + Item>(
    asks: Merged<Ask>,
    mut offers: Merged<Offer<P>>,
    answers: &mut Sorter<Answer<P>>,
) -> io::Result<()> {
    let mut name = None;
    let mut of_name: Vec<(Option<Halves>, Original<P>)> = Vec::new();
    for ask in asks {
        let Ask { name: asked, revisit, evidence, digest } = ask?;
        if name.replace(asked) != Some(asked) {
            of_name.clear();
            while offers.peek().is_some_and(|offer| offer.name <= asked) {
                let Some(offer) = offers.next().transpose()? else { break };
                let is_new = of_name.iter().all(|(digest, _)| *digest != offer.digest);
                if offer.name == asked && is_new && of_name.len() < MOST_OF_NAME {
                    of_name.push((offer.digest, offer.original));
                }
            }
        }
        let fits = |offered: &Option<Halves>| !differ(offered.map(whole), digest.map(whole));
        if let Some((_, original)) = of_name.iter().find(|(offered, _)| fits(offered)) {
            let bytes = if let Original::Drop(_, detail) = original { detail.len() } else { 0 };
            answers.push(Answer { revisit, evidence, original: original.clone() }, bytes)?;
        }
    }
    Ok(())
}
