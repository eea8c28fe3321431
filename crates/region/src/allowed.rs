//! The elements and attributes allowed in a fragment.

use dom::{LocalName, is_inline, is_void, local_name};

/// The tag an element is written as: its own if it is allowed, or the current name of an obsolete one; `div` if it would
/// otherwise no longer be separated from its surroundings; `None` if only its content is written.
pub(crate) fn written_as(name: &LocalName) -> Option<LocalName> {
    match *name {
        local_name!("menu") | local_name!("dir") => Some(local_name!("ul")),
        local_name!("strike") => Some(local_name!("s")),
        local_name!("tt") => Some(local_name!("code")),
        local_name!("acronym") => Some(local_name!("abbr")),
        local_name!("listing") | local_name!("xmp") => Some(local_name!("pre")),
        _ if stays(name) => Some(name.clone()),
        local_name!("html") | local_name!("body") => None,
        _ if is_inline(name) || is_void(name) => None,
        _ => Some(local_name!("div")),
    }
}

/// Whether an element is allowed. Pictures and players are written apart.
fn stays(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("abbr")
            | local_name!("address")
            | local_name!("aside")
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
            | local_name!("ins")
            | local_name!("kbd")
            | local_name!("li")
            | local_name!("mark")
            | local_name!("ol")
            | local_name!("p")
            | local_name!("pre")
            | local_name!("q")
            | local_name!("rp")
            | local_name!("rt")
            | local_name!("ruby")
            | local_name!("s")
            | local_name!("samp")
            | local_name!("section")
            | local_name!("small")
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
            | local_name!("wbr")
    )
}

/// Whether an element is written although it is only around what is kept: it gives its content a structure.
pub(crate) fn gives_structure(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("blockquote")
            | local_name!("caption")
            | local_name!("code")
            | local_name!("dd")
            | local_name!("details")
            | local_name!("dir")
            | local_name!("dl")
            | local_name!("dt")
            | local_name!("figcaption")
            | local_name!("figure")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("li")
            | local_name!("menu")
            | local_name!("ol")
            | local_name!("p")
            | local_name!("pre")
            | local_name!("summary")
            | local_name!("table")
            | local_name!("tbody")
            | local_name!("td")
            | local_name!("tfoot")
            | local_name!("th")
            | local_name!("thead")
            | local_name!("tr")
            | local_name!("ul")
    )
}

/// Attributes that are kept unchanged; links are handled separately.
pub(crate) fn attribute_stays(element: &str, attribute: &str) -> bool {
    match attribute {
        "lang" | "dir" | "title" => true,
        "colspan" | "rowspan" | "headers" | "scope" => matches!(element, "td" | "th"),
        "span" => matches!(element, "col" | "colgroup"),
        "datetime" => matches!(element, "time" | "ins" | "del"),
        "start" | "reversed" | "type" => element == "ol",
        "value" => element == "li",
        _ => false,
    }
}

/// Whether an element of a formula is allowed: those of MathML Core, without actions and links, and TeX sources.
pub(crate) fn formula_stays(name: &str) -> bool {
    const ELEMENTS: [&str; 35] = [
        "annotation",
        "math",
        "menclose",
        "merror",
        "mfenced",
        "mfrac",
        "mi",
        "mlabeledtr",
        "mmultiscripts",
        "mn",
        "mo",
        "mover",
        "mpadded",
        "mphantom",
        "mprescripts",
        "mroot",
        "mrow",
        "ms",
        "mspace",
        "msqrt",
        "mstack",
        "mstyle",
        "msub",
        "msubsup",
        "msup",
        "mtable",
        "mtd",
        "mtext",
        "mtr",
        "munder",
        "munderover",
        "none",
        "semantics",
        "mlongdiv",
        "msrow",
    ];
    ELEMENTS.contains(&name)
}

/// Whether an attribute of a formula's element is kept.
pub(crate) fn formula_attribute_stays(attribute: &str) -> bool {
    const ATTRIBUTES: [&str; 31] = [
        "accent",
        "accentunder",
        "alttext",
        "close",
        "columnalign",
        "columnlines",
        "columnspacing",
        "columnspan",
        "depth",
        "dir",
        "display",
        "displaystyle",
        "encoding",
        "fence",
        "form",
        "height",
        "linethickness",
        "lspace",
        "mathvariant",
        "maxsize",
        "minsize",
        "movablelimits",
        "notation",
        "open",
        "rowspacing",
        "rowspan",
        "rspace",
        "scriptlevel",
        "separator",
        "stretchy",
        "width",
    ];
    ATTRIBUTES.contains(&attribute)
}
