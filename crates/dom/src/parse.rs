//! Parses the text of a page into a [`Document`], with html5ever and limits on depth and size.

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::TreeSink;

use crate::Keep;
use crate::direct;
use crate::document::{Document, ParseNotes};
use crate::flatten::flatten;
use crate::flood::TagReader;
use crate::frames::with_frames;
use crate::front;
use crate::guard::Guard;
use crate::limits::{ParseOptions, Room};
use crate::sink::{Nodes, PageSink};

/// Parses a page with [`ParseOptions::CONTENT`]. Never fails: HTML has no invalid input.
pub fn parse(html: &str) -> Document {
    parse_with(html, &ParseOptions::CONTENT)
}

/// Longest page that is read, in bytes: offsets in the tree are 32 bits, and the parser turns some single bytes into three.
const MAX_BYTES: usize = 1 << 30;

/// Nodes beyond [`ParseOptions::max_nodes`] that end tags and text may still create.
const MOST_PAST: u32 = 1 << 16;

/// Bytes fed to the tokenizer at a time. Small pieces also keep the buffers small that attribute
/// values share.
const PIECE: usize = 1 << 14;

/// Parses a page. Takes UTF-8 text (anything after 1 GiB is left out), returns the tree. Time is
/// linear in the text's length and in [`ParseOptions::max_steps`]. A page that takes more steps has
/// an empty tree, and its notes say so. The tree depends only on the page and the limits.
///
/// If only content is kept, a frame with its text in `srcdoc` becomes a `div` with that text.
pub fn parse_with(html: &str, config: &ParseOptions) -> Document {
    let document = parse_one(html, config);
    match config.keep {
        Keep::Content => with_frames(document, |inner| parse_one(inner, config)),
        _ => document,
    }
}

fn parse_one(html: &str, config: &ParseOptions) -> Document {
    let html = &html[..html.floor_char_boundary(MAX_BYTES)];
    if !front::can_read(html) {
        return parse_by_html5ever(html, config);
    }
    let most = config.max_attributes as usize;
    let html = front::with_line_feeds(html);
    if config.keep == Keep::Content
        && let Some(document) = direct::build(&html, config)
    {
        let ParseNotes { given_up, steps, .. } = document.notes;
        return if given_up { empty_page(steps) } else { document };
    }
    build(&html, config, None, |mut guard| front::read(&html, &mut guard, most))
}

/// Like [`parse_with`], but with html5ever's own tokenizer: several times slower. It is the reference in
/// tests, and reads the pages that the fast tokenizer cannot.
pub fn parse_by_html5ever(html: &str, config: &ParseOptions) -> Document {
    let html = &html[..html.floor_char_boundary(MAX_BYTES)];
    // The tokenizer would drop a byte order mark after every script and at the start of every
    // piece.
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let input = BufferQueue::default();
    let mut document = build(html, config, Some(&input), |guard| {
        let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
        let tokenizer = Tokenizer::new(guard, options);
        feed(&tokenizer, &input, html, config.max_attributes);
        tokenizer.end();
    });
    document.notes.by_html5ever = true;
    document
}

/// Builds a tree from the tokens that `tokens` passes to the guard.
fn build(
    html: &str,
    config: &ParseOptions,
    input: Option<&BufferQueue>,
    tokens: impl FnOnce(&Guard<'_, '_>),
) -> Document {
    let arena = Nodes::new();
    let mut room = Room::of(html);
    room.nodes = room.nodes.min(config.max_nodes);
    room.most_nodes = room.most_nodes.min(config.max_nodes.saturating_add(MOST_PAST));
    let guard = Guard::new(PageSink::new(&arena, room, config), config, room, input);
    tokens(&guard);
    let steps = &guard.builder.sink.steps;
    if steps.are_too_many() {
        return empty_page(steps.taken());
    }
    let mut notes = ParseNotes { steps: steps.taken(), ..guard.notes.get() };
    notes.attributes = notes.attributes.saturating_add(guard.builder.sink.left_out.get());
    flatten(guard.builder.sink.finish(), config.keep, notes)
}

/// Returns the empty tree of a page that was given up after this many steps.
fn empty_page(steps: u64) -> Document {
    let notes = ParseNotes { given_up: true, steps, ..ParseNotes::default() };
    Document { notes, ..parse("") }
}

/// Feeds the page piece by piece until it is done or given up, skipping attributes of tags that
/// have too many.
fn feed(
    tokenizer: &Tokenizer<&Guard<'_, '_>>,
    input: &BufferQueue,
    html: &str,
    max_attributes: u32,
) {
    let guard = tokenizer.sink;
    let feed = |text: &str| {
        input.push_back(StrTendril::from_slice(text));
        // `feed` returns early at each script and at a declared encoding: repeat until it is done.
        while !matches!(tokenizer.feed(input), TokenizerResult::Done) {}
    };
    let mut at = 0;
    let mut last_token = 0;
    let mut run_before = None;
    let mut reader: Option<TagReader> = None;
    while at < html.len() && !guard.builder.sink.steps.are_too_many() {
        let end = html.ceil_char_boundary((at + PIECE).min(html.len()));
        // NUL is ignored in text, and `<` before another `<` is text; each of them is an error. A long run
        // of either (in a damaged or hostile file) can be skipped.
        let first = html.as_bytes()[at];
        let same = html.as_bytes()[at..end].iter().all(|&byte| byte == first);
        let run = (same && matches!(first, 0 | b'<')).then_some(first);
        if run.is_some() && run == run_before {
            at = end;
            continue;
        }
        run_before = run;
        guard.stirred.set(false);
        feed(&html[at..end]);
        at = end;
        if guard.stirred.get() {
            last_token = end - guard.unread.get().min(end);
            reader = None;
            continue;
        }
        let bytes = html.as_bytes();
        // The tokenizer may have consumed the `<` before it emitted the text that ends there.
        let reader = reader.get_or_insert_with(|| {
            TagReader::new(bytes, last_token.saturating_sub(1), max_attributes)
        });
        if let Some((cut, tag_end)) = reader.flood(bytes, end) {
            feed(&html[end..cut.max(end)]);
            at = tag_end.max(end);
            guard.leave_out(1);
        }
    }
}
