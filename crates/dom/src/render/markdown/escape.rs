//! Escapes text so that it is not read as markup (CommonMark §2.4, and GitHub's extensions).

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Escapes text inside a line. `last`: nothing follows the text on its line.
pub(super) fn text(text: &str, last: bool, out: &mut String) {
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let is_markup = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' => true,
            // Inside a word, an underscore is not markup.
            '_' => {
                let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                !(inside(before) && inside(next))
            }
            '&' => next.map_or(!last, |c| c.is_ascii_alphanumeric() || c == '#'),
            // Before a link, it would turn the link into an image.
            '!' => next.is_none() && !last,
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
}

/// Adds a backslash to a line whose beginning would start a block.
pub(super) fn line_start(line: &str) -> String {
    let bytes = line.as_bytes();
    let Some(&first) = bytes.first() else { return String::new() };
    let ends_word = |at: usize| bytes.get(at).is_none_or(|&b| b == b' ');
    let at = match first {
        // Thematic breaks, underlines of headings, delimiter rows of tables.
        _ if bytes.iter().all(|b| b"-=|:+ ".contains(b)) => Some(0),
        b'#' => {
            let level = bytes.iter().take_while(|&&b| b == b'#').count();
            (level <= 6 && ends_word(level)).then_some(0)
        }
        b'-' | b'+' if ends_word(1) => Some(0),
        b'>' => Some(0),
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
            let marker = matches!(bytes.get(digits), Some(b'.' | b')'));
            (digits <= 9 && marker && ends_word(digits + 1)).then_some(digits)
        }
        _ => None,
    };
    at.map_or_else(|| line.to_owned(), |at| format!("{}\\{}", &line[..at], &line[at..]))
}

/// Escapes an absolute address as the destination of a link.
pub(super) fn destination(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for (at, c) in url.char_indices() {
        match c {
            '(' | ')' | '\\' | '<' | '>' => out.extend(['\\', c]),
            '&' if is_entity(&url[at + 1..]) => out.push_str("\\&"),
            c if c.is_whitespace() || c.is_control() => {
                out.extend(utf8_percent_encode(c.encode_utf8(&mut [0; 4]), NON_ALPHANUMERIC));
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether the text after an ampersand makes it a character reference.
fn is_entity(rest: &str) -> bool {
    let name = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'#').count();
    name > 0 && rest.as_bytes().get(name) == Some(&b';')
}
