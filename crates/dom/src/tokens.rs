//! Runs the tokenizer alone: a lower bound on the time of a parse.

use html5ever::local_name;

use crate::front::{self, Content, FrontToken, TokenTaker};

/// Counts the tokens of a page (tags, comments, doctypes, pieces of text, the end) without building a tree. How to read the
/// content after a start tag depends on its name alone, as in a page without foreign elements. NUL counts as text.
pub fn count_tokens(html: &str) -> u64 {
    let mut counter = Counter(0);
    front::read(&front::with_line_feeds(html), &mut counter, usize::MAX);
    counter.0
}

struct Counter(u64);

impl TokenTaker for Counter {
    /// Returns the same as the tree builder (WHATWG HTML §13.2.6.4, scripting off).
    #[inline(always)]
    fn take(&mut self, token: FrontToken<'_>) -> Content {
        self.0 += 1;
        let FrontToken::Start(tag) = token else { return Content::Markup };
        match tag.name {
            local_name!("script") => Content::Script,
            local_names!("style" "xmp" "iframe" "noembed" "noframes") => Content::RawText,
            local_names!("title" "textarea") => Content::EscapableText,
            local_name!("plaintext") => Content::Plaintext,
            _ => Content::Markup,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::count_tokens;

    #[test]
    fn each_token_is_counted() {
        // Doctype, title with text, p with text and break, comment, script with text, end.
        let page = "<!doctype html><title>a</title><p>b<br>c<!-- d --><script>'<p>'</script>";
        assert_eq!(count_tokens(page), 13);
        assert_eq!(count_tokens(""), 1);
    }
}
