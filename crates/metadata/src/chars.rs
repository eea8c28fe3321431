//! Character classes, decided by Unicode range for most scripts. Only for the others are the tables
//! of the standard library searched.

/// Whether a character is a number, as defined by [`char::is_numeric`].
#[inline]
pub(crate) fn is_numeric(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => c.is_ascii_digit(),
        // Latin, Greek, Cyrillic, Armenian, Hebrew; kana; Han; Hangul.
        '\u{c0}'..='\u{65f}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' => false,
        _ => c.is_numeric(),
    }
}

/// Whether a text contains a number.
pub(crate) fn has_number(text: &str) -> bool {
    // Without a branch per byte, so that the loop is vectorised.
    let digits = |bytes: &[u8]| bytes.iter().fold(false, |any, b| any | b.is_ascii_digit());
    text.as_bytes().chunks(64).any(digits)
        || (!text.is_ascii() && text.chars().any(|c| !c.is_ascii() && is_numeric(c)))
}

/// Whether a character is a letter or a number, as defined by [`char::is_alphanumeric`].
#[inline]
pub(crate) fn is_alphanumeric(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && (is_alphabetic(c) || is_numeric(c)))
}

/// Whether a character is a letter, as defined by [`char::is_alphabetic`].
#[inline]
pub(crate) fn is_alphabetic(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => c.is_ascii_alphabetic(),
        '\u{d7}' | '\u{f7}' => false,
        '\u{c0}'..='\u{24f}'
        | '\u{400}'..='\u{481}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => true,
        _ => c.is_alphabetic(),
    }
}

/// The first character of the lower-case form.
#[inline]
fn lower(c: char) -> char {
    match c {
        '\0'..='\u{7f}' => c.to_ascii_lowercase(),
        // Scripts without cases: from Hebrew to Myanmar; kana, Han and Yi; Hangul.
        '\u{590}'..='\u{109f}' | '\u{2e80}'..='\u{a63f}' | '\u{ac00}'..='\u{d7ff}' => c,
        'а'..='џ' => c,
        _ => c.to_lowercase().next().unwrap_or(c),
    }
}

/// Lower-case without diacritics (Latin, Greek tonos); `None` for combining accents.
#[inline]
pub(crate) fn fold(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c.to_ascii_lowercase());
    }
    Some(match lower(c) {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'ĉ' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ğ' | 'ģ' => 'g',
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' => 'i',
        'ł' | 'ľ' | 'ĺ' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ŕ' | 'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ţ' | 'ț' => 't',
        'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' => 'υ',
        'ώ' => 'ω',
        '\u{300}'..='\u{36f}' => return None,
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_say_what_the_tables_of_the_library_say() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_numeric(c), c.is_numeric(), "{c:?}");
            assert_eq!(is_alphabetic(c), c.is_alphabetic(), "{c:?}");
            assert_eq!(is_alphanumeric(c), c.is_alphanumeric(), "{c:?}");
            assert_eq!(Some(lower(c)), c.to_lowercase().next(), "{c:?}");
        }
    }

    #[test]
    fn numbers_are_found_in_any_script() {
        let long = "x".repeat(200);
        for number in ["7", "٣", "４", "½", "Ⅳ"] {
            assert!(has_number(number) && has_number(&format!("{long}{number}ä{long}")));
        }
        assert!(!has_number("") && !has_number(&long) && !has_number("Über 城 четыре"));
    }
}
