//! Hashes of words, to compare texts.

use xxhash_rust::xxh3::xxh3_64;

use crate::letters::{is_alphanumeric, lowercase};

/// The hashes of the words of a text: runs of letters and digits, without case. Letters of scripts that do not separate
/// words are words of their own. The flag says whether a word consists of digits.
pub fn hash_words(text: &str) -> impl Iterator<Item = (u64, bool)> + '_ {
    let mut rest = text;
    let mut word: Vec<u8> = Vec::new();
    std::iter::from_fn(move || {
        word.clear();
        loop {
            // Most letters are ASCII: whole runs of them at once.
            let run = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
            let (letters, others) = rest.split_at(run);
            let begun = word.len();
            word.extend_from_slice(letters.as_bytes());
            word[begun..].make_ascii_lowercase();
            rest = others;
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

/// Whether a letter is of a script without spaces between words: Thai, Lao, Khmer, Burmese, kana, Han.
fn is_unseparated(c: char) -> bool {
    // Few letters come this far.
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
