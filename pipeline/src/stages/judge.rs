//! Stage 5 of the default engine, judge.
//!
//! Takes: the pages of a template, in the order they are learnt from, and the weights.
//! Gives: per page its blocks with their scores; per structural pattern whether it is kept.
//! Why: what siblings share tells article from furniture better than any page alone.
//! Drops: nothing.

use std::cell::RefCell;

use dom::NodeId;
use forest::{Measure, Recurring};
use grove::{
    Chosen, Cues, DecideParameters, Decision, PageBlocks, PageView, PatternId, Patterns, Pools,
    Rows, ScoredPage, Weights, decide, read_page, sibling_rows,
};
use metadata::json_ld_article;
use model::StructuralPattern;
use rayon::prelude::*;

use super::rank::rank;
use super::signify::{Sibling, SignifiedPage, signify, terms_of};
use crate::config::SignifyConfig;
use crate::parsed::ParsedPage;

thread_local! {
    static CUES: RefCell<Cues> = RefCell::new(Cues::new());
}

/// A template judged: what its pages have in common, and what that means for each.
#[derive(Debug)]
pub struct Judged {
    /// What the pages learnt from have in common.
    pub common: Common,
    /// Their blocks, summed up by pattern.
    pub pools: Pools,
    /// Per pattern what becomes of it.
    pub decisions: Vec<Decision>,
    /// All pages, in the order given; the first `learnt_from` are those learnt from.
    pub pages: Vec<JudgedPage>,
    /// Pages learnt from.
    pub learnt_from: usize,
    parameters: DecideParameters,
}

/// A page with its scores.
#[derive(Debug)]
pub struct JudgedPage {
    /// Its blocks (their features were let go).
    pub blocks: PageBlocks,
    /// Patterns of its nodes.
    pub of_nodes: Vec<PatternId>,
    /// Per block the probability that it belongs to the article.
    pub scores: Vec<f32>,
}

impl JudgedPage {
    /// The page as `grove` takes it.
    pub fn scored(&self) -> ScoredPage<'_> {
        ScoredPage { page: &self.blocks, patterns: &self.of_nodes, scores: &self.scores }
    }
}

impl Judged {
    /// What the first so many pages alone would decide.
    pub fn decide_on(&self, pages: usize) -> Vec<Decision> {
        decide_on(&self.pages[..pages], &self.common.patterns, &self.parameters)
    }

    /// The elements that the decisions mean on a page.
    pub fn chosen(&self, page: usize, parsed: &ParsedPage<'_>) -> Chosen {
        let own = &self.pages[page];
        Chosen::of(&parsed.document, &own.of_nodes, &self.decisions)
    }
}

/// Judges the pages of a template. The first `learn_from` are compared with each other; every page is
/// scored by what those have in common.
pub fn judge(
    siblings: &[Sibling<'_>],
    learn_from: usize,
    signify_config: &SignifyConfig,
    weights: &Weights,
) -> Judged {
    let learnt_from = siblings.len().min(learn_from.max(1));
    let mut read = siblings.chunks(learn_from.max(1)).map(|part| {
        let signified = signify(part, signify_config);
        let blocks = read_pages(part, &signified);
        let first: Vec<Vec<f32>> =
            blocks.par_iter().map(|page| weights.page.probabilities(&page.rows)).collect();
        (part, signified, blocks, first)
    });
    let Some((sample, signified, blocks, first)) = read.next() else {
        let (patterns, _) = Patterns::of(&[]);
        let pools = Pools::of(&[], &patterns);
        let common = Common { patterns, of_nodes: Vec::new(), forest: Forest::default() };
        let parameters = decide_parameters(weights);
        let (decisions, pages) = (Vec::new(), Vec::new());
        return Judged { common, pools, decisions, pages, learnt_from: 0, parameters };
    };
    let parsed: Vec<&ParsedPage<'_>> = sample.iter().map(|s| s.page).collect();
    let mut common = common(&parsed, &signified.iter().collect::<Vec<_>>());
    let of_sample = std::mem::take(&mut common.of_nodes);
    let pools = Pools::of(&scored(&blocks, &of_sample, &first), &common.patterns);
    let template = grove::Template { patterns: &common.patterns, pools: &pools, learnt_from };
    let finish =
        |page: &ParsedPage<'_>, mut blocks: PageBlocks, of_nodes: Vec<PatternId>, first: &[f32]| {
            let scored = ScoredPage { page: &blocks, patterns: &of_nodes, scores: first };
            let forest = common.forest.elements(page);
            let rows = sibling_rows(&page.document, &scored, &template, forest.as_deref());
            let scores = pools.less_repeated(&blocks, weights.sibling.probabilities(&rows));
            // The features are most of a page's memory, and done with.
            blocks.rows = Rows::default();
            JudgedPage { blocks, of_nodes, scores }
        };
    let mut pages: Vec<JudgedPage> = (sample.par_iter().zip(blocks))
        .zip(of_sample.into_par_iter().zip(&first))
        .map(|((sibling, blocks), (of_nodes, first))| finish(sibling.page, blocks, of_nodes, first))
        .collect();
    let parameters = decide_parameters(weights);
    let decisions = decide_on(&pages, &common.patterns, &parameters);
    for (part, _, blocks, first) in read {
        let judged: Vec<JudgedPage> = (part.par_iter().zip(blocks))
            .zip(&first)
            .map(|((sibling, blocks), first)| {
                let of_nodes = common.patterns.find(&sibling.page.document);
                finish(sibling.page, blocks, of_nodes, first)
            })
            .collect();
        pages.extend(judged);
    }
    Judged { common, pools, decisions, pages, learnt_from, parameters }
}

fn decide_on(
    pages: &[JudgedPage],
    patterns: &Patterns,
    parameters: &DecideParameters,
) -> Vec<Decision> {
    let scored: Vec<ScoredPage<'_>> = pages.iter().map(JudgedPage::scored).collect();
    decide(&scored, patterns, parameters)
}

/// The parameters of the decision that go with the weights.
pub fn decide_parameters(weights: &Weights) -> DecideParameters {
    DecideParameters { threshold: weights.threshold, switch_cost: weights.switch_cost }
}

fn scored<'a>(
    blocks: &'a [PageBlocks],
    of_nodes: &'a [Vec<PatternId>],
    scores: &'a [Vec<f32>],
) -> Vec<ScoredPage<'a>> {
    (blocks.iter().zip(of_nodes).zip(scores))
        .map(|((page, patterns), scores)| ScoredPage { page, patterns, scores })
        .collect()
}

/// Cuts pages into blocks and says what each page alone tells of them. `signified` goes with them.
pub fn read_pages(siblings: &[Sibling<'_>], signified: &[SignifiedPage]) -> Vec<PageBlocks> {
    siblings
        .par_iter()
        .zip(signified)
        .map(|(sibling, signified)| read_one(sibling, signified))
        .collect()
}

fn read_one(sibling: &Sibling<'_>, signified: &SignifiedPage) -> PageBlocks {
    let ParsedPage { page, document, words, link_words, .. } = sibling.page;
    let terms = |text: &str| terms_of(text, signified.language);
    let head = document.head();
    let title = head.meta("og:title").or(head.title.as_deref()).unwrap_or_default();
    let item = sibling.feed_items.first();
    let description = head
        .meta("og:description")
        .or(head.meta("description"))
        .or(item.map(|item| item.description.as_str()))
        .unwrap_or_default();
    let full_text = json_ld_article(document, &page.url)
        .and_then(|article| article.body)
        .or_else(|| item?.content.clone())
        .unwrap_or_default();
    let view = PageView {
        document,
        words,
        link_words,
        terms: &signified.terms,
        title: &terms(title),
        description: &terms(description),
        full_text: &terms(&full_text),
        signifiers: &signified.weights,
    };
    CUES.with_borrow_mut(|cues| read_page(&view, cues))
}

/// What the siblings a template is learnt from have in common.
#[derive(Debug)]
pub struct Common {
    /// Their merged tree.
    pub patterns: Patterns,
    /// Per page the patterns of its nodes.
    pub of_nodes: Vec<Vec<PatternId>>,
    /// Where Forest would look.
    pub forest: Forest,
}

/// Forest's ranking of the patterns (none for a lone page), and what it takes to find them.
#[derive(Debug, Default)]
pub struct Forest {
    /// The patterns, best first.
    pub ranked: Vec<StructuralPattern>,
    recurring: Option<Recurring>,
}

impl Forest {
    /// The elements of the best pattern on a page.
    pub fn elements(&self, page: &ParsedPage<'_>) -> Option<Vec<NodeId>> {
        let recurring = self.recurring.as_ref()?;
        Some(forest::elements_of(self.ranked.first()?, &page.document, recurring))
    }
}

/// Merges the trees of sibling pages, and asks Forest where it would look.
pub fn common(pages: &[&ParsedPage<'_>], signified: &[&SignifiedPage]) -> Common {
    let documents: Vec<&dom::Document> = pages.iter().map(|page| &page.document).collect();
    let (patterns, of_nodes) = Patterns::of(&documents);
    // One page alone has no term that it uses more than others do.
    let forest = if pages.len() < 2 {
        Forest::default()
    } else {
        let recurring = Recurring::of(documents.iter().copied());
        let ranked = rank(pages, signified, &recurring, Measure::Informativeness);
        Forest { ranked, recurring: Some(recurring) }
    };
    Common { patterns, of_nodes, forest }
}
