//! Reads text that only a specific end tag ends: titles, styles, scripts (WHATWG HTML §13.2.5.2–31).

use memchr::{memchr, memmem};

use super::names::is_space;
use super::tag::TagKind;
use super::{Content, Front, FrontToken, TokenTaker};

impl<T: TokenTaker> Front<'_, '_, T> {
    /// Reads the text after the start tag just read, and its end tag.
    pub(super) fn raw(&mut self, content: Content) {
        let from = self.at;
        let rest = &self.bytes()[from..];
        let end = match content {
            Content::Plaintext => None,
            Content::Script => end_of_script(rest),
            _ => end_of(rest, self.tag.name.as_bytes()),
        };
        self.at = end.map_or(self.html.len(), |end| from + end);
        let references = content == Content::EscapableText
            && memchr(b'&', &self.bytes()[from..self.at]).is_some();
        self.text(from, self.at, references);
        if end.is_some() && self.tag(TagKind::End, self.at + 2) {
            self.taker.take(FrontToken::End(&self.tag.name));
        }
    }
}

/// Whether `text` begins with a tag name equal to `name`.
fn is_name(text: &[u8], name: &[u8]) -> bool {
    text.len() > name.len()
        && text[..name.len()].eq_ignore_ascii_case(name)
        && (is_space(text[name.len()]) || matches!(text[name.len()], b'/' | b'>'))
}

/// Returns the start of the next end tag with this name.
fn end_of(text: &[u8], name: &[u8]) -> Option<usize> {
    memmem::find_iter(text, b"</").find(|at| is_name(&text[at + 2..], name))
}

/// Returns the start of the end tag of a script. Inside `<!--`, a `<script>` hides the next `</script>`.
fn end_of_script(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = memchr(b'<', &text[at..]) {
        let open = at + found;
        let rest = &text[open + 1..];
        if rest.starts_with(b"/") && is_name(&rest[1..], b"script") {
            return Some(open);
        }
        at = open + 1;
        if rest.starts_with(b"!--") {
            match skip_escaped(text, open + 4) {
                Escaped::Script(end) => return Some(end),
                Escaped::Over(next) => at = next,
                Escaped::Never => return None,
            }
        }
    }
    None
}

enum Escaped {
    /// The script's end tag begins here.
    Script(usize),
    /// `-->` ends here.
    Over(usize),
    /// The page ends.
    Never,
}

/// Skips the text after `<!--` in a script (the two dashes are directly before `from`).
fn skip_escaped(text: &[u8], from: usize) -> Escaped {
    let mut at = from;
    let mut double = false;
    loop {
        let Some(found) = memchr::memchr2(b'<', b'>', &text[at..]) else { return Escaped::Never };
        let here = at + found;
        at = here + 1;
        if text[here] == b'>' {
            // The dashes may belong to the opening `<!--`.
            if text[..here].ends_with(b"--") && here >= from {
                return Escaped::Over(at);
            }
            continue;
        }
        let rest = &text[here + 1..];
        let closes = rest.starts_with(b"/") && is_name(&rest[1..], b"script");
        if closes && !double {
            return Escaped::Script(here);
        }
        if !closes && !is_name(rest, b"script") {
            continue;
        }
        double = !closes;
        // After the name and the byte that ended it.
        at = here + if closes { 9 } else { 8 };
    }
}
