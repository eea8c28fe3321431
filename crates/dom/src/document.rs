//! The flat tree: nodes in document order, with their attributes and text in shared buffers.

use std::sync::OnceLock;

use html5ever::LocalName;

use crate::flow::inline_by_place;
use crate::head::Head;
use crate::kinds::ElementKinds;

/// Position of a node in document order (pre-order); the root is 0.
pub type NodeId = u32;

/// A range of bytes or of attributes in one of the document's buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BufferRange {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl BufferRange {
    #[inline]
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// An element or a text node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Tag name; `None` for text.
    pub name: Option<LocalName>,
    /// The parent; the root is its own parent.
    pub parent: NodeId,
    /// One past the last node of the subtree.
    pub end: NodeId,
    /// Depth: 0 for the root element.
    pub level: u16,
    /// The range of an element's attributes, or of a text node's bytes.
    pub(crate) span: BufferRange,
}

#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: LocalName,
    pub(crate) value: BufferRange,
}

/// What the parser left out of a page because of its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseNotes {
    /// Elements beyond the depth limit whose tags were left out. Their content was kept.
    pub too_deep: u32,
    /// Elements beyond the node limit whose tags were left out.
    pub too_many: u32,
    /// Number of attributes that were left out: of tags with too many (one for each tag longer than a piece), and of elements
    /// that the parsing algorithm copied repeatedly.
    pub attributes: u32,
    /// Whether the rest of the page was left out because its tree exceeded its
    /// [`Room`](crate::Room).
    pub cut: bool,
    /// Steps of the parse: tokens, attributes read or copied, nodes moved; where html5ever builds the tree, also elements
    /// examined in searches of its lists and nodes inserted. They depend only on the page and the limits.
    pub steps: u64,
    /// Whether parsing was abandoned because the page took more than
    /// [`max_steps`](crate::ParseOptions). Its tree is then empty.
    pub given_up: bool,
    /// Whether html5ever's own tokenizer read the page, because it contains NUL characters.
    pub by_html5ever: bool,
}

impl ParseNotes {
    /// Whether anything was left out because the tree of the page was too large.
    pub fn outgrown(&self) -> bool {
        self.cut || self.too_deep > 0 || self.too_many > 0 || self.attributes > 0
    }
}

/// A parsed page.
#[derive(Clone, Debug, Default)]
pub struct Document {
    pub(crate) nodes: Vec<Node>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) values: String,
    pub(crate) text: String,
    pub(crate) head: Head,
    pub(crate) notes: ParseNotes,
    pub(crate) aside: Option<Box<Aside>>,
    /// Computed on first use, like the next field.
    pub(crate) kinds: OnceLock<ElementKinds>,
    pub(crate) inline: OnceLock<Vec<NodeId>>,
}

/// Elements that are shown on the page but are not part of the tree, because they have no readable text: frames and other
/// embedded media, formulas, and pictures in `noscript`.
#[derive(Clone, Debug, Default)]
pub struct Aside {
    /// Their subtrees, as children of the root.
    pub document: Document,
    /// Their places in the page, in document order.
    pub places: Vec<AsidePlace>,
}

/// The place of an element that is not part of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsidePlace {
    /// Its parent element in the page.
    pub parent: NodeId,
    /// The node of the page that comes next in document order; the number of nodes if none does.
    pub before: NodeId,
    /// Bytes of the previous node before the place, if that is a text: the texts on both sides of it are one node.
    pub within: u32,
    /// Its id in [`Aside::document`].
    pub id: NodeId,
}

impl AsidePlace {
    /// Whether the place is in the middle of this text of the page.
    pub fn is_within(&self, document: &Document, text: NodeId) -> bool {
        let is_before_end = |own: &str| (self.within as usize) < own.len();
        self.before == text + 1
            && document.parent(text) == Some(self.parent)
            && document.text(text).is_some_and(is_before_end)
    }
}

impl Document {
    /// Number of nodes.
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes (never for a parsed page: it has a root).
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether two pages have the same tree: elements with their attributes, text, and head. Notes
    /// may differ.
    pub fn same_tree(&self, other: &Self) -> bool {
        let same = |id: NodeId| {
            let (a, b) = (self.node(id), other.node(id));
            let attributes = match (self.element(id), other.element(id)) {
                (Some(a), Some(b)) => a.attributes().eq(b.attributes()),
                (None, None) => self.text(id) == other.text(id),
                _ => false,
            };
            (&a.name, a.parent, a.end, a.level) == (&b.name, b.parent, b.end, b.level) && attributes
        };
        let same_aside = match (self.aside(), other.aside()) {
            (Some(own), Some(others)) => {
                own.places == others.places && own.document.same_tree(&others.document)
            }
            (None, None) => true,
            _ => false,
        };
        self.len() == other.len() && self.head == other.head && self.ids().all(same) && same_aside
    }

    /// The elements that are shown on the page without being part of the tree; `None` if there are none.
    pub fn aside(&self) -> Option<&Aside> {
        self.aside.as_deref()
    }

    pub(crate) fn push(
        &mut self,
        name: Option<&LocalName>,
        parent: NodeId,
        level: usize,
        span: BufferRange,
    ) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let level = level.min(u16::MAX as usize) as u16;
        // Constructed in place, after the vector has grown.
        let node = || Node { name: name.cloned(), parent, end: id + 1, level, span };
        self.nodes.extend(std::iter::once_with(node));
        id
    }

    /// Stored attributes as name and value.
    #[inline]
    pub(crate) fn stored(
        &self,
        span: BufferRange,
    ) -> impl Iterator<Item = (&LocalName, &str)> + Clone {
        let value = |range: BufferRange| &self.values[range.range()];
        self.attributes[span.range()].iter().map(move |own| (&own.name, value(own.value)))
    }

    pub(crate) fn push_attributes<'a>(
        &mut self,
        attributes: impl Iterator<Item = (&'a LocalName, &'a str)>,
    ) -> BufferRange {
        let first = self.attributes.len() as u32;
        for (name, value) in attributes {
            let start = self.values.len() as u32;
            self.values.push_str(value);
            let value = BufferRange { start, end: self.values.len() as u32 };
            self.attributes.push(Attribute { name: name.clone(), value });
        }
        BufferRange { start: first, end: self.attributes.len() as u32 }
    }

    /// The place after the last node, for an element that is not part of the tree.
    pub(crate) fn place_after_all(&self, parent: NodeId) -> AsidePlace {
        let text = self.nodes.last().filter(|last| last.name.is_none() && last.parent == parent);
        let within = text.map_or(0, |text| text.span.end - text.span.start);
        AsidePlace { parent, before: self.nodes.len() as NodeId, within, id: 0 }
    }

    /// Appends a text. Returns the text node that contains it.
    pub(crate) fn push_text(&mut self, text: &str, parent: NodeId, level: usize) -> NodeId {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        let end = self.text.len() as u32;
        if let Some(last) = self.nodes.last_mut()
            && last.name.is_none()
            && last.parent == parent
            && last.span.end == start
        {
            last.span.end = end;
            return self.nodes.len() as NodeId - 1;
        }
        self.push(None, parent, level, BufferRange { start, end })
    }

    /// Sorts nodes, and removes duplicates and nodes inside others. O(k log k).
    pub fn outermost(&self, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
        nodes.sort_unstable();
        let mut end = 0;
        nodes.retain(|&id| {
            let outside = id >= end;
            if outside {
                end = self.node(id).end;
            }
            outside
        });
        nodes
    }

    /// All nodes in document order; the index is the [`NodeId`].
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node with this id.
    ///
    /// # Panics
    /// If this document has no node with this id.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Ids of all nodes, in document order.
    #[inline]
    pub fn ids(&self) -> std::ops::Range<NodeId> {
        0..self.nodes.len() as NodeId
    }

    /// Ids of the subtree of a node, itself first.
    #[inline]
    pub fn subtree(&self, id: NodeId) -> std::ops::Range<NodeId> {
        id..self.node(id).end
    }

    /// Whether `inner` lies in the subtree of `outer` (or is the same node).
    #[inline]
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        self.subtree(outer).contains(&inner)
    }

    /// The element with this id, or `None` for text.
    #[inline]
    pub fn element(&self, id: NodeId) -> Option<Element<'_>> {
        let name = self.node(id).name.as_ref()?;
        Some(Element { document: self, id, name })
    }

    /// The tag name of an element, `None` for text.
    #[inline]
    pub fn name(&self, id: NodeId) -> Option<&LocalName> {
        self.node(id).name.as_ref()
    }

    /// Whether the node is an element with this tag name.
    #[inline]
    pub fn is(&self, id: NodeId, name: &LocalName) -> bool {
        self.node(id).name.as_ref() == Some(name)
    }

    /// The content of a text node, `None` for an element.
    #[inline]
    pub fn text(&self, id: NodeId) -> Option<&str> {
        let node = self.node(id);
        node.name.is_none().then(|| &self.text[node.span.range()])
    }

    /// The content of all text nodes, concatenated.
    #[inline]
    pub fn all_text(&self) -> &str {
        &self.text
    }

    /// The text of a subtree: its text nodes, concatenated.
    pub fn text_content(&self, id: NodeId) -> &str {
        // Text is stored in document order in one buffer, so the text of a subtree is one range of
        // it.
        let nodes = self.nodes[id as usize..self.node(id).end as usize].iter();
        let spans = nodes.filter(|node| node.name.is_none()).map(|node| node.span);
        let whole = spans.reduce(|first, last| BufferRange { start: first.start, end: last.end });
        whole.map_or("", |whole| &self.text[whole.range()])
    }

    /// The value of an attribute of an element.
    #[inline]
    pub fn attribute(&self, id: NodeId, name: &LocalName) -> Option<&str> {
        self.element(id)?.attribute(name)
    }

    /// The parent, `None` for the root.
    #[inline]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id != 0).then(|| self.node(id).parent)
    }

    /// The node and its ancestors, up to the root.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |&n| self.parent(n))
    }

    /// The children of a node, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.node(id).end;
        let first = (id + 1 < end).then_some(id + 1);
        std::iter::successors(first, move |&child| {
            let next = self.node(child).end;
            (next < end).then_some(next)
        })
    }

    /// The metadata in the head of the page.
    #[inline]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Removes the JSON-LD of the page: on some sites it describes another page.
    pub fn forget_json_ld(&mut self) {
        self.head.json_ld.clear();
    }

    /// The kinds of elements of the page. Computed on first use, O(n).
    pub fn kinds(&self) -> &ElementKinds {
        self.kinds.get_or_init(|| ElementKinds::of(self))
    }

    /// Whether an element does not break the line: by its name (see [`is_inline`](crate::is_inline)) or, if HTML has no rule for
    /// it, because it contains no blocks and is next to text or in a paragraph. Linear on first use.
    pub fn is_inline(&self, id: NodeId) -> bool {
        let kinds = self.kinds();
        let kind =
            kinds.of_nodes().get(id as usize).and_then(|&kind| kinds.all().get(kind as usize));
        let by_place =
            || self.inline.get_or_init(|| inline_by_place(self)).binary_search(&id).is_ok();
        kind.is_some_and(|kind| kind.is_inline.unwrap_or_else(by_place))
    }

    /// Approximate memory of the tree's buffers, in bytes.
    pub fn bytes(&self) -> usize {
        let head = &self.head;
        let metas = head.metas.iter().map(|meta| meta.key.len() + meta.content.len());
        let links = head.links.iter().map(|link| link.rel.len() + link.href.len());
        let texts = metas.chain(links).chain(head.json_ld.iter().map(String::len));
        self.nodes.capacity() * size_of::<Node>()
            + self.attributes.capacity() * size_of::<Attribute>()
            + self.values.capacity()
            + self.text.capacity()
            + texts.sum::<usize>()
            + self.aside().map_or(0, |aside| {
                aside.document.bytes() + aside.places.capacity() * size_of::<AsidePlace>()
            })
    }

    /// Notes about what was left out because of the limits.
    pub fn notes(&self) -> ParseNotes {
        self.notes
    }
}

/// HTML white space and the spaces used for layout (including the no-break space).
pub(crate) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c' | '\u{a0}' | '\u{200b}' | '\u{feff}')
        || (c > '\u{7f}' && c.is_whitespace())
}

/// An element of a document.
#[derive(Clone, Copy)]
pub struct Element<'a> {
    document: &'a Document,
    /// Its id.
    pub id: NodeId,
    /// Its tag name, lower-case.
    pub name: &'a LocalName,
}

impl<'a> Element<'a> {
    /// Attributes as name and value, in source order.
    #[inline]
    pub fn attributes(self) -> impl Iterator<Item = (&'a LocalName, &'a str)> + Clone {
        self.document.stored(self.document.node(self.id).span)
    }

    /// The value of one attribute.
    #[inline]
    pub fn attribute(self, name: &LocalName) -> Option<&'a str> {
        self.attributes().find(|(n, _)| *n == name).map(|(_, v)| v)
    }
}
