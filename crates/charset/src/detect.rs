//! Guesses the encoding of bytes that are not UTF-8, and how reliable the guess is.
//!
//! chardetng is all or nothing: one byte that is invalid in an encoding excludes that encoding, and a
//! guess comes without a confidence. So the words of a page are distributed over a few parts, and
//! each part has a vote: a stray byte affects only one part, and a guess that all parts share is
//! unlikely to be a coincidence.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, IBM866, ISO_8859_2, ISO_8859_4, ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8,
    ISO_8859_8_I, ISO_8859_13, ISO_8859_15, KOI8_R, KOI8_U, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
    WINDOWS_1258,
};

use crate::language::Habits;

/// Number of bytes of words that the detector reads.
const SAMPLE: usize = 8 << 10;

/// Number of parts that vote, if there are enough words.
const PARTS: usize = 5;

/// Encodings by script, for scripts that have several.
const SCRIPTS: [&[&Encoding]; 5] = [
    &[
        WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257, WINDOWS_1258, ISO_8859_2,
        ISO_8859_4, ISO_8859_13, ISO_8859_15,
    ],
    &[WINDOWS_1251, KOI8_R, KOI8_U, IBM866, ISO_8859_5],
    &[WINDOWS_1253, ISO_8859_7],
    &[WINDOWS_1255, ISO_8859_8, ISO_8859_8_I],
    &[WINDOWS_1256, ISO_8859_6],
];

/// Whether two encodings are for the same script.
pub(crate) fn same_script(one: &'static Encoding, other: &'static Encoding) -> bool {
    one == other || SCRIPTS.iter().any(|script| script.contains(&one) && script.contains(&other))
}

/// A guess at the encoding of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Guess {
    pub(crate) encoding: &'static Encoding,
    /// The guesses for the parts of the words.
    votes: Vec<&'static Encoding>,
}

impl Guess {
    /// The numbers of votes for the guess and against it, compared with a declaration. If the declared encoding is for
    /// another script, all votes for the script of the guess count.
    pub(crate) fn votes_against(&self, declared: &'static Encoding) -> (usize, usize) {
        let other_script = !same_script(declared, self.encoding);
        let agrees = |vote: &&&'static Encoding| {
            **vote == self.encoding || other_script && same_script(vote, self.encoding)
        };
        let votes = self.votes.iter().filter(agrees).count();
        (votes, self.votes.len() - votes)
    }
}

/// Guesses from the non-ASCII words. Text in Latin script is often mistaken for windows-1252, so the
/// language of the text is considered, too.
pub(crate) fn detect(words: &[&[u8]], habits: &Habits<'_>) -> Guess {
    let guess = vote(words, habits.domain());
    if !same_script(guess.encoding, WINDOWS_1252) {
        return guess;
    }
    let is_unanimous = guess.votes.iter().all(|vote| *vote == guess.encoding);
    match habits.of_text() {
        Some(text) if !(text.is_western && is_unanimous) => vote(words, Some(text.domain)),
        _ => guess,
    }
}

fn vote(words: &[&[u8]], domain: Option<&str>) -> Guess {
    let whole = guess_encoding(words.iter(), domain);
    let parts = words.len().min(PARTS);
    let votes: Vec<_> = (0..parts)
        .map(|part| guess_encoding(words.iter().skip(part).step_by(PARTS), domain))
        .collect();
    let votes_for = |encoding| votes.iter().filter(|vote| **vote == encoding).count();
    // If most parts agree, they overrule the guess for all words, which a stray byte may have
    // spoilt.
    let most = votes.iter().copied().find(|vote| 2 * votes_for(*vote) > PARTS).unwrap_or(whole);
    let encoding = if votes_for(whole) == 0 { most } else { whole };
    if encoding == WINDOWS_1252 && is_latin_9(words) {
        let latin_9 = |vote| if vote == WINDOWS_1252 { ISO_8859_15 } else { vote };
        return Guess { encoding: ISO_8859_15, votes: votes.into_iter().map(latin_9).collect() };
    }
    Guess { encoding, votes }
}

/// Whether text that looks like windows-1252 contains the characters of ISO-8859-15, which the
/// detector does not know: a fraction inside a word is an `œ`.
fn is_latin_9(words: &[&[u8]]) -> bool {
    let letters = |word: &&[u8]| {
        word.windows(3).any(|w| {
            w[0].is_ascii_alphabetic() && matches!(w[1], 0xbc | 0xbd) && w[2].is_ascii_alphabetic()
        }) || matches!(word, [0xbc | 0xbd, b'u' | b'U', ..])
    };
    let only_of_windows = |word: &&[u8]| word.iter().any(|byte| (0x80..0xa0).contains(byte));
    words.iter().any(letters) && !words.iter().any(only_of_windows)
}

/// Guesses from words. `domain` is a top-level domain in lower-case ASCII without a period, which indicates the encodings
/// usual in a country.
pub(crate) fn guess_encoding<'a>(
    words: impl Iterator<Item = &'a &'a [u8]>,
    domain: Option<&str>,
) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for word in words {
        detector.feed(b" ", false);
        detector.feed(word, false);
    }
    detector.guess(domain.map(str::as_bytes), Utf8Detection::Deny)
}

/// The words with non-ASCII bytes, as many as the detector reads. White space and angle brackets end a
/// word, since they are not part of a character in any of the guessed encodings.
pub(crate) fn non_ascii_words(bytes: &[u8]) -> Vec<&[u8]> {
    let mut room = SAMPLE;
    bytes
        .split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'>'))
        .filter(|word| !word.is_ascii())
        // A cut inside a word may split a character; only the first word can be too long.
        .map(|word| &word[..word.len().min(SAMPLE)])
        .take_while(|word| {
            let left = room.checked_sub(word.len());
            room = left.unwrap_or(0);
            left.is_some()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use encoding_rs::EUC_KR;

    use super::*;

    #[test]
    fn no_character_is_cut() {
        for first in 0..3 {
            let text = format!("{} {}", "x".repeat(first), "가나다라마 ".repeat(2000));
            let (bytes, ..) = EUC_KR.encode(&text);
            let words = non_ascii_words(&bytes);
            assert!(words.len() > 500);
            assert!(words.iter().all(|word| word.len() == 10));
            assert_eq!(guess_encoding(words.iter(), None), EUC_KR);
        }
        let (bytes, ..) = EUC_KR.encode("가");
        let long = [b"x".as_slice(), &bytes.repeat(SAMPLE)].concat();
        assert_eq!(guess_encoding(non_ascii_words(&long).iter(), None), EUC_KR);
    }
}
