//! The longest common substring.

use proptest::prelude::*;
use sitegrove_score::Score;
use sitegrove_score::lcs::characters;
use sitegrove_score::substring::{compare, length};

fn naive(a: &[char], b: &[char]) -> usize {
    let mut longest = 0;
    for i in 0..a.len() {
        for j in 0..b.len() {
            let run = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y).count();
            longest = longest.max(run);
        }
    }
    longest
}

#[test]
fn the_papers_example() {
    let (a, b) = ("the dog jumps over the brown fox", "the fox jumps over the brown dog");
    let with_spaces: [Vec<char>; 2] = [a, b].map(|text| text.chars().collect());
    // " jumps over the brown " with its spaces: 22 characters (the paper prints 20).
    assert_eq!(length(&with_spaces[0], &with_spaces[1]), 22);
    // jumps·over·the·brown without spaces: 5 + 4 + 3 + 5 of 26.
    let score = compare(a, b).unwrap();
    assert_eq!((score.precision, score.recall), (17.0 / 26.0, 17.0 / 26.0));
}

#[test]
fn by_hand() {
    // "cdef" is the longest common run: 4 of 6 retrieved, 4 of 8 wanted, F1 =
    // 2·(2/3)(1/2)/(7/6) = 4/7.
    let score = compare("ab cdef gh", "xcdefy").unwrap();
    assert!((score.f1 - 4.0 / 7.0).abs() < 1e-12);
    assert_eq!(compare("ab", ""), Some(Score::ZERO));
    assert_eq!(compare("", "ab"), None);
    assert_eq!(compare("大きな木", "小さな木").unwrap().f1, 0.5);
}

proptest! {
    #[test]
    fn as_brute_force_has_it(a in "[abc]{0,60}", b in "[abc]{0,60}") {
        let (a, b) = (characters(&a), characters(&b));
        let found = length(&a, &b);
        prop_assert_eq!(found, naive(&a, &b));
        prop_assert_eq!(found, length(&b, &a));
        prop_assert!(found <= sitegrove_score::lcs::length(&a, &b));
    }
}
