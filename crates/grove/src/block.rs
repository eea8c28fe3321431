//! Splits a page into blocks: each is shown as one paragraph, heading, caption or menu entry.

use dom::{Document, NodeId, PrefixSums, local_name};

use crate::signs::signs;

/// A run of text in one element, not broken by a block-level element or an empty line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextBlock {
    /// The nearest block-level element above the text. An inline element that contains block-level ones
    /// counts as block-level itself.
    pub element: NodeId,
    /// First text node.
    pub first: NodeId,
    /// Last text node; every text node between the two belongs to the block.
    pub last: NodeId,
    /// Number of words.
    pub words: u32,
    /// Number of words in links.
    pub link_words: u32,
}

/// The blocks of a page that have words, in document order. `words` and `link_words` count the
/// words of text nodes. Linear in the nodes.
pub fn blocks(document: &Document, words: &PrefixSums, link_words: &PrefixSums) -> Vec<TextBlock> {
    let nodes = document.nodes();
    let mut holds_blocks = vec![false; nodes.len()];
    for (id, node) in nodes.iter().enumerate().skip(1).rev() {
        let Some(name) = &node.name else { continue };
        if holds_blocks[id] || !(document.is_inline(id as NodeId) || *name == local_name!("br")) {
            holds_blocks[node.parent as usize] = true;
        }
    }
    let mut owner: Vec<NodeId> = Vec::with_capacity(nodes.len());
    let mut ends: Vec<NodeId> = Vec::new();
    let mut found: Vec<TextBlock> = Vec::new();
    let mut broken = true;
    let mut line_breaks = 0;
    for (id, node) in (0..).zip(nodes) {
        while ends.last().is_some_and(|&end| end <= id) {
            ends.pop();
            broken = true;
        }
        let above = owner.get(node.parent as usize).copied().unwrap_or(0);
        match &node.name {
            None => {
                owner.push(above);
                let count = words.range(id, id + 1);
                let in_links = link_words.range(id, id + 1);
                if count == 0 && document.text(id).is_none_or(is_blank) {
                    continue;
                }
                match found.last_mut() {
                    Some(block) if !broken && line_breaks < 2 && block.element == above => {
                        block.last = id;
                        block.words += count;
                        block.link_words += in_links;
                    }
                    _ => found.push(TextBlock {
                        element: above,
                        first: id,
                        last: id,
                        words: count,
                        link_words: in_links,
                    }),
                }
                broken = false;
                line_breaks = 0;
            }
            Some(name) if *name == local_name!("br") => {
                owner.push(above);
                line_breaks += 1;
            }
            Some(_) if document.is_inline(id) && !holds_blocks[id as usize] => owner.push(above),
            Some(_) => {
                owner.push(id);
                ends.push(node.end);
                broken = true;
            }
        }
    }
    found.retain(|block| block.words > 0);
    found
}

/// Hash of the letters of the text nodes from `first` to `last`, as 16 hex digits: FNV-1a of the letters in lower case,
/// without digits and punctuation.
pub fn block_hash(document: &Document, first: NodeId, last: NodeId) -> String {
    let texts = (first..=last).filter_map(|id| document.text(id));
    format!("{:016x}", signs(texts).letters_hash)
}

/// Whether a text is white space.
fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\n' | b'\t')) || text.trim().is_empty()
}

/// For each node of a page, and for its end, the number of blocks that begin before it.
pub(crate) fn blocks_before(document: &Document, blocks: &[TextBlock]) -> Vec<u32> {
    let mut before = Vec::with_capacity(document.len() + 1);
    let mut at = 0;
    for id in document.ids() {
        before.push(at as u32);
        while blocks.get(at).is_some_and(|block| block.first == id) {
            at += 1;
        }
    }
    before.push(at as u32);
    before
}

pub(crate) fn density(block: &TextBlock) -> f32 {
    block.link_words as f32 / block.words.max(1) as f32
}
