//! Paragraphs of one text that are missing in another, for inspecting the worst pages.

use crate::{
    shingles::Shingles,
    words::{WordNumber, WordNumbers},
};

/// The lines of `text`, in order, of which less than half the word pairs occur anywhere in `other`.
/// Lines without a word are omitted; a line of one word is missing if that word does not occur.
pub fn lacking<'a>(text: &'a str, other: &str) -> Vec<&'a str> {
    let mut vocabulary = WordNumbers::new();
    let other_words = vocabulary.words(other);
    let other_pairs = Shingles::of(&other_words);
    let lacks = |words: &[WordNumber]| match words {
        [] => false,
        [only] => !other_words.contains(only),
        _ => {
            let pairs = Shingles::of(words);
            2 * pairs.common(&other_pairs) < pairs.len()
        }
    };
    text.lines().map(str::trim).filter(|line| lacks(&vocabulary.words(line))).collect()
}
