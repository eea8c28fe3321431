//! Evaluates paths on a document.

use std::cell::RefCell;

use html5ever::local_name;
use rustc_hash::FxHashMap;

use super::{Path, PathStep, Predicate};
use crate::{Document, ElementKinds, NodeId};

impl Path {
    /// Ids of the selected elements, in ascending order. O(steps · nodes).
    pub fn select(&self, document: &Document) -> Vec<NodeId> {
        let mut selected: Option<Vec<NodeId>> = None;
        for step in &self.steps {
            if selected.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
            selected = Some(step.apply(document, selected.as_deref()));
        }
        selected.unwrap_or_default()
    }
}

/// A cache of the child of each element at the position of a predicate, for one step and one document.
#[derive(Debug, Default)]
pub struct Positions(RefCell<FxHashMap<(usize, NodeId), Option<NodeId>>>);

impl PathStep {
    /// Applies one step to the given elements, or to the document for the first step.
    fn apply(&self, document: &Document, from: Option<&[NodeId]>) -> Vec<NodeId> {
        let mut out = Vec::new();
        let mut test = StepTest::new(self, document);
        match (from, self.deep) {
            (None, false) => out.extend(test.passes(0).then_some(0)),
            (None, true) => out.extend(document.ids().filter(|&id| test.passes(id))),
            (Some(from), true) => {
                let mut done = 0;
                for &context in from {
                    // Contexts are ascending, so a nested one adds nothing to the range already
                    // searched.
                    let range = (context + 1).max(done)..document.node(context).end;
                    done = done.max(range.end);
                    out.extend(range.filter(|&id| test.passes(id)));
                }
            }
            (Some(from), false) => {
                for &context in from {
                    let children = document.children(context);
                    out.extend(children.filter(|&id| test.passes(id)));
                }
                out.sort_unstable();
            }
        }
        out
    }

    /// Whether the element passes the name test and all predicates of this step.
    pub fn matches(&self, document: &Document, id: NodeId) -> bool {
        self.matches_up_to(document, id, self.predicates.len(), &Positions::default())
    }

    fn matches_up_to(
        &self,
        document: &Document,
        id: NodeId,
        predicates: usize,
        known: &Positions,
    ) -> bool {
        self.is_named(document, id) && (0..predicates).all(|at| self.holds(document, id, at, known))
    }

    fn is_named(&self, document: &Document, id: NodeId) -> bool {
        let name = document.name(id);
        name.is_some_and(|name| self.name.as_ref().is_none_or(|wanted| wanted == name))
    }

    /// Whether the predicate at index `at` holds for an element.
    pub fn holds(&self, document: &Document, id: NodeId, at: usize, known: &Positions) -> bool {
        let Predicate::Position(n) = &self.predicates[at] else {
            return self.predicates[at].holds(document, id);
        };
        let Some(parent) = document.parent(id) else { return *n == 1 };
        let key = (at, parent);
        let found = known.0.borrow().get(&key).copied();
        let found = found.unwrap_or_else(|| {
            let before = |&sibling: &NodeId| self.matches_up_to(document, sibling, at, known);
            let mut counted = document.children(parent).filter(before);
            let found = (*n as usize).checked_sub(1).and_then(|before| counted.nth(before));
            known.0.borrow_mut().insert(key, found);
            found
        });
        found == Some(id)
    }
}

/// The test of a step, applied to many elements of one page. Predicates that depend only on the
/// kind are evaluated once per kind.
struct StepTest<'a> {
    step: &'a PathStep,
    document: &'a Document,
    kinds: &'a [u32],
    /// Whether elements of a kind pass, if known.
    of_kinds: Vec<Option<bool>>,
    /// Predicates that are evaluated for each element.
    of_elements: Vec<usize>,
    positions: Positions,
}

impl<'a> StepTest<'a> {
    fn new(step: &'a PathStep, document: &'a Document) -> Self {
        let kinds = document.kinds();
        let each = step.predicates.iter().enumerate();
        let of_elements = each.filter(|(_, p)| !p.depends_on_kind()).map(|(at, _)| at).collect();
        let of_kinds = vec![None; kinds.all().len()];
        let (kinds, positions) = (kinds.of_nodes(), Positions::default());
        Self { step, document, kinds, of_kinds, of_elements, positions }
    }

    /// Whether an element passes: the same result as [`PathStep::matches`].
    #[inline]
    fn passes(&mut self, id: NodeId) -> bool {
        let kind = self.kinds[id as usize] as usize;
        let passes = match self.of_kinds.get(kind) {
            None => return false, // text
            Some(Some(passes)) => *passes,
            Some(None) => self.learn(kind, id),
        };
        let Self { step, document, positions, .. } = self;
        passes && self.of_elements.iter().all(|&at| step.holds(document, id, at, positions))
    }

    fn learn(&mut self, kind: usize, id: NodeId) -> bool {
        let mut by_kind = self.step.predicates.iter().filter(|p| p.depends_on_kind());
        let passes =
            self.step.is_named(self.document, id) && by_kind.all(|p| p.holds(self.document, id));
        self.of_kinds[kind] = Some(passes);
        passes
    }
}

impl Predicate {
    /// Whether the condition holds for all elements of a [kind](ElementKinds) or for none of them.
    pub fn depends_on_kind(&self) -> bool {
        match self {
            Self::HasClass(_) => true,
            Self::Equals(name, _)
            | Self::StartsWith(name, _)
            | Self::Contains(name, _)
            | Self::Has(name) => ElementKinds::tell_by(name),
            Self::Not(inner) => inner.depends_on_kind(),
            Self::All(parts) | Self::Any(parts) => parts.iter().all(Self::depends_on_kind),
            Self::Child(_) | Self::Descendant(_) | Self::Position(_) => false,
        }
    }

    /// Whether the condition holds for the element. Positions depend on their step and never hold
    /// here.
    pub fn holds(&self, document: &Document, id: NodeId) -> bool {
        match self {
            Self::HasClass(token) => {
                let class = document.attribute(id, &local_name!("class")).unwrap_or_default();
                class.len() >= token.len()
                    && class.as_bytes().split(is_space).any(|t| t == token.as_bytes())
            }
            Self::Equals(name, value) => document.attribute(id, name) == Some(value),
            Self::StartsWith(name, value) => {
                document.attribute(id, name).is_some_and(|v| v.starts_with(value.as_str()))
            }
            Self::Contains(name, value) => {
                document.attribute(id, name).is_some_and(|v| v.contains(value.as_str()))
            }
            Self::Has(name) => document.attribute(id, name).is_some(),
            Self::Child(name) => document.children(id).any(|child| document.is(child, name)),
            Self::Descendant(name) => document.subtree(id).skip(1).any(|n| document.is(n, name)),
            Self::Not(inner) => !inner.holds(document, id),
            Self::All(parts) => parts.iter().all(|p| p.holds(document, id)),
            Self::Any(parts) => parts.iter().any(|p| p.holds(document, id)),
            Self::Position(_) => false,
        }
    }
}

/// White space as defined by `normalize-space`, which, unlike HTML, excludes the form feed.
pub fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
