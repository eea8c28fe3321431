//! Elements that are inline by their surroundings: those that HTML does not know, such as custom elements, and buttons.
//!
//! What a stylesheet makes of them is not known, but what stands beside them tells: one that holds blocks is a block, one
//! beside text continues it, and one in a paragraph cannot end it.

use html5ever::{LocalName, local_name};

use crate::names::is_block;
use crate::{Document, NodeId, is_heading};

/// Most siblings between a control and the text of its line.
const BESIDE: usize = 4;

/// What is directly below an element.
#[derive(Clone, Copy, Default)]
struct HeldContent {
    /// Something that breaks the line, at any depth.
    has_block: bool,
    /// Text that is no white space.
    has_text: bool,
}

/// The elements of a page that are inline although not by their names, in document order. Linear.
pub(crate) fn inline_by_place(document: &Document) -> Vec<NodeId> {
    let kinds = document.kinds();
    if kinds.all().iter().all(|kind| kind.is_inline.is_some()) {
        return Vec::new();
    }
    let by_name = |id: usize| kinds.all().get(kinds.of_nodes()[id] as usize)?.is_inline;
    let mut content = vec![HeldContent::default(); document.len()];
    for (id, node) in document.nodes().iter().enumerate().skip(1).rev() {
        let own = content[id];
        let above = &mut content[node.parent as usize];
        match &node.name {
            Some(name) => {
                let is_block = || by_name(id) == Some(false) && !is_break(name);
                above.has_block |= own.has_block || is_block();
            }
            None => above.has_text |= has_words(document, id as NodeId),
        }
    }
    let mut found = Vec::new();
    // Whether each element is a part of a line.
    let mut in_line = vec![false; document.len()];
    for (id, node) in document.nodes().iter().enumerate().skip(1) {
        let Some(name) = &node.name else { continue };
        let parent = node.parent as usize;
        let holds_line = || {
            in_line[parent]
                || content[parent].has_text
                || document.name(node.parent).is_some_and(holds_phrases)
        };
        if by_name(id) == Some(true) {
            in_line[id] = true;
        } else if by_name(id).is_none() && !content[id].has_block && holds_line() {
            in_line[id] = *name != local_name!("button") || is_within_line(document, id as NodeId);
            if in_line[id] {
                found.push(id as NodeId);
            }
        }
    }
    found
}

fn is_break(name: &LocalName) -> bool {
    matches!(*name, local_names!("br" "input"))
}

/// Elements that hold nothing but phrases.
fn holds_phrases(name: &LocalName) -> bool {
    is_heading(name) || matches!(*name, local_names!("p" "dt" "summary" "caption" "legend"))
}

fn has_words(document: &Document, id: NodeId) -> bool {
    document.text(id).is_some_and(|text| !text.trim().is_empty())
}

/// Whether a control stands in the middle of a line, or is all of a heading: elsewhere it is a part of the interface.
fn is_within_line(document: &Document, id: NodeId) -> bool {
    let Some(parent) = document.parent(id) else { return false };
    let end = document.node(id).end;
    let end_of_parent = document.node(parent).end;
    // The text of the line, past elements in it.
    let is_of_line = |beside: &mut dyn Iterator<Item = NodeId>| {
        let mut line = beside
            .take(BESIDE)
            .take_while(|&own| document.name(own).is_none_or(|name| !is_block(name)));
        line.any(|own| has_words(document, own))
    };
    let mut next = end;
    let mut after = std::iter::from_fn(|| {
        let own = Some(next).filter(|&own| own < end_of_parent)?;
        next = document.node(own).end;
        Some(own)
    });
    let mut last = id - 1;
    let mut before = std::iter::from_fn(|| {
        let is_child = |own: &NodeId| document.parent(*own) == Some(parent);
        let own = Some(last).filter(|&own| own > parent)?;
        let own = document.ancestors(own).find(is_child)?;
        last = own - 1;
        Some(own)
    });
    let is_alone = || {
        let mut beside = (parent..id).chain(end..end_of_parent);
        !beside.any(|own| has_words(document, own))
    };
    let holds_title = |name: &LocalName| is_heading(name) || *name == local_name!("summary");
    is_of_line(&mut before) && is_of_line(&mut after)
        || document.name(parent).is_some_and(holds_title) && is_alone()
}

#[cfg(test)]
mod tests {
    use crate::{parse, text_of};

    #[test]
    fn unknown_elements_are_inline_unless_they_hold_blocks() {
        for (html, expected) in [
            ("<p>We met <my-term>a friend</my-term>, twice.", "We met a friend, twice."),
            ("<div>Turn <button>left</button> there.</div>", "Turn left there."),
            ("<div>It is <x-a><x-b>very</x-b> cold</x-a> now", "It is very cold now"),
            ("<h3><button>Opening hours</button></h3><p>Nine.", "Opening hours\n\nNine."),
            ("<p>A <button>mill</button><span>x</span> closed.", "A millx closed."),
            (
                "<p>All is said.<br><button>Copy</button><br>And more.",
                "All is said.\n\nCopy\n\nAnd more.",
            ),
            ("<h3>Opening hours <button>Copy</button></h3>", "Opening hours\n\nCopy"),
            ("<p>All is said.<button>Copy</button></p>", "All is said.\n\nCopy"),
            ("<p>Half <meter value=1>50 %</meter> full", "Half 50 % full"),
            ("<x-body><x-part><p>One</p></x-part><x-part>Two</x-part></x-body>", "One\n\nTwo"),
            ("<div>One <x-box><p>Two</p></x-box> Three</div>", "One\n\nTwo\n\nThree"),
        ] {
            assert_eq!(text_of(&parse(html), &[0], &[]), expected, "{html}");
        }
    }
}
