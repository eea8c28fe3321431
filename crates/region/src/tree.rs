//! The tree of an article while it is built.

use std::borrow::Cow;
use std::collections::BTreeMap;

use dom::{LocalName, local_name};

/// A node's position in [`RegionTree::nodes`]; the root is 0.
pub(crate) type At = usize;

#[derive(Debug, Default)]
pub(crate) struct RegionNode<'a> {
    /// The tag; `None` for text.
    pub(crate) name: Option<LocalName>,
    pub(crate) attributes: Vec<(LocalName, Cow<'a, str>)>,
    pub(crate) text: Cow<'a, str>,
    pub(crate) children: Vec<At>,
    pub(crate) mark: NodeMark,
}

/// The role of a node, in addition to its tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NodeMark {
    #[default]
    None,
    /// It names the owner of a picture.
    Credit,
    /// It is a caption outside a figure.
    Caption,
    /// An item of an ordered list.
    Numbered,
    /// It is, or begins, a note.
    Note,
    /// It is the label that a note begins with.
    NoteLabel,
    Reference,
    /// It stands for an embedded medium.
    Embed,
    /// A text that is shown, but is not part of the article's text.
    Unread,
    /// White space in place of an omitted element that separated paragraphs.
    Gap,
    /// It marks the beginning of a post of a thread.
    Post,
}

#[derive(Debug, Default)]
pub(crate) struct RegionTree<'a> {
    pub(crate) nodes: Vec<RegionNode<'a>>,
    /// The sources of pictures that are in no attribute.
    pub(crate) others: BTreeMap<At, Vec<String>>,
    /// The formulas as they are written in text.
    pub(crate) formulas: BTreeMap<At, String>,
}

impl<'a> RegionTree<'a> {
    /// Creates a tree with a root and room for this many nodes.
    pub(crate) fn new(nodes: usize) -> Self {
        let mut tree = Self { nodes: Vec::with_capacity(nodes), ..Self::default() };
        tree.element(local_name!("html"));
        tree
    }

    fn node(&mut self, name: Option<LocalName>, text: Cow<'a, str>) -> At {
        self.nodes.push(RegionNode { name, text, ..RegionNode::default() });
        self.nodes.len() - 1
    }

    /// Adds an element without a parent.
    pub(crate) fn element(&mut self, name: LocalName) -> At {
        self.node(Some(name), Cow::Borrowed(""))
    }

    /// Adds an element as the last child of another.
    pub(crate) fn push(&mut self, parent: At, name: LocalName) -> At {
        let at = self.element(name);
        self.nodes[parent].children.push(at);
        at
    }

    /// Adds text without a parent.
    pub(crate) fn text(&mut self, text: &'static str) -> At {
        self.node(None, Cow::Borrowed(text))
    }

    /// Adds text as the last child of an element.
    pub(crate) fn push_text(&mut self, parent: At, text: impl Into<Cow<'a, str>>) -> At {
        let at = self.node(None, text.into());
        self.nodes[parent].children.push(at);
        at
    }

    pub(crate) fn set(&mut self, at: At, name: LocalName, value: impl Into<Cow<'a, str>>) {
        self.nodes[at].attributes.push((name, value.into()));
    }

    pub(crate) fn attribute(&self, at: At, name: &LocalName) -> Option<&str> {
        self.nodes[at].attributes.iter().find(|a| a.0 == *name).map(|a| &*a.1)
    }

    /// Returns an attribute whose name is not a constant of the parser.
    pub(crate) fn data(&self, at: At, name: &str) -> Option<&str> {
        self.nodes[at].attributes.iter().find(|a| *a.0 == *name).map(|a| &*a.1)
    }

    pub(crate) fn is(&self, at: At, name: &LocalName) -> bool {
        self.nodes[at].name.as_ref() == Some(name)
    }

    /// Whether a node is text of white space only.
    pub(crate) fn is_space(&self, at: At) -> bool {
        self.nodes[at].name.is_none()
            && self.nodes[at].text.bytes().all(|b| b.is_ascii_whitespace())
    }

    /// Returns a node and all nodes below it, in document order.
    pub(crate) fn below(&self, at: At) -> impl Iterator<Item = At> {
        let mut next = vec![at];
        std::iter::from_fn(move || {
            let at = next.pop()?;
            next.extend(self.nodes[at].children.iter().rev());
            Some(at)
        })
    }

    /// Returns the elements with this name, in document order.
    pub(crate) fn all(&self, name: LocalName) -> impl Iterator<Item = At> {
        self.below(0).filter(move |&at| self.is(at, &name))
    }

    /// Returns the children of an element that are not white space.
    pub(crate) fn shown_children(&self, at: At) -> impl DoubleEndedIterator<Item = At> {
        self.nodes[at].children.iter().copied().filter(|&child| !self.is_space(child))
    }

    /// Returns the text below a node, with white space collapsed.
    pub(crate) fn text_of(&self, at: At) -> String {
        self.text_below(at, |_| false)
    }

    /// Like `text_of`, without the nodes for which `leave` is true.
    pub(crate) fn text_below(&self, at: At, leave: impl Fn(At) -> bool) -> String {
        let mut text = String::new();
        let mut next = vec![at];
        while let Some(at) = next.pop() {
            let node = &self.nodes[at];
            match &node.name {
                None => text.push_str(&node.text),
                Some(_) if leave(at) => {}
                Some(_) if self.formulas.contains_key(&at) => text.push_str(&self.formulas[&at]),
                Some(name) => {
                    if !dom::is_inline(name) {
                        text.push(' ');
                    }
                    next.extend(node.children.iter().rev());
                }
            }
        }
        dom::normalize_space(&text)
    }
}
