//! A fast tokenizer for complete pages, in front of html5ever's tree builder.
//!
//! html5ever's own tokenizer reads a page in pieces, character by character, and takes most of the
//! time of a parse. Here the complete page is in memory: text extends to the next `<` that begins
//! markup, names and values are slices, comments are skipped. The tokens are the same (WHATWG HTML
//! §13.2.5), except for the points where text is split, the contents of comments, and errors, none
//! of which affect the tree. html5ever's tokenizer is the oracle in tests and fuzzing, and reads
//! the pages that this one cannot.

mod names;
mod raw;
mod references;
mod tag;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Doctype, Tag, Token, TokenSink, TokenSinkResult, Tokenizer,
};
use html5ever::{Attribute, TokenizerResult};
use memchr::{memchr, memchr2, memmem};

use crate::guard::Guard;
use names::{NameCache, is_space};
use references::{ReferenceContext, resolve};

/// The consumer of the tokens.
pub(crate) trait Taker: TokenSink {
    /// Receives the number of attributes of a tag that were left out.
    fn leave_out(&self, attributes: u32);

    /// An empty list for attributes, reusing that of an earlier tag if possible.
    fn spare(&self) -> Vec<Attribute>;

    /// Whether it accepts no more tokens.
    fn gives_up(&self) -> bool;
}

impl Taker for &Guard<'_, '_> {
    fn leave_out(&self, attributes: u32) {
        Guard::leave_out(self, attributes);
    }

    fn spare(&self) -> Vec<Attribute> {
        self.builder.sink.spare.take()
    }

    fn gives_up(&self) -> bool {
        self.builder.sink.steps.are_too_many()
    }
}

/// Bytes of the page that tokens share at a time. They are copied, because the tree builder's
/// strings can share only memory that they own; a small copy stays in the processor's cache.
const WINDOW: usize = 1 << 15;

/// Longest string that is stored inline rather than shared.
const INLINE: usize = 8;

/// Whether this tokenizer can read a page. Pages with NUL characters are left to html5ever: NUL is
/// replaced in some places and dropped in others, and is never intentional.
pub(crate) fn can_read(html: &str) -> bool {
    html.len() < u32::MAX as usize && memchr(0, html.as_bytes()).is_none()
}

/// The page with line ends normalised as the specification requires (§13.2.3.5).
pub(crate) fn with_line_feeds(html: &str) -> std::borrow::Cow<'_, str> {
    if memchr(b'\r', html.as_bytes()).is_none() {
        return html.into();
    }
    let mut normal = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = memchr(b'\r', rest.as_bytes()) {
        normal.push_str(&rest[..at]);
        normal.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    normal.push_str(rest);
    normal.into()
}

/// Tokenizes a page with line feeds only and without NUL. Passes tokens to `taker` until it gives
/// up.
pub(crate) fn read<T: Taker>(html: &str, taker: T, max_attributes: usize) {
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let mut front = Front {
        html,
        window: StrTendril::new(),
        window_at: 0,
        at: 0,
        taker,
        max_attributes,
        names: NameCache::default(),
        plain: String::new(),
    };
    while front.at < html.len() && !front.taker.gives_up() {
        front.markup();
    }
    front.emit(Token::EOFToken);
    front.taker.end();
}

struct Front<'p, T> {
    html: &'p str,
    /// The bytes from `window_at` on, for strings that share them.
    window: StrTendril,
    window_at: usize,
    at: usize,
    taker: T,
    max_attributes: usize,
    names: NameCache,
    /// Buffer for texts with character references.
    plain: String,
}

/// How text is read until its end tag.
#[derive(Clone, Copy)]
enum RawText {
    Kind(RawKind),
    Plaintext,
}

impl<T: Taker> Front<'_, T> {
    fn bytes(&self) -> &[u8] {
        self.html.as_bytes()
    }

    fn emit(&self, token: Token) {
        // Only the answers to tags have an effect.
        let _ = self.taker.process_token(token, 1);
    }

    fn slice(&mut self, from: usize, to: usize) -> StrTendril {
        let length = to - from;
        if length <= INLINE || length > WINDOW {
            return StrTendril::from_slice(&self.html[from..to]);
        }
        if from < self.window_at || to > self.window_at + self.window.len() {
            let end = self.html.ceil_char_boundary((from + WINDOW).min(self.html.len()));
            // The memory of the previous window is free again, or owned by the strings that share
            // it.
            self.window.clear();
            self.window.push_slice(&self.html[from..end]);
            self.window_at = from;
        }
        self.window.subtendril((from - self.window_at) as u32, length as u32)
    }

    /// A part of the page with its character references resolved.
    fn resolved(&mut self, from: usize, to: usize, context: ReferenceContext) -> StrTendril {
        self.plain.clear();
        resolve(&self.html[from..to], context, &mut self.plain);
        StrTendril::from_slice(&self.plain)
    }

    /// Emits text without resolving references.
    fn text(&mut self, from: usize, to: usize) {
        if from < to {
            let text = self.slice(from, to);
            self.emit(Token::CharacterTokens(text));
        }
    }

    /// Emits text, resolving character references if `references`.
    fn content(&mut self, from: usize, to: usize, references: bool) {
        if references {
            let text = self.resolved(from, to, ReferenceContext::Text);
            self.emit(Token::CharacterTokens(text));
        } else {
            self.text(from, to);
        }
    }

    /// Reads text up to the next markup, and the markup.
    fn markup(&mut self) {
        let from = self.at;
        let mut search = from;
        let mut references = false;
        // Between most tags there is nothing or white space.
        while self.bytes().get(search).is_some_and(|byte| is_space(*byte)) {
            search += 1;
        }
        loop {
            let rest = &self.bytes()[search..];
            let found = match rest.first() {
                Some(b'<') => Some(0),
                _ if references => memchr(b'<', rest),
                _ => memchr2(b'<', b'&', rest),
            };
            let Some(found) = found else {
                self.at = self.html.len();
                return self.content(from, self.at, references);
            };
            let open = search + found;
            if self.bytes()[open] == b'&' {
                references = true;
                search = open + 1;
                continue;
            }
            let first = self.bytes().get(open + 1).copied().unwrap_or(b' ');
            match first {
                b'a'..=b'z' | b'A'..=b'Z' => {
                    self.content(from, open, references);
                    return self.start_tag(open + 1);
                }
                b'/' if open + 2 < self.html.len() => {
                    self.content(from, open, references);
                    return self.end_tag(open + 2);
                }
                b'!' => {
                    self.content(from, open, references);
                    return self.declaration(open + 2);
                }
                b'?' => {
                    self.content(from, open, references);
                    return self.bogus_comment(open + 1);
                }
                // Not markup, but text (§13.2.5.6).
                _ => search = open + 1,
            }
        }
    }

    fn start_tag(&mut self, name: usize) {
        let Some(tag) = self.tag(html5ever::tokenizer::TagKind::StartTag, name) else { return };
        let name = tag.name.clone();
        if let Some(raw) = self.emit_tag(tag) {
            self.raw(raw, &name);
        }
    }

    fn end_tag(&mut self, name: usize) {
        match self.bytes()[name] {
            b'a'..=b'z' | b'A'..=b'Z' => {
                if let Some(tag) = self.tag(html5ever::tokenizer::TagKind::EndTag, name) {
                    self.emit_tag(tag);
                }
            }
            b'>' => self.at = name + 1,
            _ => self.bogus_comment(name),
        }
    }

    fn emit_tag(&self, tag: Tag) -> Option<RawText> {
        match self.taker.process_token(Token::TagToken(tag), 1) {
            TokenSinkResult::RawData(kind) => Some(RawText::Kind(kind)),
            TokenSinkResult::Plaintext => Some(RawText::Plaintext),
            TokenSinkResult::Continue
            | TokenSinkResult::Script(_)
            | TokenSinkResult::EncodingIndicator(_) => None,
        }
    }

    /// The markup after `<!` (§13.2.5.42).
    fn declaration(&mut self, from: usize) {
        let rest = &self.bytes()[from..];
        if rest.starts_with(b"--") {
            self.at = from + 2 + comment_length(&rest[2..]);
            self.emit(Token::CommentToken(StrTendril::new()));
        } else if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"doctype") {
            self.doctype(from);
        } else if rest.starts_with(b"[CDATA[")
            && self.taker.adjusted_current_node_present_but_not_in_html_namespace()
        {
            let text = from + 7;
            let end = memmem::find(&self.bytes()[text..], b"]]>").map(|found| text + found);
            self.text(text, end.unwrap_or(self.html.len()));
            self.at = end.map_or(self.html.len(), |end| end + 3);
        } else {
            self.bogus_comment(from);
        }
    }

    /// Skips to the next `>` (§13.2.5.41).
    fn bogus_comment(&mut self, from: usize) {
        let end = memchr(b'>', &self.bytes()[from..]).map(|found| from + found + 1);
        self.at = end.unwrap_or(self.html.len());
        self.emit(Token::CommentToken(StrTendril::new()));
    }

    /// A doctype ends at the first `>`, whatever it contains. A page has at most one, so
    /// html5ever's own tokenizer reads it.
    fn doctype(&mut self, from: usize) {
        let end = memchr(b'>', &self.bytes()[from..]).map(|found| from + found + 1);
        self.at = end.unwrap_or(self.html.len());
        self.emit(Token::DoctypeToken(doctype(&self.html[from - 2..self.at])));
    }
}

/// Length of a comment after its `<!--`, including its end (§13.2.5.43–52).
fn comment_length(text: &[u8]) -> usize {
    if text.starts_with(b">") {
        return 1;
    }
    if text.starts_with(b"->") {
        return 2;
    }
    let mut from = 0;
    while let Some(found) = memchr(b'>', &text[from..]) {
        let before = &text[..from + found];
        if before.ends_with(b"--") || before.ends_with(b"--!") {
            return before.len() + 1;
        }
        from = before.len() + 1;
    }
    text.len()
}

fn doctype(text: &str) -> Doctype {
    struct DoctypeSink(std::cell::RefCell<Doctype>);
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
    input.push_back(StrTendril::from_slice(text));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.0.take()
}
