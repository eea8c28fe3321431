//! Numbers in texts, and letters without case and diacritics.

use terms::letters::{is_numeric, lowercase};

/// Whether a text contains a number.
pub(crate) fn has_number(text: &str) -> bool {
    // Without a branch per byte, so that the loop is vectorised.
    let digits = |bytes: &[u8]| bytes.iter().fold(false, |any, b| any | b.is_ascii_digit());
    text.as_bytes().chunks(64).any(digits)
        || (!text.is_ascii() && text.chars().any(|c| !c.is_ascii() && is_numeric(c)))
}

/// Lower-case without diacritics (Latin, Greek tonos); `None` for combining accents.
#[inline]
pub(crate) fn fold(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c.to_ascii_lowercase());
    }
    Some(match lowercase(c).next().unwrap_or(c) {
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
    fn numbers_are_found_in_any_script() {
        let long = "x".repeat(200);
        for number in ["7", "٣", "４", "½", "Ⅳ"] {
            assert!(has_number(number) && has_number(&format!("{long}{number}ä{long}")));
        }
        assert!(!has_number("") && !has_number(&long) && !has_number("Über 城 четыре"));
    }
}
