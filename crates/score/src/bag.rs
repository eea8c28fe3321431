/*!
Retrieved words: the measure of the words-leaves ratio (§5) and R⁴ (§5) papers.

Recall is the number of relevant words retrieved divided by all relevant words, precision the same divided by all
retrieved words. A word that occurs k times in the gold and m times in the output was retrieved min(k, m) times; order
is ignored.
*/

use crate::{Score, words::WordNumber};

/// Compares two texts as multisets of words; `None` if the gold has no word.
pub fn compare(gold: &[WordNumber], output: &[WordNumber]) -> Option<Score> {
    Score::of_counts(common(gold.to_vec(), output.to_vec()), output.len(), gold.len())
}

/// Size of the intersection of two multisets.
fn common(mut a: Vec<WordNumber>, mut b: Vec<WordNumber>) -> usize {
    a.sort_unstable();
    b.sort_unstable();
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        // Gold: the×2 cat sat on mat (6). Output: mat the the the dog (5). Common: mat, the×2 = 3.
        let score = compare(&[0, 1, 2, 3, 0, 4], &[4, 0, 0, 0, 5]).unwrap();
        assert_eq!((score.precision, score.recall), (0.6, 0.5));
        assert!((score.f1 - 6.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn empty_sides() {
        assert_eq!(compare(&[], &[1]), None);
        assert_eq!(compare(&[1], &[]), Some(Score::ZERO));
    }

    proptest! {
        #[test]
        fn order_never_counts_and_bounds_hold(a in prop::collection::vec(0u32..6, 1..40), b in prop::collection::vec(0u32..6, 0..40)) {
            let mut reversed = b.clone();
            reversed.reverse();
            prop_assert_eq!(compare(&a, &b), compare(&a, &reversed));
            prop_assert!(common(a.clone(), b.clone()) <= a.len().min(b.len()));
            prop_assert_eq!(common(a.clone(), b.clone()), common(b, a));
        }
    }
}
