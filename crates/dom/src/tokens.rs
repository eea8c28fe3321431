//! The tokenizer alone: a lower bound on the time of a parse.

use html5ever::{LocalName, local_name};

use crate::front::{self, Content, StartTag, TokenTaker};

/// Counts the tokens of a page (tags, comments, doctypes, pieces of text, the end) without building
/// a tree. What follows a start tag is read by its name alone, as in a page without foreign elements. NUL counts as text.
pub fn count_tokens(html: &str) -> u64 {
    let mut counter = Counter(0);
    front::read(&front::with_line_feeds(html), &mut counter, usize::MAX);
    counter.0
}

struct Counter(u64);

impl TokenTaker for Counter {
    /// The tree builder's answer to a tag (WHATWG HTML §13.2.6.4, scripting off).
    fn start(&mut self, tag: &StartTag<'_>) -> Content {
        self.0 += 1;
        match tag.name {
            local_name!("script") => Content::Script,
            local_names!("style" "xmp" "iframe" "noembed" "noframes") => Content::RawText,
            local_names!("title" "textarea") => Content::EscapableText,
            local_name!("plaintext") => Content::Plaintext,
            _ => Content::Markup,
        }
    }

    fn end(&mut self, _: &LocalName) {
        self.0 += 1;
    }

    fn text(&mut self, _: &str) {
        self.0 += 1;
    }

    fn comment(&mut self) {
        self.0 += 1;
    }

    fn doctype(&mut self, _: &str) {
        self.0 += 1;
    }

    fn finish(&mut self) {
        self.0 += 1;
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
