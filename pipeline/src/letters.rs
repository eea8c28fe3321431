//! How much of a page is its article, and how much the furniture of its site.

use dom::Document;
use model::{Article, Route};
use sink::Letters;

/// Counts the characters of a page's text and of what was kept of it, white space apart. Where the
/// text was not taken from the page's elements nothing can be said, and both are 0.
pub fn letters_of(document: &Document, article: &Article) -> Letters {
    if document.is_empty() || !matches!(article.route, Route::Wrapper | Route::PageWise) {
        return Letters::default();
    }
    let all = letters(document.text_content(0));
    let kept = letters(&article.text) + letters(&article.comments);
    // A text may be in the article and in the comments: more than all is all.
    Letters { all, kept: kept.min(all) }
}

/// Characters of a text that are no white space.
fn letters(text: &str) -> u64 {
    // In pieces: most are of one byte a letter, and counted many at once.
    let mut count = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(rest.len().min(PIECE)));
        count += if piece.is_ascii() {
            piece.bytes().filter(|byte| !matches!(byte, b'\t'..=b'\r' | b' ')).count()
        } else {
            piece.chars().filter(|letter| !letter.is_whitespace()).count()
        };
        rest = after;
    }
    count as u64
}

/// Bytes looked at together.
const PIECE: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_count() {
        assert_eq!(letters(" a\u{a0}b\n\n城 "), 3);
        let long: String = (0..0x250u32).filter_map(char::from_u32).collect();
        let counted = long.chars().filter(|letter| !letter.is_whitespace()).count();
        assert_eq!(letters(&long), counted as u64);
    }
}
