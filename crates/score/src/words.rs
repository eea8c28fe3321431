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

/// A word as a number, given by a [`Vocabulary`].
pub type Word = u32;

/// The numbers of words. Only texts read with the same vocabulary can be compared.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    numbers: FxHashMap<String, Word>,
}

impl Vocabulary {
    /// A vocabulary without words.
    pub fn new() -> Self {
        Self::default()
    }

    /// The words of a text in order; new words get the next numbers.
    pub fn words(&mut self, text: &str) -> Vec<Word> {
        let mut words = Vec::with_capacity(text.len() / 6);
        each_word(text, |word| {
            let number = match self.numbers.get(word) {
                Some(&number) => number,
                None => {
                    let next = self.numbers.len() as Word;
                    self.numbers.insert(word.to_owned(), next);
                    next
                }
            };
            words.push(number);
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

/// Lower case, without apostrophes between two word characters.
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

/// Whether a character is a word by itself.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text), expected);
    }

    #[test]
    fn letters_and_numbers_between_anything_else() {
        check("Hello, World! 3.14 snake_case", &["hello", "world", "3", "14", "snake", "case"]);
        check("", &[]);
        check(" — … ", &[]);
        check("x² ½ Ⅷ", &["x²", "½", "ⅷ"]);
    }

    #[test]
    fn apostrophes_inside_words_vanish() {
        check("Don't 'quote' rock’n’roll l'été", &["dont", "quote", "rocknroll", "lété"]);
        check("a''b dogs' 'tis _'s", &["a", "b", "dogs", "tis", "s"]);
        // U+02BC is a letter itself, so two of them are both inside a word.
        check("aʼʼb xʼ", &["ab", "xʼ"]);
    }

    #[test]
    fn scripts_without_spaces_by_character() {
        check("東京 Tokyoです。", &["東", "京", "tokyo", "で", "す"]);
        check("iPhone発売・2台", &["iphone", "発", "売", "・", "2", "台"]);
        check("ไทย", &["ไ", "ท", "ย"]);
        check("한국어 신문", &["한국어", "신문"]);
    }

    #[test]
    fn marks_separate_and_case_mapping_is_full() {
        check("हिन्दी", &["ह", "न", "द"]);
        check("İstanbul ΣΟΦΟΣ STRASSE", &["i", "stanbul", "σοφος", "strasse"]);
    }

    #[test]
    fn one_vocabulary_gives_equal_numbers_to_equal_words() {
        let mut vocabulary = Vocabulary::new();
        assert_eq!(vocabulary.words("To be or not to be"), [0, 1, 2, 3, 0, 1]);
        assert_eq!(vocabulary.words("Be new"), [1, 4]);
    }
}
