//! One course of training: four sets of trees. Each is fitted to the scores that the previous sets
//! give to pages they have not seen.
//!
//! The pages are divided into parts. For every part, trees are fitted without it, and score it; the
//! next trees learn from those scores. So no page's scores come from trees that were fitted to its
//! text. The trees of each part together are weights that have not seen the part, so their results
//! on it are unbiased.

use dom::Document;
use grove::{
    DecideParameters, Decision, Pools, Rows, ScoredPage, Taken, Template, Trees, Weights,
    confidence_rows, decide, ending, ending_rows, settled, sibling_rows,
};
use rayon::prelude::*;
use score::{Kind, Measure, Output};

use super::{
    fit::{FitError, FitParameters, Lesson, fit},
    labels,
    pages::{Prepared, Siblings},
};

const MEASURE: Measure = Measure { kind: Kind::Pairs, raw: false };

/// Per template and page.
type PerPage<T> = Vec<Vec<T>>;

/// The setting of a course.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The part of each template.
    pub(super) parts: Vec<usize>,
    /// Number of parts.
    pub(super) count: usize,
    /// Parameters of the decisions.
    pub(super) decide: DecideParameters,
}

/// The result of a course.
pub(super) struct Course {
    /// For each part the trees fitted without it (page, sibling, ending, confidence); the last ones
    /// are fitted to everything.
    pub(super) trees: Vec<[Trees; 4]>,
    /// First and second scores of every block, by trees that have not seen the page.
    pub(super) first: PerPage<Vec<f32>>,
    pub(super) second: PerPage<Vec<f32>>,
    /// Blocks kept by pattern, and the number of them before the end.
    pub(super) kept: PerPage<Vec<usize>>,
    pub(super) ends: PerPage<usize>,
}

/// Training data for one set of trees: a page's rows, labels and weights.
struct Exercise {
    rows: Rows,
    labels: Vec<f32>,
    weights: Vec<f32>,
}

/// The trees of one stage, and their scores of pages they have not seen.
struct Stage {
    trees: Vec<Trees>,
    scores: PerPage<Vec<f32>>,
}

fn stage(
    templates: &[Siblings<'_>],
    plan: &Plan,
    parameters: &FitParameters,
    exercise: &(dyn Fn(usize, usize) -> Exercise + Sync),
) -> Result<Stage, FitError> {
    let exercises: PerPage<Exercise> = (0..templates.len())
        .into_par_iter()
        .map(|t| (0..templates[t].pages.len()).map(|p| exercise(t, p)).collect())
        .collect();
    // One more than there are parts: the last is fitted to all of them.
    let trees: Vec<Trees> = (0..=plan.count)
        .into_par_iter()
        .map(|part| {
            let lessons: Vec<Lesson<'_>> = exercises
                .iter()
                .zip(&plan.parts)
                .filter(|(_, own)| **own != part)
                .flat_map(|(pages, _)| pages)
                .map(|e| Lesson { rows: &e.rows, labels: &e.labels, weights: &e.weights })
                .collect();
            fit(&lessons, parameters)
        })
        .collect::<Result<_, _>>()?;
    let scores = exercises
        .par_iter()
        .zip(&plan.parts)
        .map(|(pages, &part)| pages.iter().map(|e| trees[part].probabilities(&e.rows)).collect())
        .collect();
    Ok(Stage { trees, scores })
}

/// Runs a course.
///
/// # Errors
/// If there is too little to learn from.
pub(super) fn course(templates: &[Siblings<'_>], plan: &Plan) -> Result<Course, FitError> {
    let whole = |t: usize, p: usize, rows: Rows| {
        let labels = templates[t].pages[p].gold.as_ref().map(|gold| &gold.1);
        let blocks = rows.len();
        Exercise {
            rows,
            labels: labels.map_or_else(|| vec![0.0; blocks], |l| l.shares.clone()),
            weights: labels.map_or_else(|| vec![0.0; blocks], |l| l.weights.clone()),
        }
    };
    let page = stage(templates, plan, &FitParameters::BLOCKS, &|t, p| {
        whole(t, p, templates[t].pages[p].blocks.rows.clone())
    })?;
    let pools: Vec<Pools> = templates
        .par_iter()
        .zip(&page.scores)
        .map(|(template, scores)| Pools::of(&scored(template, scores), &template.common.patterns))
        .collect();
    let sibling = stage(templates, plan, &FitParameters::BLOCKS, &|t, p| {
        let template = &templates[t];
        let (patterns, pools) = (&template.common.patterns, &pools[t]);
        let of = Template { patterns, pools, learnt_from: template.pages.len() };
        let forest = template.common.forest.elements(template.pages[p].parsed);
        let scored = &scored(template, &page.scores[t])[p];
        whole(t, p, sibling_rows(document(&template.pages[p]), scored, &of, forest.as_deref()))
    })?;
    let second: PerPage<Vec<f32>> = (sibling.scores.iter().zip(&page.scores))
        .zip(templates.iter().zip(&pools))
        .map(|((second, first), (template, pools))| {
            let scores = first.iter().zip(second).map(|(first, second)| settled(first, second));
            let pages = scores.zip(&template.pages);
            pages.map(|(scores, page)| pools.less_repeated(&page.blocks, scores)).collect()
        })
        .collect();
    let kept: PerPage<Vec<usize>> = templates
        .par_iter()
        .zip(&second)
        .map(|(template, scores)| kept(template, scores, &plan.decide))
        .collect();
    let at_end = stage(templates, plan, &FitParameters::ENDING, &|t, p| {
        let (template, kept) = (&templates[t], &kept[t][p]);
        let scored = &scored(template, &second[t])[p];
        let rows = ending_rows(document(&template.pages[p]), scored, &pools[t], kept);
        let labels = template.pages[p].gold.as_ref().map(|gold| &gold.1);
        let of = |values: Option<&Vec<f32>>| -> Vec<f32> {
            kept.iter().map(|&at| values.map_or(0.0, |values| values[at])).collect()
        };
        let (shares, weights) = (labels.map(|l| &l.shares), labels.map(|l| &l.weights));
        Exercise { rows, labels: of(shares), weights: of(weights) }
    })?;
    let ends: PerPage<usize> = (0..templates.len())
        .map(|t| {
            let end = |p: usize| {
                let blocks = &templates[t].pages[p].blocks.blocks;
                let words: Vec<u32> = kept[t][p].iter().map(|&at| blocks[at].words).collect();
                ending(&words, &at_end.scores[t][p])
            };
            (0..templates[t].pages.len()).map(end).collect()
        })
        .collect();
    let confidence = stage(templates, plan, &FitParameters::CONFIDENCE, &|t, p| {
        let template = &templates[t];
        let page = &template.pages[p];
        let (kept, end) = (&kept[t][p], ends[t][p]);
        let taken = Taken { page: scored(template, &second[t])[p], pools: &pools[t], kept, end };
        let f1 = page_f1(page, &text_of_blocks(page, &kept[..end]));
        Exercise {
            rows: confidence_rows(&taken),
            labels: vec![f1.unwrap_or(0.0) as f32],
            weights: vec![if f1.is_some() { 1.0 } else { 0.0 }],
        }
    })?;
    let trees = (page.trees.into_iter().zip(sibling.trees))
        .zip(at_end.trees.into_iter().zip(confidence.trees))
        .map(|((page, sibling), (ending, confidence))| [page, sibling, ending, confidence])
        .collect();
    Ok(Course { trees, first: page.scores, second, kept, ends })
}

impl Course {
    /// Weights of the trees fitted without `part` (to everything, if `part` is the number of
    /// parts).
    pub(super) fn weights(&self, part: usize, like: &Weights) -> Weights {
        let [page, sibling, ending, confidence] = self.trees[part].clone();
        Weights { page, sibling, ending, confidence, ..like.clone() }
    }
}

fn document<'a>(page: &Prepared<'a>) -> &'a Document {
    &page.parsed.document
}

fn scored<'a>(template: &'a Siblings<'_>, scores: &'a [Vec<f32>]) -> Vec<ScoredPage<'a>> {
    (template.pages.iter().zip(&template.of_nodes).zip(scores))
        .map(|((page, patterns), scores)| ScoredPage { page: &page.blocks, patterns, scores })
        .collect()
}

/// For each page of a template, the blocks whose pattern is kept.
fn kept(
    template: &Siblings<'_>,
    scores: &[Vec<f32>],
    parameters: &DecideParameters,
) -> Vec<Vec<usize>> {
    let decisions = decide(&scored(template, scores), &template.common.patterns, parameters);
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

/// The text of some blocks of a page, one per line.
pub(super) fn text_of_blocks(page: &Prepared<'_>, blocks: &[usize]) -> String {
    let text = |&at: &usize| labels::text_of(document(page), &page.blocks.blocks[at]);
    blocks.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// The F1 of a text for a page; `None` if the page has no gold to count.
pub(super) fn page_f1(page: &Prepared<'_>, text: &str) -> Option<f64> {
    let (gold, _) = page.gold.as_ref()?;
    let score = score::score(&gold.as_gold(), &Output { text, nodes: &[] }, &[MEASURE]);
    Some(score[0]?.f1)
}
