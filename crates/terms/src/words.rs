//! Plain words, for counting: the benchmark's definition, not that of terms.
//!
//! As in the scorer's regexes, with the semantics of Python's `re`: an apostrophe (`'`, `’`, `ʼ`)
//! between two word characters is removed; then every Thai, kana or Chinese character is a word of
//! its own, and every other maximal run of letters and numbers is one. Combining marks are neither,
//! so they end a word: Hindi words are split at vowel signs. This is sufficient for counting; terms
//! keep marks.

use std::ops::Range;

use crate::chars::{CharacterKind, CharacterTable, char_at};

/// The words of a text as slices of it, including inner apostrophes ("don't").
pub fn words(text: &str) -> Words<'_> {
    Words { text, kinds: CharacterTable::get(), at: 0, after_word: false }
}

/// Whether a text has at least `least` words. Reads little more of a long text than these words.
pub fn has_words(text: &str, least: u32) -> bool {
    // Counting is faster than finding. A cut adds at most one word: an apostrophe that counts as a letter only at an end.
    let most = text.floor_char_boundary((least as usize).saturating_mul(12).min(text.len()));
    most < text.len() && count_words(&text[..most]) > least || count_words(text) >= least
}

/// The number of words in a text.
pub fn count_words(text: &str) -> u32 {
    WordStarts::of(text).count(0..text.len())
}

/// The beginnings of words in the ASCII parts of a text, found once to count the words of many pieces.
#[derive(Debug)]
pub struct WordStarts<'a> {
    text: &'a str,
    /// A bit for each byte: whether a word begins there, given the two previous bytes.
    bits: Vec<u64>,
    /// A bit for each byte: whether it may be part of a word.
    parts: Vec<u64>,
}

impl<'a> WordStarts<'a> {
    /// Finds the beginnings. Linear in the text.
    pub fn of(text: &'a str) -> Self {
        let mut bits = Vec::with_capacity(text.len() / 64 + 1);
        let mut parts = Vec::with_capacity(text.len() / 64 + 1);
        // Letters and apostrophes before a group of 64, in its lowest bits.
        let (mut letters_before, mut joined_before) = (0, 0);
        for group in text.as_bytes().chunks(64) {
            let letters = bits_of(group, |byte| {
                ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10)
            });
            let joined = match group.contains(&b'\'') {
                true => bits_of(group, |byte| byte == b'\'') & (letters << 1 | letters_before),
                false => 0,
            };
            bits.push(letters & !(letters << 1 | letters_before | joined << 1 | joined_before));
            parts.push(letters | bits_of(group, |byte| byte >= 0x80));
            (letters_before, joined_before) = (letters >> 63, joined >> 63);
        }
        Self { text, bits, parts }
    }

    /// The number of words of the piece `range`, as [`count_words`] counts them. The range must begin and end at characters.
    pub fn count(&self, range: Range<usize>) -> u32 {
        // Most texts of a page are white space between elements.
        if range.len() <= 64 && count_bits(&self.parts, range.start, range.end) == 0 {
            return 0;
        }
        let start = range.start;
        let begin = |from, to| count_bits(&self.bits, start + from, start + to);
        count_between(&self.text[range], begin)
    }
}

/// The number of bits set in a range.
#[inline]
fn count_bits(bits: &[u64], from: usize, to: usize) -> u32 {
    let Some(last) = to.checked_sub(1).filter(|last| *last >= from) else { return 0 };
    let (first, last) = ((from / 64, !0 << (from % 64)), (last / 64, !0 >> (63 - last % 64)));
    if first.0 == last.0 {
        return (bits[first.0] & first.1 & last.1).count_ones();
    }
    let between = bits[first.0 + 1..last.0].iter().map(|bits| bits.count_ones());
    (bits[first.0] & first.1).count_ones()
        + between.sum::<u32>()
        + (bits[last.0] & last.1).count_ones()
}

/// A bit for each of at most 64 bytes, the lowest for the first byte.
#[inline]
fn bits_of(group: &[u8], is_set: impl Fn(u8) -> bool) -> u64 {
    let mut flags = [0; 64];
    // No branches, so that the compiler vectorises the loop.
    flags.iter_mut().zip(group).for_each(|(flag, &byte)| *flag = u8::from(is_set(byte)));
    let eight = |(at, flags): (usize, &[u8; 8])| {
        // The product has the flags of eight bytes in its highest byte.
        let bits = u64::from_le_bytes(*flags).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits << (8 * at)
    };
    flags.as_chunks().0.iter().enumerate().map(eight).fold(0, |all, bits| all | bits)
}

/// Counts the words that [`words`] finds, character by character only at the start of a text and at characters beyond ASCII.
/// `begin` returns how many words begin between two places, if all is ASCII and follows an ASCII character other than an
/// apostrophe. A word begins at a letter or digit after any other character, except after a single apostrophe that follows
/// a letter or digit.
#[inline]
fn count_between(text: &str, begin: impl Fn(usize, usize) -> u32) -> u32 {
    let bytes = text.as_bytes();
    let kinds = CharacterTable::get();
    let (mut count, mut at) = (0, 0);
    let (mut in_word, mut after_word) = (false, false);
    loop {
        // Continues up to a character that alone determines the role of the next one.
        let mut chars = text[at..].chars();
        while let Some(c) = chars.next() {
            if c.is_ascii() && c != '\'' {
                count += u32::from(c.is_ascii_alphanumeric() & !in_word);
                in_word = c.is_ascii_alphanumeric();
                after_word = in_word | (c == '_');
                if chars.as_str().as_bytes().first().is_none_or(u8::is_ascii) {
                    break;
                }
                continue;
            }
            let kind = kinds.of(c);
            let vanishes = is_apostrophe(c)
                && after_word
                && chars.clone().next().is_some_and(|next| kinds.of(next).is_python_word());
            if !vanishes {
                count += u32::from(kind.is_single() | (kind.is_in_word() & !in_word));
                in_word = kind.is_in_word();
            }
            after_word = kind.is_python_word();
        }
        at = bytes.len() - chars.as_str().len();
        let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) else { return count };
        let mut end = at + ascii_run(rest);
        // Whether an apostrophe vanishes depends on what follows.
        if end < bytes.len() {
            end -= bytes[at..end].iter().rev().take_while(|byte| **byte == b'\'').count();
        }
        count += begin(at, end);
        if end == bytes.len() {
            return count;
        }
        at = end;
        in_word = bytes[at - 1].is_ascii_alphanumeric();
        after_word = in_word | (bytes[at - 1] == b'_');
    }
}

/// The number of ASCII bytes at the beginning of a text.
#[inline]
fn ascii_run(bytes: &[u8]) -> usize {
    let beyond = |eight: &[u8; 8]| u64::from_le_bytes(*eight) & 0x8080_8080_8080_8080;
    let (groups, rest) = bytes.as_chunks();
    for (at, eight) in groups.iter().enumerate() {
        if beyond(eight) != 0 {
            return at * 8 + beyond(eight).trailing_zeros() as usize / 8;
        }
    }
    bytes.len() - rest.len() + rest.iter().take_while(|byte| byte.is_ascii()).count()
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
