//! Writing systems of characters, and how they separate words.
//!
//! Complete Unicode blocks stand for their script: that is enough to choose an analyzer and a
//! language, and takes only a few comparisons per character. Punctuation inside a block is not
//! distinguished here.

/// A writing system, as far as the choice of language and analyzer needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Devanagari,
    Bengali,
    Gurmukhi,
    Gujarati,
    Oriya,
    Tamil,
    Telugu,
    Kannada,
    Malayalam,
    Sinhala,
    Thai,
    Lao,
    Tibetan,
    Myanmar,
    Georgian,
    Ethiopic,
    Khmer,
    Mongolian,
    Hangul,
    /// Hiragana and katakana.
    Kana,
    /// Chinese characters, bopomofo included.
    Han,
}

impl Script {
    /// The number of scripts; `script as usize` is below it.
    pub(crate) const COUNT: usize = Self::Han as usize + 1;

    /// The script of the block that contains `c`; `None` for characters common to all scripts and
    /// rare ones.
    #[inline]
    pub fn of(c: char) -> Option<Self> {
        // By far the most common case.
        match c {
            '\0'..='\x7f' => c.is_ascii_alphabetic().then_some(Self::Latin),
            '\u{c0}'..='\u{2af}' => Some(Self::Latin),
            '\u{400}'..='\u{52f}' => Some(Self::Cyrillic),
            _ => Self::of_any(c),
        }
    }

    fn of_any(c: char) -> Option<Self> {
        Some(match c as u32 {
            0xaa | 0xba => Self::Latin,
            0x370..=0x3ff | 0x1f00..=0x1fff => Self::Greek,
            0x1c80..=0x1c8f | 0x2de0..=0x2dff | 0xa640..=0xa69f => Self::Cyrillic,
            0x530..=0x58f | 0xfb13..=0xfb17 => Self::Armenian,
            0x590..=0x5ff | 0xfb1d..=0xfb4f => Self::Hebrew,
            0x600..=0x6ff | 0x750..=0x77f | 0x870..=0x8ff | 0xfb50..=0xfdff | 0xfe70..=0xfefe => {
                Self::Arabic
            }
            0x900..=0x97f | 0xa8e0..=0xa8ff => Self::Devanagari,
            0x980..=0x9ff => Self::Bengali,
            0xa00..=0xa7f => Self::Gurmukhi,
            0xa80..=0xaff => Self::Gujarati,
            0xb00..=0xb7f => Self::Oriya,
            0xb80..=0xbff => Self::Tamil,
            0xc00..=0xc7f => Self::Telugu,
            0xc80..=0xcff => Self::Kannada,
            0xd00..=0xd7f => Self::Malayalam,
            0xd80..=0xdff => Self::Sinhala,
            0xe00..=0xe7f => Self::Thai,
            0xe80..=0xeff => Self::Lao,
            0xf00..=0xfff => Self::Tibetan,
            0x1000..=0x109f | 0xa9e0..=0xa9ff | 0xaa60..=0xaa7f => Self::Myanmar,
            0x10a0..=0x10ff | 0x1c90..=0x1cbf | 0x2d00..=0x2d2f => Self::Georgian,
            0x1200..=0x139f | 0x2d80..=0x2ddf | 0xab00..=0xab2f => Self::Ethiopic,
            0x1780..=0x17ff => Self::Khmer,
            0x1800..=0x18af => Self::Mongolian,
            0x1100..=0x11ff | 0x3130..=0x318f | 0xa960..=0xa97f | 0xac00..=0xd7ff => Self::Hangul,
            0x3040..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9f | 0x1aff0..=0x1b16f => Self::Kana,
            0x3005..=0x3007 | 0x3021..=0x3029 | 0x3038..=0x303b | 0x3100..=0x312f => Self::Han,
            0x31a0..=0x31bf | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff => Self::Han,
            0x20000..=0x3ffff => Self::Han,
            0x1e00..=0x1eff | 0x2c60..=0x2c7f | 0xa720..=0xa7ff | 0xab30..=0xab6f => Self::Latin,
            0xfb00..=0xfb06 | 0xff21..=0xff3a | 0xff41..=0xff5a => Self::Latin,
            _ => return None,
        })
    }

    /// Whether words are written without spaces, so that character pairs stand in for words.
    /// Korean (Hangul) has spaces; Tibetan separates syllables by its own mark.
    pub fn is_unspaced(self) -> bool {
        matches!(
            self,
            Self::Thai | Self::Lao | Self::Myanmar | Self::Khmer | Self::Kana | Self::Han
        )
    }

    /// The number of alphabetic letters that one character of this script corresponds to in a mixed
    /// text: a Chinese character is most of a word, a Hangul syllable two or three letters.
    pub(crate) fn letters_per_character(self) -> usize {
        match self {
            Self::Han => 3,
            Self::Kana | Self::Hangul => 2,
            _ => 1,
        }
    }
}

/// Whether most letters of a text are of scripts that are written from right to left.
pub fn is_right_to_left(text: &str) -> bool {
    let mut balance = 0_i64;
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        balance += if is_of_right_to_left(c) { 1 } else { -1 };
    }
    balance > 0
}

/// Whether a letter belongs to Hebrew, Arabic, Syriac, Thaana, N'Ko or a similar script (Unicode, DerivedBidiClass: R and AL).
fn is_of_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_of_each() {
        let expected = [
            ('a', Script::Latin),
            ('ß', Script::Latin),
            ('ế', Script::Latin),
            ('λ', Script::Greek),
            ('ж', Script::Cyrillic),
            ('ש', Script::Hebrew),
            ('ع', Script::Arabic),
            ('ह', Script::Devanagari),
            ('ไ', Script::Thai),
            ('ລ', Script::Lao),
            ('မ', Script::Myanmar),
            ('ខ', Script::Khmer),
            ('한', Script::Hangul),
            ('の', Script::Kana),
            ('ｶ', Script::Kana),
            ('漢', Script::Han),
            ('𠀋', Script::Han),
        ];
        for (letter, script) in expected {
            assert_eq!(Script::of(letter), Some(script), "{letter}");
        }
    }

    #[test]
    fn shared_characters_have_no_script() {
        for shared in [' ', '7', '.', '\u{2019}', '\u{301}', '😀'] {
            assert_eq!(Script::of(shared), None, "{shared:?}");
        }
    }

    #[test]
    fn only_scripts_without_spaces_are_cut_into_pairs() {
        assert!(Script::Han.is_unspaced() && Script::Thai.is_unspaced());
        assert!(!Script::Hangul.is_unspaced() && !Script::Tibetan.is_unspaced());
    }
}
