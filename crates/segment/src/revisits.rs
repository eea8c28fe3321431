//! Resolves revisit records: finds the page that a revisit found unchanged, if the inputs contain it.
//!
//! The rules are in [`grouping::matching`]. Here, requests and offers are sorted and merged, on disk if there are many, so that
//! any number of revisits takes little memory.

use std::io;
use std::path::Path;

use grouping::matching::{
    Offer, Original, OriginalCandidate, Resolved, RevisitAnswer, RevisitRequest, Settled, Settling,
    answer, offers, requests,
};
use grouping::{NameFilter, Revisit};

use crate::sorted::{Item, Sorter};

/// Collects revisits in any order.
#[derive(Debug)]
pub(crate) struct Revisits {
    /// Numbered in order of arrival.
    all: Sorter<(u64, Revisit)>,
    count: u64,
    asked: NameFilter,
}

impl Revisits {
    /// Starts an empty list. Many revisits are spilled to `folder`, if given.
    pub(crate) fn new(folder: Option<&Path>) -> Self {
        let all = Sorter::within(folder, "revisits-read");
        Self { all, count: 0, asked: NameFilter::default() }
    }

    pub(crate) fn push(&mut self, revisit: Revisit) -> io::Result<()> {
        self.asked.add_names_of(&revisit);
        self.count += 1;
        let bytes = revisit.bytes();
        self.all.push((self.count, revisit), bytes)
    }
}

/// Matches the requests of revisits with the records that are offered.
#[derive(Debug)]
pub(crate) struct Originals<'a, P> {
    folder: Option<&'a Path>,
    revisits: Revisits,
    offers: Sorter<Offer<P>>,
    offered: NameFilter,
}

impl<'a, P: Clone + Item> Originals<'a, P> {
    /// Starts to match these revisits; `None` if there are none. Large amounts of data are spilled to `folder`, if given.
    pub(crate) fn of(mut revisits: Revisits, folder: Option<&'a Path>) -> io::Result<Option<Self>> {
        if revisits.count == 0 {
            return Ok(None);
        }
        revisits.all.park()?;
        let offers = Sorter::within(folder, "revisits-offers");
        Ok(Some(Self { folder, revisits, offers, offered: NameFilter::default() }))
    }

    /// Offers a record as an original. The order of offers does not matter.
    pub(crate) fn offer(
        &mut self,
        of: &OriginalCandidate<'_>,
        original: impl Fn() -> Original<P>,
    ) -> io::Result<()> {
        let made = offers(of, &self.revisits.asked, &mut self.offered, original);
        made.into_iter().try_for_each(|offer| {
            let bytes = offer.bytes();
            self.offers.push(offer, bytes)
        })
    }

    /// Decides every revisit. Only the latest revisit of an address gives a page, so each address gets at most one copy.
    pub(crate) fn settle(
        self,
        take: &mut dyn FnMut(Settled<P>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { folder, revisits: Revisits { all: revisits, .. }, offers, offered } = self;
        let mut asked: Sorter<RevisitRequest> = Sorter::within(folder, "revisits-asks");
        revisits.each(&mut |(number, revisit)| {
            let requests = requests(*number, revisit, &offered);
            requests.into_iter().try_for_each(|request| asked.push(request, 0))
        })?;
        let mut answers: Sorter<RevisitAnswer<P>> = Sorter::within(folder, "revisits-answers");
        answer(asked.finish()?, offers.finish()?, &mut |answer| {
            let bytes = answer.original.bytes();
            answers.push(answer, bytes)
        })?;
        let mut answers = answers.finish()?;
        let mut resolved: Sorter<Resolved<P>> = Sorter::within(folder, "revisits-resolved");
        for revisit in revisits.finish()? {
            let (number, revisit) = revisit?;
            let mut original: Option<Original<P>> = None;
            while let Some(answer) = answers.next_if(|answer| answer.revisit == number)? {
                original = original.or(Some(answer.original));
            }
            let revisit = Resolved::new(revisit, original);
            let bytes = revisit.bytes();
            resolved.push(revisit, bytes)?;
        }
        let mut settling = Settling::default();
        resolved.finish()?.try_for_each(|revisit| take(settling.next(revisit?)))
    }
}
