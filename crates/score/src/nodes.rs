/*!
Retrieved DOM nodes: the measure of the R⁴ paper (§5), which also counts nodes without text.

A node is identified by any key that both sides use, such as its path or its number in document order.
*/

use std::collections::BTreeSet;

use crate::Score;

/// Compares two sets of nodes; `None` if the gold marks none. Duplicate keys count once.
pub fn compare<K: Ord>(
    gold: impl IntoIterator<Item = K>,
    output: impl IntoIterator<Item = K>,
) -> Option<Score> {
    let gold: BTreeSet<K> = gold.into_iter().collect();
    let output: BTreeSet<K> = output.into_iter().collect();
    Score::of_counts(gold.intersection(&output).count(), output.len(), gold.len())
}
