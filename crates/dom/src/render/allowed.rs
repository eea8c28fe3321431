//! Which elements and attributes a fragment may have.

use html5ever::{LocalName, local_name};

use crate::{is_inline, is_void};

/// What an element becomes: itself where it stays, a `div` where it would still set its content
/// apart from what is around it, else nothing but its content.
pub(super) fn written_as(name: &LocalName) -> Option<&str> {
    match *name {
        _ if stays(name) => Some(name),
        local_name!("html") | local_name!("body") => None,
        _ if is_inline(name) || is_void(name) => None,
        _ => Some("div"),
    }
}

/// Elements that stay, sorted.
const STAY: [&str; 69] = [
    "a",
    "abbr",
    "address",
    "aside",
    "audio",
    "b",
    "bdi",
    "bdo",
    "blockquote",
    "br",
    "caption",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "picture",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "source",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];

fn stays(name: &LocalName) -> bool {
    STAY.binary_search(&&**name).is_ok()
}

/// Attributes that stay as they are, beside the links that are handled one by one.
pub(super) fn attribute_stays(element: &str, attribute: &str) -> bool {
    match attribute {
        "lang" | "dir" | "title" => true,
        "alt" | "width" | "height" => matches!(element, "img" | "video" | "source"),
        "colspan" | "rowspan" | "headers" | "scope" => matches!(element, "td" | "th"),
        "span" => matches!(element, "col" | "colgroup"),
        "datetime" => matches!(element, "time" | "ins" | "del"),
        "start" | "reversed" | "type" => element == "ol",
        "value" => element == "li",
        "controls" => matches!(element, "video" | "audio"),
        "media" | "sizes" => matches!(element, "source" | "img"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(STAY.is_sorted());
    }
}
