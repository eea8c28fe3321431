//! The direction of writing.

/// Whether most letters of a text are of scripts that are written from right to left.
pub fn is_right_to_left(text: &str) -> bool {
    let mut balance = 0_i64;
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        balance += if is_of_right_to_left(c) { 1 } else { -1 };
    }
    balance > 0
}

/// Whether a letter is of Hebrew, Arabic, Syriac, Thaana, N'Ko and their like (Unicode, DerivedBidiClass: R and AL).
fn is_of_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}
