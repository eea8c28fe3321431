//! A filter between tokenizer and tree builder that limits the depth and size of the tree.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, TokenizerResult, ns};

use crate::document::ParseNotes;
use crate::front::{Content, FrontToken, TokenTaker};
use crate::is_void;
use crate::limits::{ParseOptions, Room};
use crate::linked::Linked;
use crate::sink::PageSink;

/// If this many attributes were left out, the page consists of copies: no more elements are
/// accepted.
const MAX_LEFT_OUT: u32 = 1 << 16;

/// Passes tokens to the tree builder, except start tags that would nest too deep or make the tree
/// too large, and the end tags that belong to them.
pub(crate) struct Guard<'a, 'q> {
    pub(crate) builder: TreeBuilder<&'a Linked<'a>, PageSink<'a>>,
    max_depth: u32,
    room: Room,
    max_attributes: usize,
    /// Start tags minus end tags: an estimate that unclosed elements raise and stray end tags
    /// lower, so it is never the only criterion.
    open: Cell<u32>,
    /// Number of left-out start tags whose end tags have not come yet, by name.
    skipped: RefCell<Vec<(LocalName, u32)>>,
    pub(crate) notes: Cell<ParseNotes>,
    /// The input of html5ever's tokenizer, if that is used.
    input: Option<&'q BufferQueue>,
    /// Number of bytes that the tokenizer had not yet read at the last token.
    pub(crate) unread: Cell<usize>,
    /// Whether there was a token since this was last cleared.
    pub(crate) stirred: Cell<bool>,
}

impl<'a, 'q> Guard<'a, 'q> {
    pub(crate) fn new(
        sink: PageSink<'a>,
        config: &ParseOptions,
        room: Room,
        input: Option<&'q BufferQueue>,
    ) -> Self {
        let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
        Self {
            builder: TreeBuilder::new(sink, options),
            max_depth: config.max_depth,
            room,
            max_attributes: config.max_attributes as usize,
            open: Cell::new(0),
            skipped: RefCell::default(),
            notes: Cell::default(),
            input,
            unread: Cell::new(0),
            stirred: Cell::new(false),
        }
    }

    pub(crate) fn leave_out(&self, attributes: u32) {
        let mut notes = self.notes.get();
        notes.attributes = notes.attributes.saturating_add(attributes);
        self.notes.set(notes);
    }

    fn admits_start(&self, tag: &Tag) -> bool {
        if changes_tokenizer(&tag.name) {
            return true;
        }
        let level = self.builder.sink.level.get();
        let deep = level >= 2 * self.max_depth
            || (level >= self.max_depth && self.open.get() >= self.max_depth);
        let many = self.builder.sink.nodes.get() >= self.room.nodes
            || self.builder.sink.left_out.get() >= MAX_LEFT_OUT;
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
            let mut skipped = self.skipped.borrow_mut();
            // Bounds the list for pages with many different tag names.
            match skipped.iter().position(|(name, _)| *name == tag.name) {
                Some(at) => skipped[at].1 += 1,
                None if skipped.len() < 64 => skipped.push((tag.name.clone(), 1)),
                None => {}
            }
        }
        false
    }

    /// Rejects the end tags of start tags that were left out.
    fn admits_end(&self, tag: &Tag) -> bool {
        let mut skipped = self.skipped.borrow_mut();
        let of_skipped = |own: &&mut (LocalName, u32)| own.0 == tag.name && own.1 > 0;
        if let Some((_, count)) = skipped.iter_mut().find(of_skipped) {
            *count -= 1;
            return false;
        }
        self.open.set(self.open.get().saturating_sub(1));
        true
    }
}

/// Whether a start tag switches the tokenizer's state: without the tag, its text would be read as markup.
fn changes_tokenizer(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!(
            "script" "style" "title" "textarea" "xmp" "iframe" "noembed" "noframes" "plaintext"
        )
    )
}

impl TokenTaker for &Guard<'_, '_> {
    fn take(&mut self, token: FrontToken<'_>) -> Content {
        let attribute = |(name, value): &(LocalName, Cow<'_, str>)| Attribute {
            name: QualName::new(None, ns!(), name.clone()),
            value: StrTendril::from_slice(value),
        };
        let is_end = matches!(token, FrontToken::EndOfPage);
        let token = match token {
            FrontToken::Start(tag) => Token::TagToken(Tag {
                kind: TagKind::StartTag,
                name: tag.name.clone(),
                self_closing: tag.self_closing,
                attrs: tag.attributes.iter().map(attribute).collect(),
                had_duplicate_attributes: false,
            }),
            FrontToken::End(name) => Token::TagToken(Tag {
                kind: TagKind::EndTag,
                name: name.clone(),
                self_closing: false,
                attrs: Vec::new(),
                had_duplicate_attributes: false,
            }),
            FrontToken::Text(text) => Token::CharacterTokens(StrTendril::from_slice(text)),
            FrontToken::Comment => Token::CommentToken(StrTendril::new()),
            FrontToken::Doctype(markup) => Token::DoctypeToken(read_doctype(markup)),
            FrontToken::EndOfPage => Token::EOFToken,
        };
        let answer = self.process_token(token, 1);
        if is_end {
            TokenSink::end(self);
        }
        match answer {
            TokenSinkResult::RawData(RawKind::Rcdata) => Content::EscapableText,
            TokenSinkResult::RawData(RawKind::Rawtext) => Content::RawText,
            TokenSinkResult::RawData(_) => Content::Script,
            TokenSinkResult::Plaintext => Content::Plaintext,
            _ => Content::Markup,
        }
    }

    fn leave_out(&mut self, attributes: u32) {
        Guard::leave_out(self, attributes);
    }

    fn gives_up(&self) -> bool {
        self.builder.sink.steps.are_too_many()
    }

    fn is_in_foreign(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Reads a doctype as html5ever does: a page has at most one that counts.
pub(crate) fn read_doctype(markup: &str) -> Doctype {
    struct DoctypeSink(RefCell<Doctype>);
    impl TokenSink for DoctypeSink {
        type Handle = ();

        fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
            if let Token::DoctypeToken(doctype) = token {
                self.0.replace(doctype);
            }
            TokenSinkResult::Continue
        }
    }
    let tokenizer = Tokenizer::new(DoctypeSink(Default::default()), Default::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(markup));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.0.take()
}

impl<'a> TokenSink for &Guard<'a, '_> {
    type Handle = &'a Linked<'a>;

    fn process_token(&self, mut token: Token, line: u64) -> TokenSinkResult<Self::Handle> {
        // Errors are ignored; they also occur inside tags.
        if matches!(token, Token::ParseError(_)) {
            return TokenSinkResult::Continue;
        }
        if let Some(input) = self.input {
            self.stirred.set(true);
            self.unread.set(input.peek_front_chunk_mut().map_or(0, |chunk| chunk.len()));
        }
        if self.builder.sink.nodes.get() >= self.room.most_nodes {
            self.notes.set(ParseNotes { cut: true, ..self.notes.get() });
            return TokenSinkResult::Continue;
        }
        let steps = &self.builder.sink.steps;
        steps.more(1);
        if steps.are_too_many() {
            return TokenSinkResult::Continue;
        }
        let mut comparing = None;
        if let Token::TagToken(tag) = &mut token {
            steps.more(tag.attrs.len());
            let is_admitted = match tag.kind {
                TagKind::StartTag => self.admits_start(tag),
                TagKind::EndTag => self.admits_end(tag),
            };
            if !is_admitted {
                return TokenSinkResult::Continue;
            }
            if tag.attrs.len() > self.max_attributes {
                self.leave_out((tag.attrs.len() - self.max_attributes) as u32);
                tag.attrs.truncate(self.max_attributes);
            }
            comparing = Comparing::of(tag);
        }
        let result = self.builder.process_token(token, line);
        if let Some(comparing) = comparing {
            steps.more(comparing.steps(&self.builder.sink));
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Number of steps of a comparison of tags; each attribute adds four times as many.
const COMPARISON: usize = 16;

/// Maximum number of attributes times levels whose comparison is not counted.
const FEW: usize = 64;

/// A formatting element's start tag that is compared with the open ones.
///
/// html5ever copies and sorts the attributes of the new tag and of each open one of the same name
/// (WHATWG HTML §13.2.4.3, the Noah's Ark clause) without calling the tree, where steps are counted: two megabytes of
/// `<font>` with a thousand attributes each take ten seconds.
pub(crate) struct Comparing {
    name: LocalName,
    attributes: usize,
}

impl Comparing {
    /// `None` for a tag that is compared with few others: at most three open elements of the same
    /// name have no attributes (the Noah's Ark clause), and links do not nest.
    pub(crate) fn of(tag: &Tag) -> Option<Self> {
        let is_compared = !tag.attrs.is_empty()
            && tag.kind == TagKind::StartTag
            && matches!(
                tag.name,
                local_names!(
                    "b" "big" "code" "em" "font" "i" "nobr" "s" "small" "strike" "strong" "tt"
                    "u"
                )
            );
        is_compared.then(|| Self { name: tag.name.clone(), attributes: tag.attrs.len() })
    }

    /// The steps of the comparison, computed after the tree builder has processed the tag: all
    /// elements that it was compared with are then open, each inside the previous one.
    pub(crate) fn steps(&self, sink: &PageSink<'_>) -> usize {
        let level = sink.level.get() as usize;
        if level * self.attributes <= FEW {
            return 0;
        }
        level + sink.above_the_newest(&self.name) * COMPARISON * (1 + 4 * self.attributes)
    }
}
