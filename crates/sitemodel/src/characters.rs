//! How much of a page is its article, and how much boilerplate.

use dom::Document;
use model::{Article, CharacterCounts, Route};

/// Counts the characters of a page's text and of what was kept of it, white space apart. Where the
/// text was not taken from the page's elements nothing can be said, and both are 0.
pub(crate) fn character_counts(document: &Document, article: &Article) -> CharacterCounts {
    if document.is_empty() || !matches!(article.route, Route::Wrapper | Route::PageWise) {
        return CharacterCounts::default();
    }
    let all = characters(document.text_content(0));
    let kept = characters(&article.text) + characters(&article.comments);
    // A text may be in the article and in the comments: more than all is all.
    CharacterCounts { pages: all, kept: kept.min(all) }
}

/// Characters of a text that are no white space.
fn characters(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut count = 0;
    for (piece, from) in bytes.chunks(PIECE).zip((0..).step_by(PIECE)) {
        // Without branches, and in numbers as small as they can be, many are counted at once.
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

/// Bytes looked at together.
const PIECE: usize = 128;

/// Whether bytes begin with white space that is not of ASCII.
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
