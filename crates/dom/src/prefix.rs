//! Sums over subtrees in O(1).

use crate::{Document, NodeId};

/// Running sums of a per-node count in document order. As a subtree is a range of ids, the sum
/// over it is the difference of two entries.
#[derive(Clone, Debug)]
pub struct PrefixSums(Vec<u32>);

impl PrefixSums {
    /// Sums up `count(id)` over all nodes, O(n). Sums past `u32::MAX` saturate.
    pub fn new(document: &Document, mut count: impl FnMut(NodeId) -> u32) -> Self {
        let mut sums = Vec::with_capacity(document.len() + 1);
        let mut sum = 0u32;
        sums.push(0);
        for id in document.ids() {
            sum = sum.saturating_add(count(id));
            sums.push(sum);
        }
        Self(sums)
    }

    /// Leaves: nodes without children.
    pub fn leaves(document: &Document) -> Self {
        Self::new(document, |id| u32::from(document.node(id).end == id + 1))
    }

    /// Elements.
    pub fn elements(document: &Document) -> Self {
        Self::new(document, |id| u32::from(document.name(id).is_some()))
    }

    /// Counts of text nodes that lie in a link (`<a href>`), from counts of all text nodes.
    pub fn within_links(document: &Document, mut count: impl FnMut(NodeId) -> u32) -> Self {
        let href = html5ever::local_name!("href");
        let mut link_end = 0;
        Self::new(document, |id| {
            let node = document.node(id);
            match &node.name {
                Some(name) => {
                    if *name == html5ever::local_name!("a")
                        && document.attribute(id, &href).is_some()
                    {
                        link_end = link_end.max(node.end);
                    }
                    0
                }
                None if id < link_end => count(id),
                None => 0,
            }
        })
    }

    /// The sum over the subtree of a node.
    #[inline]
    pub fn sum(&self, document: &Document, id: NodeId) -> u32 {
        self.range(id, document.node(id).end)
    }

    /// The sum over nodes `from..to`.
    #[inline]
    pub fn range(&self, from: NodeId, to: NodeId) -> u32 {
        self.0[to as usize] - self.0[from as usize]
    }

    /// The sum over the whole document.
    pub fn total(&self) -> u32 {
        self.0.last().copied().unwrap_or(0)
    }
}
