//! Precision, recall and F1.

use sitegrove_score::Score;

#[test]
fn by_hand() {
    // 3 of 4 retrieved are right, 3 of 6 wanted were found: F1 = 2·0.75·0.5/1.25.
    let score = Score::of_counts(3, 4, 6).unwrap();
    assert_eq!((score.precision, score.recall), (0.75, 0.5));
    assert!((score.f1 - 0.6).abs() < 1e-12);
}

#[test]
fn nothing_in_common_is_zero_not_nan() {
    for (output, gold, score) in
        [(0, 5, Some(Score::ZERO)), (5, 0, None), (0, 0, None), (3, 3, Some(Score::ZERO))]
    {
        assert_eq!(Score::of_counts(0, output, gold), score);
    }
}
