//! Letters and numbers as the standard library defines them, from a table: for characters beyond ASCII, the library
//! searches several tables for each.

use crate::chars::{CharacterKind, CharacterTable};

#[inline]
fn kind(c: char) -> CharacterKind {
    CharacterTable::get().of(c)
}

/// Whether a character is a letter: [`char::is_alphabetic`].
#[inline]
pub fn is_alphabetic(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { kind(c).is_alphabetic() }
}

/// Whether a character is a number: [`char::is_numeric`].
#[inline]
pub fn is_numeric(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { kind(c).is_numeric() }
}

/// Whether a character is a letter or a number: [`char::is_alphanumeric`].
#[inline]
pub fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { kind(c).is_alphanumeric() }
}

/// Whether a character is part of a word: a letter, a combining mark, or a joiner that shapes letters (U+200C, U+200D).
#[inline]
pub fn is_in_word(c: char) -> bool {
    is_alphabetic(c)
        || !c.is_ascii() && (crate::marks::is_mark(c) || matches!(c, '\u{200c}' | '\u{200d}'))
}

/// Whether a character is an upper-case letter: [`char::is_uppercase`].
#[inline]
pub fn is_uppercase(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_uppercase() } else { kind(c).is_uppercase() }
}

/// Whether [`char::to_lowercase`] gives anything but the character itself.
#[inline]
fn has_lowercase(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_uppercase() } else { kind(c).has_lowercase() }
}

/// The lower-case form of a character, of up to three: [`char::to_lowercase`].
#[inline]
pub fn lowercase(c: char) -> impl Iterator<Item = char> {
    let mapped = has_lowercase(c).then(|| c.to_lowercase());
    let own = mapped.is_none().then_some(c);
    own.into_iter().chain(mapped.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_the_library_says() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_alphabetic(c), c.is_alphabetic(), "{c:?}");
            assert_eq!(is_numeric(c), c.is_numeric(), "{c:?}");
            assert_eq!(is_alphanumeric(c), c.is_alphanumeric(), "{c:?}");
            assert_eq!(is_uppercase(c), c.is_uppercase(), "{c:?}");
            assert!(lowercase(c).eq(c.to_lowercase()), "{c:?}");
        }
    }
}
