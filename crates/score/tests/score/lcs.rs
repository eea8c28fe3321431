//! The longest common subsequence.

use proptest::prelude::*;
use sitegrove_score::Score;
use sitegrove_score::lcs::{characters, compare, length};
use sitegrove_score::words::WordNumbers;

/// The textbook table.
fn naive<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    row[b.len()]
}

fn compare_characters(gold: &str, output: &str) -> Option<Score> {
    compare(&characters(gold), &characters(output))
}

#[test]
fn words_by_hand() {
    let mut vocabulary = WordNumbers::new();
    let gold = vocabulary.words("the dog jumps over the brown fox");
    let output = vocabulary.words("the fox jumps over the brown dog");
    // the … jumps over the brown: 5 of 7 words on either side.
    assert_eq!(length(&gold, &output), 5);
    let score = compare(&gold, &output).unwrap();
    assert!((score.f1 - 5.0 / 7.0).abs() < 1e-12);
}

#[test]
fn characters_of_the_papers_example() {
    let (a, b) = ("the dog jumps over the brown fox", "the fox jumps over the brown dog");
    // The paper prints "the jumps over the brown " with length 23; it has 25 characters, and
    // the o common to "dog" and "fox" matches twice in addition: 4 + 1 + 22 + 1.
    let with_spaces: [Vec<char>; 2] = [a, b].map(|text| text.chars().collect());
    assert_eq!(length(&with_spaces[0], &with_spaces[1]), 28);
    // Without the six spaces: the·o·jumps·over·the·brown·o = 3+1+5+4+3+5+1 of 26 characters.
    assert_eq!(length(&characters(a), &characters(b)), 22);
    let score = compare_characters(a, b).unwrap();
    assert_eq!((score.precision, score.recall), (22.0 / 26.0, 22.0 / 26.0));
}

#[test]
fn white_space_of_any_kind_is_ignored_and_case_is_not() {
    let score = compare_characters("ab\u{a0}c\n d", "a b\tc\u{3000}d").unwrap();
    assert_eq!(score.f1, 1.0);
    assert_eq!(compare_characters("AB", "ab"), Some(Score::ZERO));
    assert_eq!(compare_characters(" \n", "ab"), None);
    assert_eq!(compare_characters("ab", ""), Some(Score::ZERO));
    assert_eq!(compare(&[], &[1]), None);
}

#[test]
fn order_counts() {
    assert_eq!(length(&[1, 2, 3, 4], &[3, 4, 1, 2]), 2);
    // a c d f
    assert_eq!(length(&characters("abcdef"), &characters("zacxdf")), 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn as_the_textbook_has_it(a in prop::collection::vec(0u8..4, 0..200), b in prop::collection::vec(0u8..4, 0..200)) {
        let expected = naive(&a, &b);
        prop_assert_eq!(length(&a, &b), expected);
        prop_assert_eq!(length(&b, &a), expected);
        prop_assert!(expected <= a.len().min(b.len()));
    }

    /// The library takes other code paths for long, nearly equal texts.
    #[test]
    fn nearly_equal(a in prop::collection::vec(0u8..30, 60..260), cuts in prop::collection::vec((0usize..260, 0u8..30), 0..6)) {
        let mut b = a.clone();
        for (at, byte) in cuts {
            let at = at % b.len();
            if byte % 2 == 0 { b.remove(at); } else { b.insert(at, byte); }
        }
        prop_assert_eq!(length(&a, &b), naive(&a, &b));
    }

    /// More distinct symbols than the library keeps in its table.
    #[test]
    fn many_symbols(a in prop::collection::vec(0u32..600, 0..300), b in prop::collection::vec(0u32..600, 0..300)) {
        prop_assert_eq!(length(&a, &b), naive(&a, &b));
    }
}
