//! Renders nodes as Markdown (CommonMark with GitHub's tables, strikethrough and footnotes).
//!
//! Text stays text: when rendered, the Markdown has the words of [`super::text_of`], whatever
//! characters they contain. [`inline`] writes lines, [`escape`] escapes text, [`blocks`] assembles
//! lines, [`table`] writes tables.

mod blocks;
mod escape;
mod inline;
mod table;
#[cfg(test)]
mod tests;

use html5ever::local_name;
use url::Url;

use self::blocks::{BlockKind, MarkdownBlock, OpenBlock};
pub use self::blocks::{language_named, language_of_code};
use self::inline::{MarkdownLine, Style};
use super::formula::Formula;
use super::notes::FootnoteMap;
use super::raised::raised_text;
use super::text::{Edit, WalkEvent, edit_of, follows_other, for_each_kept};
use crate::document::is_space;
use crate::names::heading_level;
use crate::{Document, Element, NodeId, is_void, link_target, web_url};

/// Maximum depth of nested lists and quotations, because every level indents every line. Deeper levels are written at this depth.
const DEEPEST: usize = 12;

/// Markdown of the subtrees of `roots` without the subtrees of `prune`, in document order. Links
/// and images are resolved against `base`: links keep only `http`, `https`, `ftp`, `mailto` and `tel`, pictures
/// only `http` and `https`.
///
/// Headings, lists, quotations, code blocks with their language, data tables, emphasis, strikethrough, code, links, footnotes and
/// images are written as such. Only the content of layout tables is written. Images embedded in the page, audio and video are
/// left out. No line break at the end.
pub fn markdown_of(document: &Document, roots: &[NodeId], prune: &[NodeId], base: &Url) -> String {
    let mut writer = MarkdownWriter {
        document,
        base,
        frames: vec![OpenBlock::new(BlockKind::Root)],
        open: Vec::new(),
        style: Style::default(),
        links: Vec::new(),
        notes: FootnoteMap::of(document, roots, prune),
        written_end: 0,
        after: None,
    };
    for_each_kept(document, roots, prune, &mut |event| match event {
        WalkEvent::Open(id) => {
            if let Some(element) = document.element(id) {
                let undo = writer.begin(element);
                if document.node(id).end > id + 1 {
                    writer.open.push(undo);
                } else {
                    writer.undo(undo);
                }
            }
        }
        WalkEvent::Close(_) => {
            if let Some(undo) = writer.open.pop() {
                writer.undo(undo);
            }
        }
        WalkEvent::Text(id) if id < writer.written_end => {}
        WalkEvent::Text(id) => writer.text(document.text(id).unwrap_or_default()),
        WalkEvent::Gap => writer.paragraph(),
    });
    writer.close_to(1);
    let root = writer.frames.pop();
    root.map_or_else(String::new, |root| blocks::join_blocks(root.into_blocks(&writer.links)))
}

/// Markdown of plain text as returned by [`super::text_of`]: its paragraphs and lines, with all markup characters escaped.
pub fn markdown_of_text(text: &str) -> String {
    let paragraph = |paragraph: &str| {
        let mut line = MarkdownLine::default();
        for (at, text) in paragraph.lines().enumerate() {
            if at > 0 {
                line.line_break();
            }
            line.text(text, Style::default());
        }
        line.render(&[], true)
    };
    super::paragraphs(text).map(paragraph).collect::<Vec<_>>().join("\n\n")
}

/// The action at the end of an element.
enum Undo {
    Nothing,
    Paragraph,
    /// End the mark of a note.
    Mark,
    /// Restore this style, and note the end of deleted or inserted text.
    Style(Style, Option<Edit>),
    /// End the paragraph, then restore this style.
    StyledParagraph(Style),
    /// Close frames down to this number.
    Frames(usize),
}

struct MarkdownWriter<'a> {
    document: &'a Document,
    base: &'a Url,
    frames: Vec<OpenBlock>,
    open: Vec<Undo>,
    style: Style,
    links: Vec<String>,
    notes: FootnoteMap,
    /// The end of the last element that was written as a whole: a reference to a note, a formula, a superscript.
    written_end: NodeId,
    /// The kind of edit if the last event was the end of deleted or inserted text.
    after: Option<Edit>,
}

impl MarkdownWriter<'_> {
    fn top(&mut self) -> &mut OpenBlock {
        if self.frames.is_empty() {
            self.frames.push(OpenBlock::new(BlockKind::Root));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Opens a frame and returns the action that closes it.
    fn push(&mut self, kind: BlockKind) -> Undo {
        let depth = self.frames.len();
        self.frames.push(OpenBlock::new(kind));
        Undo::Frames(depth)
    }

    fn push_stray(&mut self, kind: BlockKind) {
        self.frames.push(OpenBlock { stray: true, ..OpenBlock::new(kind) });
    }

    fn close_to(&mut self, depth: usize) {
        while self.frames.len() > depth.max(1) {
            if let (Some(frame), Some(around)) = (self.frames.pop(), self.frames.last_mut()) {
                frame.close_into(around, &self.links);
            }
        }
    }

    /// Ensures that the top frame accepts content: in a list, table or row, content without an
    /// item, row or cell around it gets one.
    fn make_room(&mut self) {
        loop {
            let stray = self.top().stray;
            match self.top().kind {
                BlockKind::List(_) if stray => self.close_to(self.frames.len() - 1),
                BlockKind::List(_) => self.push_stray(BlockKind::Item),
                BlockKind::Table(_) => self.push_stray(BlockKind::Row(Vec::new())),
                BlockKind::Row(_) => self.push_stray(BlockKind::cell(false, 1, 1)),
                _ => return,
            }
        }
    }

    /// Closes the frames that were opened for content without an item, row or cell around it.
    fn close_strays(&mut self) {
        while self.top().stray && !matches!(self.top().kind, BlockKind::List(_)) {
            self.close_to(self.frames.len() - 1);
        }
    }

    fn paragraph(&mut self) {
        if let Some(top) = self.frames.last_mut() {
            top.end_paragraph(&self.links);
        }
    }

    fn text(&mut self, text: &str) {
        if let BlockKind::Pre(code) = &mut self.top().kind {
            code.text.push_str(text);
            return;
        }
        if !text.chars().all(is_space) {
            self.make_room();
        }
        self.after = None;
        let style = self.style;
        let top = self.top();
        let (mark, rest) = split_box(text).filter(|_| top.begins_item()).unzip();
        if let Some(mark) = mark {
            top.line.literal(mark.to_owned());
            top.line.space();
        }
        top.line.text(rest.unwrap_or(text), style);
    }

    fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Nothing => {}
            Undo::Paragraph => self.paragraph(),
            Undo::Mark => {
                self.top().line.trim();
                self.text("]");
            }
            Undo::Style(style, edit) => {
                self.style = style;
                self.after = edit.or(self.after);
            }
            Undo::StyledParagraph(style) => {
                self.paragraph();
                self.style = style;
            }
            Undo::Frames(depth) => self.close_to(depth),
        }
    }

    fn begin(&mut self, element: Element<'_>) -> Undo {
        if self.notes.replaced.contains(&element.id) {
            self.written_end = self.document.node(element.id).end;
        }
        if element.id < self.written_end {
            return Undo::Nothing;
        }
        let is_inline = self.document.is_inline(element.id);
        if matches!(self.top().kind, BlockKind::Pre(_)) {
            if *element.name == local_name!("img") {
                // Code cannot contain pictures: they are written after it.
                self.image(element);
                return Undo::Nothing;
            }
            if *element.name == local_name!("br") || !is_inline {
                self.paragraph();
                return Undo::Paragraph;
            }
            return Undo::Nothing;
        }
        if *element.name == local_name!("math") {
            return self.formula(element);
        }
        if is_inline { self.begin_inline(element) } else { self.begin_block(element) }
    }

    fn begin_inline(&mut self, element: Element<'_>) -> Undo {
        let before = self.style;
        if let Some(edit) = edit_of(element.name) {
            self.style.strike |= edit == Edit::Deleted;
            if follows_other(self.after, element.name) {
                self.top().line.space();
            }
            let has_content = self.document.node(element.id).end > element.id + 1;
            return Undo::Style(before, has_content.then_some(edit));
        }
        match *element.name {
            local_names!("b" "strong") => self.style.strong = true,
            local_names!("i" "em") => self.style.emphasis = true,
            local_name!("sup") => {
                let is_code = |id| self.document.is(id, &local_name!("pre"));
                if self.document.ancestors(element.id).any(is_code) {
                    return Undo::Nothing;
                }
                let last = self.top().line.last_letters();
                let raised = raised_text(self.document, element.id, &last, &self.notes);
                let holds_link = |raised: &String| {
                    let mut below = self.document.subtree(element.id);
                    raised.starts_with('[')
                        && below.any(|id| self.document.is(id, &local_name!("a")))
                };
                if raised.as_ref().is_some_and(holds_link) {
                    self.text("[");
                    return Undo::Mark;
                }
                if let Some(raised) = raised {
                    self.text(&raised);
                    self.written_end = self.document.node(element.id).end;
                }
                return Undo::Nothing;
            }
            local_names!("code" "kbd" "samp" "tt") => {
                // Identified by the element, so that two adjacent code spans stay separate.
                self.style.code = element.id + 1;
            }
            local_name!("a") if self.notes.references.contains_key(&element.id) => {
                let label = &self.notes.references[&element.id];
                self.literal(element.id, format!("[^{label}]"));
            }
            local_name!("a") if self.notes.within.contains(&element.id) => {}
            local_name!("a") => {
                if let Some(url) = link_target(element, self.base) {
                    self.links.push(escape::destination(url.as_str()));
                    self.style.link = self.links.len() as u32;
                }
            }
            local_name!("img") => {
                self.image(element);
                return Undo::Nothing;
            }
            _ => return Undo::Nothing,
        }
        Undo::Style(before, None)
    }

    /// Writes markup in place of an element and its content.
    fn literal(&mut self, id: NodeId, markup: String) {
        self.make_room();
        self.after = None;
        self.top().line.literal(markup);
        self.written_end = self.document.node(id).end;
    }

    fn formula(&mut self, element: Element<'_>) -> Undo {
        let formula = Formula::of(self.document, element.id);
        let is_apart = formula.is_display && !self.top().is_line();
        if is_apart {
            self.make_room();
            self.paragraph();
        }
        self.literal(element.id, formula.marked());
        if is_apart { Undo::Paragraph } else { Undo::Nothing }
    }

    fn image(&mut self, element: Element<'_>) {
        let source = element.attribute(&local_name!("src"));
        if let Some(url) = source.and_then(|source| web_url(source, self.base)) {
            self.make_room();
            let alt = element.attribute(&local_name!("alt")).unwrap_or_default();
            let (url, style) = (escape::destination(url.as_str()), self.style);
            self.top().line.image(alt, &url, style);
        }
    }

    fn begin_block(&mut self, element: Element<'_>) -> Undo {
        let name = element.name;
        if matches!(self.top().kind, BlockKind::Root) {
            if let Some(label) = self.notes.labels.get(&element.id) {
                let kind = BlockKind::Note(label.clone());
                self.paragraph();
                return self.push(kind);
            }
            if self.notes.lists.contains(&element.id) {
                self.paragraph();
                return Undo::Paragraph;
            }
        }
        match *name {
            local_name!("li") => {
                self.close_strays();
                let bare = !matches!(self.top().kind, BlockKind::List(_)) && !self.top().is_line();
                if bare && self.may_nest() {
                    self.paragraph();
                    let (ordered, number) = self.place_in_list(element);
                    self.push_stray(BlockKind::list(ordered, number));
                }
                if matches!(self.top().kind, BlockKind::List(_)) {
                    return self.push(BlockKind::Item);
                }
            }
            local_name!("tr") => {
                self.close_strays();
                if matches!(self.top().kind, BlockKind::Table(_)) {
                    return self.push(BlockKind::Row(Vec::new()));
                }
            }
            local_names!("td" "th") => {
                if self.top().stray && matches!(self.top().kind, BlockKind::Cell { .. }) {
                    self.close_to(self.frames.len() - 1);
                }
                if matches!(self.top().kind, BlockKind::Row(_)) {
                    let span = |name| {
                        let value = element.attribute(&name).and_then(|v| v.trim().parse().ok());
                        value.unwrap_or(1_usize)
                    };
                    let header = *name == local_name!("th");
                    let (columns, rows) =
                        (span(local_name!("colspan")), span(local_name!("rowspan")));
                    return self.push(BlockKind::cell(header, columns, rows));
                }
            }
            local_name!("caption") if matches!(self.top().kind, BlockKind::Table(_)) => {
                return self.push(BlockKind::Caption);
            }
            _ if table::is_part(name) && self.top().is_table() => return Undo::Nothing,
            _ => {}
        }
        self.make_room();
        if self.top().is_line() {
            let before = self.style;
            self.top().line.space();
            let is_cell = matches!(&self.top().kind, BlockKind::Cell(cell) if !cell.header);
            match *name {
                local_name!("pre") => self.style.code = element.id + 1,
                _ => self.style.strong |= is_cell && heading_level(name).is_some(),
            }
            return Undo::StyledParagraph(before);
        }
        if *name == local_name!("br") {
            if !self.top().line.line_break() {
                self.paragraph();
            }
            return Undo::Nothing;
        }
        self.paragraph();
        if let Some(level) = heading_level(name) {
            return self.push(BlockKind::Heading(level));
        }
        match *name {
            local_name!("hr") => {
                // The only form that a preceding list marker does not turn into something else.
                self.top().blocks.push(MarkdownBlock::other("___".to_owned()));
                Undo::Nothing
            }
            local_name!("pre") => {
                let language = language_of_code(self.document, element);
                self.push(BlockKind::Pre(blocks::Code { text: String::new(), language }))
            }
            local_name!("blockquote") if self.may_nest() => self.push(BlockKind::Quote),
            local_names!("ul" "ol" "menu" "dir") if self.may_nest() => {
                let ordered = *name == local_name!("ol");
                let of_item = || {
                    let mut items = self.document.children(element.id);
                    let first = items.find(|&id| self.document.is(id, &local_name!("li")))?;
                    self.document.attribute(first, &local_name!("value"))
                };
                let start = element.attribute(&local_name!("start")).or_else(of_item);
                let number = start.and_then(|s| s.trim().parse().ok()).unwrap_or(1);
                self.push(BlockKind::list(ordered, number))
            }
            local_name!("table") if table::is_of_data(self.document, element.id) => {
                self.push(BlockKind::Table(Vec::new()))
            }
            local_name!("dt") => {
                let before = self.style;
                self.style.strong = true;
                Undo::StyledParagraph(before)
            }
            _ if is_void(name) => Undo::Nothing,
            _ => Undo::Paragraph,
        }
    }

    /// Whether another list or quotation may be opened here.
    fn may_nest(&self) -> bool {
        let nests =
            |frame: &&OpenBlock| matches!(frame.kind, BlockKind::List(_) | BlockKind::Quote);
        self.frames.iter().filter(nests).count() < DEEPEST
    }

    /// Returns whether the list of an item is ordered, and the item's number, for an item whose list is not kept.
    fn place_in_list(&self, item: Element<'_>) -> (bool, u32) {
        let document = self.document;
        let parent = document.parent(item.id);
        let ordered = parent.is_some_and(|p| document.is(p, &local_name!("ol")));
        let before = parent.into_iter().flat_map(|p| document.children(p));
        let before = before.take_while(|&c| c < item.id);
        let number = before.filter(|&c| document.is(c, &local_name!("li"))).count() as u32 + 1;
        (ordered, number)
    }
}

/// Splits a text that begins with a check box into its task marker (GitHub Flavored Markdown §5.3) and the rest.
fn split_box(text: &str) -> Option<(&'static str, &str)> {
    let text = text.trim_start();
    let mark = match text.chars().next()? {
        '\u{2610}' => "[ ]",
        '\u{2611}' | '\u{2612}' => "[x]",
        _ => return None,
    };
    let rest = &text['\u{2610}'.len_utf8()..];
    rest.starts_with(is_space).then_some((mark, rest))
}
