//! A block among its siblings: the second row of features.

use dom::{Document, NodeId};

use crate::core::Core;
use crate::elementary::{ln, log};
use crate::page::page_feature_names;
use crate::patterns::{Patterns, UNKNOWN};
use crate::pools::{Pools, ScoredPage, own_density, pooled_density};
use crate::rows::{Names, Row, Rows};
use crate::trees::Trees;
use crate::view::WordsOnly;

/// The siblings of a page.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a> {
    /// Their merged tree.
    pub patterns: &'a Patterns,
    /// Sums over their blocks.
    pub pools: &'a Pools,
    /// Number of pages in the sample.
    pub learnt_from: usize,
}

/// Names of the columns of [`sibling_rows`].
pub fn sibling_feature_names() -> Vec<String> {
    with_example(|document, page, template| {
        let mut names = page_feature_names();
        let core = Core::of(document, page, template.pools);
        fill(&mut Names(&mut names), document, page, template, &core, None, 0);
        names
    })
}

/// A minimal page, to get the names of the columns.
pub(crate) fn with_example<T>(
    ask: impl FnOnce(&Document, &ScoredPage<'_>, &Template<'_>) -> T,
) -> T {
    let only = WordsOnly::of("<p>x</p>");
    let document = &only.document;
    let page = crate::read_page(&only.view(), &mut crate::Cues::new());
    let (patterns, of_nodes) = Patterns::of(&[document]);
    let scored = ScoredPage { page: &page, patterns: &of_nodes[0], scores: &[0.5] };
    let pools = Pools::of(&[scored], &patterns);
    ask(document, &scored, &Template { patterns: &patterns, pools: &pools, learnt_from: 1 })
}

/// One row per block: features within the page, statistics of its pattern over siblings, position relative to
/// the core. `forest` are the elements of Forest's best pattern on this page, if known. Linear in the nodes.
pub fn sibling_rows(
    document: &Document,
    page: &ScoredPage<'_>,
    template: &Template<'_>,
    forest: Option<&[NodeId]>,
) -> Rows {
    rows_of(document, page, template, forest, (0..page.page.blocks.len()).collect())
}

/// Blocks with a lower first score are not scored again: three blocks in five. Of 2.2 million words of 1,214
/// pages, 55 were in such blocks that siblings would have raised above 0.3.
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
    template: &Template<'_>,
    forest: Option<&[NodeId]>,
    trees: &Trees,
) -> Vec<f32> {
    let mut scores = page.scores.to_vec();
    let open: Vec<usize> = (0..scores.len()).filter(|&at| !is_settled(scores[at])).collect();
    let again = trees.probabilities(&rows_of(document, page, template, forest, open.clone()));
    for (at, score) in open.into_iter().zip(again) {
        scores[at] = score;
    }
    scores
}

/// Combines first scores and those of the trees for all blocks, as [`second_scores`] does.
pub fn settled(first: &[f32], second: &[f32]) -> Vec<f32> {
    let settle = |(&first, &second): (&f32, &f32)| if is_settled(first) { first } else { second };
    first.iter().zip(second).map(settle).collect()
}

/// The rows of some blocks.
fn rows_of(
    document: &Document,
    page: &ScoredPage<'_>,
    template: &Template<'_>,
    forest: Option<&[NodeId]>,
    blocks: Vec<usize>,
) -> Rows {
    static WIDTH: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let width = *WIDTH.get_or_init(|| sibling_feature_names().len());
    let core = Core::of(document, page, template.pools);
    let mut rows = Rows::new(width, blocks.len());
    for at in blocks {
        rows.push(|row| {
            row.copy(page.page.rows.row(at));
            fill(row, document, page, template, &core, forest, at);
        });
    }
    rows
}

fn fill(
    row: &mut impl Row,
    document: &Document,
    page: &ScoredPage<'_>,
    template: &Template<'_>,
    core: &Core,
    forest: Option<&[NodeId]>,
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
    row.put(
        "pooled link density",
        if pool.words > 0.0 { pooled_density(&pool) } else { own_density(page.page, at) },
    );
    row.put("pooled log words", pool.logs / pool.blocks.max(1.0));
    row.put("spread of log words", spread(pool.logs, pool.log_squares));
    row.put("pooled sentence ends", pool.sentence_ends / pool.blocks.max(1.0));
    row.put("distinct texts", pools.among_siblings(pool.distinct / pool.blocks.max(1.0)));
    row.put("repeated words", pools.among_siblings(pool.repeated / pool.words.max(1.0)));
    let signs = &page.page.signs[at];
    row.put("pages with this text", pools.elsewhere(signs.letters_hash));
    row.put("pooled signifiers", pool.hits / pool.terms.max(1.0));
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
        let same = other.map_or(-1.0, |other| f32::from(u8::from(page.pattern(other) == id)));
        let support = other.map_or(-1.0, |other| pools.get(page.pattern(other)).pages / siblings);
        row.put(format_args!("same pattern {distance:+}"), same);
        let elsewhere =
            other.map_or(-1.0, |other| pools.elsewhere(page.page.signs[other].letters_hash));
        row.put(format_args!("pages with this text {distance:+}"), elsewhere);
        row.put(format_args!("support {distance:+}"), support);
    }
    let element = page.page.blocks[at].element;
    let in_forest = forest.map_or(-1.0, |elements| {
        let inside = elements.iter().any(|&e| document.contains(e, element));
        f32::from(u8::from(inside))
    });
    row.put("in Forest's element", in_forest);
    core.fill(row, document, page, at);
}
