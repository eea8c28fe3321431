//! Names of elements: inline, void, headings; and their class names.

use html5ever::LocalName;

/// Whether an element is phrasing content that does not break a line (HTML §3.2.5.2.5, and the
/// obsolete text-level elements). All other elements, including unknown ones, separate text.
pub fn is_inline(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "a" "abbr" "acronym" "b" "bdi" "bdo" "big" "cite" "code" "data" "del" "dfn" "em"
            "font" "i" "img" "ins" "kbd" "label" "mark" "nobr" "output" "q" "rb" "rp" "rt" "rtc"
            "ruby" "s" "samp" "small" "span" "strike" "strong" "sub" "sup" "time" "tt" "u" "var"
            "wbr"
        )
    )
}

/// Whether an element never has content (HTML §13.1.2, and obsolete ones parsed in the same way).
pub fn is_void(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "area" "base" "basefont" "bgsound" "br" "col" "embed" "frame" "hr" "img" "input"
            "keygen" "link" "meta" "param" "source" "track" "wbr"
        )
    )
}

/// Whether an element is a heading of a section, `h1` to `h6`.
pub fn is_heading(name: &LocalName) -> bool {
    matches!(*name, local_names!("h1" "h2" "h3" "h4" "h5" "h6"))
}

/// The tokens of a `class` attribute (or any other space-separated one), in order.
pub fn class_tokens(value: &str) -> impl Iterator<Item = &str> {
    value.split_ascii_whitespace()
}
