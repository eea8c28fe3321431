//! Records the blocks of a text while it is written: headings, prose, lists, tables and code.

use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use html5ever::local_name;

use crate::names::heading_level;
use crate::{Document, NodeId, is_heading};

/// A block of a text: a paragraph, a heading, or the whole of a list, a table or a piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenBlock {
    /// Its byte range in the text. Between two blocks there is only white space.
    pub range: Range<usize>,
    /// What it is.
    pub kind: WrittenBlockKind,
    /// Byte offsets of the items of a list or the rows of a table, without the first.
    pub items: Vec<usize>,
    /// Whether a post of a thread begins with this block.
    pub begins_post: bool,
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenBlockKind {
    /// A heading of this level, 1 to 6.
    Heading(u8),
    /// A paragraph.
    Prose,
    /// A list without headings. Lists with headings are divided into the blocks in them.
    List,
    /// A table.
    Table,
    /// Preformatted text.
    Code,
}

/// Records the blocks of a text while its document is walked.
pub(super) struct BlockRecorder<'a> {
    document: &'a Document,
    headings: Vec<NodeId>,
    /// First nodes of the posts that are still to come.
    posts: Peekable<Iter<'a, NodeId>>,
    /// The outermost structure around the current node.
    structure: Option<(NodeId, WrittenBlockKind)>,
    /// The structure of the last line.
    of_last_line: Option<NodeId>,
    /// Whether an item or row, and a post, has begun since the last line.
    begins_item: bool,
    begins_post: bool,
    blocks: Vec<WrittenBlock>,
}

impl<'a> BlockRecorder<'a> {
    pub(super) fn new(document: &'a Document, posts: &'a [NodeId]) -> Self {
        let is_title = |id: &NodeId| document.name(*id).is_some_and(is_heading);
        Self {
            document,
            headings: document.ids().filter(is_title).collect(),
            posts: posts.iter().peekable(),
            structure: None,
            of_last_line: None,
            begins_item: false,
            begins_post: false,
            blocks: Vec::new(),
        }
    }

    /// Visits the next node of the walk, before its text is written.
    pub(super) fn visit(&mut self, id: NodeId) {
        let document = self.document;
        self.structure = self.structure.filter(|own| id < document.node(own.0).end);
        while self.posts.next_if(|post| **post <= id).is_some() {
            self.begins_post = true;
        }
        match self.structure {
            None => self.structure = self.kind_of(id).map(|kind| (id, kind)),
            Some(_) => {
                self.begins_item |=
                    matches!(document.name(id), Some(&local_names!("tr" "li" "dt")));
            }
        }
    }

    fn kind_of(&self, id: NodeId) -> Option<WrittenBlockKind> {
        let name = self.document.name(id)?;
        if let Some(level) = heading_level(name) {
            return Some(WrittenBlockKind::Heading(level));
        }
        match *name {
            local_name!("pre") => Some(WrittenBlockKind::Code),
            local_name!("table") => Some(WrittenBlockKind::Table),
            local_names!("ul" "ol" "dl") => {
                let next = self.headings.partition_point(|heading| *heading < id);
                let end = self.document.node(id).end;
                let holds_heading = self.headings.get(next).is_some_and(|heading| *heading < end);
                (!holds_heading).then_some(WrittenBlockKind::List)
            }
            _ => None,
        }
    }

    /// Records that a separate piece of text begins at `at`; the text before it ends at `before`.
    pub(super) fn begin_text(&mut self, before: usize, at: usize, is_paragraph: bool) {
        let structure = self.structure.map(|own| own.0);
        let is_other = structure != self.of_last_line || structure.is_none() && is_paragraph;
        let begins_item = std::mem::take(&mut self.begins_item);
        match self.blocks.last_mut() {
            Some(last) if !is_other && !self.begins_post => {
                last.items.extend(begins_item.then_some(at));
            }
            last => {
                last.into_iter().for_each(|last| last.range.end = before);
                self.blocks.push(WrittenBlock {
                    range: at..at,
                    kind: self.structure.map_or(WrittenBlockKind::Prose, |own| own.1),
                    items: Vec::new(),
                    begins_post: std::mem::take(&mut self.begins_post),
                });
            }
        }
        self.of_last_line = structure;
    }

    pub(super) fn finish(mut self, length: usize) -> Vec<WrittenBlock> {
        self.blocks.last_mut().into_iter().for_each(|last| last.range.end = length);
        self.blocks
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::text_and_blocks;
    use super::WrittenBlockKind::{Code, Heading, List, Prose, Table};
    use super::*;
    use crate::parse;

    /// The kinds and texts of the blocks of a page, with `|` where items begin.
    fn blocks(html: &str) -> Vec<(WrittenBlockKind, String)> {
        let (text, blocks) = text_and_blocks(&parse(html), &[]);
        let shown = |block: &WrittenBlock| {
            let mut own = text[block.range.clone()].to_owned();
            for item in block.items.iter().rev() {
                own.insert(item - block.range.start, '|');
            }
            (block.kind, own)
        };
        blocks.iter().map(shown).collect()
    }

    #[test]
    fn a_text_is_written_in_blocks() {
        let html = "<h2>On <i>bridges</i></h2><p>One<br>two<p>three</p><ul><li>a<li>b<ul><li>c</ul></ul>\
                    <table><caption>T</caption><tr><td>1<td>2<tr><td>3<td>4</table>\
                    <pre>x\n\n  y</pre><dl><dt>d<dd>e<dt>f<dd>g</dl>end";
        let expected = [
            (Heading(2), "On bridges"),
            (Prose, "One\ntwo"),
            (Prose, "three"),
            (List, "a\n|b\n\n|c"),
            (Table, "T\n\n|1\n2\n|3\n4"),
            (Code, "x\n\n  y"),
            (List, "d\ne\n|f\ng"),
            (Prose, "end"),
        ];
        assert_eq!(blocks(html), expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn lists_of_sections_are_their_sections() {
        let html = "<ol><li><h3>Cut</h3><p>Cut it.</p><ul><li>thin<li>long</ul><li><h3>Glue</h3>Then glue.</ol>";
        let expected = [
            (Heading(3), "Cut"),
            (Prose, "Cut it."),
            (List, "thin\n|long"),
            (Heading(3), "Glue"),
            (Prose, "Then glue."),
        ];
        assert_eq!(blocks(html), expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn posts_begin_blocks() {
        let document = parse("<div>one<br><b>two</b></div>");
        let two = document.ids().find(|&id| document.text(id) == Some("two")).unwrap();
        let (text, blocks) = text_and_blocks(&document, &[two]);
        let found: Vec<(&str, bool)> =
            blocks.iter().map(|own| (&text[own.range.clone()], own.begins_post)).collect();
        assert_eq!(found, [("one", false), ("two", true)]);
    }
}
