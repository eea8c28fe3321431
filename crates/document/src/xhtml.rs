//! Fragments as XHTML, more strictly than parsers require: phrases contain no blocks, attributes have valid values.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use askama::filters::Escaper;
use dom::{Document, Element, LocalName, NodeId, is_inline, is_void};

use crate::{PictureFiles, attribute, body, is, parsed, picture};

/// Escapes a text for elements and quoted attributes, and removes characters that XML does not allow.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(c),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(c),
        }
    }
    out
}

/// The escaper of all templates (`askama.toml`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct XmlText;

impl Escaper for XmlText {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        dest.write_str(&escaped(text))
    }
}

/// Percent-encodes the characters of an address that are not allowed (RFC 3986).
pub(crate) fn address(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut in_fragment = false;
    for c in url.chars() {
        match c {
            '#' if in_fragment => out.push_str("%23"),
            '#' => {
                in_fragment = true;
                out.push(c);
            }
            '|' | '^' | '`' | '{' | '}' | '[' | ']' | '\\' | '"' | '<' | '>' | ' ' => {
                let _ = write!(out, "%{:02X}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// Whether a language tag is well-formed.
pub(crate) fn is_language(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let first = parts.next().unwrap_or_default();
    (2..=3).contains(&first.len())
        && first.bytes().all(|b| b.is_ascii_alphabetic())
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        })
}

#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) xhtml: String,
    /// Addresses of the embedded pictures, in order, without duplicates.
    pub(crate) pictures: Vec<String>,
    /// Whether the fragment has formulas.
    pub(crate) formulas: bool,
}

/// Writes a fragment as XHTML. Pictures with a file in `pictures` get the name that `name_of` returns for their number;
/// other pictures and players become links.
pub(crate) fn written(
    html: &str,
    pictures: &PictureFiles,
    name_of: impl Fn(usize, &str) -> String,
) -> Written {
    let document = parsed(html);
    let root = body(&document);
    let anchors: BTreeSet<&str> =
        document.subtree(root).filter_map(|id| anchor(&document, id)).collect();
    let surroundings = Surroundings::of(&document, is_block);
    let mut of = Written::default();
    let mut xhtml = String::new();
    write_below(&document, root, &mut xhtml, |id, element, out| {
        let name = match &**element.name {
            "img" => {
                write_picture(&document, id, pictures, &name_of, &mut of.pictures, out);
                return None;
            }
            "video" | "audio" => {
                let source = attribute(&document, id, "src").unwrap_or_default();
                let title = attribute(&document, id, "title").unwrap_or(source);
                out.push_str(&link(source, title));
                return None;
            }
            // Its text is a date for readers, and the value of `datetime` may be invalid.
            "time" => "span",
            name => name,
        };
        if !stays(&document, id, &surroundings) {
            out.push(' ');
            if let Some(name) = anchor(&document, id) {
                let _ = write!(out, "<span id=\"{}\"></span>", xml_id(name));
            }
            return Some(" ".to_owned());
        }
        of.formulas |= name == "math";
        let _ = write!(out, "<{name}");
        if name == "math" {
            out.push_str(" xmlns=\"http://www.w3.org/1998/Math/MathML\"");
        }
        let numbered = document.parent(id).is_some_and(|list| is(&document, list, "ol"));
        for (attribute, value) in element.attributes() {
            let leads_nowhere =
                || value.strip_prefix('#').is_some_and(|target| !anchors.contains(target));
            match &**attribute {
                "value" if !numbered => {}
                "href" if leads_nowhere() => {}
                attribute => write_attribute(name, attribute, value, out),
            }
        }
        if is_void(element.name) {
            out.push_str("/>");
            return None;
        }
        out.push('>');
        let line_end =
            if ends_line(name) && !surroundings[id as usize].is_in_phrase { "\n" } else { "" };
        Some(format!("</{name}>{line_end}"))
    });
    Written { xhtml, ..of }
}

/// Writes the contents of an element. `begin` writes a start tag and returns the end tag, if there is one.
pub(crate) fn write_below(
    document: &Document,
    root: NodeId,
    out: &mut String,
    mut begin: impl FnMut(NodeId, Element<'_>, &mut String) -> Option<String>,
) {
    let mut open: Vec<(NodeId, String)> = Vec::new();
    for id in document.subtree(root).skip(1) {
        while let Some((_, close)) = open.pop_if(|last| last.0 <= id) {
            out.push_str(&close);
        }
        match document.element(id) {
            Some(element) => {
                open.extend(begin(id, element, out).map(|close| (document.node(id).end, close)));
            }
            None => out.push_str(&escaped(document.text(id).unwrap_or_default())),
        }
    }
    out.extend(open.into_iter().rev().map(|last| last.1));
}

fn link(url: &str, shown: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escaped(&address(url)), escaped(shown))
}

/// Whether a line break after an element changes nothing, because the element is a block.
fn ends_line(name: &str) -> bool {
    const BLOCKS: [&str; 19] = [
        "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dd", "table", "tr",
        "pre", "figure", "blockquote", "caption", "figcaption",
    ];
    BLOCKS.contains(&name)
}

/// The id of an element that links can lead to; ids of pictures and players are not written.
fn anchor(document: &Document, id: NodeId) -> Option<&str> {
    let name = document.name(id)?;
    let id = attribute(document, id, "id").filter(|id| is_id(id))?;
    (!matches!(&**name, "img" | "video" | "audio")).then_some(id)
}

/// Rewrites an id to letters, digits, `-`, `.` and `_`, which are valid in XML and need no encoding in links. Other
/// characters become `_` and their code point.
pub(crate) fn xml_id(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    if !id.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        out.push('_');
    }
    for c in id.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_') {
            out.push(c);
        } else {
            let _ = write!(out, "_{:X}", u32::from(c));
        }
    }
    out
}

/// Whether an id is valid in HTML: not empty, without white space.
fn is_id(id: &str) -> bool {
    !id.is_empty() && !id.contains(|c: char| c.is_whitespace())
}

/// Properties of the nodes above and below a node.
#[derive(Clone, Copy, Default)]
pub(crate) struct Surroundings {
    is_of_formula: bool,
    is_in_inline: bool,
    /// Whether it is inside an element that may contain only phrases.
    is_in_phrase: bool,
    pub(crate) holds_blocks: bool,
    pub(crate) holds_words: bool,
    /// Whether its first child element is a term, and its last child element a description.
    begins_with_term: bool,
    ends_with_description: bool,
    /// Number of child elements so far, and whether they are anything but terms and descriptions in turn.
    elements: usize,
    is_out_of_order: bool,
}

impl Surroundings {
    /// Computes them for all nodes, in one pass down and one up. `is_block` returns whether a name is that of a block.
    pub(crate) fn of(document: &Document, is_block: impl Fn(&LocalName) -> bool) -> Vec<Self> {
        const PHRASES: [&str; 9] = ["p", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "summary"];
        let mut all = vec![Self::default(); document.len()];
        for id in document.ids() {
            let name = document.name(id);
            let at = id as usize;
            if let Some(parent) = document.parent(id) {
                let above = all[parent as usize];
                let around = document.name(parent);
                all[at].is_of_formula = above.is_of_formula;
                all[at].is_in_inline = above.is_in_inline || around.is_some_and(is_inline);
                all[at].is_in_phrase =
                    above.is_in_phrase || around.is_some_and(|name| PHRASES.contains(&&**name));
                if let Some(name) = name {
                    let above = &mut all[parent as usize];
                    above.begins_with_term |= above.elements == 0 && **name == *"dt";
                    above.ends_with_description = **name == *"dd";
                    let wanted = if above.elements.is_multiple_of(2) { "dt" } else { "dd" };
                    above.is_out_of_order |= **name != *wanted;
                    above.elements += 1;
                }
            }
            all[at].is_of_formula |= name.is_some_and(|name| **name == *"math");
        }
        for id in (0..document.len()).rev() {
            let own = all[id];
            let id = NodeId::try_from(id).unwrap_or_default();
            let Some(parent) = document.parent(id) else { continue };
            let is_block = document.name(id).is_some_and(&is_block) && !own.is_of_formula;
            let has_words = document.text(id).is_some_and(|text| !text.trim().is_empty());
            let above = &mut all[parent as usize];
            above.holds_blocks |= own.holds_blocks || is_block;
            above.holds_words |= own.holds_words || has_words;
        }
        all
    }

    /// Whether a list of terms begins with a term and ends with a description.
    fn alternates(self) -> bool {
        self.begins_with_term && self.ends_with_description
    }

    /// Whether each term of a list has exactly one description, as lists of glosses require.
    pub(crate) fn is_in_pairs(self) -> bool {
        !self.is_out_of_order && self.elements.is_multiple_of(2)
    }
}

/// Whether elements of this name are blocks with content.
fn is_block(name: &LocalName) -> bool {
    !is_inline(name) && !is_void(name)
}

/// Whether the tags of an element are written. Of phrases that contain blocks, of blocks in phrases, and of lists whose
/// terms are out of order, only the content is written.
fn stays(document: &Document, id: NodeId, all: &[Surroundings]) -> bool {
    let Some(name) = document.name(id) else { return false };
    let own = all[id as usize];
    if own.is_of_formula {
        return true;
    }
    if is_inline(name) && **name != *"a" {
        return !own.holds_blocks;
    }
    if **name == *"hr" && (own.is_in_phrase || own.is_in_inline) {
        return false;
    }
    if own.is_in_phrase && is_block(name) {
        return false;
    }
    match &**name {
        "dl" => own.alternates(),
        "dt" | "dd" => document.parent(id).is_some_and(|list| all[list as usize].alternates()),
        "dfn" | "address" | "bdo" => !own.holds_blocks,
        "dir" | "center" | "font" => false,
        _ => true,
    }
}

fn write_attribute(element: &str, name: &str, value: &str, out: &mut String) {
    let number = |value: &str| value.parse::<i32>().is_ok();
    let is_valid = match name {
        "datetime" | "headers" | "srcset" | "data-address" => false,
        "scope" => element == "th" && matches!(value, "row" | "col" | "rowgroup" | "colgroup"),
        "dir" => matches!(value, "ltr" | "rtl" | "auto"),
        "lang" => is_language(value),
        "type" => matches!(value, "1" | "a" | "A" | "i" | "I"),
        "start" | "value" => number(value),
        "colspan" | "span" => value.parse::<u32>().is_ok_and(|n| (1..=1_000).contains(&n)),
        "rowspan" => value.parse::<u32>().is_ok_and(|n| n <= 1_000),
        "id" => is_id(value),
        _ => true,
    };
    if !is_valid {
        return;
    }
    let value = match name {
        "id" => xml_id(value),
        "href" => match value.strip_prefix('#') {
            Some(target) => format!("#{}", xml_id(target)),
            None => address(value),
        },
        "cite" => address(value),
        "reversed" => "reversed".to_owned(),
        _ => value.to_owned(),
    };
    let _ = write!(out, " {name}=\"{}\"", escaped(&value));
    if name == "lang" {
        let _ = write!(out, " xml:lang=\"{}\"", escaped(&value));
    }
}

fn write_picture(
    document: &Document,
    id: NodeId,
    pictures: &PictureFiles,
    name_of: &impl Fn(usize, &str) -> String,
    shown: &mut Vec<String>,
    out: &mut String,
) {
    let alt = attribute(document, id, "alt").unwrap_or_default();
    if let Some((source, picture)) = picture(document, id, pictures) {
        let number = shown.iter().position(|own| *own == source).unwrap_or_else(|| {
            shown.push(source);
            shown.len() - 1
        });
        let name = name_of(number, picture.media_type);
        let _ = write!(out, "<img src=\"{}\" alt=\"{}\"/>", escaped(&name), escaped(alt));
        return;
    }
    let source = attribute(document, id, "src").unwrap_or_default();
    let shown = if alt.is_empty() { "Picture" } else { alt };
    let in_link = document.ancestors(id).skip(1).any(|around| is(document, around, "a"));
    if in_link || !source.starts_with("http") {
        out.push_str(&escaped(shown));
    } else {
        out.push_str(&link(source, shown));
    }
}
