//! Searches for the best single expression, and removes all unnecessary parts of a path.

use std::cell::Cell;

use crate::counterparts::Counterparts;
use crate::forms::{LEAST_ANCHORED, ShortForm, ShortForms, whole_paths};
use crate::pages::WantedPage;
use crate::steps::{StepTable, Stride, Trail};
use crate::verdict::{MISTAKE, NESTED, total};

/// An expression, its cost including the weight of its mistakes, and whether it makes any.
pub(crate) struct RatedPath {
    pub(crate) trail: Trail,
    pub(crate) total: u32,
    pub(crate) mistaken: bool,
}

/// Maximum number of short forms, and of shortened versions of a full path, that are tried.
const TRIED: usize = 200;
const SHORTENED: usize = 300;
/// Weight up to which a short form is good enough, so that full paths are not tried: the weight of an id or class below
/// an id or class.
const GOOD: u32 = 45;

/// Weight from which on expressions with positions are tried.
const POOR: u32 = 100;

/// The expression with the lowest sum of cost and mistakes; `None` if nothing is wanted.
pub(crate) fn best_path(pages: &[WantedPage<'_>]) -> Option<RatedPath> {
    let counterparts = Counterparts::of(pages)?;
    let forms = ShortForms::of(&counterparts);
    let steps = counterparts.steps();
    let mut search = PathSearch {
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
        for whole in whole_paths(&counterparts) {
            search.try_shortened(&whole);
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

struct PathSearch<'p, 'a> {
    pages: &'p [WantedPage<'a>],
    steps: &'a StepTable,
    best: Option<RatedPath>,
    /// Short forms that make a mistake, with the lower bounds of their weights. They are tried again if every form makes
    /// mistakes.
    mistaken: Vec<(ShortForm, u32)>,
    left: usize,
    /// The page that decided the last trial; it may decide the next one early.
    suspect: Cell<usize>,
}

impl PathSearch<'_, '_> {
    fn bound(&self) -> u32 {
        self.best.as_ref().map_or(u32::MAX, |best| best.total)
    }

    /// Tries candidates in order until none can be better than the best so far. The trial of a candidate ends with its first
    /// mistake, without evaluating the other pages.
    fn try_all(&mut self, candidates: Vec<ShortForm>) {
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

    /// Rates a path; fails with a lower bound of its weight as soon as that reaches `bound`.
    fn rate(&self, trail: &[Stride], bound: u32) -> Result<RatedPath, u32> {
        let (total, tally) = total(trail, self.pages, bound, &self.suspect)?;
        Ok(RatedPath { trail: trail.to_vec(), total, mistaken: tally.is_mistaken() })
    }

    /// Keeps a path if it is better than the best so far and weighs less than `bound`; otherwise returns a lower bound of its
    /// weight.
    fn try_one(&mut self, trail: &[Stride], bound: u32) -> Result<(), u32> {
        self.best = Some(self.rate(trail, bound.min(self.bound()))?);
        Ok(())
    }

    fn try_shortened(&mut self, whole: &[Stride]) {
        let Ok(whole) = self.rate(whole, u32::MAX) else { return };
        let found = self.shortened(whole);
        if found.total < self.bound() {
            self.best = Some(found);
        }
    }

    /// Removes needless outer steps, conditions and inner steps, one by one and then in pairs, as long as the path makes no
    /// more mistakes.
    fn shortened(&self, found: RatedPath) -> RatedPath {
        let most = found.total - self.steps.cost(&found.trail) + NESTED;
        let mut shortener = PathShortener { best: found, search: self, most, left: SHORTENED };
        shortener.outer_steps();
        while shortener.one() || shortener.two() {}
        shortener.best
    }
}

/// A part of a path that may be removed.
#[derive(Clone, Copy, PartialEq)]
enum PathPart {
    Step(usize),
    Condition(usize, usize),
}

/// Maximum number of parts of a path for which removing pairs is tried.
const PAIRS_OF: usize = 10;

struct PathShortener<'s, 'p, 'a> {
    best: RatedPath,
    search: &'s PathSearch<'p, 'a>,
    /// Maximum weight of the mistakes of a shorter path.
    most: u32,
    /// Number of paths that may still be tried.
    left: usize,
}

impl PathShortener<'_, '_, '_> {
    /// Keeps a path if it is better than the best so far; returns whether it is.
    fn takes(&mut self, trail: Trail) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let bound = self.best.total.min(self.search.steps.cost(&trail) + self.most + 1);
        let Ok(better) = self.search.rate(&trail, bound) else { return false };
        self.best = better;
        true
    }

    /// Removes outer steps: searches by bisection for the shortest end of the path that is as good.
    fn outer_steps(&mut self) {
        let whole = self.best.trail.clone();
        let (mut low, mut high) = (0, whole.len() - 1);
        while low < high {
            let middle = (low + high).div_ceil(2);
            let mut end = whole[middle..].to_vec();
            end[0].deep = true;
            if self.takes(end) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
    }

    fn one(&mut self) -> bool {
        let parts = self.parts();
        parts.iter().any(|&part| {
            let shorter = self.without(&[part]);
            shorter.is_some_and(|shorter| self.takes(shorter))
        })
    }

    fn two(&mut self) -> bool {
        let parts = self.parts();
        if parts.len() > PAIRS_OF {
            return false;
        }
        let pairs = parts
            .iter()
            .enumerate()
            .flat_map(|(i, &a)| parts[i + 1..].iter().map(move |&b| [a, b]));
        pairs.into_iter().any(|pair| {
            let shorter = self.without(&pair);
            shorter.is_some_and(|shorter| {
                self.search.steps.cost(&shorter) < self.best.total && self.takes(shorter)
            })
        })
    }

    /// All removable parts: the conditions, most expensive first, then the steps, outermost first.
    fn parts(&self) -> Vec<PathPart> {
        let steps = self.search.steps;
        let mut parts: Vec<(u32, PathPart)> = Vec::new();
        for (s, stride) in self.best.trail.iter().enumerate() {
            for (c, &condition) in steps.conditions(stride.test).iter().enumerate() {
                parts.push((steps.condition_cost(condition), PathPart::Condition(s, c)));
            }
        }
        parts.sort_by_key(|p| std::cmp::Reverse(p.0));
        let steps = (0..self.best.trail.len() - 1).map(PathPart::Step);
        parts.into_iter().map(|p| p.1).chain(steps).collect()
    }

    /// The best path without some of its parts. A step after a removed one matches at any depth. `None` if one part belongs
    /// to another.
    fn without(&self, parts: &[PathPart]) -> Option<Trail> {
        let gone = |part: PathPart| parts.contains(&part);
        let mut trail = Vec::with_capacity(self.best.trail.len());
        let mut deep = false;
        for (s, &stride) in self.best.trail.iter().enumerate() {
            let loses =
                parts.iter().any(|part| matches!(part, PathPart::Condition(of, _) if *of == s));
            if gone(PathPart::Step(s)) {
                if loses {
                    return None;
                }
                deep = true;
                continue;
            }
            let mut stride = stride;
            stride.deep |= std::mem::take(&mut deep);
            if loses {
                stride.test =
                    self.search.steps.without(stride.test, |c| gone(PathPart::Condition(s, c)));
            }
            trail.push(stride);
        }
        Some(trail)
    }
}
