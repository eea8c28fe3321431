//! The nodes of a tree under construction, linked in all directions.

use std::cell::Cell;

use html5ever::{LocalName, QualName};

use crate::document::BufferRange;

type LinkedNode<'a> = Option<&'a Linked<'a>>;
type NodeLink<'a> = Cell<LinkedNode<'a>>;

/// A node while the tree is under construction.
pub(crate) struct Linked<'a> {
    pub(crate) parent: NodeLink<'a>,
    pub(crate) previous: NodeLink<'a>,
    pub(crate) next: NodeLink<'a>,
    pub(crate) first: NodeLink<'a>,
    pub(crate) last: NodeLink<'a>,
    pub(crate) level: Cell<u32>,
    pub(crate) content: NodeContent<'a>,
}

pub(crate) enum NodeContent<'a> {
    Document,
    Element {
        name: QualName,
        attributes: Cell<BufferRange>,
        /// Parent of the children of a `<template>`.
        fragment: LinkedNode<'a>,
        /// Whether text is dropped: that of scripts and styles, except JSON-LD.
        ignores_text: bool,
        /// `<annotation-xml>` that contains HTML.
        holds_html: bool,
    },
    Text(Cell<BufferRange>),
    /// Comments and processing instructions: one shared placeholder, never inserted.
    Nothing,
}

impl<'a> Linked<'a> {
    pub(crate) const fn new(content: NodeContent<'a>) -> Self {
        Self {
            parent: Cell::new(None),
            previous: Cell::new(None),
            next: Cell::new(None),
            first: Cell::new(None),
            last: Cell::new(None),
            level: Cell::new(0),
            content,
        }
    }

    pub(crate) fn is_called(&self, wanted: &LocalName) -> bool {
        matches!(&self.content, NodeContent::Element { name, .. } if name.local == *wanted)
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = &'a Linked<'a>> {
        std::iter::successors(self.first.get(), |child| child.next.get())
    }

    pub(crate) fn detach(&self) {
        join(self.parent.take(), self.previous.take(), self.next.take());
    }

    pub(crate) fn append(&'a self, child: &'a Linked<'a>) {
        child.detach();
        child.parent.set(Some(self));
        child.level.set(self.level.get() + 1);
        join(Some(self), self.last.get(), Some(child));
        self.last.set(Some(child));
    }

    pub(crate) fn insert_before(&'a self, sibling: &'a Linked<'a>) {
        sibling.detach();
        let parent = self.parent.get();
        sibling.parent.set(parent);
        sibling.level.set(self.level.get());
        join(parent, self.previous.get(), Some(sibling));
        join(parent, Some(sibling), Some(self));
    }
}

/// Links two adjacent children of a node; if one is missing, the other becomes the first or last child.
fn join<'a>(parent: LinkedNode<'a>, previous: LinkedNode<'a>, next: LinkedNode<'a>) {
    let ends = parent.map(|parent| (&parent.first, &parent.last));
    if let Some(link) = previous.map(|node| &node.next).or(ends.map(|ends| ends.0)) {
        link.set(next);
    }
    if let Some(link) = next.map(|node| &node.previous).or(ends.map(|ends| ends.1)) {
        link.set(previous);
    }
}
