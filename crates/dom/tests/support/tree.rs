//! Trees as flat lists of lines: the expected and the parsed ones.

use std::fmt::{self, Display, Formatter};

use sitegrove_dom::{Document, Keep, NodeId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    depth: usize,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// Local name and attributes, sorted.
    Element(String, Vec<(String, String)>),
    Text(String),
}

impl Display for Line {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "| {:1$}", "", 2 * self.depth)?;
        match &self.kind {
            Kind::Element(name, attributes) => {
                write!(f, "<{name}>")?;
                attributes.iter().try_for_each(|(name, value)| write!(f, " {name}={value:?}"))
            }
            Kind::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// Elements whose text the tree never contains.
const WITHOUT_TEXT: [&str; 4] = ["script", "style", "iframe", "noframes"];

/// Elements left out of readable content, as listed in the documentation of `Keep::Content`.
const DROPPED: [&str; 25] = [
    "applet", "base", "canvas", "datalist", "embed", "frameset", "head", "iframe", "link", "meta",
    "noembed", "noframes", "noscript", "object", "optgroup", "option", "param", "script", "select",
    "style", "template", "textarea", "title", "svg", "math",
];

/// The expected tree without what `keep` leaves out.
pub(crate) fn expected(document: &str, keep: Keep) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    // Depth of the outermost dropped element; everything deeper is left out.
    let mut dropped: Option<usize> = None;
    // Name of the open element at each depth, which gives the parent of a text.
    let mut open: Vec<String> = Vec::new();
    for entry in entries(document) {
        let indent = entry.len() - entry.trim_start_matches(' ').len();
        let (depth, content) = (indent / 2, &entry[indent..]);
        if dropped.is_some_and(|d| depth > d) {
            continue;
        }
        dropped = None;
        if let Some(text) = content.strip_prefix('"') {
            let text = text.strip_suffix('"').unwrap_or(text);
            let parent = depth.checked_sub(1).map(|d| open[d].as_str());
            if parent.is_none_or(|p| WITHOUT_TEXT.contains(&p)) {
                continue;
            }
            match out.last_mut() {
                Some(Line { depth: d, kind: Kind::Text(before) }) if *d == depth => {
                    before.push_str(text);
                }
                _ => out.push(Line { depth, kind: Kind::Text(text.to_owned()) }),
            }
        } else if content.starts_with("<!") || content.starts_with("<?") || content == "content" {
            dropped = Some(depth);
        } else if let Some(tag) = content.strip_prefix('<').and_then(|c| c.strip_suffix('>')) {
            let (foreign, name) = match tag.split_once(' ') {
                Some((namespace @ ("svg" | "math"), name)) => (Some(namespace), name),
                _ => (None, tag),
            };
            open.truncate(depth);
            open.push(if foreign.is_some() { tag.to_owned() } else { name.to_owned() });
            let leaves = foreign.is_some() || DROPPED.contains(&name);
            if keep == Keep::Content && leaves {
                dropped = Some(depth);
                continue;
            }
            out.push(Line { depth, kind: Kind::Element(name.to_owned(), Vec::new()) });
        } else if let Some((name, value)) = content.split_once("=\"") {
            let value = value.strip_suffix('"').unwrap_or(value);
            let name = name.rsplit(' ').next().unwrap_or(name);
            if let Some(Line { kind: Kind::Element(_, attributes), .. }) = out.last_mut() {
                attributes.push((name.to_owned(), value.to_owned()));
                attributes.sort();
            }
        }
    }
    out
}

/// Entries of the `#document` section: lines that begin with `| `, with the continuation lines of
/// texts and comments.
fn entries(document: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in document.split('\n') {
        match line.strip_prefix("| ") {
            Some(entry) => entries.push(entry.to_owned()),
            None => {
                if let Some(last) = entries.last_mut() {
                    last.push('\n');
                    last.push_str(line);
                }
            }
        }
    }
    entries.iter().map(|e| e.trim_end_matches('\n').to_owned()).collect()
}

/// The lines of the parsed tree.
pub(crate) fn of_document(document: &Document) -> Vec<Line> {
    document.ids().map(|id| line(document, id)).collect()
}

fn line(document: &Document, id: NodeId) -> Line {
    let kind = match document.element(id) {
        Some(element) => {
            let mut attributes: Vec<_> =
                element.attributes().map(|(n, v)| (n.to_string(), v.to_owned())).collect();
            attributes.sort();
            Kind::Element(element.name.to_string(), attributes)
        }
        None => Kind::Text(document.text(id).unwrap_or_default().to_owned()),
    };
    Line { depth: document.node(id).level as usize, kind }
}
