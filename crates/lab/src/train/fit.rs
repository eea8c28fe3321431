//! Fits boosted trees (with the `forust-ml` crate).

use forust_ml::{GradientBooster, Matrix};
use grove::{DecisionNode, DecisionTree, FeatureTable, Trees};
use serde::Deserialize;

/// Size of the trees, and regularisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FitParameters {
    pub(super) trees: usize,
    /// Share of the remaining error that each tree corrects.
    pub(super) learning_rate: f32,
    /// Maximum number of leaves of a tree.
    pub(super) leaves: usize,
    /// Maximum depth of a tree.
    pub(super) depth: usize,
    /// L2 regularisation of leaf values.
    pub(super) l2: f32,
    /// Minimum total weight of the rows in a leaf.
    pub(super) least_leaf: f32,
    /// Share of columns used for a tree.
    pub(super) columns: f64,
    /// Number of fits with different columns; their mean has smaller errors than one fit.
    pub(super) fits: u16,
}

impl FitParameters {
    /// For the first and the second score.
    pub(super) const BLOCKS: Self = Self {
        trees: 120,
        learning_rate: 0.1,
        leaves: 24,
        depth: 6,
        l2: 1.0,
        least_leaf: 20.0,
        columns: 0.25,
        fits: 2,
    };
    pub(super) const ENDING: Self =
        Self { trees: 60, leaves: 12, columns: 0.5, fits: 1, ..Self::BLOCKS };
    /// For each page type: one row per page.
    pub(super) const TYPES: Self = Self {
        trees: 60,
        learning_rate: 0.1,
        leaves: 8,
        depth: 4,
        l2: 5.0,
        least_leaf: 4.0,
        columns: 0.3,
        fits: 1,
    };
    /// For confidence: one row per page is little training data, and its columns are strongly correlated. Few columns for
    /// each tree, and the mean of many fits, gain 0.013 of AUC.
    pub(super) const CONFIDENCE: Self = Self {
        trees: 40,
        learning_rate: 0.1,
        leaves: 8,
        depth: 3,
        l2: 1.0,
        least_leaf: 1.0,
        columns: 0.1,
        fits: 8,
    };
}

/// Log-odds of a label that the gold has without exception.
const ALWAYS: f32 = 4.0;

/// Why trees could not be fitted.
#[derive(Debug, thiserror::Error)]
pub(super) enum FitError {
    /// There are no rows to learn from.
    #[error("nothing to learn from: no block of the gold's pages counts")]
    Empty,
    /// The fitting crate returned an error.
    #[error("fitting failed: {0}")]
    Fitting(String),
}

/// Training data: features, labels (in 0..=1), and weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelledRows<'a> {
    /// Features of the blocks of a page.
    pub(super) rows: &'a FeatureTable,
    /// Share of each block's words that belong to the article.
    pub(super) labels: &'a [f32],
    /// Weights; rows of weight 0 are left out.
    pub(super) weights: &'a [f32],
}

/// Fits trees. The same pages in the same order give the same trees for any number of threads.
///
/// # Errors
/// If the pages are empty.
pub(super) fn fit(
    pages: &[LabelledRows<'_>],
    parameters: &FitParameters,
) -> Result<Trees, FitError> {
    let mut picked: Vec<&[f32]> = Vec::new();
    let (mut labels, mut weights) = (Vec::new(), Vec::new());
    for page in pages {
        for ((row, &label), &weight) in page.rows.iter().zip(page.labels).zip(page.weights) {
            if weight > 0.0 {
                picked.push(row);
                labels.push(f64::from(label));
                weights.push(f64::from(weight));
            }
        }
    }
    if labels.is_empty() {
        return Err(FitError::Empty);
    }
    // A gold too small to have both kinds of labels (for example without a page that continues
    // after its article) gives a constant.
    let is_one_kind = |kind: bool| labels.iter().all(|&label| (label > 0.5) == kind);
    if let Some(kind) = [true, false].into_iter().find(|&kind| is_one_kind(kind)) {
        return Ok(Trees::new(if kind { ALWAYS } else { -ALWAYS }, Vec::new()));
    }
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    weights.iter_mut().for_each(|weight| *weight /= mean);
    let width = picked[0].len();
    let mut columns = Vec::with_capacity(picked.len() * width);
    for column in 0..width {
        columns.extend(picked.iter().map(|row| f64::from(row[column])));
    }
    let data = Matrix::new(&columns, picked.len(), width);
    let (mut base, mut trees) = (0.0, Vec::new());
    let share = 1.0 / f32::from(parameters.fits.max(1));
    for seed in 0..u64::from(parameters.fits.max(1)) {
        let dump = fit_once(&data, &labels, &weights, parameters, seed)?;
        base += dump.base_score as f32 * share;
        trees.extend(dump.trees.iter().map(|tree| flat(&tree.nodes, share)));
    }
    Ok(Trees::new(base, trees))
}

fn fit_once(
    data: &Matrix<'_, f64>,
    labels: &[f64],
    weights: &[f64],
    parameters: &FitParameters,
    seed: u64,
) -> Result<Dump, FitError> {
    let mut booster = GradientBooster::default()
        .set_iterations(parameters.trees)
        .set_learning_rate(parameters.learning_rate)
        .set_max_leaves(parameters.leaves)
        .set_max_depth(parameters.depth)
        .set_l2(parameters.l2)
        .set_min_leaf_weight(parameters.least_leaf)
        .set_colsample_bytree(parameters.columns)
        .set_nbins(128)
        .set_seed(seed)
        // Parallel sums would be computed in a different order.
        .set_parallel(false);
    let failed = |error: &dyn std::fmt::Display| FitError::Fitting(error.to_string());
    booster.fit(data, labels, weights, None).map_err(|error| failed(&error))?;
    let dump = booster.json_dump().map_err(|error| failed(&error))?;
    serde_json::from_str(&dump).map_err(|error| failed(&error))
}

#[derive(Deserialize)]
struct Dump {
    base_score: f64,
    trees: Vec<DumpTree>,
}

#[derive(Deserialize)]
struct DumpTree {
    nodes: Vec<DumpNode>,
}

#[derive(Deserialize)]
struct DumpNode {
    weight_value: f32,
    split_value: f64,
    split_feature: usize,
    left_child: usize,
    right_child: usize,
    is_leaf: bool,
}

/// Flattens the tree to pre-order, with its leaves multiplied by a factor.
fn flat(nodes: &[DumpNode], factor: f32) -> DecisionTree {
    let mut tree = DecisionTree::default();
    // A node, and the split of which it is the right child.
    let mut todo: Vec<(usize, Option<usize>)> = vec![(0, None)];
    while let Some((at, right_of)) = todo.pop() {
        let here = tree.nodes.len();
        if let Some(split) = right_of {
            tree.nodes[split].right = here as u16;
        }
        let node = &nodes[at];
        let (feature, value) = match node.is_leaf {
            true => (-1, node.weight_value * factor),
            false => (node.split_feature as i16, at_least(node.split_value)),
        };
        tree.nodes.push(DecisionNode { feature, right: 0, value });
        if !node.is_leaf {
            todo.push((node.right_child, Some(here)));
            todo.push((node.left_child, None));
        }
    }
    tree
}

/// The smallest `f32` that is not below the value. An `f32` is less than it if and only if it is less than the value.
fn at_least(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}
