//! Plain words, for counting: the benchmark's definition, not that of terms.
//!
//! As in the scorer's regexes, with the semantics of Python's `re`: an apostrophe (`'`, `’`, `ʼ`)
//! between two word characters is removed; then every Thai, kana or Chinese character is a word of
//! its own, and every other maximal run of letters and numbers is one. Combining marks are neither,
//! so they end a word: Hindi words are split at vowel signs. This is sufficient for counting; terms
//! keep marks.

use crate::chars::{CharacterKind, CharacterTable, char_at};

/// The words of a text as slices of it, including inner apostrophes ("don't").
pub fn words(text: &str) -> Words<'_> {
    Words { text, kinds: CharacterTable::get(), at: 0, after_word: false }
}

/// Whether a text has at least so many words. Reads no further than these.
pub fn has_words(text: &str, least: u32) -> bool {
    least.checked_sub(1).is_none_or(|before| words(text).nth(before as usize).is_some())
}

/// The number of words in a text.
pub fn count_words(text: &str) -> u32 {
    if text.len() >= LONG && text.is_ascii() {
        count_ascii(text.as_bytes())
    } else {
        count_each(text)
    }
}

/// Minimum number of bytes for which the vectorised path is worthwhile.
const LONG: usize = 64;

/// Counts what [`words`] finds, character by character.
fn count_each(text: &str) -> u32 {
    let kinds = CharacterTable::get();
    let bytes = text.as_bytes();
    let mut count = 0;
    let mut at = 0;
    let (mut in_word, mut after_word) = (false, false);
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() && byte != b'\'' {
            let is_in_word = byte.is_ascii_alphanumeric();
            count += u32::from(is_in_word & !in_word);
            in_word = is_in_word;
            after_word = is_in_word | (byte == b'_');
            at += 1;
            continue;
        }
        let Some(c) = char_at(text, at) else { break };
        let walk = Words { text, kinds, at, after_word };
        let kind = kinds.of(c);
        if !walk.vanishes(c) {
            count += u32::from(kind.is_single() | (kind.is_in_word() & !in_word));
            in_word = kind.is_in_word();
        }
        after_word = kind.is_python_word();
        at += c.len_utf8();
    }
    count
}

/// A word begins at a letter or digit after anything else, except after a single apostrophe that
/// follows a letter or digit.
fn count_ascii(text: &[u8]) -> u32 {
    // Letters and digits as 0 or 1, without branches, so that the loop is vectorised.
    let alphanumeric = |b: u8| {
        u32::from((b | 0x20).wrapping_sub(b'a') < 26) | u32::from(b.wrapping_sub(b'0') < 10)
    };
    let begins = |before: u8, previous: u8, b: u8| {
        let joined = u32::from(previous == b'\'') & alphanumeric(before);
        alphanumeric(b) & !(alphanumeric(previous) | joined) & 1
    };
    let first = match *text {
        [] => 0,
        [only] => begins(0, 0, only),
        [first, second, ..] => begins(0, 0, first) + begins(0, first, second),
    };
    first + text.windows(3).map(|three| begins(three[0], three[1], three[2])).sum::<u32>()
}

/// Iterator of [`words`].
#[derive(Clone)]
pub struct Words<'a> {
    text: &'a str,
    kinds: &'static CharacterTable,
    at: usize,
    /// Whether the character before `at` is a word character.
    after_word: bool,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        while let Some((c, kind)) = self.peek() {
            let from = self.at;
            let vanishes = self.vanishes(c);
            self.step(c, kind);
            if vanishes {
                continue;
            }
            if kind.is_single() {
                return Some(&self.text[from..self.at]);
            }
            if kind.is_in_word() {
                return Some(&self.text[from..self.word_end()]);
            }
        }
        None
    }
}

impl Words<'_> {
    /// Reads to the end of a word; returns the end of its last letter.
    fn word_end(&mut self) -> usize {
        let mut end = self.at;
        while let Some((c, kind)) = self.peek() {
            if self.vanishes(c) {
                self.step(c, kind);
            } else if kind.is_in_word() {
                self.step(c, kind);
                end = self.at;
            } else {
                break;
            }
        }
        end
    }

    #[inline]
    fn peek(&self) -> Option<(char, CharacterKind)> {
        char_at(self.text, self.at).map(|c| (c, self.kinds.of(c)))
    }

    #[inline]
    fn step(&mut self, c: char, kind: CharacterKind) {
        self.at += c.len_utf8();
        self.after_word = kind.is_python_word();
    }

    /// Whether `c`, at index `at`, is an apostrophe between word characters.
    #[inline]
    fn vanishes(&self, c: char) -> bool {
        is_apostrophe(c)
            && self.after_word
            && char_at(self.text, self.at + c.len_utf8())
                .is_some_and(|next| self.kinds.of(next).is_python_word())
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}')
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
