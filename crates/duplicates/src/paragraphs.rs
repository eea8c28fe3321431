//! Paragraphs that different articles have in common.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use terms::WordStarts;

use crate::sketch::add_word;

/// A paragraph of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Paragraph {
    /// Its place in the text, in bytes.
    pub range: Range<usize>,
    /// The part of it that is compared.
    pub words: ParagraphWords,
}

/// The words of a paragraph, without case and punctuation.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct ParagraphWords {
    /// Hash of the words in their order.
    pub hash: u64,
    /// Number of words; in scripts without spaces counted as in `word_count`.
    pub count: u32,
}

impl ParagraphWords {
    /// Paragraphs with fewer words may be headings, which articles on other subjects may have, too.
    const LONG: u32 = 8;
    /// Paragraphs with fewer words are names, dates and labels.
    const SHORT: u32 = 3;

    /// Whether it is the same text in any article.
    pub fn is_long(self) -> bool {
        self.count >= Self::LONG
    }

    /// Whether it is compared with paragraphs of other articles.
    pub fn is_compared(self) -> bool {
        self.count >= Self::SHORT
    }
}

/// Splits a text into paragraphs at blank lines.
pub fn paragraphs_of(text: &str) -> impl Iterator<Item = Paragraph> + '_ {
    paragraphs_and_words_of(text, |_, _| ())
}

/// Like [`paragraphs_of`]; also calls `each_word` with the hash of each word and whether it is a number.
pub(crate) fn paragraphs_and_words_of(
    text: &str,
    mut each_word: impl FnMut(u64, bool),
) -> impl Iterator<Item = Paragraph> {
    let mut at = 0;
    let starts = WordStarts::of(text);
    text.split("\n\n").map(move |paragraph| {
        let range = at..at + paragraph.len();
        at = range.end + 2;
        let hash = terms::hash_words(paragraph).fold(0, |all, (word, is_number)| {
            each_word(word, is_number);
            add_word(all, word)
        });
        let words = ParagraphWords { hash, count: starts.count(range.clone()) };
        Paragraph { range, words }
    })
}

/// Finds the boilerplate in a text, as ranges of bytes. `hashes` are those of boilerplate paragraphs, in ascending order.
/// Short paragraphs count only directly before long ones, as headings.
pub fn boilerplate_of(text: &str, hashes: &[u64]) -> Vec<Range<usize>> {
    if hashes.is_empty() {
        return Vec::new();
    }
    let is_known =
        |own: &Paragraph| own.words.is_compared() && hashes.binary_search(&own.words.hash).is_ok();
    let paragraphs: Vec<(bool, Paragraph)> =
        paragraphs_of(text).map(|own| (is_known(&own), own)).collect();
    let mut found = Vec::new();
    for run in paragraphs.chunk_by(|a, b| a.0 == b.0).filter(|run| run[0].0) {
        let end = run.iter().rposition(|(_, own)| own.words.is_long()).map_or(0, |last| last + 1);
        found.extend(run[..end].iter().map(|(_, own)| own.range.clone()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFER: &str = "Read without limits from 3 euros a week, all our papers.";

    #[test]
    fn paragraphs_are_compared_without_case_and_punctuation() {
        let text = format!("Lamps, again\n\n{OFFER}\n\n\n\n— 7 —");
        let all: Vec<Paragraph> = paragraphs_of(&text).collect();
        let shown: Vec<&str> = all.iter().map(|own| &text[own.range.clone()]).collect();
        assert_eq!(shown, ["Lamps, again", OFFER, "", "— 7 —"]);
        assert_eq!(all.iter().map(|own| own.words.count).collect::<Vec<_>>(), [2, 11, 0, 1]);
        let other = OFFER.to_uppercase().replace(['.', ','], " ");
        assert_eq!(paragraphs_of(&other).next().unwrap().words, all[1].words);
        let turned = "Lamps again: ".to_owned() + OFFER;
        assert_ne!(paragraphs_of(&turned).next().unwrap().words, all[1].words);
    }

    #[test]
    fn short_boilerplate_counts_before_long() {
        let heading = "Support our work";
        let mut hashes: Vec<u64> = [OFFER, heading]
            .iter()
            .map(|own| paragraphs_of(own).next().unwrap().words.hash)
            .collect();
        hashes.sort_unstable();
        let text = format!(
            "{heading}\n\nThe lamps burn.\n\n{heading}\n\n{OFFER}\n\n{heading}\n\nEnd of all"
        );
        let found = boilerplate_of(&text, &hashes);
        let found: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, [heading, OFFER]);
        assert!(boilerplate_of(&text, &[]).is_empty());
        assert!(boilerplate_of(heading, &hashes).is_empty());
    }
}
