//! One course of training: sets of trees, each fitted to the scores that the previous sets give to pages they have not
//! seen.
//!
//! The pages are divided into parts. For every part, trees are fitted without it, and score it; the
//! next trees learn from those scores. So no page's scores come from trees that were fitted to its
//! text. The trees of each part together are weights that have not seen the part, so their results
//! on it are unbiased.

use dom::Document;
use grove::{
    ConfidenceInput, DecideParameters, Decision, FeatureTable, Pools, ScoredPage,
    SiblingStatistics, Trees, TypeProbabilities, Weights, confidence_rows, decide, ending,
    ending_rows, is_settled, mean_types, settle_scores, sibling_rows, type_probabilities,
};
use model::PageType;
use rayon::prelude::*;
use score::{MeasureKind, Neutral, Output, QualityMeasure, Score};
use sitemodel::stages::judge::rows_of_type;

use super::{
    fit::{FitError, FitParameters, LabelledRows, fit},
    pages::{LabelledPage, TrainingTemplate, text_of_block},
};

/// Pairs of words as in `evaluate`; words with the title, as counted for page types; pairs of words without bylines,
/// dates and captions.
const MEASURES: [QualityMeasure; 3] = [
    QualityMeasure { kind: MeasureKind::Pairs, neutral: Neutral::Titles },
    QualityMeasure { kind: MeasureKind::Words, neutral: Neutral::Raw },
    QualityMeasure { kind: MeasureKind::Pairs, neutral: Neutral::Fields },
];

/// Weight of a page with siblings; a page without siblings has weight 1. Most gold consists of single pages, while most
/// pages of a crawl have siblings.
const WITH_SIBLINGS: f32 = 1.5;

/// Weight of a page without a gold type when types are learnt, if there are more than half as many such pages as pages with
/// a type. They are articles: at full weight, pages of all other types would be taken for articles too often.
const UNTYPED: f32 = 0.25;

/// The cost of a switch between kept and omitted blocks.
pub(super) const DECIDE: DecideParameters = DecideParameters { factor: 1.0, switch_cost: 0.15 };

/// Values per template and page.
type PerPage<T> = Vec<Vec<T>>;

#[derive(Clone, Debug)]
pub(super) struct FoldPlan {
    pub(super) parts: Vec<usize>,
    /// Number of parts.
    pub(super) count: usize,
    /// Whether trees may be fitted to each template.
    pub(super) learnt_from: Vec<bool>,
}

pub(super) struct Course {
    /// For each part, weights with trees fitted without it; then weights with trees fitted to everything.
    pub(super) weights: Vec<Weights>,
    /// Probabilities of the page types by trees that have not seen the page, averaged over its siblings.
    pub(super) types: Vec<TypeProbabilities>,
    /// First and second scores of every block, by trees that have not seen the page.
    pub(super) first: PerPage<Vec<f32>>,
    pub(super) second: PerPage<Vec<f32>>,
    /// Blocks kept by the decision on their pattern, and how many of them come before the article's end.
    pub(super) kept: PerPage<Vec<usize>>,
    pub(super) ends: PerPage<usize>,
}

/// Training data for one set of trees: a page's rows, labels and weights.
struct PageRows {
    rows: FeatureTable,
    labels: Vec<f32>,
    weights: Vec<f32>,
}

/// The trees of one stage, and their scores of pages they have not seen.
struct FittedStage {
    trees: Vec<Trees>,
    scores: PerPage<Vec<f32>>,
}

fn stage(
    templates: &[TrainingTemplate<'_>],
    plan: &FoldPlan,
    parameters: &FitParameters,
    rows_of: &(dyn Fn(usize, usize) -> PageRows + Sync),
) -> Result<FittedStage, FitError> {
    let of_pages: PerPage<PageRows> = (0..templates.len())
        .into_par_iter()
        .map(|t| (0..templates[t].pages.len()).map(|p| rows_of(t, p)).collect())
        .collect();
    // One set of trees per part, and a last one that is fitted to all parts.
    let trees: Vec<Trees> = (0..=plan.count)
        .into_par_iter()
        .map(|part| {
            let rows: Vec<LabelledRows<'_>> = of_pages
                .iter()
                .zip(plan.parts.iter().zip(&plan.learnt_from))
                .filter(|(_, (own, learnt_from))| **own != part && **learnt_from)
                .flat_map(|(pages, _)| pages)
                .map(|e| LabelledRows { rows: &e.rows, labels: &e.labels, weights: &e.weights })
                .collect();
            fit(&rows, parameters)
        })
        .collect::<Result<_, _>>()?;
    let scores = of_pages
        .par_iter()
        .zip(&plan.parts)
        .map(|(pages, &part)| pages.iter().map(|e| trees[part].probabilities(&e.rows)).collect())
        .collect();
    Ok(FittedStage { trees, scores })
}

/// Runs a course; `like` has weights without trees. Templates from `originals` on are aged copies, used only to learn types.
///
/// # Errors
/// If there is too little to learn from.
pub(super) fn course(
    templates: &mut [TrainingTemplate<'_>],
    originals: usize,
    plan: &FoldPlan,
    like: &Weights,
) -> Result<Course, FitError> {
    let (of_types, types) = fit_types(templates, plan)?;
    for (template, types) in templates[..originals].iter_mut().zip(&types) {
        template.pages.iter_mut().for_each(|page| page.blocks.set_types(types));
    }
    let templates = &templates[..originals];
    let weights_of = |t: usize, p: usize| -> Option<Vec<f32>> {
        let (_, labels) = templates[t].pages[p].gold.as_ref()?;
        // Posts named like comments are weighted by the probability that the page is a thread: at full weight, trees would
        // take the comments of articles for content.
        let thread = types[t][PageType::Forum as usize];
        let of_page = if templates[t].pages.len() > 1 { WITH_SIBLINGS } else { 1.0 };
        let each = labels.weights.iter().zip(&labels.comments);
        Some(each.map(|(&own, &is)| of_page * own * if is { thread } else { 1.0 }).collect())
    };
    let whole = |t: usize, p: usize, rows: FeatureTable| {
        let labels = templates[t].pages[p].gold.as_ref().map(|gold| &gold.1);
        let blocks = rows.len();
        PageRows {
            rows,
            labels: labels.map_or_else(|| vec![0.0; blocks], |l| l.shares.clone()),
            weights: weights_of(t, p).unwrap_or_else(|| vec![0.0; blocks]),
        }
    };
    let page = stage(templates, plan, &FitParameters::BLOCKS, &|t, p| {
        whole(t, p, templates[t].pages[p].blocks.rows.clone())
    })?;
    let pools: Vec<Pools> = templates
        .par_iter()
        .zip(&page.scores)
        .map(|(template, scores)| Pools::of(&scored(template, scores), &template.patterns))
        .collect();
    let sibling = stage(templates, plan, &FitParameters::BLOCKS, &|t, p| {
        let template = &templates[t];
        let of = SiblingStatistics { patterns: &template.patterns, pools: &pools[t] };
        let scored = &scored(template, &page.scores[t])[p];
        let rows = sibling_rows(document(&template.pages[p]), scored, &of);
        let mut rows_of = whole(t, p, rows);
        // Settled blocks are not scored again.
        for (weight, &first) in rows_of.weights.iter_mut().zip(scored.scores) {
            *weight = if is_settled(first) { 0.0 } else { *weight };
        }
        rows_of
    })?;
    let second: PerPage<Vec<f32>> = (sibling.scores.iter().zip(&page.scores))
        .zip(templates.iter().zip(&pools))
        .map(|((second, first), (template, pools))| {
            let scores =
                first.iter().zip(second).map(|(first, second)| settle_scores(first, second));
            let pages = scores.zip(&template.pages);
            pages.map(|(scores, page)| pools.less_repeated(&page.blocks, scores)).collect()
        })
        .collect();
    let kept: PerPage<Vec<usize>> = templates
        .par_iter()
        .zip(&second)
        .map(|(template, scores)| kept(template, scores))
        .collect();
    let at_end = stage(templates, plan, &FitParameters::ENDING, &|t, p| {
        let (template, kept) = (&templates[t], &kept[t][p]);
        let scored = &scored(template, &second[t])[p];
        let rows = ending_rows(document(&template.pages[p]), scored, &pools[t], kept);
        let shares = template.pages[p].gold.as_ref().map(|gold| &gold.1.shares);
        let of = |values: Option<&Vec<f32>>| -> Vec<f32> {
            kept.iter().map(|&at| values.map_or(0.0, |values| values[at])).collect()
        };
        PageRows { rows, labels: of(shares), weights: of(weights_of(t, p).as_ref()) }
    })?;
    let ends: PerPage<usize> = (0..templates.len())
        .map(|t| {
            let end = |p: usize| {
                let blocks = &templates[t].pages[p].blocks.blocks;
                let words: Vec<u32> = kept[t][p].iter().map(|&at| blocks[at].words).collect();
                let second: Vec<f32> = kept[t][p].iter().map(|&at| second[t][p][at]).collect();
                ending(&words, &at_end.scores[t][p], &second)
            };
            (0..templates[t].pages.len()).map(end).collect()
        })
        .collect();
    let page_scores = &page.scores;
    // Fits trees to the F1, the precision and the recall of the articles.
    let of_articles = |measured: fn(&Score) -> f64| {
        stage(templates, plan, &FitParameters::CONFIDENCE, &|t, p| {
            let template = &templates[t];
            let page = &template.pages[p];
            let (kept, end) = (&kept[t][p], ends[t][p]);
            let taken = ConfidenceInput {
                page: scored(template, &second[t])[p],
                first: &page_scores[t][p],
                types: &types[t],
                pools: &pools[t],
                kept,
                end,
            };
            let [.., score] = page_scores_of(page, &text_of_blocks(page, &kept[..end]));
            PageRows {
                rows: confidence_rows(&taken),
                labels: vec![score.as_ref().map_or(0.0, measured) as f32],
                weights: vec![if score.is_some() { 1.0 } else { 0.0 }],
            }
        })
    };
    let confidence = of_articles(|score| score.f1)?;
    let precision = of_articles(|score| score.precision)?;
    let recall = of_articles(|score| score.recall)?;
    let of_blocks = page.trees.into_iter().zip(sibling.trees).zip(at_end.trees);
    let of_articles = confidence.trees.into_iter().zip(precision.trees).zip(recall.trees);
    let weights = (of_blocks.zip(of_articles).zip(of_types))
        .map(|((((page, sibling), ending), ((confidence, precision), recall)), types)| {
            let like = like.clone();
            Weights { types, page, sibling, ending, confidence, precision, recall, ..like }
        })
        .collect();
    Ok(Course { weights, types, first: page.scores, second, kept, ends })
}

/// Fits the trees of page types for each part. Returns the trees, and the types of each template by trees that have
/// not seen it. Gold without types consists of articles.
fn fit_types(
    templates: &[TrainingTemplate<'_>],
    plan: &FoldPlan,
) -> Result<(Vec<Vec<Trees>>, Vec<TypeProbabilities>), FitError> {
    let rows: PerPage<FeatureTable> = templates
        .par_iter()
        .map(|t| t.pages.iter().map(|page| rows_of_type(page.parsed, &page.blocks)).collect())
        .collect();
    let gold = templates.iter().flat_map(|t| &t.pages).filter_map(|page| page.gold.as_ref());
    let (typed, untyped): (Vec<_>, Vec<_>) =
        gold.filter(|own| own.0.marks.is_none()).partition(|own| own.0.page_type.is_some());
    let of_untyped = if 2 * untyped.len() > typed.len() { UNTYPED } else { 1.0 };
    let mut trees: Vec<Vec<Trees>> = vec![Vec::new(); plan.count + 1];
    for own in PageType::ALL {
        let fitted = stage(templates, plan, &FitParameters::TYPES, &|t, p| {
            // Marks say nothing about the type of a page.
            let gold = templates[t].pages[p].gold.as_ref().map(|gold| gold.0);
            let gold = gold.filter(|gold| gold.marks.is_none()).map(|gold| gold.page_type);
            PageRows {
                rows: rows[t][p].clone(),
                labels: vec![f32::from(u8::from(
                    gold.flatten().unwrap_or(PageType::Article) == own,
                ))],
                weights: vec![match gold {
                    Some(Some(_)) => templates[t].weight_of_type,
                    Some(None) => templates[t].weight_of_type * of_untyped,
                    None => 0.0,
                }],
            }
        })?;
        trees.iter_mut().zip(fitted.trees).for_each(|(of_part, own)| of_part.push(own));
    }
    let types = (rows.iter().zip(&plan.parts))
        .map(|(pages, &part)| {
            let each = pages.iter().map(|rows| type_probabilities(&trees[part], rows));
            mean_types(&each.collect::<Vec<_>>())
        })
        .collect();
    Ok((trees, types))
}

fn document<'a>(page: &LabelledPage<'a>) -> &'a Document {
    &page.parsed.document
}

fn scored<'a>(template: &'a TrainingTemplate<'_>, scores: &'a [Vec<f32>]) -> Vec<ScoredPage<'a>> {
    (template.pages.iter().zip(&template.of_nodes).zip(scores))
        .map(|((page, patterns), scores)| ScoredPage { page: &page.blocks, patterns, scores })
        .collect()
}

/// For each page of a template, the blocks whose pattern is kept.
fn kept(template: &TrainingTemplate<'_>, scores: &[Vec<f32>]) -> Vec<Vec<usize>> {
    let decisions = decide(&scored(template, scores), &template.patterns, &[], None, &DECIDE);
    (template.pages.iter().zip(&template.of_nodes))
        .map(|(page, of_nodes)| {
            let is_kept = |at: &usize| {
                let element = page.blocks.blocks[*at].element;
                decisions[of_nodes[element as usize] as usize] == Decision::Keep
            };
            (0..page.blocks.blocks.len()).filter(is_kept).collect()
        })
        .collect()
}

/// The text of some blocks of a page, one block per line.
pub(super) fn text_of_blocks(page: &LabelledPage<'_>, blocks: &[usize]) -> String {
    let text = |&at: &usize| text_of_block(document(page), &page.blocks.blocks[at]);
    blocks.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// The F1 of a text for a page; `None` if the page has no gold to count.
pub(super) fn page_f1(page: &LabelledPage<'_>, text: &str) -> Option<f64> {
    page_scores_of(page, text)[0].map(|score| score.f1)
}

/// The scores of a text for a page by pairs of words, by words, and by pairs without bylines, dates and captions.
pub(super) fn page_scores_of(page: &LabelledPage<'_>, text: &str) -> [Option<Score>; 3] {
    let with_text = page.gold.as_ref().filter(|(gold, _)| gold.marks.is_none());
    let Some((gold, labels)) = with_text else { return [None; 3] };
    let gold = gold.as_gold(&labels.fields);
    let scores = score::score(&gold, &Output { text, nodes: &[] }, &MEASURES);
    [0, 1, 2].map(|at| scores[at])
}
