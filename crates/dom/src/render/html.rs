//! Renders nodes as an HTML fragment that is safe to show anywhere: absolute links, no active
//! content.

use html5ever::local_name;
use url::Url;

use super::allowed::{attribute_stays, written_as};
use super::figures::figures;
use super::text::{Kept, for_each_kept};
use crate::{Document, Element, NodeId, is_void};

/// HTML of the subtrees of `roots` without the subtrees of `prune`, in document order.
///
/// `base` is the URL that relative links are resolved against. Links keep only `http`, `https`,
/// `ftp`, `mailto` and `tel`; images only `http`, `https` and embedded bitmaps. Scripts, frames,
/// forms, event handlers, styles, classes and ids never appear; other elements that begin a new
/// line become `div`. Lazily loaded images get the address in their `data-src` (or similar).
/// Pictures whose caption is marked only by a class become figures.
pub fn html_of(document: &Document, roots: &[NodeId], prune: &[NodeId], base: &Url) -> String {
    let mut out = String::new();
    let figures = figures(document, roots, prune);
    let name_of = |id: NodeId| match figures.get(&id) {
        Some(&name) => Some(name),
        None => document.name(id).and_then(written_as),
    };
    for_each_kept(document, roots, prune, &mut |event| match event {
        Kept::Text(id) => escape(document.text(id).unwrap_or_default(), false, &mut out),
        Kept::Open(id) => {
            if let Some(element) = document.element(id)
                && let Some(name) = name_of(id)
            {
                open_tag(element, name, base, &mut out);
                let empty = document.node(id).end == id + 1;
                if empty && !is_void(element.name) {
                    close_tag(name, &mut out);
                }
            }
        }
        Kept::Close(id) => {
            if let Some(name) = name_of(id) {
                close_tag(name, &mut out);
            }
        }
        Kept::Gap => {}
    });
    out
}

fn close_tag(name: &str, out: &mut String) {
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

fn open_tag(element: Element<'_>, name: &str, base: &Url, out: &mut String) {
    out.push('<');
    out.push_str(name);
    for (name, value) in element.attributes() {
        if attribute_stays(element.name, name) {
            write_attribute(name, value, out);
        }
    }
    match *element.name {
        local_name!("a") => {
            if let Some(url) = link_target(element, base) {
                write_attribute("href", &url, out);
            }
        }
        local_name!("img")
        | local_name!("source")
        | local_name!("video")
        | local_name!("audio") => {
            if let Some(url) = media_source(element, base) {
                write_attribute("src", &url, out);
            }
            let set = first_of(element, &["srcset", "data-srcset"])
                .map(|set| absolute_set(set, base))
                .filter(|set| !set.is_empty());
            if let Some(set) = set {
                write_attribute("srcset", &set, out);
            }
        }
        local_name!("blockquote") | local_name!("q") => {
            if let Some(url) = element
                .attribute(&local_name!("cite"))
                .and_then(|cite| absolute(cite, base))
                .filter(|u| matches!(u.scheme(), "http" | "https"))
            {
                write_attribute("cite", url.as_str(), out);
            }
        }
        _ => {}
    }
    out.push('>');
}

/// The target of a link, if its scheme is allowed.
pub(super) fn link_target(element: Element<'_>, base: &Url) -> Option<String> {
    let url = absolute(element.attribute(&local_name!("href"))?, base)?;
    let stays = matches!(url.scheme(), "http" | "https" | "ftp" | "mailto" | "tel");
    stays.then(|| url.into())
}

/// The address of an image that is not embedded in the page: its own, else the first of its
/// `srcset`.
pub(super) fn picture(element: Element<'_>, base: &Url) -> Option<String> {
    let own = media_source(element, base).filter(|url| !url.starts_with("data:"));
    own.or_else(|| {
        let set = absolute_set(first_of(element, &["srcset", "data-srcset"])?, base);
        set.split_ascii_whitespace().next().map(|url| url.trim_end_matches(',').to_owned())
    })
}

/// The value of the first of these attributes that the element has. Names are compared as text:
/// interning those of lazy loading for every image would cost more.
fn first_of<'a>(element: Element<'a>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| element.attributes().find(|(n, _)| **n == **name).map(|a| a.1))
}

/// The address of an image or other media: lazy-loading attributes first if `src` is missing or a
/// placeholder embedded in the page.
fn media_source(element: Element<'_>, base: &Url) -> Option<String> {
    let src = element.attribute(&local_name!("src")).and_then(|src| absolute(src, base));
    let placeholder = src.as_ref().is_none_or(|u| u.scheme() == "data");
    const LAZY: [&str; 5] =
        ["data-src", "data-original", "data-lazy-src", "data-url", "data-hi-res-src"];
    let lazy = first_of(element, &LAZY).filter(|_| placeholder).and_then(|src| absolute(src, base));
    let url = lazy.filter(|u| matches!(u.scheme(), "http" | "https")).or(src)?;
    match url.scheme() {
        "http" | "https" => Some(url.into()),
        "data" => {
            let bitmap = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
            let path = url.path();
            bitmap.iter().any(|t| path.starts_with(t)).then(|| url.clone().into())
        }
        _ => None,
    }
}

/// Resolves every candidate of a `srcset`; candidates that are not web addresses are removed.
fn absolute_set(set: &str, base: &Url) -> String {
    let mut candidates = Vec::new();
    for candidate in set.split(", ").flat_map(|c| c.split(",\n")) {
        let mut parts = candidate.split_ascii_whitespace();
        let Some(url) = parts.next().and_then(|u| absolute(u.trim_end_matches(','), base)) else {
            continue;
        };
        if matches!(url.scheme(), "http" | "https") {
            let descriptor = parts.next().map(|d| format!(" {d}")).unwrap_or_default();
            candidates.push(format!("{}{descriptor}", url.as_str().replace(',', "%2C")));
        }
    }
    candidates.join(", ")
}

fn absolute(link: &str, base: &Url) -> Option<Url> {
    let link = link.trim();
    (!link.is_empty()).then(|| base.join(link).ok()).flatten()
}

fn write_attribute(name: &str, value: &str, out: &mut String) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escape(value, true, out);
    out.push('"');
}

/// Bytes that are, or may begin, a character that has to be escaped.
const ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let bytes = *b"&<>\"\0\xc2";
    let mut at = 0;
    while at < bytes.len() {
        escaped[bytes[at] as usize] = true;
        at += 1;
    }
    escaped
};

/// Escapes text or an attribute value (HTML §13.3).
fn escape(text: &str, in_attribute: bool, out: &mut String) {
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, 0);
    while let Some(step) = bytes[at..].iter().position(|b| ESCAPED[usize::from(*b)]) {
        at += step;
        let (length, written) = match &bytes[at..] {
            [b'&', ..] => (1, "&amp;"),
            [b'<', ..] => (1, "&lt;"),
            [b'>', ..] => (1, "&gt;"),
            [b'"', ..] if in_attribute => (1, "&quot;"),
            [0, ..] => (1, ""),
            // A no-break space.
            [0xc2, 0xa0, ..] => (2, "&nbsp;"),
            _ => {
                at += 1;
                continue;
            }
        };
        out.push_str(&text[from..at]);
        out.push_str(written);
        at += length;
        from = at;
    }
    out.push_str(&text[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn html(source: &str) -> String {
        let d = parse(source);
        let body = d.ids().find(|&i| d.is(i, &local_name!("body"))).unwrap();
        let base = Url::parse("https://news.example/a/b.html").unwrap();
        html_of(&d, &d.children(body).collect::<Vec<_>>(), &[], &base)
    }

    #[test]
    fn links_are_absolute_and_harmless() {
        assert_eq!(
            html(r#"<a href="../c?x=1&amp;y">t</a>"#),
            r#"<a href="https://news.example/c?x=1&amp;y">t</a>"#
        );
        assert_eq!(html(r#"<a href="javascript:alert(1)" onclick=x>t</a>"#), "<a>t</a>");
        assert_eq!(html("<a href=' JaVa\tScript:alert(1)'>t</a>"), "<a>t</a>");
        assert_eq!(html(r#"<a href="data:text/html,x">t</a>"#), "<a>t</a>");
    }

    #[test]
    fn images_stay() {
        assert_eq!(
            html(r#"<img src="data:image/gif;base64,R0" data-src="/i.jpg" alt='a "b"' onerror=x>"#),
            r#"<img alt="a &quot;b&quot;" src="https://news.example/i.jpg">"#
        );
        assert_eq!(
            html(r#"<img src=i.png srcset="i.png 1x, /j.png 2x">"#),
            r#"<img src="https://news.example/a/i.png" srcset="https://news.example/a/i.png 1x, https://news.example/j.png 2x">"#
        );
        assert_eq!(html(r#"<img src="data:image/svg+xml,<svg onload=x>">"#), "<img>");
    }

    #[test]
    fn nothing_runs() {
        assert_eq!(
            html(
                "<div style=x>a<script>b</script><svg onload=x><a>c</a></svg><form action=x><font>d</font></form></div>"
            ),
            "<div>a<div>d</div></div>"
        );
        assert_eq!(
            html("<article>a</article><center>b</center><font>c</font>"),
            "<div>a</div><div>b</div>c"
        );
        assert_eq!(html("<p>1 &lt; 2 &amp;amp; <b></b></p>"), "<p>1 &lt; 2 &amp;amp; <b></b></p>");
        assert_eq!(
            html("<p title='\"§&nbsp;'>\"§&nbsp;>é"),
            "<p title=\"&quot;§&nbsp;\">\"§&nbsp;&gt;é</p>"
        );
    }
}
