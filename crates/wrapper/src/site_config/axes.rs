//! The page as XPath's data model sees it (W3C 1999, §5), for the evaluator.

use std::cmp::Ordering;

use xpath_eval::{ExpandedName, NodeKind};

use super::tree::{Content, Id, Tree};

/// A node an expression selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// An element, a text, or the document.
    Node(Id),
    /// An attribute of an element, by its index.
    Attribute(Id, usize),
}

/// A node or an attribute of a page.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    tree: &'a Tree,
    id: Id,
    /// Index of the attribute plus one; 0 for the node itself.
    attribute: u32,
}

impl<'a> View<'a> {
    pub(crate) fn of(tree: &'a Tree, id: Id) -> Self {
        Self { tree, id, attribute: 0 }
    }

    pub(crate) fn as_match(self) -> Match {
        match self.attribute.checked_sub(1) {
            Some(at) => Match::Attribute(self.id, at as usize),
            None => Match::Node(self.id),
        }
    }

    fn name_and_value(self) -> Option<&'a (dom::LocalName, String)> {
        self.tree.attributes(self.id).get(self.attribute.checked_sub(1)? as usize)
    }

    fn name(self) -> Option<&'a str> {
        match (self.attribute, self.tree.content(self.id)) {
            (0, Content::Element { name, .. }) => Some(name),
            (0, _) => None,
            _ => self.name_and_value().map(|(name, _)| &**name),
        }
    }
}

impl PartialEq for View<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.id, self.attribute) == (other.id, other.attribute)
    }
}

impl Eq for View<'_> {}

impl<'a> xpath_eval::Node<'a> for View<'a> {
    fn kind(self) -> NodeKind {
        match (self.attribute, self.tree.content(self.id)) {
            (0, Content::Document) => NodeKind::Root,
            (0, Content::Element { .. }) => NodeKind::Element,
            (0, Content::Text(_)) => NodeKind::Text,
            _ => NodeKind::Attribute,
        }
    }

    fn parent(self) -> Option<Self> {
        if self.attribute > 0 {
            return Some(Self { attribute: 0, ..self });
        }
        // When no visits are left, moving up is refused too: walks to the root are short, but many.
        let parent = self.tree.parent(self.id)?;
        self.tree.visit(1);
        Some(Self { id: parent, ..self })
    }

    fn children(self) -> impl Iterator<Item = Self> + 'a {
        let children = (self.attribute == 0).then(|| self.tree.children(self.id));
        children.into_iter().flatten().map(move |id| Self { id, attribute: 0, tree: self.tree })
    }

    fn attributes(self) -> impl Iterator<Item = Self> + 'a {
        let count = if self.attribute == 0 { self.tree.attributes(self.id).len() } else { 0 };
        self.tree.visit(count as u64);
        (1..=count as u32).map(move |attribute| Self { attribute, ..self })
    }

    fn namespaces(self) -> impl Iterator<Item = Self> + 'a {
        std::iter::empty()
    }

    fn expanded_name(self) -> Option<ExpandedName> {
        let local_name = self.name()?.to_owned();
        Some(ExpandedName { namespace_uri: None, local_name })
    }

    fn string_value(self) -> String {
        match self.name_and_value() {
            Some((_, value)) => {
                self.tree.visit(value.len() as u64 / 8);
                value.clone()
            }
            None => self.tree.text_of(self.id),
        }
    }

    fn document_order(self, other: Self) -> Ordering {
        let key = |view: Self| (view.tree.place(view.id), view.attribute);
        key(self).cmp(&key(other))
    }

    fn has_expanded_name(self, namespace_uri: Option<&str>, local_name: &str) -> bool {
        namespace_uri.is_none() && self.name() == Some(local_name)
    }

    fn with_string_value<R>(self, f: impl FnOnce(&str) -> R) -> R {
        match self.name_and_value() {
            Some((_, value)) => {
                self.tree.visit(value.len() as u64 / 64);
                f(value)
            }
            None => f(&self.tree.text_of(self.id)),
        }
    }

    fn is_id_attribute(self) -> bool {
        self.attribute > 0 && self.name() == Some("id")
    }
}
