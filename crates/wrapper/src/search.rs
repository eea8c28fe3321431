//! The best single expression.

use dom::xpath::Path;

use crate::chain::whole_path;
use crate::counterparts::Counterparts;
use crate::forms::{Candidate, alone, anchored};
use crate::pages::Page;
use crate::shorten::shorten;
use crate::verdict::total;

/// Short forms that are tried at most.
const TRIED: usize = 200;
/// Shorter versions of a whole path that are tried at most.
const SHORTENED: usize = 300;
/// An expression of this weight needs no search for a better one among long ones: an id or class
/// below an id or class.
const GOOD: u32 = 45;

/// An expression, its cost with the weight of its mistakes, and whether it makes any.
pub(crate) struct Found {
    pub(crate) path: Path,
    pub(crate) total: u32,
    pub(crate) mistaken: bool,
}

/// The expression of least cost and mistakes together; `None` if nothing is wanted.
pub(crate) fn best_path(pages: &[Page<'_>]) -> Option<Found> {
    let counterparts = Counterparts::of(pages)?;
    let mut search = Search { pages, best: None, left: TRIED };
    search.try_all(alone(&counterparts));
    search.try_all(anchored(&counterparts, search.bound(), TRIED));
    if search.bound() > GOOD {
        for positions in [false, true] {
            search.try_shortened(whole_path(&counterparts, positions));
            if search.best.as_ref().is_some_and(|best| !best.mistaken) {
                break;
            }
        }
    }
    search.best
}

struct Search<'p, 'a> {
    pages: &'p [Page<'a>],
    best: Option<Found>,
    left: usize,
}

impl Search<'_, '_> {
    fn bound(&self) -> u32 {
        self.best.as_ref().map_or(u32::MAX, |best| best.total)
    }

    /// Tries candidates in their order until none can be better than the best so far.
    fn try_all(&mut self, candidates: Vec<Candidate>) {
        for candidate in candidates {
            if candidate.least >= self.bound() || self.left == 0 {
                return;
            }
            self.left -= 1;
            self.try_one(candidate.path);
        }
    }

    fn try_one(&mut self, path: Path) {
        if let Some((total, tally)) = total(&path, self.pages, self.bound()) {
            self.best = Some(Found { path, total, mistaken: tally.is_mistaken() });
        }
    }

    fn try_shortened(&mut self, whole: Path) {
        let Some((weight, _)) = total(&whole, self.pages, u32::MAX) else { return };
        let mut weigh = |path: &Path, bound| Some(total(path, self.pages, bound)?.0);
        let (path, _) = shorten(whole, weight, SHORTENED, &mut weigh);
        self.try_one(path);
    }
}
