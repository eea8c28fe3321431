/*!
The words of a text, as counted by all measures by word.

A text is lower-cased, apostrophes between two word characters are removed (`don't` → `dont`), and then a word is

- one character of the scripts written without spaces: Thai, Hiragana, Katakana, Chinese characters of the basic plane; or
- a run of other letters and numbers (Unicode categories L and N). Marks and the underscore separate.

So `snake_case` is two words, `3.14` is two, Hangul is split at spaces as it is written, and punctuation is ignored,
except inside the blocks of the first rule, where every character counts (the katakana middle dot, the baht sign).
*/

use rustc_hash::FxHashMap;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// A word as a number, given by a [`WordNumbers`].
pub type WordNumber = u32;

/// A vocabulary that numbers words. Only texts read with the same vocabulary can be compared.
#[derive(Clone, Debug, Default)]
pub struct WordNumbers {
    numbers: FxHashMap<String, WordNumber>,
}

impl WordNumbers {
    /// Creates an empty vocabulary.
    pub fn new() -> Self {
        Self::default()
    }

    /// The words of a text in order; new words get the next numbers.
    pub fn words(&mut self, text: &str) -> Vec<WordNumber> {
        let mut words = Vec::with_capacity(text.len() / 6);
        each_word(text, |word| {
            let next = self.numbers.len() as WordNumber;
            let known = self.numbers.get(word).copied();
            words.push(known.unwrap_or_else(|| {
                self.numbers.insert(word.to_owned(), next);
                next
            }));
        });
        words
    }
}

/// The words of a text in order, as strings.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

fn each_word(text: &str, mut take: impl FnMut(&str)) {
    let folded = fold(text);
    let mut start = None;
    for (at, c) in folded.char_indices() {
        if stands_alone(c) {
            if let Some(from) = start.take() {
                take(&folded[from..at]);
            }
            take(&folded[at..at + c.len_utf8()]);
        } else if is_alphanumeric(c) {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            take(&folded[from..at]);
        }
    }
    if let Some(from) = start {
        take(&folded[from..]);
    }
}

/// Converts a text to lower case and removes apostrophes between two word characters.
fn fold(text: &str) -> String {
    let lower = text.to_lowercase();
    if !lower.contains(is_apostrophe) {
        return lower;
    }
    let mut kept = String::with_capacity(lower.len());
    let mut before = None;
    let mut rest = lower.chars().peekable();
    while let Some(c) = rest.next() {
        let inside = before.is_some_and(is_word) && rest.peek().copied().is_some_and(is_word);
        if !(is_apostrophe(c) && inside) {
            kept.push(c);
        }
        before = Some(c);
    }
    kept
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}')
}

/// Whether a single character is a word, because its script has no spaces.
fn stands_alone(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Whether regular expressions treat a character as a word character.
fn is_word(c: char) -> bool {
    c == '_' || is_alphanumeric(c)
}

fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    matches!(
        c.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
    )
}
