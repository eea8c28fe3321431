//! A fast tokenizer for complete pages, in front of the tree builders.
//!
//! html5ever's own tokenizer reads a page in pieces, character by character, and takes most of the
//! time of a parse. Here the complete page is in memory: text extends to the next `<` that begins
//! markup, names and values are slices, comments are skipped. The tokens are the same (WHATWG HTML
//! §13.2.5), except for the points where text is split, the contents of comments, and errors, none
//! of which affect the tree. html5ever's tokenizer is the oracle in tests and fuzzing, and reads
//! the pages that this one cannot.

mod drawing;
mod names;
mod raw;
mod references;
mod tag;

use std::borrow::Cow;

use html5ever::LocalName;
use memchr::{memchr, memchr2, memmem};

use names::{NameCache, is_space};
use references::{ReferenceContext, resolve};
use tag::TagKind;

pub(crate) enum FrontToken<'t> {
    Start(&'t StartTag<'t>),
    /// The name of an end tag.
    End(&'t LocalName),
    /// A piece of text; adjacent pieces belong together.
    Text(&'t str),
    /// A comment, whose content has no meaning.
    Comment,
    /// A doctype as written, from `<!` to `>`.
    Doctype(&'t str),
    /// The end of the page. Passed on exactly once, even to a consumer that gave up before.
    EndOfPage,
}

pub(crate) trait TokenTaker {
    /// Receives a token. Returns how to read the content after a start tag.
    fn take(&mut self, token: FrontToken<'_>) -> Content;

    /// Receives the number of attributes that were left out of a tag.
    fn leave_out(&mut self, _attributes: u32) {}

    /// Whether the consumer accepts no more tokens.
    fn gives_up(&self) -> bool {
        false
    }

    /// Whether the current element is foreign, so that CDATA sections are text.
    fn is_in_foreign(&self) -> bool {
        false
    }
}

/// A start tag. Its attributes are in the order of the page, each name once.
#[derive(Default)]
pub(crate) struct StartTag<'p> {
    pub(crate) name: LocalName,
    pub(crate) attributes: Vec<(LocalName, Cow<'p, str>)>,
    pub(crate) self_closing: bool,
}

impl StartTag<'_> {
    /// The attributes as name and value.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&LocalName, &str)> {
        self.attributes.iter().map(|(name, value)| (name, &**value))
    }

    pub(crate) fn attribute(&self, wanted: &LocalName) -> Option<&str> {
        self.pairs().find(|(name, _)| *name == wanted).map(|(_, value)| value)
    }
}

/// How the content after a start tag is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Tags and text.
    Markup,
    /// Text with character references, until the element's end tag.
    EscapableText,
    /// Text without them, until the element's end tag.
    RawText,
    /// As raw text, but `<!--` may hide end tags.
    Script,
    /// Text until the end of the page.
    Plaintext,
    /// Tags and text of a drawing, which may be skipped.
    Drawing,
}

/// Whether this tokenizer can read a page. Pages with NUL characters are left to html5ever: NUL is
/// replaced in some places and dropped in others, and is never intentional.
pub(crate) fn can_read(html: &str) -> bool {
    html.len() < u32::MAX as usize && memchr(0, html.as_bytes()).is_none()
}

/// Normalises the line ends of a page as the specification requires (§13.2.3.5).
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
pub(crate) fn read<T: TokenTaker>(html: &str, taker: &mut T, max_attributes: usize) {
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let mut front = Front {
        html,
        at: 0,
        taker,
        max_attributes,
        names: NameCache::default(),
        tag: StartTag::default(),
        plain: String::new(),
    };
    while front.at < html.len() && !front.taker.gives_up() {
        front.markup();
    }
    front.taker.take(FrontToken::EndOfPage);
}

struct Front<'p, 't, T> {
    html: &'p str,
    at: usize,
    taker: &'t mut T,
    max_attributes: usize,
    names: NameCache,
    /// The last tag that was read.
    tag: StartTag<'p>,
    /// Buffer for texts with character references.
    plain: String,
}

impl<'p, T: TokenTaker> Front<'p, '_, T> {
    fn bytes(&self) -> &'p [u8] {
        self.html.as_bytes()
    }

    /// Passes on text, resolving character references if `references`.
    fn text(&mut self, from: usize, to: usize, references: bool) {
        if from == to {
            return;
        }
        let text = &self.html[from..to];
        if references {
            self.plain.clear();
            resolve(text, ReferenceContext::Text, &mut self.plain);
            self.taker.take(FrontToken::Text(&self.plain));
        } else {
            self.taker.take(FrontToken::Text(text));
        }
    }

    /// Reads text up to the next markup, and the markup.
    fn markup(&mut self) {
        let from = self.at;
        let mut search = from;
        let mut references = false;
        // There is nothing or white space between most tags.
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
                return self.text(from, self.at, references);
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
                    self.text(from, open, references);
                    return self.start_tag(open + 1);
                }
                b'/' if open + 2 < self.html.len() => {
                    self.text(from, open, references);
                    return self.end_tag(open + 2);
                }
                b'!' => {
                    self.text(from, open, references);
                    return self.declaration(open + 2);
                }
                b'?' => {
                    self.text(from, open, references);
                    return self.bogus_comment(open + 1);
                }
                // Not markup, but text (§13.2.5.6).
                _ => search = open + 1,
            }
        }
    }

    fn start_tag(&mut self, name: usize) {
        if !self.tag(TagKind::Start, name) {
            return;
        }
        match self.taker.take(FrontToken::Start(&self.tag)) {
            Content::Markup => {}
            Content::Drawing => {
                self.at = drawing::end_of_drawing(self.bytes(), self.at).unwrap_or(self.at);
            }
            content => self.raw(content),
        }
    }

    fn end_tag(&mut self, name: usize) {
        match self.bytes()[name] {
            b'a'..=b'z' | b'A'..=b'Z' => {
                if self.tag(TagKind::End, name) {
                    self.taker.take(FrontToken::End(&self.tag.name));
                }
            }
            b'>' => self.at = name + 1,
            _ => self.bogus_comment(name),
        }
    }

    /// Reads the markup after `<!` (§13.2.5.42).
    fn declaration(&mut self, from: usize) {
        let rest = &self.bytes()[from..];
        if rest.starts_with(b"--") {
            self.at = from + 2 + comment_length(&rest[2..]);
            self.taker.take(FrontToken::Comment);
        } else if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"doctype") {
            self.doctype(from);
        } else if rest.starts_with(b"[CDATA[") && self.taker.is_in_foreign() {
            let text = from + 7;
            let end = memmem::find(&self.bytes()[text..], b"]]>").map(|found| text + found);
            self.text(text, end.unwrap_or(self.html.len()), false);
            self.at = end.map_or(self.html.len(), |end| end + 3);
        } else {
            self.bogus_comment(from);
        }
    }

    /// Skips to the next `>` (§13.2.5.41).
    fn bogus_comment(&mut self, from: usize) {
        let end = memchr(b'>', &self.bytes()[from..]).map(|found| from + found + 1);
        self.at = end.unwrap_or(self.html.len());
        self.taker.take(FrontToken::Comment);
    }

    /// Reads a doctype, which ends at the first `>`, whatever it contains.
    fn doctype(&mut self, from: usize) {
        let end = memchr(b'>', &self.bytes()[from..]).map(|found| from + found + 1);
        self.at = end.unwrap_or(self.html.len());
        self.taker.take(FrontToken::Doctype(&self.html[from - 2..self.at]));
    }
}

/// The length of a comment after its `<!--`, including its end (§13.2.5.43–52).
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
