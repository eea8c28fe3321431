//! Generates the expressions to try: short forms (`//tag[condition]`, `//anchor[condition]//tag[condition]`), and the full
//! path from the root with all shared conditions.

use std::cell::OnceCell;

use dom::xpath::Predicate;
use dom::{Document, NodeId};

use crate::counterparts::{Anchor, Counterparts, PageElement, SharedCondition, plain};
use crate::steps::{Condition, Stride, TestId, Trail, unsaid};

/// Maximum numbers of conditions tried for an element, and for each of its ancestors.
const LABELS: usize = 8;
const LABELS_ABOVE: usize = 3;

/// An expression to try, with a lower bound of its weight.
pub(crate) struct ShortForm {
    pub(crate) least: u32,
    pub(crate) trail: Trail,
}

/// The lowest weight of a form below an ancestor.
pub(crate) const LEAST_ANCHORED: u32 = 19;

pub(crate) struct ShortForms<'c, 'p, 'a> {
    counterparts: &'c Counterparts<'p, 'a>,
    own: Vec<SharedCondition>,
    /// The first conditions in `own`, and the weak ones.
    all: OnceCell<Vec<SharedCondition>>,
}

impl<'c, 'p, 'a> ShortForms<'c, 'p, 'a> {
    pub(crate) fn of(counterparts: &'c Counterparts<'p, 'a>) -> Self {
        Self { counterparts, own: counterparts.own_labels(), all: OnceCell::new() }
    }

    /// `//tag` with one condition or none, cheapest first.
    pub(crate) fn alone(&self) -> Vec<ShortForm> {
        self.candidates(&self.own, 1)
    }

    /// `//tag` with up to two conditions, including weak ones.
    pub(crate) fn in_pairs(&self) -> Vec<ShortForm> {
        self.candidates(self.all_labels(), 2)
    }

    fn candidates(&self, labels: &[SharedCondition], most: usize) -> Vec<ShortForm> {
        let has_name = self.counterparts.name.is_some();
        let mut candidates: Vec<ShortForm> = self
            .tails(labels, most)
            .into_iter()
            .filter(|tail| has_name || !tail.is_bare)
            .map(|tail| {
                let trail = vec![Stride { deep: true, test: tail.test }];
                let least = self.counterparts.steps().cost(&trail) + tail.exceptions;
                ShortForm { least, trail }
            })
            .collect();
        candidates.sort_by_key(|c| c.least);
        candidates
    }

    /// `//tag` with a condition or none below an ancestor: at any depth, or with the tag names in between. Returns at most
    /// `count` forms that may weigh less than `bound`, cheapest first.
    pub(crate) fn anchored(&self, bound: u32, count: usize) -> Vec<ShortForm> {
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
        // The sort is stable, so that of two equal anchors the nearer one comes first.
        rough.sort_by_key(|r| r.0);
        rough.truncate(count);
        rough
            .into_iter()
            .map(|(least, anchor, tail, deep)| {
                let mut trail = vec![Stride { deep: true, test: anchor.test }];
                if !deep {
                    let between = &self.counterparts.names[1..anchor.distance];
                    let test = |name| steps.test(plain(Some(name)), &[]);
                    let stride = |name| Stride { deep: false, test: test(name) };
                    trail.extend(between.iter().rev().map(|&name| stride(name)));
                }
                trail.push(Stride { deep, test: tail.test });
                ShortForm { least, trail }
            })
            .collect()
    }

    fn all_labels(&self) -> &[SharedCondition] {
        self.all.get_or_init(|| {
            let mut labels = self.own.clone();
            labels.truncate(LABELS);
            labels.extend(self.counterparts.weak_labels());
            labels
        })
    }

    /// Ends of short forms: without conditions, with each single condition, and with each pair if `most` is two.
    fn tails(&self, labels: &[SharedCondition], most: usize) -> Vec<Tail> {
        let mut tails = vec![self.tail(&[])];
        for (i, &label) in labels.iter().enumerate() {
            tails.push(self.tail(&[label]));
            if most > 1 {
                tails.extend(labels[i + 1..].iter().map(|&other| self.tail(&[label, other])));
            }
        }
        tails
    }

    fn tail(&self, labels: &[SharedCondition]) -> Tail {
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
    is_bare: bool,
    cost: u32,
    exceptions: u32,
}

/// Maximum number of conditions for each element.
const MOST: usize = 4;

/// The path from the root to the lead and the elements in `alike`, with the conditions that they or their ancestors share at
/// each level; and the same path with positions where all are the same.
pub(crate) fn whole_paths(counterparts: &Counterparts<'_, '_>) -> [Trail; 2] {
    let steps = counterparts.steps();
    let (mut trail, mut placed) = (Vec::new(), Vec::new());
    let mut current = counterparts.alike.clone();
    while let Some(&(memo, id)) = current.first() {
        let holds = |label: &Condition| {
            let test = steps.test(None, &[*label]);
            current.iter().all(|&(memo, id)| memo.passes(test, id))
        };
        let labels = memo.labels(id);
        let labels = labels.iter().copied().filter(holds);
        let mut conditions: Vec<Condition> =
            labels.filter(|&label| counterparts.recurs(label)).take(MOST).collect();
        conditions.extend(memo.weak_labels(id).into_iter().filter(holds));
        let name = plain(memo.document().name(id));
        let mut test = steps.test(name.clone(), &conditions);
        trail.push(Stride { deep: false, test });
        if let Some(place) = shared_place(&current) {
            // Positions count siblings of the same name, as is usual in XPath.
            conditions.insert(0, steps.condition(&Predicate::Position(place)));
            test = steps.test(name, &conditions);
        }
        placed.push(Stride { deep: false, test });
        current = parents(&current);
    }
    trail.reverse();
    placed.reverse();
    [trail, placed]
}

fn parents<'a>(places: &[PageElement<'a>]) -> Vec<PageElement<'a>> {
    let parent = |&(memo, id): &PageElement<'a>| Some((memo, memo.document().parent(id)?));
    let mut parents: Vec<PageElement<'a>> = places.iter().filter_map(parent).collect();
    parents.dedup_by(|a, b| std::ptr::eq(a.0, b.0) && a.1 == b.1);
    parents
}

/// The position among siblings of the same name, if all elements have the same one.
fn shared_place(places: &[PageElement<'_>]) -> Option<u32> {
    let mut each = places.iter().map(|&(memo, id)| place(memo.document(), id));
    let first = each.next()??;
    each.all(|other| other == Some(first)).then_some(first)
}

/// The position of an element among its siblings of the same name, from 1; `None` for the root and
/// if the name is not valid in XPath.
fn place(document: &Document, id: NodeId) -> Option<u32> {
    let parent = document.parent(id)?;
    let name = plain(document.name(id))?;
    let before = document.children(parent).take_while(|&c| c <= id);
    Some(before.filter(|&c| document.is(c, &name)).count() as u32)
}
