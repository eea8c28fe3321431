//! Lengths of texts, for the papers that count characters or words, and removal of nodes from subtrees.

use dom::{Document, NodeId, local_name};

/// Number of visible characters of a text. A run of white space counts as one, and does not count at either end.
pub(crate) fn length(text: &str) -> u32 {
    let mut length = 0;
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = true;
        } else {
            length += 1 + u32::from(space && length > 0);
            space = false;
        }
    }
    length
}

/// Whether a text is white space only.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Whether an element is a hyperlink: `<a href>`.
pub(crate) fn is_link(document: &Document, id: NodeId) -> bool {
    document.is(id, &local_name!("a")) && document.attribute(id, &local_name!("href")).is_some()
}

/// The `body`, or the root if there is none (framesets).
pub(crate) fn body(document: &Document) -> NodeId {
    document.children(0).find(|&id| document.is(id, &local_name!("body"))).unwrap_or(0)
}

/// Removes the subtrees of `removed` nodes from `roots`; returns the largest subtrees that contain no removed node, without
/// blank text. `roots` must be ascending and must not overlap. O(size of the subtrees).
pub(crate) fn without(
    document: &Document,
    roots: &[NodeId],
    removed: impl Fn(NodeId) -> bool,
) -> Vec<NodeId> {
    let mut kept = Vec::new();
    for &root in roots {
        let end = document.node(root).end;
        // The first removed node at or after each node of the subtree.
        let mut next_removed = vec![end; (end - root) as usize + 1];
        for id in (root..end).rev() {
            let at = (id - root) as usize;
            next_removed[at] = if removed(id) { id } else { next_removed[at + 1] };
        }
        let mut id = root;
        while id < end {
            let after = document.node(id).end;
            let next = next_removed[(id - root) as usize];
            if next == id {
                id = after;
            } else if next < after {
                id += 1;
            } else {
                if !document.text(id).is_some_and(is_blank) {
                    kept.push(id);
                }
                id = after;
            }
        }
    }
    kept
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The texts of nodes, white space normalised.
    pub(crate) fn texts(document: &Document, nodes: &[NodeId]) -> Vec<String> {
        nodes.iter().map(|&id| dom::normalize_space(document.text_content(id))).collect()
    }

    pub(crate) fn find(document: &Document, name: &str) -> NodeId {
        document.ids().find(|&id| document.name(id).is_some_and(|n| &**n == name)).unwrap()
    }

    #[test]
    fn what_is_left() {
        let d = dom::parse("<div><p>a</p> <p>b<i>c</i></p></div><p>d");
        let mut removed = vec![false; d.len()];
        assert_eq!(without(&d, &[find(&d, "div")], |id| removed[id as usize]), [find(&d, "div")]);
        removed[find(&d, "i") as usize] = true;
        assert_eq!(
            texts(&d, &without(&d, &[find(&d, "div")], |id| removed[id as usize])),
            ["a", "b"]
        );
        removed[find(&d, "div") as usize] = true;
        assert_eq!(texts(&d, &without(&d, &[0], |id| removed[id as usize])), ["d"]);
    }

    #[test]
    fn inner_nodes_go() {
        let d = dom::parse("<div><p>a</p></div><p>d");
        let (div, p) = (find(&d, "div"), find(&d, "p"));
        assert_eq!(d.outermost(vec![p, div, p]), [div]);
    }

    #[test]
    fn white_space_counts_once() {
        assert_eq!(length("  a \n b c\u{a0}"), 5);
        assert_eq!(length(" \n"), 0);
        assert_eq!(length("日本"), 2);
    }
}
