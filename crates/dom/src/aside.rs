//! Collects elements that are shown on the page but are not part of the tree.

use html5ever::{LocalName, local_name};

use crate::document::{Aside, AsidePlace, BufferRange, Document, NodeId};
use crate::is_void;

/// Whether an element that is left out of the tree may be visible on the page.
pub(crate) fn may_show<'a>(
    name: &LocalName,
    attributes: impl Iterator<Item = (&'a LocalName, &'a str)>,
) -> bool {
    matches!(*name, local_names!("iframe" "object" "embed" "noscript" "math"))
        || is_formula(name, attributes)
}

/// Whether an element is a script with the TeX of a formula, which MathJax shows in its place.
fn is_formula<'a>(
    name: &LocalName,
    mut attributes: impl Iterator<Item = (&'a LocalName, &'a str)>,
) -> bool {
    *name == local_name!("script")
        && attributes.any(|(name, value)| *name == local_name!("type") && is_tex(value))
}

pub(crate) fn is_tex(media_type: &str) -> bool {
    media_type.trim().starts_with("math/tex")
}

/// Whether an element inside a collected one never shows anything.
fn shows_nothing(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "script" "style" "template" "svg" "link" "meta" "base" "title" "select" "textarea"
        )
    )
}

/// Builds the [`Aside`] from nodes in document order.
#[derive(Debug, Default)]
pub(crate) struct Gatherer {
    aside: Aside,
    /// Open elements; `None` for those left out with their content.
    open: Vec<Option<NodeId>>,
    /// Whether the outermost open element shows anything so far.
    shows: bool,
    /// State before the outermost open element: numbers of nodes and attributes, bytes of values and texts.
    before: (usize, usize, usize, usize),
}

impl Gatherer {
    /// Whether an element is open, so that the next nodes belong to it.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether an element was collected whose place is after this node of the page.
    pub(crate) fn has_place_after(&self, node: NodeId) -> bool {
        self.aside.places.last().is_some_and(|place| place.before > node)
    }

    /// Starts an element. `place` is its place in the tree if it is an outermost one.
    pub(crate) fn open<'a>(
        &mut self,
        name: &LocalName,
        attributes: impl Iterator<Item = (&'a LocalName, &'a str)> + Clone,
        place: AsidePlace,
    ) {
        let is_outermost = self.open.is_empty();
        let shows_nothing = shows_nothing(name) && !is_formula(name, attributes.clone());
        if shows_nothing || matches!(self.open.last(), Some(None)) {
            self.open.push(None);
            return;
        }
        let document = &mut self.aside.document;
        if document.nodes.is_empty() {
            document.push(Some(&local_name!("html")), 0, 0, BufferRange::default());
        }
        if is_outermost {
            self.shows = *name != local_name!("noscript");
            let Document { nodes, attributes, values, text, .. } = &*document;
            self.before = (nodes.len(), attributes.len(), values.len(), text.len());
            let id = nodes.len() as NodeId;
            self.aside.places.push(AsidePlace { id, ..place });
        }
        self.shows |= matches!(*name, local_names!("img" "iframe" "video" "audio"));
        let span = document.push_attributes(attributes);
        let parent = self.open.last().copied().flatten().unwrap_or(0);
        let id = document.push(Some(name), parent, self.open.len() + 1, span);
        // Void elements have no content.
        self.open.push((!is_void(name)).then_some(id));
    }

    pub(crate) fn text(&mut self, text: &str) {
        // The content of a frame is a fallback for programs without support for frames.
        let is_frame = |id: &NodeId| self.aside.document.is(*id, &local_name!("iframe"));
        if let Some(parent) = self.open.last().copied().flatten().filter(|id| !is_frame(id)) {
            self.aside.document.push_text(text, parent, self.open.len() + 1);
        }
    }

    /// Ends the element that was opened last. An outermost element that shows nothing is discarded.
    pub(crate) fn close(&mut self) {
        let document = &mut self.aside.document;
        if let Some(Some(id)) = self.open.pop() {
            document.nodes[id as usize].end = document.nodes.len() as NodeId;
        }
        if self.open.is_empty() && !self.shows {
            let (nodes, attributes, values, text) = self.before;
            document.nodes.truncate(nodes);
            document.attributes.truncate(attributes);
            document.values.truncate(values);
            document.text.truncate(text);
            self.aside.places.pop();
        }
    }

    pub(crate) fn finish(mut self) -> Option<Box<Aside>> {
        while self.is_open() {
            self.close();
        }
        let Document { nodes, attributes, .. } = &mut self.aside.document;
        let end = nodes.len() as NodeId;
        if let Some(root) = nodes.first_mut() {
            root.end = end;
        }
        nodes.shrink_to_fit();
        attributes.shrink_to_fit();
        (!self.aside.places.is_empty()).then(|| Box::new(self.aside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn what_shows_something_has_its_place() {
        let page = parse(
            "<p id=a>one<iframe src=/x></iframe>two</p><noscript><img src=t><b>n</b></noscript>\
             <noscript>count</noscript><div><math><mi>x</mi></math></div><script>s</script>",
        );
        let aside = page.aside().unwrap();
        let of = |place: &AsidePlace| {
            let name = aside.document.name(place.id).map(|name| name.to_string());
            let parent = page.name(place.parent).map(|name| name.to_string());
            (name.unwrap(), parent.unwrap(), aside.document.text_content(place.id))
        };
        let found: Vec<_> = aside.places.iter().map(of).collect();
        let expected = [("iframe", "p", ""), ("noscript", "body", "n"), ("math", "div", "x")];
        assert_eq!(found, expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c)));
        // The texts on both sides of the frame are one node.
        assert_eq!(page.text(aside.places[0].before - 1), Some("onetwo"));
        assert_eq!(aside.places[0].within, 3);
        assert!(parse("<p>a<noscript>b</noscript>").aside().is_none());
        for doctype in ["<!doctype html>", "\0"] {
            let page =
                parse(&format!("{doctype}<p>a<script type='math/tex; mode=display'>x<y</script>b"));
            let aside = page.aside().unwrap();
            assert_eq!(aside.document.text_content(aside.places[0].id), "x<y");
            assert!(page.all_text().ends_with("ab"));
        }
    }
}
