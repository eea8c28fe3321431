//! Resolves revisit records: finds the page that they found unchanged, if it is in the inputs.
//!
//! [`grouping::matching`] has the rules. Here requests and offers are sorted and merged, in files if there
//! are many, so that any number of revisits takes little memory.

use std::io;
use std::path::Path;

use grouping::matching::{
    Answer, Candidate, Offer, Original, Request, Resolved, Settled, Settling, answer, match_all,
    offers, requests,
};
use grouping::{NameFilter, Revisit, Visited};
use model::{Origin, Page};

use crate::segment::sorted::{Item, Sorter};
use crate::stages::read::Intake;

/// Revisits as they are read, in any order.
#[derive(Debug)]
pub(crate) struct Revisits {
    /// Numbered in order of arrival.
    all: Sorter<(u64, Revisit)>,
    count: u64,
    asked: NameFilter,
}

impl Revisits {
    /// An empty list. Many revisits are written to files next to `path`.
    pub(crate) fn new(path: &Path) -> Self {
        Self { all: sorter(path, "read"), count: 0, asked: NameFilter::default() }
    }

    pub(crate) fn push(&mut self, revisit: Revisit) -> io::Result<()> {
        self.asked.add_names_of(&revisit);
        self.count += 1;
        let bytes = revisit.bytes();
        self.all.push((self.count, revisit), bytes)
    }
}

fn sorter<T: Item>(path: &Path, name: &str) -> Sorter<T> {
    let mut path = path.as_os_str().to_owned();
    path.push(format!("-{name}"));
    Sorter::new(path.into())
}

/// The requests of revisits, and the offers of records.
#[derive(Debug)]
pub(crate) struct Originals<'a, P> {
    path: &'a Path,
    revisits: Revisits,
    offers: Sorter<Offer<P>>,
    offered: NameFilter,
}

impl<'a, P: Clone + Item> Originals<'a, P> {
    /// Collects the requests of revisits; `None` without revisits. Many are written to files next to `path`.
    ///
    /// # Errors
    /// If files cannot be written or read.
    pub(crate) fn of(mut revisits: Revisits, path: &'a Path) -> io::Result<Option<Self>> {
        if revisits.count == 0 {
            return Ok(None);
        }
        revisits.all.park()?;
        let offers = sorter(path, "offers");
        Ok(Some(Self { path, revisits, offers, offered: NameFilter::default() }))
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
        let made = offers(of, &self.revisits.asked, &mut self.offered, original);
        made.into_iter().try_for_each(|offer| {
            let bytes = offer.bytes();
            self.offers.push(offer, bytes)
        })
    }

    /// Decides on every revisit. Only the latest revisit of an address gives a page, so at most one copy is
    /// made per address.
    ///
    /// # Errors
    /// If files cannot be written or read, and those of `take`.
    pub(crate) fn settle(
        self,
        take: &mut dyn FnMut(Settled<P>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { path, revisits: Revisits { all: revisits, .. }, offers, offered } = self;
        let mut asked: Sorter<Request> = sorter(path, "asks");
        let mut pushed = Ok(());
        revisits.each(&mut |(number, revisit)| {
            for request in requests(*number, revisit, &offered) {
                if pushed.is_ok() {
                    pushed = asked.push(request, 0);
                }
            }
        })?;
        pushed?;
        let mut answers: Sorter<Answer<P>> = sorter(path, "answers");
        answer(asked.finish()?, offers.finish()?, &mut |answer| {
            let bytes = answer.original.bytes();
            answers.push(answer, bytes)
        })?;
        let mut answers = answers.finish()?;
        let mut resolved: Sorter<Resolved<P>> = sorter(path, "resolved");
        for revisit in revisits.finish()? {
            let (number, revisit) = revisit?;
            let mut original: Option<Original<P>> = None;
            while answers.peek().is_some_and(|answer| answer.revisit == number) {
                let answer = answers.next().transpose()?;
                original = original.or(answer.map(|answer| answer.original));
            }
            let revisit = Resolved::new(revisit, original);
            let bytes = revisit.bytes();
            resolved.push(revisit, bytes)?;
        }
        let mut settling = Settling::default();
        resolved.finish()?.try_for_each(|revisit| take(settling.next(revisit?)))
    }
}

/// An empty origin, for feeds: their items do not say where the feed's record is.
pub(crate) fn nowhere() -> Origin {
    Origin { file: "".into(), offset: 0, record_id: String::new(), truncated: None }
}

/// Replaces every revisit by the page it found unchanged, or by a drop. `digests` are in the order of
/// `intakes`.
pub fn resolve(intakes: &mut Vec<Intake>, digests: &[Option<u128>]) {
    let revisit = |intake: &Intake| match intake {
        Intake::Revisit(revisit) => Some(revisit.clone()),
        _ => None,
    };
    let revisits: Vec<Revisit> = intakes.iter().filter_map(revisit).collect();
    if revisits.is_empty() {
        return;
    }
    let nowhere = nowhere();
    let mut candidates: Vec<(Candidate<'_>, Original<usize>)> = Vec::new();
    for (place, (intake, &digest)) in intakes.iter().zip(digests).enumerate() {
        let (origin, url, fetched, original) = match intake {
            Intake::Page(page) => {
                (&page.origin, Some(page.url.as_str()), page.fetched, Original::Page(place))
            }
            Intake::Drop(drop) => {
                let original = Original::Drop(drop.reason, drop.detail.clone());
                (&drop.origin, Some(drop.url.as_str()), None, original)
            }
            Intake::Feed(_) => (&nowhere, None, None, Original::Feed),
            Intake::Redirect { .. } | Intake::Revisit(_) => continue,
        };
        let is_page = matches!(intake, Intake::Page(_));
        candidates.push((Candidate { origin, url, is_page, fetched, digest }, original));
    }
    let settle = |settled| match settled {
        Settled::Drop(drop) => Some(Intake::Drop(drop)),
        Settled::Page(visited, place) => match intakes.get(place) {
            Some(Intake::Page(page)) => Some(Intake::Page(copy_of(page, visited))),
            // Only pages have places.
            _ => None,
        },
    };
    let settled: Vec<Intake> =
        match_all(revisits, &candidates).into_iter().filter_map(settle).collect();
    intakes.retain(|intake| !matches!(intake, Intake::Revisit(_)));
    intakes.extend(settled);
}

fn copy_of(page: &Page, visited: Visited) -> Page {
    let origin = visited.origin_of_copy(&page.origin);
    let Visited { url, fetched, .. } = visited;
    Page { url, fetched, origin, ..page.clone() }
}
