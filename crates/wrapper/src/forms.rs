//! Short forms of expressions: `//tag[condition]`, `//anchor[condition]//tag[condition]`.

use std::cell::OnceCell;

use crate::counterparts::{Anchor, Counterparts, Shared, plain};
use crate::steps::{Condition, Stride, TestId, Trail, unsaid};

/// Maximum number of conditions tried for an element and each ancestor.
const LABELS: usize = 8;
const LABELS_ABOVE: usize = 3;

/// An expression to try, with a lower bound of its weight.
pub(crate) struct Candidate {
    pub(crate) least: u32,
    pub(crate) trail: Trail,
}

/// The lowest weight of a form below an ancestor.
pub(crate) const LEAST_ANCHORED: u32 = 19;

/// The short forms for some elements.
pub(crate) struct Forms<'c, 'p, 'a> {
    counterparts: &'c Counterparts<'p, 'a>,
    own: Vec<Shared>,
    /// Some of the own labels, and the weak ones.
    all: OnceCell<Vec<Shared>>,
}

impl<'c, 'p, 'a> Forms<'c, 'p, 'a> {
    pub(crate) fn of(counterparts: &'c Counterparts<'p, 'a>) -> Self {
        Self { counterparts, own: counterparts.own_labels(), all: OnceCell::new() }
    }

    /// `//tag` with one condition or none, cheapest first.
    pub(crate) fn alone(&self) -> Vec<Candidate> {
        self.candidates(&self.own, 1)
    }

    /// `//tag` with up to two conditions, including weak ones.
    pub(crate) fn in_pairs(&self) -> Vec<Candidate> {
        self.candidates(self.all_labels(), 2)
    }

    fn candidates(&self, labels: &[Shared], most: usize) -> Vec<Candidate> {
        let has_name = self.counterparts.name.is_some();
        let mut candidates: Vec<Candidate> = self
            .tails(labels, most)
            .into_iter()
            .filter(|tail| has_name || !tail.is_bare)
            .map(|tail| {
                let trail = vec![Stride { deep: true, test: tail.test }];
                let least = self.counterparts.steps().cost(&trail) + tail.exceptions;
                Candidate { least, trail }
            })
            .collect();
        candidates.sort_by_key(|c| c.least);
        candidates
    }

    /// The same below an ancestor with a condition: at any depth, or with the tag names in between.
    /// Only those that may weigh less than `bound`, cheapest first, at most `count`.
    pub(crate) fn anchored(&self, bound: u32, count: usize) -> Vec<Candidate> {
        let steps = self.counterparts.steps();
        let tails = self.tails(self.all_labels(), 1);
        let anchors = self.counterparts.anchors(LABELS_ABOVE);
        let mut rough: Vec<(u32, &Anchor, &Tail, bool)> = Vec::new();
        for anchor in &anchors {
            let first = Stride { deep: true, test: anchor.test };
            let above = steps.cost(&[first]) + anchor.exceptions;
            for tail in &tails {
                let least = above + 6 + tail.cost + tail.exceptions;
                let between = 6 * (anchor.distance as u32 - 1);
                let ends = |deep| if tail.is_bare { unsaid(deep, 2) } else { 0 };
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
                let mut trail = vec![Stride { deep: true, test: anchor.test }];
                if !deep {
                    let between = &self.counterparts.names_above()[..anchor.distance - 1];
                    let test = |name| steps.test(plain(Some(name)), &[]);
                    let stride = |name| Stride { deep: false, test: test(name) };
                    trail.extend(between.iter().rev().map(|&name| stride(name)));
                }
                trail.push(Stride { deep, test: tail.test });
                Candidate { least, trail }
            })
            .collect()
    }

    fn all_labels(&self) -> &[Shared] {
        self.all.get_or_init(|| {
            let mut labels = self.own.clone();
            labels.truncate(LABELS);
            labels.extend(self.counterparts.weak_labels());
            labels
        })
    }

    /// Ends with no condition, with each single one, and with each pair if `most` is two.
    fn tails(&self, labels: &[Shared], most: usize) -> Vec<Tail> {
        let mut tails = vec![self.tail(&[])];
        for (i, &label) in labels.iter().enumerate() {
            tails.push(self.tail(&[label]));
            if most > 1 {
                tails.extend(labels[i + 1..].iter().map(|&other| self.tail(&[label, other])));
            }
        }
        tails
    }

    fn tail(&self, labels: &[Shared]) -> Tail {
        let steps = self.counterparts.steps();
        let conditions: Vec<Condition> = labels.iter().map(|label| label.condition).collect();
        Tail {
            test: steps.test(self.counterparts.name.clone(), &conditions),
            is_bare: labels.is_empty(),
            cost: steps.conditions_cost(&conditions),
            exceptions: labels.iter().map(|label| label.exceptions).max().unwrap_or(0),
        }
    }
}

/// The end of a short form: the conditions on the wanted element itself.
struct Tail {
    test: TestId,
    /// Whether it has no condition.
    is_bare: bool,
    cost: u32,
    exceptions: u32,
}
