//! The short forms people write: `//tag[condition]`, `//anchor[condition]//tag[condition]`.

use dom::xpath::{Path, Predicate, Step};

use crate::cost::{conditions_cost, cost, unsaid};
use crate::counterparts::{Anchor, Counterparts, Shared, plain};

/// Conditions an element and each ancestor are tried with.
const LABELS: usize = 8;
const LABELS_ABOVE: usize = 3;

/// An expression to try, with the least it can weigh.
pub(crate) struct Candidate {
    pub(crate) least: u32,
    pub(crate) path: Path,
}

/// No form below an ancestor can weigh less.
pub(crate) const LEAST_ANCHORED: u32 = 19;

/// `//tag` with one condition or none, cheapest first.
pub(crate) fn alone(counterparts: &Counterparts<'_, '_>) -> Vec<Candidate> {
    candidates(counterparts, &counterparts.own_labels(), 1)
}

/// `//tag` with up to two conditions, weak ones among them.
pub(crate) fn in_pairs(counterparts: &Counterparts<'_, '_>) -> Vec<Candidate> {
    candidates(counterparts, &all_labels(counterparts), 2)
}

fn candidates(
    counterparts: &Counterparts<'_, '_>,
    labels: &[Shared],
    most: usize,
) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Tail::all(labels, most)
        .into_iter()
        .filter(|tail| counterparts.name().is_some() || !tail.labels.is_empty())
        .map(|tail| {
            let path = Path { steps: vec![tail.step(counterparts, true)] };
            Candidate { least: cost(&path) + tail.exceptions, path }
        })
        .collect();
    candidates.sort_by_key(|c| c.least);
    candidates
}

/// The same below an ancestor with a condition: at any depth, or at the end of the tag names
/// between. Those that may weigh less than `bound`, cheapest first, at most `count`.
pub(crate) fn anchored(
    counterparts: &Counterparts<'_, '_>,
    bound: u32,
    count: usize,
) -> Vec<Candidate> {
    let labels = all_labels(counterparts);
    let tails = Tail::all(&labels, 1);
    let anchors = counterparts.anchors(LABELS_ABOVE);
    let mut rough: Vec<(u32, &Anchor, &Tail<'_>, bool)> = Vec::new();
    for anchor in &anchors {
        let above = cost(&Path { steps: vec![anchor.step.clone()] }) + anchor.exceptions;
        for tail in &tails {
            let least = above + 6 + tail.cost + tail.exceptions;
            let between = 6 * (anchor.distance as u32 - 1);
            let ends = |deep| unsaid(Some(&tail.step(counterparts, deep)), 2);
            rough.push((least + 1 + ends(true), anchor, tail, true));
            rough.push((least + between + ends(false), anchor, tail, false));
        }
    }
    rough.retain(|r| r.0 < bound);
    // The nearer of two equal anchors comes first: the sort is stable.
    rough.sort_by_key(|r| r.0);
    rough.truncate(count);
    rough
        .into_iter()
        .map(|(least, anchor, tail, deep)| {
            let mut steps = vec![anchor.step.clone()];
            if !deep {
                let between = counterparts.names_above()[..anchor.distance - 1].iter().rev();
                steps.extend(between.map(|name| Step {
                    deep: false,
                    name: plain(Some(name)),
                    predicates: Vec::new(),
                }));
            }
            steps.push(tail.step(counterparts, deep));
            Candidate { least, path: Path { steps } }
        })
        .collect()
}

fn all_labels(counterparts: &Counterparts<'_, '_>) -> Vec<Shared> {
    let mut labels = counterparts.own_labels();
    labels.truncate(LABELS);
    labels.extend(counterparts.weak_labels());
    labels
}

/// The end of a short form: conditions on the wanted element itself.
struct Tail<'l> {
    labels: Vec<&'l Shared>,
    cost: u32,
    exceptions: u32,
}

impl<'l> Tail<'l> {
    /// No condition, each one, and each pair if `most` is two.
    fn all(labels: &'l [Shared], most: usize) -> Vec<Self> {
        let mut tails = vec![Self::of(Vec::new())];
        for (i, label) in labels.iter().enumerate() {
            tails.push(Self::of(vec![label]));
            if most > 1 {
                tails.extend(labels[i + 1..].iter().map(|other| Self::of(vec![label, other])));
            }
        }
        tails
    }

    fn of(labels: Vec<&'l Shared>) -> Self {
        let predicates: Vec<Predicate> = labels.iter().map(|l| l.predicate.clone()).collect();
        Self {
            cost: conditions_cost(&predicates),
            exceptions: labels.iter().map(|l| l.exceptions).max().unwrap_or(0),
            labels,
        }
    }

    fn step(&self, counterparts: &Counterparts<'_, '_>, deep: bool) -> Step {
        let predicates = self.labels.iter().map(|l| l.predicate.clone()).collect();
        Step { deep, name: counterparts.name(), predicates }
    }
}
