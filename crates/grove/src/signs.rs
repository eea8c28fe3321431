//! Character features of a block, independent of language.

use terms::letters::{is_alphabetic, is_uppercase};

/// Counts of characters, and the punctuation at the start and end of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Signs {
    pub(crate) chars: u32,
    pub(crate) letters: u32,
    pub(crate) upper: u32,
    pub(crate) digits: u32,
    pub(crate) commas: u32,
    /// `|`, `»`, `›`, `·`, `•`, `/` and the like between items.
    pub(crate) separators: u32,
    pub(crate) quotes: u32,
    pub(crate) questions: u32,
    /// Signs of currencies.
    pub(crate) currency: u32,
    /// Sentence ends: `.`, `!`, `?`, `。` … before a space or the end.
    pub(crate) sentences: u32,
    /// A group of four digits that can be a year.
    pub(crate) year: bool,
    /// `@`, `©` or `http`.
    pub(crate) address: bool,
    pub(crate) begins: Begins,
    pub(crate) ends: Ends,
    /// A hash of the letters, without digits and punctuation: equal for equal texts.
    pub(crate) letters_hash: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Begins {
    Upper,
    Lower,
    Digit,
    #[default]
    Sign,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ends {
    /// `.`, `!`, `?` and the like, ignoring closing quotes after them.
    Sentence,
    /// `…` or `...`.
    Ellipsis,
    Colon,
    #[default]
    Other,
}

/// Reads the text nodes of a block. One pass.
pub(crate) fn signs<'a>(texts: impl Iterator<Item = &'a str>) -> Signs {
    let mut signs = Signs { letters_hash: 0xcbf2_9ce4_8422_2325, ..Signs::default() };
    let mut begun = false;
    // The last character other than a space, closing quote or closing bracket, and the dots before it.
    let mut last = ' ';
    let mut dots = 0u32;
    let mut pending_end = false;
    // The current run of digits: its length and its value.
    let mut run = (0u32, 0u32);
    for text in texts {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            // Fast path for most characters.
            if begun && byte.is_ascii_lowercase() {
                signs.year |= ends_year(&mut run);
                let from = at;
                while let Some(letter) = bytes.get(at).filter(|byte| byte.is_ascii_lowercase()) {
                    signs.letters_hash = with_letter(signs.letters_hash, char::from(*letter));
                    last = char::from(*letter);
                    at += 1;
                }
                signs.chars += (at - from) as u32;
                signs.letters += (at - from) as u32;
                (dots, pending_end) = (0, false);
                continue;
            }
            if matches!(byte, b' ' | b'\n') {
                signs.year |= ends_year(&mut run);
                signs.sentences += u32::from(std::mem::take(&mut pending_end));
                at += 1;
                continue;
            }
            let Some(c) = text[at..].chars().next() else { break };
            at += c.len_utf8();
            let letter = is_alphabetic(c);
            if begun && letter {
                signs.year |= ends_year(&mut run);
                signs.chars += 1;
                signs.letters += 1;
                signs.upper += u32::from(is_uppercase(c));
                signs.letters_hash = with_letter(signs.letters_hash, c);
                (last, dots, pending_end) = (c, 0, false);
                continue;
            }
            let digit = c.to_digit(10);
            if let Some(digit) = digit {
                run = (run.0 + 1, if run.0 < 4 { run.1 * 10 + digit } else { 0 });
            } else {
                signs.year |= ends_year(&mut run);
            }
            if c.is_whitespace() {
                signs.sentences += u32::from(std::mem::take(&mut pending_end));
                continue;
            }
            signs.chars += 1;
            let upper = letter && c.is_uppercase();
            if !begun && (letter || digit.is_some()) {
                begun = true;
                signs.begins = match (digit, upper, c.is_lowercase()) {
                    (Some(_), ..) => Begins::Digit,
                    (_, _, true) => Begins::Lower,
                    _ => Begins::Upper,
                };
            }
            if letter {
                signs.letters += 1;
                signs.upper += u32::from(upper);
                signs.letters_hash = with_letter(signs.letters_hash, c);
            }
            signs.digits += u32::from(digit.is_some());
            match c {
                ',' | '，' | '、' | '،' | ';' | '；' => signs.commas += 1,
                '|' | '»' | '›' | '·' | '•' | '/' | '«' | '‹' | '→' | '>' | '<' => {
                    signs.separators += 1
                }
                '?' | '？' | '؟' => signs.questions += 1,
                '"' | '“' | '”' | '„' | '「' | '」' | '‘' => signs.quotes += 1,
                '@' | '©' => signs.address = true,
                '$' | '€' | '£' | '¥' | '₹' | '₽' => signs.currency += 1,
                _ => {}
            }
            let closing = matches!(c, '"' | '”' | '»' | '\'' | '’' | ')' | ']' | '」' | '』' | '“');
            if !closing {
                let ends = is_end(c);
                dots = if c == '.' { dots + 1 } else { 0 };
                pending_end = ends;
                last = c;
                if matches!(c, '。' | '！' | '？') {
                    // Scripts without spaces.
                    signs.sentences += 1;
                    pending_end = false;
                }
            }
        }
    }
    signs.year |= ends_year(&mut run);
    signs.sentences += u32::from(pending_end);
    signs.ends = match last {
        '…' => Ends::Ellipsis,
        '.' if dots >= 3 => Ends::Ellipsis,
        ':' | '：' => Ends::Colon,
        c if is_end(c) => Ends::Sentence,
        _ => Ends::Other,
    };
    signs
}

/// Ends a run of digits, and returns whether it can be a year.
fn ends_year(run: &mut (u32, u32)) -> bool {
    let (digits, value) = std::mem::take(run);
    digits == 4 && (1900..2100).contains(&value)
}

fn with_letter(hash: u64, letter: char) -> u64 {
    (hash ^ u64::from(u32::from(letter))).wrapping_mul(0x0100_0000_01b3)
}

fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…' | '؟' | '।' | '۔')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Signs {
        signs(std::iter::once(text))
    }

    #[test]
    fn ends_and_beginnings() {
        assert_eq!(of("He said \"no.\" ").ends, Ends::Sentence);
        assert_eq!(of("Read on...").ends, Ends::Ellipsis);
        assert_eq!(of("Also:").ends, Ends::Colon);
        assert_eq!(of("他来了。").ends, Ends::Sentence);
        assert_eq!((of("“one").begins, of("3 x").begins), (Begins::Lower, Begins::Digit));
    }

    #[test]
    fn years_and_sentences() {
        assert!(of("May 2017").year && !of("12017 or 123").year);
        assert_eq!(of("One. Two! 3.14 three?").sentences, 3);
    }

    #[test]
    fn numbers_do_not_tell_texts_apart() {
        assert_eq!(of("12 comments").letters_hash, of("7 comments!").letters_hash);
        assert_ne!(of("comment").letters_hash, of("comments").letters_hash);
    }
}
