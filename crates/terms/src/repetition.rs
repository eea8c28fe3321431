//! Measures how much of a text is repeated.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::letters::{is_alphanumeric, runs_of_letters};
use crate::script::Script;

/// Number of words in a compared run. Runs of twelve are hardly ever repeated by chance.
const RUN: usize = 12;
/// Number of characters in a compared run, in scripts without spaces between words.
const RUN_OF_CHARACTERS: usize = 24;
/// Factor of the polynomial hashes of words and runs: odd, with half of its bits set.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The share (0 to 1) of the words of a text in runs of twelve words that occurred earlier in it. In scripts without spaces, the
/// share of the characters in runs of 24. Only letters and digits count. Linear in the text.
pub fn share_repeated(text: &str) -> f64 {
    let (words, run) = words_of(text);
    if words.len() <= run {
        return 0.0;
    }
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    seen.reserve(words.len());
    let last = (1..run).fold(1u64, |power, _| power.wrapping_mul(FACTOR));
    let add = |hash: u64, word: u64| hash.wrapping_mul(FACTOR).wrapping_add(word);
    let mut hash = words[..run].iter().fold(0, |hash, &word| add(hash, word));
    seen.insert(hash);
    // Words before index `counted` are not counted again.
    let (mut repeated, mut counted) = (0, 0);
    for (begin, &left) in words[..words.len() - run].iter().enumerate() {
        let end = begin + 1 + run;
        hash = add(hash.wrapping_sub(left.wrapping_mul(last)), words[end - 1]);
        if !seen.insert(hash) {
            repeated += end - counted.max(begin + 1);
            counted = end;
        }
    }
    repeated as f64 / words.len() as f64
}

/// Hashes of the words of a text, or of its characters if most are of scripts without spaces, and the length of a run.
fn words_of(text: &str) -> (Vec<u64>, usize) {
    let mut words = Vec::with_capacity(text.len() / 4);
    let mut letters = 0;
    for word in runs_of_letters(text) {
        words.push(FxBuildHasher.hash_one(word.as_bytes()));
        letters += word.len();
    }
    // Characters of scripts without spaces have at least three bytes, and letters at most four.
    let wide = text.bytes().filter(|&byte| byte >= 0xe0).count();
    let is_unspaced = |c: &char| Script::of(*c).is_some_and(Script::is_unspaced);
    if 8 * wide > letters {
        let characters = text.chars().filter(|&c| is_alphanumeric(c));
        if 2 * text.chars().filter(is_unspaced).count() > characters.clone().count() {
            return (characters.map(|c| FxBuildHasher.hash_one(c)).collect(), RUN_OF_CHARACTERS);
        }
    }
    (words, RUN)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbered(from: usize, to: usize) -> String {
        (from..to).map(|n| format!("w{n} ")).collect()
    }

    #[test]
    fn what_is_there_twice_counts_once() {
        let text = numbered(0, 100);
        assert_eq!(share_repeated(&text), 0.0);
        assert_eq!(share_repeated(&format!("{text}{text}")), 0.5);
        assert_eq!(share_repeated(&format!("{text}{}", numbered(50, 61))), 0.0);
        let again = format!("{text}, {}", numbered(50, 70).replace(' ', " — "));
        assert_eq!(share_repeated(&again), 20.0 / 120.0);
        let sentence = "港口上方的灯塔自从去年冬天以来一直没有亮过所以渔民们都在抱怨";
        assert_eq!(share_repeated(sentence), 0.0);
        assert_eq!(share_repeated(&format!("{sentence}。{sentence}")), 0.5);
    }

    proptest! {
        #[test]
        fn counting_each_run_anew_gives_the_same(words in prop::collection::vec(0u8..3, 0..80)) {
            let text: String = words.iter().map(|n| format!("{n} ")).collect();
            let mut is_repeated = vec![false; words.len()];
            for end in RUN..=words.len() {
                let run = &words[end - RUN..end];
                if words[..end - 1].windows(RUN).any(|own| own == run) {
                    is_repeated[end - RUN..end].fill(true);
                }
            }
            let expected = is_repeated.iter().filter(|own| **own).count() as f64 / words.len().max(1) as f64;
            prop_assert!((share_repeated(&text) - expected).abs() < 1e-9);
        }
    }
}
