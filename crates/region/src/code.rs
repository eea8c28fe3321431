//! Finds blocks of code and their lines, without the numbers, labels and buttons that pages show next to them.
//!
//! Highlighters write a block as one `pre`, as a `code` that is shown as a block, as a list of lines, or as a table with a column
//! of numbers; editors write an element with the style of code. A line ends with a line feed, with `<br>`, or with its element.
//! Numbers are line numbers, not code, if they are consecutive and there is one for nearly every line.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use dom::{Document, NodeId, local_name, local_names};

use crate::allowed::has_style;
use crate::texts::PageTexts;

#[derive(Clone, Debug)]
pub(crate) struct CodeBlock {
    /// Its lines, separated by line feeds.
    pub(crate) text: String,
    /// The language that the page names; empty if it names none.
    pub(crate) language: String,
    /// Whether the page marks it as code, not only as preformatted text.
    pub(crate) is_marked: bool,
}

/// Longest text other than the code in an element around it, in bytes: a bar with a label and buttons, or a caption.
pub(crate) const BAR: u32 = 120;
/// Maximum number of levels between code and the element around it and its bar.
const LEVELS: usize = 4;
/// Minimum share of lines that begin with a number if line numbers are shown.
const NUMBERED: f64 = 0.9;

/// Finds the blocks of code that contain text of the article, and includes each as a whole, without controls next to it.
/// `elements` has the elements of the page that may be code, such as `pre`, `code` and `table`, in document order.
pub(crate) fn find(
    texts: &PageTexts<'_>,
    elements: &[NodeId],
    include: &mut [bool],
    read: &mut [bool],
) -> BTreeMap<NodeId, CodeBlock> {
    let document = texts.document;
    let has_own = |id: NodeId, include: &[bool]| {
        let mut own = document.subtree(id).filter(|&own| include[own as usize]);
        own.any(|own| texts.all.range(own, own + 1) > 0)
    };
    let mut blocks: Vec<(NodeId, CodeReader<'_>)> = Vec::new();
    let mut end = 0;
    for &id in elements {
        if id >= end && is_code_block(texts, id) && has_own(id, include) {
            end = document.node(id).end;
            blocks.push((id, CodeReader::read(document, id)));
        }
    }
    // A single number may be code. The numbers of longer blocks show which kinds of elements have line numbers.
    let gutters: BTreeSet<u32> = blocks.iter().filter_map(|block| block.1.gutter_kind()).collect();
    let mut found: BTreeMap<NodeId, CodeBlock> = BTreeMap::new();
    // The last line that is a block of its own, with its number and the first line of its series.
    let mut line: Option<(NodeId, u32, NodeId)> = None;
    for (id, reader) in blocks {
        let text = reader.finish(&gutters);
        if text.trim().is_empty() || !has_own(id, include) {
            continue;
        }
        let end = document.node(id).end;
        let is_read = document.subtree(id).any(|own| read[own as usize]);
        include[id as usize..end as usize].fill(true);
        if is_read {
            read[id as usize..end as usize].fill(true);
        }
        // Line numbers in a block of their own before the code.
        if let Some((&numbers, block)) = found.last_key_value()
            && texts.all.range(document.node(numbers).end, id) == 0
            && block.text.lines().count() == text.lines().count().max(3)
            && is_column_of_numbers(document, numbers)
        {
            include[numbers as usize..document.node(numbers).end as usize].fill(false);
            found.remove(&numbers);
        }
        let before = line.take().filter(|before| are_lines(document, before.0, id));
        let number = number_beside(document, id).filter(|_| !text.contains('\n'));
        line = number.map(|number| (id, number, before.map_or(id, |before| before.2)));
        if let (Some(before), Some(number)) = (before, number)
            && number == before.1 + 1
            && let Some(first) = found.get_mut(&before.2)
        {
            first.text.push('\n');
            first.text.push_str(&text);
            include[document.parent(id).unwrap_or(id) as usize..end as usize].fill(false);
            continue;
        }
        let language = language_of(texts, id);
        let is_marked = document.subtree(id).any(|own| document.is(own, &local_name!("code")));
        leave_out_bar(texts, id, &text, &language, include);
        found.insert(id, CodeBlock { text, language, is_marked });
    }
    found
}

/// Returns the number before an element within its parent: some editors show one for each line.
fn number_beside(document: &Document, id: NodeId) -> Option<u32> {
    let before = document.parent(id)?..id;
    if before.len() > 8 {
        return None;
    }
    let mut words = before.filter_map(|id| document.text(id)).flat_map(str::split_whitespace);
    words.next().filter(|_| words.next().is_none())?.parse().ok()
}

/// Whether the parents of two elements are siblings.
fn are_lines(document: &Document, one: NodeId, other: NodeId) -> bool {
    let around = |id: NodeId| document.parent(document.parent(id)?);
    around(one).is_some() && around(one) == around(other)
}

/// Whether an element is a block of code, provided that no element around it is one.
pub(crate) fn is_code_block(texts: &PageTexts<'_>, id: NodeId) -> bool {
    let document = texts.document;
    match document.name(id) {
        Some(&local_names!("pre" "listing" "xmp")) => true,
        Some(&local_name!("code")) => is_block_of_lines(document, id),
        Some(&local_name!("table")) => is_table_of_code(document, id),
        Some(&local_name!("ol")) => is_list_of_code(document, id),
        _ => is_preformatted(document, id),
    }
}

/// Whether an element has the style of a block of code: white space is preserved, in a font for code.
pub(crate) fn is_preformatted(document: &Document, id: NodeId) -> bool {
    const FONTS: [&str; 5] = ["monospace", "courier", "consolas", "menlo", "monaco"];
    if !document.is(id, &local_name!("div")) {
        return false;
    }
    document.attribute(id, &local_name!("style")).is_some_and(|style| {
        style.contains("white-space") && {
            let style = without_space(style).to_ascii_lowercase();
            style.split(';').any(|own| matches!(own, "white-space:pre" | "white-space:pre-wrap"))
                && FONTS.iter().any(|font| style.contains(font))
        }
    })
}

/// Whether list items are lines of code: a highlighter's class is on or around the list, and no item contains a block.
fn is_list_of_code(document: &Document, list: NodeId) -> bool {
    let is_named = |id: NodeId| {
        dom::class_tokens(document.attribute(id, &local_name!("class")).unwrap_or_default())
            .any(|class| class.contains("highlighter") || matches!(class, "prettyprint" | "hljs"))
    };
    document.ancestors(list).take(LEVELS).any(is_named)
        && document.subtree(list).skip(1).all(|id| {
            document.is_inline(id)
                || document.text(id).is_some()
                || document.is(id, &local_name!("li"))
        })
}

/// Whether a `code` element is a block: it contains a block, or has several lines and the style of a block or no text next to it.
fn is_block_of_lines(document: &Document, id: NodeId) -> bool {
    let style = document.attribute(id, &local_name!("style")).unwrap_or_default();
    let style = without_space(style);
    let has_lines = || {
        let text = document.text_content(id);
        let breaks =
            document.subtree(id).filter(|&own| document.is(own, &local_name!("br"))).count();
        text.trim().lines().filter(|line| !line.trim().is_empty()).count() + breaks > 1
    };
    if style.contains("white-space:pre") || style.contains("display:block") {
        return has_lines();
    }
    let holds_block = document
        .subtree(id)
        .skip(1)
        .any(|own| matches!(document.name(own), Some(&local_names!("pre" "table" "div" "li" "p"))));
    let stands_alone = || {
        let is_beside = |own: NodeId| {
            let flows = document.text(own).is_some() || document.is_inline(own);
            own != id && flows && !document.text_content(own).trim().is_empty()
        };
        document.parent(id).is_some_and(|parent| {
            !document.is_inline(parent) && !document.children(parent).take(8).any(is_beside)
        })
    };
    holds_block || stands_alone() && has_lines()
}

fn without_space(text: &str) -> String {
    text.replace(char::is_whitespace, "")
}

/// Whether a table shows code: a column of numbers next to cells with code, one cell for all lines or for each line.
fn is_table_of_code(document: &Document, table: NodeId) -> bool {
    let mut cells: Vec<NodeId> = Vec::new();
    let mut rows = 0;
    let mut is_of_code = false;
    for id in document.subtree(table).skip(1) {
        match document.name(id) {
            Some(&local_names!("table" "p" "ul" "ol" "h1" "h2" "h3")) => return false,
            Some(&local_name!("th")) if !is_title_of_code(document, table, id) => return false,
            Some(&local_name!("tr")) => {
                let is_title = |id: NodeId| is_title_of_code(document, table, id);
                rows += usize::from(!document.children(id).any(is_title));
            }
            Some(&local_name!("td")) => cells.push(id),
            Some(&local_names!("pre" "code")) => is_of_code = true,
            _ => {}
        }
    }
    is_of_code |= document
        .ancestors(table)
        .skip(1)
        .take(LEVELS)
        .any(|around| matches!(document.name(around), Some(&local_names!("pre" "code"))))
        || cells.iter().any(|&cell| line_number(document, cell).is_some())
        || matches!(cells[..], [numbers, lines] if are_beside(document, numbers, lines))
        || are_indented(document, cells.iter().skip(1).step_by(2));
    if !is_of_code || rows == 0 || cells.len() != 2 * rows {
        return false;
    }
    let numbers = cells.iter().step_by(2).flat_map(|&cell| {
        let in_attribute =
            line_number(document, cell).filter(|_| words_below(document, cell).next().is_none());
        in_attribute.into_iter().chain(words_below(document, cell))
    });
    are_consecutive(numbers)
}

/// Whether some cells are indented and some are not, like lines of code.
fn are_indented<'a>(document: &Document, cells: impl Iterator<Item = &'a NodeId>) -> bool {
    let texts =
        cells.map(|&cell| document.text_content(cell)).filter(|text| !text.trim().is_empty());
    let is_indented =
        |text: &str| ["  ", "\t", "\u{a0}\u{a0}"].iter().any(|own| text.starts_with(own));
    let (some, others): (Vec<&str>, Vec<&str>) = texts.partition(|text| is_indented(text));
    !some.is_empty()
        && some.len() + others.len() > 2
        && others.iter().any(|text| !text.starts_with(char::is_whitespace))
}

/// Whether a cell is the title of the code, such as a file name: a header cell alone in the first row of a table.
fn is_title_of_code(document: &Document, table: NodeId, id: NodeId) -> bool {
    let is_row = |id: &NodeId| document.is(*id, &local_name!("tr"));
    document.is(id, &local_name!("th"))
        && document.parent(id).is_some_and(|row| {
            document.subtree(table).find(is_row) == Some(row)
                && document.children(row).all(|cell| cell == id || document.name(cell).is_none())
        })
}

/// Whether one cell has as many numbers as the other has lines in elements of their own.
fn are_beside(document: &Document, numbers: NodeId, lines: NodeId) -> bool {
    let mut around = lines;
    loop {
        let mut children = document.children(around).filter(|&id| document.name(id).is_some());
        match (children.next(), children.next()) {
            (Some(only), None) => around = only,
            (None, _) => return false,
            _ => break,
        }
    }
    let is_line = |id: &NodeId| document.name(*id).is_some() && !document.is_inline(*id);
    let count = document.children(around).filter(is_line).count();
    count > 1 && words_below(document, numbers).count() == count
}

/// Returns the words of a subtree. Different text nodes never form one word.
fn words_below(document: &Document, id: NodeId) -> impl Iterator<Item = &str> {
    document.subtree(id).filter_map(|id| document.text(id)).flat_map(str::split_whitespace)
}

/// Returns the line number in an attribute, which a style sheet shows.
fn line_number(document: &Document, id: NodeId) -> Option<&str> {
    let mut attributes = document.element(id)?.attributes();
    attributes
        .find(|own| matches!(&**own.0, "data-line-number" | "data-linenumber" | "data-line"))
        .map(|own| own.1)
}

/// Whether the words are consecutive numbers. False if there are none.
fn are_consecutive<'a>(numbers: impl Iterator<Item = &'a str>) -> bool {
    let mut last: Option<u32> = None;
    for number in numbers {
        let Ok(number) = number.trim_end_matches(['.', ':']).parse::<u32>() else { return false };
        if last.is_some_and(|last| number != last.wrapping_add(1)) {
            return false;
        }
        last = Some(number);
    }
    last.is_some()
}

/// Whether an element contains only consecutive numbers, each on a line or in an element of its own. Numbers separated by spaces
/// are a line of code.
fn is_column_of_numbers(document: &Document, id: NodeId) -> bool {
    let stand_apart = || {
        let mut lines =
            document.subtree(id).filter_map(|own| document.text(own)).flat_map(|text| {
                text.split('\n')
                    .map(move |line| (line, text.trim().is_empty() && !text.contains('\n')))
            });
        lines.all(|(line, is_space)| !is_space && line.split_whitespace().nth(1).is_none())
    };
    words_below(document, id).nth(1).is_some()
        && are_consecutive(words_below(document, id))
        && stand_apart()
}

/// Whether a cell is not the last of its row and is empty (a style sheet may show a number there) or, in a table of code,
/// contains only numbers.
fn is_gutter_cell(document: &Document, root: NodeId, id: NodeId) -> bool {
    if !document.is(id, &local_name!("td")) {
        return false;
    }
    let is_last =
        || document.parent(id).is_none_or(|row| document.node(row).end == document.node(id).end);
    let mut words = words_below(document, id).peekable();
    let is_number = words.peek().is_none()
        || document.is(root, &local_name!("table")) && are_consecutive(words);
    is_number && !is_last()
}

/// Whether an element stands for an empty line, which needs content to have the height of a line: a line feed in an inline block,
/// or a space in a cell or in an element of the same kind as the lines next to it.
fn is_empty_line(document: &Document, id: NodeId) -> bool {
    match document.text_content(id) {
        "\n" => {
            let style = document.attribute(id, &local_name!("style")).unwrap_or_default();
            style.contains("inline-block")
        }
        " " => {
            let kinds = document.kinds().of_nodes();
            let is_line = |beside: Option<NodeId>| {
                beside.is_some_and(|own| kinds[own as usize] == kinds[id as usize])
            };
            let (before, after) = beside_line_feeds(document, id);
            document.is(id, &local_name!("td")) || is_line(before) || is_line(after)
        }
        _ => false,
    }
}

/// Returns the sibling elements before and after an element, if only a line feed is between them.
fn beside_line_feeds(document: &Document, id: NodeId) -> (Option<NodeId>, Option<NodeId>) {
    let is_line_feed = |own: NodeId| document.text(own).is_some_and(|text| text == "\n");
    let parent = document.parent(id);
    let is_beside = |own: &NodeId| document.parent(*own) == parent && document.name(*own).is_some();
    let after = document.node(id).end;
    let after = ((after as usize) < document.len() && is_line_feed(after)).then_some(after + 1);
    let after = after.filter(|own| (*own as usize) < document.len()).filter(is_beside);
    let before = id.checked_sub(2).filter(|own| is_line_feed(own + 1));
    let before = before.and_then(|own| document.ancestors(own).find(is_beside));
    (before, after)
}

struct CodeReader<'a> {
    document: &'a Document,
    out: String,
    /// Whether the last line was ended by the end of its element, or by a `<br>` where line feeds are white space.
    is_ended: bool,
    /// Whether line feeds end lines.
    keeps_lines: bool,
    /// Elements that contain only a number.
    numbers: Vec<LineNumber>,
}

/// An element that may be the number of a line.
#[derive(Clone, Copy)]
struct LineNumber {
    /// Its offset in the text of the block, and its length in bytes.
    at: usize,
    bytes: usize,
    number: u32,
    kind: u32,
}

impl<'a> CodeReader<'a> {
    fn read(document: &'a Document, root: NodeId) -> Self {
        let keeps_lines = document.ancestors(root).any(|around| {
            document.is(around, &local_name!("pre"))
                || document.element(around).is_some_and(|own| {
                    has_style(own, "white-space", &["pre", "pre-wrap", "pre-line", "break-spaces"])
                })
        });
        let (out, numbers) = (String::new(), Vec::new());
        let mut reader = Self { document, out, is_ended: false, keeps_lines, numbers };
        let ends_lines = lines_are_elements(document, root);
        let code = only_code(document, root);
        let is_outside = |id: NodeId| !code.contains(&id) && !document.contains(id, code.start);
        let mut outside = document.subtree(root).skip(1).filter(|&id| is_outside(id));
        let has_bar = outside.any(|id| reader.is_interface(id));
        let mut open: Vec<(NodeId, usize)> = Vec::new();
        let mut id = root + 1;
        let end = document.node(root).end;
        while id <= end {
            while let Some((_, from)) = open.pop_if(|last| last.0 <= id) {
                reader.end_line(from);
            }
            if id == end {
                break;
            }
            let node_end = document.node(id).end;
            if let Some(text) = document.text(id) {
                reader.text(text);
            } else if reader.is_interface(id)
                || is_outside(id) && (has_bar || node_end <= code.start && !document.is_inline(id))
                || is_title_of_code(document, root, id)
                || is_gutter_cell(document, root, id)
                || is_empty_line(document, id)
            {
                id = node_end;
                continue;
            } else if document.is(id, &local_name!("br")) {
                reader.line_feed();
            } else {
                let is_cell = matches!(document.name(id), Some(&local_names!("td" "tbody" "code")));
                let is_line = !document.is_inline(id) && !is_cell
                    || ends_lines == document.parent(id)
                    // A span may be shown as a line of its own.
                    || document.element(id).is_some_and(|own| has_style(own, "display", &["block"]));
                if is_line {
                    reader.begin_line();
                    let holds_lines = document.subtree(id).skip(1).any(|own| {
                        document.name(own).is_some()
                            && !document.is_inline(own)
                            && words_below(document, own).next().is_some()
                            && !matches!(
                                document.name(own),
                                Some(&local_names!("td" "tbody" "code" "br" "button"))
                            )
                    });
                    if !holds_lines {
                        open.push((node_end, reader.out.len()));
                    }
                } else if let Some(number) = reader.number(id) {
                    reader.numbers.push(LineNumber {
                        at: reader.out.len(),
                        bytes: document.text_content(id).len(),
                        number,
                        kind: document.kinds().of_nodes()[id as usize],
                    });
                }
            }
            id += 1;
        }
        reader
    }

    /// Whether an element belongs to the interface: a control, a style, or text that cannot be selected with the code.
    fn is_interface(&self, id: NodeId) -> bool {
        let document = self.document;
        if matches!(
            document.name(id),
            Some(&local_names!("button" "style" "script" "select" "textarea" "video" "audio"))
        ) {
            return true;
        }
        let Some(element) = document.element(id) else { return false };
        let is_unselectable = element.attributes().any(|(name, value)| match &**name {
            "role" => matches!(value, "button" | "status"),
            // "Copied!"
            "aria-live" => true,
            "aria-hidden" => value == "true",
            "unselectable" => value == "on",
            "style" => without_space(value).contains("user-select:none"),
            _ => false,
        });
        is_unselectable || is_column_of_numbers(document, id)
    }

    fn number(&self, id: NodeId) -> Option<u32> {
        let is_small = self.document.node(id).end - id <= 3;
        let text = is_small.then(|| self.document.text_content(id).trim())?;
        text.trim_end_matches(['.', ':', '|']).trim_end().parse().ok()
    }

    fn text(&mut self, text: &str) {
        let rest = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n'));
        let text = rest.filter(|_| self.is_ended).unwrap_or(text);
        self.is_ended &= text.is_empty();
        let text = text.chars().filter(|&c| c != '\r' && c != '\u{ad}' && c != '\u{200b}');
        // Some highlighters write no-break spaces, which are not collapsed outside `pre`.
        self.out.extend(text.map(|c| if c == '\u{a0}' { ' ' } else { c }));
    }

    fn line_feed(&mut self) {
        self.is_ended = !self.keeps_lines;
        self.out.push('\n');
    }

    fn begin_line(&mut self) {
        let line = self.out.rfind('\n').map_or(0, |end| end + 1);
        // A number is on the same line as its code.
        let has_number = self.numbers.last().is_some_and(|&LineNumber { at, bytes, .. }| {
            at >= line && self.out.len() == at + bytes && self.out[line..at].trim().is_empty()
        });
        if self.out.len() > line && !has_number {
            self.out.push('\n');
        }
    }

    /// Ends the line of an element whose text began at `from`; an element without text is an empty line.
    fn end_line(&mut self, from: usize) {
        if self.out.len() == from || !self.out.ends_with('\n') {
            self.out.push('\n');
            self.is_ended = true;
        }
    }

    /// Returns the numbers at the beginning of lines, and whether they are consecutive and begin nearly all lines.
    fn gutter(&self) -> (Vec<LineNumber>, bool) {
        let out = &self.out;
        let begins_line =
            |at: usize| out[..at].rsplit('\n').next().is_none_or(|before| before.trim().is_empty());
        let mut gutter: Vec<LineNumber> =
            self.numbers.iter().copied().filter(|own| begins_line(own.at)).collect();
        gutter.dedup_by_key(|own| own.at);
        let is_gutter = gutter.len() as f64 >= NUMBERED * self.count_lines() as f64
            && gutter.windows(2).all(|pair| pair[1].number == pair[0].number.wrapping_add(1));
        (gutter, is_gutter)
    }

    fn count_lines(&self) -> usize {
        self.out.trim_matches('\n').split('\n').count()
    }

    /// Returns the kind of the elements with line numbers, if there are several numbers.
    fn gutter_kind(&self) -> Option<u32> {
        let (gutter, is_gutter) = self.gutter();
        gutter.get(1).filter(|_| is_gutter).map(|number| number.kind)
    }

    /// Returns the lines without line numbers; that of a single line is removed only if its kind is in `gutters`.
    fn finish(self, gutters: &BTreeSet<u32>) -> String {
        let (gutter, is_gutter) = self.gutter();
        let is_gutter =
            is_gutter && (gutter.len() > 1 || gutter.iter().all(|own| gutters.contains(&own.kind)));
        let out = self.out;
        let mut text = String::with_capacity(out.len());
        let mut from = 0;
        for own in gutter.iter().filter(|_| is_gutter) {
            text.push_str(&out[from..own.at]);
            from = (own.at + own.bytes).min(out.len());
        }
        text.push_str(&out[from..]);
        if is_gutter {
            drop_space_of_numbers(&mut text);
        }
        let start = text.len() - text.trim_start_matches(['\n']).len();
        text[start..].trim_end().to_owned()
    }
}

/// Removes one leading space, which separated the numbers, from all lines, if all begin with a space and not all with two.
fn drop_space_of_numbers(text: &mut String) {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let begins = |line: &str| line.starts_with(' ');
    if lines().all(begins) && lines().any(|line| !line.starts_with("  ")) {
        let lines = text.split('\n').map(|line| line.strip_prefix(' ').unwrap_or(line));
        *text = lines.collect::<Vec<_>>().join("\n");
    }
}

/// Returns the only `code` of a `pre` if the text around it is short (a bar with the language and buttons); otherwise the whole
/// block.
fn only_code(document: &Document, root: NodeId) -> Range<NodeId> {
    let mut codes = document.subtree(root).filter(|&id| document.is(id, &local_name!("code")));
    let (code, other) = (codes.next(), codes.next());
    let code = code.filter(|_| other.is_none() && document.is(root, &local_name!("pre")));
    let range = document.subtree(code.unwrap_or(root));
    let texts = document.subtree(root).filter(|id| !range.contains(id));
    let bytes: usize = texts.filter_map(|id| document.text(id)).map(|text| text.trim().len()).sum();
    if bytes <= BAR as usize { range } else { document.subtree(root) }
}

/// Returns the element whose children are the lines of a block: all have the same tag and class, nothing is between them, and
/// nothing else separates lines.
fn lines_are_elements(document: &Document, root: NodeId) -> Option<NodeId> {
    let is_break = |id: NodeId| {
        // An element with an id may contain several lines.
        let in_line = || {
            let mut around = document.ancestors(id).skip(1).take_while(|&around| around != root);
            around.any(|around| document.attribute(around, &local_name!("id")).is_some())
        };
        document.text(id).is_some_and(|text| {
            text.trim().contains('\n') || text.contains('\n') && text.trim().is_empty()
        }) || document.name(id).is_some()
            && (document.is(id, &local_name!("br")) && !in_line()
                || !document.is_inline(id)
                    && !matches!(document.name(id), Some(&local_names!("code" "br"))))
    };
    if document.subtree(root).skip(1).any(is_break) {
        return None;
    }
    let mut around = root;
    loop {
        let children: Vec<NodeId> = document.children(around).take(3).collect();
        match children[..] {
            [only] if document.name(only).is_some() => around = only,
            [first, ..] if children.len() > 1 => {
                let class = |id: NodeId| document.attribute(id, &local_name!("class"));
                let is_line = |id: NodeId| {
                    let name = document.name(id);
                    name.is_some() && name == document.name(first) && class(id) == class(first)
                };
                let has_class = document.attribute(first, &local_name!("class")).is_some()
                    || line_number(document, first).is_some();
                return (has_class && document.children(around).all(is_line)).then_some(around);
            }
            _ => return None,
        }
    }
}

/// Excludes the interface next to a block: numbers, buttons, and the bar or label with its language.
fn leave_out_bar(
    texts: &PageTexts<'_>,
    block: NodeId,
    code: &str,
    language: &str,
    include: &mut [bool],
) {
    let document = texts.document;
    let lines = code.split('\n').count();
    let mut inner = block;
    for around in document.ancestors(block).skip(1).take(LEVELS) {
        let beside: Vec<NodeId> = document
            .children(around)
            .take(16)
            .filter(|&id| id != inner && texts.text(id) > 0)
            .collect();
        let are_numbers = |id: NodeId| {
            are_consecutive(words_below(document, id))
                && words_below(document, id).count().abs_diff(lines) <= 1
        };
        for &id in &beside {
            if document.name(id).is_some() && are_numbers(id) {
                include[id as usize..document.node(id).end as usize].fill(false);
            }
        }
        let rest: u32 =
            beside.iter().filter(|&&id| !are_numbers(id)).map(|&id| texts.text(id)).sum();
        if rest > BAR || document.is(around, &local_name!("body")) || around == 0 {
            return;
        }
        for id in beside {
            let is_control = |id: NodeId| {
                document.is(id, &local_name!("button"))
                    || document.attribute(id, &local_name!("role")) == Some("button")
            };
            let says_language = document.text_content(id).trim().eq_ignore_ascii_case(language);
            if document.name(id).is_some()
                && (says_language || document.subtree(id).any(is_control))
            {
                include[id as usize..document.node(id).end as usize].fill(false);
            }
        }
        inner = around;
    }
}

/// Returns the language of a block: named by it, by an element in it, or by an element around it with hardly any other text.
fn language_of(texts: &PageTexts<'_>, block: NodeId) -> String {
    let document = texts.document;
    let most = texts.text(block) + BAR;
    // Classes of lines and words, such as `highlight-line`, are not languages.
    let is_of_line = |id: NodeId| matches!(document.name(id), Some(&local_names!("span" "mark")));
    let inside = document.subtree(block).take(12).filter(|&id| id == block || !is_of_line(id));
    // The lines of a table are one level deeper.
    let around = document.ancestors(block).skip(1).take(LEVELS + 1);
    let around =
        around.take_while(|&id| texts.text(id) <= most && !document.is(id, &local_name!("body")));
    dom::language_named(inside.chain(around).filter_map(|id| document.element(id))).to_owned()
}
