/*!
The region of an article: the text that an engine found, with everything else of the article that readers see.

Text is for counting, searching and comparing; it leaves out what is not prose. HTML is for reading. Both are written from one
tree, so they differ only where that is intended. [`region_of`] takes a page and the nodes with the text of an article, and
builds a new tree from them. It adds figures and their captions, complete lists and tables, code, quotations, formulas and
notes between these nodes or directly next to them, and writes links in place of embedded media. Text that nobody sees, the
interface, teasers, author boxes, advertisements and galleries of other articles are left out.

The tree has only allowed elements and attributes, in places where HTML allows them: a parser reads the same tree from its
HTML. Text, HTML, Markdown and the lists of pictures, tables, embedded media and notes are all made from it.

Invariants: nothing here recurses; a region depends only on the page and the nodes.
*/

mod allowed;
mod build;
mod captions;
mod choose;
mod code;
mod embed;
mod formulas;
mod further;
mod hidden;
mod katex;
mod labels;
mod media;
mod names;
mod notes;
mod picture;
mod records;
mod structures;
mod texts;
mod tidy;
mod tree;
mod write;

pub use captions::is_in_caption;
use dom::{Document, NodeId, WrittenBlock};
pub use hidden::is_hidden_from_sight;
use model::{Embed, Footnote, Image, Table};
use url::Url;

pub use build::PostStart;
use build::RegionBuilder;
use choose::ChosenNodes;
use notes::Anchors;
use tree::RegionTree;

/// The region of an article.
#[derive(Debug)]
pub struct Region<'a> {
    tree: RegionTree<'a>,
}

/// The nodes of a page that belong to an article.
#[derive(Debug)]
pub struct ChosenArticle<'a, 'b> {
    document: &'a Document,
    base: &'b Url,
    chosen: ChosenNodes,
    anchors: Anchors,
}

impl<'a, 'b> ChosenArticle<'a, 'b> {
    /// Chooses the nodes of the article whose text is in the subtrees of `keep` without those of `prune`; the nearest one above a
    /// text decides. Nothing in the subtrees of `left_out` is added to the text. Addresses are resolved against `base`. `None` if
    /// there is no text. Linear in the page's nodes for each level of nesting.
    pub fn of(
        document: &'a Document,
        keep: &[NodeId],
        prune: &[NodeId],
        left_out: &[NodeId],
        base: &'b Url,
    ) -> Option<Self> {
        let (chosen, anchors) = choose::choose(document, [keep, prune, left_out], base)?;
        Some(Self { document, base, chosen, anchors })
    }

    /// Returns the region. Before each of `posts`, which are in page order, a rule and a byline are written.
    pub fn region(&self, posts: &[PostStart]) -> Region<'a> {
        let Self { document, base, chosen, anchors } = self;
        let tree = RegionTree::new(chosen.include.iter().filter(|own| **own).count());
        let line_notes = Vec::new();
        let mut tree =
            RegionBuilder { document, base, chosen, anchors, posts, tree, line_notes }.build();
        notes::split_notes(&mut tree);
        tidy::tidy(&mut tree);
        labels::settle_labels(&mut tree);
        notes::restore_outer_links(&mut tree, base);
        Region { tree }
    }
}

/// Returns the region of the article that [`ChosenArticle::of`] chooses.
pub fn region_of<'a>(
    document: &'a Document,
    keep: &[NodeId],
    prune: &[NodeId],
    base: &Url,
) -> Option<Region<'a>> {
    Some(ChosenArticle::of(document, keep, prune, &[], base)?.region(&[]))
}

impl Region<'_> {
    /// Returns the region as an HTML fragment that is safe to show anywhere.
    ///
    /// Links keep only `http`, `https`, `ftp`, `mailto` and `tel`; pictures only `http`, `https` and embedded bitmaps.
    /// Scripts, frames, forms, event handlers and styles never appear; other elements that begin a new line become `div`.
    /// Ids are kept where links of the region refer to them, and begin with `article-`.
    pub fn html(&self) -> String {
        write::html_of(&self.tree)
    }

    /// Returns the region as Markdown: see [`dom::markdown_of`]. Players are written as links, formulas as TeX.
    pub fn markdown(&self, base: &Url) -> String {
        dom::markdown_of(&write::document_of(&self.tree, false).0, &[0], &[], base)
    }

    /// Returns the text of the region: see [`dom::text_with_notes`]. Captions, boxes and notes that are only shown with the
    /// article's text, and embedded media, are not part of it.
    pub fn text(&self) -> String {
        dom::text_with_notes(&write::document_of(&self.tree, true).0)
    }

    /// Returns the text and its blocks, in order. Each post of a thread begins a block.
    pub fn text_and_blocks(&self) -> (String, Vec<WrittenBlock>) {
        let (document, posts) = write::document_of(&self.tree, true);
        dom::text_and_blocks(&document, &posts)
    }

    /// Returns its pictures, and the other sources of each, in order, without pictures whose bytes are part of the page.
    pub fn images(&self) -> (Vec<Image>, Vec<Vec<String>>) {
        records::images(&self.tree)
    }

    /// Returns its tables, in order.
    pub fn tables(&self) -> Vec<Table> {
        records::tables(&self.tree)
    }

    /// Returns its embedded media, in order.
    pub fn embeds(&self) -> Vec<Embed> {
        records::embeds(&self.tree)
    }

    /// Returns the notes that it refers to, in order.
    pub fn footnotes(&self) -> Vec<Footnote> {
        records::footnotes(&self.tree)
    }
}
