/*!
BlockExtractor's third step (§2.4): blocks that also occur on other pages of the site are noise.

Blocks are compared by tree edit distance. An element is labelled with its name and a text with its
words. The paper does not specify how similar two blocks must be to count as the same;
[`BlocksConfig`] expresses it as a share of the larger block's nodes, by default 0 (equal blocks).

Not every pair is measured: a pair within distance d shares all but d labels of the larger block. Only pairs that do are
measured exactly; blocks of over `EXACT_UP_TO` nodes are compared by the number of shared labels alone. The siblings must
not be near duplicates of each other, or the article itself is redundant.
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
        Self { trees: redundant(distinct, config.distance) }
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
        self.trees.binary_search(tree).is_ok()
            || self.trees.iter().any(|other| is_near(tree, other, config.distance))
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
fn redundant(distinct: BTreeMap<LabelTree, BTreeSet<usize>>, share: f64) -> Vec<LabelTree> {
    let (trees, pages): (Vec<LabelTree>, Vec<BTreeSet<usize>>) = distinct.into_iter().unzip();
    let mut redundant: Vec<bool> = pages.iter().map(|pages| pages.len() > 1).collect();
    for at in 0..trees.len() {
        for before in 0..at {
            let known = redundant[at] && redundant[before];
            let elsewhere = || pages[at].union(&pages[before]).nth(1).is_some();
            if !known && is_near(&trees[at], &trees[before], share) && elsewhere() {
                redundant[at] = true;
                redundant[before] = true;
            }
        }
    }
    trees.into_iter().zip(redundant).filter(|own| own.1).map(|own| own.0).collect()
}

/// Whether two different trees differ in no more than a share of the larger tree's nodes.
fn is_near(one: &LabelTree, other: &LabelTree, share: f64) -> bool {
    let nodes = one.len().max(other.len());
    let distance = (nodes as f64 * share).floor() as usize;
    distance > 0
        && one.len().min(other.len()) + distance >= nodes
        && count_shared(one, other) + distance >= nodes
        && (nodes > EXACT_UP_TO || tree_distance(one, other) as usize <= distance)
}

/// The number of labels that two trees share, with multiplicity.
fn count_shared(one: &LabelTree, other: &LabelTree) -> usize {
    let mut left: BTreeMap<u64, usize> = BTreeMap::new();
    one.labels.iter().for_each(|label| *left.entry(*label).or_default() += 1);
    let takes = |label: &&u64| {
        let left = left.get_mut(label).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    };
    other.labels.iter().filter(takes).count()
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
