//! Inline and void elements.

use html5ever::{LocalName, local_name};

/// Whether an element is phrasing content that does not break a line (HTML §3.2.5.2.5, and the
/// obsolete text-level elements). All other elements, including unknown ones, separate text.
pub fn is_inline(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("abbr")
            | local_name!("acronym")
            | local_name!("b")
            | local_name!("bdi")
            | local_name!("bdo")
            | local_name!("big")
            | local_name!("cite")
            | local_name!("code")
            | local_name!("data")
            | local_name!("del")
            | local_name!("dfn")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("img")
            | local_name!("ins")
            | local_name!("kbd")
            | local_name!("label")
            | local_name!("mark")
            | local_name!("nobr")
            | local_name!("output")
            | local_name!("q")
            | local_name!("rb")
            | local_name!("rp")
            | local_name!("rt")
            | local_name!("rtc")
            | local_name!("ruby")
            | local_name!("s")
            | local_name!("samp")
            | local_name!("small")
            | local_name!("span")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("sub")
            | local_name!("sup")
            | local_name!("time")
            | local_name!("tt")
            | local_name!("u")
            | local_name!("var")
            | local_name!("wbr")
    )
}

/// Whether an element never has content (HTML §13.1.2, and obsolete ones parsed in the same way).
pub fn is_void(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("basefont")
            | local_name!("bgsound")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("frame")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("keygen")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("param")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
    )
}

/// Whether an element is a heading of a section, `h1` to `h6`.
pub fn is_heading(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
    )
}
