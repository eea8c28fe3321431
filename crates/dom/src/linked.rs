//! The nodes of a tree under construction, linked in all directions.

use std::cell::Cell;

use html5ever::{LocalName, QualName};

use crate::document::BufferRange;

type NodeLink<'a> = Cell<Option<&'a Linked<'a>>>;

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
        fragment: Option<&'a Linked<'a>>,
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

    pub(crate) fn detach(&self) {
        let (parent, previous, next) = (self.parent.take(), self.previous.take(), self.next.take());
        match previous {
            Some(node) => node.next.set(next),
            None => {
                if let Some(parent) = parent {
                    parent.first.set(next);
                }
            }
        }
        match next {
            Some(node) => node.previous.set(previous),
            None => {
                if let Some(parent) = parent {
                    parent.last.set(previous);
                }
            }
        }
    }

    pub(crate) fn append(&'a self, child: &'a Linked<'a>) {
        child.detach();
        child.parent.set(Some(self));
        child.level.set(self.level.get() + 1);
        if let Some(last) = self.last.get() {
            child.previous.set(Some(last));
            last.next.set(Some(child));
        } else {
            self.first.set(Some(child));
        }
        self.last.set(Some(child));
    }

    pub(crate) fn insert_before(&'a self, sibling: &'a Linked<'a>) {
        sibling.detach();
        let parent = self.parent.get();
        sibling.parent.set(parent);
        sibling.level.set(self.level.get());
        sibling.next.set(Some(self));
        match self.previous.replace(Some(sibling)) {
            Some(previous) => {
                sibling.previous.set(Some(previous));
                previous.next.set(Some(sibling));
            }
            None => {
                if let Some(parent) = parent {
                    parent.first.set(Some(sibling));
                }
            }
        }
    }
}
