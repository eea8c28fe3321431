//! From a page's text to a [`Document`]: html5ever under a guard against depth and size.

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::TreeSink;

use crate::document::{Document, ParseNotes};
use crate::flatten::flatten;
use crate::flood::TagReader;
use crate::front;
use crate::guard::Guard;
use crate::sink::{Nodes, Sink};

/// Which elements come into the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Readable content: without the head and without `script`, `style`, `noscript`, `template`,
    /// `iframe`, `object`, `embed`, `canvas`, `svg`, `math`, `select`, `datalist`, `textarea`
    /// and the like, each with its subtree.
    Content,
    /// Every element (for conformance tests). Script and style text stays out.
    Everything,
    /// Every element, and the text of scripts and styles too (for expressions of other people's).
    Scripts,
}

/// Limits of a parse. There is no default here: the pipeline's configuration file has it.
#[derive(Clone, Copy, Debug)]
pub struct ParseConfig {
    /// Which elements come into the tree.
    pub keep: Keep,
    /// Elements nested deeper than this are left out, their content moved up to the limit. The
    /// WHATWG algorithm searches its stack of open elements at many tags, which is quadratic in
    /// depth. The deepest of 6,500 real pages we looked at had 52 levels.
    pub max_depth: u32,
    /// After this many nodes, further start tags are left out; their text is kept. A page also
    /// gets no more nodes than its [`Room`] has.
    pub max_nodes: u32,
    /// More attributes than this on one tag are left out.
    pub max_attributes: u32,
}

impl ParseConfig {
    /// Readable content, 512 levels, 300,000 nodes, 1,024 attributes: what the pipeline uses
    /// unless told otherwise.
    pub const CONTENT: Self =
        Self { keep: Keep::Content, max_depth: 512, max_nodes: 300_000, max_attributes: 1024 };
}

/// How large the tree of a page may become, by its bytes and tags.
///
/// The parsing algorithm copies unclosed formatting elements into every paragraph after them, so 500
/// `<font>` make 500 nodes of each `<p>`. A page without such copies has no more than an element and a text a
/// tag. Of 2,535 real pages, misnested ones among them, none had more than 1.8 nodes a tag, and none
/// more values than 0.85 of its bytes or more attributes than a thirtieth of them; what is allowed beyond that
/// is for pages we have not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Nodes; from there on, start tags are left out, their text is kept.
    pub nodes: u32,
    /// Nodes; from there on, the rest of the page is left out: end tags and text alone can have
    /// elements copied, too.
    pub most_nodes: u32,
    /// Attributes of all elements.
    pub attributes: u32,
    /// Bytes of their values.
    pub values: u32,
}

impl Room {
    /// The room of a page. Linear in its bytes, at the speed of memory.
    pub fn of(html: &str) -> Self {
        let tags = memchr::memchr_iter(b'<', html.as_bytes()).count();
        let bytes = html.len();
        let nodes = 2 * tags + bytes / 32 + 64;
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            nodes: count(nodes),
            most_nodes: count(nodes + nodes / 8 + 1024),
            attributes: count(bytes / 8 + 64),
            values: count(bytes + bytes / 2 + 1024),
        }
    }
}

/// Parses a page with [`ParseConfig::CONTENT`]. Never fails: HTML has no invalid input.
pub fn parse(html: &str) -> Document {
    parse_with(html, &ParseConfig::CONTENT)
}

/// Longest page that is read, in bytes: offsets in the tree are 32 bits, and the parser writes
/// three bytes for some of one.
const MAX_BYTES: usize = 1 << 30;

/// Nodes beyond [`ParseConfig::max_nodes`] that end tags and text may still make.
const MOST_PAST: u32 = 1 << 16;

/// Bytes that go to the tokenizer at a time. Small pieces also keep the buffers small that
/// attribute values share.
const PIECE: usize = 1 << 14;

/// Parses a page. Takes text (UTF-8; what is beyond 1 GiB is left out), gives the tree; time is
/// linear in the text's length.
pub fn parse_with(html: &str, config: &ParseConfig) -> Document {
    parse_while(html, config, &|| true)
}

/// Parses a page as long as `go_on` says so, which is asked every few kilobytes. A page that is
/// given up has an empty tree, and its notes say so: the tree depends on the page alone.
pub fn parse_while(html: &str, config: &ParseConfig, go_on: &dyn Fn() -> bool) -> Document {
    let html = &html[..html.floor_char_boundary(MAX_BYTES)];
    if !front::can_read(html) {
        return parse_by_html5ever(html, config, go_on);
    }
    let most = config.max_attributes as usize;
    let html = front::with_line_feeds(html);
    build(&html, config, |guard, _| front::read(&html, guard, most, go_on).then_some(()))
}

/// As [`parse_while`], by html5ever's own tokenizer: several times slower, and what the other is
/// compared with. It also reads what the other does not.
pub fn parse_by_html5ever(html: &str, config: &ParseConfig, go_on: &dyn Fn() -> bool) -> Document {
    let html = &html[..html.floor_char_boundary(MAX_BYTES)];
    // Left to itself, it drops this sign after every script and at the start of every piece.
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let mut document = build(html, config, |guard, input| {
        let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
        let tokenizer = Tokenizer::new(guard, options);
        feed(&tokenizer, input, html, config.max_attributes, go_on).then(|| tokenizer.end())
    });
    document.notes.by_html5ever = true;
    document
}

/// Makes a tree of the tokens that `tokens` gives to the guard, `None` if it was given up.
fn build(
    html: &str,
    config: &ParseConfig,
    tokens: impl FnOnce(&Guard<'_, '_>, &BufferQueue) -> Option<()>,
) -> Document {
    let arena = Nodes::new();
    let input = BufferQueue::default();
    let mut room = Room::of(html);
    room.nodes = room.nodes.min(config.max_nodes);
    room.most_nodes = room.most_nodes.min(config.max_nodes.saturating_add(MOST_PAST));
    let guard = Guard::new(Sink::new(&arena, room, config.keep), config, room, &input);
    if tokens(&guard, &input).is_none() {
        return Document {
            notes: ParseNotes { given_up: true, ..ParseNotes::default() },
            ..parse("")
        };
    }
    let mut notes = guard.notes.get();
    notes.attributes = notes.attributes.saturating_add(guard.builder.sink.left_out.get());
    flatten(guard.builder.sink.finish(), config.keep, notes)
}

/// Feeds the page piece by piece, leaving out attributes of tags that have far too many; false if
/// it was given up.
fn feed(
    tokenizer: &Tokenizer<&Guard<'_, '_>>,
    input: &BufferQueue,
    html: &str,
    max_attributes: u32,
    go_on: &dyn Fn() -> bool,
) -> bool {
    let guard = tokenizer.sink;
    let feed = |text: &str| {
        input.push_back(StrTendril::from_slice(text));
        // `feed` returns early at each script and at a declared encoding: go on until it is done.
        while !matches!(tokenizer.feed(input), TokenizerResult::Done) {}
    };
    let mut at = 0;
    let mut last_token = 0;
    let mut run_before = None;
    let mut reader: Option<TagReader> = None;
    while at < html.len() {
        if !go_on() {
            return false;
        }
        let end = html.ceil_char_boundary((at + PIECE).min(html.len()));
        // NUL is ignored in text, and `<` before another is text, one by one and each an error: a
        // long run of either (a damaged or hostile file) can be skipped.
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
        // The tokenizer may have taken the `<` before it handed out the text that ends there.
        let reader = reader.get_or_insert_with(|| {
            TagReader::new(bytes, last_token.saturating_sub(1), max_attributes)
        });
        if let Some((cut, tag_end)) = reader.flood(bytes, end) {
            feed(&html[end..cut.max(end)]);
            at = tag_end.max(end);
            let mut notes = guard.notes.get();
            notes.attributes = notes.attributes.saturating_add(1);
            guard.notes.set(notes);
        }
    }
    true
}
