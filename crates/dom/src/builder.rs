//! Builds a [`Document`] node by node, for trees that were changed after parsing.

use html5ever::{LocalName, local_name};

use crate::aside::{Gatherer, may_show};
use crate::document::{BufferRange, Document, NodeId, ParseNotes};
use crate::flatten::{is_dropped_name, is_shadow_root};
use crate::head::Head;
use crate::is_void;

/// Takes nodes in document order and lays them out as a parse with [`Keep::Content`](crate::Keep) does: elements without readable
/// content are left out with their subtrees, those that are shown are collected in the document's [`Aside`](crate::Aside),
/// and adjacent texts are joined.
#[derive(Debug, Default)]
pub struct Builder {
    document: Document,
    /// The open elements; `None` for those left out.
    open: Vec<Option<NodeId>>,
    gatherer: Gatherer,
    /// Whether all elements are kept.
    keeps_all: bool,
}

impl Builder {
    /// Starts a document with this head.
    pub fn new(head: Head, notes: ParseNotes) -> Self {
        let document = Document { head, notes, ..Document::default() };
        Self { document, ..Self::default() }
    }

    /// Starts a document without a head that keeps every element.
    pub fn of_all() -> Self {
        Self { keeps_all: true, ..Self::default() }
    }

    /// Whether the current position is inside an element that is left out.
    fn is_left_out(&self) -> bool {
        matches!(self.open.last(), Some(None))
    }

    fn push(&mut self, name: Option<&LocalName>, span: BufferRange) -> NodeId {
        let parent = self.open.last().copied().flatten().unwrap_or(0);
        self.document.push(name, parent, self.open.len(), span)
    }

    /// Starts an element. Returns its id, or `None` if it is left out with its subtree. Every
    /// element that is opened must be closed.
    pub fn open<'a>(
        &mut self,
        name: &LocalName,
        attributes: impl Iterator<Item = (&'a LocalName, &'a str)> + Clone,
    ) -> Option<NodeId> {
        let is_head = *name == local_name!("head");
        let is_dropped = || is_dropped_name(name) && !is_shadow_root(name, attributes.clone());
        if self.is_left_out() || !self.keeps_all && (is_head || is_dropped()) {
            let parent = self.open.last().copied().flatten();
            if self.gatherer.is_open() || parent.is_some() && may_show(name, attributes.clone()) {
                let place = self.document.place_after_all(parent.unwrap_or(0));
                self.gatherer.open(name, attributes, place);
            }
            self.open.push(None);
            return None;
        }
        let span = self.document.push_attributes(attributes);
        let id = self.push(Some(name), span);
        // Void elements have no content.
        self.open.push((!is_void(name)).then_some(id));
        Some(id)
    }

    /// Adds a piece of text. Returns the id of the text node that contains it, or `None` if it is
    /// left out.
    pub fn text(&mut self, text: &str) -> Option<NodeId> {
        if self.gatherer.is_open() {
            self.gatherer.text(text);
        }
        let parent = self.open.last().copied().flatten()?;
        Some(self.document.push_text(text, parent, self.open.len()))
    }

    /// Ends the element that was opened last.
    pub fn close(&mut self) {
        if self.gatherer.is_open() {
            self.gatherer.close();
        }
        if let Some(Some(id)) = self.open.pop() {
            self.document.nodes[id as usize].end = self.document.nodes.len() as NodeId;
        }
    }

    /// Returns the document. A document without elements gets an empty root, like a parsed page.
    pub fn finish(mut self) -> Document {
        while !self.open.is_empty() {
            self.close();
        }
        if self.document.nodes.is_empty() {
            self.push(Some(&local_name!("html")), BufferRange::default());
        }
        self.document.aside = self.gatherer.finish();
        self.document
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keep, ParseOptions, parse, parse_with};

    /// Rebuilds a page node by node.
    fn rebuilt(html: &str) -> Document {
        let whole =
            parse_with(html, &ParseOptions { keep: Keep::Scripts, ..ParseOptions::CONTENT });
        let mut builder = Builder::new(whole.head().clone(), whole.notes());
        let mut open: Vec<NodeId> = Vec::new();
        for id in whole.ids() {
            while open.pop_if(|last| whole.node(*last).end <= id).is_some() {
                builder.close();
            }
            if let Some(element) = whole.element(id) {
                builder.open(element.name, element.attributes());
                open.push(id);
            } else {
                builder.text(whole.text(id).unwrap_or_default());
            }
        }
        builder.finish()
    }

    #[test]
    fn what_is_rebuilt_is_what_is_parsed() {
        for html in [
            "<title>t</title><p>a<script>b</script>c<br>d<svg><p>e</svg>",
            "<table><tr><td>1<td class='x y'>2</table>x<select><option>y</select>z<!-- c -->w",
            "",
            "<body><noscript><p>n</p></noscript><template><p>t</template><p id=a>b<p>c",
            "<x-a><template shadowrootmode=open><h1>s</h1><slot></slot></template><p>t</x-a>u",
            "a<math><mi>x</mi></math>b<iframe>c</iframe>d",
        ] {
            let (ours, theirs) = (rebuilt(html), parse(html));
            assert!(ours.same_tree(&theirs), "{html}\n{ours:?}\n{theirs:?}");
        }
    }
}
