//! Decides which elements and attributes are allowed in a fragment.

use dom::{Document, Element, LocalName, NodeId, is_void, local_name, local_names};

/// Returns the name of an element, or of the element that its role stands for: pages also write tables and headings with `div`
/// and `span` (WAI-ARIA 1.2 §5.4).
pub(crate) fn meant(document: &Document, id: NodeId) -> Option<LocalName> {
    let element = document.element(id)?;
    if matches!(*element.name, local_names!("div" "span"))
        && let Some(role) = element.attribute(&local_name!("role"))
    {
        let level = || match element.attribute(&LocalName::from("aria-level")) {
            Some("1") => local_name!("h1"),
            Some("3") => local_name!("h3"),
            Some("4") => local_name!("h4"),
            Some("5") => local_name!("h5"),
            Some("6") => local_name!("h6"),
            _ => local_name!("h2"),
        };
        match role {
            "table" | "grid" => return Some(local_name!("table")),
            "rowgroup" => return Some(local_name!("tbody")),
            "row" => return Some(local_name!("tr")),
            "cell" | "gridcell" => return Some(local_name!("td")),
            "columnheader" | "rowheader" => return Some(local_name!("th")),
            "heading" => return Some(level()),
            _ => {}
        }
    }
    Some(element.name.clone())
}

/// Returns the tag that an element is written as: its own if it is allowed, the current name of an obsolete element, or `div` if
/// its content must stay separate; `None` if only its content is written. `name` is its name by [`meant`].
pub(crate) fn written_as(document: &Document, id: NodeId, name: LocalName) -> Option<LocalName> {
    match name {
        local_names!("menu" "dir") => Some(local_name!("ul")),
        local_name!("strike") => Some(local_name!("s")),
        local_name!("tt") => Some(local_name!("code")),
        local_name!("acronym") => Some(local_name!("abbr")),
        local_names!("listing" "xmp") => Some(local_name!("pre")),
        _ if stays(&name) => Some(name),
        local_names!("html" "body") => None,
        _ if document.is_inline(id) || is_void(&name) => None,
        _ => Some(local_name!("div")),
    }
}

/// Whether an element is allowed. Pictures and players are written separately.
fn stays(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "a" "abbr" "address" "aside" "b" "bdi" "bdo" "blockquote" "br" "caption" "cite"
            "code" "col" "colgroup" "dd" "del" "details" "dfn" "div" "dl" "dt" "em" "figcaption"
            "figure" "h1" "h2" "h3" "h4" "h5" "h6" "hr" "i" "ins" "kbd" "li" "mark" "ol" "p"
            "pre" "q" "rp" "rt" "ruby" "s" "samp" "section" "small" "span" "strong" "sub"
            "summary" "sup" "table" "tbody" "td" "tfoot" "th" "thead" "time" "tr" "u" "ul" "var"
            "wbr"
        )
    )
}

/// Whether an element that only contains chosen nodes is written too, because it gives its content a structure.
pub(crate) fn gives_structure(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "a" "blockquote" "caption" "code" "dd" "details" "dir" "dl" "dt" "figcaption"
            "figure" "h1" "h2" "h3" "h4" "h5" "h6" "li" "menu" "ol" "p" "pre" "summary" "table"
            "tbody" "td" "tfoot" "th" "thead" "tr" "ul"
        )
    )
}

/// Attributes that are kept unchanged; links are handled separately.
pub(crate) fn attribute_stays(element: &LocalName, attribute: &LocalName) -> bool {
    match *attribute {
        local_names!("lang" "dir" "title") => true,
        local_names!("colspan" "rowspan" "headers" "scope") => {
            matches!(*element, local_names!("td" "th"))
        }
        local_name!("span") => matches!(*element, local_names!("col" "colgroup")),
        local_name!("datetime") => matches!(*element, local_names!("time" "ins" "del")),
        local_names!("start" "reversed" "type") => *element == local_name!("ol"),
        local_name!("value") => *element == local_name!("li"),
        _ => false,
    }
}

/// Whether an element of a formula is allowed: elements of MathML without actions and links, and TeX sources.
pub(crate) fn formula_stays(name: &str) -> bool {
    const ELEMENTS: [&str; 35] = [
        "annotation", "math", "menclose", "merror", "mfenced", "mfrac", "mi", "mlabeledtr",
        "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mprescripts", "mroot",
        "mrow", "ms", "mspace", "msqrt", "mstack", "mstyle", "msub", "msubsup", "msup", "mtable",
        "mtd", "mtext", "mtr", "munder", "munderover", "none", "semantics", "mlongdiv", "msrow",
    ];
    ELEMENTS.contains(&name)
}

pub(crate) fn formula_attribute_stays(attribute: &str) -> bool {
    const ATTRIBUTES: [&str; 31] = [
        "accent", "accentunder", "alttext", "close", "columnalign", "columnlines", "columnspacing",
        "columnspan", "depth", "dir", "display", "displaystyle", "encoding", "fence", "form",
        "height", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits",
        "notation", "open", "rowspacing", "rowspan", "rspace", "scriptlevel", "separator",
        "stretchy", "width",
    ];
    ATTRIBUTES.contains(&attribute)
}

/// Whether the inline style of an element sets a property to one of these values.
pub(crate) fn has_style(element: Element<'_>, property: &str, values: &[&str]) -> bool {
    let style = element.attribute(&local_name!("style")).unwrap_or_default();
    let mut own = style.split(';').filter_map(|own| own.split_once(':'));
    own.any(|(name, value)| name.trim() == property && values.contains(&value.trim()))
}
