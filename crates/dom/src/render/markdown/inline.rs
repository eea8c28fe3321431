//! Inline content: styled text, code, links, images, line breaks.

use super::escape;
use crate::document::is_space;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) strong: bool,
    pub(super) emphasis: bool,
    pub(super) strike: bool,
    /// The number of the enclosing code element, or 0.
    pub(super) code: u32,
    /// The number of the enclosing link, counted from 1, or 0.
    pub(super) link: u32,
}

impl Style {
    /// Returns the style that two pieces share, which the space between them gets.
    fn common(self, other: Self) -> Self {
        Self {
            strong: self.strong && other.strong,
            emphasis: self.emphasis && other.emphasis,
            strike: self.strike && other.strike,
            code: if self.code == other.code { self.code } else { 0 },
            link: if self.link == other.link { self.link } else { 0 },
        }
    }

    fn marks(self) -> &'static str {
        match (self.strike, self.strong, self.emphasis) {
            (true, ..) => "~~",
            (_, true, true) => "***",
            (_, true, false) => "**",
            (_, false, true) => "*",
            (_, false, false) => "",
        }
    }
}

#[derive(Debug)]
enum InlinePiece {
    Text(String, Style),
    /// Markup that is written unchanged.
    Literal(String, Style),
    Break,
}

impl InlinePiece {
    /// The style of the piece; a line break has none.
    fn style(&self) -> Option<Style> {
        match self {
            Self::Text(_, style) | Self::Literal(_, style) => Some(*style),
            Self::Break => None,
        }
    }
}

/// A line under construction, or several with line breaks. No white space at its ends.
#[derive(Debug, Default)]
pub(super) struct MarkdownLine {
    pieces: Vec<InlinePiece>,
    space: bool,
    line_break: bool,
}

impl MarkdownLine {
    /// Adds text, with runs of white space collapsed to one space.
    pub(super) fn text(&mut self, text: &str, style: Style) {
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| !is_space(c)) {
            self.space |= start > 0;
            rest = &rest[start..];
            let end = rest.find(is_space).unwrap_or(rest.len());
            self.separate(style);
            self.append(&rest[..end], style);
            rest = &rest[end..];
        }
        self.space |= !rest.is_empty();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds an image with its destination, escaped.
    pub(super) fn image(&mut self, alt: &str, destination: &str, style: Style) {
        let mut text = String::new();
        escape::text(&super::super::normalize_space(alt), false, &mut text);
        let style = Style { link: style.link, ..Style::default() };
        self.separate(style);
        self.pieces.push(InlinePiece::Literal(format!("![{text}]({destination})"), style));
    }

    pub(super) fn literal(&mut self, markup: String) {
        let style = Style::default();
        self.separate(style);
        self.pieces.push(InlinePiece::Literal(markup, style));
    }

    /// Returns the last letters of the line, directly before the next piece.
    pub(super) fn last_letters(&self) -> String {
        match self.pieces.last() {
            Some(InlinePiece::Text(text, _)) if !self.space && !self.line_break => {
                let from = text.char_indices().rev().nth(7).map_or(0, |letter| letter.0);
                text[from..].to_owned()
            }
            _ => String::new(),
        }
    }

    /// Removes white space at the end.
    pub(super) fn trim(&mut self) {
        self.space = false;
    }

    pub(super) fn space(&mut self) {
        self.space = true;
    }

    /// Adds a line break. Returns false after another line break: two in a row end a paragraph.
    pub(super) fn line_break(&mut self) -> bool {
        let first = !self.line_break || self.pieces.is_empty();
        self.line_break = true;
        first
    }

    fn separate(&mut self, style: Style) {
        let (space, line_break) = (self.space, self.line_break);
        (self.space, self.line_break) = (false, false);
        let Some(before) = self.pieces.last().map(InlinePiece::style) else { return };
        if line_break {
            self.pieces.push(InlinePiece::Break);
        } else if space {
            self.append(" ", before.unwrap_or_default().common(style));
        }
    }

    fn append(&mut self, more: &str, style: Style) {
        match self.pieces.last_mut() {
            Some(InlinePiece::Text(text, last)) if *last == style => text.push_str(more),
            _ => self.pieces.push(InlinePiece::Text(more.to_owned(), style)),
        }
    }

    /// The line as Markdown; `links` are the destinations. In a block, line breaks are kept, and
    /// the start of each line is escaped so that it does not begin another block.
    pub(super) fn render(self, links: &[String], block: bool) -> String {
        let mut out = String::new();
        let mut marked = false;
        let mut link = 0;
        let last = self.pieces.len().saturating_sub(1);
        for (at, piece) in self.pieces.iter().enumerate() {
            let wanted = piece.style().map_or_else(
                || {
                    let next = self.pieces.get(at + 1).and_then(InlinePiece::style);
                    next.filter(|style| style.link == link).map_or(0, |style| style.link)
                },
                |style| style.link,
            );
            if wanted != link {
                end_link(link, links, &mut out);
                if wanted > 0 {
                    out.push('[');
                }
                link = wanted;
                marked = false;
            }
            let literal = match piece {
                InlinePiece::Text(text, style) => {
                    span(text, *style, at == last, &mut marked, &mut out);
                    continue;
                }
                InlinePiece::Literal(markup, _) => markup,
                InlinePiece::Break if block => "\\\n",
                InlinePiece::Break => " ",
            };
            out.push_str(literal);
            marked = false;
        }
        end_link(link, links, &mut out);
        if block {
            let lines: Vec<String> = out.split('\n').map(escape::line_start).collect();
            out = lines.join("\n");
        }
        out
    }
}

fn end_link(link: u32, links: &[String], out: &mut String) {
    if link > 0 {
        out.push_str("](");
        out.push_str(links.get(link as usize - 1).map_or("", String::as_str));
        out.push(')');
    }
}

/// Writes text in its style. Marks are written only next to letters and digits, and never next to
/// other marks, so that they open and close whatever is around them (CommonMark §6.2). Where that
/// is impossible, the text is written without style. `marked`: the last output was a mark.
fn span(text: &str, style: Style, last: bool, marked: &mut bool, out: &mut String) {
    if style.code > 0 && !*marked && text != " " {
        code(text, out);
        *marked = true;
        return;
    }
    let marks = if style.code > 0 { "" } else { style.marks() };
    let start = text.find(char::is_alphanumeric);
    let start = start.filter(|&start| !(marks.is_empty() || start == 0 && *marked));
    let Some(start) = start else {
        escape::text(text, last, out);
        *marked = false;
        return;
    };
    let end = text.rfind(char::is_alphanumeric).unwrap_or(start);
    let end = end + text[end..].chars().next().map_or(0, char::len_utf8);
    escape::text(&text[..start], false, out);
    out.push_str(marks);
    escape::text(&text[start..end], true, out);
    out.push_str(marks);
    escape::text(&text[end..], last, out);
    *marked = end == text.len();
}

/// A code span (CommonMark §6.1). Its fence is longer than any run of backticks in it.
fn code(text: &str, out: &mut String) {
    let fence = "`".repeat(longest_run(text) + 1);
    let pad = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let pad = if pad { " " } else { "" };
    out.push_str(&[&fence, pad, text, pad, &fence].concat());
}

/// Length of the longest run of backticks.
pub(super) fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
