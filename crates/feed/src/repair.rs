//! Repairs common errors in feeds, without changing what is valid, and splits a malformed feed into its items.

use std::borrow::Cow;

use serde_json::Value;

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
        let found = if ends { verbatim_length(rest) } else { None };
        let (verbatim, replacement) = if let Some(end) = found {
            (end, "")
        } else if rest.starts_with('&') {
            match read_reference(rest) {
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
fn verbatim_length(text: &str) -> Option<usize> {
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

fn read_reference(text: &str) -> Reference {
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
            if attribute_value(&tag, "xmlns").is_some() {
                tag = with_attribute(&tag, "xmlns", RSS);
            }
        }
        "rdf" if attribute_value(&tag, "xmlns").is_some() => {
            tag = with_attribute(&tag, "xmlns", RSS)
        }
        "feed" => {
            let old = attribute_value(&tag, "xmlns").is_some_and(|ns| ns != ATOM)
                || attribute_value(&tag, "version")
                    .is_some_and(|version| version.starts_with("0."));
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

/// Namespaces of elements that are not used, which feed-rs reads nevertheless.
const UNUSED: [&str; 3] = [
    "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "http://search.yahoo.com/mrss/",
    "https://podcastindex.org/namespace/1.0",
];

/// Elements whose text feed-rs divides into a name and a mail address.
const AUTHORS: [&str; 4] = ["author", "creator", "managingEditor", "webMaster"];

/// The text of a feed without what makes feed-rs panic: durations that are no numbers or too large, and mail addresses
/// with a character other than ASCII before or behind them.
pub(crate) fn without_panics(text: &str) -> String {
    if text.starts_with('{') {
        return without_panics_of_json(text).unwrap_or_default();
    }
    let mut text = text.to_owned();
    for namespace in UNUSED {
        text = text.replace(namespace, "unused");
    }
    let mut repaired = String::with_capacity(text.len() + 64);
    let mut rest = &text[..];
    while let Some(at) = rest.find('<') {
        let tag = &rest[at..];
        let length = tag.find('>').map_or(tag.len(), |end| end + 1);
        let name =
            tag[1..length].split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next();
        let local = name.and_then(|name| name.rsplit(':').next()).unwrap_or_default();
        let length = if AUTHORS.contains(&local) { length } else { 1 };
        repaired.push_str(&rest[..at + length]);
        rest = &tag[length..];
        if length > 1 {
            let (inside, behind) = read_content(rest);
            let parted = set_addresses_apart(&inside).replace('&', "&amp;");
            repaired.push_str(&parted.replace('<', "&lt;").replace('>', "&gt;"));
            rest = behind;
        }
    }
    repaired + rest
}

/// The text at the start of an element's content, also in CDATA, and what is behind it.
fn read_content(mut rest: &str) -> (String, &str) {
    let mut text = String::new();
    loop {
        if let Some(length) = verbatim_length(rest) {
            let inside = rest[..length].strip_prefix("<![CDATA[");
            text.push_str(inside.and_then(|inside| inside.strip_suffix("]]>")).unwrap_or_default());
            rest = &rest[length..];
        } else {
            let end = rest.find('<').unwrap_or(rest.len());
            if end == 0 {
                return (text, rest);
            }
            text.push_str(&htmlize::unescape(&rest[..end]));
            rest = &rest[end..];
        }
    }
}

/// The same for JSON; `None` if it cannot be read.
fn without_panics_of_json(text: &str) -> Option<String> {
    let mut feed: Value = serde_json::from_str(text).ok()?;
    let mut open = vec![&mut feed];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match value {
                        Value::String(name) if key == "name" => *name = set_addresses_apart(name),
                        other => open.push(other),
                    }
                }
            }
            Value::Array(values) => open.extend(values),
            _ => {}
        }
    }
    serde_json::to_string(&feed).ok()
}

/// A text with spaces around words that contain an `@`, instead of other characters that are no letters.
fn set_addresses_apart(text: &str) -> String {
    let mut parted = String::with_capacity(text.len() + 2);
    let mut rest = text;
    while let Some(sign) = rest.find('@') {
        let in_word = |c: char| c.is_ascii_graphic();
        let start = rest[..sign].trim_end_matches(in_word).len();
        let end = rest.len() - rest[sign..].trim_start_matches(in_word).len();
        let no_letter = |c: char| !c.is_ascii() && !c.is_alphanumeric();
        let before = &rest[..start];
        parted.push_str(before.strip_suffix(no_letter).unwrap_or(before));
        parted.push(' ');
        parted.push_str(&rest[start..end]);
        parted.push(' ');
        rest = &rest[end..];
        rest = rest.strip_prefix(no_letter).unwrap_or(rest);
    }
    parted + rest
}

/// Gives items of RDF feeds without a link the address in their `rdf:about`.
pub(crate) fn linked_by_about(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len() + 64);
    let mut rest = text;
    // Bytes behind the last end tag.
    let last = text.rfind("</item>").map_or(text.len(), |at| text.len() - at);
    while let Some(at) = rest.find("<item ") {
        let (before, item) = rest.split_at(at);
        repaired.push_str(before);
        let Some(tag) = item.find('>').map(|end| &item[..=end]) else {
            rest = item;
            break;
        };
        repaired.push_str(tag);
        rest = &item[tag.len()..];
        // Without a further end tag, none is searched for again.
        let end = if rest.len() > last { rest.find("</item>") } else { None };
        let whole = &rest[..end.unwrap_or(0)];
        if let Some(about) = attribute_value(tag, "rdf:about")
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
            at += verbatim_length(rest)?;
        } else if rest[1..].starts_with(char::is_alphabetic) {
            return Some((at, at + rest.find('>')? + 1));
        } else {
            // The declarations of an internal subset are skipped one by one.
            at += 1;
        }
    }
}

/// The value of an attribute of a start tag.
fn attribute_value<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (start, end) = attribute_span(tag, name)?;
    Some(&tag[start..end])
}

/// The tag with the attribute set.
fn with_attribute(tag: &str, name: &str, value: &str) -> String {
    match attribute_span(tag, name) {
        Some((start, end)) => format!("{}{value}{}", &tag[..start], &tag[end..]),
        None => {
            let at = tag.len() - if tag.ends_with("/>") { 2 } else { 1 };
            format!("{} {name}=\"{value}\"{}", &tag[..at], &tag[at..])
        }
    }
}

/// The position of an attribute's value in a start tag, without its quotes.
fn attribute_span(tag: &str, name: &str) -> Option<(usize, usize)> {
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

/// One small feed for each item of a broken one, in order: the root's start tag, the item, the
/// root's end tag.
pub(crate) fn single_item_feeds(text: &str) -> impl Iterator<Item = String> {
    let (start, end) = root(text).unwrap_or_default();
    let tag = &text[start..end];
    let name = tag
        .get(1..)
        .and_then(|name| name.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next());
    let name = name.unwrap_or_default();
    let local = name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
    let form = match local.as_str() {
        "rss" => Some(("item", "<channel>", "</channel>")),
        "rdf" => Some(("item", "", "")),
        "feed" => Some(("entry", "", "")),
        _ => None,
    };
    let mut rest = &text[end..];
    std::iter::from_fn(move || {
        let (element, open, close) = form?;
        let (item, behind) = next_element(rest, element)?;
        rest = behind;
        Some(format!("{tag}{open}{item}{close}</{name}>"))
    })
}

/// The next element of this name that has an end tag before the next start tag of that name.
fn next_element<'a>(text: &'a str, element: &str) -> Option<(&'a str, &'a str)> {
    let end_tag = format!("</{element}>");
    let item = &text[find_start_tag(text, element)?..];
    let end = item.find(&end_tag)? + end_tag.len();
    let (mut whole, behind) = item.split_at(end);
    // An unterminated element is skipped for the one that begins inside it.
    while let Some(inner) = find_start_tag(&whole[1..], element) {
        whole = &whole[1 + inner..];
    }
    Some((whole, behind))
}

/// The position of the next start tag of this name.
fn find_start_tag(text: &str, element: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        let behind = text[at + 1..].strip_prefix(element);
        if behind.is_some_and(|rest| rest.starts_with(|c: char| c == '>' || c.is_whitespace())) {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether the text contains anything that looks like an item.
pub(crate) fn has_items(text: &str) -> bool {
    if text.starts_with('{') {
        let items = text.find("\"items\"").map(|at| text[at + 7..].trim_start());
        let list = items.and_then(|rest| rest.strip_prefix(':')).map(str::trim_start);
        return list
            .and_then(|rest| rest.strip_prefix('['))
            .is_some_and(|rest| rest.trim_start().starts_with('{'));
    }
    ["item", "entry", "rss:item", "atom:entry"]
        .iter()
        .any(|name| find_start_tag(text, name).is_some())
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

    #[test]
    fn mail_addresses_stand_apart() {
        for (text, parted) in [
            ("王小明（desk@x.example）", "王小明 desk@x.example "),
            ("Jane–desk@x", "Jane desk@x "),
            ("André<[(desk@x.example>])é, b@c", "André <[(desk@x.example>]) é,  b@c "),
            ("@", " @ "),
            ("–@@–", " @@ "),
            ("no address – none", "no address – none"),
        ] {
            assert_eq!(set_addresses_apart(text), parted);
        }
        let feed = "<rss><author x='y'><![CDATA[A]]><!-- -->–b@c &amp; <![CDATA[&amp;]]></author><dc:creator>A&#8211;b@c</dc:creator><author/>";
        let parted = "<rss><author x='y'>A b@c  &amp; &amp;amp;</author><dc:creator>A b@c </dc:creator><author/>";
        assert_eq!(without_panics(feed), parted);
        let feed = r#"{"authors":[{"name":"A\u2013b@c"}],"items":[]}"#;
        assert_eq!(without_panics(feed), r#"{"authors":[{"name":"A b@c "}],"items":[]}"#);
    }

    #[test]
    fn whole_items_only() {
        let text = "<rss a='b'><channel><items/><item>1</item><item>2<item x=''>3</item><item>4";
        assert_eq!(
            single_item_feeds(text).collect::<Vec<_>>(),
            [
                "<rss a='b'><channel><item>1</item></channel></rss>",
                "<rss a='b'><channel><item x=''>3</item></channel></rss>"
            ]
        );
        assert!(has_items(text) && !has_items("<rss><items/></rss>"));
        assert!(has_items("{\"items\" : [ {") && !has_items("{\"items\": []}"));
    }
}
