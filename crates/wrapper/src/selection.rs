//! Applying expressions to a page.

use dom::xpath::Path;
use dom::{Document, NodeId};

/// The nodes that any of the paths selects, in document order, nodes inside other selected nodes
/// left out.
pub fn select(paths: &[Path], document: &Document) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = paths.iter().flat_map(|path| path.select(document)).collect();
    nodes.sort_unstable();
    outermost(document, nodes)
}

/// Leaves out nodes that lie inside earlier ones of a sorted list, and repeats.
pub(crate) fn outermost(document: &Document, nodes: Vec<NodeId>) -> Vec<NodeId> {
    let mut end = 0;
    nodes
        .into_iter()
        .filter(|&id| {
            let outside = id >= end;
            if outside {
                end = document.node(id).end;
            }
            outside
        })
        .collect()
}
