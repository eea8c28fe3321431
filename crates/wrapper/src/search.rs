//! Finding the expression: short forms first, then the full path made shorter.

use dom::xpath::{Path, Predicate, Step};
use dom::{Document, NodeId};

use crate::general::{most_specific, shorten, with_positions};
use crate::label::{Label, Recurrence, content_labels, shared_labels};
use crate::selection::outermost;

/// A page and the nodes wanted on it (sorted, not overlapping; may be none).
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The page.
    pub document: &'a Document,
    /// The elements wanted.
    pub wanted: &'a [NodeId],
}

/// Expressions for the wanted nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Synthesis {
    /// Their union is the wrapper's selection; empty if nothing was wanted.
    pub paths: Vec<Path>,
    /// Share of the sample pages on which they select exactly the wanted nodes, in 0..=1.
    pub exact: f64,
}

/// Finds the shortest and most robust expressions for the wanted nodes (DESIGN: as short as a
/// person would write it).
///
/// Tries `//tag[label]` and `//ancestor[label]//tag[label]` for all labels the wanted elements
/// share, cheapest first; then the full path with everything shared, positions last, made shorter
/// step by step; then one such path for each group of pages. Cost: some hundred evaluations of
/// short paths on each sample page at the worst.
pub fn synthesize(samples: &[Sample<'_>]) -> Synthesis {
    let with_wanted: Vec<Sample<'_>> =
        samples.iter().copied().filter(|s| !s.wanted.is_empty()).collect();
    if with_wanted.is_empty() {
        return Synthesis { paths: Vec::new(), exact: 0.0 };
    }
    let recurrence = Recurrence::count(samples.iter().map(|s| s.document));
    let paths = match one_path(samples, &with_wanted, &recurrence) {
        Some(path) => vec![path],
        None => several_paths(samples, &with_wanted, &recurrence),
    };
    let exact = samples.iter().filter(|s| is_exact(&paths, s)).count() as f64;
    Synthesis { exact: exact / samples.len() as f64, paths }
}

fn is_exact(paths: &[Path], sample: &Sample<'_>) -> bool {
    crate::select(paths, sample.document) == sample.wanted
}

fn elements<'a>(samples: &[Sample<'a>]) -> Vec<(&'a Document, NodeId)> {
    samples.iter().flat_map(|s| s.wanted.iter().map(|&id| (s.document, id))).collect()
}

/// Whether a path selects exactly the wanted nodes on every page.
fn exact_on_all(path: &Path, samples: &[Sample<'_>]) -> bool {
    samples.iter().all(|s| path.select(s.document) == s.wanted)
}

fn one_path(
    samples: &[Sample<'_>],
    with_wanted: &[Sample<'_>],
    recurrence: &Recurrence,
) -> Option<Path> {
    let wanted = elements(with_wanted);
    if let Some(path) = short_form(samples, &wanted, recurrence) {
        return Some(path);
    }
    let specific = most_specific(&wanted, recurrence)?;
    let full = if exact_on_all(&specific, samples) {
        specific
    } else {
        let positioned = with_positions(&specific, &wanted);
        exact_on_all(&positioned, samples).then_some(positioned)?
    };
    Some(shorten(full, &mut |path| exact_on_all(path, samples)))
}

/// How many labels an element or ancestor is tried with.
const LABELS: usize = 6;
/// How many ancestors are tried as anchors.
const ANCHORS: usize = 8;

/// `//tag[label]…` and `//anchor[label]//tag[label]`, cheapest first.
fn short_form(
    samples: &[Sample<'_>],
    wanted: &[(&Document, NodeId)],
    recurrence: &Recurrence,
) -> Option<Path> {
    let (document, first) = *wanted.first()?;
    let name = document.name(first)?.clone();
    if wanted.iter().any(|&(d, id)| !d.is(id, &name)) {
        return None;
    }
    let mut own: Vec<Label> = shared_labels(wanted, recurrence);
    own.truncate(LABELS);
    own.extend(content_labels(wanted));
    let step = |deep, name: &dom::LocalName, labels: &[&Label]| Step {
        deep,
        name: Some(name.clone()),
        predicates: labels.iter().map(|l| l.predicate.clone()).collect(),
    };
    let mut tails: Vec<(u32, Vec<&Label>)> = vec![(0, Vec::new())];
    for (i, label) in own.iter().enumerate() {
        tails.push((label.cost, vec![label]));
        for other in &own[i + 1..] {
            tails.push((label.cost + other.cost, vec![label, other]));
        }
    }
    let mut candidates: Vec<(u32, Path)> = tails
        .iter()
        .map(|(cost, labels)| (*cost, Path { steps: vec![step(true, &name, labels)] }))
        .collect();
    let mut above = wanted.to_vec();
    for distance in 0..ANCHORS as u32 {
        let parents: Option<Vec<_>> =
            above.iter().map(|&(d, id)| Some((d, d.parent(id)?))).collect();
        let Some(mut parents) = parents else { break };
        parents.dedup_by(|a, b| std::ptr::eq(a.0, b.0) && a.1 == b.1);
        above = parents;
        let Some((anchor_document, anchor)) = above.first().copied() else { break };
        let Some(anchor_name) = anchor_document.name(anchor) else { break };
        if above.iter().any(|&(d, id)| !d.is(id, anchor_name)) {
            continue;
        }
        let labels = shared_labels(&above, recurrence);
        for label in
            labels.iter().filter(|l| !matches!(l.predicate, Predicate::Not(_))).take(LABELS)
        {
            for (cost, tail) in tails.iter().filter(|(_, labels)| labels.len() < 2) {
                for deep in [true, false] {
                    if !deep && distance > 0 {
                        continue;
                    }
                    let steps = vec![step(true, anchor_name, &[label]), step(deep, &name, tail)];
                    candidates.push((12 + label.cost + cost + distance, Path { steps }));
                }
            }
        }
    }
    // A bare tag name is short, but names no place: prefer a label where one tells.
    for (cost, path) in &mut candidates {
        if path.steps.len() == 1 && path.steps[0].predicates.is_empty() {
            *cost = match &*name {
                "article" | "main" => 8,
                _ => 30,
            };
        }
    }
    candidates.sort_by_key(|c| c.0);
    candidates.into_iter().map(|c| c.1).find(|path| exact_on_all(path, samples))
}

/// One path for each group of pages that share one, the largest groups first.
fn several_paths(
    samples: &[Sample<'_>],
    with_wanted: &[Sample<'_>],
    recurrence: &Recurrence,
) -> Vec<Path> {
    const MOST: usize = 4;
    let mut left: Vec<Sample<'_>> = with_wanted.to_vec();
    let mut paths: Vec<Path> = Vec::new();
    while let Some(first) = left.first().copied()
        && paths.len() < MOST
    {
        let wanted = elements(&[first]);
        let candidates: Vec<Path> = wanted
            .iter()
            .filter_map(|&element| {
                let alone = [element];
                let specific = most_specific(&alone, recurrence)?;
                Some(with_positions(&specific, &alone))
            })
            .map(|path| {
                // Never select on any sample what is not wanted there.
                let clean = |path: &Path| {
                    samples.iter().all(|s| {
                        let found = outermost(s.document, path.select(s.document));
                        found.iter().all(|id| s.wanted.contains(id))
                    }) && path.select(first.document).iter().any(|id| first.wanted.contains(id))
                };
                if clean(&path) { shorten(path, &mut |p| clean(p)) } else { path }
            })
            .collect();
        paths.extend(candidates.into_iter().take(MOST - paths.len().min(MOST)));
        left.retain(|s| {
            s.document.len() != first.document.len() || !std::ptr::eq(s.document, first.document)
        });
        left.retain(|s| !is_exact(&paths, s));
    }
    paths.dedup();
    paths
}
