//! Writes a tree as HTML, and as a document without players, for text and Markdown, which have none.

use std::collections::BTreeSet;

use dom::{Builder, Document, LocalName, NodeId, is_void, local_name, local_names};

use crate::tree::{At, NodeMark, RegionTree};

/// A step of writing a tree without recursion.
enum WriteStep {
    Open(At),
    Close(At),
}

/// Writes the HTML of a tree, without its root (HTML §13.3). Parsed again, it gives the same tree.
pub(crate) fn html_of(tree: &RegionTree<'_>) -> String {
    let mut out = String::new();
    let mut steps: Vec<WriteStep> =
        tree.nodes[0].children.iter().rev().map(|&at| WriteStep::Open(at)).collect();
    while let Some(step) = steps.pop() {
        match step {
            WriteStep::Close(at) => {
                if let Some(name) = &tree.nodes[at].name {
                    out.push_str("</");
                    out.push_str(name);
                    out.push('>');
                }
            }
            WriteStep::Open(at) => {
                let node = &tree.nodes[at];
                let Some(name) = &node.name else {
                    escape(&node.text, false, &mut out);
                    continue;
                };
                out.push('<');
                out.push_str(name);
                for (name, value) in &node.attributes {
                    out.push(' ');
                    out.push_str(name);
                    out.push_str("=\"");
                    escape(value, true, &mut out);
                    out.push('"');
                }
                out.push('>');
                if is_void(name) {
                    continue;
                }
                // The line feed directly after this tag is ignored by parsers.
                let first = node.children.first().map(|&at| &tree.nodes[at]);
                if *name == local_name!("pre")
                    && first.is_some_and(|text| text.text.starts_with('\n'))
                {
                    out.push('\n');
                }
                steps.push(WriteStep::Close(at));
                steps.extend(node.children.iter().rev().map(|&at| WriteStep::Open(at)));
            }
        }
    }
    out
}

/// Bytes that are, or may begin, a character that must be escaped.
const ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let bytes = *b"&<>\"\0\r\xc2";
    let mut at = 0;
    while at < bytes.len() {
        escaped[bytes[at] as usize] = true;
        at += 1;
    }
    escaped
};

/// Escapes text or an attribute value.
fn escape(text: &str, in_attribute: bool, out: &mut String) {
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, 0);
    while let Some(step) = bytes[at..].iter().position(|b| ESCAPED[usize::from(*b)]) {
        at += step;
        let (length, written) = match &bytes[at..] {
            [b'&', ..] => (1, "&amp;"),
            [b'<', ..] => (1, "&lt;"),
            [b'>', ..] => (1, "&gt;"),
            [b'"', ..] if in_attribute => (1, "&quot;"),
            [0, ..] => (1, ""),
            [b'\r', ..] => (1, "&#13;"),
            // A no-break space.
            [0xc2, 0xa0, ..] => (2, "&nbsp;"),
            _ => {
                at += 1;
                continue;
            }
        };
        out.push_str(&text[from..at]);
        out.push_str(written);
        at += length;
        from = at;
    }
    out.push_str(&text[from..]);
}

/// Returns the tree as a document, with links in place of players. If `is_for_reading`, players, texts that are only shown, and
/// the starts of posts are left out. Also returns the nodes that posts begin with.
pub(crate) fn document_of(tree: &RegionTree<'_>, is_for_reading: bool) -> (Document, Vec<NodeId>) {
    let (mut posts, mut begins_post) = (Vec::new(), false);
    let mut builder = Builder::of_all();
    let mut steps = vec![WriteStep::Open(0)];
    // Ids of the elements written so far.
    let mut above: BTreeSet<&str> = BTreeSet::new();
    while let Some(step) = steps.pop() {
        let at = match step {
            WriteStep::Close(_) => {
                builder.close();
                continue;
            }
            WriteStep::Open(at) => at,
        };
        let node = &tree.nodes[at];
        if is_for_reading && node.mark == NodeMark::Post {
            begins_post = true;
            continue;
        }
        let Some(name) = &node.name else {
            if !(is_for_reading && node.mark == NodeMark::Unread) {
                let text = builder.text(&node.text);
                posts.extend(text.filter(|_| std::mem::take(&mut begins_post)));
            }
            continue;
        };
        match *name {
            local_names!("video" "audio") => {
                let address = tree.attribute(at, &local_name!("src")).unwrap_or_default();
                let title = tree.attribute(at, &local_name!("title")).unwrap_or(address);
                builder.open(&local_name!("p"), std::iter::empty());
                if !is_for_reading {
                    builder
                        .open(&local_name!("a"), std::iter::once((&local_name!("href"), address)));
                    builder.text(title);
                    builder.close();
                }
                builder.close();
            }
            _ => {
                let attributes = node.attributes.iter().map(|(name, value)| (name, &**value));
                above.extend(tree.attribute(at, &local_name!("id")));
                // Links within the article have no targets in Markdown, except those to notes and back.
                let is_link = *name == local_name!("a") && node.mark != NodeMark::Reference;
                let leads_down =
                    |href: &str| href.strip_prefix('#').is_some_and(|id| !above.contains(id));
                let leads = |a: &(&LocalName, &str)| {
                    !(is_link && *a.0 == local_name!("href") && leads_down(a.1))
                };
                let element = builder.open(name, attributes.filter(leads));
                posts.extend(element.filter(|_| std::mem::take(&mut begins_post)));
                steps.push(WriteStep::Close(at));
                steps.extend(node.children.iter().rev().map(|&child| WriteStep::Open(child)));
            }
        }
    }
    (builder.finish(), posts)
}
