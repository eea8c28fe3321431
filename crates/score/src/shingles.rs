/*!
Pairs of consecutive words as sets: the measure of the Forest paper (§4, "Performance metrics").

With G and S the sets of 2-grams of gold and output, precision is |G ∩ S| / |S| and recall |G ∩ S| / |G|.
The number of occurrences of a pair does not count. A text of one word has that word as its only member;
it equals another text of the same single word, but no pair.
*/

use crate::{Score, words::Word};

/// A set of word pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles {
    /// Sorted, without duplicates: first word in the high half, second word + 1 in the low, 0 for
    /// none.
    members: Vec<u64>,
}

impl Shingles {
    /// The pairs of a text.
    pub fn of(words: &[Word]) -> Self {
        let mut members: Vec<u64> = match words {
            [only] => vec![u64::from(*only) << 32],
            _ => words.windows(2).map(|pair| pack(pair[0], pair[1])).collect(),
        };
        members.sort_unstable();
        members.dedup();
        Self { members }
    }

    /// The union of two sets.
    pub fn union(&self, other: &Self) -> Self {
        let mut members = [&self.members[..], &other.members[..]].concat();
        members.sort_unstable();
        members.dedup();
        Self { members }
    }

    /// This set without the members of another.
    pub fn without(&self, other: &Self) -> Self {
        let keep = |member: &u64| other.members.binary_search(member).is_err();
        Self { members: self.members.iter().copied().filter(keep).collect() }
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Number of members common to both sets.
    pub fn common(&self, other: &Self) -> usize {
        self.members.iter().filter(|member| other.members.binary_search(member).is_ok()).count()
    }
}

fn pack(first: Word, second: Word) -> u64 {
    u64::from(first) << 32 | (u64::from(second) + 1)
}

/// Compares the pairs of two texts, with those in `aside` removed from both; `None` if no gold pair
/// remains.
pub fn compare(gold: &[Word], output: &[Word], aside: &Shingles) -> Option<Score> {
    let gold = Shingles::of(gold).without(aside);
    let output = Shingles::of(output).without(aside);
    (!gold.is_empty()).then(|| Score::of_counts(gold.common(&output), output.len(), gold.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::words::Vocabulary;

    fn compare_texts(gold: &str, output: &str, aside: &str) -> Option<Score> {
        let mut vocabulary = Vocabulary::new();
        let [gold, output, aside] = [gold, output, aside].map(|text| vocabulary.words(text));
        compare(&gold, &output, &Shingles::of(&aside))
    }

    #[test]
    fn pairs_by_hand() {
        // Gold pairs: the-cat cat-sat sat-on on-the the-mat (5). Output: the-cat cat-on on-the the-mat (4). Common: 3.
        let score = compare_texts("the cat sat on the mat", "The cat on the mat.", "").unwrap();
        assert_eq!((score.precision, score.recall), (0.75, 0.6));
        assert!((score.f1 - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn repetition_does_not_count() {
        let score = compare_texts("a b", "a b a b a b", "").unwrap();
        // Output pairs: a-b, b-a.
        assert_eq!((score.precision, score.recall), (0.5, 1.0));
    }

    #[test]
    fn a_text_of_one_word_is_that_word() {
        assert_eq!(compare_texts("yes", "Yes", "").unwrap().f1, 1.0);
        assert_eq!(compare_texts("yes", "yes yes", ""), Some(Score::ZERO));
        assert_eq!(compare_texts("yes sir", "yes", ""), Some(Score::ZERO));
    }

    #[test]
    fn pairs_set_aside_leave_both_sides() {
        // Gold: a-b b-c c-d; output: a-b b-x; without a-b: {b-c, c-d} and {b-x}.
        assert_eq!(compare_texts("a b c d", "a b x", "a b"), Some(Score::ZERO));
        assert_eq!(compare_texts("a b c d", "b c d", "a b").unwrap().f1, 1.0);
        assert_eq!(compare_texts("a b", "a b", "a b"), None);
        assert_eq!(compare_texts("", "a b", ""), None);
    }

    proptest! {
        #[test]
        fn swapping_sides_swaps_precision_and_recall(a in prop::collection::vec(0u32..5, 1..30), b in prop::collection::vec(0u32..5, 1..30)) {
            let (one, other) = (compare(&a, &b, &Shingles::default()).unwrap(), compare(&b, &a, &Shingles::default()).unwrap());
            prop_assert_eq!(one.precision, other.recall);
            prop_assert_eq!(one.recall, other.precision);
            prop_assert!((0.0..=1.0).contains(&one.f1));
            prop_assert_eq!(compare(&a, &a, &Shingles::default()).unwrap().f1, 1.0);
        }
    }
}
