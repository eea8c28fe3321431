//! Turns decisions on patterns into nodes of a page.

use dom::{Document, NodeId};

use crate::block::Block;
use crate::decide::Decision;
use crate::patterns::{PatternId, UNKNOWN};

/// Elements that are kept, and elements inside them that are not; both in document order, the kept
/// ones without overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Roots of the kept subtrees.
    pub keep: Vec<NodeId>,
    /// Roots of the pruned subtrees inside.
    pub prune: Vec<NodeId>,
}

impl Chosen {
    /// The elements of a page by the decisions on their patterns, including those without words, such as
    /// pictures. Unknown patterns get the decision of the element around them.
    pub fn of(document: &Document, of_nodes: &[PatternId], decisions: &[Decision]) -> Self {
        let mut states: Vec<Decision> = Vec::with_capacity(document.len());
        let mut chosen = Self::default();
        for id in document.ids() {
            let above = match id {
                0 => Decision::Outside,
                _ => states[document.node(id).parent as usize],
            };
            let own = match of_nodes[id as usize] {
                _ if document.name(id).is_none() => above,
                UNKNOWN => above,
                pattern => decisions[pattern as usize],
            };
            states.push(match (above, own) {
                (Decision::Outside, Decision::Keep) => {
                    chosen.keep.push(id);
                    Decision::Keep
                }
                (Decision::Keep, Decision::Prune) => {
                    chosen.prune.push(id);
                    Decision::Prune
                }
                (above, _) => above,
            });
        }
        chosen
    }

    /// Indices of the blocks whose text is kept.
    pub fn blocks(&self, document: &Document, blocks: &[Block]) -> Vec<usize> {
        // The nearest mark above a node decides; a later mark is inside an earlier one or after it.
        let mut marks: Vec<(NodeId, bool)> = self.keep.iter().map(|&id| (id, true)).collect();
        marks.extend(self.prune.iter().map(|&id| (id, false)));
        marks.sort_unstable();
        let mut marks = marks.into_iter().peekable();
        let mut around: Vec<(NodeId, bool)> = Vec::new();
        let mut kept = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            while let Some((id, keep)) = marks.next_if(|mark| mark.0 <= block.first) {
                while around.last().is_some_and(|a| a.0 <= id) {
                    around.pop();
                }
                around.push((document.node(id).end, keep));
            }
            while around.last().is_some_and(|a| a.0 <= block.first) {
                around.pop();
            }
            if around.last().is_some_and(|a| a.1) {
                kept.push(at);
            }
        }
        kept
    }
}

/// All that comes in document order from a node on, inside the given roots, as few subtrees as
/// possible.
pub fn from_here_on(document: &Document, roots: &[NodeId], cut: NodeId) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for &root in roots {
        if root >= cut {
            nodes.push(root);
        } else if document.contains(root, cut) {
            nodes.push(cut);
            let mut id = cut;
            while id != root {
                let parent = document.node(id).parent;
                nodes.extend(document.children(parent).filter(|&sibling| sibling > id));
                id = parent;
            }
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The outermost element inside a root that starts with this node.
pub fn widest_from(document: &Document, roots: &[NodeId], node: NodeId) -> NodeId {
    let mut id = node;
    while !roots.contains(&id) {
        let parent = document.node(id).parent;
        let begins = (parent + 1..id)
            .all(|before| document.text(before).is_none_or(|text| text.trim().is_empty()));
        if !begins || roots.contains(&parent) {
            break;
        }
        id = parent;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(d: &Document, name: &str) -> NodeId {
        d.ids().find(|&i| d.name(i).is_some_and(|n| &**n == name)).unwrap()
    }

    #[test]
    fn a_cut_takes_all_that_follows_inside_the_roots() {
        let d =
            dom::parse("<main><p>a</p><div><i>b</i><b>c</b></div><ul><li>d</ul></main><p>e</p>");
        let main = find(&d, "main");
        let cut = widest_from(&d, &[main], find(&d, "b"));
        assert_eq!(cut, find(&d, "b"));
        let gone = from_here_on(&d, &[main], cut);
        assert_eq!(gone, [find(&d, "b"), find(&d, "ul")]);
        assert_eq!(dom::text_of(&d, &[main], &gone), "a\n\nb");
        // The list item is the first of its list.
        let item = find(&d, "li");
        assert_eq!(widest_from(&d, &[main], item), find(&d, "ul"));
    }
}
