//! The whole path from the root with everything that is shared along it.

use dom::xpath::{Path, Predicate, Step};
use dom::{Document, NodeId};

use crate::counterparts::{Counterparts, Place, plain};
use crate::label::{labels_of, weak_labels_of};

/// Conditions taken of each element.
const MOST: usize = 4;

/// The path from the root to the lead and those alike, with what they and their ancestors share
/// level by level; with `positions` also their places, where these are the same.
pub(crate) fn whole_path(counterparts: &Counterparts<'_, '_>, positions: bool) -> Path {
    let mut steps = Vec::new();
    let mut current = counterparts.alike();
    while let Some(&(document, id)) = current.first() {
        let holds = |label: &Predicate| current.iter().all(|&(d, id)| label.holds(d, id));
        let mut predicates = Vec::new();
        if positions && let Some(place) = shared_place(&current) {
            // Counted among siblings of the same name, as people do.
            predicates.push(Predicate::Position(place));
        }
        let labels = labels_of(document, id).into_iter().filter(holds);
        predicates.extend(labels.filter(|label| counterparts.recurs(label)).take(MOST));
        predicates.extend(weak_labels_of(document, id).into_iter().filter(holds));
        let name = plain(document.name(id));
        steps.push(Step { deep: false, name, predicates });
        current = parents(&current);
    }
    steps.reverse();
    Path { steps }
}

fn parents<'a>(places: &[Place<'a>]) -> Vec<Place<'a>> {
    let mut parents: Vec<Place<'a>> =
        places.iter().filter_map(|&(d, id)| Some((d, d.parent(id)?))).collect();
    parents.dedup_by(|a, b| std::ptr::eq(a.0, b.0) && a.1 == b.1);
    parents
}

/// The place that all the elements have among their siblings of the same name.
fn shared_place(places: &[Place<'_>]) -> Option<u32> {
    let mut each = places.iter().map(|&(d, id)| place(d, id));
    let first = each.next()??;
    each.all(|other| other == Some(first)).then_some(first)
}

/// The place of an element among its siblings of the same name, from 1; `None` for the root and
/// where the name cannot be written.
fn place(document: &Document, id: NodeId) -> Option<u32> {
    let parent = document.parent(id)?;
    let name = plain(document.name(id))?;
    let before = document.children(parent).take_while(|&c| c <= id);
    Some(before.filter(|&c| document.is(c, &name)).count() as u32)
}
