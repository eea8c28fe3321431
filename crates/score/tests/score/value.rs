//! Precision, recall and F1.

use sitegrove_score::Score;

#[test]
fn by_hand() {
    // 3 of 4 retrieved are right, 3 of 6 wanted were found: F1 = 2·0.75·0.5/1.25.
    let score = Score::of_counts(3, 4, 6);
    assert_eq!((score.precision, score.recall), (0.75, 0.5));
    assert!((score.f1 - 0.6).abs() < 1e-12);
}

#[test]
fn nothing_in_common_is_zero_not_nan() {
    for (common, output, gold) in [(0, 0, 5), (0, 5, 0), (0, 0, 0), (0, 3, 3)] {
        assert_eq!(Score::of_counts(common, output, gold), Score::ZERO);
    }
}
