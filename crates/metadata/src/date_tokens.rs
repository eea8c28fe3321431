//! Splits text into the numbers, words and signs that make up dates and times.

use terms::letters::is_alphabetic;

/// A number, a word or a sign of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    /// Byte offset of its start.
    pub(crate) at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number(u32),
    Word,
    Sign(char),
}

/// The numbers, words and signs of a text, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let class = class(c);
        let mut end = at + c.len_utf8();
        if class != 2 {
            while let Some((next, _)) = chars.next_if(|(_, c)| self::class(*c) == class) {
                end = next + text[next..].chars().next().map_or(1, char::len_utf8);
            }
        }
        let piece = &text[at..end];
        let kind = match class {
            0 if piece.chars().count() <= 9 => {
                Kind::Number(piece.chars().fold(0, |n, c| n * 10 + digit(c).unwrap_or(0)))
            }
            2 => Kind::Sign(c),
            _ => Kind::Word,
        };
        tokens.push(Token { kind, text: piece, at });
    }
    tokens
}

/// 0 digit, 1 letter, 2 anything else; CJK date marks are tokens of their own.
fn class(c: char) -> u8 {
    match c {
        _ if digit(c).is_some() => 0,
        '年' | '月' | '日' | '년' | '월' | '일' => 2,
        'º' | 'ª' => 2,
        _ if is_alphabetic(c) || c == '\u{301}' => 1,
        _ => 2,
    }
}

/// Whether a text may contain a digit that is supported here: an ASCII one, or a character with the
/// same first byte as one of the others.
pub(crate) fn may_have_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit() || matches!(b, 0xd9 | 0xdb | 0xef))
}

fn digit(c: char) -> Option<u32> {
    match c {
        '0'..='9' => c.to_digit(10),
        '\u{660}'..='\u{669}' => Some(c as u32 - 0x660),
        '\u{6f0}'..='\u{6f9}' => Some(c as u32 - 0x6f0),
        '\u{ff10}'..='\u{ff19}' => Some(c as u32 - 0xff10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_digits_are_looked_at() {
        for c in ('\0'..=char::MAX).filter(|c| digit(*c).is_some()) {
            assert!(may_have_digit(&c.to_string()), "{c:?}");
        }
        assert!(!may_have_digit("May the fourth"));
    }
}
