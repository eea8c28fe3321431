//! Stage 5 of the default engine, judge.
//!
//! Takes: the pages a template is learnt from, and the weights; then further pages of it.
//! Gives: per structural pattern whether it is kept; per page its blocks with their scores.
//! Why: what siblings share tells article from boilerplate better than any page alone.
//! Drops: nothing.

use std::cell::RefCell;

use dom::NodeId;
use forest::{Measure, Recurring};
use grove::{
    Chosen, Cues, DecideParameters, Decision, PageBlocks, PageView, PatternId, Patterns, Pools,
    Rows, ScoredPage, Weights, decide, read_page, second_scores,
};
use model::StructuralPattern;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::rank::rank;
use super::signify::{SampleTerms, Sibling, SignifiedPage, signify_sample, terms_of};
use crate::parsed::ParsedPage;
use crate::settings::SignifyConfig;

thread_local! {
    static CUES: RefCell<Cues> = RefCell::new(Cues::new());
}

/// What was learnt about a template: what the pages of its sample have in common, and what becomes of
/// each pattern. Borrows nothing of the pages.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Judgement {
    /// What the pages learnt from have in common.
    pub common: Common,
    /// Their blocks, summed up by pattern.
    pub pools: Pools,
    /// Per pattern what becomes of it.
    pub decisions: Vec<Decision>,
    /// Pages learnt from.
    pub learnt_from: usize,
    terms: SampleTerms,
}

/// A page with its scores.
#[derive(Clone, Debug)]
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

impl Judgement {
    /// What some of the pages learnt from alone would decide.
    pub fn decide_on(&self, pages: &[JudgedPage], weights: &Weights) -> Vec<Decision> {
        decide_on(pages, &self.common.patterns, &decide_parameters(weights))
    }

    /// Whether this can be what was learnt from so many pages at most: for values that were read back.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check(&self, most_pages: usize) -> Result<(), String> {
        let patterns = &self.common.patterns;
        patterns.check()?;
        self.pools.check(patterns)?;
        if self.decisions.len() != patterns.len() {
            return Err(format!(
                "{} decisions on {} patterns",
                self.decisions.len(),
                patterns.len()
            ));
        }
        self.terms.check(most_pages)
    }

    /// The elements that the decisions mean on a page.
    pub fn chosen(&self, page: &JudgedPage, parsed: &ParsedPage<'_>) -> Chosen {
        Chosen::of(&parsed.document, &page.of_nodes, &self.decisions)
    }

    /// Judges a page of the template by what was learnt. It depends on no other page; for a page learnt from it is
    /// what [`judge`] gave.
    pub fn judge_page(
        &self,
        sibling: &Sibling<'_>,
        config: &SignifyConfig,
        weights: &Weights,
    ) -> JudgedPage {
        let blocks = read_one(sibling, &self.terms.signify(sibling, config));
        let first = weights.page.probabilities(&blocks.rows);
        let of_nodes = self.common.patterns.find(&sibling.page.document);
        let scored = ByItself { blocks, of_nodes, first };
        scored.among(sibling.page, &self.common, &self.pools, self.learnt_from, weights)
    }
}

/// Judges the sample of a template: compares its pages with each other, and scores each by what they
/// have in common. Gives what was learnt, and the pages in their order.
pub fn judge(
    sample: &[Sibling<'_>],
    signify_config: &SignifyConfig,
    weights: &Weights,
) -> (Judgement, Vec<JudgedPage>) {
    let (signified, terms) = signify_sample(sample, signify_config);
    let blocks = read_pages(sample, &signified);
    let first: Vec<Vec<f32>> =
        blocks.par_iter().map(|page| weights.page.probabilities(&page.rows)).collect();
    let parsed: Vec<&ParsedPage<'_>> = sample.iter().map(|s| s.page).collect();
    let (common, of_nodes) = common(&parsed, &signified.iter().collect::<Vec<_>>());
    let pools = Pools::of(&scored(&blocks, &of_nodes, &first), &common.patterns);
    let pages: Vec<JudgedPage> = (parsed.par_iter().zip(blocks))
        .zip(of_nodes.into_par_iter().zip(first))
        .map(|((page, blocks), (of_nodes, first))| {
            let scored = ByItself { blocks, of_nodes, first };
            scored.among(page, &common, &pools, sample.len(), weights)
        })
        .collect();
    let decisions = decide_on(&pages, &common.patterns, &decide_parameters(weights));
    let learnt_from = sample.len();
    (Judgement { common, pools, decisions, learnt_from, terms }, pages)
}

/// A page as it looks by itself.
struct ByItself {
    blocks: PageBlocks,
    of_nodes: Vec<PatternId>,
    first: Vec<f32>,
}

impl ByItself {
    /// Scores it once more, among its siblings.
    fn among(
        mut self,
        page: &ParsedPage<'_>,
        common: &Common,
        pools: &Pools,
        learnt_from: usize,
        weights: &Weights,
    ) -> JudgedPage {
        let template = grove::Template { patterns: &common.patterns, pools, learnt_from };
        let Self { blocks, of_nodes: patterns, first: scores } = &self;
        let scored = ScoredPage { page: blocks, patterns, scores };
        let forest = common.forest.elements(page);
        let (document, trees) = (&page.document, &weights.sibling);
        let scores = second_scores(document, &scored, &template, forest.as_deref(), trees);
        let scores = pools.less_repeated(&self.blocks, scores);
        // The features are most of a page's memory, and done with.
        self.blocks.rows = Rows::default();
        JudgedPage { blocks: self.blocks, of_nodes: self.of_nodes, scores }
    }
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
    let ParsedPage { document, words, link_words, .. } = sibling.page;
    let terms = |text: &str| terms_of(text, signified.language);
    let head = document.head();
    let title = head.meta("og:title").or(head.title.as_deref()).unwrap_or_default();
    let item = sibling.feed_items.first();
    let description = head
        .meta("og:description")
        .or(head.meta("description"))
        .or(item.map(|item| item.description.as_str()))
        .unwrap_or_default();
    let own = sibling.page.json_ld().article().and_then(|article| article.body.as_deref());
    let full_text = own.or_else(|| item?.content.as_deref()).unwrap_or_default();
    let view = PageView {
        document,
        words,
        link_words,
        terms: &signified.terms,
        title: &terms(title),
        description: &terms(description),
        full_text: &terms(full_text),
        signifiers: &signified.weights,
    };
    CUES.with_borrow_mut(|cues| read_page(&view, cues))
}

/// What the siblings a template is learnt from have in common.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Common {
    /// Their merged tree.
    pub patterns: Patterns,
    /// Where Forest would look.
    pub forest: Forest,
}

/// Forest's ranking of the patterns (none for a lone page), and what it takes to find them.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
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

/// Merges the trees of sibling pages, and asks Forest where it would look. Gives also, per page, the patterns of
/// its nodes.
pub fn common(
    pages: &[&ParsedPage<'_>],
    signified: &[&SignifiedPage],
) -> (Common, Vec<Vec<PatternId>>) {
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
    (Common { patterns, forest }, of_nodes)
}
