/*!
BlockExtractor's third step (§2.4): blocks that are on other pages of the site too are noise.

Blocks are compared by tree edit distance, an element being labelled with its name and a text with its
words. The paper does not say how near two blocks must be to be the same; [`RedundancyConfig`] has it as
a share of the larger block's nodes, 0 (equal blocks) as published.

Not every pair is measured: equal blocks are found by their hash, and a pair within distance d shares
all but d labels of the larger block, so one of its d + 1 rarest labels must be in both (prefix
filter), and as many of all labels; only what passes is measured exactly, and in blocks of over
[`EXACT_UP_TO`] nodes by that count alone. Give it siblings without near duplicates of each other, or
the article itself is redundant.
*/

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use dom::{Document, NodeId, normalize_space};

use crate::blocks::{Block, BlocksConfig, Lengths, ble_ie_blocks, candidates};
use crate::tree_distance::{Tree, tree_distance};

/// Blocks with more nodes than this are compared by their labels only.
const EXACT_UP_TO: usize = 400;

/// Parameters.
#[derive(Clone, Copy, Debug)]
pub struct RedundancyConfig {
    /// The density step before.
    pub blocks: BlocksConfig,
    /// Two blocks are the same if no more than this share of the larger one's nodes differ.
    pub distance: f64,
}

impl RedundancyConfig {
    /// Equal blocks.
    pub const PUBLISHED: Self = Self { blocks: BlocksConfig::PUBLISHED, distance: 0.0 };
}

/// For each of several pages of a site, in their order, what [`crate::blocks()`] keeps of it
/// without the blocks that another of the pages has as well.
pub fn without_redundant(documents: &[&Document], config: &RedundancyConfig) -> Vec<Vec<NodeId>> {
    let mut distinct: BTreeMap<Tree, BTreeSet<usize>> = BTreeMap::new();
    let mut of_pages: Vec<Vec<(Vec<NodeId>, Tree)>> = Vec::new();
    for (page, document) in documents.iter().enumerate() {
        let lengths = Lengths::new(document);
        let mut of_page = Vec::new();
        for block in ble_ie_blocks(document) {
            let kept = candidates(document, &block, &lengths, &config.blocks);
            if !kept.is_empty() {
                let tree = tree_of(document, &block);
                distinct.entry(tree.clone()).or_default().insert(page);
                of_page.push((kept, tree));
            }
        }
        of_pages.push(of_page);
    }
    let redundant = redundant(&distinct, config.distance);
    let left = |of_page: Vec<(Vec<NodeId>, Tree)>| {
        let left = of_page.into_iter().filter(|(_, tree)| !redundant.contains(tree));
        let mut nodes: Vec<NodeId> = left.flat_map(|(kept, _)| kept).collect();
        nodes.sort_unstable();
        nodes
    };
    of_pages.into_iter().map(left).collect()
}

/// The block as a tree: its root and what is below its children, without blank text.
fn tree_of(document: &Document, block: &Block) -> Tree {
    let mut preorder = Vec::new();
    // Positions of open nodes in `preorder`, with their ends in the document.
    let mut open: Vec<(usize, NodeId)> = Vec::new();
    let below = block.children.iter().flat_map(|&child| document.subtree(child));
    for id in std::iter::once(block.root).chain(below) {
        let is_root = preorder.is_empty();
        while open.pop_if(|node| node.1 <= id && !is_root).is_some() {}
        let text = document.text(id).map(normalize_space);
        if text.as_ref().is_some_and(String::is_empty) {
            continue;
        }
        for &(at, _) in &open {
            let (_, size): &mut (u64, u32) = &mut preorder[at];
            *size += 1;
        }
        let mut hasher = DefaultHasher::new();
        (document.name(id).map(|name| &**name), text).hash(&mut hasher);
        open.push((preorder.len(), document.node(id).end));
        preorder.push((hasher.finish(), 1));
    }
    Tree::new(&preorder)
}

/// The blocks that are on several pages, or near one on another page.
fn redundant(distinct: &BTreeMap<Tree, BTreeSet<usize>>, share: f64) -> BTreeSet<&Tree> {
    let mut redundant: BTreeSet<&Tree> =
        distinct.iter().filter(|(_, pages)| pages.len() > 1).map(|(tree, _)| tree).collect();
    let trees: Vec<_> = distinct.iter().collect();
    for (a, b) in near_pairs(&trees, share) {
        let ((a, a_pages), (b, b_pages)) = (trees[a], trees[b]);
        if a_pages.union(b_pages).nth(1).is_some() {
            redundant.extend([a, b]);
        }
    }
    redundant
}

/// Pairs of trees within the distance that `share` allows the larger.
fn near_pairs(trees: &[(&Tree, &BTreeSet<usize>)], share: f64) -> Vec<(usize, usize)> {
    let allowed = |nodes: usize| (nodes as f64 * share).floor() as usize;
    let mut frequency: BTreeMap<u64, u32> = BTreeMap::new();
    for label in trees.iter().flat_map(|(tree, _)| &tree.labels) {
        *frequency.entry(*label).or_default() += 1;
    }
    // Labels of each tree, the rarest first.
    let rarest_first = |tree: &Tree| {
        let mut labels = tree.labels.clone();
        labels.sort_unstable_by_key(|label| (frequency[label], *label));
        labels
    };
    let labels: Vec<Vec<u64>> = trees.iter().map(|(tree, _)| rarest_first(tree)).collect();
    // From small to large: a tree meets all that are not larger by one of its rarest labels.
    let mut order: Vec<usize> = (0..trees.len()).collect();
    order.sort_by_key(|&i| trees[i].0.len());
    let mut with_label: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut pairs = Vec::new();
    for &large in &order {
        let nodes = trees[large].0.len();
        let d = allowed(nodes);
        let mut met: BTreeSet<usize> = BTreeSet::new();
        // Equal trees are one already, so at distance 0 there is nothing to meet.
        for label in labels[large].iter().take(if d > 0 { d + 1 } else { 0 }) {
            met.extend(with_label.get(label).into_iter().flatten());
        }
        for small in met {
            let near = trees[small].0.len() + d >= nodes
                && shared(&labels[small], &labels[large], &frequency) + d >= nodes
                && (nodes > EXACT_UP_TO
                    || tree_distance(trees[small].0, trees[large].0) as usize <= d);
            if near {
                pairs.push((small, large));
            }
        }
        for label in &labels[large] {
            let with = with_label.entry(*label).or_default();
            if with.last() != Some(&large) {
                with.push(large);
            }
        }
    }
    pairs
}

/// How many labels two trees share, one for one.
fn shared(a: &[u64], b: &[u64], frequency: &BTreeMap<u64, u32>) -> usize {
    let key = |label: &u64| (frequency[label], *label);
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match key(&a[i]).cmp(&key(&b[j])) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, shared) = (i + 1, j + 1, shared + 1),
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kept::tests::texts;

    fn pages(sources: &[&str], distance: f64) -> Vec<Vec<String>> {
        let documents: Vec<Document> = sources.iter().map(|html| dom::parse(html)).collect();
        let config = RedundancyConfig { distance, ..RedundancyConfig::PUBLISHED };
        let kept = without_redundant(&documents.iter().collect::<Vec<_>>(), &config);
        documents.iter().zip(&kept).map(|(d, nodes)| texts(d, nodes)).collect()
    }

    #[test]
    fn shared_blocks_go() {
        let foot = "<div><footer>All rights are reserved by us.</footer></div>";
        let a = format!("<div><p>An article about something.</p></div>{foot}");
        let b = format!("<div><p>Another text about other things.</p></div>{foot}");
        assert_eq!(
            pages(&[&a, &b], 0.0),
            [["An article about something."], ["Another text about other things."]]
        );
        assert_eq!(pages(&[&a], 0.0)[0].len(), 2, "alone nothing is redundant");
        let twice = format!("{foot}<section>{foot}</section>");
        assert_eq!(pages(&[&twice], 0.0)[0].len(), 2, "twice on one page is not on two");
        assert_eq!(pages(&[], 0.0).len(), 0);
    }

    /// Blocks of 11 nodes (body, five paragraphs, five texts), of which one text differs.
    #[test]
    fn near_blocks_go_if_allowed() {
        let page = |last: &str| {
            let text: String = (0..4).map(|i| format!("<p>Paragraph number {i}.</p>")).collect();
            format!("{text}<p>{last} paragraph.</p>")
        };
        let (a, b) = (page("Fifth"), page("Another"));
        assert_eq!(pages(&[&a, &b], 0.0)[0].len(), 5);
        assert_eq!(pages(&[&a, &b], 0.09)[0].len(), 5, "0.09 · 11 < 1");
        assert_eq!(pages(&[&a, &b], 0.1)[0].len(), 0, "0.1 · 11 ≥ 1");
        // A smaller block, near the larger one by the larger one's measure: one node less.
        let c = format!("{}<p></p>", page("x").replace("<p>x paragraph.</p>", ""));
        assert_eq!(pages(&[&a, &c], 0.1)[1].len(), 0);
    }
}
