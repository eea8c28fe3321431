//! The blocks of a page in order, each with its state in the run.

use dom::xpath::{Path, nodes_at};
use dom::{Document, NodeId};
use grove::{TextBlock, from_here_on};
use model::{Article, NamedElement};
use sitemodel::ParsedPage;
use sitemodel::markable::{MarkableBlock, MarkablePage};
use sitemodel::stages::extract::{article_text, without_title};

use super::evidence::{PageEvidence, path_of, text_of_block};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockState {
    Outside,
    Kept,
    /// Inside a kept element, but pruned.
    Pruned,
    /// Inside a kept element, but after the article's end.
    Cut,
}

/// A decision that contradicts the block's own score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockMark {
    /// It is kept, but its score is low.
    KeptLow,
    /// It is not kept, but its score is high.
    DroppedHigh,
}

#[derive(Debug)]
pub(super) struct BlockView {
    pub(super) state: BlockState,
    pub(super) mark: Option<BlockMark>,
    /// Its text, with white space collapsed, and the number of characters left out.
    pub(super) text: String,
    pub(super) letters_left_out: usize,
    pub(super) words: u32,
    pub(super) is_heading: bool,
    pub(super) is_comment: bool,
    pub(super) score: Option<f32>,
    pub(super) hits: Option<(u32, u32)>,
    pub(super) pattern: String,
    /// Its index among the blocks of the page that are shown.
    pub(super) at: usize,
    /// How a correction refers to it.
    pub(super) markable: MarkableBlock,
}

#[derive(Debug, Default)]
pub(super) struct PageReadAgain {
    pub(super) blocks: Vec<BlockView>,
    /// The elements by which its blocks are found on other pages.
    pub(super) elements: Vec<NamedElement>,
    /// Numbers of blocks outside the article and of other blocks that were left out to limit the size of the file.
    pub(super) boilerplate_left_out: usize,
    pub(super) others_left_out: usize,
    /// Whether the text is the same as in the run; `None` if the run did not take its text from elements.
    pub(super) agrees: Option<bool>,
}

const LETTERS: usize = 600;
/// Maximum numbers of blocks of a page that are shown: outside the article, and others.
const BOILERPLATE: usize = 150;
const OTHERS: usize = 600;

/// Applies the article's expressions to the page and determines the state of each block. Without an article, all blocks
/// are outside.
pub(super) fn read_blocks(
    parsed: &ParsedPage<'_>,
    article: Option<&Article>,
    known: Option<&PageEvidence>,
) -> PageReadAgain {
    let document = &parsed.document;
    let (keep, prune, cut) = article.map(|a| select_nodes(document, a)).unwrap_or_default();
    let states = states_of(document, &keep, &prune, cut);
    let blocks = grove::blocks(document, &parsed.words, &parsed.link_words);
    let MarkablePage { elements, blocks: markable } = MarkablePage::of(parsed);
    let agrees = article.filter(|a| !a.xpath.is_empty()).map(|article| {
        let mut prune = prune.clone();
        prune.extend(cut.map(|cut| from_here_on(document, &keep, cut)).unwrap_or_default());
        prune.sort_unstable();
        prune.dedup();
        let found = article_text(document, &article.url, &keep, &prune);
        // A setting decides whether the text begins with the title.
        let title = article.title.as_deref().unwrap_or_default();
        without_title(&found, title) == without_title(&article.text, title)
    });
    let mut reading = PageReadAgain { elements, agrees, ..PageReadAgain::default() };
    let (mut boilerplate, mut others) = (0, 0);
    for (at, (block, markable)) in blocks.iter().zip(markable).enumerate() {
        let state = state_of(parsed, block, &states);
        let (shown, most, left_out) = match state {
            BlockState::Outside => {
                (&mut boilerplate, BOILERPLATE, &mut reading.boilerplate_left_out)
            }
            _ => (&mut others, OTHERS, &mut reading.others_left_out),
        };
        if *shown == most {
            *left_out += 1;
            continue;
        }
        *shown += 1;
        let shown = reading.blocks.len();
        let view = show_block(document, block, at, state, known);
        reading.blocks.push(BlockView { at: shown, markable, ..view });
    }
    reading
}

impl PageReadAgain {
    /// Marks the blocks whose state contradicts their score: kept with a score below half of the threshold, or not kept
    /// with a score in the upper half of the range above the threshold.
    pub(super) fn mark(&mut self, threshold: f32) {
        for block in &mut self.blocks {
            let Some(score) = block.score else { continue };
            block.mark = match block.state {
                BlockState::Kept if score < threshold / 2.0 => Some(BlockMark::KeptLow),
                BlockState::Kept => None,
                _ if block.is_comment => None,
                _ if score >= (1.0 + threshold) / 2.0 => Some(BlockMark::DroppedHigh),
                _ => None,
            };
        }
    }
}

fn show_block(
    document: &Document,
    block: &TextBlock,
    at: usize,
    state: BlockState,
    known: Option<&PageEvidence>,
) -> BlockView {
    let mut text = text_of_block(document, block);
    let mut letters_left_out = 0;
    if let Some((end, _)) = text.char_indices().nth(LETTERS) {
        letters_left_out = text[end..].chars().count();
        text.truncate(end);
    }
    let name = document.name(block.element).map(|name| &**name);
    let is_heading = matches!(name, Some("h1" | "h2" | "h3" | "h4" | "h5" | "h6"));
    let pattern = known.and_then(|k| k.patterns.get(at)).filter(|name| !name.is_empty());
    BlockView {
        state,
        mark: None,
        text,
        letters_left_out,
        words: block.words,
        is_heading,
        // Blocks in the article are no comments, whatever their names.
        is_comment: state != BlockState::Kept
            && block.link_words * 2 <= block.words
            && known.and_then(|k| k.comments.get(at)).is_some_and(|&is| is),
        score: known.and_then(|k| k.scores.get(at)).copied(),
        hits: known.and_then(|k| k.hits.get(at)).copied(),
        at: 0,
        markable: MarkableBlock::default(),
        pattern: pattern.cloned().unwrap_or_else(|| path_of(document, block.element)),
    }
}

/// The nodes that the article's expressions select: kept, pruned, and the one before which it ends.
fn select_nodes(
    document: &Document,
    article: &Article,
) -> (Vec<NodeId>, Vec<NodeId>, Option<NodeId>) {
    let nodes = |expressions: &[String]| select_outermost(document, expressions);
    let cut = article.cut.as_slice();
    (nodes(&article.xpath), nodes(&article.prune), nodes(cut).first().copied())
}

/// The outermost nodes that any of the expressions selects, in document order. Expressions that are positions of nodes
/// are looked up together: an article may have thousands. Positions of text are not part of the XPath dialect of
/// wrappers.
fn select_outermost(document: &Document, expressions: &[String]) -> Vec<NodeId> {
    let paths: Vec<&str> = expressions.iter().map(String::as_str).collect();
    let mut selected = Vec::new();
    for (expression, place) in expressions.iter().zip(nodes_at(document, &paths)) {
        match (place, expression.parse::<Path>()) {
            (Some(node), _) => selected.push(node),
            (None, Ok(path)) => selected.extend(path.select(document)),
            (None, Err(_)) => {}
        }
    }
    document.outermost(selected)
}

/// The state of each node: the state of the nearest kept or pruned element above it.
fn states_of(
    document: &Document,
    keep: &[NodeId],
    prune: &[NodeId],
    cut: Option<NodeId>,
) -> Vec<BlockState> {
    let mut states: Vec<BlockState> = Vec::with_capacity(document.len());
    for id in document.ids() {
        let above = match id {
            0 => BlockState::Outside,
            _ => states[document.node(id).parent as usize],
        };
        let is_root = keep.binary_search(&id).is_ok();
        let is_pruned = prune.binary_search(&id).is_ok();
        let own = if is_pruned && (is_root || above == BlockState::Kept) {
            // A node that is both kept and pruned counts as pruned, as in the article's text.
            BlockState::Pruned
        } else if is_root {
            BlockState::Kept
        } else {
            above
        };
        states.push(own);
    }
    if let Some(cut) = cut {
        let kept = states.iter_mut().skip(cut as usize).filter(|state| **state == BlockState::Kept);
        kept.for_each(|state| *state = BlockState::Cut);
    }
    states
}

/// The state of most of a block's words: expressions may select single text nodes.
fn state_of(parsed: &ParsedPage<'_>, block: &TextBlock, states: &[BlockState]) -> BlockState {
    let mut words = [0u32; 4];
    for id in block.first..=block.last {
        words[states[id as usize] as usize] += parsed.words.range(id, id + 1);
    }
    let all = [BlockState::Outside, BlockState::Kept, BlockState::Pruned, BlockState::Cut];
    all.into_iter().max_by_key(|&state| words[state as usize]).unwrap_or(BlockState::Outside)
}

#[cfg(test)]
mod tests {
    use dom::xpath::position_paths;

    use super::*;

    #[test]
    fn positions_of_text_are_found_again() {
        let d = dom::parse("<div>a<p>b</p>c<br>d<!-- --> e<p>f</p></div>");
        let texts: Vec<NodeId> = d.ids().filter(|&id| d.text(id).is_some()).collect();
        for (&id, path) in texts.iter().zip(position_paths(&d, &texts)) {
            assert!(path.parse::<Path>().is_err(), "{path} is of the dialect now");
            assert!(select_outermost(&d, &[path]).contains(&id));
        }
        let both = ["//p".to_owned(), "//div".to_owned()];
        assert_eq!(select_outermost(&d, &both).len(), 1);
        assert!(select_outermost(&d, &["//h7/text()".to_owned()]).is_empty());
    }

    #[test]
    fn the_nearest_mark_decides_and_the_cut_ends() {
        let d = dom::parse("<main><p>a</p><aside><b>b</b></aside><p>c</p><p>d</p></main><p>e</p>");
        let find = |name: &str, nth: usize| {
            let mut named = d.ids().filter(|&id| d.name(id).is_some_and(|n| &**n == name));
            named.nth(nth).unwrap()
        };
        let cut = find("p", 2);
        let states = states_of(&d, &[find("main", 0)], &[find("aside", 0)], Some(cut));
        let of = |name, nth| states[find(name, nth) as usize];
        assert_eq!(of("p", 0), BlockState::Kept);
        assert_eq!(of("b", 0), BlockState::Pruned);
        assert_eq!(of("p", 1), BlockState::Kept);
        assert_eq!(of("p", 2), BlockState::Cut);
        assert_eq!(of("p", 3), BlockState::Outside);
        let main = [find("main", 0)];
        let both = states_of(&d, &main, &main, None);
        assert!(both.iter().all(|state| matches!(state, BlockState::Outside | BlockState::Pruned)));
    }
}
