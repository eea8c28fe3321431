//! Features of blocks within one page.

use std::sync::LazyLock;

use dom::{Document, NodeId, PrefixSums, is_heading, local_name};
use model::PageType;
use rustc_hash::FxHashSet;

use crate::block::{TextBlock, blocks, blocks_before, density};
use crate::cues::{self, Cues, KindCues};
use crate::elementary::{log, power};
use crate::rows::{FeatureRow, FeatureTable, column_names, flag};
use crate::signs::{Begins, Ends, Signs, signs};

/// Input of this crate: a page with the counts of its words.
#[derive(Clone, Copy, Debug)]
pub struct PageView<'a> {
    /// The page as parsed, whose text nodes the counts below follow.
    pub document: &'a Document,
    /// Words of its text nodes.
    pub words: &'a PrefixSums,
    /// Words in links.
    pub link_words: &'a PrefixSums,
    /// The full text in its JSON-LD or a feed; empty if there is none.
    pub full_text: &'a str,
}

/// The word counts of a page without other evidence.
#[derive(Debug)]
pub(crate) struct WordsOnly {
    pub(crate) document: Document,
    pub(crate) words: PrefixSums,
    pub(crate) link_words: PrefixSums,
}

impl WordsOnly {
    pub(crate) fn of(html: &str) -> Self {
        let document = dom::parse(html);
        let count = |id| document.text(id).map_or(0, |t| t.split_whitespace().count() as u32);
        let words = PrefixSums::new(&document, count);
        let link_words = PrefixSums::within_links(&document, count);
        Self { document, words, link_words }
    }

    pub(crate) fn view(&self) -> PageView<'_> {
        PageView {
            document: &self.document,
            words: &self.words,
            link_words: &self.link_words,
            full_text: "",
        }
    }
}

/// Number of page types.
pub const TYPES: usize = PageType::ALL.len();

/// A probability for each of [`PageType::ALL`]; they sum to 1.
pub type TypeProbabilities = [f32; TYPES];

/// Names of the features that [`PageBlocks::set_types`] fills.
pub(crate) fn type_columns() -> impl Iterator<Item = String> {
    PageType::ALL.iter().map(|own| format!("type {}", own.as_str()))
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
    /// Per block the share of its pairs of words that the full text has; −1 without one.
    pub(crate) agreement: Vec<f32>,
    /// Hash of the letters of its title.
    pub(crate) title: u64,
    /// By kind of element, what names say, where that was read.
    pub(crate) of_kinds: Vec<Option<KindCues>>,
}

impl PageBlocks {
    /// Number of words of the page that agree with the full text; `None` without a full text.
    pub fn agreeing_words(&self) -> Option<f32> {
        let known = self.agreement.iter().any(|&share| share >= 0.0);
        let agreeing = |(block, share): (&TextBlock, &f32)| block.words as f32 * share.max(0.0);
        known.then(|| self.blocks.iter().zip(&self.agreement).map(agreeing).sum())
    }

    /// Enters the types of the page and its siblings as features of all blocks.
    pub fn set_types(&mut self, types: &TypeProbabilities) {
        let from = self.rows.width() - TYPES;
        self.rows.set_columns(from, types);
    }

    /// Lowers the scores of blocks that are named like comments, unless the page may be a thread or has no other text. Gold
    /// treats comments inconsistently, so that trees learn too little from it.
    pub(crate) fn lower_comments(&self, scores: &mut [f32]) {
        let Some(first) = self.rows.iter().next() else { return };
        let thread = first[self.rows.width() - TYPES + PageType::Forum as usize];
        if thread >= MAY_BE_THREAD {
            return;
        }
        let others: f32 = (0..scores.len())
            .filter(|&at| !self.is_comment(at) && scores[at] > 0.5)
            .map(|at| self.blocks[at].words as f32)
            .sum();
        if others < OTHER_TEXT {
            return;
        }
        for (at, score) in scores.iter_mut().enumerate() {
            if self.is_comment(at) {
                *score *= thread / MAY_BE_THREAD;
            }
        }
    }

    /// Number of words in those blocks with at least `fewest` words that repeat an earlier block, compared by letters.
    pub fn repeated_words(&self, blocks: &[usize], fewest: u32) -> u32 {
        let mut seen = FxHashSet::default();
        let is_repeated = |at: &&usize| {
            self.blocks[**at].words >= fewest && !seen.insert(self.signs[**at].letters_hash)
        };
        blocks.iter().filter(is_repeated).map(|&at| self.blocks[at].words).sum()
    }

    /// Whether a block's element or an ancestor has the comments feature.
    pub fn is_comment(&self, block: usize) -> bool {
        self.cues[block] & cues::COMMENTS != 0
    }
}

/// Probability of a thread from which a block named like a comment may be a post.
const MAY_BE_THREAD: f32 = 0.4;
/// Minimum number of words of other text that can be the page's article.
const OTHER_TEXT: f32 = 20.0;

/// Names of the page features, in the order of their columns.
pub(crate) fn page_feature_names() -> Vec<String> {
    column_names(|row| fill(row, 0, &BlockContext::default()))
}

/// Reads a page. Linear in its nodes and text.
pub fn read_page(page: &PageView<'_>, cues: &mut Cues) -> PageBlocks {
    let blocks = blocks(page.document, page.words, page.link_words);
    let context = BlockContext::of(page, &blocks, cues);
    static WIDTH: LazyLock<usize> = LazyLock::new(|| page_feature_names().len());
    let rows = FeatureTable::of(*WIDTH, 0..blocks.len(), |row, at| fill(row, at, &context));
    let title = signs(page.document.head().title.as_deref().into_iter()).letters_hash;
    let BlockContext { signs, cues, of_kinds, .. } = context;
    let agreement = agreement(page, &blocks);
    let bits = |levels: &Levels| {
        let has = |(bit, &level): (usize, &u8)| u64::from(level != NOWHERE) << bit;
        levels.iter().enumerate().map(has).fold(0, |all, bit| all | bit)
    };
    let cues = cues.iter().map(bits).collect();
    PageBlocks { blocks, rows, signs, cues, agreement, title, of_kinds }
}

/// A block looks like text if its share of link words is below the first number, and it has at least the second number of words.
const GOOD: (f32, u32) = (0.33, 10);
/// Weight of a lexicon feature per level up.
const DECAY: f32 = 0.85;

pub(crate) static TAGS: [dom::LocalName; 19] = local_names![
    "p", "h1", "h2", "h3", "h4", "li", "td", "div", "span", "a", "blockquote", "figcaption", "dd",
    "dt", "pre", "section", "article", "time", "address"
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
    /// For each block, the level of each lexicon feature.
    cues: Vec<Levels>,
    of_kinds: Vec<Option<KindCues>>,
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
        let (cues, of_kinds) = cues_of(document, blocks, cues);
        let mut seen = FxHashSet::default();
        let repeated =
            signs.iter().map(|s| s.letters > 0 && !seen.insert(s.letters_hash)).collect();
        Self {
            document: Some(document),
            blocks,
            good_before: sums(&good),
            words_before: sums(&blocks.iter().map(|b| b.words as f32).collect::<Vec<_>>()),
            links: Some(PrefixSums::new(document, |id| {
                u32::from(document.is(id, &local_name!("a")))
            })),
            cues,
            of_kinds,
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

/// For each lexicon feature, the levels from an element up to the nearest one with it; [`NOWHERE`] if none has it.
type Levels = [u8; cues::COUNT];

/// Level from which all have the same weight.
const FARTHEST: u8 = 64;
const NOWHERE: u8 = FARTHEST + 1;

/// Weight of a lexicon feature by level.
static WEIGHTS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let weight = |level| power(DECAY, level);
    (0..=u32::from(FARTHEST)).map(weight).chain([0.0]).collect()
});

/// The lexicon features above each block, and what was read for them, by kind of element.
fn cues_of(
    document: &Document,
    blocks: &[TextBlock],
    cues: &mut Cues,
) -> (Vec<Levels>, Vec<Option<KindCues>>) {
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
    let levels = blocks.iter().map(of_block).collect();
    (levels, cues.of_kinds)
}

/// One block's row. Positions are shares of the page's blocks, counts are logarithms.
fn fill(row: &mut impl FeatureRow, at: usize, c: &BlockContext<'_>) {
    let block = c.blocks.get(at).copied().unwrap_or_default();
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
    for (name, distance) in [("-2", -2isize), ("-1", -1), ("+1", 1), ("+2", 2)] {
        let other = at.checked_add_signed(distance).and_then(|at| c.blocks.get(at));
        row.put(format_args!("log words {name}"), other.map_or(-1.0, |b| log(b.words as f32)));
        row.put(format_args!("link density {name}"), other.map_or(-1.0, density));
    }
    fill_ancestors(row, &block, c);
    fill_position(row, at, &block, c);
    row.put("repeated", flag(c.repeated.get(at).copied().unwrap_or(false)));
    let links = c.links.as_ref().map_or(0, |links| links.range(block.first, block.last + 1));
    row.put("links", log(links as f32));
    row.put("all in a link", flag(block.words > 0 && block.link_words == block.words));
    let level = c.document.map_or(0, |d| d.node(block.element).level);
    row.put("depth", f32::from(level) / 20.0);
    let name = c.document.and_then(|d| d.name(block.element));
    for tag in &TAGS {
        row.put(format_args!("<{tag}>"), flag(name == Some(tag)));
    }
    let mut cues = [0.0f32; cues::COUNT];
    if let Some(levels) = c.cues.get(at) {
        let weights = &*WEIGHTS;
        for (cue, &level) in cues.iter_mut().zip(levels) {
            *cue = weights[usize::from(level)];
        }
    }
    row.put_all(cues::names(), &cues);
    // Known only after all siblings have been read.
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
    let beyond = here - c.last_big as f32;
    row.put("from last text", beyond / blocks);
    row.put("log from last text", beyond.signum() * log(beyond.abs()));
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
    let only = c.document.map_or(0, |d| d.node(block.element).end - block.element);
    row.put("nodes of element", log(only as f32));
}

/// Number of ancestors of a block's element that are examined, including itself.
pub(crate) const LEVELS: usize = 5;

/// Features of elements, each computed once: neighbouring blocks share most of theirs.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    /// For each node, its index among those examined.
    places: Vec<u32>,
    found: Vec<Below>,
}

/// Sums over the nodes below an element.
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

const NOT_EXAMINED: u32 = u32::MAX;

impl Elements {
    /// Examines the elements of blocks and their ancestors. `good` has the words of each block that looks like
    /// text.
    pub(crate) fn of(page: &PageView<'_>, blocks: &[TextBlock], good: &[f32]) -> Self {
        let document = page.document;
        let before = NodesBefore::of(document, blocks, good);
        let mut elements = Self { places: vec![NOT_EXAMINED; document.len()], found: Vec::new() };
        for block in blocks {
            // The root is its own parent.
            for id in document.ancestors(block.element).chain([0]).take(LEVELS) {
                let place = &mut elements.places[id as usize];
                if *place == NOT_EXAMINED {
                    *place = elements.found.len() as u32;
                    elements.found.push(before.below(id, page));
                }
            }
        }
        elements
    }

    /// The features of an element that was examined.
    pub(crate) fn get(&self, id: NodeId) -> Below {
        let place = self.places.get(id as usize).copied().unwrap_or(NOT_EXAMINED);
        self.found.get(place as usize).copied().unwrap_or_default()
    }
}

/// Counts of what is before each node.
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

/// Share of each block's pairs of words that the full text has; of single words for short blocks.
fn agreement(page: &PageView<'_>, blocks: &[TextBlock]) -> Vec<f32> {
    let hashes = |text| terms::hash_words(text).map(|(hash, _)| hash);
    let of_full_text: Vec<u64> = hashes(page.full_text).collect();
    if of_full_text.len() < FEWEST_OF_FULL_TEXT {
        return vec![-1.0; blocks.len()];
    }
    let pair = |w: &[u64]| w[0].rotate_left(7) ^ w[1];
    let pairs: FxHashSet<u64> = of_full_text.windows(2).map(pair).collect();
    let single: FxHashSet<u64> = of_full_text.into_iter().collect();
    let mut own: Vec<u64> = Vec::new();
    let of_block = |block: &TextBlock| {
        own.clear();
        let texts = (block.first..=block.last).filter_map(|id| page.document.text(id));
        texts.for_each(|text| own.extend(hashes(text)));
        let share = |hits: usize, of: usize| hits as f32 / of as f32;
        match own.len() {
            0 => -1.0,
            1 => share(own.iter().filter(|word| single.contains(word)).count(), 1) / 2.0,
            n => share(own.windows(2).filter(|w| pairs.contains(&pair(w))).count(), n - 1),
        }
    };
    blocks.iter().map(of_block).collect()
}

/// A full text with fewer words is ignored.
const FEWEST_OF_FULL_TEXT: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::blocks;

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
