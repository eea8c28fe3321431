//! The blocks of a page that people and models can mark, and how they are found on other pages.

use std::collections::{BTreeMap, BTreeSet};

use dom::xpath::{Path, nodes_at, position_paths};
use dom::{Document, NodeId};
use grove::{PatternId, Patterns, TextBlock, UNKNOWN, block_hash, named_elements};
use model::{Mark, MarkedBlock, NamedElement, TemplateCorrection};

use crate::parsed::ParsedPage;

/// The blocks of a page that can be marked.
#[derive(Clone, Debug)]
pub struct MarkablePage {
    /// The elements of the blocks and the elements around them, by which they are found on other pages.
    pub elements: Vec<NamedElement>,
    /// The blocks, in document order.
    pub blocks: Vec<MarkableBlock>,
}

/// A block that can be marked.
#[derive(Clone, Debug, Default)]
pub struct MarkableBlock {
    /// The element that holds its text.
    pub element: NodeId,
    /// The first text.
    pub first: NodeId,
    /// The last text.
    pub last: NodeId,
    /// Position of its element; if the element has other blocks too, position of its first text.
    pub xpath: String,
    /// Number of its element in [`MarkablePage::elements`].
    pub named: u32,
    /// Number of its words.
    pub words: u32,
    /// Hash of its letters, as in [`MarkedBlock::hash`].
    pub hash: String,
}

impl MarkablePage {
    /// Finds the blocks of a page. Linear in its nodes and their depth.
    pub fn of(page: &ParsedPage<'_>) -> Self {
        let document = &page.document;
        let blocks = grove::blocks(document, &page.words, &page.link_words);
        let nodes: Vec<NodeId> = blocks.iter().map(|block| block.element).collect();
        let (elements, numbers) = named_elements(document, &nodes);
        let is_inside = |outer: NodeId, other: Option<&TextBlock>| {
            other.is_some_and(|other| document.contains(outer, other.element))
        };
        let places: Vec<NodeId> = (0..blocks.len())
            .map(|at| {
                let TextBlock { element, first, .. } = blocks[at];
                let before = at.checked_sub(1).and_then(|before| blocks.get(before));
                let shares = is_inside(element, blocks.get(at + 1)) || is_inside(element, before);
                if shares { first } else { element }
            })
            .collect();
        let paths = position_paths(document, &places);
        let block = |((block, named), xpath): ((&TextBlock, u32), String)| MarkableBlock {
            element: block.element,
            first: block.first,
            last: block.last,
            xpath,
            named,
            words: block.words,
            hash: block_hash(document, block.first, block.last),
        };
        let blocks = blocks.iter().zip(numbers).zip(paths).map(block).collect();
        Self { elements, blocks }
    }
}

impl MarkableBlock {
    /// Returns the block with this mark.
    pub fn marked(&self, mark: Mark) -> MarkedBlock {
        let Self { xpath, named, words, hash, .. } = self.clone();
        MarkedBlock { xpath, element: Some(named), words, hash, mark }
    }
}

/// Returns the marks of the blocks of a page, in the order of [`grove::blocks`]. A mark of an element marks each block in
/// it that has no mark of its own. Marks whose texts have changed are left out. Linear in the page and the marks.
pub fn marks_of_blocks(
    correction: &TemplateCorrection,
    page: &ParsedPage<'_>,
) -> Vec<Option<Mark>> {
    let blocks = grove::blocks(&page.document, &page.words, &page.link_words);
    let (found, _) = find_marked(correction, page, &blocks);
    found.into_iter().map(|mark| mark.map(|own| own.mark)).collect()
}

/// Returns the mark of each of a page's blocks, and the marks whose texts have changed.
fn find_marked<'c>(
    correction: &'c TemplateCorrection,
    page: &ParsedPage<'_>,
    blocks: &[TextBlock],
) -> (Vec<Option<&'c MarkedBlock>>, Vec<&'c MarkedBlock>) {
    let document = &page.document;
    let paths: Vec<&str> = correction.blocks.iter().map(|block| &*block.xpath).collect();
    let by_position = nodes_at(document, &paths);
    let by_any = |path: &str| path.parse::<Path>().ok()?.select(document).first().copied();
    // The mark of each marked node; each block takes that of the nearest marked node around it.
    let mut marked: BTreeMap<NodeId, &MarkedBlock> = BTreeMap::new();
    let mut left = Vec::new();
    for (block, node) in correction.blocks.iter().zip(by_position) {
        let node = node.or_else(|| by_any(&block.xpath));
        let is_same = |node: NodeId| {
            let of_run = blocks.iter().find(|own| own.first == node);
            let (first, last) = of_run
                .map_or_else(|| (node, document.node(node).end - 1), |own| (own.first, own.last));
            block.hash.is_empty() || block.hash == block_hash(document, first, last)
        };
        match node.filter(|node| is_same(*node)) {
            Some(node) => drop(marked.insert(node, block)),
            None => left.push(block),
        }
    }
    let mark_of = |block: &TextBlock| {
        let around = || document.ancestors(block.element).find_map(|id| marked.get(&id));
        marked.get(&block.first).or_else(around).copied()
    };
    (blocks.iter().map(mark_of).collect(), left)
}

/// Completes a correction with the elements by which its blocks are found on other pages, given the page that it was made
/// on. A mark of an element marks each block in it that has no mark of its own. A block whose text has changed keeps the
/// elements that the correction names, if any. Linear in the page and the marks.
pub fn complete(correction: &TemplateCorrection, page: &ParsedPage<'_>) -> TemplateCorrection {
    let document = &page.document;
    let blocks = grove::blocks(document, &page.words, &page.link_words);
    let (marks, left) = find_marked(correction, page, &blocks);
    let found: Vec<(&TextBlock, &MarkedBlock)> =
        blocks.iter().zip(marks).filter_map(|(block, mark)| Some((block, mark?))).collect();
    let nodes: Vec<NodeId> = found.iter().map(|(block, _)| block.element).collect();
    let (mut elements, numbers) = named_elements(document, &nodes);
    let mut all: Vec<MarkedBlock> = (found.iter().zip(numbers))
        .map(|((block, mark), number)| MarkedBlock {
            element: Some(number),
            words: block.words,
            hash: block_hash(document, block.first, block.last),
            ..(*mark).clone()
        })
        .collect();
    let from = elements.len() as u32;
    for block in left {
        let element = block.element.map(|own| own.saturating_add(from));
        all.push(MarkedBlock { element, ..block.clone() });
    }
    if all.iter().any(|block| block.element.is_some_and(|own| own >= from)) {
        elements.extend(correction.elements.iter().cloned().map(|mut element| {
            element.parent = element.parent.map(|parent| parent.saturating_add(from));
            element
        }));
    }
    TemplateCorrection { elements, blocks: all, ..correction.clone() }
}

/// Returns the share of a correction's marks whose patterns are known.
pub fn known_share(correction: &TemplateCorrection, patterns: &Patterns) -> f64 {
    let found: Vec<PatternId> = patterns.find_named(&correction.elements);
    let is_known = |block: &&MarkedBlock| {
        let element = block.element.and_then(|at| found.get(at as usize));
        element.is_some_and(|pattern| *pattern != UNKNOWN)
    };
    correction.blocks.iter().filter(is_known).count() as f64 / correction.blocks.len().max(1) as f64
}

/// Returns for each kind of field the elements of pages whose patterns corrections mark as such.
pub(crate) fn marked_fields(
    corrections: &[TemplateCorrection],
    patterns: &Patterns,
    pages: &[&Document],
) -> Vec<(Mark, Vec<Vec<NodeId>>)> {
    let mut of_marks: BTreeMap<Mark, BTreeSet<PatternId>> = BTreeMap::new();
    for correction in corrections {
        let fields = [Mark::Headline, Mark::Author, Mark::Date];
        let mut blocks =
            correction.blocks.iter().filter(|own| fields.contains(&own.mark)).peekable();
        if blocks.peek().is_none() {
            continue;
        }
        let of_elements = patterns.find_named(&correction.elements);
        for block in blocks {
            let pattern = block.element.and_then(|at| of_elements.get(at as usize)).copied();
            of_marks.entry(block.mark).or_default().extend(pattern.filter(|own| *own != UNKNOWN));
        }
    }
    of_marks.retain(|_, wanted| !wanted.is_empty());
    if of_marks.is_empty() {
        return Vec::new();
    }
    let of_pages: Vec<Vec<PatternId>> = pages.iter().map(|page| patterns.find(page)).collect();
    let wanted = |own: &BTreeSet<PatternId>| {
        let on_page = |(page, of_nodes): (&&Document, &Vec<PatternId>)| {
            let is_wanted =
                |id: &NodeId| page.name(*id).is_some() && own.contains(&of_nodes[*id as usize]);
            page.ids().filter(is_wanted).collect()
        };
        pages.iter().zip(&of_pages).map(on_page).collect()
    };
    of_marks.iter().map(|(mark, own)| (*mark, wanted(own))).collect()
}

/// Returns the most typical of some sibling pages: the one whose patterns cover most of the words of the others; the
/// first of equals. Linear in the pages.
pub fn most_typical(pages: &[&ParsedPage<'_>]) -> Option<usize> {
    let documents: Vec<&Document> = pages.iter().map(|page| &page.document).collect();
    let (patterns, of_nodes) = Patterns::of(&documents);
    // The words of each pattern as shares of the words of their pages.
    let mut weights = vec![0.0f64; patterns.len()];
    let mut of_pages: Vec<Vec<usize>> = Vec::with_capacity(pages.len());
    for (page, of_nodes) in pages.iter().zip(&of_nodes) {
        let blocks = grove::blocks(&page.document, &page.words, &page.link_words);
        let all: u32 = blocks.iter().map(|block| block.words).sum();
        let mut own = Vec::new();
        for block in &blocks {
            let pattern = of_nodes[block.element as usize] as usize;
            weights[pattern] += f64::from(block.words) / f64::from(all.max(1));
            own.push(pattern);
        }
        own.sort_unstable();
        own.dedup();
        of_pages.push(own);
    }
    let covered = |own: &Vec<usize>| own.iter().map(|&pattern| weights[pattern]).sum::<f64>();
    let rated = of_pages.iter().map(covered).enumerate();
    rated.reduce(|best, own| if own.1 > best.1 { own } else { best }).map(|best| best.0)
}
