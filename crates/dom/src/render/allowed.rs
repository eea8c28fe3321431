//! The elements and attributes allowed in a fragment.

use html5ever::{LocalName, local_name};

use crate::{is_inline, is_void};

/// The tag an element is written as: its own if it is allowed, `div` if it would otherwise no
/// longer be separated from its surroundings; `None` if only its content is written.
pub(super) fn written_as(name: &LocalName) -> Option<&str> {
    match *name {
        _ if stays(name) => Some(name),
        local_name!("html") | local_name!("body") => None,
        _ if is_inline(name) || is_void(name) => None,
        _ => Some("div"),
    }
}

/// Whether an element is allowed.
fn stays(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("abbr")
            | local_name!("address")
            | local_name!("aside")
            | local_name!("audio")
            | local_name!("b")
            | local_name!("bdi")
            | local_name!("bdo")
            | local_name!("blockquote")
            | local_name!("br")
            | local_name!("caption")
            | local_name!("cite")
            | local_name!("code")
            | local_name!("col")
            | local_name!("colgroup")
            | local_name!("dd")
            | local_name!("del")
            | local_name!("details")
            | local_name!("dfn")
            | local_name!("div")
            | local_name!("dl")
            | local_name!("dt")
            | local_name!("em")
            | local_name!("figcaption")
            | local_name!("figure")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("hr")
            | local_name!("i")
            | local_name!("img")
            | local_name!("ins")
            | local_name!("kbd")
            | local_name!("li")
            | local_name!("mark")
            | local_name!("ol")
            | local_name!("p")
            | local_name!("picture")
            | local_name!("pre")
            | local_name!("q")
            | local_name!("rp")
            | local_name!("rt")
            | local_name!("ruby")
            | local_name!("s")
            | local_name!("samp")
            | local_name!("section")
            | local_name!("small")
            | local_name!("source")
            | local_name!("span")
            | local_name!("strong")
            | local_name!("sub")
            | local_name!("summary")
            | local_name!("sup")
            | local_name!("table")
            | local_name!("tbody")
            | local_name!("td")
            | local_name!("tfoot")
            | local_name!("th")
            | local_name!("thead")
            | local_name!("time")
            | local_name!("tr")
            | local_name!("u")
            | local_name!("ul")
            | local_name!("var")
            | local_name!("video")
            | local_name!("wbr")
    )
}

/// Attributes that are kept unchanged; links are handled separately.
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
