//! Removes all unnecessary parts of a path.

use crate::found::Found;
use crate::steps::{Steps, Trail};

/// A part of a path that may be removed.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Step(usize),
    Condition(usize, usize),
}

/// Paths with more parts than this are not searched for pairs to remove.
const PAIRS_OF: usize = 10;

/// Returns the path without needless outer steps, conditions and inner steps, tried one by one and
/// then in pairs. `weigh` returns a path with cost and mistakes, or `None` if they reach a bound;
/// it is called for at most `budget` paths.
pub(crate) fn shorten(
    whole: Found,
    steps: &Steps,
    budget: usize,
    weigh: &mut dyn FnMut(Trail, u32) -> Option<Found>,
) -> Found {
    let mut search = Search { best: whole, steps, left: budget, weigh };
    search.outer_steps();
    while search.one() || search.two() {}
    search.best
}

struct Search<'w> {
    best: Found,
    steps: &'w Steps,
    left: usize,
    weigh: &'w mut dyn FnMut(Trail, u32) -> Option<Found>,
}

impl Search<'_> {
    /// Takes a path if it is better than the best so far.
    fn takes(&mut self, trail: Trail) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let Some(better) = (self.weigh)(trail, self.best.total) else { return false };
        self.best = better;
        true
    }

    /// The outermost steps first: bisects for the shortest end of the path that is as good.
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
                self.steps.cost(&shorter) < self.best.total && self.takes(shorter)
            })
        })
    }

    /// All parts: the most expensive conditions first, then steps from the outermost.
    fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<(u32, Part)> = Vec::new();
        for (s, stride) in self.best.trail.iter().enumerate() {
            for (c, &condition) in self.steps.conditions(stride.test).iter().enumerate() {
                parts.push((self.steps.condition_cost(condition), Part::Condition(s, c)));
            }
        }
        parts.sort_by_key(|p| std::cmp::Reverse(p.0));
        let steps = (0..self.best.trail.len() - 1).map(Part::Step);
        parts.into_iter().map(|p| p.1).chain(steps).collect()
    }

    /// The best path without some of its parts; a step after a removed one is then at any depth.
    /// `None` if one part belongs to another.
    fn without(&self, parts: &[Part]) -> Option<Trail> {
        let gone = |part: Part| parts.contains(&part);
        let mut trail = Vec::with_capacity(self.best.trail.len());
        let mut deep = false;
        for (s, &stride) in self.best.trail.iter().enumerate() {
            let loses = parts.iter().any(|part| matches!(part, Part::Condition(of, _) if *of == s));
            if gone(Part::Step(s)) {
                if loses {
                    return None;
                }
                deep = true;
                continue;
            }
            let mut stride = stride;
            stride.deep |= std::mem::take(&mut deep);
            if loses {
                stride.test = self.steps.without(stride.test, |c| gone(Part::Condition(s, c)));
            }
            trail.push(stride);
        }
        Some(trail)
    }
}
