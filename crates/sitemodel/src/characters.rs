//! Counts how much of a page is article and how much is boilerplate.

use dom::Document;
use model::{Article, CharacterCounts, Route};

/// Counts the characters of a page's text and of its article, without white space. Both are 0 if the article
/// was not taken from elements of the page.
pub(crate) fn character_counts(document: &Document, article: &Article) -> CharacterCounts {
    if document.is_empty() || matches!(article.route, Route::JsonLd | Route::Feed) {
        return CharacterCounts::default();
    }
    let all = characters(document.text_content(0));
    let kept = characters(&article.text) + characters(&article.comments);
    // Some text may be in the article and in the comments: limit the sum.
    CharacterCounts { pages: all, kept: kept.min(all) }
}

/// Characters of a text without white space.
fn characters(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut count = 0;
    for (piece, from) in bytes.chunks(PIECE).zip((0..).step_by(PIECE)) {
        // Without branches and with small integers, so that the compiler vectorises the loop.
        let begun = piece.iter().fold(0u8, |begun, &byte| {
            let is_space = (byte.wrapping_sub(b'\t') < 5) | (byte == b' ');
            let goes_on = byte & 0xc0 == 0x80;
            begun + u8::from(!is_space & !goes_on)
        });
        count += u64::from(begun);
        let may_be_wide =
            |any: u8, &byte: &u8| any | u8::from((byte == 0xc2) | (byte.wrapping_sub(0xe1) < 3));
        if piece.iter().fold(0u8, may_be_wide) != 0 {
            let begins = (from..from + piece.len()).filter(|&at| is_wide_space(&bytes[at..]));
            count -= begins.count() as u64;
        }
    }
    count
}

/// Number of bytes per step.
const PIECE: usize = 128;

/// Whether bytes start with non-ASCII white space.
fn is_wide_space(bytes: &[u8]) -> bool {
    matches!(
        *bytes,
        [0xc2, 0x85 | 0xa0, ..]
            | [0xe1, 0x9a, 0x80, ..]
            | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
            | [0xe2, 0x81, 0x9f, ..]
            | [0xe3, 0x80, 0x80, ..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_count() {
        assert_eq!(characters(" a\u{a0}b\n\n城 "), 3);
        let long: String = ('\0'..=char::MAX).collect();
        let counted = long.chars().filter(|letter| !letter.is_whitespace()).count();
        assert_eq!(characters(&long), counted as u64);
    }
}
