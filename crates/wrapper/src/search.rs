//! The best single expression.

use dom::xpath::Path;

use crate::chain::whole_path;
use crate::cost::cost;
use crate::counterparts::Counterparts;
use crate::forms::{Candidate, LEAST_ANCHORED, alone, anchored, in_pairs};
use crate::pages::Page;
use crate::shorten::shorten;
use crate::verdict::{MISTAKE, NESTED, total};

/// Short forms that are tried at most.
const TRIED: usize = 200;
/// Shorter versions of a whole path that are tried at most.
const SHORTENED: usize = 300;
/// An expression of this weight needs no search for a better one among long ones: an id or class
/// below an id or class.
const GOOD: u32 = 45;

/// From this weight on, places may say it better.
const POOR: u32 = 100;

/// An expression, its cost with the weight of its mistakes, and whether it makes any.
pub(crate) struct Found {
    pub(crate) path: Path,
    pub(crate) total: u32,
    pub(crate) mistaken: bool,
}

/// The expression of least cost and mistakes together; `None` if nothing is wanted.
pub(crate) fn best_path(pages: &[Page<'_>]) -> Option<Found> {
    let counterparts = Counterparts::of(pages)?;
    let mut search = Search { pages, best: None, mistaken: Vec::new(), left: TRIED };
    search.try_all(alone(&counterparts));
    if search.bound() > LEAST_ANCHORED {
        search.try_all(anchored(&counterparts, search.bound(), TRIED / 2));
        search.try_all(in_pairs(&counterparts));
    }
    if search.bound() > GOOD {
        search.try_mistaken();
        for positions in [false, true] {
            search.try_shortened(whole_path(&counterparts, positions));
            if search.best.as_ref().is_some_and(|best| !best.mistaken && best.total < POOR) {
                break;
            }
        }
    }
    if let Some(best) = search.best.take() {
        let is_long = best.path.steps.len() > 2
            || best.path.steps.iter().any(|step| step.predicates.len() > 1);
        search.best = Some(if is_long { search.shortened(best) } else { best });
    }
    search.best
}

struct Search<'p, 'a> {
    pages: &'p [Page<'a>],
    best: Option<Found>,
    /// Short forms that make a mistake, put off until it is known that all do.
    mistaken: Vec<Candidate>,
    left: usize,
}

impl Search<'_, '_> {
    fn bound(&self) -> u32 {
        self.best.as_ref().map_or(u32::MAX, |best| best.total)
    }

    /// Tries candidates in their order until none can be better than the best so far. The first
    /// mistake ends the trial of one: its other pages need not be looked at yet.
    fn try_all(&mut self, candidates: Vec<Candidate>) {
        for mut candidate in candidates {
            if candidate.least >= self.bound() || self.left == 0 {
                return;
            }
            self.left -= 1;
            let first_mistake = cost(&candidate.path) + MISTAKE;
            if !self.try_one(&candidate.path, first_mistake) && first_mistake < self.bound() {
                candidate.least = candidate.least.max(first_mistake);
                self.mistaken.push(candidate);
            }
        }
    }

    fn try_mistaken(&mut self) {
        let mut mistaken = std::mem::take(&mut self.mistaken);
        mistaken.sort_by_key(|candidate| candidate.least);
        for candidate in mistaken {
            if candidate.least < self.bound() {
                self.try_one(&candidate.path, u32::MAX);
            }
        }
    }

    fn try_one(&mut self, path: &Path, bound: u32) -> bool {
        let found = total(path, self.pages, bound.min(self.bound()));
        let is_better = found.is_some();
        if let Some((total, tally)) = found {
            self.best = Some(Found { path: path.clone(), total, mistaken: tally.is_mistaken() });
        }
        is_better
    }

    fn try_shortened(&mut self, whole: Path) {
        if let Some((total, tally)) = total(&whole, self.pages, u32::MAX) {
            let found = self.shortened(Found { path: whole, total, mistaken: tally.is_mistaken() });
            if found.total < self.bound() {
                self.best = Some(found);
            }
        }
    }

    /// Shorter, but not more mistaken than it is.
    fn shortened(&self, found: Found) -> Found {
        let most = found.total - cost(&found.path) + NESTED;
        let mut weigh = |path: &Path, bound: u32| {
            let (total, tally) = total(path, self.pages, bound.min(cost(path) + most + 1))?;
            Some(Found { path: path.clone(), total, mistaken: tally.is_mistaken() })
        };
        shorten(found, SHORTENED, &mut weigh)
    }
}
