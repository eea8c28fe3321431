//! What is written is what a parser makes of it, for any page and any choice of nodes.

use dom::{Document, Keep, NodeId, ParseOptions, is_void, local_name, parse, parse_with};
use proptest::prelude::*;
use sitegrove_region::region_of;
use url::Url;

/// The tree below an element, written as the region writes its own.
fn written(document: &Document, root: NodeId) -> String {
    let escaped = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        text.replace('\u{a0}', "&nbsp;").replace('\r', "&#13;")
    };
    let mut out = String::new();
    let mut open: Vec<NodeId> = Vec::new();
    for id in document.subtree(root).skip(1).chain([document.node(root).end]) {
        while let Some(&last) = open.last()
            && document.node(last).end <= id
        {
            open.pop();
            out.push_str(&format!("</{}>", document.name(last).unwrap()));
        }
        if id == document.node(root).end {
            break;
        }
        if let Some(element) = document.element(id) {
            out.push_str(&format!("<{}", element.name));
            for (name, value) in element.attributes() {
                out.push_str(&format!(" {name}=\"{}\"", escaped(value).replace('"', "&quot;")));
            }
            out.push('>');
            let first = (id + 1 < document.node(id).end).then(|| document.text(id + 1)).flatten();
            if **element.name == *"pre" && first.is_some_and(|text| text.starts_with('\n')) {
                out.push('\n');
            }
            if !is_void(element.name) {
                open.push(id);
            }
        } else {
            out.push_str(&escaped(document.text(id).unwrap_or_default()));
        }
    }
    out
}

fn check(html: &str, keep: &[NodeId], prune: &[NodeId]) {
    let page = parse(html);
    let inside = |ids: &[NodeId]| -> Vec<NodeId> {
        ids.iter().map(|id| id % page.len() as NodeId).collect()
    };
    let base = Url::parse("https://news.example/a/").unwrap();
    let Some(region) = region_of(&page, &inside(keep), &inside(prune), &base) else { return };
    let ours = region.html();
    let again = format!("<!doctype html><body><div>{ours}</div>");
    let all = ParseOptions { keep: Keep::Everything, ..ParseOptions::CONTENT };
    let again = parse_with(&again, &all);
    let div = again.ids().find(|&id| again.name(id).is_some_and(|name| **name == *"div")).unwrap();
    assert_eq!(ours, written(&again, div), "\n{html}\n{keep:?} {prune:?}");
    for id in again.subtree(div).skip(1) {
        let Some(name) = again.name(id) else { continue };
        let first = again.children(id).find(|&child| {
            !again.text_content(child).trim().is_empty() || again.name(child).is_some()
        });
        let begins_with_summary =
            || first.is_some_and(|first| again.is(first, &local_name!("summary")));
        assert!(**name != *"details" || begins_with_summary(), "{ours}\n{html}");
        let above = again.parent(id).and_then(|parent| again.name(parent)).unwrap();
        let allowed: &[&str] = match &**name {
            "li" => &["ul", "ol"],
            "td" | "th" => &["tr"],
            "tr" => &["thead", "tbody", "tfoot"],
            "dt" | "dd" => &["dl"],
            "figcaption" => &["figure"],
            "summary" => &["details"],
            _ => continue,
        };
        assert!(allowed.contains(&&**above), "<{name}> in <{above}>: {ours}\n{html}");
    }
}

const PIECES: [&str; 76] = [
    "<p>",
    "</p>",
    "one ",
    "two",
    "<li>",
    "</li>",
    "<ul>",
    "</ul>",
    "<ol>",
    "</ol>",
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "</td>",
    "<th>",
    "<caption>c</caption>",
    "<tbody>",
    "<col>",
    "<div>",
    "</div>",
    "<b>",
    "</b>",
    "<a href=/x>",
    "</a>",
    "<a href=#n>1</a>",
    "<span id=n>",
    "</span>",
    "<h2>",
    "</h2>",
    "<h3>",
    "<figure>",
    "</figure>",
    "<figcaption>",
    "</figcaption>",
    "<img src=/i.jpg>",
    "<img data-src=j.png width=400>",
    "<noscript><img src=k.png></noscript>",
    "<pre>\n\n",
    "</pre>",
    "<code class=language-rust>",
    "</code>",
    "<dl>",
    "<dt>",
    "<dd>",
    "</dl>",
    "<blockquote>",
    "</blockquote>",
    "<details>",
    "<summary>",
    "</summary>",
    "</details>",
    "<math><mfrac><mi>x</mi><mn>2</mn></mfrac></math>",
    "<iframe src=https://www.youtube.com/embed/abc></iframe>",
    "<video src=/v.mp4></video>",
    "<button>",
    "</button>",
    "<article>",
    "</article>",
    "<form>",
    "<ruby>",
    "<rt>",
    "</ruby>",
    "<font>",
    "</font>",
    "<object data=/o.pdf>",
    "</object>",
    "<br>",
    "<hr>",
    "<i>",
    "</i>",
    "<menu>",
    "<center>",
    "<script>s</script>",
    "\u{a0}&#13;\n",
    "<nobr>",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_region_is_the_same_when_parsed_again(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..40),
        keep in prop::collection::vec(0u32..60, 1..5),
        prune in prop::collection::vec(0u32..60, 0..4),
        doctype in any::<bool>(),
    ) {
        let html = format!("{}{}", if doctype { "<!doctype html>" } else { "" }, pieces.concat());
        check(&html, &keep, &prune);
    }
}

#[test]
fn folded_texts_with_a_blank_summary_are_shown_open() {
    let html = "<details><math><mi>x</mi></math><summary><dl>\u{a0}&#13;\n";
    (0..12).for_each(|node| check(html, &[node], &[]));
}
