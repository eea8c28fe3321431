//! Which elements of a document a path selects.

use html5ever::local_name;

use super::{Path, Predicate, Step};
use crate::{Document, NodeId};

impl Path {
    /// Ids of the elements the path selects, rising. O(steps · nodes) but for positions.
    pub fn select(&self, document: &Document) -> Vec<NodeId> {
        let mut selected: Option<Vec<NodeId>> = None;
        for step in &self.steps {
            selected = Some(step.apply(document, selected.as_deref()));
        }
        selected.unwrap_or_default()
    }
}

impl Step {
    /// One step from the given elements, or from the document where there are none yet.
    fn apply(&self, document: &Document, from: Option<&[NodeId]>) -> Vec<NodeId> {
        let mut out = Vec::new();
        match (from, self.deep) {
            (None, false) => out.extend(self.matches(document, 0).then_some(0)),
            (None, true) => out.extend(document.ids().filter(|&id| self.matches(document, id))),
            (Some(from), true) => {
                let mut done = 0;
                for &context in from {
                    // Contexts rise, so a nested one adds nothing to the range already searched.
                    let range = (context + 1).max(done)..document.node(context).end;
                    done = done.max(range.end);
                    out.extend(range.filter(|&id| self.matches(document, id)));
                }
            }
            (Some(from), false) => {
                for &context in from {
                    let children = document.children(context);
                    out.extend(children.filter(|&id| self.matches(document, id)));
                }
                out.sort_unstable();
            }
        }
        out
    }

    /// Whether the element passes the name test and all predicates of this step.
    pub fn matches(&self, document: &Document, id: NodeId) -> bool {
        self.matches_up_to(document, id, self.predicates.len())
    }

    fn matches_up_to(&self, document: &Document, id: NodeId, predicates: usize) -> bool {
        let Some(name) = document.name(id) else { return false };
        if self.name.as_ref().is_some_and(|wanted| wanted != name) {
            return false;
        }
        self.predicates[..predicates].iter().enumerate().all(|(i, predicate)| match predicate {
            Predicate::Position(n) => {
                let before = match document.parent(id) {
                    Some(parent) => document
                        .children(parent)
                        .take_while(|&sibling| sibling < id)
                        .filter(|&sibling| self.matches_up_to(document, sibling, i))
                        .count(),
                    None => 0,
                };
                before + 1 == *n as usize
            }
            predicate => predicate.holds(document, id),
        })
    }
}

impl Predicate {
    /// Whether the condition holds for the element. Positions depend on the step they stand in
    /// and never hold here.
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

/// White space as `normalize-space` sees it: unlike in HTML, a form feed is none.
fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
