/*!
BlockExtractor's third step (§2.4): blocks that also occur on other pages of the site are noise.

Blocks are compared by tree edit distance. An element is labelled with its name and a text with its
words. The paper does not specify how similar two blocks must be to count as the same;
[`BlocksConfig`] expresses it as a share of the larger block's nodes, by default 0 (equal blocks).

Not every pair is measured: equal blocks are found by their hash, and a pair within distance d shares
all but d labels of the larger block, so one of its d + 1 rarest labels must be in both (prefix
filter), and all but d of all its labels must be shared. Only pairs that pass are measured exactly; blocks of
over `EXACT_UP_TO` nodes are compared by the number of shared labels alone. The siblings must not be near
duplicates of each other, or the article itself is redundant.
*/

use std::collections::{BTreeMap, BTreeSet};

use dom::{Document, NodeId, normalize_space};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::blocks::{BleIeBlock, BlocksConfig, Lengths, ble_ie_blocks, candidates};
use crate::tree_distance::{LabelTree, tree_distance};

/// Blocks with more nodes than this are compared by their labels only.
const EXACT_UP_TO: usize = 400;

/// The blocks that several sibling pages have. Does not borrow from the pages.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Redundant {
    /// Ascending, without duplicates.
    trees: Vec<LabelTree>,
}

impl Redundant {
    /// Finds the blocks that at least two of the pages have.
    pub fn of(documents: &[&Document], config: &BlocksConfig) -> Self {
        let mut distinct: BTreeMap<LabelTree, BTreeSet<usize>> = BTreeMap::new();
        for (page, document) in documents.iter().enumerate() {
            for (_, tree) in dense_blocks(document, config) {
                distinct.entry(tree).or_default().insert(page);
            }
        }
        let trees = redundant(&distinct, config.distance).into_iter().cloned().collect();
        Self { trees }
    }

    /// The nodes that [`crate::blocks()`] keeps of a page, without the blocks that several siblings
    /// have, in document order. Does not depend on any other page.
    pub fn blocks(&self, document: &Document, config: &BlocksConfig) -> Vec<NodeId> {
        let left = dense_blocks(document, config).filter(|(_, tree)| !self.has(tree, config));
        let mut nodes: Vec<NodeId> = left.flat_map(|(kept, _)| kept).collect();
        nodes.sort_unstable();
        nodes
    }

    fn has(&self, tree: &LabelTree, config: &BlocksConfig) -> bool {
        if self.trees.binary_search(tree).is_ok() {
            return true;
        }
        config.distance > 0.0
            && self.trees.iter().any(|other| {
                let index = LabelIndex::new([tree, other].into_iter());
                let (small, large) = if tree.len() <= other.len() { (0, 1) } else { (1, 0) };
                let distance = (index.trees[large].len() as f64 * config.distance).floor();
                index.is_near(small, large, distance as usize)
            })
    }

    /// Checks that a deserialised value is valid.
    ///
    /// # Errors
    /// A description of the first problem found.
    pub fn check(&self) -> Result<(), String> {
        match self.trees.iter().find(|tree| !tree.is_sound()) {
            Some(_) => Err("a redundant block is no tree".to_owned()),
            None if !self.trees.is_sorted_by(|a, b| a < b) => {
                Err("the redundant blocks are not in order".to_owned())
            }
            None => Ok(()),
        }
    }
}

/// The dense blocks of a page: for each block, the kept nodes and its tree.
fn dense_blocks(
    document: &Document,
    config: &BlocksConfig,
) -> impl Iterator<Item = (Vec<NodeId>, LabelTree)> {
    let lengths = Lengths::new(document);
    ble_ie_blocks(document).into_iter().filter_map(move |block| {
        let kept = candidates(document, &block, &lengths, config);
        (!kept.is_empty()).then(|| (kept, tree_of(document, &block)))
    })
}

/// The block as a tree: its root and the subtrees of its children, without blank text.
fn tree_of(document: &Document, block: &BleIeBlock) -> LabelTree {
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
        let label = match (document.name(id), &text) {
            (Some(name), _) => xxh3_64_with_seed(name.as_bytes(), 1),
            (None, text) => xxh3_64_with_seed(text.as_deref().unwrap_or_default().as_bytes(), 2),
        };
        open.push((preorder.len(), document.node(id).end));
        preorder.push((label, 1));
    }
    LabelTree::new(&preorder)
}

/// Finds the blocks that occur on several pages, or are similar to a block of another page.
fn redundant(distinct: &BTreeMap<LabelTree, BTreeSet<usize>>, share: f64) -> BTreeSet<&LabelTree> {
    let index = LabelIndex::new(distinct.keys());
    let mut redundant: Vec<bool> = distinct.values().map(|pages| pages.len() > 1).collect();
    let pages: Vec<&BTreeSet<usize>> = distinct.values().collect();
    // From small to large: each tree is compared with those that are not larger.
    let mut order: Vec<usize> = (0..pages.len()).collect();
    order.sort_by_key(|&i| index.trees[i].len());
    let mut with_label: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for large in order {
        let distance = (index.trees[large].len() as f64 * share).floor() as usize;
        for small in index.near_candidates(large, distance, &with_label) {
            let known = redundant[small] && redundant[large];
            let elsewhere = || pages[small].union(pages[large]).nth(1).is_some();
            if !known && elsewhere() && index.is_near(small, large, distance) {
                redundant[small] = true;
                redundant[large] = true;
            }
        }
        for &label in &index.labels[large] {
            let with = with_label.entry(label).or_default();
            if with.last() != Some(&large) {
                with.push(large);
            }
        }
    }
    distinct.keys().zip(redundant).filter(|(_, redundant)| *redundant).map(|(t, _)| t).collect()
}

/// Trees with their labels, the rarest first.
struct LabelIndex<'a> {
    trees: Vec<&'a LabelTree>,
    labels: Vec<Vec<u64>>,
    frequency: BTreeMap<u64, u32>,
}

impl<'a> LabelIndex<'a> {
    fn new(trees: impl Iterator<Item = &'a LabelTree>) -> Self {
        let trees: Vec<&LabelTree> = trees.collect();
        let mut frequency: BTreeMap<u64, u32> = BTreeMap::new();
        for label in trees.iter().flat_map(|tree| &tree.labels) {
            *frequency.entry(*label).or_default() += 1;
        }
        let rarest_first = |tree: &&LabelTree| {
            let mut labels = tree.labels.clone();
            labels.sort_unstable_by_key(|label| (frequency[label], *label));
            labels
        };
        let labels = trees.iter().map(rarest_first).collect();
        Self { trees, labels, frequency }
    }

    /// Earlier trees that may be within the distance of this tree, which is not smaller.
    fn near_candidates(
        &self,
        large: usize,
        distance: usize,
        with_label: &BTreeMap<u64, Vec<usize>>,
    ) -> BTreeSet<usize> {
        // Equal trees were merged before, so there are no candidates at distance 0.
        let rarest = if distance > 0 { distance + 1 } else { 0 };
        let lists = self.labels[large].iter().take(rarest).filter_map(|l| with_label.get(l));
        lists.flatten().copied().collect()
    }

    fn is_near(&self, small: usize, large: usize, distance: usize) -> bool {
        let nodes = self.trees[large].len();
        self.trees[small].len() + distance >= nodes
            && count_shared(&self.labels[small], &self.labels[large], &self.frequency) + distance
                >= nodes
            && (nodes > EXACT_UP_TO
                || tree_distance(self.trees[small], self.trees[large]) as usize <= distance)
    }
}

/// The number of labels that two trees share, with multiplicity.
fn count_shared(a: &[u64], b: &[u64], frequency: &BTreeMap<u64, u32>) -> usize {
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
    use crate::text::tests::texts;

    fn pages(sources: &[&str], distance: f64) -> Vec<Vec<String>> {
        let documents: Vec<Document> = sources.iter().map(|html| dom::parse(html)).collect();
        let config = BlocksConfig { distance, ..BlocksConfig::PUBLISHED };
        let redundant = Redundant::of(&documents.iter().collect::<Vec<_>>(), &config);
        redundant.check().unwrap();
        documents.iter().map(|d| texts(d, &redundant.blocks(d, &config))).collect()
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

    /// Blocks of 11 nodes (body, five paragraphs, five texts) that differ in one text.
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
        // A smaller block, within the distance for the larger one: one node less.
        let c = format!("{}<p></p>", page("x").replace("<p>x paragraph.</p>", ""));
        assert_eq!(pages(&[&a, &c], 0.1)[1].len(), 0);
    }
}
