//! Features of blocks within one page.

use std::sync::LazyLock;

use dom::{Document, NodeId, PrefixSums, is_heading, local_name};
use forest::PageTerms;
use rustc_hash::FxHashSet;

use crate::block::{TextBlock, blocks, density};
use crate::cues::{self, Cues};
use crate::elementary::{log, power};
use crate::elements::{Elements, LEVELS};
use crate::overlap::{TermOverlaps, agreement, shares};
use crate::page_type::{TYPES, TypeProbabilities, type_columns};
use crate::rows::{ColumnNames, FeatureRow, FeatureTable, flag};
use crate::signs::{Begins, Ends, Signs, signs};

/// Input of this crate: a page with its terms.
#[derive(Clone, Copy, Debug)]
pub struct PageView<'a> {
    /// Its tree.
    pub document: &'a Document,
    /// Words of its text nodes.
    pub words: &'a PrefixSums,
    /// Words in links.
    pub link_words: &'a PrefixSums,
    /// Its terms.
    pub terms: &'a PageTerms,
    /// Terms of its title, from its head.
    pub title: &'a [u64],
    /// Terms of its description, from its head or a feed.
    pub description: &'a [u64],
    /// Terms of the full text in its JSON-LD or a feed; empty if there is none.
    pub full_text: &'a [u64],
    /// Its signifiers.
    pub signifiers: &'a [(u64, f64)],
}

/// A page of which nothing is known but its words.
#[derive(Debug)]
pub(crate) struct WordsOnly {
    pub(crate) document: Document,
    pub(crate) words: PrefixSums,
    pub(crate) link_words: PrefixSums,
    terms: PageTerms,
}

impl WordsOnly {
    pub(crate) fn of(html: &str) -> Self {
        let document = dom::parse(html);
        let count = |id| document.text(id).map_or(0, |t| t.split_whitespace().count() as u32);
        let words = PrefixSums::new(&document, count);
        let link_words = PrefixSums::within_links(&document, count);
        let terms = PageTerms::none(&document);
        Self { document, words, link_words, terms }
    }

    pub(crate) fn view(&self) -> PageView<'_> {
        PageView {
            document: &self.document,
            words: &self.words,
            link_words: &self.link_words,
            terms: &self.terms,
            title: &[],
            description: &[],
            full_text: &[],
            signifiers: &[],
        }
    }
}

/// The blocks of a page with their features.
#[derive(Clone, Debug)]
pub struct PageBlocks {
    /// The blocks, in document order.
    pub blocks: Vec<TextBlock>,
    /// One row of features per block, from the page alone.
    pub rows: FeatureTable,
    pub(crate) signs: Vec<Signs>,
    /// The lexicon features of each block's element and those above, as bits.
    pub(crate) cues: Vec<u64>,
    /// Per block the share of its pairs of terms that the full text has; −1 without one.
    pub(crate) agreement: Vec<f32>,
    /// Per block: signifiers, terms.
    pub(crate) signified: Vec<(u32, u32)>,
}

impl PageBlocks {
    /// Number of words of the page that agree with the full text; `None` without a full text.
    pub fn agreeing_words(&self) -> Option<f32> {
        let known =
            self.agreement.first().is_some_and(|_| self.agreement.iter().any(|&a| a >= 0.0));
        let agreeing = |(block, share): (&TextBlock, &f32)| block.words as f32 * share.max(0.0);
        known.then(|| self.blocks.iter().zip(&self.agreement).map(agreeing).sum())
    }

    /// Enters the types of the page and its siblings as features of all blocks.
    pub fn set_types(&mut self, types: &TypeProbabilities) {
        let from = self.rows.width() - TYPES;
        self.rows.set_columns(from, types);
    }

    /// Whether a block's element or one above has the comments feature.
    pub fn is_comment(&self, block: usize) -> bool {
        self.cues[block] & cues::COMMENTS != 0
    }
}

/// Names of the page features, in the order of their columns.
pub(crate) fn page_feature_names() -> Vec<String> {
    let mut names = Vec::new();
    fill(&mut ColumnNames(&mut names), 0, &BlockContext::default());
    names
}

/// Reads a page. Linear in its nodes and text.
pub fn read_page(page: &PageView<'_>, cues: &mut Cues) -> PageBlocks {
    let blocks = blocks(page.document, page.words, page.link_words);
    let context = BlockContext::of(page, &blocks, cues);
    static WIDTH: LazyLock<usize> = LazyLock::new(|| page_feature_names().len());
    let mut rows = FeatureTable::new(*WIDTH, blocks.len());
    for at in 0..blocks.len() {
        rows.push(|row| fill(row, at, &context));
    }
    let BlockContext { signs, cues, signified, .. } = context;
    let agreement = agreement(page, &blocks);
    let bits = |levels: &Levels| {
        let has = |(bit, &level): (usize, &u8)| u64::from(level != NOWHERE) << bit;
        levels.iter().enumerate().map(has).fold(0, |all, bit| all | bit)
    };
    let cues = cues.iter().map(bits).collect();
    PageBlocks { blocks, rows, signs, cues, agreement, signified }
}

/// A block looks like text if its share of link words is lower, and it has at least this many words.
const GOOD: (f32, u32) = (0.33, 10);
/// Weight of a lexicon feature per level up.
const DECAY: f32 = 0.85;

pub(crate) const TAGS: [dom::LocalName; 19] = local_names![
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "li",
    "td",
    "div",
    "span",
    "a",
    "blockquote",
    "figcaption",
    "dd",
    "dt",
    "pre",
    "section",
    "article",
    "time",
    "address"
];

/// Sources of the features.
#[derive(Default)]
struct BlockContext<'a> {
    document: Option<&'a Document>,
    blocks: &'a [TextBlock],
    signs: Vec<Signs>,
    /// Words of blocks that look like text, by block, and their sums up to each block.
    good: Vec<f32>,
    good_before: Vec<f32>,
    words_before: Vec<f32>,
    /// Per node the number of links before it.
    links: Option<PrefixSums>,
    /// Per block: overlap with the title (of block, of title), the description, and terms common on the page.
    overlaps: Vec<[f32; 4]>,
    /// For each block, the level of each lexicon feature.
    cues: Vec<Levels>,
    signified: Vec<(u32, u32)>,
    h1: Option<usize>,
    first_big: usize,
    last_big: usize,
    /// Features of the elements at and above the blocks.
    elements: Elements,
    /// For each block, the last heading before it, and the previous occurrence of its text.
    heading: Vec<Option<usize>>,
    repeated: Vec<bool>,
}

impl<'a> BlockContext<'a> {
    fn of(page: &PageView<'a>, blocks: &'a [TextBlock], cues: &mut Cues) -> Self {
        let document = page.document;
        let texts = |b: &TextBlock| (b.first..=b.last).filter_map(|id| document.text(id));
        let signs: Vec<Signs> = blocks.iter().map(|b| signs(texts(b))).collect();
        let good: Vec<f32> = blocks
            .iter()
            .map(|b| {
                let is_good = density(b) < GOOD.0 && b.words >= GOOD.1;
                if is_good { (b.words - b.link_words) as f32 } else { 0.0 }
            })
            .collect();
        let big = |&at: &usize| good[at] >= 25.0;
        let heading = {
            let mut last = None;
            let step = |at: usize| {
                let before = last;
                if document.name(blocks[at].element).is_some_and(is_heading) {
                    last = Some(at);
                }
                before
            };
            (0..blocks.len()).map(step).collect()
        };
        let mut seen = FxHashSet::default();
        let repeated =
            signs.iter().map(|s| s.letters > 0 && !seen.insert(s.letters_hash)).collect();
        let TermOverlaps { overlaps, signified } = shares(page, blocks);
        Self {
            document: Some(document),
            blocks,
            good_before: sums(&good),
            words_before: sums(&blocks.iter().map(|b| b.words as f32).collect::<Vec<_>>()),
            links: Some(PrefixSums::new(document, |id| {
                u32::from(document.is(id, &local_name!("a")))
            })),
            overlaps,
            cues: cues_of(document, blocks, cues),
            signified,
            h1: blocks.iter().position(|b| document.is(b.element, &local_name!("h1"))),
            first_big: (0..blocks.len()).find(big).unwrap_or(0),
            last_big: (0..blocks.len()).rfind(big).unwrap_or(blocks.len().saturating_sub(1)),
            elements: Elements::of(page, blocks, &good),
            heading,
            repeated,
            signs,
            good,
        }
    }

    fn block(&self, at: usize) -> Option<&TextBlock> {
        self.blocks.get(at)
    }
}

/// Sums before each entry, and the sum of all at the end.
pub(crate) fn sums(values: &[f32]) -> Vec<f32> {
    let mut sum = 0.0;
    let mut sums = Vec::with_capacity(values.len() + 1);
    sums.push(0.0);
    for value in values {
        sum += value;
        sums.push(sum);
    }
    sums
}

/// Levels from an element up to the nearest with a lexicon feature, by feature; [`NOWHERE`] if none has it.
type Levels = [u8; cues::COUNT];

/// All levels from here on have the same weight.
const FARTHEST: u8 = 64;
const NOWHERE: u8 = FARTHEST + 1;

/// Weight of a lexicon feature by level.
static WEIGHTS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let weight = |level| power(DECAY, level);
    (0..=u32::from(FARTHEST)).map(weight).chain([0.0]).collect()
});

/// The lexicon features above each block.
fn cues_of(document: &Document, blocks: &[TextBlock], cues: &mut Cues) -> Vec<Levels> {
    let mut cues = cues.of_page(document);
    // For each element, its index among those found so far.
    let mut places: Vec<u32> = vec![u32::MAX; document.len()];
    let mut found: Vec<Levels> = Vec::new();
    let mut path: Vec<NodeId> = Vec::new();
    let of_block = |block: &TextBlock| {
        let mut above = [NOWHERE; cues::COUNT];
        for id in document.ancestors(block.element) {
            if let Some(levels) = found.get(places[id as usize] as usize) {
                above = *levels;
                break;
            }
            path.push(id);
        }
        for id in path.drain(..).rev() {
            for level in &mut above {
                *level += u8::from(*level < FARTHEST);
            }
            let mut own = cues.of(id);
            while own != 0 {
                above[own.trailing_zeros() as usize] = 0;
                own &= own - 1;
            }
            places[id as usize] = found.len() as u32;
            found.push(above);
        }
        above
    };
    blocks.iter().map(of_block).collect()
}

/// One block's row. Positions are shares of the page's blocks, counts are logarithms.
fn fill(row: &mut impl FeatureRow, at: usize, c: &BlockContext<'_>) {
    let zero = TextBlock { element: 0, first: 0, last: 0, words: 0, link_words: 0 };
    let block = *c.block(at).unwrap_or(&zero);
    let s = c.signs.get(at).copied().unwrap_or_default();
    let (words, chars) = (block.words.max(1) as f32, s.chars.max(1) as f32);
    row.put("log words", log(block.words as f32));
    row.put("link density", density(&block));
    row.put("ends a sentence", flag(s.ends == Ends::Sentence));
    row.put("ends in an ellipsis", flag(s.ends == Ends::Ellipsis));
    row.put("ends in a colon", flag(s.ends == Ends::Colon));
    row.put("begins small", flag(s.begins == Begins::Lower));
    row.put("begins with a digit", flag(s.begins == Begins::Digit));
    row.put("begins with a sign", flag(s.begins == Begins::Sign));
    row.put("commas", s.commas as f32 / words);
    row.put("sentences", log(s.sentences as f32));
    row.put("separators", s.separators as f32 / words);
    row.put("quotes", s.quotes as f32 / words);
    row.put("questions", flag(s.questions > 0));
    row.put("capitals", s.upper as f32 / s.letters.max(1) as f32);
    row.put("digits", s.digits as f32 / chars);
    row.put("year", flag(s.year));
    row.put("address", flag(s.address));
    row.put("characters a word", chars / words);
    let (hits, terms) = c.signified.get(at).copied().unwrap_or_default();
    row.put("terms", terms as f32 / words);
    for (name, distance) in [("-2", -2isize), ("-1", -1), ("+1", 1), ("+2", 2)] {
        let other = at.checked_add_signed(distance).and_then(|at| c.block(at));
        row.put(format_args!("log words {name}"), other.map_or(-1.0, |b| log(b.words as f32)));
        row.put(format_args!("link density {name}"), other.map_or(-1.0, density));
    }
    fill_ancestors(row, &block, c);
    fill_position(row, at, &block, c);
    let [of_block, of_title, of_description, shared] =
        c.overlaps.get(at).copied().unwrap_or_default();
    row.put("shared with title", of_block);
    row.put("of title", of_title);
    row.put("shared with description", of_description);
    row.put("shared with text", shared);
    row.put("signifiers", hits as f32 / terms.max(1) as f32);
    row.put("repeated", flag(c.repeated.get(at).copied().unwrap_or(false)));
    let count = |sums: &Option<PrefixSums>| {
        sums.as_ref().map_or(0, |sums| sums.range(block.first, block.last + 1))
    };
    row.put("links", log(if c.document.is_some() { count(&c.links) as f32 } else { 0.0 }));
    row.put("all in a link", flag(block.words > 0 && block.link_words == block.words));
    let level = c.document.map_or(0, |d| d.node(block.element).level);
    row.put("depth", f32::from(level) / 20.0);
    let name = c.document.and_then(|d| d.name(block.element));
    for tag in &TAGS {
        row.put(format_args!("<{tag}>"), flag(name == Some(tag)));
    }
    let mut cues = [0.0f32; cues::COUNT];
    if let Some(levels) = c.cues.get(at) {
        for (cue, &level) in cues.iter_mut().zip(levels) {
            *cue = WEIGHTS[usize::from(level)];
        }
    }
    row.put_all(cues::names(), &cues);
    // Known only when all siblings are read.
    row.put_all(type_columns(), &[0.0; TYPES]);
}

fn fill_ancestors(row: &mut impl FeatureRow, block: &TextBlock, c: &BlockContext<'_>) {
    let mut id = block.element;
    for level in 0..LEVELS {
        let about = c.elements.get(id);
        row.put(format_args!("good words of page, {level} up"), about.good_of_page);
        row.put(format_args!("link density, {level} up"), about.link_density);
        row.put(format_args!("good share, {level} up"), about.good_share);
        row.put(format_args!("blocks, {level} up"), about.log_blocks);
        row.put(format_args!("words a block, {level} up"), about.log_words_a_block);
        if level == 1 || level == 3 {
            row.put(format_args!("images, {level} up"), about.log_images);
        }
        id = about.parent;
    }
}

fn fill_position(row: &mut impl FeatureRow, at: usize, block: &TextBlock, c: &BlockContext<'_>) {
    let blocks = c.blocks.len().max(1) as f32;
    let share = |sums: &[f32]| {
        let all = sums.last().copied().unwrap_or(0.0).max(1.0);
        sums.get(at).map_or(0.0, |before| before / all)
    };
    let here = at as f32;
    row.put("log blocks of page", log(blocks));
    row.put("log words of page", log(c.words_before.last().copied().unwrap_or(0.0)));
    row.put("log good words of page", log(c.good_before.last().copied().unwrap_or(0.0)));
    row.put("words before", share(&c.words_before));
    row.put("good words before", share(&c.good_before));
    row.put("blocks before", here / blocks);
    row.put("h1", flag(c.h1.is_some()));
    row.put("after h1", c.h1.map_or(0.0, |h1| flag(at > h1)));
    row.put("from h1", c.h1.map_or(-1.0, |h1| (here - h1 as f32) / blocks));
    row.put("from first text", (here - c.first_big as f32) / blocks);
    row.put("from last text", (here - c.last_big as f32) / blocks);
    row.put("log from last text", {
        let beyond = at as f32 - c.last_big as f32;
        beyond.signum() * log(beyond.abs())
    });
    let heading = c.heading.get(at).copied().flatten();
    row.put("blocks from heading", heading.map_or(-1.0, |h| log((at - h) as f32)));
    let since = heading.map_or(0.0, |h| c.words_before[at] - c.words_before[h]);
    row.put("words from heading", log(since));
    let around = |reach: usize| {
        let (from, to) = (at.saturating_sub(reach), (at + reach + 1).min(c.blocks.len()));
        if from >= to {
            return 0.0;
        }
        let good = c.good_before[to] - c.good_before[from] - c.good.get(at).copied().unwrap_or(0.0);
        log(good / (to - from) as f32)
    };
    row.put("good words around 3", around(3));
    row.put("good words around 8", around(8));
    let only = c.document.map_or(0, |d| {
        let node = d.node(block.element);
        node.end - block.element
    });
    row.put("nodes of element", log(only as f32));
}
