//! Applying expressions to a page.

use dom::xpath::Path;
use dom::{Document, NodeId};

/// The nodes that any of the paths selects, in document order, without nodes inside other selected
/// nodes.
pub fn select(paths: &[Path], document: &Document) -> Vec<NodeId> {
    document.outermost(select_nested(paths, document))
}

/// All nodes that any of the paths selects, in document order, including nodes inside other
/// selected nodes. Nodes to remove are selected this way: the nearest ancestor decides, wherever
/// others are.
pub fn select_nested(paths: &[Path], document: &Document) -> Vec<NodeId> {
    union_of(paths.iter().map(|path| path.select(document)))
}

/// The union of several selections, in document order, without duplicates.
pub(crate) fn union_of(selections: impl Iterator<Item = Vec<NodeId>>) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = selections.flatten().collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pruned_may_lie_inside_what_else_is_selected() {
        let document = dom::parse("<div><div class=body><p>a</p><div>b</div></div></div>");
        let paths: Vec<Path> = vec!["//div".parse().unwrap()];
        // With `select`, only the outermost: the box around everything, which would remove nothing
        // of the body.
        assert_eq!(select(&paths, &document).len(), 1);
        assert_eq!(select_nested(&paths, &document).len(), 3);
    }
}
