//! Finds elements that are inline by their surroundings: buttons, and elements that HTML has no rule for (custom elements).
//!
//! Their style is not known, but their surroundings are: an element that contains blocks is a block, one next to text continues
//! it, and one in a paragraph cannot end it.

use html5ever::{LocalName, local_name};

use crate::names::{is_block, is_inline};
use crate::{Document, NodeId, is_heading};

/// Maximum number of siblings between a control and the text of its line, and of levels above it.
const BESIDE: usize = 4;

/// The content of an element.
#[derive(Clone, Copy, Default)]
struct HeldContent {
    /// Whether a descendant breaks the line.
    has_block: bool,
    /// Whether a child is text other than white space.
    has_text: bool,
}

/// Returns the elements of a page that are inline, but not by their names, in document order. Linear.
pub(crate) fn inline_by_place(document: &Document) -> Vec<NodeId> {
    let kinds = document.kinds();
    if kinds.all().iter().all(|kind| kind.is_inline.is_some()) {
        return Vec::new();
    }
    let by_name = |id: usize| kinds.all().get(kinds.of_nodes()[id] as usize)?.is_inline;
    let mut content = vec![HeldContent::default(); document.len()];
    // Texts are looked at only beside elements that their names do not decide.
    let mut is_asked = vec![false; document.len()];
    for (id, node) in document.nodes().iter().enumerate().skip(1) {
        is_asked[node.parent as usize] |= node.name.is_some() && by_name(id).is_none();
    }
    for (id, node) in document.nodes().iter().enumerate().skip(1).rev() {
        let own = content[id];
        let above = &mut content[node.parent as usize];
        match &node.name {
            Some(name) => {
                let is_block = || by_name(id) == Some(false) && !is_break(name);
                above.has_block |= own.has_block || is_block();
            }
            None if is_asked[node.parent as usize] => {
                above.has_text |= has_words(document, id as NodeId);
            }
            None => {}
        }
    }
    let mut found = Vec::new();
    // Whether each element is part of a line.
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
            in_line[id] = *name != local_name!("button")
                || !holds_words(document, id as NodeId)
                || is_within_line(document, id as NodeId);
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

/// Whether elements of this name contain only phrasing content.
fn holds_phrases(name: &LocalName) -> bool {
    is_heading(name) || matches!(*name, local_names!("p" "dt" "summary" "caption" "legend"))
}

fn holds_words(document: &Document, id: NodeId) -> bool {
    document.subtree(id).any(|own| has_words(document, own))
}

fn has_words(document: &Document, id: NodeId) -> bool {
    document.text(id).is_some_and(|text| !text.trim().is_empty())
}

/// Whether a control with words is part of a text: in the middle of a line, emphasised at its end, at the start of its sentence,
/// or the whole of a heading. Elsewhere it is part of the interface.
fn is_within_line(document: &Document, id: NodeId) -> bool {
    let (mut around, mut is_emphasised) = (id, false);
    let (mut before, mut after) = (None, None);
    // The line continues beyond the inline elements around the control.
    for _ in 0..BESIDE {
        before = before.or_else(|| line_text(document, &mut siblings_before(document, around)));
        after = after.or_else(|| line_text(document, &mut siblings_after(document, around)));
        let Some(parent) = document.parent(around) else { break };
        around = parent;
        match document.name(around) {
            Some(name) if is_block(name) => break,
            name => is_emphasised |= name.is_some_and(emphasises),
        }
    }
    let has_before = before.is_some_and(|text| !text.is_empty());
    let has_after = after.is_some_and(|text| !text.is_empty());
    let continues = |text: &str| text.trim_start().starts_with(char::is_lowercase);
    let holds_title = |name: &LocalName| is_heading(name) || *name == local_name!("summary");
    let is_alone = || {
        let mut beside = (around..id).chain(document.node(id).end..document.node(around).end);
        !beside.any(|own| has_words(document, own))
    };
    let around = document.name(around);
    has_before && (has_after || is_emphasised)
        || !has_before && after.is_some_and(continues) && around.is_some_and(holds_phrases)
        || around.is_some_and(holds_title) && is_alone()
}

/// Whether an inline element is common in texts but not in interfaces.
fn emphasises(name: &LocalName) -> bool {
    is_inline(name) && !matches!(*name, local_names!("span" "a" "label" "font" "small"))
}

/// Returns the nearest text next to an element, skipping other elements of its line; empty if the line ends before a text.
fn line_text<'d>(
    document: &'d Document,
    beside: &mut dyn Iterator<Item = NodeId>,
) -> Option<&'d str> {
    beside.take(BESIDE).find_map(|own| match document.name(own) {
        Some(name) => is_block(name).then_some(""),
        None => document.text(own).filter(|text| !text.trim().is_empty()),
    })
}

fn siblings_after(document: &Document, id: NodeId) -> impl Iterator<Item = NodeId> {
    let end_of_parent = document.parent(id).map_or(0, |parent| document.node(parent).end);
    let next = move |own: NodeId| Some(document.node(own).end).filter(|&own| own < end_of_parent);
    std::iter::successors(next(id), move |&own| next(own))
}

fn siblings_before(document: &Document, id: NodeId) -> impl Iterator<Item = NodeId> {
    let parent = document.parent(id);
    let last = move |own: NodeId| {
        let own = Some(own - 1).filter(|&own| Some(own) != parent)?;
        document.ancestors(own).find(|&own| document.parent(own) == parent)
    };
    std::iter::successors(last(id), move |&own| last(own))
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
            ("<p>The <em><button>ledger</button></em> was closed.", "The ledger was closed."),
            ("<p>The <span><i><button>ledger</button></i></span> was", "The ledger was"),
            ("<p>We read the <b><button>old book</button></b></p>", "We read the old book"),
            ("<p><button>Ledgers</button> are books.", "Ledgers are books."),
            ("<p><button>Copy</button> Ledgers are books.", "Copy\n\nLedgers are books."),
            ("<p>So<span>it<button><i></i></button></span> was", "Soit was"),
            ("<p>It fell<sup><button><svg></svg></button><a>1</a></sup> so", "It fell[1] so"),
            (
                "<div><span>May 3</span> <span><button>Share</button></span> <span>2</span></div>",
                "May 3\n\nShare\n\n2",
            ),
            ("<p>Half <meter value=1>50 %</meter> full", "Half 50 % full"),
            ("<x-body><x-part><p>One</p></x-part><x-part>Two</x-part></x-body>", "One\n\nTwo"),
            ("<div>One <x-box><p>Two</p></x-box> Three</div>", "One\n\nTwo\n\nThree"),
        ] {
            assert_eq!(text_of(&parse(html), &[0], &[]), expected, "{html}");
        }
    }
}
