//! Paragraphs of one text that are missing in another, for inspecting the worst pages.

use crate::{
    shingles::Shingles,
    words::{Vocabulary, Word},
};

/// The lines of `text`, in order, of which less than half the word pairs occur anywhere in `other`.
/// Lines without a word are omitted; a line of one word is missing if that word does not occur.
pub fn lacking<'a>(text: &'a str, other: &str) -> Vec<&'a str> {
    let mut vocabulary = Vocabulary::new();
    let other_words = vocabulary.words(other);
    let other_pairs = Shingles::of(&other_words);
    let lacks = |words: &[Word]| match words {
        [] => false,
        [only] => !other_words.contains(only),
        _ => {
            let pairs = Shingles::of(words);
            2 * pairs.common(&other_pairs) < pairs.len()
        }
    };
    text.lines().map(str::trim).filter(|line| lacks(&vocabulary.words(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let gold = "One two three four five.\n\nSix seven eight\n—\nNine\nTen";
        let output = "one two three, and nine";
        // one-two and two-three are 2 of 4 pairs: half is enough. Nothing of the second line, and no "ten".
        assert_eq!(lacking(gold, output), ["Six seven eight", "Ten"]);
        assert_eq!(lacking(output, gold), Vec::<&str>::new());
        assert_eq!(lacking("a b c d e", "a b"), ["a b c d e"]);
    }
}
