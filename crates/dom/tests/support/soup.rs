//! Pages of any tags, attributes and texts, in any order.

use proptest::prelude::*;

const NAMES: [&str; 42] = [
    "a", "b", "i", "font", "p", "div", "span", "table", "tr", "td", "tbody", "caption", "ul", "li",
    "h1", "select", "option", "svg", "math", "mi", "foreignObject", "script", "style", "template",
    "noscript", "title", "textarea", "body", "html", "head", "frameset", "form", "button", "br",
    "img", "pre", "iframe", "annotation-xml", "base", "meta", "video", "x-y",
];

pub(crate) fn tag_soup() -> impl Strategy<Value = String> {
    let name = prop::sample::select(&NAMES[..]);
    let attribute = prop_oneof![
        Just(" id=a"),
        Just(" class=\"b c\""),
        Just(" href='javascript:alert(1)'"),
        Just(" href=\" JaVa\tscript:x\""),
        Just(" src=data:text/html,x"),
        Just(" href=//a/b?c&d"),
        Just(" onclick=x"),
        Just(" style=x"),
        Just(" srcset='javascript:x 1x, b 2x'"),
        Just(" title='<script>x</script>'"),
        Just(" encoding=text/html"),
        Just(" =\"'"),
        Just(" type=application/ld+json"),
        Just(" type=\"application/ld+jsoé\""),
        Just(""),
        Just("/"),
    ];
    let piece = prop_oneof![
        4 => (name.clone(), prop::collection::vec(attribute, 0..3))
            .prop_map(|(n, a)| format!("<{n}{}>", a.concat())),
        3 => name.prop_map(|n| format!("</{n}>")),
        2 => "[a-z é\u{a0}\n]{0,6}",
        1 => prop::sample::select(&["<!--", "-->", "<!-- x -->", "<![CDATA[", "]]>", "<!doctype html>",
            "&amp;", "&lt;script&gt;", "&#0;", "&notin", "<", "</", "'", "\"", ">", "\0", "&#x6a;", "\r"][..])
            .prop_map(str::to_owned),
        1 => ".{0,4}",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}
