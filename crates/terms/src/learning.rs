//! The terms of many texts at once, such as those of a page.
//!
//! Words are first split off and later looked up in batches. Cached words are spread over memory,
//! and in batches the processor can fetch about a dozen of them in parallel.

use tantivy::tokenizer::TextAnalyzer;

use crate::memo::{Packed, RawWord, TermCache};
use crate::scanner::{Apostrophe, Scanner};
use crate::vocabulary::Vocabulary;
use crate::vocabulary::{LONGEST, term_of};

/// Maximum number of words in a batch, so that the batch stays in the first-level cache.
const MOST_WAITING: usize = 1 << 8;

/// An analyzer that teaches a vocabulary: see [`Analyzer::learning`](crate::Analyzer::learning).
pub struct TermLearner<'a> {
    apostrophe: Apostrophe,
    word_to_term: &'a mut TextAnalyzer,
    memo: &'a mut TermCache,
    vocabulary: &'a mut Vocabulary,
    waiting: Waiting,
    hashes: Vec<u64>,
    starts: Vec<u32>,
}

/// Words that are split off, but not looked up yet.
#[derive(Default)]
struct Waiting {
    /// The words; a long one is a zero and its index.
    words: Vec<Packed>,
    /// The concatenated long words, and the end of each.
    long: String,
    long_ends: Vec<usize>,
    /// For each text that begins in this batch, the number of words before it.
    texts: Vec<usize>,
}

impl<'a> TermLearner<'a> {
    pub(crate) fn new(
        apostrophe: Apostrophe,
        word_to_term: &'a mut TextAnalyzer,
        memo: &'a mut TermCache,
        vocabulary: &'a mut Vocabulary,
    ) -> Self {
        memo.begin(vocabulary);
        let (waiting, hashes, starts) = Default::default();
        Self { apostrophe, word_to_term, memo, vocabulary, waiting, hashes, starts }
    }

    /// The hashes of the terms of all texts in order, without stop words, and for each text the
    /// number of terms before it, followed by the total number. All terms are then in the
    /// vocabulary.
    pub fn learn<'t>(mut self, texts: impl Iterator<Item = &'t str>) -> (Vec<u64>, Vec<u32>) {
        let (texts_at_least, _) = texts.size_hint();
        self.hashes.reserve(texts_at_least);
        self.starts.reserve(texts_at_least + 1);
        for text in texts {
            self.waiting.texts.push(self.waiting.words.len());
            let mut scanner = Scanner::new(text, self.apostrophe);
            while let Some(span) = scanner.next() {
                let word = scanner.word(span);
                if word.len() <= LONGEST {
                    self.waiting.push(word);
                    if self.waiting.words.len() == MOST_WAITING {
                        self.look_up();
                    }
                }
            }
        }
        self.look_up();
        self.starts.push(self.hashes.len() as u32);
        self.memo.end(self.vocabulary);
        (self.hashes, self.starts)
    }

    fn look_up(&mut self) {
        let Self { word_to_term, memo, vocabulary, waiting, hashes, starts, .. } = self;
        let mut analyze = |word: &str, text: &mut String| term_of(word_to_term, word, text);
        let all = waiting.words.len();
        memo.prefetch(&waiting.words);
        let mut done = 0;
        for begin in waiting.texts.iter().map(Some).chain([None]) {
            for number in done..*begin.unwrap_or(&all) {
                memo.learn(waiting.word(number), hashes, vocabulary, &mut analyze);
            }
            if let Some(begin) = begin {
                starts.push(hashes.len() as u32);
                done = *begin;
            }
        }
        waiting.clear();
    }
}

impl Waiting {
    #[inline]
    fn push(&mut self, word: &str) {
        match RawWord::of(word) {
            RawWord::Short(packed) => self.words.push(packed),
            RawWord::Long(word) => {
                self.words.push([0, self.long_ends.len() as u64]);
                self.long.push_str(word);
                self.long_ends.push(self.long.len());
            }
        }
    }

    #[inline]
    fn word(&self, number: usize) -> RawWord<'_> {
        match self.words[number] {
            [0, long] => {
                let long = long as usize;
                let from = long.checked_sub(1).map_or(0, |before| self.long_ends[before]);
                RawWord::Long(&self.long[from..self.long_ends[long]])
            }
            packed => RawWord::Short(packed),
        }
    }

    fn clear(&mut self) {
        self.words.clear();
        self.long.clear();
        self.long_ends.clear();
        self.texts.clear();
    }
}
