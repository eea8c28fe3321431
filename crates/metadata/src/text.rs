//! Small tools on strings: entities, folding for comparison, words.

use std::borrow::Cow;

/// Plain text of a value that may hold entities (once or twice encoded) or markup: both are
/// resolved by the HTML parser itself, white space is normalised.
pub(crate) fn plain(value: &str) -> String {
    let mut text = decode(value);
    if text.contains("</") || text.contains("<br") || text.contains("/>") {
        let document = dom::parse(&text);
        text = Cow::Owned(dom::text_of(&document, &[0], &[]));
    }
    dom::normalize_space(&text)
}

/// Character references resolved, at most twice (`&amp;#39;` is common).
fn decode(value: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(value);
    for _ in 0..2 {
        if !has_reference(&text) {
            break;
        }
        // With `<` hidden, the parser sees one run of text and does nothing but decode it.
        let document = dom::parse(&format!("<p>{}", text.replace('<', "&lt;")));
        text = Cow::Owned(document.text_content(0).to_owned());
    }
    text
}

fn has_reference(text: &str) -> bool {
    text.match_indices('&').any(|(at, _)| {
        let rest = &text.as_bytes()[at + 1..];
        let length = rest.iter().take(32).take_while(|b| b.is_ascii_alphanumeric() || **b == b'#');
        let length = length.count();
        length > 1 && rest.get(length) == Some(&b';')
    })
}

/// Lower-case without diacritics (Latin, Greek tonos); `None` for combining accents.
pub(crate) fn fold(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c.to_ascii_lowercase());
    }
    let lower = c.to_lowercase().next().unwrap_or(c);
    Some(match lower {
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

/// A word or short phrase, folded.
pub(crate) fn folded(text: &str) -> String {
    text.chars().filter_map(fold).collect()
}

/// Letters and digits only, folded: what two spellings of a name or headline have in common.
pub(crate) fn squash(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).filter_map(fold).collect()
}

/// Number of words (runs without white space).
pub(crate) fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Whether the text holds a letter of a script written without spaces between words.
pub(crate) fn is_unspaced(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{e00}'..='\u{e7f}'))
}

/// The longest prefix of at most `limit` bytes.
pub(crate) fn clip(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit.min(text.len()))]
}

/// Calls `found` with each word of an identifier or class list, ASCII lower-case: parts between
/// anything but letters, and at lower-to-upper boundaries (`entryDate` → `entry`, `date`).
pub(crate) fn identifier_words(value: &str, mut found: impl FnMut(&str)) {
    let mut word = [0u8; 16];
    let mut length = 0;
    let mut lower_before = false;
    for byte in value.bytes().chain([b' ']) {
        let starts_new = byte.is_ascii_uppercase() && lower_before;
        if (!byte.is_ascii_alphabetic() || starts_new) && length > 0 {
            if length <= word.len()
                && let Ok(text) = std::str::from_utf8(&word[..length])
            {
                found(text);
            }
            length = 0;
        }
        lower_before = byte.is_ascii_lowercase();
        if byte.is_ascii_alphabetic() {
            if let Some(slot) = word.get_mut(length) {
                *slot = byte.to_ascii_lowercase();
            }
            length += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_decoded_twice_at_most() {
        assert_eq!(plain("Tom &amp;amp; Jerry&#39;s"), "Tom & Jerry's");
        assert_eq!(plain("a <em>b</em>&nbsp;c"), "a b c");
        assert_eq!(plain("<table>: The Table element"), "<table>: The Table element");
        assert_eq!(plain("AT&T; R&D"), "AT&T; R&D");
    }

    #[test]
    fn identifiers_fall_into_words() {
        let mut words = Vec::new();
        identifier_words("entryDate post-2012_by__Line", |w| words.push(w.to_owned()));
        assert_eq!(words, ["entry", "date", "post", "by", "line"]);
    }

    #[test]
    fn squashing_keeps_what_is_read() {
        assert_eq!(squash("PestiSrácok – hír!"), "pestisracokhir");
    }
}
