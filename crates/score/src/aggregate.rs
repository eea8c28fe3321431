/*!
Aggregates the scores of pages to the figures of a table.

The F1 of a table is the mean of the pages' F1, not the F1 of mean precision and mean recall (R⁴ §5 states this
explicitly). Sums are computed in the given order, so equal input gives equal bits.
*/

use std::collections::BTreeMap;

use crate::Score;

/// Summary of many scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreSummary {
    /// Number of scores.
    pub pages: usize,
    /// Mean precision.
    pub precision: f64,
    /// Mean recall.
    pub recall: f64,
    /// Mean F1.
    pub f1: f64,
    /// Median F1.
    pub median: f64,
    /// The tenth percentile of F1.
    pub tenth: f64,
}

/// Summarises scores; `None` without scores.
pub fn summarise(scores: &[Score]) -> Option<ScoreSummary> {
    let part = |pick: fn(&Score) -> f64| scores.iter().map(pick).collect::<Vec<f64>>();
    let f1 = part(|score| score.f1);
    Some(ScoreSummary {
        pages: scores.len(),
        precision: mean(&part(|score| score.precision))?,
        recall: mean(&part(|score| score.recall))?,
        f1: mean(&f1)?,
        median: percentile(&f1, 0.5)?,
        tenth: percentile(&f1, 0.1)?,
    })
}

/// The arithmetic mean; `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The value below which `share` (0 to 1) of the values lie, interpolated between the two nearest
/// ranks; `None` without values.
pub fn percentile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let rank = share.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
    Some(below + (above - below) * rank.fract())
}

/// The mean of every group, by key. All groups have equal weight in the mean of these means ([`macro_mean`]).
pub fn group_means<K: Ord>(values: impl IntoIterator<Item = (K, f64)>) -> BTreeMap<K, f64> {
    let mut groups: BTreeMap<K, (f64, usize)> = BTreeMap::new();
    for (key, value) in values {
        let (sum, count) = groups.entry(key).or_default();
        *sum += value;
        *count += 1;
    }
    groups.into_iter().map(|(key, (sum, count))| (key, sum / count as f64)).collect()
}

/// The mean of group means; `None` without groups.
pub fn macro_mean<K: Ord>(groups: &BTreeMap<K, f64>) -> Option<f64> {
    mean(&groups.values().copied().collect::<Vec<f64>>())
}

/// The group of every page: its template if at least `fewest` pages share it, else `None`.
///
/// Each page is given as (data set, template). Sizes are counted over the pages of a template in all data sets, but a
/// group contains pages of one data set only.
pub fn template_groups<'a>(
    pages: &[(&'a str, Option<&'a str>)],
    fewest: usize,
) -> Vec<Option<(&'a str, &'a str)>> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, template) in pages {
        if let Some(template) = template {
            *sizes.entry(template).or_default() += 1;
        }
    }
    let group = |&(dataset, template): &(&'a str, Option<&'a str>)| {
        template.filter(|template| sizes[template] >= fewest).map(|template| (dataset, template))
    };
    pages.iter().map(group).collect()
}
