//! A block among its siblings: the second row of features, and its position relative to the core of the page,
//! the element around most of the text with high scores.

use std::sync::LazyLock;

use dom::{Document, NodeId};

use crate::block::{blocks_before, density};
use crate::elementary::{ln, log};
use crate::page::{WordsOnly, page_feature_names, sums};
use crate::patterns::{Patterns, UNKNOWN};
use crate::pools::{Pools, ScoredPage};
use crate::rows::{FeatureRow, FeatureTable, column_names, flag};
use crate::trees::Trees;

/// The siblings of a page.
#[derive(Clone, Copy, Debug)]
pub struct SiblingStatistics<'a> {
    /// Their merged tree.
    pub patterns: &'a Patterns,
    /// Sums over their blocks.
    pub pools: &'a Pools,
}

pub(crate) fn sibling_feature_names() -> Vec<String> {
    with_example(|document, page, template| {
        let core = Core::of(document, page, template.pools);
        let own = column_names(|row| fill(row, document, page, template, &core, 0));
        [page_feature_names(), own].concat()
    })
}

/// A minimal page, to get the names of the columns.
pub(crate) fn with_example<T>(
    ask: impl FnOnce(&Document, &ScoredPage<'_>, &SiblingStatistics<'_>) -> T,
) -> T {
    let only = WordsOnly::of("<p>x</p>");
    let document = &only.document;
    let page = crate::read_page(&only.view(), &mut crate::Cues::new());
    let (patterns, of_nodes) = Patterns::of(&[document]);
    let scored = ScoredPage { page: &page, patterns: &of_nodes[0], scores: &[0.5] };
    let pools = Pools::of(&[scored], &patterns);
    ask(document, &scored, &SiblingStatistics { patterns: &patterns, pools: &pools })
}

/// One row per block: features within the page, statistics of its pattern over siblings, position relative to
/// the core. Linear in the nodes.
pub fn sibling_rows(
    document: &Document,
    page: &ScoredPage<'_>,
    template: &SiblingStatistics<'_>,
) -> FeatureTable {
    rows_of(document, page, template, (0..page.page.blocks.len()).collect())
}

/// Blocks with a lower first score, three blocks in five, are not scored again. Of 2.2 million words on 1,214
/// pages, 55 were in such blocks whose second score would have been above 0.3.
const SETTLED: f32 = 0.01;

/// Whether a block with this first score is not scored again.
pub fn is_settled(first: f32) -> bool {
    first < SETTLED
}

/// Scores the blocks of a page again, with the features of [`sibling_rows`]; blocks with a very low first
/// score keep it.
pub fn second_scores(
    document: &Document,
    page: &ScoredPage<'_>,
    template: &SiblingStatistics<'_>,
    trees: &Trees,
) -> Vec<f32> {
    let mut scores = page.scores.to_vec();
    let open: Vec<usize> = (0..scores.len()).filter(|&at| !is_settled(scores[at])).collect();
    let again = trees.probabilities(&rows_of(document, page, template, open.clone()));
    for (at, score) in open.into_iter().zip(again) {
        scores[at] = score;
    }
    scores
}

/// Combines first scores and those of the trees for all blocks, as [`second_scores`] does.
pub fn settle_scores(first: &[f32], second: &[f32]) -> Vec<f32> {
    let settle = |(&first, &second): (&f32, &f32)| if is_settled(first) { first } else { second };
    first.iter().zip(second).map(settle).collect()
}

fn rows_of(
    document: &Document,
    page: &ScoredPage<'_>,
    template: &SiblingStatistics<'_>,
    blocks: Vec<usize>,
) -> FeatureTable {
    static WIDTH: LazyLock<usize> = LazyLock::new(|| sibling_feature_names().len());
    let core = Core::of(document, page, template.pools);
    FeatureTable::of(*WIDTH, blocks.into_iter(), |row, at| {
        row.copy(page.page.rows.row(at));
        fill(row, document, page, template, &core, at);
    })
}

fn fill(
    row: &mut impl FeatureRow,
    document: &Document,
    page: &ScoredPage<'_>,
    template: &SiblingStatistics<'_>,
    core: &Core,
    at: usize,
) {
    let pools = template.pools;
    let id = page.pattern(at);
    let pool = pools.get(id);
    let own = page.scores[at];
    let siblings = pools.pages.max(1.0);
    row.put("score", own);
    row.put("pooled score", pools.mean(id, own));
    let mean = if pool.blocks > 0.0 { pool.scores / pool.blocks } else { own };
    row.put("pooled score by blocks", mean);
    let spread = |sum: f32, squares: f32| {
        let n = pool.blocks.max(1.0);
        (squares / n - (sum / n) * (sum / n)).max(0.0).sqrt()
    };
    row.put("spread of scores", spread(pool.scores, pool.squares));
    row.put("support", pools.among_siblings(pool.pages / siblings));
    row.put("siblings", ln(siblings));
    row.put("blocks a page", log(pool.blocks / pool.pages.max(1.0)));
    row.put("words a page", log(pool.words / siblings));
    let of_pool = || pool.link_words / pool.words.max(1.0);
    let own_density = density(&page.page.blocks[at]);
    row.put("pooled link density", if pool.words > 0.0 { of_pool() } else { own_density });
    row.put("pooled log words", pool.logs / pool.blocks.max(1.0));
    row.put("spread of log words", spread(pool.logs, pool.log_squares));
    row.put("pooled sentence ends", pool.sentence_ends / pool.blocks.max(1.0));
    row.put("distinct texts", pools.among_siblings(pool.distinct / pool.blocks.max(1.0)));
    row.put("repeated words", pools.among_siblings(pool.repeated / pool.words.max(1.0)));
    let signs = &page.page.signs[at];
    row.put("pages with this text", pools.elsewhere(signs.letters_hash));
    row.put("agrees with full text", page.page.agreement[at]);
    let agreement = if pool.agreeing > 0.0 { pool.agreement / pool.agreeing } else { -1.0 };
    row.put("pooled agreement", agreement);
    let mut above = id;
    for level in 0..4 {
        let pool = pools.get(above);
        let score = if pool.below_words > 0.0 { pool.below_scored / pool.below_words } else { own };
        row.put(format_args!("pooled below, {level} up"), score);
        row.put(format_args!("pooled words below, {level} up"), log(pool.below_words / siblings));
        let repeated = pool.below_repeated / pool.below_words.max(1.0);
        row.put(format_args!("repeated below, {level} up"), pools.among_siblings(repeated));
        if above != UNKNOWN {
            above = template.patterns.parent(above);
        }
    }
    let blocks = page.page.blocks.len();
    for distance in [-2isize, -1, 1, 2] {
        let other = at.checked_add_signed(distance).filter(|&at| at < blocks);
        let same = other.map_or(-1.0, |other| flag(page.pattern(other) == id));
        let support = other.map_or(-1.0, |other| pools.get(page.pattern(other)).pages / siblings);
        row.put(format_args!("same pattern {distance:+}"), same);
        let elsewhere =
            other.map_or(-1.0, |other| pools.elsewhere(page.page.signs[other].letters_hash));
        row.put(format_args!("pages with this text {distance:+}"), elsewhere);
        row.put(format_args!("support {distance:+}"), support);
    }
    core.fill(row, document, page, at);
}

/// The core of a page, with the values needed to compute the position of blocks relative to it.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    element: NodeId,
    /// Mean of own and pooled score, by block.
    pub(crate) mixed: Vec<f32>,
    /// Sums before each block: words, words times mixed score.
    words: Vec<f32>,
    mass: Vec<f32>,
    /// First and last block of the core with a high score.
    first: usize,
    last: usize,
    /// Per node the number of blocks before it.
    starts: Vec<u32>,
}

impl Core {
    /// Finds the element with the largest sum over its blocks of words · (score − ½), the score being
    /// the mean of the block's own and its pattern's; ties go to the deeper one. Linear in nodes.
    pub(crate) fn of(document: &Document, page: &ScoredPage<'_>, pools: &Pools) -> Self {
        let blocks = &page.page.blocks;
        let mixed: Vec<f32> = (0..blocks.len())
            .map(|at| (page.scores[at] + pools.mean(page.pattern(at), page.scores[at])) / 2.0)
            .collect();
        let words = sums(&blocks.iter().map(|b| b.words as f32).collect::<Vec<_>>());
        let weigh = |b: &crate::TextBlock, score: f32| b.words as f32 * score;
        let mass: Vec<f32> = blocks.iter().zip(&mixed).map(|(b, &m)| weigh(b, m)).collect();
        let mass = sums(&mass);
        let mut core = Self {
            element: 0,
            mixed,
            words,
            mass,
            first: 0,
            last: blocks.len().max(1) - 1,
            starts: blocks_before(document, blocks),
        };
        let mut best = f32::NEG_INFINITY;
        for id in document.ids().filter(|&id| document.name(id).is_some()) {
            let (words, mass) = core.sums(document, id);
            let gain = mass - words / 2.0;
            // A later element is deeper or elsewhere; one elsewhere has the same sum only by chance.
            if words > 0.0 && gain >= best - 1e-4 {
                core.element = id;
                best = gain;
            }
        }
        let (from, to) = core.blocks_of(document, core.element);
        let reads = |at: &usize| core.mixed[*at] >= 0.5;
        if let (Some(first), Some(last)) = ((from..to).find(reads), (from..to).rfind(reads)) {
            (core.first, core.last) = (first, last);
        }
        core
    }

    fn blocks_of(&self, document: &Document, id: NodeId) -> (usize, usize) {
        let end = document.node(id).end;
        (self.starts[id as usize] as usize, self.starts[end as usize] as usize)
    }

    /// Words and mass of a subtree.
    fn sums(&self, document: &Document, id: NodeId) -> (f32, f32) {
        let (from, to) = self.blocks_of(document, id);
        (self.words[to] - self.words[from], self.mass[to] - self.mass[from])
    }

    /// The position of a block relative to the core.
    pub(crate) fn fill(
        &self,
        row: &mut impl FeatureRow,
        document: &Document,
        page: &ScoredPage<'_>,
        at: usize,
    ) {
        let blocks = &page.page.blocks;
        let block = &blocks[at];
        let core = document.node(self.element);
        let is_above = |id: NodeId| document.contains(id, self.element);
        // The lowest common ancestor, and its branch that contains the block.
        let mut branch = block.element;
        let mut joint = block.element;
        while !is_above(joint) {
            branch = joint;
            joint = document.node(joint).parent;
        }
        let level = |id: NodeId| f32::from(document.node(id).level);
        let inside = document.contains(self.element, block.element);
        let mixed = self.mixed[at];
        let log_words = log(block.words as f32);
        let (branch_words, branch_mass) = self.sums(document, branch);
        let (core_words, core_mass) = self.sums(document, self.element);
        let all = self.mass.last().copied().unwrap_or(0.0).max(1e-6);
        row.put("core: joint level", level(joint) / f32::from(core.level.max(1)));
        row.put("core: inside", flag(inside));
        row.put("core: below joint", (level(block.element) - level(joint)) / 10.0);
        row.put("core: branch score", branch_mass / branch_words.max(1.0));
        row.put("core: branch words", log(branch_words));
        row.put("core: share of page", core_mass / all);
        row.put("core: score", core_mass / core_words.max(1.0));
        row.put("core: words", log(core_words));
        row.put("core: before", flag(at < self.first));
        row.put("core: after", flag(at > self.last));
        let gap = self.first.saturating_sub(at).max(at.saturating_sub(self.last));
        row.put("core: gap", log(gap as f32));
        row.put("core: mixed", mixed);
        row.put("core: mixed inside", if inside { mixed } else { -1.0 });
        row.put("core: words inside", if inside { log_words } else { -1.0 });
        row.put("core: words outside", if inside { -1.0 } else { log_words });
        row.put("core: on its path", flag(is_above(block.element)));
        row.put("mass before", self.mass[at] / all);
        row.put("mass here", (self.mass[at + 1] - self.mass[at]) / all);
        for distance in [-3isize, -2, -1, 1, 2, 3] {
            let other = at.checked_add_signed(distance).and_then(|at| self.mixed.get(at));
            row.put(format_args!("mixed {distance:+}"), other.copied().unwrap_or(-1.0));
        }
        let gap_before = (0..at).rev().take(60).position(|at| self.mixed[at] >= 0.5);
        let gap_after = (at + 1..blocks.len()).take(60).position(|at| self.mixed[at] >= 0.5);
        row.put("since text", gap_before.map_or(-1.0, |gap| log(gap as f32)));
        row.put("until text", gap_after.map_or(-1.0, |gap| log(gap as f32)));
    }
}
