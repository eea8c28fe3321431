//! Lengths of texts, for the papers that count characters or words.

use dom::{Document, NodeId, PrefixSums, local_name};

/// Number of visible characters of a text: a run of white space counts as one, none at either end.
pub(crate) fn length(text: &str) -> u32 {
    let mut length = 0;
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = true;
        } else {
            length += 1 + u32::from(space && length > 0);
            space = false;
        }
    }
    length
}

/// Whether a text is white space only.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Sums of [`length`] over text nodes.
pub(crate) fn lengths(document: &Document) -> PrefixSums {
    PrefixSums::new(document, |id| document.text(id).map_or(0, length))
}

/// Whether an element is a hyperlink: `<a href>`.
pub(crate) fn is_link(document: &Document, id: NodeId) -> bool {
    document.is(id, &local_name!("a")) && document.attribute(id, &local_name!("href")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_counts_once() {
        assert_eq!(length("  a \n b c\u{a0}"), 5);
        assert_eq!(length(" \n"), 0);
        assert_eq!(length("日本"), 2);
    }
}
