//! Converts marked-up text to plain text.

/// Elements whose content is not text.
const SILENT: [&str; 4] = ["script", "style", "template", "noscript"];

/// Elements that do not separate words.
const INLINE: [&str; 26] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "dfn", "em", "font", "i",
    "ins", "kbd", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "tt", "u", "wbr",
];

/// Between two blocks, until white space is collapsed: the paragraph separator of Unicode.
const BLOCK_END: char = '\u{2029}';

/// The text of an HTML fragment: tags and comments removed, entities decoded, runs of white space
/// collapsed to single spaces. A `<` that does not begin a tag is kept.
pub fn plain(markup: &str) -> String {
    collapse_space(&without_tags(markup))
}

/// Like [`plain`], but each block is a line of its own.
pub(crate) fn plain_lines(markup: &str) -> String {
    collapse_lines(&without_tags(markup), BLOCK_END)
}

/// The lines of a text between these signs that are not empty, each like [`plain`] text.
pub(crate) fn collapse_lines(text: &str, between: char) -> String {
    let lines = text.split(between).map(collapse_space).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

fn without_tags(markup: &str) -> String {
    let mut text = String::with_capacity(markup.len());
    let mut rest = markup;
    // There are no tags after the last `>`.
    let last = markup.rfind('>').map_or(markup.len(), |at| markup.len() - at);
    while let Some(at) = rest.find('<') {
        if rest.len() - at <= last {
            break;
        }
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        match read_tag(rest) {
            Some(Tag { name, length, closing }) => {
                let name = name.to_ascii_lowercase();
                if !INLINE.contains(&name.as_str()) {
                    text.push(BLOCK_END);
                }
                rest = &rest[length..];
                if !closing && SILENT.contains(&name.as_str()) {
                    rest = skip_to_end_tag(rest, &name);
                }
            }
            None => {
                text.push('<');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    htmlize::unescape(&text).into_owned()
}

/// Text without markup: entities decoded, runs of white space collapsed to single spaces.
pub(crate) fn decode_entities(text: &str) -> String {
    collapse_space(&htmlize::unescape(text))
}

/// Collapses runs of white space to single spaces, trims both ends, and removes control characters
/// and soft hyphens.
fn collapse_space(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for word in text.split(char::is_whitespace) {
        let visible =
            |c: &char| !c.is_control() && !matches!(c, '\u{ad}' | '\u{feff}' | '\u{200b}');
        let before = normal.len();
        if before > 0 {
            normal.push(' ');
        }
        let start = normal.len();
        normal.extend(word.chars().filter(visible));
        if normal.len() == start {
            normal.truncate(before);
        }
    }
    normal
}

struct Tag<'a> {
    name: &'a str,
    length: usize,
    closing: bool,
}

/// The tag, comment or declaration at the start of `markup`.
fn read_tag(markup: &str) -> Option<Tag<'_>> {
    if let Some(comment) = markup.strip_prefix("<!--") {
        // An unterminated comment extends to the end, as in a browser.
        let length = comment.find("-->").map_or(markup.len(), |end| 4 + end + 3);
        return Some(Tag { name: "!--", length, closing: true });
    }
    let inside = &markup[1..];
    let closing = inside.starts_with('/');
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let first = name.chars().next()?;
    let declaration = !closing && matches!(first, '!' | '?');
    if !first.is_ascii_alphabetic() && !declaration {
        return None;
    }
    let length = 1 + end_of_tag(inside)?;
    let ends = |c: char| c.is_ascii_whitespace() || c == '/' || c == '>';
    let name = &name[..name.find(ends).unwrap_or(name.len())];
    Some(Tag { name, length, closing })
}

/// Index just after the `>` that ends a tag. A `>` in a quoted value does not end it, if the quotes
/// match.
fn end_of_tag(inside: &str) -> Option<usize> {
    let bytes = inside.as_bytes();
    let first = bytes.iter().position(|byte| *byte == b'>')?;
    let (mut quote, mut after_equals) = (None, false);
    // A longer value is taken for a missing quote.
    for (index, byte) in bytes.iter().enumerate().take(first + 512) {
        match (quote, byte) {
            (None, b'>') => return Some(index + 1),
            (None, b'"' | b'\'') if after_equals => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
        after_equals = *byte == b'=' || after_equals && byte.is_ascii_whitespace();
    }
    Some(first + 1)
}

/// The text after the end tag of a silent element; empty if there is none.
fn skip_to_end_tag<'a>(markup: &'a str, name: &str) -> &'a str {
    let mut at = 0;
    while let Some(found) = markup[at..].find("</") {
        at += found + 2;
        if markup.get(at..at + name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name)) {
            let rest = &markup[at..];
            return rest.find('>').map_or("", |end| &rest[end + 1..]);
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn fragments() {
        for (markup, text) in [
            ("plain", "plain"),
            (" a \n\t b\u{a0}c ", "a b c"),
            ("<p>One</p><p>two<br/>three</p>", "One two three"),
            ("un<b>believ</b>able <i>news</i>", "unbelievable news"),
            ("AT&amp;T &#8211; caf&eacute; &hellip;", "AT&T – café …"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("a <3 b", "a <3 b"),
            ("a<!-- <b> -->b", "a b"),
            ("x<script>if (a<b) {}</script>y", "x y"),
            ("x<style>p > a {}", "x"),
            ("<a title=\"1 > 2\" href=x>link</a>", "link"),
            ("<img alt=\"broken>text", "text"),
            ("&lt;b&gt; shown", "<b> shown"),
            ("cut <a href", "cut <a href"),
            ("so\u{ad}ft\u{0}", "soft"),
            ("< ", "<"),
            ("", ""),
        ] {
            assert_eq!(plain(markup), text, "{markup:?}");
        }
    }
}
