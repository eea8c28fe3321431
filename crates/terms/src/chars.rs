//! Character classes for tokenizers, from a table.
//!
//! There are two definitions of a word. [`Class`] defines the words of terms: letters, digits and
//! their combining marks, with scripts without spaces treated separately. [`CharacterKind::is_python_word`]
//! and the methods after it follow Python's `re`, with which the benchmark counts words (see
//! [`crate::words()`]).

use std::sync::LazyLock;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::script::Script;

/// The role of a character when text is split into terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Ends a word.
    Separator,
    /// A letter or digit of a script that separates words.
    Word,
    /// A combining mark: continues a word, never begins one.
    Mark,
    /// A letter, digit or mark of a script without spaces.
    Unspaced,
    /// Joins two halves of a word, as in "don't".
    Apostrophe,
    /// Invisible inside a word: soft hyphen, zero-width joiners, variation selectors.
    Joiner,
}

const CLASS: u16 = 0x07;
const PYTHON_WORD: u16 = 0x10;
const PYTHON_SINGLE: u16 = 0x20;
const UNDERSCORE: u16 = 0x40;
/// A combining mark. Some (vowel signs) are alphabetic in the standard library, others (accents, viramas) are not.
pub(crate) const MARK: u16 = 0x80;
pub(crate) const ALPHABETIC: u16 = 0x100;
pub(crate) const NUMERIC: u16 = 0x200;
pub(crate) const UPPERCASE: u16 = 0x400;
/// [`char::to_lowercase`] changes the character.
pub(crate) const HAS_LOWERCASE: u16 = 0x800;

#[derive(Clone, Copy)]
pub(crate) struct CharacterKind(u16);

impl CharacterKind {
    fn of(c: char) -> Self {
        let mark = c.general_category_group() == GeneralCategoryGroup::Mark;
        // Called once each: beyond ASCII, both search tables.
        let (alphabetic, numeric) = (c.is_alphabetic(), c.is_numeric());
        let alphanumeric = alphabetic || numeric;
        // Rust's `is_alphanumeric` exceeds Python's `isalnum` by marks and circled letters only.
        let circled = matches!(c as u32, 0x24b6..=0x24e9 | 0x1f130..=0x1f189);
        let python_word = alphanumeric && !mark && !circled;
        let class = match c {
            '\'' | '\u{2019}' | '\u{2bc}' => Class::Apostrophe,
            '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' => Class::Joiner,
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Class::Joiner,
            '\u{20d0}'..='\u{20ff}' => Class::Separator, // enclosing marks: keycap emoji
            _ if (mark || alphanumeric) && is_unspaced(c) => Class::Unspaced,
            _ if mark => Class::Mark,
            _ if alphanumeric => Class::Word,
            _ => Class::Separator,
        };
        let single = matches!(c as u32,
            0xe00..=0xe7f | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff);
        let flags = [
            (PYTHON_WORD, python_word),
            (PYTHON_SINGLE, single),
            (UNDERSCORE, c == '_'),
            (MARK, mark),
            (ALPHABETIC, alphabetic),
            (NUMERIC, numeric),
            (UPPERCASE, c.is_uppercase()),
            (HAS_LOWERCASE, !c.to_lowercase().eq([c])),
        ];
        let set = flags.into_iter().filter(|(_, is_set)| *is_set);
        Self(set.fold(class as u16, |bits, (flag, _)| bits | flag))
    }

    /// Its class in the definition of terms.
    #[inline]
    pub(crate) fn class(self) -> Class {
        match self.0 & CLASS {
            1 => Class::Word,
            2 => Class::Mark,
            3 => Class::Unspaced,
            4 => Class::Apostrophe,
            5 => Class::Joiner,
            _ => Class::Separator,
        }
    }

    /// Whether Python's `\w` matches: letters and numbers of any script, and the underscore.
    #[inline]
    pub(crate) fn is_python_word(self) -> bool {
        self.has(PYTHON_WORD | UNDERSCORE)
    }

    /// Whether it alone is a word in the benchmark's regex: Thai, kana, Chinese characters.
    #[inline]
    pub(crate) fn is_single(self) -> bool {
        self.has(PYTHON_SINGLE)
    }

    /// Whether it is part of a longer word in the benchmark's regex.
    #[inline]
    pub(crate) fn is_in_word(self) -> bool {
        self.0 & (PYTHON_WORD | PYTHON_SINGLE) == PYTHON_WORD
    }

    #[inline]
    pub(crate) fn has(self, flags: u16) -> bool {
        self.0 & flags != 0
    }
}

/// Whether a character is of a script without spaces. Digits of the South-East Asian scripts form numbers, not pairs.
fn is_unspaced(c: char) -> bool {
    Script::of(c).is_some_and(Script::is_unspaced) && !(c.is_numeric() && (c as u32) < 0x3000)
}

/// The kinds of the Basic Multilingual Plane.
pub(crate) struct CharacterTable(Vec<CharacterKind>);

static KINDS: LazyLock<CharacterTable> = LazyLock::new(|| {
    let kind = |code| char::from_u32(code).map_or(CharacterKind(0), CharacterKind::of);
    let mut kinds = Vec::with_capacity(0x1_0000);
    for (from, to) in ALIKE {
        kinds.extend((kinds.len() as u32..from).map(kind));
        kinds.resize(to as usize + 1, kind(from));
    }
    kinds.extend((kinds.len() as u32..0x1_0000).map(kind));
    CharacterTable(kinds)
});

/// Characters of one kind that make up most of the plane: Chinese, Korean, surrogates and private use.
const ALIKE: [(u32, u32); 4] =
    [(0x3400, 0x4dbf), (0x4e00, 0x9fff), (0xac00, 0xd7a3), (0xd800, 0xf8ff)];

impl CharacterTable {
    /// The table, computed on first use; take it once per text.
    #[inline]
    pub(crate) fn get() -> &'static Self {
        &KINDS
    }

    #[inline]
    pub(crate) fn of(&self, c: char) -> CharacterKind {
        self.0.get(c as usize).copied().unwrap_or_else(|| CharacterKind::of(c))
    }
}

/// The character that begins at byte `at`, if the text has not ended.
#[inline]
pub(crate) fn char_at(text: &str, at: usize) -> Option<char> {
    let byte = *text.as_bytes().get(at)?;
    if byte.is_ascii() { Some(char::from(byte)) } else { text[at..].chars().next() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let expected = [
            ('a', Class::Word),
            ('9', Class::Word),
            ('ß', Class::Word),
            ('한', Class::Word),
            ('๙', Class::Word),
            ('\u{301}', Class::Mark),
            ('\u{94d}', Class::Mark),
            ('中', Class::Unspaced),
            ('ー', Class::Unspaced),
            ('・', Class::Separator),
            ('ั', Class::Unspaced),
            ('\'', Class::Apostrophe),
            ('\u{ad}', Class::Joiner),
            ('\u{fe0f}', Class::Joiner),
            ('_', Class::Separator),
            ('😀', Class::Separator),
            ('\u{200b}', Class::Separator),
        ];
        for (c, class) in expected {
            assert_eq!(CharacterTable::get().of(c).class(), class, "{c:?}");
        }
    }

    #[test]
    fn the_table_has_the_kind_of_each_character() {
        for c in ('\0'..=char::MAX).take(0x2_0000) {
            assert_eq!(CharacterTable::get().of(c).0, CharacterKind::of(c).0, "{c:?}");
        }
    }

    #[test]
    fn python_word_characters() {
        let kinds = CharacterTable::get();
        assert!(['a', 'é', '_', 'ʼ', '½', '中'].iter().all(|&c| kinds.of(c).is_python_word()));
        assert!(['\u{93f}', '\u{301}', 'Ⓐ', '-'].iter().all(|&c| !kinds.of(c).is_python_word()));
    }
}
