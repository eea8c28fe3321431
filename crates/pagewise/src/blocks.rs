/*!
BlockExtractor: Lin, Chen and Niu, Combining a segmentation-like approach and a density-based approach
in content extraction (Tsinghua Science and Technology, 2012).

Runs of siblings that belong together form BLE&IE blocks (Definition 1, Algorithm 1). Blocks with
little text relative to the length of their tags are noise, and so are such elements inside a block
(Definition 2, Algorithm 2). The step that compares pages of a site is in `redundancy.rs`.

Interpretation. Definition 1 prints `(IE|text)*p?q*l*t*`, Algorithm 1 the same with bars between the last
three; the definition is used. A child is the first of these that fits: IE or text; basic text (`t`:
`p`, `h1`–`h6`); list (`l`: `ul`, `ol`, `dl`, `li`, `dt`, `dd`, `menu`, `dir`); with text only (`q`);
with IE and text only (`p`). An IE that contains a BLE matches no rule by itself. White space between
tags is not text. Lengths are in characters; an attribute's is that of its name and value. O(n).
*/

use dom::{Document, LocalName, NodeId, is_inline};
use serde::{Deserialize, Serialize};

use crate::text::{body, is_blank, length, without};

/// Parameters.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BlocksConfig {
    /// Blocks and block-level elements below this density are noise.
    pub threshold: f64,
    /// Blocks of two pages are the same if no more than this share of the larger one's nodes differ.
    pub distance: f64,
}

impl BlocksConfig {
    /// Threshold 1.5, where precision and recall balance (Figures 4 and 5); only equal blocks count as the same.
    pub const PUBLISHED: Self = Self { threshold: 1.5, distance: 0.0 };
}

/// The result of the density step: the nodes of the blocks that are content candidates.
pub fn blocks(document: &Document, config: &BlocksConfig) -> Vec<NodeId> {
    let lengths = Lengths::new(document);
    let mut kept: Vec<NodeId> = ble_ie_blocks(document)
        .iter()
        .flat_map(|block| candidates(document, block, &lengths, config))
        .collect();
    // Children of blocks do not overlap, but the runs of one parent may surround the runs of another.
    kept.sort_unstable();
    kept
}

/// A block: consecutive siblings, as a tree below (a copy of) their parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BleIeBlock {
    /// The parent.
    pub root: NodeId,
    /// Some of its children, consecutive except for white space.
    pub children: Vec<NodeId>,
}

/// The kind of a child in the expression of Definition 1, in its order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ChildKind {
    /// IE or text
    Inline,
    /// p: BLE with IE and text
    Mixed,
    /// q: BLE with text only
    TextOnly,
    /// l
    List,
    /// t
    BasicText,
}

/// Algorithm 1 over the whole page, in document order of the first child.
pub fn ble_ie_blocks(document: &Document) -> Vec<BleIeBlock> {
    let holds_block = holds_block(document);
    let mut blocks = Vec::new();
    let mut pending = vec![body(document)];
    while let Some(root) = pending.pop() {
        let mut run: Vec<NodeId> = Vec::new();
        let mut last = ChildKind::Inline;
        for child in document.children(root) {
            if document.text(child).is_some_and(is_blank) {
                continue;
            }
            let kind = kind(document, child, &holds_block);
            let fits = kind.is_some_and(|k| k > last || (k == last && k != ChildKind::Mixed));
            if !fits && !run.is_empty() {
                blocks.push(BleIeBlock { root, children: std::mem::take(&mut run) });
            }
            match kind {
                Some(kind) => {
                    run.push(child);
                    last = kind;
                }
                None => {
                    pending.push(child);
                    last = ChildKind::Inline;
                }
            }
        }
        if !run.is_empty() {
            blocks.push(BleIeBlock { root, children: run });
        }
    }
    blocks.sort_by_key(|block| block.children[0]);
    blocks
}

/// Whether an element is an IE; all others are BLEs.
fn is_inline_element(name: &LocalName) -> bool {
    is_inline(name) || matches!(&**name, "br" | "button" | "input" | "map")
}

fn is_inline_node(document: &Document, id: NodeId) -> bool {
    document.name(id).is_none_or(is_inline_element)
}

/// For each node, whether it contains a BLE.
fn holds_block(document: &Document) -> Vec<bool> {
    let mut holds = vec![false; document.len()];
    for id in document.ids().skip(1).rev() {
        if holds[id as usize] || !is_inline_node(document, id) {
            holds[document.node(id).parent as usize] = true;
        }
    }
    holds
}

fn kind(document: &Document, id: NodeId, holds_block: &[bool]) -> Option<ChildKind> {
    let holds_block = holds_block[id as usize];
    let Some(name) = document.name(id) else { return Some(ChildKind::Inline) };
    match &**name {
        _ if is_inline_element(name) => (!holds_block).then_some(ChildKind::Inline),
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Some(ChildKind::BasicText),
        "ul" | "ol" | "dl" | "li" | "dt" | "dd" | "menu" | "dir" => Some(ChildKind::List),
        _ if holds_block => None,
        _ if document.children(id).all(|child| document.text(child).is_some()) => {
            Some(ChildKind::TextOnly)
        }
        _ => Some(ChildKind::Mixed),
    }
}

/// TgL and TtL, equations (1) and (2), of each subtree.
pub(crate) struct Lengths {
    tags: Vec<u32>,
    text: Vec<u32>,
    /// LofTag + LofAttr of the element alone.
    own: Vec<u32>,
}

impl Lengths {
    pub(crate) fn new(document: &Document) -> Self {
        let characters = |text: &str| text.chars().count() as u32;
        let own = |id| match document.element(id) {
            Some(element) => {
                let attributes = element.attributes().map(|(n, v)| characters(n) + characters(v));
                characters(element.name) + attributes.sum::<u32>()
            }
            None => 0,
        };
        let own: Vec<u32> = document.ids().map(own).collect();
        let mut tags = own.clone();
        let mut text: Vec<u32> =
            document.ids().map(|id| document.text(id).map_or(0, length)).collect();
        for id in document.ids().skip(1).rev() {
            let parent = document.node(id).parent as usize;
            tags[parent] += tags[id as usize];
            text[parent] += text[id as usize];
        }
        Self { tags, text, own }
    }

    /// Definition 2 for a node.
    fn density(&self, id: NodeId) -> f64 {
        f64::from(self.text[id as usize]) / f64::from(self.tags[id as usize].max(1))
    }

    /// Definition 2 for a block.
    pub(crate) fn block_density(&self, block: &BleIeBlock) -> f64 {
        let sum = |of: &[u32]| block.children.iter().map(|&id| of[id as usize]).sum::<u32>();
        let tags = self.own[block.root as usize] + sum(&self.tags);
        f64::from(sum(&self.text)) / f64::from(tags.max(1))
    }
}

/// Algorithm 2: the nodes of a block that remain; IEs and text have no density of their own.
pub(crate) fn candidates(
    document: &Document,
    block: &BleIeBlock,
    lengths: &Lengths,
    config: &BlocksConfig,
) -> Vec<NodeId> {
    if lengths.block_density(block) < config.threshold {
        return Vec::new();
    }
    let is_noise =
        |id: NodeId| !is_inline_node(document, id) && lengths.density(id) < config.threshold;
    without(document, &block.children, is_noise)
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
