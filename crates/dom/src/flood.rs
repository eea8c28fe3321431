//! Detects start tags with an excessive number of attributes while they are being tokenized.
//!
//! html5ever compares each new attribute of a tag with all previous ones, so 100,000 attributes on one tag (700 KB) take seconds.
//! The page is fed to the tokenizer in pieces. Only if a whole piece gave no token, because of a very long tag or comment, is the
//! tag also read here.

/// The position of the reader in a tag (the states of HTML §13.2.5.8 and §13.2.5.32–39).
#[derive(Clone, Copy, PartialEq, Eq)]
enum TagState {
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    /// In a value quoted by this byte, or unquoted (0).
    Value(u8),
    /// At the closing `>`, or at something that is not a tag.
    Ended,
}

/// Reads one tag, piece by piece.
pub(crate) struct TagReader {
    at: usize,
    state: TagState,
    attributes: u32,
    max_attributes: u32,
}

impl TagReader {
    /// Starts at the first `<` at or after `from`; it is a tag only if a letter follows.
    pub(crate) fn new(html: &[u8], from: usize, max_attributes: u32) -> Self {
        let at = memchr::memchr(b'<', &html[from..]).map_or(html.len(), |i| from + i);
        let name = match html.get(at + 1) {
            Some(b'/') => html.get(at + 2),
            first => first,
        };
        let is_tag = name.is_some_and(u8::is_ascii_alphabetic);
        let state = if is_tag { TagState::TagName } else { TagState::Ended };
        // After `<` or `</`, so that this slash is not taken for one that ends the name.
        Self { at: at + 2, state, attributes: 0, max_attributes }
    }

    /// Reads on to `to`, up to which html5ever has been fed. If the tag has too many attributes by
    /// then, returns the end of the current attribute and the position of the tag's `>`.
    pub(crate) fn flood(&mut self, html: &[u8], to: usize) -> Option<(usize, usize)> {
        while self.at < to && self.state != TagState::Ended {
            self.step(html[self.at]);
        }
        if self.attributes <= self.max_attributes || self.state == TagState::Ended {
            return None;
        }
        let between =
            |state| matches!(state, TagState::BeforeName | TagState::AfterName | TagState::Ended);
        while !between(self.state) && self.at < html.len() {
            self.step(html[self.at]);
        }
        let cut = self.at;
        while self.state != TagState::Ended && self.at < html.len() {
            self.step(html[self.at]);
        }
        Some((cut, self.at))
    }

    /// Reads one byte; stays at the `>`.
    fn step(&mut self, byte: u8) {
        let space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c');
        self.state = match (self.state, byte) {
            (TagState::Value(quote), _) if quote != 0 && byte == quote => TagState::BeforeName,
            (TagState::Value(quote), _) if quote != 0 => self.state,
            (_, b'>') => TagState::Ended,
            (TagState::Ended, _) => TagState::Ended,
            (TagState::Value(_), _) if space => TagState::BeforeName,
            (TagState::Value(_), _) => self.state,
            (TagState::BeforeValue, b'"' | b'\'') => TagState::Value(byte),
            (TagState::BeforeValue, _) if space => TagState::BeforeValue,
            (TagState::BeforeValue, _) => TagState::Value(0),
            (_, b'/') => TagState::BeforeName,
            (TagState::TagName | TagState::BeforeName, _) if space => TagState::BeforeName,
            (TagState::TagName, _) => TagState::TagName,
            (TagState::Name | TagState::AfterName, b'=') => TagState::BeforeValue,
            (TagState::Name | TagState::AfterName, _) if space => TagState::AfterName,
            (TagState::Name, _) => TagState::Name,
            (TagState::AfterName | TagState::BeforeName, _) => {
                self.attributes += 1;
                TagState::Name
            }
        };
        if self.state != TagState::Ended {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flood(html: &str) -> Option<&str> {
        let mut reader = TagReader::new(html.as_bytes(), 0, 1024);
        let (from, to) = reader.flood(html.as_bytes(), html.len() / 2)?;
        Some(&html[from..to])
    }

    #[test]
    fn tags_with_many_attributes_are_cut_between_two() {
        let many = "a='>' b=\"x y\"c d=e/f=g h ".repeat(500);
        let page = format!("text<p {many}>after");
        let left = flood(&page).unwrap();
        assert!(left.len() > 5000 && left.len() < many.len() / 2 + 30, "{}", left.len());
        assert!(many.ends_with(left));
        assert!(flood(&format!("</p/{many}")).is_some(), "also of end tags, and to the end");
        let bare = "a ".repeat(5000);
        assert_eq!(flood(&format!("<p {bare}>")).map(str::len), Some(5000));
    }

    #[test]
    fn long_values_and_comments_are_not_cut() {
        let long = "a b=c ".repeat(5000);
        assert_eq!(flood(&format!("<p title='{long}'>")), None);
        assert_eq!(flood(&format!("<p title={}>", "a/b".repeat(5000))), None);
        assert_eq!(flood(&format!("<!-- {long}-->")), None);
        assert_eq!(flood(&format!("< {long}>")), None);
    }
}
