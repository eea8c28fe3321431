//! Labels the blocks of a page by its gold text.

use dom::{Document, normalize_space};
use grove::Block;
use metadata::is_field_line;
use region::is_in_caption;
use score::words::{Vocabulary, Word};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::gold::GoldPage;

/// The labels of a page's blocks and their weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    /// Share of the block's words that are in the gold; 0 for bylines, dates and captions. They are fields of a record:
    /// some gold has them in the text, most has not.
    pub(super) shares: Vec<f32>,
    /// Weight: the square root of its number of words, divided by the page's sum; 0 for optional
    /// text.
    pub(super) weights: Vec<f32>,
    /// The texts of its bylines, dates and captions, and of those in the gold.
    pub(super) fields: Vec<String>,
    /// Whether it is named like a comment and belongs to the text. Some gold of articles has the comments, most has
    /// not: where it has them it teaches nothing. In a thread the posts are the content.
    pub(super) comments: Vec<bool>,
}

/// Aligns the page's words with the gold's (Myers' difference), and counts for each block the words
/// that are aligned and are part of a run of three words in the gold: a single word may match by
/// coincidence.
pub(super) fn label(document: &Document, read: &grove::PageBlocks, gold: &GoldPage) -> Labels {
    let blocks = &read.blocks[..];
    let mut vocabulary = Vocabulary::new();
    let of_gold = vocabulary.words(&gold.text);
    let aside: Vec<Vec<Word>> = (gold.optional.iter())
        .chain(&gold.title)
        .chain(&gold.page_title)
        .map(|text| vocabulary.words(text))
        .collect();
    let texts: Vec<String> = blocks.iter().map(|block| text_of(document, block)).collect();
    let own: Vec<Vec<Word>> = texts.iter().map(|text| vocabulary.words(text)).collect();
    let page: Vec<Word> = own.concat();
    let mut aligned = vec![false; page.len()];
    for op in capture_diff_slices(Algorithm::Myers, &page, &of_gold) {
        if let DiffOp::Equal { old_index, len, .. } = op {
            aligned[old_index..old_index + len].fill(true);
        }
    }
    let covered = find_covered(&page, &[of_gold], 3);
    let neutral = find_covered(&page, &aside, 2);
    let (mut shares, mut weights, mut comments) = (Vec::new(), Vec::new(), Vec::new());
    let texts: Vec<String> = texts.iter().map(|text| normalize_space(text)).collect();
    let is_field: Vec<bool> = (blocks.iter().zip(&texts))
        .map(|(block, text)| is_in_caption(document, block.first) || is_field_line(text))
        .collect();
    let mut from = 0;
    for words in &own {
        let range = from..from + words.len();
        from = range.end;
        let count = |of: &dyn Fn(usize) -> bool| range.clone().filter(|&at| of(at)).count() as f32;
        let n = words.len().max(1) as f32;
        let share = if words.len() <= 3 {
            f32::from(u8::from(count(&|at| aligned[at]) >= n))
        } else {
            count(&|at| aligned[at] && covered[at]) / n
        };
        let share = if is_field[shares.len()] { 0.0 } else { share };
        comments.push(share > 0.5 && read.is_comment(shares.len()));
        shares.push(share);
        weights.push(n.sqrt() * (1.0 - count(&|at| neutral[at]) / n));
    }
    let all: f32 = weights.iter().sum();
    if all > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= all);
    }
    let of_page = texts.into_iter().zip(is_field).filter(|own| own.1).map(|own| own.0);
    let of_gold = gold.text.lines().filter(|line| is_field_line(line)).map(str::to_owned);
    let fields = of_page.chain(of_gold).collect();
    Labels { shares, weights, comments, fields }
}

/// The text of a block's nodes, concatenated.
pub(super) fn text_of(document: &Document, block: &Block) -> String {
    (block.first..=block.last).filter_map(|id| document.text(id)).collect()
}

/// Which words are in a run of `run` words that occurs in one of the texts.
fn find_covered(page: &[Word], texts: &[Vec<Word>], run: usize) -> Vec<bool> {
    let runs: std::collections::BTreeSet<&[Word]> =
        texts.iter().flat_map(|text| text.windows(run)).collect();
    let mut covered = vec![false; page.len()];
    for (at, window) in page.windows(run).enumerate() {
        if runs.contains(window) {
            covered[at..at + run].fill(true);
        }
    }
    covered
}
