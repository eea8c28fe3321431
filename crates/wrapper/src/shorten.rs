//! Leaves out of a path whatever it can do without.

use dom::xpath::{Path, Predicate};

use crate::cost::{cost, predicate_cost};
use crate::search::Found;

/// A part of a path that may be left out.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Step(usize),
    Predicate(usize, usize),
}

/// Paths with more parts than this are not searched for pairs to leave out.
const PAIRS_OF: usize = 10;

/// Gives the path without needless outer steps, predicates and inner steps, one by one and then in
/// pairs. `weigh` gives a path with cost and mistakes, or `None` if they reach a bound; it is asked
/// for at most `budget` paths.
pub(crate) fn shorten(
    whole: Found,
    budget: usize,
    weigh: &mut dyn FnMut(&Path, u32) -> Option<Found>,
) -> Found {
    let mut search = Search { best: whole, left: budget, weigh };
    search.outer_steps();
    while search.one() || search.two() {}
    search.best
}

struct Search<'w> {
    best: Found,
    left: usize,
    weigh: &'w mut dyn FnMut(&Path, u32) -> Option<Found>,
}

impl Search<'_> {
    /// Takes a path if it is better than the best so far.
    fn takes(&mut self, path: Path) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let Some(better) = (self.weigh)(&path, self.best.total) else { return false };
        self.best = better;
        true
    }

    /// The outermost steps first: bisects for the shortest end of the path that does as well.
    fn outer_steps(&mut self) {
        let whole = self.best.path.clone();
        let (mut low, mut high) = (0, whole.steps.len() - 1);
        while low < high {
            let middle = (low + high).div_ceil(2);
            let mut steps = whole.steps[middle..].to_vec();
            steps[0].deep = true;
            if self.takes(Path { steps }) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
    }

    fn one(&mut self) -> bool {
        let parts = self.parts();
        parts.iter().any(|&part| {
            let shorter = without(&self.best.path, &[part]);
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
            let shorter = without(&self.best.path, &pair);
            shorter.is_some_and(|shorter| cost(&shorter) < self.best.total && self.takes(shorter))
        })
    }

    /// All parts, the dearest predicates first, then steps from the outermost.
    fn parts(&self) -> Vec<Part> {
        let steps = self.best.path.steps.iter().enumerate();
        let mut predicates: Vec<(u32, Part)> = steps
            .flat_map(|(s, step)| {
                let cost = |(p, predicate): (usize, &Predicate)| {
                    (predicate_cost(predicate), Part::Predicate(s, p))
                };
                step.predicates.iter().enumerate().map(cost).collect::<Vec<_>>()
            })
            .collect();
        predicates.sort_by_key(|p| std::cmp::Reverse(p.0));
        let steps = (0..self.best.path.steps.len() - 1).map(Part::Step);
        predicates.into_iter().map(|p| p.1).chain(steps).collect()
    }
}

/// The path without some of its parts: what follows a step left out is then at any depth. `None`
/// if a part belongs to another.
fn without(path: &Path, parts: &[Part]) -> Option<Path> {
    let gone = |part: Part| parts.contains(&part);
    let mut steps = Vec::with_capacity(path.steps.len());
    let mut deep = false;
    for (s, step) in path.steps.iter().enumerate() {
        if gone(Part::Step(s)) {
            if parts.iter().any(|part| matches!(part, Part::Predicate(of, _) if *of == s)) {
                return None;
            }
            deep = true;
            continue;
        }
        let mut step = step.clone();
        step.deep |= std::mem::take(&mut deep);
        let mut p = 0;
        step.predicates.retain(|_| {
            p += 1;
            !gone(Part::Predicate(s, p - 1))
        });
        steps.push(step);
    }
    Some(Path { steps })
}
