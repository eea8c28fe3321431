//! Applies expressions to pages. Sample pages are indexed, so that many expressions can be evaluated on them.

use std::cell::{Cell, OnceCell, RefCell};
use std::hash::Hasher;
use std::ops::Range;
use std::rc::Rc;

use dom::xpath::{Path, PathStep, Positions, Predicate, is_space};
use dom::{Document, ElementKinds, LocalName, NodeId, local_name};
use rustc_hash::{FxHashMap, FxHasher};

use crate::WantedNodes;
use crate::conditions::{labels_of, weak_labels_of};
use crate::steps::{Condition, StepTable, Stride, TestId, Trail};

/// A page with a cache of the elements that pass each test: the expressions tried on a page consist of few different
/// steps.
pub(crate) struct IndexedPage<'a> {
    document: &'a Document,
    steps: Rc<StepTable>,
    /// Kinds of elements by tag name.
    named: FxHashMap<&'a LocalName, Vec<u32>>,
    /// Elements sorted by kind, each kind in ascending order, and the end of the range of each kind.
    elements: Vec<NodeId>,
    ends: Vec<u32>,
    /// Hashes of the class names of each kind's elements, and the end of each range.
    classes: (Vec<u64>, Vec<u32>),
    /// Cached results of tests and conditions, by their numbers.
    tests: RefCell<Vec<Option<Rc<Tested>>>>,
    conditions: RefCell<Vec<Vec<Option<bool>>>>,
    marks: RefCell<FxHashMap<Condition, Rc<Vec<bool>>>>,
    /// The conditions that hold for the elements of a kind, by the number of the kind.
    labels: RefCell<FxHashMap<u32, Rc<[Condition]>>>,
}

/// The cached results of a test on a page.
struct Tested {
    step: Rc<PathStep>,
    conditions: Rc<[Condition]>,
    /// Whether elements of a kind pass the conditions that depend only on the kind, if known.
    of_kinds: Vec<Cell<Option<bool>>>,
    /// The conditions that depend only on the kind.
    by_kind: Vec<usize>,
    /// The other conditions: for some, marks of the elements that satisfy them; the rest are evaluated for each element, with
    /// a cache.
    marks: Vec<Rc<Vec<bool>>>,
    by_element: Vec<usize>,
    positions: Positions,
    of_elements: RefCell<FxHashMap<NodeId, bool>>,
    passing: OnceCell<Vec<NodeId>>,
}

impl<'a> IndexedPage<'a> {
    pub(crate) fn new(document: &'a Document, steps: Rc<StepTable>) -> Self {
        let kinds = document.kinds();
        let mut named: FxHashMap<&LocalName, Vec<u32>> = FxHashMap::default();
        for (number, kind) in kinds.all().iter().enumerate() {
            if let Some(name) = document.name(kind.first) {
                named.entry(name).or_default().push(number as u32);
            }
        }
        let mut ends = vec![0u32; kinds.all().len()];
        for &kind in kinds.of_nodes() {
            if let Some(count) = ends.get_mut(kind as usize) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            // Holds the start of the range until the elements are filled in.
            sum += std::mem::replace(end, sum);
        }
        let mut elements = vec![0; sum as usize];
        for (id, &kind) in kinds.of_nodes().iter().enumerate() {
            if let Some(end) = ends.get_mut(kind as usize) {
                elements[*end as usize] = id as NodeId;
                *end += 1;
            }
        }
        let mut classes = (Vec::new(), Vec::with_capacity(kinds.all().len()));
        for kind in kinds.all() {
            let class = document.attribute(kind.first, &local_name!("class")).unwrap_or_default();
            classes.0.extend(class.as_bytes().split(is_space).map(hash_of));
            classes.1.push(classes.0.len() as u32);
        }
        Self {
            document,
            steps,
            named,
            elements,
            ends,
            classes,
            tests: RefCell::default(),
            conditions: RefCell::default(),
            marks: RefCell::default(),
            labels: RefCell::default(),
        }
    }

    fn of_kind(&self, kind: u32) -> &[NodeId] {
        let from = if kind == 0 { 0 } else { self.ends[kind as usize - 1] };
        &self.elements[from as usize..self.ends[kind as usize] as usize]
    }

    pub(crate) fn document(&self) -> &'a Document {
        self.document
    }

    pub(crate) fn steps(&self) -> &StepTable {
        &self.steps
    }

    /// The conditions on the attributes of an element, cheapest first.
    pub(crate) fn labels(&self, id: NodeId) -> Rc<[Condition]> {
        let kind = self.document.kinds().of_nodes()[id as usize];
        let mut labels = self.labels.borrow_mut();
        let labels = labels.entry(kind).or_insert_with(|| {
            let labels = labels_of(self.document, id);
            labels.iter().map(|label| self.steps.condition(label)).collect()
        });
        Rc::clone(labels)
    }

    /// The conditions on absent attributes and on the content of an element.
    pub(crate) fn weak_labels(&self, id: NodeId) -> Vec<Condition> {
        let labels = weak_labels_of(self.document, id);
        labels.iter().map(|label| self.steps.condition(label)).collect()
    }

    fn tested(&self, id: TestId) -> Rc<Tested> {
        let mut tests = self.tests.borrow_mut();
        let at = id.0 as usize;
        if tests.len() <= at {
            tests.resize_with(at + 1, || None);
        }
        let tested = tests[at].get_or_insert_with(|| {
            let (step, conditions) = (self.steps.step(id), self.steps.conditions(id));
            let (mut by_kind, mut marks, mut by_element) = (Vec::new(), Vec::new(), Vec::new());
            for (at, (&condition, predicate)) in conditions.iter().zip(&step.predicates).enumerate()
            {
                match predicate {
                    predicate if predicate.depends_on_kind() => by_kind.push(at),
                    Predicate::Child(name) => marks.push(self.marked(condition, name, false)),
                    Predicate::Descendant(name) => marks.push(self.marked(condition, name, true)),
                    _ => by_element.push(at),
                }
            }
            Rc::new(Tested {
                step,
                conditions,
                of_kinds: vec![Cell::new(None); self.ends.len()],
                by_kind,
                marks,
                by_element,
                positions: Positions::default(),
                of_elements: RefCell::default(),
                passing: OnceCell::new(),
            })
        });
        Rc::clone(tested)
    }

    /// For each element, whether it contains a child of this name, or any descendant if `deep`.
    fn marked(&self, condition: Condition, name: &LocalName, deep: bool) -> Rc<Vec<bool>> {
        let mark = || {
            let mut marks = vec![false; self.document.len()];
            for &id in self.kinds_named(Some(name)).flat_map(|kind| self.of_kind(kind)) {
                for above in self.document.ancestors(id).skip(1) {
                    // If an element is marked, all its ancestors are marked, too.
                    if std::mem::replace(&mut marks[above as usize], true) || !deep {
                        break;
                    }
                }
            }
            Rc::new(marks)
        };
        Rc::clone(self.marks.borrow_mut().entry(condition).or_insert_with(mark))
    }

    pub(crate) fn passes(&self, test: TestId, id: NodeId) -> bool {
        self.passes_all(&self.tested(test), id)
    }

    #[inline]
    fn passes_all(&self, tested: &Tested, id: NodeId) -> bool {
        let kind = self.document.kinds().of_nodes()[id as usize];
        kind != ElementKinds::TEXT
            && self.passes_by_kind(tested, kind)
            && self.passes_itself(tested, id)
    }

    /// Whether elements of a kind (not text) satisfy the conditions of a test that depend only on the kind.
    #[inline]
    fn passes_by_kind(&self, tested: &Tested, kind: u32) -> bool {
        let known = &tested.of_kinds[kind as usize];
        known.get().unwrap_or_else(|| {
            let passes = self.ask_kind(tested, kind);
            known.set(Some(passes));
            passes
        })
    }

    fn ask_kind(&self, tested: &Tested, kind: u32) -> bool {
        let at = kind as usize;
        let first = self.document.kinds().all()[at].first;
        if tested.step.name.as_ref().is_some_and(|name| !self.document.is(first, name)) {
            return false;
        }
        let mut known = self.conditions.borrow_mut();
        let mut holds = |&by_kind: &usize| {
            let number = tested.conditions[by_kind].0 as usize;
            if known.len() <= number {
                known.resize_with(number + 1, Vec::new);
            }
            let known = &mut known[number];
            if known.is_empty() {
                known.resize(self.ends.len(), None);
            }
            *known[at].get_or_insert_with(|| self.holds(&tested.step.predicates[by_kind], kind))
        };
        tested.by_kind.iter().all(&mut holds)
    }

    fn holds(&self, predicate: &Predicate, kind: u32) -> bool {
        if let Predicate::HasClass(token) = predicate {
            let (hashes, ends) = &self.classes;
            let from = if kind == 0 { 0 } else { ends[kind as usize - 1] };
            let hashes = &hashes[from as usize..ends[kind as usize] as usize];
            if !hashes.contains(&hash_of(token.as_bytes())) {
                return false;
            }
        }
        predicate.holds(self.document, self.document.kinds().all()[kind as usize].first)
    }

    /// Whether an element satisfies the conditions that depend on more than its kind.
    #[inline]
    fn passes_itself(&self, tested: &Tested, id: NodeId) -> bool {
        let holds = |&at: &usize| tested.step.holds(self.document, id, at, &tested.positions);
        let ask = || tested.by_element.iter().all(holds);
        tested.marks.iter().all(|marks| marks[id as usize])
            && (tested.by_element.is_empty()
                || *tested.of_elements.borrow_mut().entry(id).or_insert_with(ask))
    }

    fn passing<'t>(&self, tested: &'t Tested) -> &'t [NodeId] {
        tested.passing.get_or_init(|| {
            let mut passing = Vec::new();
            for kind in self.kinds_named(tested.step.name.as_ref()) {
                if self.passes_by_kind(tested, kind) {
                    passing.extend_from_slice(self.of_kind(kind));
                }
            }
            // Each kind's elements are in order, so only the concatenation is sorted.
            passing.sort();
            if !tested.marks.is_empty() || !tested.by_element.is_empty() {
                passing.retain(|&id| self.passes_itself(tested, id));
            }
            passing
        })
    }

    /// The kinds of elements with a name, or all kinds.
    fn kinds_named(&self, name: Option<&LocalName>) -> impl Iterator<Item = u32> + use<'_, 'a> {
        let all = if name.is_none() { self.ends.len() } else { 0 };
        let named = name.and_then(|name| self.named.get(name));
        (0..all as u32).chain(named.into_iter().flatten().copied())
    }

    /// The elements that a path selects, in ascending order.
    pub(crate) fn select(&self, trail: &[Stride]) -> Vec<NodeId> {
        let mut selected = Vec::new();
        self.each_selected(trail, self.document.ids(), |id| {
            selected.push(id);
            0
        });
        selected
    }

    /// Passes the elements that a path selects within a part of the page to `take`, in ascending order. Elements before
    /// the id that `take` returns are skipped.
    fn each_selected(
        &self,
        trail: &[Stride],
        within: Range<NodeId>,
        mut take: impl FnMut(NodeId) -> NodeId,
    ) {
        let Some(last) = trail.last() else { return };
        // The steps after this one lead from parents to children.
        let from = trail.iter().rposition(|stride| stride.deep).unwrap_or(0);
        let last = self.tested(last.test);
        let mut left = part(self.passing(&last), within);
        if left.is_empty() {
            return;
        }
        if from + 1 < trail.len() {
            // The first of these steps usually selects few elements.
            let tops = self.select(&trail[..=from]);
            let tests = &trail[from + 1..trail.len() - 1];
            let tests = tests.iter().rev().map(|stride| self.tested(stride.test)).collect();
            let mut climb = Climb { page: self, tests, tops: &tops, before: None };
            let mut end = 0;
            for &top in &tops {
                if top < end {
                    continue; // inside the one before
                }
                end = self.document.node(top).end;
                let below = part(left, top + 1..end);
                let next = hand_out(below, |id| if climb.reaches(id) { take(id) } else { 0 });
                left = part(left, end.max(next)..NodeId::MAX);
            }
        } else if from == 0 {
            let reached = if trail[0].deep { left } else { part(left, 0..1) };
            hand_out(reached, take);
        } else {
            let mut end = 0;
            for context in self.select(&trail[..from]) {
                if context < end {
                    continue;
                }
                end = self.document.node(context).end;
                let next = hand_out(part(left, context + 1..end), &mut take);
                left = part(left, end.max(next)..NodeId::MAX);
            }
        }
    }

    pub(crate) fn has(&self, test: TestId) -> bool {
        let tested = self.tested(test);
        self.kinds_named(tested.step.name.as_ref()).any(|kind| {
            self.passes_by_kind(&tested, kind)
                && self.of_kind(kind).iter().any(|&id| self.passes_itself(&tested, id))
        })
    }
}

/// Passes ascending nodes to `take`, and skips nodes before the id that it returns. Returns the last such id.
fn hand_out(mut nodes: &[NodeId], mut take: impl FnMut(NodeId) -> NodeId) -> NodeId {
    let mut next = 0;
    while let Some((&id, rest)) = nodes.split_first() {
        next = take(id);
        nodes = if next > id + 1 { part(rest, next..NodeId::MAX) } else { rest };
    }
    next
}

fn hash_of(token: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(token);
    hasher.finish()
}

/// The part of ascending nodes that is within a range.
fn part(nodes: &[NodeId], range: Range<NodeId>) -> &[NodeId] {
    let from = nodes.partition_point(|&id| id < range.start);
    let nodes = &nodes[from..];
    &nodes[..nodes.partition_point(|&id| id < range.end)]
}

/// Steps from parents to children, evaluated upwards from the last element.
struct Climb<'c, 'a> {
    page: &'c IndexedPage<'a>,
    /// The tests of the elements in between, the innermost first.
    tests: Vec<Rc<Tested>>,
    /// The elements where the steps begin, ascending.
    tops: &'c [NodeId],
    /// The result of the last parent, cached because siblings are evaluated consecutively.
    before: Option<(NodeId, bool)>,
}

impl Climb<'_, '_> {
    /// Whether the steps lead to this element, which passes the last of them.
    fn reaches(&mut self, id: NodeId) -> bool {
        let document = self.page.document;
        let Some(parent) = document.parent(id) else { return false };
        if let Some((_, reaches)) = self.before.filter(|before| before.0 == parent) {
            return reaches;
        }
        let reaches = self.reaches_below(parent);
        self.before = Some((parent, reaches));
        reaches
    }

    fn reaches_below(&self, parent: NodeId) -> bool {
        let document = self.page.document;
        let level = |id: NodeId| usize::from(document.node(id).level);
        if let &[top] = self.tops
            && level(parent) != level(top) + self.tests.len()
        {
            return false;
        }
        let mut above = Some(parent);
        for tested in &self.tests {
            let Some(id) = above.filter(|&id| self.page.passes_all(tested, id)) else {
                return false;
            };
            above = document.parent(id);
        }
        above.is_some_and(|top| self.tops.binary_search(&top).is_ok())
    }
}

#[derive(Clone, Copy)]
pub(crate) struct WantedPage<'a> {
    pub(crate) memo: &'a IndexedPage<'a>,
    pub(crate) wanted: &'a [NodeId],
    /// Whether all wanted elements must be found; otherwise any subset is right, including the empty one.
    pub(crate) must: bool,
    /// Subtrees outside which the selection does not matter; `None` for the whole page.
    scope: Option<&'a [NodeId]>,
    /// Elements that may or may not be selected.
    free: &'a [NodeId],
}

impl<'a> WantedPage<'a> {
    pub(crate) fn new(memo: &'a IndexedPage<'a>, wanted: &WantedNodes<'a>) -> Self {
        let WantedNodes { wanted, scope, free } = *wanted;
        Self { memo, wanted, must: true, scope, free }
    }

    pub(crate) fn wanting(self, wanted: &'a [NodeId], must: bool) -> Self {
        Self { wanted, must, ..self }
    }

    pub(crate) fn document(&self) -> &'a Document {
        self.memo.document
    }

    /// The elements that a path selects, without elements that do not matter.
    pub(crate) fn select(&self, trail: &[Stride]) -> Vec<NodeId> {
        let mut selected = Vec::new();
        self.each_selected(trail, |id| {
            selected.push(id);
            0
        });
        selected
    }

    /// Passes these elements to `take`, in ascending order. Elements before the id that `take` returns are skipped.
    pub(crate) fn each_selected(&self, trail: &[Stride], mut take: impl FnMut(NodeId) -> NodeId) {
        let has = |nodes: &[NodeId], id: NodeId| nodes.binary_search(&id).is_ok();
        let document = self.document();
        let within = self.scope.map_or(document.ids(), |roots| {
            let ends = roots.iter().map(|&root| document.node(root).end);
            roots.iter().copied().min().unwrap_or(0)..ends.max().unwrap_or(0)
        });
        self.memo.each_selected(trail, within, |id| {
            let is_free = !self.free.is_empty() && has(self.free, id) && !has(self.wanted, id);
            // Elements selected outside the roots, or around one, have no effect.
            let matters = |roots: &[NodeId]| roots.iter().any(|&r| document.contains(r, id));
            if is_free || !self.scope.is_none_or(matters) {
                return 0;
            }
            take(id)
        });
    }

    pub(crate) fn select_all(&self, trails: &[Trail]) -> Vec<NodeId> {
        let nodes = union_of(trails.iter().map(|trail| self.select(trail)));
        self.document().outermost(nodes)
    }
}

/// The nodes that any of the paths selects, in document order, without nodes inside other selected
/// nodes.
pub fn select(paths: &[Path], document: &Document) -> Vec<NodeId> {
    document.outermost(select_nested(paths, document))
}

/// All nodes that any of the paths selects, in document order, including nodes inside other selected nodes. Nodes to
/// remove are selected this way, because the nearest selected ancestor of a node decides whether it is kept.
pub fn select_nested(paths: &[Path], document: &Document) -> Vec<NodeId> {
    union_of(paths.iter().map(|path| path.select(document)))
}

/// The union of several selections, in document order, without duplicates.
pub(crate) fn union_of(selections: impl Iterator<Item = Vec<NodeId>>) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = selections.flatten().collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
