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
    let common = gold.intersection(&output).count();
    (!gold.is_empty()).then(|| Score::of_counts(common, output.len(), gold.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let gold = ["/html/body/div[1]", "/html/body/div[1]/p[1]", "/html/body/div[1]/p[2]"];
        let output = ["/html/body/div[1]/p[1]", "/html/body/div[2]", "/html/body/div[1]/p[1]"];
        // One of two distinct retrieved nodes is right, one of three wanted was found: F1 = 2·(1/2)(1/3)/(5/6).
        let score = compare(gold, output).unwrap();
        assert_eq!((score.precision, score.recall), (0.5, 1.0 / 3.0));
        assert!((score.f1 - 0.4).abs() < 1e-12);
    }

    #[test]
    fn unmarked_gold_is_not_scored() {
        assert_eq!(compare(Vec::<u32>::new(), vec![1]), None);
        assert_eq!(compare(vec![1], Vec::new()), Some(Score::ZERO));
    }
}
