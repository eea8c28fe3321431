//! Blocks assembled from lines: paragraphs, headings, lists, quotations, code.

use html5ever::local_name;

use super::inline::{MarkdownLine, longest_run};
use super::table::{self, TableCell};
use crate::{Document, Element, class_tokens};

#[derive(Debug)]
pub(super) struct MarkdownBlock {
    text: String,
    kind: WrittenKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrittenKind {
    Paragraph,
    /// A list with its marker (`-`, `*`, `.` or `)`), and whether it can follow a line without a blank line.
    List(char, bool),
    Other,
}

impl MarkdownBlock {
    fn paragraph(text: String) -> Self {
        Self { text, kind: WrittenKind::Paragraph }
    }

    pub(super) fn other(text: String) -> Self {
        Self { text, kind: WrittenKind::Other }
    }
}

#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) text: String,
    pub(super) language: String,
}

#[derive(Debug)]
pub(super) struct MarkdownList {
    ordered: bool,
    number: u32,
    items: Vec<Vec<MarkdownBlock>>,
}

#[derive(Debug)]
pub(super) enum BlockKind {
    Root,
    Quote,
    /// A footnote with its label.
    Note(String),
    List(MarkdownList),
    Item,
    Heading(u8),
    Caption,
    Pre(Code),
    Table(Vec<Vec<TableCell>>),
    Row(Vec<TableCell>),
    Cell(TableCell),
}

impl BlockKind {
    pub(super) fn list(ordered: bool, number: u32) -> Self {
        // Markdown allows at most nine digits.
        let number = if number > 900_000_000 { 1 } else { number };
        Self::List(MarkdownList { ordered, number, items: Vec::new() })
    }

    pub(super) fn cell(header: bool, columns: usize, rows: usize) -> Self {
        Self::Cell(TableCell { text: String::new(), header, columns, rows })
    }
}

/// A block under construction: the blocks inside it, and the current paragraph.
#[derive(Debug)]
pub(super) struct OpenBlock {
    pub(super) kind: BlockKind,
    /// Whether it was opened for content that is not in an element of this kind.
    pub(super) stray: bool,
    pub(super) blocks: Vec<MarkdownBlock>,
    pub(super) line: MarkdownLine,
}

impl OpenBlock {
    pub(super) fn new(kind: BlockKind) -> Self {
        Self { kind, stray: false, blocks: Vec::new(), line: MarkdownLine::default() }
    }

    /// Whether it is written as one line, whatever its content.
    pub(super) fn is_line(&self) -> bool {
        matches!(self.kind, BlockKind::Heading(_) | BlockKind::Caption | BlockKind::Cell(_))
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.kind, BlockKind::Table(_) | BlockKind::Row(_))
            || (self.stray && self.is_line())
    }

    /// Whether it is an item without content so far.
    pub(super) fn begins_item(&self) -> bool {
        matches!(self.kind, BlockKind::Item) && self.blocks.is_empty() && self.line.is_empty()
    }

    /// Ends the paragraph; in a one-line block, adds a space instead.
    pub(super) fn end_paragraph(&mut self, links: &[String]) {
        if let BlockKind::Pre(code) = &mut self.kind {
            if !code.text.is_empty() && !code.text.ends_with('\n') {
                code.text.push('\n');
            }
            return;
        }
        if self.is_line() {
            self.line.space();
            return;
        }
        let text = std::mem::take(&mut self.line).render(links, true);
        if !text.is_empty() {
            self.blocks.push(MarkdownBlock::paragraph(text));
        }
    }

    pub(super) fn into_blocks(mut self, links: &[String]) -> Vec<MarkdownBlock> {
        self.end_paragraph(links);
        self.blocks
    }

    /// Writes the finished block into the enclosing frame.
    pub(super) fn close_into(mut self, around: &mut Self, links: &[String]) {
        if self.is_line() {
            let line = std::mem::take(&mut self.line)
                .render(links, matches!(self.kind, BlockKind::Caption));
            match self.kind {
                BlockKind::Cell(mut cell) => {
                    cell.text = line.replace('|', "\\|");
                    if let BlockKind::Row(cells) = &mut around.kind {
                        cells.push(cell);
                    }
                }
                BlockKind::Heading(level) if !line.is_empty() => {
                    around.blocks.push(MarkdownBlock::other(render_heading(level, line)));
                }
                BlockKind::Caption if !line.is_empty() => {
                    around.blocks.push(MarkdownBlock::paragraph(line));
                }
                _ => {}
            }
            return;
        }
        self.end_paragraph(links);
        match self.kind {
            BlockKind::Quote => around.add_prefixed(self.blocks, "> ", "> ", ">"),
            BlockKind::Note(label) => {
                around.add_prefixed(self.blocks, &format!("[^{label}]: "), "    ", "");
            }
            BlockKind::Item => {
                if let BlockKind::List(list) = &mut around.kind {
                    // Content outside an item, most often a list, belongs to the previous item.
                    match list.items.last_mut().filter(|_| self.stray) {
                        Some(item) => item.extend(self.blocks),
                        None if !self.blocks.is_empty() => list.items.push(self.blocks),
                        None => {}
                    }
                }
            }
            BlockKind::List(list) => {
                if !list.items.is_empty() {
                    let before = around.blocks.last().map(|block| block.kind);
                    around.blocks.push(render_list(list, before));
                }
            }
            BlockKind::Pre(code) => {
                around.blocks.extend(fence_code(&code).map(MarkdownBlock::other));
                let text = self.line.render(links, true);
                if !text.is_empty() {
                    around.blocks.push(MarkdownBlock::paragraph(text));
                }
            }
            BlockKind::Row(cells) => {
                if let BlockKind::Table(rows) = &mut around.kind {
                    rows.push(cells);
                }
            }
            BlockKind::Table(rows) => {
                around.blocks.append(&mut self.blocks);
                around.blocks.extend(table::render_table(rows).map(MarkdownBlock::other));
            }
            _ => around.blocks.append(&mut self.blocks),
        }
    }

    /// Joins blocks to one, with a prefix for its first line, for the other lines, and for empty lines.
    fn add_prefixed(&mut self, blocks: Vec<MarkdownBlock>, first: &str, others: &str, empty: &str) {
        let text = join_blocks(blocks);
        if !text.is_empty() {
            self.blocks.push(MarkdownBlock::other(prefix_lines(&text, first, others, empty)));
        }
    }
}

/// Joins blocks with blank lines.
pub(super) fn join_blocks(blocks: Vec<MarkdownBlock>) -> String {
    blocks.into_iter().map(|block| block.text).collect::<Vec<_>>().join("\n\n")
}

/// Adds prefixes to the first line, to the other lines, and to empty lines.
fn prefix_lines(text: &str, first: &str, others: &str, empty: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.push_str(match at {
            _ if line.is_empty() => empty,
            0 => first,
            _ => others,
        });
        out.push_str(line);
    }
    out
}

fn render_heading(level: u8, mut line: String) -> String {
    // Number signs at the end would be taken for a closing sequence.
    if line.ends_with('#') {
        line.insert(line.len() - 1, '\\');
    }
    format!("{} {line}", "#".repeat(level.into()))
}

/// Writes a list. After a list of the same kind it uses the other marker, so that the two do not merge.
fn render_list(list: MarkdownList, before: Option<WrittenKind>) -> MarkdownBlock {
    let markers = if list.ordered { ['.', ')'] } else { ['-', '*'] };
    let marker = match before {
        Some(WrittenKind::List(marker, _)) if marker == markers[0] => markers[1],
        _ => markers[0],
    };
    let follows = |block: &MarkdownBlock| matches!(block.kind, WrittenKind::List(_, true));
    let is_tight = |item: &Vec<MarkdownBlock>| {
        item.len() < 2 || (item[0].kind == WrittenKind::Paragraph && item[1..].iter().all(follows))
    };
    let tight = list.items.iter().all(is_tight);
    let mut items = Vec::with_capacity(list.items.len());
    for (at, item) in list.items.into_iter().enumerate() {
        let between = if is_tight(&item) { "\n" } else { "\n\n" };
        let text = item.into_iter().map(|block| block.text).collect::<Vec<_>>().join(between);
        let number = list.ordered.then(|| (list.number + at as u32).to_string());
        let mark = format!("{}{marker} ", number.unwrap_or_default());
        items.push(prefix_lines(&text, &mark, &" ".repeat(mark.len()), ""));
    }
    let kind = WrittenKind::List(marker, !list.ordered || list.number == 1);
    MarkdownBlock { text: items.join(if tight { "\n" } else { "\n\n" }), kind }
}

/// Writes a fenced code block; `None` if it has no text.
fn fence_code(code: &Code) -> Option<String> {
    let text = code.text.replace('\r', "\n");
    let is_blank = |line: &&str| line.trim().is_empty();
    let lines: Vec<&str> = text.split('\n').collect();
    let start = lines.iter().position(|line| !is_blank(line))?;
    let end = lines.iter().rposition(|line| !is_blank(line))? + 1;
    let text = lines[start..end].join("\n");
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    Some(format!("{fence}{}\n{text}\n{fence}", code.language))
}

/// Returns the language of a code block as it, the `code` in it or the element around it names it; empty if none does.
pub fn language_of_code(document: &Document, pre: Element<'_>) -> String {
    let code = document.children(pre.id).find(|&c| document.is(c, &local_name!("code")));
    let around = document.parent(pre.id);
    let elements = [code, Some(pre.id), around].into_iter().flatten();
    language_named(elements.filter_map(|id| document.element(id))).to_owned()
}

/// Returns the language of code that the first of these elements names, as syntax highlighters do: by a class with a prefix (HTML
/// §4.5.15; GitHub, Sphinx and others) or an attribute; else by a class next to a highlighter's own (Pandoc, Hexo). Empty if none
/// does.
pub fn language_named<'a>(elements: impl Iterator<Item = Element<'a>>) -> &'a str {
    let mut beside = "";
    for element in elements {
        for (name, value) in element.attributes() {
            if let Some(named) = language_in_attribute(name, value) {
                return named;
            }
            if beside.is_empty() && *name == local_name!("class") {
                beside = language_beside_highlighter(value);
            }
        }
    }
    beside
}

fn is_language(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"+#.-_".contains(&b);
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    begins && name.len() <= 20 && name.bytes().all(plain) && name != "linenums"
}

fn language_in_attribute<'a>(name: &str, value: &'a str) -> Option<&'a str> {
    const PREFIXES: [&str; 7] =
        ["language-", "lang-", "lang:", "highlight-source-", "highlight-", "src-", "hl-"];
    // SyntaxHighlighter and Confluence write `brush: name; …`.
    let of_brush = || {
        let (_, rest) = value.split_once("brush:")?;
        rest.trim_start().split([';', ' ']).next()
    };
    let named = match name {
        "data-lang"
        | "data-language"
        | "data-code-language"
        | "data-enlighter-language"
        | "syntax" => Some(value),
        // GitHub and WP-Syntax write "python". Tags of human languages are shorter, or have hyphens (BCP 47).
        "lang" if value.len() > 2 && !value.contains('-') => Some(value),
        "data-syntaxhighlighter-params" => of_brush(),
        "class" => {
            let prefixed = |class| {
                let name = PREFIXES.iter().find_map(|prefix| str::strip_prefix(class, prefix))?;
                Some(name).filter(|name| is_language(name))
            };
            class_tokens(value).find_map(prefixed).or_else(of_brush)
        }
        _ => None,
    };
    named.filter(|name| is_language(name))
}

/// Returns the only class next to a highlighter's own; empty if there is none, or several.
fn language_beside_highlighter(classes: &str) -> &str {
    const HIGHLIGHTERS: [&str; 6] =
        ["highlight", "hljs", "sourceCode", "prettyprint", "code", "syntaxhighlighter"];
    let (highlighters, others): (Vec<&str>, Vec<&str>) =
        class_tokens(classes).partition(|class| HIGHLIGHTERS.contains(class));
    match (&highlighters[..], &others[..]) {
        ([_], [other]) if is_language(other) => other,
        _ => "",
    }
}
