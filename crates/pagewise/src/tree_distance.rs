//! Tree edit distance (Tai 1979) by Zhang and Shasha's algorithm (1989): the minimum number of
//! nodes to insert, delete or relabel to turn one ordered labelled tree into another.

use serde::{Deserialize, Serialize};

/// An ordered tree in post-order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
pub(crate) struct LabelTree {
    /// Labels in post-order.
    pub(crate) labels: Vec<u64>,
    /// For each node its leftmost leaf, both as positions in post-order.
    leftmost: Vec<u32>,
}

impl LabelTree {
    /// Builds a tree from labels in pre-order with the size of each subtree.
    pub(crate) fn new(preorder: &[(u64, u32)]) -> Self {
        let mut tree = Self { labels: Vec::new(), leftmost: Vec::new() };
        // Open nodes: label, position in pre-order one past the subtree, leftmost leaf if known.
        let mut open: Vec<(u64, usize, u32)> = Vec::new();
        for (at, &(label, size)) in preorder.iter().enumerate() {
            tree.close(&mut open, at);
            open.push((label, at + size as usize, tree.labels.len() as u32));
        }
        tree.close(&mut open, preorder.len());
        tree
    }

    /// A node's leftmost leaf is the first one written after the node was opened.
    fn close(&mut self, open: &mut Vec<(u64, usize, u32)>, at: usize) {
        while let Some((label, _, leftmost)) = open.pop_if(|node| node.1 <= at) {
            self.labels.push(label);
            self.leftmost.push(leftmost);
        }
    }

    /// Whether the leftmost leaf of each node is not after the node itself.
    pub(crate) fn is_sound(&self) -> bool {
        let at_most_own = |(at, &leaf): (usize, &u32)| leaf as usize <= at;
        self.labels.len() == self.leftmost.len()
            && self.leftmost.iter().enumerate().all(at_most_own)
    }

    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// Nodes with a left sibling, and the root: the highest node of each leftmost path.
    fn key_roots(&self) -> Vec<usize> {
        let mut seen = vec![false; self.len()];
        let mut roots: Vec<usize> = (0..self.len())
            .rev()
            .filter(|&i| !std::mem::replace(&mut seen[self.leftmost[i] as usize], true))
            .collect();
        roots.reverse();
        roots
    }
}

/// The distance, O(|a|·|b|·min(depth, leaves)²) time, O(|a|·|b|) memory.
pub(crate) fn tree_distance(a: &LabelTree, b: &LabelTree) -> u32 {
    let (n, m) = (a.len(), b.len());
    if n == 0 || m == 0 {
        return (n + m) as u32;
    }
    let mut of_trees = vec![0u32; n * m];
    let mut forest = vec![0u32; (n + 1) * (m + 1)];
    let b_roots = b.key_roots();
    for i in a.key_roots() {
        for &j in &b_roots {
            keyroot_distance(a, b, (i, j), &mut of_trees, &mut forest);
        }
    }
    of_trees[n * m - 1]
}

/// Distances of all prefixes of the forests below two key roots.
fn keyroot_distance(
    a: &LabelTree,
    b: &LabelTree,
    (i, j): (usize, usize),
    of_trees: &mut [u32],
    forest: &mut [u32],
) {
    let width = b.len() + 1;
    let (a_first, b_first) = (a.leftmost[i] as usize, b.leftmost[j] as usize);
    for x in 1..=i + 1 - a_first {
        forest[x * width] = x as u32;
    }
    for (y, cell) in forest[..=j + 1 - b_first].iter_mut().enumerate() {
        *cell = y as u32;
    }
    for x in 1..=i + 1 - a_first {
        let a_node = a_first + x - 1;
        let a_left = a.leftmost[a_node] as usize;
        for y in 1..=j + 1 - b_first {
            let b_node = b_first + y - 1;
            let b_left = b.leftmost[b_node] as usize;
            let delete = forest[(x - 1) * width + y] + 1;
            let insert = forest[x * width + y - 1] + 1;
            let here = x * width + y;
            if a_left == a_first && b_left == b_first {
                let relabel = u32::from(a.labels[a_node] != b.labels[b_node]);
                let replace = forest[(x - 1) * width + y - 1] + relabel;
                forest[here] = delete.min(insert).min(replace);
                of_trees[a_node * b.len() + b_node] = forest[here];
            } else {
                let before = forest[(a_left - a_first) * width + b_left - b_first];
                let both = before + of_trees[a_node * b.len() + b_node];
                forest[here] = delete.min(insert).min(both);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `f(d(a c(b)) e)` as pre-order labels with sizes.
    fn tree(text: &str) -> LabelTree {
        let bytes = text.as_bytes();
        let letters: Vec<usize> =
            (0..bytes.len()).filter(|&i| bytes[i].is_ascii_lowercase()).collect();
        let size = |i: usize| {
            if bytes.get(i + 1) != Some(&b'(') {
                return 1;
            }
            let mut depth = 0;
            let inside = bytes[i + 1..].iter().take_while(|&&b| {
                depth += i32::from(b == b'(') - i32::from(b == b')');
                depth > 0
            });
            1 + inside.filter(|b| b.is_ascii_lowercase()).count() as u32
        };
        LabelTree::new(&letters.iter().map(|&i| (u64::from(bytes[i]), size(i))).collect::<Vec<_>>())
    }

    fn distance(a: &str, b: &str) -> u32 {
        tree_distance(&tree(a), &tree(b))
    }

    #[test]
    fn post_order() {
        let t = tree("f(d(a c(b)) e)");
        assert_eq!(t.labels, b"abcdef".map(u64::from));
        assert_eq!(t.leftmost, [0, 1, 1, 0, 4, 0]);
        assert_eq!(t.key_roots(), [2, 4, 5]);
    }

    #[test]
    fn distances() {
        // The example of Zhang and Shasha's paper.
        assert_eq!(distance("f(d(a c(b)) e)", "f(c(d(a b)) e)"), 2);
        assert_eq!(distance("a(b c)", "a(b c)"), 0);
        assert_eq!(distance("a(b c)", "a(c b)"), 2);
        assert_eq!(distance("a(b(c d))", "a(c d)"), 1);
        assert_eq!(distance("a", "b(a)"), 1);
        assert_eq!(distance("a(b(c(d)))", "a(b c d)"), 4);
        assert_eq!(tree_distance(&LabelTree::new(&[]), &tree("a(b)")), 2);
    }
}
