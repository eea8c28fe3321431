//! Repairs common errors in feeds, without changing what is valid.

use std::borrow::Cow;

/// Old or misspelt namespaces, and the one that feed-rs supports.
const RSS: &str = "http://purl.org/rss/1.0/";
const ATOM: &str = "http://www.w3.org/2005/Atom";

/// Removes control characters that are not allowed in XML.
pub(crate) fn without_controls(text: &str) -> Cow<'_, str> {
    let bad = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(bad) { Cow::Owned(text.replace(bad, " ")) } else { Cow::Borrowed(text) }
}

/// Escapes a `&` that does not begin a reference and a `<` that does not begin markup, outside of
/// CDATA and comments, and removes references to characters that are not allowed.
pub(crate) fn escaped(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len() + 64);
    let mut rest = text;
    // Bytes after the last end marker of each kind, so that no missing one is searched for
    // repeatedly.
    let left = |end: &str| text.rfind(end).map_or(text.len(), |at| text.len() - at);
    let (cdata, comment) = (left("]]>"), left("-->"));
    while let Some(at) = rest.find(['&', '<']) {
        repaired.push_str(&rest[..at]);
        rest = &rest[at..];
        let ends = rest.len() > if rest.starts_with("<!-") { comment } else { cdata };
        let found = if ends { verbatim(rest) } else { None };
        let (verbatim, replacement) = if let Some(end) = found {
            (end, "")
        } else if rest.starts_with('&') {
            match reference(rest) {
                Reference::Good(length) => (length, ""),
                Reference::Forbidden(length) => {
                    rest = &rest[length..];
                    (0, " ")
                }
                Reference::None => {
                    rest = &rest[1..];
                    (0, "&amp;")
                }
            }
        } else if rest[1..]
            .starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '!' | '?' | '_'))
        {
            (1, "")
        } else {
            rest = &rest[1..];
            (0, "&lt;")
        };
        repaired.push_str(replacement);
        repaired.push_str(&rest[..verbatim]);
        rest = &rest[verbatim..];
    }
    repaired.push_str(rest);
    repaired
}

/// Length of the CDATA section or comment at the start of `text`.
fn verbatim(text: &str) -> Option<usize> {
    let end = if text.starts_with("<![CDATA[") {
        "]]>"
    } else if text.starts_with("<!--") {
        "-->"
    } else {
        return None;
    };
    text.find(end).map(|at| at + end.len())
}

enum Reference {
    /// A valid reference of this length.
    Good(usize),
    /// A reference of this length to a character that is not allowed.
    Forbidden(usize),
    None,
}

fn reference(text: &str) -> Reference {
    let Some(end) = text.bytes().take(40).position(|byte| byte == b';') else {
        return Reference::None;
    };
    let inside = &text[1..end];
    if let Some(number) = inside.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        // XML allows only a lower-case "x", and no plus sign.
        let spelt = number.starts_with(|c: char| c == 'x' || c.is_ascii_digit());
        return match code.ok().map(char::from_u32) {
            Some(Some(c)) if spelt && (c >= ' ' || matches!(c, '\t' | '\r' | '\n')) => {
                Reference::Good(end + 1)
            }
            Some(_) => Reference::Forbidden(end + 1),
            None => Reference::None,
        };
    }
    let name = inside.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if name && !inside.is_empty() { Reference::Good(end + 1) } else { Reference::None }
}

/// Gives the root element the namespace and version that feed-rs supports, if the meaning is the
/// same.
pub(crate) fn known_version(text: &str) -> String {
    let Some((start, end)) = root(text) else { return text.to_owned() };
    let tag = &text[start..end];
    let name = tag[1..].split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next();
    let name = name.unwrap_or_default();
    let local = name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
    let (mut tag, mut body) = (tag.to_owned(), text[end..].to_owned());
    match local.as_str() {
        "rss" => {
            tag = with_attribute(&tag, "version", "2.0");
            if value(&tag, "xmlns").is_some() {
                tag = with_attribute(&tag, "xmlns", RSS);
            }
        }
        "rdf" if value(&tag, "xmlns").is_some() => tag = with_attribute(&tag, "xmlns", RSS),
        "feed" => {
            let old = value(&tag, "xmlns").is_some_and(|ns| ns != ATOM)
                || value(&tag, "version").is_some_and(|version| version.starts_with("0."));
            if old {
                tag = with_attribute(&tag, "xmlns", ATOM);
                for (from, to) in [
                    ("issued", "published"),
                    ("created", "published"),
                    ("modified", "updated"),
                    ("tagline", "subtitle"),
                    ("copyright", "rights"),
                ] {
                    for (before, after) in [("<", ">"), ("</", ">"), ("<", " ")] {
                        let from = format!("{before}{from}{after}");
                        body = body.replace(&from, &format!("{before}{to}{after}"));
                    }
                }
                body = body.replace("application/xhtml+xml", "xhtml");
                for kind in ["html", "plain"] {
                    let new = if kind == "plain" { "text" } else { kind };
                    body = body.replace(&format!("=\"text/{kind}\""), &format!("=\"{new}\""));
                }
                body = body.replace("mode=\"escaped\"", "").replace("mode='escaped'", "");
            }
        }
        _ => {}
    }
    format!("{}{tag}{body}", &text[..start])
}

/// Gives items of RDF feeds without a link the address in their `rdf:about`.
pub(crate) fn linked_by_about(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(at) = rest.find("<item ") {
        let (before, item) = rest.split_at(at);
        repaired.push_str(before);
        let Some(tag) = item.find('>').map(|end| &item[..=end]) else {
            rest = item;
            break;
        };
        repaired.push_str(tag);
        rest = &item[tag.len()..];
        let whole = &rest[..rest.find("</item>").unwrap_or(0)];
        if let Some(about) = value(tag, "rdf:about")
            && !whole.is_empty()
            && !whole.contains("<link")
        {
            repaired.push_str(&format!("<link>{about}</link>"));
        }
    }
    repaired.push_str(rest);
    repaired
}

/// Removes media types of texts that are not those of text: a single one makes the whole feed
/// unreadable.
pub(crate) fn without_binary_types(text: &str) -> String {
    text.replace("type=\"application/octet-stream\"", "")
        .replace("type='application/octet-stream'", "")
}

/// Removes `xml:base` attributes: an invalid one makes the whole feed unreadable.
pub(crate) fn without_bases(text: &str) -> String {
    text.replace("xml:base=", "base=")
}

/// Start and end of the first start tag.
pub(crate) fn root(text: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        let rest = &text[at..];
        if rest.starts_with("<!--") {
            at += verbatim(rest)?;
        } else if rest[1..].starts_with(char::is_alphabetic) {
            return Some((at, at + rest.find('>')? + 1));
        } else {
            // The declarations of an internal subset are skipped one by one.
            at += 1;
        }
    }
}

/// The value of an attribute of a start tag.
fn value<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (start, end) = span(tag, name)?;
    Some(&tag[start..end])
}

/// The tag with the attribute set.
fn with_attribute(tag: &str, name: &str, value: &str) -> String {
    match span(tag, name) {
        Some((start, end)) => format!("{}{value}{}", &tag[..start], &tag[end..]),
        None => {
            let at = tag.len() - if tag.ends_with("/>") { 2 } else { 1 };
            format!("{} {name}=\"{value}\"{}", &tag[..at], &tag[at..])
        }
    }
}

/// The position of an attribute's value in a start tag, without its quotes.
fn span(tag: &str, name: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    loop {
        at += tag[at..].find(name)? + name.len();
        let before = tag[..at - name.len()].chars().next_back()?;
        let rest = tag[at..].trim_start();
        if !before.is_whitespace() || !rest.starts_with('=') {
            continue;
        }
        let rest = rest[1..].trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let start = tag.len() - rest.len() + 1;
        return Some((start, start + tag[start..].find(quote)?));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        for (text, repaired) in [
            (
                "<a>AT&T &amp; &eacute; &#8217; &#x2019;</a>",
                "<a>AT&amp;T &amp; &eacute; &#8217; &#x2019;</a>",
            ),
            ("<a>1 < 2 <3 <b/></a>", "<a>1 &lt; 2 &lt;3 <b/></a>"),
            ("<![CDATA[a & b]]> & <!-- & -->", "<![CDATA[a & b]]> &amp; <!-- & -->"),
            ("a&#0;b&#x1F;c&#xD800;", "a b c "),
            ("&#;&;&#XE9;", "&amp;#;&amp;; "),
            (
                "&a very long sentence that is not a reference;",
                "&amp;a very long sentence that is not a reference;",
            ),
            ("x &", "x &amp;"),
            ("x <", "x &lt;"),
        ] {
            assert_eq!(escaped(text), repaired);
        }
    }

    #[test]
    fn versions() {
        let rewritten = known_version(
            "<!-- x --><rss version=\"0.93\" xmlns='http://backend.userland.com/rss2'>",
        );
        assert_eq!(rewritten, format!("<!-- x --><rss version=\"2.0\" xmlns='{RSS}'>"));
        assert_eq!(known_version("<rss>x"), "<rss version=\"2.0\">x");
        let rewritten =
            known_version("<feed version='0.3' xmlns='http://purl.org/atom/ns#'><issued>");
        assert_eq!(rewritten, format!("<feed version='0.3' xmlns='{ATOM}'><published>"));
        assert_eq!(known_version("<feed xmlns=''"), "<feed xmlns=''");
    }
}
