//! From the most specific path to the most general one that still selects the same nodes.

use dom::xpath::{Path, Predicate, Step};
use dom::{Document, LocalName, NodeId};

use crate::label::{Recurrence, content_labels, shared_labels};

/// The path from the root to all the given elements with everything they and their ancestors
/// share, or `None` where they lie on different levels.
pub(crate) fn most_specific(
    elements: &[(&Document, NodeId)],
    recurrence: &Recurrence,
) -> Option<Path> {
    let &(document, first) = elements.first()?;
    let level = document.node(first).level;
    if elements.iter().any(|&(d, id)| d.node(id).level != level) {
        return None;
    }
    let mut steps = Vec::new();
    let mut current: Vec<(&Document, NodeId)> = elements.to_vec();
    loop {
        let labels = shared_labels(&current, recurrence);
        steps.push(Step {
            deep: false,
            name: shared_name(&current),
            predicates: labels.into_iter().map(|l| l.predicate).collect(),
        });
        let above: Option<Vec<_>> =
            current.iter().map(|&(d, id)| Some((d, d.parent(id)?))).collect();
        match above {
            Some(mut above) => {
                above.dedup_by(|a, b| std::ptr::eq(a.0, b.0) && a.1 == b.1);
                current = above;
            }
            None => break,
        }
    }
    steps.reverse();
    Some(Path { steps })
}

/// Adds to the steps whatever tells the wanted elements apart by content and, failing that, by
/// position: used where names alone select too much.
pub(crate) fn with_positions(path: &Path, elements: &[(&Document, NodeId)]) -> Path {
    let mut path = path.clone();
    let mut current: Vec<(&Document, NodeId)> = elements.to_vec();
    for step in path.steps.iter_mut().rev() {
        let places: Option<Vec<u32>> =
            current.iter().map(|&(d, id)| Some(place(d, id, step)?)).collect();
        step.predicates.extend(content_labels(&current).into_iter().map(|l| l.predicate));
        if let Some(places) = places
            && places.windows(2).all(|w| w[0] == w[1])
            && let Some(&first) = places.first()
        {
            // Counted among siblings of the same name, as people do.
            step.predicates.insert(0, Predicate::Position(first));
        }
        current = current.iter().filter_map(|&(d, id)| Some((d, d.parent(id)?))).collect();
    }
    path
}

/// The place of an element among its siblings of the same name, from 1; `None` for the root.
fn place(document: &Document, id: NodeId, step: &Step) -> Option<u32> {
    step.name.as_ref()?;
    let parent = document.parent(id)?;
    let name = document.name(id)?;
    Some(
        document.children(parent).take_while(|&c| c <= id).filter(|&c| document.is(c, name)).count()
            as u32,
    )
}

fn shared_name(elements: &[(&Document, NodeId)]) -> Option<LocalName> {
    let &(document, first) = elements.first()?;
    let name = document.name(first)?;
    elements.iter().all(|&(d, id)| d.is(id, name)).then(|| name.clone())
}

/// Drops outer steps, inner steps and predicates as long as `same` says that nothing changed.
pub(crate) fn shorten(path: Path, same: &mut dyn FnMut(&Path) -> bool) -> Path {
    let mut path = path;
    // The outermost steps first: bisect for the shortest suffix that still selects the same.
    let (mut low, mut high) = (0, path.steps.len() - 1);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if same(&suffix(&path, middle)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    if low > 0 {
        path = suffix(&path, low);
    }
    // Positions are the first to go, then the dearest predicates.
    for step in 0..path.steps.len() {
        let mut order: Vec<usize> = (0..path.steps[step].predicates.len()).collect();
        order.sort_by_key(|&i| {
            (!matches!(path.steps[step].predicates[i], Predicate::Position(_)), usize::MAX - i)
        });
        let mut gone: Vec<usize> = Vec::new();
        for i in order {
            let mut shorter = path.clone();
            shorter.steps[step].predicates = kept(&path.steps[step].predicates, &gone, i);
            if same(&shorter) {
                gone.push(i);
            }
        }
        path.steps[step].predicates = kept(&path.steps[step].predicates, &gone, usize::MAX);
    }
    // Steps in between that carry nothing.
    let mut step = path.steps.len().saturating_sub(1);
    while step > 0 {
        step -= 1;
        let mut shorter = path.clone();
        shorter.steps.remove(step);
        if let Some(next) = shorter.steps.get_mut(step) {
            next.deep = true;
        }
        if same(&shorter) {
            path = shorter;
        }
    }
    path
}

fn kept(predicates: &[Predicate], gone: &[usize], also: usize) -> Vec<Predicate> {
    (predicates.iter().enumerate())
        .filter(|(i, _)| !gone.contains(i) && *i != also)
        .map(|(_, p)| p.clone())
        .collect()
}

fn suffix(path: &Path, from: usize) -> Path {
    let mut steps = path.steps[from..].to_vec();
    if from > 0 {
        steps[0].deep = true;
    }
    Path { steps }
}
