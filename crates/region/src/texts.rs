//! Counts the texts of a page.

use dom::{Document, NodeId, PrefixSums, local_names};
use url::Url;

use crate::names::NamedKinds;

/// A page with its texts, in bytes of visible text.
pub(crate) struct PageTexts<'a> {
    pub(crate) document: &'a Document,
    pub(crate) base: &'a Url,
    /// All text.
    pub(crate) all: PrefixSums,
    /// Text within `<a href>`.
    pub(crate) linked: PrefixSums,
    /// The text of the article, without captions.
    pub(crate) kept: PrefixSums,
    /// The classification of elements by their names.
    pub(crate) names: NamedKinds,
    /// The first and last text of the article.
    pub(crate) first: NodeId,
    pub(crate) last: NodeId,
    /// The innermost element that contains more than half of the article's text and is not a paragraph or the like.
    pub(crate) body: NodeId,
}

impl PageTexts<'_> {
    /// Returns the outermost element around a node (or the node) without text of the article; `None` if it, or an element up to
    /// it, does not belong to the article by its name. Returns the node itself if it has text of the article.
    pub(crate) fn top(&self, id: NodeId) -> Option<NodeId> {
        let mut top = id;
        for around in self.document.ancestors(id) {
            if self.kept.sum(self.document, around) > 0 {
                break;
            }
            if self.names.is_foreign(self.document, around) {
                return None;
            }
            top = around;
        }
        Some(top)
    }

    /// Whether a node is between two texts of the article.
    pub(crate) fn is_between(&self, id: NodeId) -> bool {
        self.first < id && id < self.last
    }

    /// Bytes of text in a subtree.
    pub(crate) fn text(&self, id: NodeId) -> u32 {
        self.all.sum(self.document, id)
    }

    /// Bytes of the article's text in a subtree.
    pub(crate) fn own(&self, id: NodeId) -> u32 {
        self.kept.sum(self.document, id)
    }

    /// Whether more than half of the text of a subtree is in links.
    pub(crate) fn is_linked(&self, id: NodeId) -> bool {
        self.linked.sum(self.document, id) * 2 > self.text(id)
    }
}

/// Returns the innermost element that contains more than half of some text and may contain paragraphs.
pub(crate) fn body_of(document: &Document, kept: &PrefixSums) -> NodeId {
    let may_hold_paragraphs = |id: NodeId| {
        !document.is_inline(id)
            && document.name(id).is_some_and(|name| {
                !matches!(*name, local_names!("p" "ul" "ol" "dl" "pre" "table" "blockquote"))
            })
    };
    let mut body = 0;
    loop {
        let has_most =
            |id: &NodeId| kept.sum(document, *id) > kept.total() / 2 && may_hold_paragraphs(*id);
        match document.children(body).find(has_most) {
            Some(inner) => body = inner,
            None => return body,
        }
    }
}

/// Counts the bytes of a text without white space around it.
pub(crate) fn visible(text: &str) -> u32 {
    text.trim_ascii().len() as u32
}
