//! The end of an article.

use sitegrove_grove::ending;

#[test]
fn cuts_only_a_tail_worth_it() {
    let end = |words: &[u32], scores: &[f32]| ending(words, scores, scores);
    assert_eq!(end(&[100, 100, 50, 50], &[0.9, 0.9, 0.1, 0.2]), 2);
    assert_eq!(end(&[100, 5], &[0.9, 0.1]), 2);
    assert_eq!(end(&[100, 50, 100], &[0.9, 0.1, 0.9]), 3);
    assert_eq!(end(&[60, 60], &[0.1, 0.1]), 1);
    assert_eq!(end(&[], &[]), 0);
}

#[test]
fn cuts_no_more_than_half_of_what_is_sure() {
    assert_eq!(ending(&[40, 60], &[0.9, 0.1], &[0.9, 0.9]), 2);
    assert_eq!(ending(&[70, 60], &[0.9, 0.1], &[0.9, 0.9]), 1);
    assert_eq!(ending(&[40, 60], &[0.9, 0.1], &[0.9, 0.4]), 1);
}
