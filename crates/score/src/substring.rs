/*!
The longest common substring by character, ignoring white space: the stricter measure of the text density paper (§5.2).

A single character missing in the middle of the output can halve it. Computed with a suffix automaton (the
`general-sam` crate) over the shorter text in O((n + m) log σ).
*/

use general_sam::{BTreeTransTable, GeneralSam};

use crate::{Score, lcs::characters};

/// Compares two texts; `None` if the gold has only white space.
pub fn compare(gold: &str, output: &str) -> Option<Score> {
    let (gold, output) = (characters(gold), characters(output));
    (!gold.is_empty()).then(|| Score::of_counts(length(&gold, &output), output.len(), gold.len()))
}

/// Length of the longest common run of characters of two texts.
pub fn length(a: &[char], b: &[char]) -> usize {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let short: Vec<u32> = short.iter().map(|&c| u32::from(c)).collect();
    let automaton = GeneralSam::<BTreeTransTable<u32>>::from_utf32(short);

    // `matched` is the longest suffix of the text read so far that is in the automaton; `state` is
    // its end.
    let mut state = automaton.get_root_state();
    let (mut matched, mut longest) = (0, 0);
    for &c in long {
        let symbol = u32::from(c);
        loop {
            if let Some(next) = state.get_non_nil_trans(&symbol) {
                state = next;
                matched += 1;
                break;
            }
            if state.is_root() {
                matched = 0;
                break;
            }
            state.goto_suffix_parent();
            matched = state.get_node().map_or(0, |node| node.max_suffix_len());
        }
        longest = longest.max(matched);
    }
    longest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            prop_assert!(found <= crate::lcs::length(&a, &b));
        }
    }
}
