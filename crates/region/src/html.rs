//! Writes a tree as HTML.

use dom::{is_void, local_name};

use crate::tree::{At, RegionTree};

/// The HTML of a tree, without its root (HTML §13.3). Parsed again, it is the same tree.
pub(crate) fn html_of(tree: &RegionTree<'_>) -> String {
    let mut out = String::new();
    enum Step {
        Open(At),
        Close(At),
    }
    let mut steps: Vec<Step> =
        tree.nodes[0].children.iter().rev().map(|&at| Step::Open(at)).collect();
    while let Some(step) = steps.pop() {
        match step {
            Step::Close(at) => {
                if let Some(name) = &tree.nodes[at].name {
                    out.push_str("</");
                    out.push_str(name);
                    out.push('>');
                }
            }
            Step::Open(at) => {
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
                steps.push(Step::Close(at));
                steps.extend(node.children.iter().rev().map(|&at| Step::Open(at)));
            }
        }
    }
    out
}

/// Bytes that are, or may begin, a character that has to be escaped.
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
