//! A mutable page, and its view for the XPath evaluator (data model of W3C 1999, §5).

use std::cell::{Cell, OnceCell};
use std::cmp::Ordering;

use dom::{Document, LocalName, NodeId};
use xpath_eval::{ExpandedName, NodeKind};

/// A node's index in the arena.
pub(crate) type Id = u32;

/// The document itself, the parent of the root element.
pub(crate) const ROOT: Id = 0;

const NONE: Id = Id::MAX;

/// Maximum number of visits to nodes for all expressions on a page together: this number per node, plus a constant. A
/// simple expression takes about three visits per node.
const VISITS_A_NODE: u64 = 500;
const MORE_VISITS: u64 = 20_000_000;

#[derive(Debug)]
struct TreeNode {
    content: EditableContent,
    parent: Id,
    previous: Id,
    next: Id,
    first: Id,
    last: Id,
    /// Removed: no longer visible to expressions.
    removed: bool,
}

#[derive(Debug)]
pub(crate) enum EditableContent {
    Document,
    Element { name: LocalName, attributes: Vec<(LocalName, String)> },
    Text(String),
}

#[derive(Debug)]
pub(crate) struct EditableTree {
    nodes: Vec<TreeNode>,
    /// Position of each node in document order; reset when a node is moved.
    order: OnceCell<Vec<u32>>,
    visits: Cell<u64>,
}

impl EditableTree {
    /// Copies a parsed page. The node with id n in the document gets id n + 1.
    pub(crate) fn of(document: &Document) -> Self {
        let visits = MORE_VISITS + VISITS_A_NODE * document.len() as u64;
        let mut tree =
            Self { nodes: Vec::new(), order: OnceCell::new(), visits: Cell::new(visits) };
        tree.push(EditableContent::Document);
        for id in document.ids() {
            let content = match document.element(id) {
                Some(element) => EditableContent::Element {
                    name: element.name.clone(),
                    attributes: element
                        .attributes()
                        .map(|(name, value)| (name.clone(), value.to_owned()))
                        .collect(),
                },
                None => EditableContent::Text(document.text(id).unwrap_or_default().to_owned()),
            };
            let new = tree.push(content);
            tree.append(document.parent(id).map_or(ROOT, |parent: NodeId| parent + 1), new);
        }
        tree
    }

    fn push(&mut self, content: EditableContent) -> Id {
        self.nodes.push(TreeNode {
            content,
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            removed: false,
        });
        self.nodes.len() as Id - 1
    }

    /// Number of nodes, including removed ones.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn node(&self, id: Id) -> &TreeNode {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: Id) -> &mut TreeNode {
        &mut self.nodes[id as usize]
    }

    pub(crate) fn content(&self, id: Id) -> &EditableContent {
        &self.node(id).content
    }

    /// Attributes of an element; empty for others.
    pub(crate) fn attributes(&self, id: Id) -> &[(LocalName, String)] {
        match self.content(id) {
            EditableContent::Element { attributes, .. } => attributes,
            _ => &[],
        }
    }

    pub(crate) fn attribute(&self, id: Id, name: &str) -> Option<&str> {
        self.attributes(id).iter().find(|(n, _)| &**n == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn attributes_mut(&mut self, id: Id) -> Option<&mut Vec<(LocalName, String)>> {
        match &mut self.node_mut(id).content {
            EditableContent::Element { attributes, .. } => Some(attributes),
            _ => None,
        }
    }

    pub(crate) fn is_image(&self, id: Id) -> bool {
        matches!(self.content(id), EditableContent::Element { name, .. } if &**name == "img")
    }

    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        Some(self.node(id).parent).filter(|&parent| parent != NONE)
    }

    /// The children that are not removed. Each child costs a visit, even a removed one; ends when no visits are left.
    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let some = |id: Id| Some(id).filter(|&id| id != NONE);
        std::iter::successors(some(self.node(id).first), move |&child| some(self.node(child).next))
            .take_while(|_| self.visit(1))
            .filter(|&child| !self.node(child).removed)
    }

    /// Counts visits; false if there are none left.
    pub(crate) fn visit(&self, visits: u64) -> bool {
        let left = self.visits.get().saturating_sub(visits);
        self.visits.set(left);
        left > 0
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.visits.get() == 0
    }

    /// A subtree in document order, its root first, including removed nodes.
    pub(crate) fn subtree(&self, root: Id) -> impl Iterator<Item = Id> + '_ {
        let up = move |mut id: Id| loop {
            if id == root {
                return None;
            }
            let node = self.node(id);
            if node.next != NONE {
                return Some(node.next);
            }
            id = node.parent;
        };
        std::iter::successors(Some(root), move |&id| {
            let first = self.node(id).first;
            if first == NONE { up(id) } else { Some(first) }
        })
    }

    /// The text of a subtree without removed nodes. Costs a visit per node, and more in proportion to the length of the text.
    pub(crate) fn text_of(&self, root: Id) -> String {
        let mut text = String::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if let EditableContent::Text(piece) = self.content(id) {
                if !self.visit(1 + piece.len() as u64 / 8) {
                    break;
                }
                text.push_str(piece);
            }
            let start = stack.len();
            stack.extend(self.children(id));
            stack[start..].reverse();
        }
        text
    }

    /// The text of a node, or the value of an attribute.
    pub(crate) fn value_of(&self, found: Match) -> String {
        match found {
            Match::Node(id) => self.text_of(id),
            Match::Attribute(id, at) => {
                self.attributes(id).get(at).map_or_else(String::new, |own| own.1.clone())
            }
        }
    }

    pub(crate) fn is_removed_root(&self, id: Id) -> bool {
        self.node(id).removed
    }

    pub(crate) fn remove(&mut self, id: Id) {
        self.node_mut(id).removed = true;
    }

    pub(crate) fn place(&self, id: Id) -> u32 {
        let order = self.order.get_or_init(|| {
            let mut order = vec![u32::MAX; self.nodes.len()];
            for (place, id) in self.subtree(ROOT).enumerate() {
                order[id as usize] = place as u32;
            }
            order
        });
        order.get(id as usize).copied().unwrap_or(u32::MAX)
    }

    /// Whether `inner` is `outer` or lies in it.
    pub(crate) fn contains(&self, outer: Id, inner: Id) -> bool {
        std::iter::successors(Some(inner), |&id| self.parent(id)).any(|id| id == outer)
    }

    /// Links two neighbouring children of a node. If one of them is `NONE`, the other becomes the first or the last child.
    fn join(&mut self, parent: Id, previous: Id, next: Id) {
        match previous {
            NONE => self.node_mut(parent).first = next,
            _ => self.node_mut(previous).next = next,
        }
        match next {
            NONE => self.node_mut(parent).last = previous,
            _ => self.node_mut(next).previous = previous,
        }
    }

    fn detach(&mut self, id: Id) {
        self.order.take();
        let TreeNode { parent, previous, next, .. } = *self.node(id);
        if parent != NONE {
            self.join(parent, previous, next);
        }
        let node = self.node_mut(id);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Moves a node to the end of another's children.
    pub(crate) fn append(&mut self, parent: Id, id: Id) {
        self.detach(id);
        self.node_mut(id).parent = parent;
        self.join(parent, self.node(parent).last, id);
        self.node_mut(parent).last = id;
    }

    fn insert_before(&mut self, sibling: Id, id: Id) {
        self.detach(id);
        let TreeNode { parent, previous, .. } = *self.node(sibling);
        self.node_mut(id).parent = parent;
        self.join(parent, previous, id);
        self.join(parent, id, sibling);
    }

    pub(crate) fn wrap(&mut self, id: Id, name: &LocalName) {
        if self.parent(id).is_none_or(|parent| parent == ROOT) {
            return;
        }
        let around =
            self.push(EditableContent::Element { name: name.clone(), attributes: Vec::new() });
        self.insert_before(id, around);
        self.append(around, id);
    }

    /// Replaces an element by its children.
    pub(crate) fn dissolve(&mut self, id: Id) {
        let is_element = matches!(self.content(id), EditableContent::Element { .. });
        if !is_element || self.parent(id).is_none_or(|parent| parent == ROOT) {
            return;
        }
        while let Some(child) = Some(self.node(id).first).filter(|&child| child != NONE) {
            self.insert_before(id, child);
        }
        self.detach(id);
    }
}

/// A node that an expression selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// An element, a text, or the document.
    Node(Id),
    /// An attribute of an element, by its index.
    Attribute(Id, usize),
}

/// The nodes in the result of an expression: elements and texts.
pub(crate) fn elements_of(found: &[Match]) -> Vec<Id> {
    let element = |found: &Match| match *found {
        Match::Node(id) if id != ROOT => Some(id),
        _ => None,
    };
    found.iter().filter_map(element).collect()
}

/// A node or an attribute of a page.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    tree: &'a EditableTree,
    id: Id,
    /// Index of the attribute plus one; 0 for the node itself.
    attribute: u32,
}

impl<'a> View<'a> {
    pub(crate) fn of(tree: &'a EditableTree, id: Id) -> Self {
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
            (0, EditableContent::Element { name, .. }) => Some(name),
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
            (0, EditableContent::Document) => NodeKind::Root,
            (0, EditableContent::Element { .. }) => NodeKind::Element,
            (0, EditableContent::Text(_)) => NodeKind::Text,
            _ => NodeKind::Attribute,
        }
    }

    fn parent(self) -> Option<Self> {
        if self.attribute > 0 {
            return Some(Self { attribute: 0, ..self });
        }
        // When no visits are left, moving up is refused, too: walks to the root are short, but there are many.
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
