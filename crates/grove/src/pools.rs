//! Statistics of patterns over siblings.

use std::collections::BTreeMap;

use dom::{Document, NodeId, local_name};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::elementary::log;
use crate::page::PageBlocks;
use crate::patterns::{PatternId, Patterns, UNKNOWN};
use crate::signs::{Ends, signs};

/// A page's blocks with their patterns and their scores.
#[derive(Clone, Copy, Debug)]
pub struct ScoredPage<'a> {
    /// The blocks.
    pub page: &'a PageBlocks,
    /// Patterns of the page's nodes.
    pub patterns: &'a [PatternId],
    /// Per block the probability that it belongs to the article, by the page alone.
    pub scores: &'a [f32],
}

impl ScoredPage<'_> {
    pub(crate) fn pattern(&self, at: usize) -> PatternId {
        self.patterns[self.page.blocks[at].element as usize]
    }
}

/// Minimum number of words of new elements to be noted.
const FEWEST_NEW_WORDS: u32 = 4;

/// A page with its scores: by the trees, or, on the fast path, the expected ones.
#[derive(Clone, Debug)]
pub struct JudgedPage {
    /// Its blocks, without features.
    pub blocks: PageBlocks,
    /// Patterns of its nodes.
    pub of_nodes: Vec<PatternId>,
    /// Per block the probability that it belongs to the article.
    pub scores: Vec<f32>,
    /// Per block the probability by the page alone.
    pub first: Vec<f32>,
}

impl JudgedPage {
    /// The page with its second scores.
    pub fn scored(&self) -> ScoredPage<'_> {
        ScoredPage { page: &self.blocks, patterns: &self.of_nodes, scores: &self.scores }
    }

    /// Words of a block, weighted by one of its scores.
    pub fn mass(&self, at: usize, scores: &[f32]) -> f32 {
        self.blocks.blocks[at].words as f32 * scores[at]
    }

    /// Returns hashes of the elements with kept text that no page of the sample has, ascending: of their tag and class names, and
    /// of the pattern of the element around them. Elements with few kept words are left out.
    pub fn new_elements(&self, document: &Document, kept: &[usize]) -> Vec<u64> {
        let mut words: BTreeMap<u64, u32> = BTreeMap::new();
        for block in kept.iter().map(|&at| &self.blocks.blocks[at]) {
            let is_new = |id: &NodeId| self.of_nodes[*id as usize] == UNKNOWN;
            let Some(top) = document.ancestors(block.element).take_while(is_new).last() else {
                continue;
            };
            let around = document.parent(top).map_or(UNKNOWN, |id| self.of_nodes[id as usize]);
            let names = document.attribute(top, &local_name!("class")).unwrap_or_default();
            let tag = document.name(top).map_or("", |name| name);
            let names = format!("{tag} {names}");
            let hash = xxh3_64_with_seed(names.as_bytes(), u64::from(around));
            *words.entry(hash).or_default() += block.words;
        }
        words.retain(|_, words| *words >= FEWEST_NEW_WORDS);
        words.into_keys().collect()
    }

    /// Completes the kept blocks of a page on the fast path: reads the features of their text, and lowers the scores of
    /// text that other pages repeat.
    pub fn look_at(&mut self, document: &Document, kept: &[usize], pools: &Pools) {
        for &at in kept {
            let block = self.blocks.blocks[at];
            let texts = (block.first..=block.last).filter_map(|id| document.text(id));
            self.blocks.signs[at] = signs(texts);
            self.scores[at] = pools.less_if_repeated(&self.blocks, at, self.scores[at]);
        }
    }
}

/// Sums over the blocks of one pattern. Near copies of a page share one vote.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Pool {
    pub(crate) pages: f32,
    pub(crate) blocks: f32,
    pub(crate) words: f32,
    pub(crate) link_words: f32,
    /// Sums of scores weighted by words, of scores of blocks, and of their squares.
    pub(crate) scored_words: f32,
    pub(crate) scores: f32,
    pub(crate) squares: f32,
    pub(crate) logs: f32,
    pub(crate) log_squares: f32,
    pub(crate) sentence_ends: f32,
    pub(crate) distinct: f32,
    pub(crate) agreement: f32,
    pub(crate) agreeing: f32,
    /// Words of blocks whose text another page has too.
    pub(crate) repeated: f32,
    pub(crate) below_repeated: f32,
    /// Words and scored words of the pattern and all below it.
    pub(crate) below_words: f32,
    pub(crate) below_scored: f32,
}

/// Sums over all patterns.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Pools {
    pub(crate) pools: Vec<Pool>,
    /// By the letters of a block, the number of distinct pages that have it.
    #[serde(serialize_with = "model::sorted::map")]
    pub(crate) texts: FxHashMap<u64, f32>,
    /// Number of distinct pages.
    pub(crate) pages: f32,
}

impl Pools {
    /// Sums up the blocks of sibling pages. Linear in blocks, except that all pages are compared with
    /// each other (few, because they are a sample).
    pub fn of(pages: &[ScoredPage<'_>], patterns: &Patterns) -> Self {
        let votes = votes(pages);
        let mut pools = vec![Pool::default(); patterns.len()];
        let mut texts: FxHashMap<u64, f32> = FxHashMap::default();
        let mut seen: FxHashSet<(PatternId, u64)> = FxHashSet::default();
        for (page, &vote) in pages.iter().zip(&votes) {
            let mut here: FxHashSet<PatternId> = FxHashSet::default();
            let mut letters: FxHashSet<u64> = FxHashSet::default();
            for (at, block) in page.page.blocks.iter().enumerate() {
                let id = page.pattern(at);
                if id == UNKNOWN {
                    continue;
                }
                let signs = &page.page.signs[at];
                let (score, words) = (page.scores[at], block.words as f32);
                let pool = &mut pools[id as usize];
                if here.insert(id) {
                    pool.pages += vote;
                }
                pool.blocks += vote;
                pool.words += vote * words;
                pool.link_words += vote * block.link_words as f32;
                pool.scored_words += vote * words * score;
                pool.scores += vote * score;
                pool.squares += vote * score * score;
                let log = log(words);
                pool.logs += vote * log;
                pool.log_squares += vote * log * log;
                pool.sentence_ends += vote * f32::from(u8::from(signs.ends == Ends::Sentence));
                if seen.insert((id, signs.letters_hash)) {
                    pool.distinct += 1.0;
                }
                if page.page.agreement[at] >= 0.0 {
                    pool.agreement += vote * words * page.page.agreement[at];
                    pool.agreeing += vote * words;
                }
                if signs.letters > 0 && letters.insert(signs.letters_hash) {
                    *texts.entry(signs.letters_hash).or_default() += vote;
                }
            }
        }
        // A second pass, because it needs the texts of all pages.
        for (page, &vote) in pages.iter().zip(&votes) {
            for (at, block) in page.page.blocks.iter().enumerate() {
                let id = page.pattern(at);
                if id != UNKNOWN && others(&texts, page.page.signs[at].letters_hash, vote) > 0.0 {
                    pools[id as usize].repeated += vote * block.words as f32;
                }
            }
        }
        for pool in &mut pools {
            pool.below_repeated = pool.repeated;
            pool.below_words = pool.words;
            pool.below_scored = pool.scored_words;
        }
        for id in (1..pools.len()).rev() {
            let own = pools[id];
            let above = &mut pools[patterns.parent(id as PatternId) as usize];
            above.below_words += own.below_words;
            above.below_repeated += own.below_repeated;
            above.below_scored += own.below_scored;
        }
        Self { pools, texts, pages: votes.iter().sum() }
    }

    /// Validates the sums against patterns, after deserialisation.
    ///
    /// # Errors
    /// Describes the first mismatch.
    pub fn check(&self, patterns: &Patterns) -> Result<(), String> {
        let (own, wanted) = (self.pools.len(), patterns.len());
        if own == wanted {
            return Ok(());
        }
        Err(format!("{own} patterns are summed up, not {wanted}"))
    }

    /// Share of the other pages with a text that one page has; −1 without other pages.
    pub(crate) fn elsewhere(&self, letters: u64) -> f32 {
        if self.pages <= 1.5 {
            return -1.0;
        }
        others(&self.texts, letters, 1.0) / (self.pages - 1.0)
    }

    /// Share of the words of some blocks that are in blocks with a text that at least two of the pages have; `None` with only one page.
    pub fn boilerplate(&self, page: &PageBlocks, blocks: &[usize]) -> Option<f64> {
        let sum = |blocks: &mut dyn Iterator<Item = usize>| -> u32 {
            blocks.map(|at| page.blocks[at].words).sum()
        };
        let is_repeated = |&at: &usize| {
            page.blocks[at].words >= FEWEST_REPEATED
                && self.elsewhere(page.signs[at].letters_hash) > 0.0
        };
        let all = sum(&mut blocks.iter().copied());
        let repeated = sum(&mut blocks.iter().copied().filter(is_repeated));
        (self.pages > 1.5).then(|| f64::from(repeated) / f64::from(all.max(1)))
    }

    /// Lowers the scores of texts that at least half of the other pages have, too; a text on all pages is not part of an article.
    /// Every gold contains some of them (a notice under each article), so that trees learn too little from it: 0.1 F1. Also
    /// lowers the scores of comments.
    pub fn less_repeated(&self, page: &PageBlocks, mut scores: Vec<f32>) -> Vec<f32> {
        for (at, score) in scores.iter_mut().enumerate() {
            *score = self.less_if_repeated(page, at, *score);
        }
        page.lower_comments(&mut scores);
        scores
    }

    /// Like [`Self::less_repeated`], for the text of one block.
    pub(crate) fn less_if_repeated(&self, page: &PageBlocks, at: usize, score: f32) -> f32 {
        if self.pages < 2.5 || page.blocks[at].words < FEWEST_REPEATED {
            return score;
        }
        let elsewhere = self.elsewhere(page.signs[at].letters_hash);
        if elsewhere >= 0.5 { score * (1.0 - elsewhere) } else { score }
    }

    /// A share over siblings, or −1 with only one page.
    pub(crate) fn among_siblings(&self, share: f32) -> f32 {
        if self.pages <= 1.5 { -1.0 } else { share }
    }

    pub(crate) fn get(&self, id: PatternId) -> Pool {
        self.pools.get(id as usize).copied().unwrap_or_default()
    }

    /// The mean score of a pattern's words, or the block's own score if it has none.
    pub(crate) fn mean(&self, id: PatternId, own: f32) -> f32 {
        let pool = self.get(id);
        if pool.words > 0.0 { pool.scored_words / pool.words } else { own }
    }
}

/// Shorter texts repeat by chance.
const FEWEST_REPEATED: u32 = 4;

/// Votes of other pages for a text. Treats tiny remainders as rounding errors.
fn others(texts: &FxHashMap<u64, f32>, letters: u64, own: f32) -> f32 {
    let rest = texts.get(&letters).copied().unwrap_or(0.0) - own;
    if rest > 1e-3 { rest } else { 0.0 }
}

/// Minimum overlap of the texts of two pages with equal titles that are treated as copies: otherwise the repeated article would
/// look like boilerplate of the site. Pages with different titles and such an overlap are short articles in a large
/// template.
const COPY: f32 = 0.9;

/// One vote per page, shared among copies.
fn votes(pages: &[ScoredPage<'_>]) -> Vec<f32> {
    let texts: Vec<FxHashSet<u64>> = pages
        .iter()
        .map(|page| page.page.signs.iter().map(|signs| signs.letters_hash).collect())
        .collect();
    let mut group: Vec<usize> = (0..pages.len()).collect();
    for at in 1..pages.len() {
        let copy_of = |&other: &usize| {
            let (a, b) = (&texts[at], &texts[other]);
            let shared = a.intersection(b).count() as f32;
            pages[at].page.title == pages[other].page.title
                && shared > COPY * (a.len() + b.len()) as f32 - COPY * shared
        };
        if let Some(first) = (0..at).filter(|&other| group[other] == other).find(copy_of) {
            group[at] = first;
        }
    }
    let size = |first: usize| group.iter().filter(|&&g| g == first).count();
    group.iter().map(|&first| 1.0 / size(first) as f32).collect()
}
