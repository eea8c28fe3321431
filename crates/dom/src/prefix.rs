//! Sums over subtrees in O(1).

use std::ops::Range;

use crate::{Document, NodeId};

/// Running sums of a per-node count in document order. Since a subtree is a range of ids, the sum
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

    /// Counts leaves: nodes without children.
    pub fn leaves(document: &Document) -> Self {
        Self::new(document, |id| u32::from(document.node(id).end == id + 1))
    }

    /// Counts elements.
    pub fn elements(document: &Document) -> Self {
        Self::new(document, |id| u32::from(document.name(id).is_some()))
    }

    /// Counts over all text nodes, and over those inside a link (`<a href>`), in one pass.
    pub fn of_texts(document: &Document, mut count: impl FnMut(&str) -> u32) -> (Self, Self) {
        Self::of_places(document, |place| count(&document.text[place]))
    }

    /// Like [`PrefixSums::of_texts`], but `count` gets the range of a text in [`Document::all_text`].
    pub fn of_places(
        document: &Document,
        mut count: impl FnMut(Range<usize>) -> u32,
    ) -> (Self, Self) {
        let mut all = Vec::with_capacity(document.len() + 1);
        let mut linked = Vec::with_capacity(document.len() + 1);
        all.push(0);
        linked.push(0);
        let (mut link_end, mut sum, mut linked_sum) = (0, 0u32, 0u32);
        for (id, node) in (0..).zip(document.nodes()) {
            if node.name.is_none() {
                let words = count(node.span.range());
                sum = sum.saturating_add(words);
                if id < link_end {
                    linked_sum = linked_sum.saturating_add(words);
                }
            } else if let Some(end) = end_of_link(document, id) {
                link_end = link_end.max(end);
            }
            all.push(sum);
            linked.push(linked_sum);
        }
        (Self(all), Self(linked))
    }

    /// Counts over text nodes inside a link (`<a href>`), given the counts of all text nodes.
    pub fn within_links(document: &Document, mut count: impl FnMut(NodeId) -> u32) -> Self {
        let mut link_end = 0;
        Self::new(document, |id| {
            if let Some(end) = end_of_link(document, id) {
                link_end = link_end.max(end);
            }
            if id < link_end && document.name(id).is_none() { count(id) } else { 0 }
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

/// Returns the end of a link (`<a href>`); `None` if the node is not a link.
fn end_of_link(document: &Document, id: NodeId) -> Option<NodeId> {
    let is_link = document.is(id, &html5ever::local_name!("a"))
        && document.attribute(id, &html5ever::local_name!("href")).is_some();
    is_link.then(|| document.node(id).end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn texts_counted_in_one_go_are_those_counted_apart() {
        let page =
            parse("<p>a bc<a href=x>d<b>ef</b>g</a><a name=y>hi</a>j<td><a href=z>k<p>l</a>m");
        let count = |text: &str| text.len() as u32;
        let of_node = |id: NodeId| page.text(id).map_or(0, count);
        let (all, linked) = PrefixSums::of_texts(&page, count);
        assert_eq!(all.0, PrefixSums::new(&page, of_node).0);
        assert_eq!(linked.0, PrefixSums::within_links(&page, of_node).0);
        assert_eq!((all.total(), linked.total()), (14, 6));
    }
}
