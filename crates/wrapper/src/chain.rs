//! The full path from the root with all conditions that are shared along it.

use dom::xpath::Predicate;
use dom::{Document, NodeId};

use crate::counterparts::{Counterparts, Place, plain};
use crate::steps::{Condition, Stride, Trail};

/// Maximum number of conditions for each element.
const MOST: usize = 4;

/// The conditions that the lead and the elements like it, and their ancestors, share at each level.
pub(crate) struct Chain {
    trail: Trail,
    placed: Trail,
}

impl Chain {
    /// Determines the shared conditions.
    pub(crate) fn of(counterparts: &Counterparts<'_, '_>) -> Self {
        let steps = counterparts.steps();
        let (mut trail, mut placed) = (Vec::new(), Vec::new());
        let mut current = counterparts.alike().to_vec();
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
            let test = steps.test(name.clone(), &conditions);
            trail.push(Stride { deep: false, test });
            let test = match shared_place(&current) {
                None => test,
                Some(place) => {
                    // Counted among siblings of the same name, as is usual in XPath.
                    conditions.insert(0, steps.condition(&Predicate::Position(place)));
                    steps.test(name, &conditions)
                }
            };
            placed.push(Stride { deep: false, test });
            current = parents(&current);
        }
        trail.reverse();
        placed.reverse();
        Self { trail, placed }
    }

    /// The path from the root to these elements. With `positions`, it includes their positions
    /// where they are the same.
    pub(crate) fn whole(&self, positions: bool) -> Trail {
        if positions { self.placed.clone() } else { self.trail.clone() }
    }
}

fn parents<'a>(places: &[Place<'a>]) -> Vec<Place<'a>> {
    let parent = |&(memo, id): &Place<'a>| Some((memo, memo.document().parent(id)?));
    let mut parents: Vec<Place<'a>> = places.iter().filter_map(parent).collect();
    parents.dedup_by(|a, b| std::ptr::eq(a.0, b.0) && a.1 == b.1);
    parents
}

/// The position that all the elements have among their siblings of the same name.
fn shared_place(places: &[Place<'_>]) -> Option<u32> {
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
