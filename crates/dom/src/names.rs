//! Classifies names of elements (inline, block, void, heading) and splits class attributes.

use html5ever::LocalName;

/// Whether an element of this name never breaks a line: phrasing content that only holds text (HTML §3.2.5.2.5), and the obsolete
/// text-level elements. For other elements, [`Document::is_inline`](crate::Document::is_inline) decides by their surroundings.
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

/// Whether an element of this name always breaks the line: elements that browsers show as blocks or parts of tables (HTML §15.3),
/// media and controls, and elements that show nothing.
pub(crate) fn is_block(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "address" "article" "aside" "audio" "blockquote" "body" "br" "caption" "center" "col"
            "colgroup" "dd" "details" "dialog" "dir" "div" "dl" "dt" "embed" "fieldset"
            "figcaption" "figure" "footer" "form" "frame" "frameset" "h1" "h2" "h3" "h4" "h5" "h6"
            "head" "header" "hgroup" "hr" "html" "iframe" "input" "legend" "li" "listing" "main"
            "menu" "nav" "noframes" "noscript" "object" "ol" "optgroup" "option" "p" "plaintext"
            "pre" "script" "section" "select" "style" "summary" "svg" "table" "tbody" "td"
            "template" "textarea" "tfoot" "th" "thead" "title" "tr" "ul" "video" "xmp"
        )
    ) || is_void(name) && !is_inline(name)
}

/// Whether an element never has content (HTML §13.1.2, and obsolete elements parsed in this way).
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

pub(crate) fn heading_level(name: &LocalName) -> Option<u8> {
    is_heading(name).then(|| name.as_bytes()[1] - b'0')
}

/// The tokens of a `class` attribute (or any other space-separated one), in order.
pub fn class_tokens(value: &str) -> impl Iterator<Item = &str> {
    value.split_ascii_whitespace()
}
