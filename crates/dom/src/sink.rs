//! html5ever's view of the tree while it is being built: linked nodes in an arena, and a count of the work of the parse.
//!
//! The tree builder moves nodes (foster parenting, the adoption agency), so the pre-order layout
//! can only be computed after it is done; see `flatten`.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::Attribute as ParsedAttribute;
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{ExpandedName, LocalName, QualName, local_name, ns};
use typed_arena::Arena;

use crate::Keep;
use crate::aside::is_tex;
use crate::document::{Attribute, BufferRange, Document};
use crate::head::is_json_ld;
use crate::limits::{ParseOptions, Room};
use crate::linked::{Linked, NodeContent};

/// Counts steps. A step is a token, an attribute read or copied, an element that the tree builder
/// examines in a search of its lists, or a node inserted or moved. Work that is linear in the bytes
/// of the page is not counted: the bytes have their own limit.
#[derive(Debug)]
pub(crate) struct StepCounter {
    taken: Cell<u64>,
    most: u64,
}

impl StepCounter {
    #[inline(always)]
    pub(crate) fn more(&self, steps: usize) {
        self.taken.set(self.taken.get().wrapping_add(steps as u64));
    }

    pub(crate) fn taken(&self) -> u64 {
        self.taken.get()
    }

    /// Whether the limit is exceeded. The page is then given up: no further work is done.
    #[inline]
    pub(crate) fn are_too_many(&self) -> bool {
        self.taken.get() > self.most
    }
}

/// The arena of a tree's nodes while it is built.
pub(crate) type Nodes<'a> = Arena<Vec<Linked<'a>>>;

pub(crate) struct PageSink<'a> {
    arena: &'a Nodes<'a>,
    /// Allocated nodes that are not part of the tree yet.
    free: Cell<&'a mut [Linked<'a>]>,
    fallback: QualName,
    nothing: &'a Linked<'a>,
    pub(crate) root: &'a Linked<'a>,
    /// Texts and attributes in the order of parsing; it has no nodes.
    pub(crate) buffers: RefCell<Document>,
    /// Level of the last inserted node: the current depth of the parser.
    pub(crate) level: Cell<u32>,
    pub(crate) nodes: Cell<u32>,
    /// Maximum number of stored attributes and bytes of their values. A page itself has fewer, but the parsing algorithm may copy
    /// an element's attributes into every paragraph.
    max_attributes: usize,
    max_values: usize,
    pub(crate) left_out: Cell<u32>,
    /// Whether the text of scripts and the like is stored.
    keeps_scripts: bool,
    /// How often attributes of later `<html>` and `<body>` tags were added to the first.
    merges: Cell<u32>,
    pub(crate) steps: StepCounter,
    newest: Cell<&'a Linked<'a>>,
}

/// Nodes allocated at a time.
const AT_A_TIME: usize = 128;

/// Maximum number of later `<html>` and `<body>` tags whose attributes are merged.
pub(crate) const MAX_MERGES: u32 = 64;

impl<'a> PageSink<'a> {
    pub(crate) fn new(arena: &'a Nodes<'a>, room: Room, config: &ParseOptions) -> Self {
        let nothing = &arena.alloc(vec![Linked::new(NodeContent::Nothing)])[0];
        Self {
            arena,
            free: Cell::default(),
            fallback: QualName::new(None, ns!(html), local_name!("html")),
            nothing,
            root: &arena.alloc(vec![Linked::new(NodeContent::Document)])[0],
            buffers: RefCell::default(),
            level: Cell::new(0),
            nodes: Cell::new(0),
            max_attributes: room.attributes as usize,
            max_values: room.values as usize,
            left_out: Cell::new(0),
            keeps_scripts: config.keep == Keep::Scripts,
            merges: Cell::new(0),
            steps: StepCounter { taken: Cell::new(0), most: config.max_steps },
            newest: Cell::new(nothing),
        }
    }

    /// Allocates a node. Nodes are allocated in batches and filled in place: building a node
    /// elsewhere and moving it here at once stalls the processor.
    #[inline]
    fn alloc(&self, content: impl FnOnce() -> NodeContent<'a>) -> &'a Linked<'a> {
        self.nodes.set(self.nodes.get().saturating_add(1));
        let mut free = self.free.take();
        if free.is_empty() {
            let mut nodes = Vec::new();
            nodes.resize_with(AT_A_TIME, || const { Linked::new(NodeContent::Nothing) });
            free = self.arena.alloc(nodes);
        }
        let Some((node, rest)) = free.split_first_mut() else { return self.nothing };
        self.free.set(rest);
        // The old content needs no drop.
        std::mem::forget(std::mem::replace(&mut node.content, content()));
        node
    }

    /// Adjacent text nodes are joined here if they are adjacent in the buffer, else when
    /// flattening: joining them here by copying would be quadratic for text that is foster-parented
    /// piece by piece.
    fn text_node(&self, neighbour: Option<&'a Linked<'a>>, text: &str) -> Option<&'a Linked<'a>> {
        let mut buffers = self.buffers.borrow_mut();
        let start = buffers.text.len() as u32;
        buffers.text.push_str(text);
        let end = buffers.text.len() as u32;
        if let Some(Linked { content: NodeContent::Text(span), .. }) = neighbour
            && span.get().end == start
        {
            span.set(BufferRange { start: span.get().start, end });
            return None;
        }
        drop(buffers);
        Some(self.alloc(|| NodeContent::Text(Cell::new(BufferRange { start, end }))))
    }

    /// Number of ancestors of the last created element that have this name. Linear in its level.
    pub(crate) fn above_the_newest(&self, name: &LocalName) -> usize {
        let above = std::iter::successors(self.newest.get().parent.get(), |node| node.parent.get());
        above.filter(|node| node.is_called(name)).count()
    }

    fn store_attributes(&self, attributes: Vec<ParsedAttribute>) -> BufferRange {
        let mut buffers = self.buffers.borrow_mut();
        let first = buffers.attributes.len() as u32;
        for attribute in attributes {
            if buffers.attributes.len() >= self.max_attributes
                || buffers.values.len() + attribute.value.len32() as usize > self.max_values
            {
                self.left_out.set(self.left_out.get().saturating_add(1));
                continue;
            }
            let start = buffers.values.len() as u32;
            buffers.values.push_str(&attribute.value);
            let end = buffers.values.len() as u32;
            buffers
                .attributes
                .push(Attribute { name: attribute.name.local, value: BufferRange { start, end } });
        }
        BufferRange { start: first, end: buffers.attributes.len() as u32 }
    }
}

fn ignores_text(name: &QualName, attributes: &[ParsedAttribute]) -> bool {
    if name.ns != ns!(html) {
        return false;
    }
    match name.local {
        local_name!("script") => {
            let is_read = |media_type: &str| is_json_ld(media_type) || is_tex(media_type);
            !attributes.iter().any(|a| a.name.local == local_name!("type") && is_read(&a.value))
        }
        local_names!("style" "iframe" "noframes") => true,
        _ => false,
    }
}

impl<'a> TreeSink for PageSink<'a> {
    type Handle = &'a Linked<'a>;
    type Output = Self;
    type ElemName<'b>
        = ExpandedName<'b>
    where
        Self: 'b;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Self::Handle {
        self.root
    }

    fn elem_name<'b>(&'b self, target: &'b Self::Handle) -> ExpandedName<'b> {
        self.steps.more(1);
        match &target.content {
            NodeContent::Element { name, .. } => name.expanded(),
            // The tree builder promises to call this for elements only.
            _ => self.fallback.expanded(),
        }
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<ParsedAttribute>,
        flags: ElementFlags,
    ) -> Self::Handle {
        self.steps.more(1 + attributes.len());
        let ignores_text = !self.keeps_scripts && ignores_text(&name, &attributes);
        let fragment = flags.template.then(|| self.alloc(|| NodeContent::Document));
        let attributes = Cell::new(self.store_attributes(attributes));
        let element = self.alloc(|| NodeContent::Element {
            name,
            attributes,
            fragment,
            ignores_text,
            holds_html: flags.mathml_annotation_xml_integration_point,
        });
        self.newest.set(element);
        element
    }

    fn create_comment(&self, _: StrTendril) -> Self::Handle {
        self.nothing
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Self::Handle {
        self.nothing
    }

    fn append(&self, parent: &Self::Handle, child: NodeOrText<Self::Handle>) {
        self.steps.more(1);
        match child {
            NodeOrText::AppendNode(Linked { content: NodeContent::Nothing, .. }) => {}
            NodeOrText::AppendNode(node) => {
                parent.append(node);
                self.level.set(node.level.get());
            }
            NodeOrText::AppendText(text) => {
                self.level.set(parent.level.get());
                if matches!(parent.content, NodeContent::Element { ignores_text: true, .. }) {
                    return;
                }
                if let Some(node) = self.text_node(parent.last.get(), &text) {
                    parent.append(node);
                }
            }
        }
    }

    fn append_before_sibling(&self, sibling: &Self::Handle, child: NodeOrText<Self::Handle>) {
        self.steps.more(1);
        match child {
            NodeOrText::AppendNode(Linked { content: NodeContent::Nothing, .. }) => {}
            NodeOrText::AppendNode(node) => sibling.insert_before(node),
            NodeOrText::AppendText(text) => {
                if let Some(node) = self.text_node(sibling.previous.get(), &text) {
                    sibling.insert_before(node);
                }
            }
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Self::Handle,
        previous: &Self::Handle,
        child: NodeOrText<Self::Handle>,
    ) {
        if element.parent.get().is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Self::Handle) -> Self::Handle {
        match target.content {
            NodeContent::Element { fragment: Some(fragment), .. } => fragment,
            _ => target,
        }
    }

    fn same_node(&self, x: &Self::Handle, y: &Self::Handle) -> bool {
        self.steps.more(1);
        std::ptr::eq(*x, *y)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &Self::Handle, attributes: Vec<ParsedAttribute>) {
        let NodeContent::Element { attributes: span, .. } = &target.content else { return };
        if attributes.is_empty() || self.merges.get() >= MAX_MERGES {
            return;
        }
        self.merges.set(self.merges.get() + 1);
        let old = self.buffers.borrow().attributes[span.get().range()].to_vec();
        self.steps.more((1 + old.len()) * attributes.len());
        let missing: Vec<_> =
            attributes.into_iter().filter(|a| old.iter().all(|o| o.name != a.name.local)).collect();
        if missing.is_empty() {
            return;
        }
        let start = self.buffers.borrow().attributes.len() as u32;
        self.buffers.borrow_mut().attributes.extend(old);
        let end = self.store_attributes(missing).end;
        span.set(BufferRange { start, end });
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Self::Handle) -> bool {
        matches!(target.content, NodeContent::Element { holds_html: true, .. })
    }

    fn remove_from_parent(&self, target: &Self::Handle) {
        self.steps.more(1);
        target.detach();
    }

    fn reparent_children(&self, node: &Self::Handle, new_parent: &Self::Handle) {
        while let Some(child) = node.first.get() {
            self.steps.more(1);
            new_parent.append(child);
        }
    }
}
