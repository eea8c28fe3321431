//! Features of the elements at and above a page's blocks.

use dom::{Document, NodeId, PrefixSums, local_name};

use crate::block::{TextBlock, blocks_before};
use crate::elementary::log;
use crate::page::{PageView, sums};

/// Number of ancestors of a block's element that are examined, including itself.
pub(crate) const LEVELS: usize = 5;

/// Features of elements, each computed once: neighbouring blocks share most of theirs.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    /// For each node, its index among those examined.
    places: Vec<u32>,
    found: Vec<Below>,
}

/// Features of what is below an element.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Below {
    pub(crate) parent: NodeId,
    pub(crate) good_of_page: f32,
    pub(crate) link_density: f32,
    pub(crate) good_share: f32,
    pub(crate) log_blocks: f32,
    pub(crate) log_words_a_block: f32,
    pub(crate) log_images: f32,
}

const NOWHERE: u32 = u32::MAX;

impl Elements {
    /// Examines the elements of blocks and those above. `good` are the words of each block that looks like
    /// text.
    pub(crate) fn of(page: &PageView<'_>, blocks: &[TextBlock], good: &[f32]) -> Self {
        let document = page.document;
        let before = NodesBefore::of(document, blocks, good);
        let mut elements = Self { places: vec![NOWHERE; document.len()], found: Vec::new() };
        for block in blocks {
            // The root is its own parent.
            for id in document.ancestors(block.element).chain([0]).take(LEVELS) {
                let place = &mut elements.places[id as usize];
                if *place == NOWHERE {
                    *place = elements.found.len() as u32;
                    elements.found.push(before.below(id, page));
                }
            }
        }
        elements
    }

    /// The features of an element that was examined.
    pub(crate) fn get(&self, id: NodeId) -> Below {
        let place = self.places.get(id as usize).copied().unwrap_or(NOWHERE);
        self.found.get(place as usize).copied().unwrap_or_default()
    }
}

/// What lies before each node.
struct NodesBefore {
    blocks: Vec<u32>,
    images: PrefixSums,
    /// Words that look like text before each block.
    good: Vec<f32>,
    all_good: f32,
}

impl NodesBefore {
    fn of(document: &Document, blocks: &[TextBlock], good: &[f32]) -> Self {
        let is_image = |id| u32::from(document.is(id, &local_name!("img")));
        let good = sums(good);
        Self {
            blocks: blocks_before(document, blocks),
            images: PrefixSums::new(document, is_image),
            all_good: good[blocks.len()].max(1.0),
            good,
        }
    }

    fn below(&self, id: NodeId, page: &PageView<'_>) -> Below {
        let node = page.document.node(id);
        let (from, to) = (id as usize, node.end as usize);
        let (first, last) = (self.blocks[from] as usize, self.blocks[to] as usize);
        let blocks = (last - first) as f32;
        let good = self.good[last] - self.good[first];
        let sum = |sums: &PrefixSums| sums.range(id, node.end) as f32;
        let words = sum(page.words);
        Below {
            parent: node.parent,
            good_of_page: good / self.all_good,
            link_density: sum(page.link_words) / words.max(1.0),
            good_share: good / words.max(1.0),
            log_blocks: log(blocks),
            log_words_a_block: log(words / blocks.max(1.0)),
            log_images: log(sum(&self.images)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::blocks;
    use crate::page::WordsOnly;

    #[test]
    fn what_is_below_is_told_up_to_the_root_and_of_no_other() {
        let html = "<div><p>one two<p><a href=x>three</a> four</div><img><ul><li>five</ul>";
        let only = WordsOnly::of(html);
        let WordsOnly { document, words, link_words, .. } = &only;
        let blocks = blocks(document, words, link_words);
        let elements = Elements::of(&only.view(), &blocks, &[2.0, 0.0, 0.0]);
        let named = |name: &str| {
            document.ids().find(|&id| document.name(id).is_some_and(|n| &**n == name)).unwrap()
        };
        let div = elements.get(named("div"));
        assert_eq!((div.good_of_page, div.link_density, div.good_share), (1.0, 0.25, 0.5));
        assert_eq!((div.log_blocks, div.log_words_a_block), (log(2.0), log(2.0)));
        let body = elements.get(div.parent);
        assert_eq!((body.log_images, body.log_blocks), (log(1.0), log(3.0)));
        assert_eq!(elements.get(elements.get(body.parent).parent).good_of_page, 1.0);
        assert_eq!(elements.get(named("img")).log_blocks, 0.0, "not looked at");
        assert_eq!(Elements::default().get(0).good_share, 0.0);
    }
}
