//! Sample pages made ready for trying many expressions on them.

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};
use std::rc::Rc;

use dom::xpath::{Step, Test};
use dom::{Document, LocalName, NodeId};
use rustc_hash::FxHashMap;

use crate::Wanted;
use crate::label::{labels_of, weak_labels_of};
use crate::selection::union_of;
use crate::steps::{Condition, Steps, Stride, TestId, Trail};

/// A page that remembers which elements pass the tests of steps, wherever they are. Expressions for one
/// page are put together from few steps.
pub(crate) struct Memo<'a> {
    document: &'a Document,
    steps: Rc<Steps>,
    /// Where in `named` the elements of a tag are.
    places: FxHashMap<&'a LocalName, usize>,
    named: Vec<Vec<NodeId>>,
    /// What is known of tests, by their numbers.
    tests: RefCell<Vec<Option<Tested>>>,
    /// The conditions that hold for elements of a kind, by its number.
    labels: RefCell<FxHashMap<u32, Rc<[Condition]>>>,
}

/// What is known of a test on a page.
struct Tested {
    test: Test<Rc<Step>>,
    /// What it said of elements that had to be asked themselves.
    of_elements: FxHashMap<NodeId, bool>,
    /// All elements that pass.
    passing: Option<Rc<[NodeId]>>,
}

impl Tested {
    fn passes(&mut self, document: &Document, id: NodeId) -> bool {
        let Self { test, of_elements, .. } = self;
        if test.is_told_by_kind() {
            return test.passes(document, id);
        }
        *of_elements.entry(id).or_insert_with(|| test.passes(document, id))
    }
}

impl<'a> Memo<'a> {
    pub(crate) fn new(document: &'a Document, steps: Rc<Steps>) -> Self {
        let mut places: FxHashMap<&LocalName, usize> = FxHashMap::default();
        let mut named: Vec<Vec<NodeId>> = Vec::new();
        let kinds = document.kinds();
        let place = |name| {
            *places.entry(name).or_insert_with(|| {
                named.push(Vec::new());
                named.len() - 1
            })
        };
        let names = kinds.all().iter().filter_map(|kind| document.name(kind.first));
        let of_kinds: Vec<usize> = names.map(place).collect();
        for (id, &kind) in kinds.of_nodes().iter().enumerate() {
            if let Some(&place) = of_kinds.get(kind as usize) {
                named[place].push(id as NodeId);
            }
        }
        let (tests, labels) = (RefCell::default(), RefCell::default());
        Self { document, steps, places, named, tests, labels }
    }

    pub(crate) fn document(&self) -> &'a Document {
        self.document
    }

    pub(crate) fn steps(&self) -> &Steps {
        &self.steps
    }

    /// What the attributes of an element say of it, cheapest first.
    pub(crate) fn labels(&self, id: NodeId) -> Rc<[Condition]> {
        let kind = self.document.kinds().of_nodes()[id as usize];
        let mut labels = self.labels.borrow_mut();
        let labels = labels.entry(kind).or_insert_with(|| {
            let labels = labels_of(self.document, id);
            labels.iter().map(|label| self.steps.condition(label)).collect()
        });
        Rc::clone(labels)
    }

    /// The same of what it has not and what is in it.
    pub(crate) fn weak_labels(&self, id: NodeId) -> Vec<Condition> {
        let labels = weak_labels_of(self.document, id);
        labels.iter().map(|label| self.steps.condition(label)).collect()
    }

    fn tested<T>(&self, id: TestId, ask: impl FnOnce(&mut Tested) -> T) -> T {
        let mut tests = self.tests.borrow_mut();
        let at = id.0 as usize;
        if tests.len() <= at {
            tests.resize_with(at + 1, || None);
        }
        ask(tests[at].get_or_insert_with(|| Tested {
            test: Test::new(self.steps.step(id), self.document),
            of_elements: FxHashMap::default(),
            passing: None,
        }))
    }

    /// Whether an element passes a test.
    pub(crate) fn passes(&self, test: TestId, id: NodeId) -> bool {
        self.tested(test, |tested| tested.passes(self.document, id))
    }

    /// All elements that pass a test.
    fn passing(&self, test: TestId) -> Rc<[NodeId]> {
        self.tested(test, |tested| {
            if let Some(passing) = &tested.passing {
                return Rc::clone(passing);
            }
            let passing: Rc<[NodeId]> = match &self.steps.step(test).name {
                None => {
                    self.document.ids().filter(|&id| tested.passes(self.document, id)).collect()
                }
                Some(name) => {
                    let named = self.places.get(name).map_or(&[][..], |&at| &self.named[at][..]);
                    named.iter().copied().filter(|&id| tested.passes(self.document, id)).collect()
                }
            };
            tested.passing = Some(Rc::clone(&passing));
            passing
        })
    }

    /// The elements that a path selects, rising.
    pub(crate) fn select(&self, trail: &[Stride]) -> Vec<NodeId> {
        let mut selected = Vec::new();
        self.each_selected(trail, self.document.ids(), |id| {
            selected.push(id);
            ControlFlow::Continue(())
        });
        selected
    }

    /// Hands out the elements that a path selects within a part of the page, rising, until that is enough.
    fn each_selected(
        &self,
        trail: &[Stride],
        within: Range<NodeId>,
        mut take: impl FnMut(NodeId) -> ControlFlow<()>,
    ) {
        let Some(last) = trail.last() else { return };
        // From here on steps lead from parents to children.
        let from = trail.iter().rposition(|stride| stride.deep).unwrap_or(0);
        let passing = self.passing(last.test);
        let mut left = part(&passing, within);
        let chain = &trail[from..trail.len() - 1];
        let mut chain = Chain { page: self, tests: chain, before: None };
        if from == 0 {
            for &id in left {
                let top = chain.climb(id);
                let is_reached = top.is_some_and(|top| trail[0].deep || top == 0);
                if is_reached && take(id).is_break() {
                    return;
                }
            }
            return;
        }
        if left.is_empty() {
            return;
        }
        let mut end = 0;
        for context in self.select(&trail[..from]) {
            if context < end {
                continue; // inside the one before
            }
            end = self.document.node(context).end;
            for &id in part(left, context + 1..end) {
                let is_reached = chain.climb(id).is_some_and(|top| top > context);
                if is_reached && take(id).is_break() {
                    return;
                }
            }
            left = part(left, end..NodeId::MAX);
        }
    }

    /// Whether any element passes a test.
    pub(crate) fn has(&self, test: TestId) -> bool {
        let told = self.tested(test, |tested| tested.test.is_told_by_kind());
        if !told {
            return !self.passing(test).is_empty();
        }
        self.document.kinds().all().iter().any(|kind| self.passes(test, kind.first))
    }
}

/// Those of some nodes (rising) that lie in a range.
fn part(nodes: &[NodeId], range: Range<NodeId>) -> &[NodeId] {
    let from = nodes.partition_point(|&id| id < range.start);
    let nodes = &nodes[from..];
    &nodes[..nodes.partition_point(|&id| id < range.end)]
}

/// Steps from parents to children, gone up from below.
struct Chain<'c, 'a> {
    page: &'c Memo<'a>,
    tests: &'c [Stride],
    /// What came of it from the last parent: elements beside each other come one after the other.
    before: Option<(NodeId, Option<NodeId>)>,
}

impl Chain<'_, '_> {
    /// The element that the first step must have led to for the last to lead to this one.
    fn climb(&mut self, id: NodeId) -> Option<NodeId> {
        if self.tests.is_empty() {
            return Some(id);
        }
        let parent = self.page.document.parent(id)?;
        if let Some((_, top)) = self.before.filter(|before| before.0 == parent) {
            return top;
        }
        let top = self.climb_from(parent);
        self.before = Some((parent, top));
        top
    }

    fn climb_from(&self, parent: NodeId) -> Option<NodeId> {
        let mut above = Some(parent);
        let mut top = None;
        for stride in self.tests.iter().rev() {
            let id = above.filter(|&id| self.page.passes(stride.test, id))?;
            above = self.page.document.parent(id);
            top = Some(id);
        }
        top
    }
}

/// A page with what is wanted on it.
#[derive(Clone, Copy)]
pub(crate) struct Page<'a> {
    pub(crate) memo: &'a Memo<'a>,
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

    /// The elements that a path selects, but for those that do not matter.
    pub(crate) fn select(&self, trail: &[Stride]) -> Vec<NodeId> {
        let mut selected = Vec::new();
        self.each_selected(trail, |id| {
            selected.push(id);
            ControlFlow::Continue(())
        });
        selected
    }

    /// The same one by one, rising, until that is enough.
    pub(crate) fn each_selected(
        &self,
        trail: &[Stride],
        mut take: impl FnMut(NodeId) -> ControlFlow<()>,
    ) {
        let has = |nodes: &[NodeId], id: NodeId| nodes.binary_search(&id).is_ok();
        let document = self.document();
        let within = self.scope.map_or(document.ids(), |roots| {
            let ends = roots.iter().map(|&root| document.node(root).end);
            roots.iter().copied().min().unwrap_or(0)..ends.max().unwrap_or(0)
        });
        self.memo.each_selected(trail, within, |id| {
            let is_free = !self.free.is_empty() && has(self.free, id) && !has(self.wanted, id);
            // What it selects elsewhere, or around a root, changes nothing.
            let matters = |roots: &[NodeId]| roots.iter().any(|&r| document.contains(r, id));
            if is_free || !self.scope.is_none_or(matters) {
                return ControlFlow::Continue(());
            }
            take(id)
        });
    }

    /// What `selection::select` gives.
    pub(crate) fn select_all(&self, trails: &[Trail]) -> Vec<NodeId> {
        let nodes = union_of(trails.iter().map(|trail| self.select(trail)));
        self.document().outermost(nodes)
    }
}
