//! Search for the best single expression.

use std::cell::Cell;

use crate::chain::Chain;
use crate::counterparts::Counterparts;
use crate::forms::{Candidate, Forms, LEAST_ANCHORED};
use crate::found::Found;
use crate::pages::Page;
use crate::shorten::shorten;
use crate::steps::{Steps, Stride, Trail};
use crate::verdict::{MISTAKE, NESTED, total};

/// Maximum number of short forms tried.
const TRIED: usize = 200;
/// Maximum number of shortened versions of a full path tried.
const SHORTENED: usize = 300;
/// Weight up to which no better expression is searched for among the long ones: that of an id or
/// class below an id or class.
const GOOD: u32 = 45;

/// Weight from which on expressions with positions are tried.
const POOR: u32 = 100;

/// The expression with the lowest sum of cost and mistakes; `None` if nothing is wanted.
pub(crate) fn best_path(pages: &[Page<'_>]) -> Option<Found> {
    let counterparts = Counterparts::of(pages)?;
    let forms = Forms::of(&counterparts);
    let steps = counterparts.steps();
    let mut search = Search {
        pages,
        steps,
        best: None,
        mistaken: Vec::new(),
        left: TRIED,
        suspect: Cell::new(0),
    };
    search.try_all(forms.alone());
    if search.bound() > LEAST_ANCHORED {
        search.try_all(forms.anchored(search.bound(), TRIED / 2));
        search.try_all(forms.in_pairs());
    }
    if search.bound() > GOOD {
        search.try_mistaken();
        let chain = Chain::of(&counterparts);
        for positions in [false, true] {
            search.try_shortened(chain.whole(positions));
            if search.best.as_ref().is_some_and(|best| !best.mistaken && best.total < POOR) {
                break;
            }
        }
    }
    if let Some(best) = search.best.take() {
        let has_pair = |stride: &Stride| steps.conditions(stride.test).len() > 1;
        let is_long = best.trail.len() > 2 || best.trail.iter().any(has_pair);
        search.best = Some(if is_long { search.shortened(best) } else { best });
    }
    search.best
}

struct Search<'p, 'a> {
    pages: &'p [Page<'a>],
    steps: &'a Steps,
    best: Option<Found>,
    /// Short forms with a mistake, with the lower bounds of their weights. They are put off until
    /// it is known that every form makes mistakes.
    mistaken: Vec<(Candidate, u32)>,
    left: usize,
    /// The page that decided the last trial; it may decide the next one early.
    suspect: Cell<usize>,
}

impl Search<'_, '_> {
    fn bound(&self) -> u32 {
        self.best.as_ref().map_or(u32::MAX, |best| best.total)
    }

    /// Tries candidates in order until none can be better than the best so far. The first mistake
    /// ends the trial of a candidate, without evaluating its other pages.
    fn try_all(&mut self, candidates: Vec<Candidate>) {
        for mut candidate in candidates {
            if candidate.least >= self.bound() || self.left == 0 {
                return;
            }
            self.left -= 1;
            let first_mistake = self.steps.cost(&candidate.trail) + MISTAKE;
            let tried = self.try_one(&candidate.trail, first_mistake);
            if let Err(at_least) = tried
                && first_mistake < self.bound()
            {
                candidate.least = candidate.least.max(first_mistake);
                self.mistaken.push((candidate, at_least));
            }
        }
    }

    fn try_mistaken(&mut self) {
        let mut mistaken = std::mem::take(&mut self.mistaken);
        mistaken.sort_by_key(|(candidate, _)| candidate.least);
        for (candidate, at_least) in mistaken {
            if candidate.least.max(at_least) < self.bound() {
                let _ = self.try_one(&candidate.trail, u32::MAX);
            }
        }
    }

    /// Takes a path if it is better than the best so far and weighs less than `bound`; else returns
    /// a lower bound of its weight.
    fn try_one(&mut self, trail: &[Stride], bound: u32) -> Result<(), u32> {
        let (total, tally) = total(trail, self.pages, bound.min(self.bound()), &self.suspect)?;
        self.best = Some(Found { trail: trail.to_vec(), total, mistaken: tally.is_mistaken() });
        Ok(())
    }

    fn try_shortened(&mut self, whole: Trail) {
        if let Ok((total, tally)) = total(&whole, self.pages, u32::MAX, &self.suspect) {
            let whole = Found { trail: whole, total, mistaken: tally.is_mistaken() };
            let found = self.shortened(whole);
            if found.total < self.bound() {
                self.best = Some(found);
            }
        }
    }

    /// A shortened path that makes no more mistakes.
    fn shortened(&self, found: Found) -> Found {
        let most = found.total - self.steps.cost(&found.trail) + NESTED;
        let mut weigh = |trail: Trail, bound: u32| {
            let bound = bound.min(self.steps.cost(&trail) + most + 1);
            let (total, tally) = total(&trail, self.pages, bound, &self.suspect).ok()?;
            Some(Found { trail, total, mistaken: tally.is_mistaken() })
        };
        shorten(found, self.steps, SHORTENED, &mut weigh)
    }
}
