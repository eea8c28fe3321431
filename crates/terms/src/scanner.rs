//! Splits a text into raw tokens, as written: the definition of a word that all terms are based on.
//!
//! A word is a maximal run of letters and digits with their combining marks. An apostrophe between
//! two of them is removed ("don't" → "dont"), or, for languages with elision (French "l'homme"),
//! ends the word. Invisible joiners and soft hyphens are removed. A run of a script without spaces
//! gives its overlapping pairs of characters, or its single character.
//!
//! No token is dropped for its length here, so that positions do not depend on filters.

use crate::chars::{CharacterTable, Class, char_at};

/// Whether a byte is an ASCII letter or digit: one look-up instead of three comparisons.
static WORD_BYTES: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut at = 0;
    while at < 128 {
        bytes[at] = (at as u8).is_ascii_alphanumeric();
        at += 1;
    }
    bytes
};

/// The effect of an apostrophe between two letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Apostrophe {
    /// It is removed, and the halves become one word.
    Joins,
    /// It separates two words.
    Splits,
}

/// The position of a raw token in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenSpan {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Whether the token is exactly this slice; otherwise characters inside it were removed.
    clean: bool,
}

/// Walks over a text, token by token.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    kinds: &'static CharacterTable,
    apostrophe: Apostrophe,
    at: usize,
    /// Start and end of the last character of the previous pair, while its run may continue.
    run: Option<(usize, usize)>,
    /// The last token, if its span was not clean.
    joined: String,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, apostrophe: Apostrophe) -> Self {
        let kinds = CharacterTable::get();
        Self { text, kinds, apostrophe, at: 0, run: None, joined: String::new() }
    }

    /// The token of the span that [`Scanner::next`] returned last.
    pub(crate) fn word(&self, span: TokenSpan) -> &str {
        if span.clean { &self.text[span.from..span.to] } else { &self.joined }
    }

    pub(crate) fn next(&mut self) -> Option<TokenSpan> {
        if let Some(last) = self.run.take()
            && let Some(next) = self.unspaced_after(last.1)
        {
            return Some(self.pair(last, next));
        }
        let bytes = self.text.as_bytes();
        loop {
            // Of the first 128 characters, only letters and digits begin words.
            let begins = |byte: &u8| WORD_BYTES[usize::from(*byte)] || !byte.is_ascii();
            self.at += bytes.get(self.at..)?.iter().position(begins)?;
            let from = self.at;
            if bytes[from].is_ascii() {
                self.at += 1;
                return Some(self.word_from(from));
            }
            let (class, end) = self.class_at(self.at)?;
            self.at = end;
            match class {
                Class::Word => return Some(self.word_from(from)),
                Class::Unspaced => {
                    return Some(match self.unspaced_after(end) {
                        Some(next) => self.pair((from, end), next),
                        None => TokenSpan { from, to: end, clean: true },
                    });
                }
                Class::Separator | Class::Mark | Class::Apostrophe | Class::Joiner => {}
            }
        }
    }

    /// Reads to the end of the word that begins at `from`.
    fn word_from(&mut self, from: usize) -> TokenSpan {
        let mut piece = from;
        let mut clean = true;
        let bytes = self.text.as_bytes();
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let ends = |byte: &u8| !WORD_BYTES[usize::from(*byte)];
            self.at += rest.iter().position(ends).unwrap_or(rest.len());
            if bytes.get(self.at).is_none_or(|byte| byte.is_ascii() && *byte != b'\'') {
                break;
            }
            match self.class_at(self.at) {
                Some((Class::Word | Class::Mark, end)) => self.at = end,
                Some((Class::Apostrophe | Class::Joiner, _)) => {
                    let Some(resume) = self.resume(self.at) else { break };
                    if clean {
                        self.joined.clear();
                        clean = false;
                    }
                    self.joined.push_str(&self.text[piece..self.at]);
                    piece = resume;
                    self.at = resume;
                }
                _ => break,
            }
        }
        if !clean {
            self.joined.push_str(&self.text[piece..self.at]);
        }
        TokenSpan { from, to: self.at, clean }
    }

    /// Where the word continues after joiners and at most one apostrophe; `None` if it does not.
    fn resume(&self, mut at: usize) -> Option<usize> {
        let mut apostrophes = 0;
        loop {
            let (class, end) = self.class_at(at)?;
            match class {
                Class::Joiner => {}
                Class::Apostrophe if self.apostrophe == Apostrophe::Joins && apostrophes == 0 => {
                    apostrophes = 1;
                }
                Class::Word => return Some(at),
                Class::Mark if apostrophes == 0 => return Some(at),
                _ => return None,
            }
            at = end;
        }
    }

    /// The next character of a run without spaces, if the run continues at `at`.
    fn unspaced_after(&self, mut at: usize) -> Option<(usize, usize)> {
        loop {
            match self.class_at(at)? {
                (Class::Unspaced, end) => return Some((at, end)),
                (Class::Joiner, end) => at = end,
                _ => return None,
            }
        }
    }

    fn pair(&mut self, first: (usize, usize), second: (usize, usize)) -> TokenSpan {
        self.at = second.1;
        self.run = Some(second);
        let clean = first.1 == second.0;
        if !clean {
            self.joined.clear();
            self.joined.push_str(&self.text[first.0..first.1]);
            self.joined.push_str(&self.text[second.0..second.1]);
        }
        TokenSpan { from: first.0, to: second.1, clean }
    }

    /// The class of the character at byte `at`, and the end of that character.
    #[inline]
    fn class_at(&self, at: usize) -> Option<(Class, usize)> {
        let c = char_at(self.text, at)?;
        Some((self.kinds.of(c).class(), at + c.len_utf8()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(text: &str, apostrophe: Apostrophe) -> Vec<String> {
        let mut scanner = Scanner::new(text, apostrophe);
        let mut tokens = Vec::new();
        while let Some(span) = scanner.next() {
            tokens.push(scanner.word(span).to_owned());
        }
        tokens
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(tokens(text, Apostrophe::Joins), expected, "{text:?}");
    }

    #[test]
    fn words_numbers_and_punctuation() {
        check(
            "The 2 quick-brown foxes_ran, 3.5 km!",
            &["The", "2", "quick", "brown", "foxes", "ran", "3", "5", "km"],
        );
        check("", &[]);
        check("… – '' \u{301}", &[]);
    }

    #[test]
    fn apostrophes_join_or_split() {
        check(
            "don't Don’t rock'n'roll 'quoted' dogs' a''b",
            &["dont", "Dont", "rocknroll", "quoted", "dogs", "a", "b"],
        );
        assert_eq!(tokens("l'homme d’État", Apostrophe::Splits), ["l", "homme", "d", "État"]);
    }

    #[test]
    fn marks_and_joiners_stay_in_the_word() {
        check(
            "cafe\u{301} हिन्दी Bundes\u{ad}kanzler می\u{200c}خواهم",
            &["cafe\u{301}", "हिन्दी", "Bundeskanzler", "میخواهم"],
        );
        check("❤\u{fe0f} 1\u{fe0f}\u{20e3}", &["1"]);
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        check("北京大学。", &["北京", "京大", "大学"]);
        check("中 a文b 東\u{200d}京", &["中", "a", "文", "b", "東京"]);
        check("ภาษา", &["ภา", "าษ", "ษา"]);
        check("한국어 문서", &["한국어", "문서"]);
    }

    proptest! {
        #[test]
        fn spans_advance_and_never_panic(text in r"[\PC'’\u{ad}\u{200d}\u{301}中กa ]{0,60}") {
            let mut scanner = Scanner::new(&text, Apostrophe::Joins);
            let mut last = (0, 0);
            while let Some(span) = scanner.next() {
                prop_assert!(span.from >= last.0 && span.to > last.1 && span.to <= text.len());
                prop_assert!(!scanner.word(span).is_empty());
                last = (span.from, span.to);
            }
        }
    }
}
