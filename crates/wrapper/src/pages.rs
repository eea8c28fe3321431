//! Sample pages made ready for trying many expressions on them.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use dom::xpath::{Path, Step, Test};
use dom::{Document, LocalName, NodeId};
use rustc_hash::{FxHashMap, FxHasher};

use crate::Wanted;
use crate::selection::union_of;

/// A page that remembers which elements pass the test of a step: name and predicates, wherever
/// the element is. Expressions for one page are put together from few steps.
pub(crate) struct Memo<'a> {
    document: &'a Document,
    /// Elements by tag name.
    named: FxHashMap<LocalName, Vec<NodeId>>,
    passing: RefCell<FxHashMap<u64, Rc<Vec<NodeId>>>>,
    /// Per node its parent: what most steps ask for.
    parents: Vec<NodeId>,
    /// Per node a mark, for the time of a step.
    marks: RefCell<Vec<bool>>,
}

impl<'a> Memo<'a> {
    pub(crate) fn new(document: &'a Document) -> Self {
        let mut named: FxHashMap<LocalName, Vec<NodeId>> = FxHashMap::default();
        for id in document.ids() {
            if let Some(name) = document.name(id) {
                named.entry(name.clone()).or_default().push(id);
            }
        }
        let marks = RefCell::new(vec![false; document.len()]);
        let parents = document.nodes().iter().map(|node| node.parent).collect();
        Self { document, named, passing: RefCell::default(), parents, marks }
    }

    pub(crate) fn document(&self) -> &'a Document {
        self.document
    }

    fn passing(&self, step: &Step) -> Rc<Vec<NodeId>> {
        let mut hasher = FxHasher::default();
        (&step.name, &step.predicates).hash(&mut hasher);
        let mut passing = self.passing.borrow_mut();
        let found = passing.entry(hasher.finish()).or_insert_with(|| {
            let mut test = Test::new(step, self.document);
            let found = match &step.name {
                None => self.document.ids().filter(|&id| test.passes(id)).collect(),
                Some(name) => {
                    let named = self.named.get(name).map_or(&[][..], Vec::as_slice);
                    named.iter().copied().filter(|&id| test.passes(id)).collect()
                }
            };
            Rc::new(found)
        });
        Rc::clone(found)
    }

    /// What `path.select` gives, from what is remembered of its steps.
    pub(crate) fn select(&self, path: &Path) -> Vec<NodeId> {
        let Some((first, steps)) = path.steps.split_first() else { return Vec::new() };
        let passing = self.passing(first);
        let mut from: &[NodeId] = &passing;
        if !first.deep {
            from = if from.first() == Some(&0) { &from[..1] } else { &[] };
        }
        let Some((second, steps)) = steps.split_first() else { return from.to_vec() };
        let mut selected = self.step(from, second);
        for step in steps {
            if selected.is_empty() {
                break;
            }
            selected = self.step(&selected, step);
        }
        selected
    }

    /// What a step leads to from some elements (rising).
    fn step(&self, from: &[NodeId], step: &Step) -> Vec<NodeId> {
        let (Some(&first), passing) = (from.first(), self.passing(step)) else { return Vec::new() };
        // Nothing before the first is below it.
        let candidates = &passing[passing.partition_point(|&id| id <= first)..];
        if step.deep { self.below(from, candidates) } else { self.children(from, candidates) }
    }

    /// Those of the candidates that lie inside any of the contexts (both rising).
    fn below(&self, contexts: &[NodeId], mut candidates: &[NodeId]) -> Vec<NodeId> {
        let mut below = Vec::new();
        let mut end = 0;
        for &context in contexts {
            if context < end {
                continue; // inside the one before
            }
            end = self.document.node(context).end;
            candidates = &candidates[candidates.partition_point(|&id| id <= context)..];
            let (inside, after) = candidates.split_at(candidates.partition_point(|&id| id < end));
            below.extend_from_slice(inside);
            if after.is_empty() {
                break;
            }
            candidates = after;
        }
        below
    }

    /// Those of the candidates whose parents are among the contexts (both rising).
    fn children(&self, contexts: &[NodeId], candidates: &[NodeId]) -> Vec<NodeId> {
        let mut marks = self.marks.borrow_mut();
        contexts.iter().for_each(|&id| marks[id as usize] = true);
        let mut children = Vec::new();
        for &id in candidates {
            // The root is its own parent, and no child.
            if id != 0 && marks[self.parents[id as usize] as usize] {
                children.push(id);
            }
        }
        contexts.iter().for_each(|&id| marks[id as usize] = false);
        children
    }
}

/// A page with what is wanted on it.
#[derive(Clone, Copy)]
pub(crate) struct Page<'a> {
    memo: &'a Memo<'a>,
    pub(crate) wanted: &'a [NodeId],
    /// Whether all that is wanted must be found; else any part of it is right, nothing too.
    pub(crate) must: bool,
    /// Subtrees outside which nothing matters; `None` for the whole page.
    scope: Option<&'a [NodeId]>,
    /// Elements that may be selected or not.
    free: &'a [NodeId],
}

impl<'a> Page<'a> {
    pub(crate) fn new(memo: &'a Memo<'a>, wanted: &Wanted<'a>) -> Self {
        let Wanted { wanted, scope, free } = *wanted;
        Self { memo, wanted, must: true, scope, free }
    }

    /// The same page with something else wanted.
    pub(crate) fn wanting(self, wanted: &'a [NodeId], must: bool) -> Self {
        Self { wanted, must, ..self }
    }

    pub(crate) fn document(&self) -> &'a Document {
        self.memo.document
    }

    pub(crate) fn select(&self, path: &Path) -> Vec<NodeId> {
        let mut selected = self.memo.select(path);
        if !self.free.is_empty() {
            let has = |nodes: &[NodeId], id: &NodeId| nodes.binary_search(id).is_ok();
            selected.retain(|id| has(self.wanted, id) || !has(self.free, id));
        }
        if let Some(roots) = self.scope {
            // What it selects elsewhere, or around a root, changes nothing.
            let document = self.document();
            selected.retain(|&id| roots.iter().any(|&root| document.contains(root, id)));
        }
        selected
    }

    /// What `selection::select` gives.
    pub(crate) fn select_all(&self, paths: &[Path]) -> Vec<NodeId> {
        let nodes = union_of(paths.iter().map(|path| self.select(path)));
        self.document().outermost(nodes)
    }

    /// Whether any element passes the test of a step.
    pub(crate) fn has(&self, step: &Step) -> bool {
        !self.memo.passing(step).is_empty()
    }
}
