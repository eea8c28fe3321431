//! Renders nodes as plain text: a blank line between paragraphs, one line per list item or table
//! cell.

use html5ever::{LocalName, local_name};

use super::formula::Formula;
use super::notes::FootnoteMap;
use super::raised::raised_text;
use super::written::{BlockRecorder, WrittenBlock};
use crate::document::is_space;
use crate::{Document, NodeId};

#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum TextBreak {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

fn break_around(document: &Document, id: NodeId) -> TextBreak {
    match document.name(id) {
        Some(&local_names!("br" "li" "dt" "dd" "tr" "td" "th" "figcaption" "caption")) => {
            TextBreak::Line
        }
        _ if document.is_inline(id) => TextBreak::None,
        _ => TextBreak::Paragraph,
    }
}

/// Writes text with white space collapsed and breaks merged.
#[derive(Default)]
struct TextWriter<'a> {
    out: String,
    pending: TextBreak,
    /// Preformatted white space that is written only if more text follows on its line.
    held: String,
    /// Line breaks of preformatted text since its last text.
    lines: usize,
    /// The kind of edit if the last event was the end of deleted or inserted text.
    after: Option<Edit>,
    /// The label of a note, which is written directly before its text.
    label: String,
    /// Records the blocks of the text, if they are wanted.
    blocks: Option<BlockRecorder<'a>>,
}

impl TextWriter<'_> {
    fn break_at_least(&mut self, wanted: TextBreak) {
        self.pending = self.pending.max(wanted);
        if wanted >= TextBreak::Line {
            self.held.clear();
        }
    }

    fn separate(&mut self) {
        let separator = match self.pending {
            TextBreak::None => "",
            TextBreak::Space => " ",
            TextBreak::Line => "\n",
            TextBreak::Paragraph => "\n\n",
        };
        let before = self.out.len();
        if !self.out.is_empty() {
            self.out.push_str(separator);
            if self.pending == TextBreak::Line {
                self.out.extend(std::iter::repeat_n('\n', self.lines.saturating_sub(1)));
            }
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.begin_text(before, self.out.len(), self.pending == TextBreak::Paragraph);
        }
        self.out.push_str(&std::mem::take(&mut self.label));
        (self.pending, self.lines, self.after) = (TextBreak::None, 0, None);
    }

    fn flowing(&mut self, text: &str) {
        if !self.held.is_empty() {
            self.held.clear();
            self.break_at_least(TextBreak::Space);
        }
        let mut at = 0;
        while at < text.len() {
            let words = at + end_of_space(&text[at..]);
            if words > at {
                self.break_at_least(TextBreak::Space);
            }
            at = words + end_of_words(&text[words..]);
            if at > words {
                self.separate();
                self.out.push_str(&text[words..at]);
            }
        }
    }

    /// Writes preformatted text: keeps its lines, including blank ones, and their indentation.
    fn preformatted(&mut self, text: &str) {
        for (i, line) in text.split('\n').enumerate() {
            if i > 0 {
                self.break_at_least(TextBreak::Line);
                self.lines += 1;
            }
            let content = line.trim_start_matches(is_space);
            self.held.push_str(&line[..line.len() - content.len()]);
            let content = content.trim_end_matches(is_space);
            if !content.is_empty() {
                self.separate();
                if !self.out.is_empty() {
                    self.out.push_str(&self.held);
                }
                self.held.clear();
                self.out.push_str(content);
                self.held.push_str(&line[line.trim_end_matches(is_space).len()..]);
            }
        }
    }
}

/// Classes of a character's first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    /// Not white space.
    Word,
    Space,
    OtherSpace,
    /// First byte of a multi-byte character that may be white space.
    Wide,
}

/// Indexed by byte. Non-ASCII white space begins with one of five bytes.
const BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Word; 256];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = match at as u8 {
            b' ' => Byte::Space,
            b'\t' | b'\n' | b'\r' | b'\x0c' => Byte::OtherSpace,
            0xc2 | 0xe1 | 0xe2 | 0xe3 | 0xef => Byte::Wide,
            _ => Byte::Word,
        };
        at += 1;
    }
    bytes
};

/// Length of the white space at the start of a text.
fn end_of_space(text: &str) -> usize {
    match text.bytes().next().map(|b| BYTES[usize::from(b)]) {
        None | Some(Byte::Word) => 0,
        _ => text.len() - text.trim_start_matches(is_space).len(),
    }
}

/// Number of bytes that are examined together.
const PIECE: usize = 32;

/// Whether the bytes, except for the last, are ASCII words separated and followed by single spaces.
#[inline]
fn is_single_spaced(bytes: &[u8; PIECE + 1]) -> bool {
    let is_word = |at: usize| u8::from(bytes[at].wrapping_sub(b'!') < 0x80 - b'!');
    // Without branches, so that the compiler vectorises the loop.
    let is_plain = |at: usize| is_word(at) | u8::from(bytes[at] == b' ') & is_word(at + 1);
    (0..PIECE).fold(1, |all, at| all & is_plain(at)) != 0
}

/// Length of the words at the start of a text, separated by single spaces, up to any other white
/// space.
fn end_of_words(text: &str) -> usize {
    let bytes = text.as_bytes();
    let begins_word = |at: usize| match bytes.get(at).map(|b| BYTES[usize::from(*b)]) {
        Some(Byte::Word) => true,
        Some(Byte::Wide) => !text[at..].starts_with(is_space),
        _ => false,
    };
    let mut at = 0;
    loop {
        while bytes[at..].first_chunk().is_some_and(is_single_spaced) {
            at += PIECE;
        }
        let word = bytes[at..].iter().position(|b| BYTES[usize::from(*b)] != Byte::Word);
        let Some(word) = word else { return text.len() };
        at += word;
        match BYTES[usize::from(bytes[at])] {
            Byte::Space if begins_word(at + 1) => at += 1,
            Byte::Wide if !text[at..].starts_with(is_space) => at += 1,
            _ => return at,
        }
    }
}

/// Collapses runs of white space to one space, and trims both ends.
pub fn normalize_space(text: &str) -> String {
    let mut lines = TextWriter { out: String::with_capacity(text.len()), ..TextWriter::default() };
    lines.flowing(text);
    lines.out
}

/// Text of the subtrees of `roots` without the subtrees of `prune`.
///
/// Takes node ids in any order, overlapping or not; each piece of text is written once, in document order. If roots and pruned
/// subtrees are nested, the nearest one above a text decides. Paragraphs are separated by one blank line, list items, table cells
/// and `<br>` by a line break; preformatted text keeps its lines; other white space becomes one space. Formulas are TeX between
/// dollar signs, powers begin with `^`, and note marks are in brackets. No white space at either end.
pub fn text_of(document: &Document, roots: &[NodeId], prune: &[NodeId]) -> String {
    write_text(document, roots, prune, &FootnoteMap::default(), TextWriter::default()).out
}

/// Text of a document like [`text_of`], with the footnote references and labels of [`markdown_of`](super::markdown_of).
pub fn text_with_notes(document: &Document) -> String {
    let notes = FootnoteMap::of(document, &[0], &[]);
    write_text(document, &[0], &[], &notes, TextWriter::default()).out
}

/// Like [`text_with_notes`], but also returns the blocks of the text, in order. `posts` are the first nodes of a thread's posts,
/// ascending.
pub fn text_and_blocks(document: &Document, posts: &[NodeId]) -> (String, Vec<WrittenBlock>) {
    let notes = FootnoteMap::of(document, &[0], &[]);
    let blocks = Some(BlockRecorder::new(document, posts));
    let lines = TextWriter { blocks, ..TextWriter::default() };
    let TextWriter { out, blocks, .. } = write_text(document, &[0], &[], &notes, lines);
    let blocks = blocks.map_or_else(Vec::new, |blocks| blocks.finish(out.len()));
    (out, blocks)
}

/// A visible edit of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    Deleted,
    Inserted,
}

pub(super) fn edit_of(name: &LocalName) -> Option<Edit> {
    match *name {
        local_names!("del" "s" "strike") => Some(Edit::Deleted),
        local_name!("ins") => Some(Edit::Inserted),
        _ => None,
    }
}

/// Whether an element begins inserted text directly after deleted text, or vice versa.
pub(super) fn follows_other(before: Option<Edit>, name: &LocalName) -> bool {
    before.is_some() && edit_of(name).is_some_and(|edit| before != Some(edit))
}

/// Longest fallback text in a player, in bytes: longer texts are due to a missing end tag.
const FALLBACK: usize = 300;

fn write_text<'a>(
    document: &Document,
    roots: &[NodeId],
    prune: &[NodeId],
    notes: &FootnoteMap,
    mut lines: TextWriter<'a>,
) -> TextWriter<'a> {
    // The end of the outermost enclosing preformatted element, if known.
    let mut pre: Option<NodeId> = None;
    let end_of_pre = |pre: &mut Option<NodeId>, id: NodeId| {
        *pre.get_or_insert_with(|| {
            let around = document.ancestors(id).filter(|a| document.is(*a, &local_name!("pre")));
            around.last().map_or(0, |pre| document.node(pre).end)
        })
    };
    // The subtree that was written last as a whole.
    let mut whole = 0..0;
    for_each_kept(document, roots, prune, &mut |event| match event {
        WalkEvent::Open(id) | WalkEvent::Close(id) | WalkEvent::Text(id) if whole.contains(&id) => {
        }
        WalkEvent::Open(id) if notes.replaced.contains(&id) => whole = document.subtree(id),
        WalkEvent::Open(id) => {
            if let Some(blocks) = &mut lines.blocks {
                blocks.visit(id);
            }
            let Some(name) = document.name(id) else { return };
            match *name {
                local_name!("math") => {
                    let formula = Formula::of(document, id);
                    let gap =
                        if formula.is_display { TextBreak::Paragraph } else { TextBreak::None };
                    lines.break_at_least(gap);
                    lines.flowing(&formula.marked());
                    lines.break_at_least(gap);
                    whole = document.subtree(id);
                    return;
                }
                local_name!("a") if notes.references.contains_key(&id) => {
                    lines.flowing(&format!("[^{}]", notes.references[&id]));
                    whole = document.subtree(id);
                    return;
                }
                local_name!("sup") if end_of_pre(&mut pre, id) <= id => {
                    let before = if lines.pending == TextBreak::None { &*lines.out } else { "" };
                    if let Some(raised) = raised_text(document, id, before, notes) {
                        lines.flowing(&raised);
                        whole = document.subtree(id);
                        return;
                    }
                }
                // The content of a player is for browsers that cannot play it.
                local_names!("video" "audio") if document.text_content(id).len() <= FALLBACK => {
                    lines.break_at_least(TextBreak::Paragraph);
                    whole = document.subtree(id);
                    return;
                }
                local_name!("pre") => pre = pre.map(|end| end.max(document.node(id).end)),
                _ if follows_other(lines.after, name) => lines.break_at_least(TextBreak::Space),
                _ => {}
            }
            // Old pages separate paragraphs with two line breaks in a row.
            let is_second = *name == local_name!("br") && lines.pending == TextBreak::Line;
            let gap = break_around(document, id);
            lines.break_at_least(if is_second { TextBreak::Paragraph } else { gap });
            if let Some(label) = notes.labels.get(&id) {
                lines.label = format!("[^{label}]: ");
            }
        }
        WalkEvent::Close(id) => {
            // A note without text here has no label either.
            if notes.labels.contains_key(&id) {
                lines.label.clear();
            }
            lines.break_at_least(break_around(document, id));
            lines.after = document.name(id).and_then(edit_of).or(lines.after);
        }
        WalkEvent::Gap => {
            pre = None;
            lines.break_at_least(TextBreak::Paragraph);
        }
        WalkEvent::Text(id) => {
            if let Some(blocks) = &mut lines.blocks {
                blocks.visit(id);
            }
            let text = document.text(id).unwrap_or_default();
            if id < end_of_pre(&mut pre, id) {
                lines.preformatted(text)
            } else {
                lines.flowing(text)
            }
        }
    });
    lines
}

/// The paragraphs of a text returned by [`text_of`].
pub fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").filter(|p| !p.is_empty())
}

/// An event of a walk over kept nodes.
pub(crate) enum WalkEvent {
    /// The start of a kept element.
    Open(NodeId),
    /// Its end (not given for elements without children).
    Close(NodeId),
    Text(NodeId),
    /// A gap between two separate roots, or where something was left out.
    Gap,
}

/// Walks the subtrees of `roots` without those of `prune`, in document order, each node once.
pub(crate) fn for_each_kept(
    document: &Document,
    roots: &[NodeId],
    prune: &[NodeId],
    visit: &mut impl FnMut(WalkEvent),
) {
    let mut marks: Vec<(NodeId, bool)> = roots.iter().map(|&id| (id, true)).collect();
    marks.extend(prune.iter().map(|&id| (id, false)));
    // A node that is both root and pruned is pruned.
    marks.sort_unstable();
    marks.dedup_by_key(|m| m.0);
    let mut marks = marks.into_iter().peekable();
    // Ends of the marked subtrees around the current node, and whether they are kept.
    let mut around: Vec<(NodeId, bool)> = Vec::new();
    let mut open: Vec<NodeId> = Vec::new();
    let mut id = 0;
    let end = document.len() as NodeId;
    loop {
        while let Some(&top) = open.last()
            && document.node(top).end <= id
        {
            visit(WalkEvent::Close(top));
            open.pop();
        }
        while around.last().is_some_and(|a| a.0 <= id) {
            around.pop();
            visit(WalkEvent::Gap);
        }
        if id >= end {
            return;
        }
        if let Some((marked, keep)) = marks.next_if(|m| m.0 == id) {
            visit(WalkEvent::Gap);
            around.push((document.node(marked).end, keep));
        }
        let keeping = around.last().is_some_and(|a| a.1);
        if keeping {
            match document.name(id) {
                None => visit(WalkEvent::Text(id)),
                Some(_) => {
                    visit(WalkEvent::Open(id));
                    if document.node(id).end > id + 1 {
                        open.push(id);
                    }
                }
            }
            id += 1;
        } else {
            // Nothing is kept before the next mark or the end of this pruned subtree.
            let stop = around.last().map_or(end, |a| a.0);
            id = marks.peek().map_or(stop, |m| m.0.min(stop)).max(id + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn text(html: &str) -> String {
        text_of(&parse(html), &[0], &[])
    }

    #[test]
    fn paragraphs_and_lines() {
        assert_eq!(
            text("<p>One\n  <b>two</b>,three<p>four<br>five"),
            "One two,three\n\nfour\nfive"
        );
        assert_eq!(text("one<br><br>two"), "one\n\ntwo");
        assert_eq!(text("<ul><li>a<li>b</ul>c"), "a\nb\n\nc");
        assert_eq!(text("<p>a&nbsp;&nbsp; b</p>"), "a b");
        assert_eq!(text("a<span> b</span><span>c </span>d"), "a bc d");
    }

    #[test]
    fn preformatted_lines_stay() {
        assert_eq!(text("<pre>a\n  b</pre>"), "a\n  b");
        assert_eq!(
            text("<pre><b>let</b> <i>x</i>  = <u>1</u>; \n  <b>y</b> </pre>z"),
            "let x  = 1;\n  y\n\nz"
        );
        assert_eq!(text("<pre>  a</pre>"), "a");
        let d = parse("<pre><b>a\n  b</b><i>c\n  d</i></pre><p>e\n  f<p>g");
        let find = |n: &str| d.ids().find(|&i| d.name(i).is_some_and(|x| &**x == n)).unwrap();
        assert_eq!(text_of(&d, &[find("b"), find("i")], &[]), "a\n  b\n\nc\n  d");
        assert_eq!(text_of(&d, &[find("body")], &[find("b")]), "c\n  d\n\ne f\n\ng");
    }

    #[test]
    fn white_space_of_any_kind_is_one_space() {
        for c in ('\0'..=char::MAX).filter(|c| *c != '\0') {
            let spaced = normalize_space(&format!("{c}a b{c}c {c} é{c}{c}d {c}"));
            let split: Vec<String> = format!("{c}a b{c}c {c} é{c}{c}d {c}")
                .split(is_space)
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect();
            assert_eq!(spaced, split.join(" "), "{c:?}");
        }
    }

    #[test]
    fn pruned_subtrees_separate_what_is_around_them() {
        let d = parse("<div>one <span>two</span> three <p>four <b>five</b></p></div>");
        let find = |n: &str| d.ids().find(|&i| d.name(i).is_some_and(|x| &**x == n)).unwrap();
        assert_eq!(text_of(&d, &[find("div")], &[find("span")]), "one\n\nthree\n\nfour five");
        assert_eq!(text_of(&d, &[find("div"), find("b")], &[find("p")]), "one two three\n\nfive");
        assert_eq!(text_of(&d, &[find("b"), find("b"), find("p")], &[]), "four\n\nfive");
    }

    #[test]
    fn what_readers_without_scripts_see_is_read_where_nothing_else_is() {
        let page = |own: &str, other: &str| {
            text(&format!("<meta name=a content=b><div>{own}</div><noscript>{other}</noscript>"))
        };
        let long = "word ".repeat(300).trim().to_owned();
        assert_eq!(page("menu", &long), format!("menu\n\n{long}"));
        assert_eq!(page("menu", "enable scripts"), "menu");
        assert_eq!(page(&long, &long), long);
        let twice = parse(&format!("<meta name=a content=b><noscript>{long}</noscript>"));
        assert_eq!(twice.head().metas.len(), 1);
    }

    #[test]
    fn shadow_roots_of_the_page_are_read_and_other_templates_are_not() {
        let shadow = "<x-story><template shadowrootmode=open><style>p{}</style><h1>One</h1><p>two</template></x-story>";
        assert_eq!(
            text(&format!("{shadow}<template><p>three</template><p>four")),
            "One\n\ntwo\n\nfour"
        );
    }

    #[test]
    fn dropped_elements_leave_no_text() {
        assert_eq!(text("a<script>x</script><style>y</style><noscript>z</noscript>b"), "ab");
    }
}
