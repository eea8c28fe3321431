//! Lines of text around the headline, where bylines and dates are usually found.

use dom::{Document, NodeId, is_inline, local_name, normalize_space};

use crate::scan::Scan;

/// A line of text: the text of one block between line breaks.
pub(crate) struct Line {
    pub(crate) text: String,
    /// Its first text node.
    pub(crate) at: NodeId,
}

/// Lines that begin in `range`, without side content.
pub(crate) fn lines(document: &Document, scan: &Scan, range: std::ops::Range<NodeId>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut start = range.start;
    let mut block = None;
    let mut id = range.start;
    let mut flush = |line: &mut String, at: NodeId| {
        let text = normalize_space(line);
        if !text.is_empty() && lines.len() < 200 {
            lines.push(Line { text, at });
        }
        line.clear();
    };
    while id < range.end {
        if let Some(end) = scan.zone_end(id) {
            flush(&mut line, start);
            id = end;
            continue;
        }
        match document.text(id) {
            Some(text) => {
                let own = document
                    .ancestors(id)
                    .skip(1)
                    .find(|a| document.name(*a).is_some_and(|name| !is_inline(name)));
                if own != block {
                    flush(&mut line, start);
                    block = own;
                }
                if line.trim().is_empty() {
                    start = id;
                }
                if line.len() < 1_000 {
                    // Inline elements separated only by styles: "Jane Doe" and "May 3" without a
                    // space.
                    if line.ends_with(char::is_lowercase) && text.starts_with(char::is_uppercase) {
                        line.push(' ');
                    }
                    line.push_str(text);
                }
            }
            None if document.is(id, &local_name!("br")) => flush(&mut line, start),
            None => {}
        }
        id += 1;
    }
    flush(&mut line, start);
    lines
}
