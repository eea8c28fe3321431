//! From a page's text to a [`Document`]: html5ever under a guard against depth and size.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{LocalName, TokenizerResult, local_name};
use typed_arena::Arena;

use crate::document::{Document, ParseNotes};
use crate::flatten::flatten;
use crate::is_void;
use crate::sink::{Linked, Sink};

/// Which elements come into the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Readable content: without the head and without `script`, `style`, `noscript`, `template`,
    /// `iframe`, `object`, `embed`, `canvas`, `svg`, `math`, `select`, `datalist`, `textarea`
    /// and the like, each with its subtree.
    Content,
    /// Every element (for conformance tests). Script and style text stays out.
    Everything,
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
    /// After this many nodes, further start tags are left out; their text is kept.
    pub max_nodes: u32,
}

impl ParseConfig {
    /// Readable content, 512 levels, 2 million nodes: what the pipeline uses unless told
    /// otherwise.
    pub const CONTENT: Self = Self { keep: Keep::Content, max_depth: 512, max_nodes: 2_000_000 };
}

/// Parses a page with [`ParseConfig::CONTENT`]. Never fails: HTML has no invalid input.
pub fn parse(html: &str) -> Document {
    parse_with(html, &ParseConfig::CONTENT)
}

/// Parses a page. Takes text (UTF-8), gives the tree; time is linear in the text's length.
pub fn parse_with(html: &str, config: &ParseConfig) -> Document {
    let arena = Arena::with_capacity((html.len() / 40).clamp(64, 1 << 20));
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let guard = Guard {
        builder: TreeBuilder::new(Sink::new(&arena, html.len()), options),
        max_depth: config.max_depth,
        max_nodes: config.max_nodes,
        open: Cell::new(0),
        skipped: RefCell::default(),
        skipped_count: Cell::new(0),
        notes: Cell::default(),
    };
    let tokenizer = Tokenizer::new(guard, Default::default());
    let input = BufferQueue::default();
    // Tendrils hold at most 4 GiB; pieces also keep the shared buffers of attribute values small.
    for piece in pieces(html, 1 << 20) {
        input.push_back(StrTendril::from_slice(piece));
        // `feed` returns early at each script and at a declared encoding: go on until it is done.
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    }
    tokenizer.end();
    let notes = tokenizer.sink.notes.get();
    flatten(tokenizer.sink.builder.sink.finish(), config.keep, notes)
}

/// Cuts text into pieces of about `size` bytes at character boundaries.
fn pieces(mut text: &str, size: usize) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let (piece, rest) = text.split_at(text.floor_char_boundary(size.min(text.len())).max(1));
        text = rest;
        Some(piece)
    })
}

/// Passes tokens on to the tree builder, but for start tags that would nest too deep or make the
/// tree too large, and the end tags that belong to them.
struct Guard<'a> {
    builder: TreeBuilder<&'a Linked<'a>, Sink<'a>>,
    max_depth: u32,
    max_nodes: u32,
    /// Start tags minus end tags: an estimate that unclosed elements push up and stray end tags
    /// push down, so it alone decides nothing.
    open: Cell<u32>,
    skipped: RefCell<Vec<(LocalName, u32)>>,
    skipped_count: Cell<u32>,
    notes: Cell<ParseNotes>,
}

impl Guard<'_> {
    fn admits(&self, tag: &Tag) -> bool {
        // These switch the tokenizer's state: leaving them out would turn their text into markup.
        let raw_text = matches!(
            tag.name,
            local_name!("script")
                | local_name!("style")
                | local_name!("title")
                | local_name!("textarea")
                | local_name!("xmp")
                | local_name!("iframe")
                | local_name!("noembed")
                | local_name!("noframes")
                | local_name!("plaintext")
        );
        match tag.kind {
            TagKind::StartTag => {
                if raw_text {
                    return true;
                }
                let level = self.builder.sink.level.get();
                let deep = level >= 2 * self.max_depth
                    || (level >= self.max_depth && self.open.get() >= self.max_depth);
                let many = self.builder.sink.nodes.get() >= self.max_nodes;
                if !deep && !many {
                    if !tag.self_closing && !is_void(&tag.name) {
                        self.open.set(self.open.get().saturating_add(1));
                    }
                    return true;
                }
                let mut notes = self.notes.get();
                if deep {
                    notes.too_deep = notes.too_deep.saturating_add(1);
                } else {
                    notes.too_many = notes.too_many.saturating_add(1);
                }
                self.notes.set(notes);
                if !is_void(&tag.name) {
                    self.skipped_count.set(self.skipped_count.get() + 1);
                    let mut skipped = self.skipped.borrow_mut();
                    // A page of ever new tag names must not make this list long.
                    match skipped.iter().position(|(name, _)| *name == tag.name) {
                        Some(at) => skipped[at].1 += 1,
                        None if skipped.len() < 64 => skipped.push((tag.name.clone(), 1)),
                        None => {}
                    }
                }
                false
            }
            TagKind::EndTag => {
                if self.skipped_count.get() > 0
                    && let Some((_, count)) = self
                        .skipped
                        .borrow_mut()
                        .iter_mut()
                        .find(|(name, count)| *name == tag.name && *count > 0)
                {
                    *count -= 1;
                    self.skipped_count.set(self.skipped_count.get() - 1);
                    return false;
                }
                self.open.set(self.open.get().saturating_sub(1));
                true
            }
        }
    }
}

impl<'a> TokenSink for Guard<'a> {
    type Handle = &'a Linked<'a>;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Self::Handle> {
        match token {
            Token::TagToken(tag) if !self.admits(&tag) => TokenSinkResult::Continue,
            token => self.builder.process_token(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}
