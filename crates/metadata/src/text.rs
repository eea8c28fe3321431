//! String functions: entities, folding for comparison, words.

use std::borrow::Cow;

use terms::letters::is_alphanumeric;

use crate::chars::fold;

/// Plain text of a value that may contain entities (encoded once or twice) or markup: both are
/// resolved by the HTML parser itself, and white space is normalised.
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
        // With `<` hidden, the parser sees one run of text and only decodes it.
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

/// A word or short phrase, folded.
pub(crate) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    folded.extend(text.chars().filter_map(fold));
    folded
}

/// Letters and digits only, folded: common to all spellings of a name or headline.
pub(crate) fn squash(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    letters.extend(squashed(text));
    letters
}

/// The characters of [`squash`].
pub(crate) fn squashed(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| is_alphanumeric(*c)).filter_map(fold)
}

/// Whether [`squash`] would return `letters` for a text.
pub(crate) fn squashes_to(text: &str, letters: &str) -> bool {
    squashed(text).eq(letters.chars())
}

/// Number of words (runs without white space).
pub(crate) fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Whether the text contains a letter of a script written without spaces between words.
pub(crate) fn is_unspaced(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{e00}'..='\u{e7f}'))
}

/// The longest prefix of at most `limit` bytes.
pub(crate) fn clip(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit.min(text.len()))]
}

/// Calls `found` with each word of an identifier or class list, in ASCII lower case. Words end at
/// anything but letters, and at lower-to-upper boundaries (`entryDate` → `entry`, `date`). Words
/// longer than 16 letters are skipped.
#[inline]
pub(crate) fn identifier_words(value: &str, mut found: impl FnMut(&str)) {
    const LONGEST: usize = 16;
    let bytes = value.as_bytes();
    let mut at = 0;
    while let Some(gap) = bytes[at..].iter().position(u8::is_ascii_alphabetic) {
        let start = at + gap;
        let is_lower = |b: &&u8| b.is_ascii_lowercase();
        // Capitals occur only at the start: after a lower-case letter, a capital begins the next
        // word.
        let capitals = bytes[start..].iter().take_while(|b| b.is_ascii_uppercase()).count();
        at = start + capitals;
        at += bytes[at..].iter().take_while(is_lower).count();
        if at - start > LONGEST {
            continue;
        }
        if capitals == 0 {
            found(&value[start..at]);
        } else {
            let mut word = [0u8; LONGEST];
            let word = &mut word[..at - start];
            word.copy_from_slice(&bytes[start..at]);
            word.make_ascii_lowercase();
            found(std::str::from_utf8(word).unwrap_or_default());
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
        words.clear();
        let long = "pneumonoultramicroscopic";
        identifier_words(&format!("HTMLEntity {long} aB{long}é-Z"), |w| words.push(w.to_owned()));
        assert_eq!(words, ["htmlentity", "a", "z"]);
    }

    #[test]
    fn squashing_keeps_what_is_read() {
        assert_eq!(squash("PestiSrácok – hír!"), "pestisracokhir");
    }
}
