//! Judge.
//!
//! Takes: the pages a template is learnt from, and the weights; then further pages of it.
//! Gives: for each structural pattern whether it is kept; for each page its blocks with their scores.
//! Why: what siblings share separates article and boilerplate better than any page alone does.
//! Drops: nothing.

use std::cell::RefCell;

use grove::{
    Cues, DecideParameters, DecidedNodes, Decision, FeatureTable, JudgedPage, MarkedPatterns,
    PageBlocks, PageView, PatternId, Patterns, Pools, ScoredPage, TypeProbabilities, TypeView,
    Weights, decide, mean_types, read_page, second_scores, type_probabilities, type_rows,
};
use model::TemplateCorrection;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::parsed::ParsedPage;
use crate::stages::signify::SiblingPage;

thread_local! {
    // Caches what class names say; results do not depend on it.
    pub(crate) static CUES: RefCell<Cues> = RefCell::new(Cues::new());
}

/// What was learnt about a template: what the pages of its sample have in common, and the decision on each pattern. It
/// borrows nothing from the pages.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Judgement {
    /// The merged tree of the pages of the sample.
    pub patterns: Patterns,
    /// Sums over the blocks of these pages, by pattern.
    pub pools: Pools,
    /// The decision on each pattern.
    pub decisions: Vec<Decision>,
    /// Number of pages in the sample.
    pub learnt_from: usize,
    /// What people or models marked on its pages.
    pub marks: Option<MarkedPatterns>,
    /// The probabilities of the page types, averaged over the sample.
    pub types: TypeProbabilities,
}

impl Judgement {
    /// Decides on the patterns of these pages, given earlier decisions from other pages of the template.
    pub(super) fn decide_on(
        &self,
        pages: &[JudgedPage],
        earlier: &[Option<Decision>],
        weights: &Weights,
    ) -> Vec<Decision> {
        let scored: Vec<ScoredPage<'_>> = pages.iter().map(JudgedPage::scored).collect();
        decide(&scored, &self.patterns, earlier, self.marks.as_ref(), &decide_parameters(weights))
    }

    /// Validates what was learnt, after deserialisation.
    ///
    /// # Errors
    /// If it is not valid; the error says what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let patterns = &self.patterns;
        patterns.check()?;
        self.pools.check(patterns)?;
        if self.decisions.len() != patterns.len() {
            return Err(format!(
                "{} decisions on {} patterns",
                self.decisions.len(),
                patterns.len()
            ));
        }
        self.marks.as_ref().map_or(Ok(()), |marks| marks.check(patterns))?;
        if !self.types.iter().all(|own| (0.0..=1.0).contains(own)) {
            return Err("the probabilities of page types".to_owned());
        }
        Ok(())
    }

    /// The elements of a page that the decisions select.
    pub fn chosen(&self, page: &JudgedPage, parsed: &ParsedPage<'_>) -> DecidedNodes {
        DecidedNodes::of(&parsed.document, &page.of_nodes, &self.decisions)
    }

    /// Scores a page of the template. Depends on no other page: a page of the sample gets the same result as from
    /// [`judge`].
    pub fn judge_page(&self, sibling: &SiblingPage<'_>, weights: &Weights) -> JudgedPage {
        let mut blocks = read_one(sibling);
        blocks.set_types(&self.types);
        let first = weights.page.probabilities(&blocks.rows);
        let of_nodes = self.patterns.find(&sibling.page.document);
        let page = JudgedPage { blocks, of_nodes, scores: Vec::new(), first };
        let mut page = self.score_among_siblings(sibling.page, page, weights);
        self.correct(&mut page);
        page
    }

    /// Scores a page again, compared with its siblings, given its first scores.
    fn score_among_siblings(
        &self,
        parsed: &ParsedPage<'_>,
        mut page: JudgedPage,
        weights: &Weights,
    ) -> JudgedPage {
        let Self { patterns, pools, .. } = self;
        let template = grove::SiblingStatistics { patterns, pools };
        let by_itself =
            ScoredPage { page: &page.blocks, patterns: &page.of_nodes, scores: &page.first };
        let scores = second_scores(&parsed.document, &by_itself, &template, &weights.sibling);
        page.scores = pools.less_repeated(&page.blocks, scores);
        // The features take most of a page's memory, and are no longer needed.
        page.blocks.rows = FeatureTable::default();
        page
    }

    /// Corrects the second scores of a page, and which of its blocks are comments, by the marks of the template.
    fn correct(&self, page: &mut JudgedPage) {
        if let Some(marks) = &self.marks {
            let JudgedPage { blocks, of_nodes, scores, .. } = page;
            marks.correct(blocks, of_nodes, scores);
        }
    }
}

/// Learns from the sample of a template: compares its pages with each other, and scores each by what they have in common.
/// `earlier` was learnt from other pages of the template; `corrections` have the marks of some pages. Returns what was
/// learnt, and the pages in order.
pub fn judge(
    sample: &[SiblingPage<'_>],
    earlier: Option<&Judgement>,
    corrections: &[TemplateCorrection],
    weights: &Weights,
) -> (Judgement, Vec<JudgedPage>) {
    let mut blocks = read_pages(sample);
    let each: Vec<TypeProbabilities> = (sample.par_iter().zip(&blocks))
        .map(|(sibling, blocks)| {
            type_probabilities(&weights.types, &rows_of_type(sibling.page, blocks))
        })
        .collect();
    let types = mean_types(&each);
    blocks.iter_mut().for_each(|page| page.set_types(&types));
    let first: Vec<Vec<f32>> =
        blocks.par_iter().map(|page| weights.page.probabilities(&page.rows)).collect();
    let parsed: Vec<&ParsedPage<'_>> = sample.iter().map(|s| s.page).collect();
    let documents: Vec<&dom::Document> = parsed.iter().map(|page| &page.document).collect();
    let (patterns, of_nodes) = Patterns::of(&documents);
    let by_itself: Vec<ScoredPage<'_>> = (blocks.iter().zip(&of_nodes).zip(&first))
        .map(|((page, patterns), scores)| ScoredPage { page, patterns, scores })
        .collect();
    let pools = Pools::of(&by_itself, &patterns);
    let earlier = earlier.map(|earlier| earlier.decided(sample, &of_nodes, patterns.len()));
    let (learnt_from, decisions, marks) = (sample.len(), Vec::new(), None);
    let mut judgement = Judgement { patterns, pools, decisions, learnt_from, marks, types };
    let mut pages: Vec<JudgedPage> = (parsed.par_iter().zip(blocks))
        .zip(of_nodes.into_par_iter().zip(first))
        .map(|((page, blocks), (of_nodes, first))| {
            let judged = JudgedPage { blocks, of_nodes, scores: Vec::new(), first };
            judgement.score_among_siblings(page, judged, weights)
        })
        .collect();
    let page = |c: &TemplateCorrection| parsed.iter().position(|own| own.page.url == c.url);
    let of_pages: Vec<Option<usize>> = corrections.iter().map(page).collect();
    let scored: Vec<ScoredPage<'_>> = pages.iter().map(JudgedPage::scored).collect();
    let patterns = &judgement.patterns;
    judgement.marks = MarkedPatterns::learn(corrections, patterns, &scored, &of_pages);
    pages.iter_mut().for_each(|page| judgement.correct(page));
    judgement.decisions = judgement.decide_on(&pages, &earlier.unwrap_or_default(), weights);
    (judgement, pages)
}

pub(crate) fn decide_parameters(weights: &Weights) -> DecideParameters {
    DecideParameters { factor: 1.0, switch_cost: weights.switch_cost }
}

/// Returns the features from which the type of a page is predicted.
pub fn rows_of_type(parsed: &ParsedPage<'_>, blocks: &PageBlocks) -> FeatureTable {
    let ParsedPage { document, words, link_words, page, .. } = parsed;
    let view = TypeView { document, words, link_words, url: &page.url };
    CUES.with_borrow_mut(|cues| type_rows(&view, blocks, cues))
}

/// Splits pages into blocks and computes their features within each page.
pub fn read_pages(siblings: &[SiblingPage<'_>]) -> Vec<PageBlocks> {
    siblings.par_iter().map(read_one).collect()
}

fn read_one(sibling: &SiblingPage<'_>) -> PageBlocks {
    let ParsedPage { document, words, link_words, .. } = sibling.page;
    let own = sibling.page.json_ld().article().and_then(|article| article.body.as_deref());
    let of_item = || sibling.feed_items.first()?.content.as_deref();
    let full_text = own.or_else(of_item).unwrap_or_default();
    let view = PageView { document, words, link_words, full_text };
    CUES.with_borrow_mut(|cues| read_page(&view, cues))
}

impl Judgement {
    /// Returns the decisions on the patterns of other pages, given the pattern of each of their nodes: for each pattern,
    /// the decision on most of its nodes that are known here.
    pub(super) fn decided(
        &self,
        pages: &[SiblingPage<'_>],
        of_nodes: &[Vec<PatternId>],
        patterns: usize,
    ) -> Vec<Option<Decision>> {
        let mut counts = vec![[0u32; 3]; patterns];
        for (sibling, of_nodes) in pages.iter().zip(of_nodes) {
            let known = self.patterns.find(&sibling.page.document);
            for (&pattern, &known) in of_nodes.iter().zip(&known) {
                let decision = self.decisions.get(known as usize);
                if let (Some(counts), Some(&decision)) =
                    (counts.get_mut(pattern as usize), decision)
                {
                    counts[decision as usize] += 1;
                }
            }
        }
        let most = |counts: &[u32; 3]| {
            let most =
                Decision::ALL.into_iter().max_by_key(|&decision| counts[decision as usize])?;
            (counts[most as usize] > 0).then_some(most)
        };
        counts.iter().map(most).collect()
    }
}
