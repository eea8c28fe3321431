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
    text.chars().filter(|letter| !letter.is_whitespace()).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_count() {
        assert_eq!(letters(" a\u{a0}b\n\n城 "), 3);
    }
}
