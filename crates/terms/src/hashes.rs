//! Hashes of words, to compare texts.

use xxhash_rust::xxh3::xxh3_64;

use crate::letters::{is_alphanumeric, lowercase};

/// The hashes of the words of a text: runs of letters and digits, ignoring case. Each letter of a script that does not separate
/// words is a word of its own. The flag says whether a word consists of digits.
pub fn hash_words(text: &str) -> impl Iterator<Item = (u64, bool)> + '_ {
    let mut rest = text;
    let mut word: Vec<u8> = Vec::new();
    std::iter::from_fn(move || {
        word.clear();
        loop {
            // Most characters are ASCII: skips a whole run of other signs and reads one of letters at once.
            let begins = |byte: &u8| !byte.is_ascii() || CLASSES[usize::from(*byte)] != 0;
            if word.is_empty() {
                rest = &rest[rest.as_bytes().iter().position(begins).unwrap_or(rest.len())..];
            }
            let bytes = rest.as_bytes();
            let (mut run, mut classes) = (0, 0);
            while let Some(class) = bytes.get(run).map(|byte| CLASSES[usize::from(*byte)])
                && class != 0
            {
                classes |= class;
                run += 1;
            }
            let (own, others) = rest.split_at(run);
            rest = others;
            // Most words are such a run, in lower case.
            let is_word =
                run > 0 && word.is_empty() && rest.bytes().next().is_none_or(|b| b.is_ascii());
            if is_word && classes & UPPER == 0 {
                return Some((xxh3_64(own.as_bytes()), classes == DIGIT));
            }
            word.extend(own.bytes().map(|byte| byte.to_ascii_lowercase()));
            let mut after = rest.chars();
            let Some(c) = after.next() else { break };
            let after = after.as_str();
            if !is_alphanumeric(c) {
                rest = after;
                if word.is_empty() {
                    continue;
                }
                break;
            }
            let is_word = is_unseparated(c);
            if is_word && !word.is_empty() {
                break;
            }
            rest = after;
            for c in lowercase(c) {
                word.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            if is_word {
                break;
            }
        }
        let is_number = word.iter().all(u8::is_ascii_digit);
        (!word.is_empty()).then(|| (xxh3_64(&word), is_number))
    })
}

/// Classes of the bytes of ASCII letters and digits.
const DIGIT: u8 = 1;
const LOWER: u8 = 2;
const UPPER: u8 = 4;
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < classes.len() {
        classes[at] = match at as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            _ => 0,
        };
        at += 1;
    }
    classes
};

/// Whether a letter is of a script without spaces between words: Thai, Lao, Khmer, Burmese, kana, Han.
fn is_unseparated(c: char) -> bool {
    // Fast path: most letters are below.
    c >= '\u{0e00}'
        && matches!(c,
        '\u{0e00}'..='\u{0eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_without_case_and_marks() {
        let words = |text: &str| hash_words(text).map(|(hash, _)| hash).collect::<Vec<_>>();
        assert_eq!(words("The ÉTUDE, of 1984."), words("the étude of (1984)"));
        assert_eq!(words("").len(), 0);
        assert_eq!(words("漢字 kana かな").len(), 5);
        let numbers: Vec<bool> = hash_words("In 1984, 3rd: 42").map(|(_, number)| number).collect();
        assert_eq!(numbers, [false, true, false, true]);
    }

    /// Whether a letter of the texts below is of a script without spaces.
    fn is_unseparated(c: char) -> bool {
        "ก漢かナー・".contains(c)
    }

    /// The words of a text, character by character.
    fn words_one_by_one(text: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        for c in text.chars() {
            let last = words.last_mut().unwrap();
            if c.is_alphanumeric() && !is_unseparated(c) {
                last.extend(c.to_lowercase());
            } else {
                words.extend(c.is_alphanumeric().then(|| c.to_string()));
                words.push(String::new());
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    proptest! {
        #[test]
        fn runs_of_ascii_are_words_as_all_others(text in r"[a-cA-C0-9 ,.'ÄßİéกΣ漢かナー・์\u{301}]{0,40}") {
            let words = words_one_by_one(&text);
            let expected: Vec<(u64, bool)> = words
                .iter()
                .map(|word| (xxh3_64(word.as_bytes()), word.bytes().all(|b| b.is_ascii_digit())))
                .collect();
            prop_assert_eq!(hash_words(&text).collect::<Vec<_>>(), expected);
        }
    }
}
