//! Pairs of words.

use proptest::prelude::*;
use sitegrove_score::Score;
use sitegrove_score::shingles::{Shingles, compare};
use sitegrove_score::words::WordNumbers;

fn compare_texts(gold: &str, output: &str, aside: &str) -> Option<Score> {
    let mut vocabulary = WordNumbers::new();
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
