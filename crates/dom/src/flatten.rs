//! Converts the linked tree to document order, leaving out non-content elements and collecting the
//! head.

use html5ever::{LocalName, QualName, local_name, ns};

use crate::aside::{Gatherer, may_show};
use crate::document::{BufferRange, Document, NodeId, ParseNotes};
use crate::linked::{Linked, NodeContent};
use crate::sink::PageSink;
use crate::{Keep, is_void};

/// Elements that are left out with their subtrees.
fn is_dropped(name: &QualName) -> bool {
    name.ns != ns!(html) || is_dropped_name(&name.local)
}

/// Like `is_dropped`, but for elements whose namespace is no longer known: foreign elements begin with `svg` or `math`.
pub(crate) fn is_dropped_name(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "script" "svg" "math" "style" "noscript" "noframes" "noembed" "template" "iframe"
            "frameset" "object" "applet" "embed" "param" "canvas" "select" "option" "optgroup"
            "datalist" "textarea" "title" "meta" "link" "base"
        )
    )
}

/// Whether an element is a declarative shadow root, whose content is shown (HTML Standard, the `template` element).
pub(crate) fn is_shadow_root<'a>(
    name: &LocalName,
    mut attributes: impl Iterator<Item = (&'a LocalName, &'a str)>,
) -> bool {
    *name == local_name!("template") && attributes.any(|own| **own.0 == *"shadowrootmode")
}

pub(crate) fn flatten(sink: PageSink<'_>, keep: Keep, notes: ParseNotes) -> Document {
    let root = sink.root;
    let nodes = sink.nodes.get() as usize;
    let mut buffers = sink.buffers.into_inner();
    let text = std::mem::take(&mut buffers.text);
    let mut layout = Flattener {
        document: Document {
            nodes: Vec::with_capacity(nodes),
            text: String::with_capacity(text.len()),
            ..buffers
        },
        text,
        keep,
        without_scripts: false,
        has_alternative: false,
        gatherer: Gatherer::default(),
    };
    layout.walk(root);
    if layout.has_alternative && keep == Keep::Content {
        layout.prefer_alternative(root);
    }
    let mut document = layout.document;
    document.aside = layout.gatherer.finish();
    if document.nodes.is_empty() {
        // Only a page cut off by the node limit at its very start has no root element.
        document.push(Some(&local_name!("html")), 0, 0, BufferRange::default());
    }
    document.attributes.shrink_to_fit();
    document.values.shrink_to_fit();
    document.notes = notes;
    // On some pages, most nodes are in elements that are left out.
    if document.nodes.len() < document.nodes.capacity() / 2 {
        document.nodes.shrink_to_fit();
    }
    if document.text.len() < document.text.capacity() / 2 {
        document.text.shrink_to_fit();
    }
    document
}

/// Counts the bytes of a text that are not ASCII white space, up to `most`.
pub(crate) fn count_visible(text: &str, most: usize) -> usize {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace()).take(most).count()
}

struct Flattener {
    document: Document,
    /// The texts of the page in the order of parsing.
    text: String,
    keep: Keep,
    /// Whether the content of `<noscript>` becomes part of the tree.
    without_scripts: bool,
    /// Whether a `<noscript>` was left out.
    has_alternative: bool,
    /// Collects the elements that are shown without being part of the tree.
    gatherer: Gatherer,
}

/// A page with less text than this, in bytes without white space, may be drawn by its scripts …
pub(crate) const SPARSE: usize = 1_000;
/// … if `<noscript>` contains this many times as much, and more than a request to enable scripts.
const FULLER: usize = 3;
const REQUEST: usize = 400;

impl Flattener {
    /// Lays the page out again with the content of `<noscript>`, and keeps the result if hardly any text is elsewhere: pages
    /// drawn by scripts have their text there for readers without scripts. On other pages, `<noscript>` repeats pictures or
    /// counts visits.
    fn prefer_alternative<'a>(&mut self, root: &'a Linked<'a>) {
        let own = count_visible(&self.document.text, SPARSE);
        if own >= SPARSE {
            return;
        }
        let head = self.document.head.clone();
        let nodes = std::mem::take(&mut self.document.nodes);
        let text = std::mem::take(&mut self.document.text);
        let gatherer = std::mem::take(&mut self.gatherer);
        self.without_scripts = true;
        self.walk(root);
        self.document.head = head;
        let least = REQUEST.max(FULLER * own);
        if count_visible(&self.document.text, least) < least {
            (self.document.nodes, self.document.text) = (nodes, text);
            self.gatherer = gatherer;
        }
    }

    /// Walks the tree in pre-order, without recursion. `open` holds the elements whose children are being laid out.
    fn walk<'a>(&mut self, root: &'a Linked<'a>) {
        let mut open: Vec<(NodeId, Option<&'a Linked<'a>>)> = Vec::new();
        let mut next = root.first.get();
        loop {
            let Some(linked) = next else {
                let Some((id, sibling)) = open.pop() else { return };
                self.document.nodes[id as usize].end = self.document.nodes.len() as NodeId;
                next = sibling;
                continue;
            };
            next = linked.next.get();
            let parent = open.last().map_or(0, |o| o.0);
            match &linked.content {
                NodeContent::Element { name, attributes, fragment, .. } => {
                    let attributes = attributes.get();
                    self.read_head(linked, name, attributes);
                    if self.keep == Keep::Content
                        && name.local == local_name!("head")
                        && name.ns == ns!(html)
                    {
                        self.read_head_children(linked);
                        continue;
                    }
                    let is_alternative =
                        name.local == local_name!("noscript") && name.ns == ns!(html);
                    self.has_alternative |= is_alternative;
                    let own = || self.document.stored(attributes);
                    let shadow = fragment.filter(|_| {
                        self.keep != Keep::Everything && is_shadow_root(&name.local, own())
                    });
                    if self.keep == Keep::Content
                        && is_dropped(name)
                        && !(is_alternative && self.without_scripts)
                        && shadow.is_none()
                    {
                        self.read_nested_head(linked, name);
                        let own = self.document.stored(attributes);
                        if may_show(&name.local, own) && !open.is_empty() {
                            self.gather(linked, parent);
                        }
                        continue;
                    }
                    let id = self.document.push(Some(&name.local), parent, open.len(), attributes);
                    let first = shadow.unwrap_or(linked).first.get();
                    if first.is_some() && !is_void(&name.local) {
                        open.push((id, next));
                        next = first;
                    }
                }
                NodeContent::Text(span) => {
                    // Text directly below the document is white space around the root element.
                    if !open.is_empty() {
                        let text = &self.text[span.get().range()];
                        self.document.push_text(text, parent, open.len());
                    }
                }
                NodeContent::Document | NodeContent::Nothing => {}
            }
        }
    }

    /// Collects an element, with its subtree, that is left out but may show something.
    fn gather<'a>(&mut self, element: &'a Linked<'a>, parent: NodeId) {
        let place = self.document.place_after_all(parent);
        let Self { gatherer, document, text, .. } = self;
        let mut open: Vec<Option<&'a Linked<'a>>> = Vec::new();
        let mut next = Some(element);
        loop {
            let Some(linked) = next else {
                let Some(sibling) = open.pop() else { return };
                gatherer.close();
                next = sibling;
                continue;
            };
            // The siblings of the outermost element belong to the tree.
            next = linked.next.get().filter(|_| !open.is_empty());
            match &linked.content {
                NodeContent::Element { name, attributes, .. } => {
                    gatherer.open(&name.local, document.stored(attributes.get()), place);
                    open.push(next);
                    next = linked.first.get();
                }
                NodeContent::Text(span) => gatherer.text(&text[span.get().range()]),
                NodeContent::Document | NodeContent::Nothing => {}
            }
        }
    }

    fn read_head_children(&mut self, head: &Linked<'_>) {
        for child in head.children() {
            if let NodeContent::Element { name, attributes, .. } = &child.content {
                self.read_head(child, name, attributes.get());
                self.read_nested_head(child, name);
            }
        }
    }

    /// Reads a `<noscript>` in the head, which may contain metas and links (AMP, tag managers).
    fn read_nested_head(&mut self, linked: &Linked<'_>, name: &QualName) {
        if name.local != local_name!("noscript") {
            return;
        }
        for child in linked.children() {
            if let NodeContent::Element { name, attributes, .. } = &child.content {
                self.read_head(child, name, attributes.get());
            }
        }
    }

    fn child_text(&self, linked: &Linked<'_>) -> String {
        let text = |child: &Linked<'_>| match &child.content {
            NodeContent::Text(span) => Some(&self.text[span.get().range()]),
            _ => None,
        };
        linked.children().filter_map(text).collect()
    }

    fn read_head(&mut self, linked: &Linked<'_>, name: &QualName, span: BufferRange) {
        if name.ns != ns!(html) {
            return;
        }
        let Document { head, attributes, values, .. } = &mut self.document;
        let attribute = |wanted: &LocalName| {
            let found = attributes[span.range()].iter().find(|own| own.name == *wanted)?;
            Some(&values[found.value.range()])
        };
        head.read_tag(&name.local, attribute);
        if head.wants_text(&name.local, attribute(&local_name!("type"))) {
            let text = self.child_text(linked);
            self.document.head.read_text(&name.local, text);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn texts_for_readers_without_scripts_are_longer_than_requests() {
        let of = |words: usize| {
            let text = "allow scripts please ".repeat(words / 3);
            crate::parse(&format!("<p>News<div id=app></div><noscript><p>{text}</noscript>"))
        };
        assert_eq!(of(60).all_text(), "News");
        assert!(of(90).all_text().contains("scripts"));
    }
}
