/*!
The longest common subsequence: the measure of the CETD and BlockExtractor (§3.2) papers by word, and of text density
(§5.2) by character.

Precision is its length over the output's, recall over the gold's.
It is computed bit-parallel after Hyyrö (the `rapidfuzz` crate), n·m/64 steps: about 0.4 ms for a page of 6,000
characters.
*/

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::Score;

/// Compares the words or the [`characters`] of two texts; `None` if the gold has none.
pub fn compare<T: Eq + Hash + Copy>(gold: &[T], output: &[T]) -> Option<Score> {
    Score::of_counts(length(gold, output), output.len(), gold.len())
}

/// The characters of a text except white space, unchanged: case and accents count.
pub fn characters(text: &str) -> Vec<char> {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Length of the longest common subsequence of two sequences.
pub fn length<T: Eq + Hash + Copy>(a: &[T], b: &[T]) -> usize {
    let (a, b) = numbered(a, b);
    rapidfuzz::distance::lcs_seq::similarity(a.iter().copied(), b.iter().copied())
}

/// Replaces the items by 0, 1, 2 … in order of appearance: comparing small numbers needs a table look-up, comparing large
/// ones a hash.
fn numbered<T: Eq + Hash + Copy>(a: &[T], b: &[T]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers = FxHashMap::default();
    let mut number = |item: &T| {
        let next = numbers.len() as u32;
        *numbers.entry(*item).or_insert(next)
    };
    (a.iter().map(&mut number).collect(), b.iter().map(&mut number).collect())
}
