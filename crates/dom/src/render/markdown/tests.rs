//! Expected Markdown of pages, and round trips through a Markdown renderer.

use proptest::prelude::*;
use pulldown_cmark::{Options, Parser, html::push_html};

use super::*;
use crate::LocalName;
use crate::{parse, text_of};

fn markdown(html: &str) -> String {
    let base = Url::parse("https://news.example/a/b.html").unwrap();
    markdown_of(&parse(html), &[0], &[], &base)
}

fn rendered(markdown: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let mut html = String::new();
    push_html(&mut html, Parser::new_ext(markdown, options));
    html
}

fn words(html: &str) -> Vec<String> {
    let text = text_of(&parse(html), &[0], &[]);
    text.split(is_space).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The Markdown of a page. Asserts that it renders to the same words, links and structure.
fn round_trip(html: &str) -> String {
    let markdown = markdown(html);
    let back = rendered(&markdown);
    assert_eq!(words(html), words(&back), "\n{markdown}\n{back}");
    markdown
}

/// The values of `attribute` on all elements with this name.
fn all(html: &str, name: &str, attribute: &str) -> Vec<String> {
    let document = parse(html);
    let ids = document.ids().filter(|&id| document.name(id).is_some_and(|n| &**n == name));
    let value = |id| document.attribute(id, &LocalName::from(attribute)).unwrap_or_default();
    ids.map(|id| value(id).to_owned()).collect()
}

/// The words inside links.
fn linked(html: &str) -> String {
    let document = parse(html);
    let is_link = |id: NodeId| document.ancestors(id).any(|a| document.is(a, &local_name!("a")));
    let texts = document.ids().filter(|&id| is_link(id)).filter_map(|id| document.text(id));
    // Note marks get brackets, powers a caret, and powers that are expressions parentheses.
    texts.flat_map(str::chars).filter(|&c| !is_space(c) && !"[]^()".contains(c)).collect()
}

/// Asserts the Markdown of pages.
fn assert_round_trips(pages: &[(&str, &str)]) {
    for (html, expected) in pages {
        assert_eq!(round_trip(html), *expected, "{html}");
    }
}

#[test]
fn paragraphs_headings_and_emphasis() {
    assert_round_trips(&[
        (
            "<h2>The <i>second</i> one #</h2><p>One <b>two</b>, <em>three</em><br>four <s>five</s>.",
            "## The *second* one \\#\n\nOne **two**, *three*\\\nfour ~~five~~.",
        ),
        ("<p><b>Note: </b>text<i> (a)</i>b", "**Note**: text (*a*)b"),
        ("<b>a</b><i>b</i><b>c</b>", "**a**b**c**"),
        ("<i>a<b>b</b></i> <i>c</i><i>d</i>", "*a*b *cd*"),
        ("one<br><br>two<hr>three", "one\n\ntwo\n\n___\n\nthree"),
        ("<b></b><i> </i><p></p>", ""),
    ]);
}

#[test]
fn links_and_images() {
    assert_round_trips(&[
        (
            r#"<p>See <a href="../c?x=1&amp;y">the <b>page</b></a>, <a href="javascript:x">no</a>."#,
            "See [the **page**](https://news.example/c?x=1&y), no.",
        ),
        (
            r#"<figure><a href="/big"><img src=i.png alt="A [dog]"></a><figcaption>A dog</figcaption></figure>"#,
            "[![A \\[dog\\]](https://news.example/a/i.png)](https://news.example/big)\n\nA dog",
        ),
        (
            r#"<img src="/i.jpg"><img src="data:image/gif;base64,R0">"#,
            "![](https://news.example/i.jpg)",
        ),
        (
            r#"<a href="/a_(b)">x</a><a href="/c&lt;&amp;lt;">y</a>"#,
            "[x](https://news.example/a_\\(b\\))[y](https://news.example/c%3C\\&lt;)",
        ),
    ]);
    let twice = round_trip("<a href=/x><p>one<p>two</a>");
    assert_eq!(twice.matches("](https://news.example/x)").count(), 2);
}

#[test]
fn lists() {
    assert_round_trips(&[
        (
            "<ul><li>a<li>b<ul><li>c<ol start=3><li>d<li>e</ol></ul><li>f</ul>",
            "- a\n- b\n  - c\n\n    3. d\n    4. e\n- f",
        ),
        (
            "<ol><li><p>one<p>two<li><pre>x\n  y</pre></ol><ol><li>other</ol>",
            "1. one\n\n   two\n\n2. ```\n   x\n     y\n   ```\n\n1) other",
        ),
        // A list directly inside a list belongs to the previous item.
        ("<ul><li>a</li><ul><li>b</ul></ul>", "- a\n  - b"),
        ("<dl><dt>Term<dd>What it is.</dl>", "**Term**\n\nWhat it is."),
    ]);
    let d = parse("<ol><li>a<li>b<li>c</ol>");
    let items: Vec<_> = d.ids().filter(|&i| d.is(i, &local_name!("li"))).skip(1).collect();
    let base = Url::parse("https://news.example/").unwrap();
    assert_eq!(markdown_of(&d, &items, &[], &base), "2. b\n3. c");
}

#[test]
fn quotations_and_code() {
    assert_round_trips(&[
        (
            "<blockquote><p>One<p>two<blockquote>three</blockquote></blockquote>four",
            "> One\n>\n> two\n>\n> > three\n\nfour",
        ),
        (
            "<p>Use <code>a `b`</code> or <kbd>Ctrl</kbd>.<pre><code class='hl language-rust'>let x = \"```\";\n\n  y\n</code></pre>",
            "Use `` a `b` `` or `Ctrl`.\n\n````rust\nlet x = \"```\";\n\n  y\n````",
        ),
    ]);
}

#[test]
fn tables_of_data_and_of_layout() {
    assert_round_trips(&[
        (
            "<table><caption>Sizes</caption><tr><th>Name<th>Size<tr><td>a|b<td><b>2</b><br>3<tr><td colspan=2>both</table>",
            "Sizes\n\n| Name | Size |\n| --- | --- |\n| a\\|b | **2** 3 |\n| both |  |",
        ),
        (
            "<table><tr><td rowspan=2>a<td>b<tr><td>c</table>",
            "|  |  |\n| --- | --- |\n| a | b |\n|  | c |",
        ),
        (
            "<table><tr><th><h4>Town</h4><th>Text<tr><td>Lorne<td><p>One<p>two<ul><li>a<li>b</ul></table>",
            "| Town | Text |\n| --- | --- |\n| Lorne | One two a b |",
        ),
        (
            "<table><tr><th>Do<th>Say<tr><td><pre>a *b*</pre> now<td><h4>One</h4><blockquote>two</blockquote></table>",
            "| Do | Say |\n| --- | --- |\n| `a *b*` now | **One** two |",
        ),
        ("<table><tr><td><p>One<p>two<td><ul><li>menu</ul></table>", "One\n\ntwo\n\n- menu"),
        ("<table><tr><th>One<tr><td><pre>a\nb</pre><td>c</table>", "One\n\n```\na\nb\n```\n\nc"),
    ]);
}

#[test]
fn text_is_never_markup() {
    for text in [
        "# no heading",
        "- no item",
        "+ nor this",
        "1. nor 2) that",
        "12) x",
        "> no quote",
        "---",
        "===",
        "* * *",
        "_a_ __b__ snake_case",
        "`code` ``` and ~~~ ~x~ ~~y~~",
        "[a](b) ![c](d) [^1] [x]: y",
        "&lt;b&gt; &amp;amp; &amp;#35; AT&amp;T",
        "a | b\n",
        "|---|---|",
        ":-: | :-:",
        "\\* \\\\ \\",
        "http://a.example/_x_",
        "a*b*c **d** *e*",
        "&lt;!-- no --&gt; &lt;div&gt;",
        "####### seven",
        "!",
        "a!<a href=/x>b</a>",
        "&amp;<b>amp;</b>",
        "x<br># y<br>- z<br>1. w<br>===<br>| a | b |<br>|---|---|<br>| 1 | 2 |",
        "=<br>-",
        "1.",
        "#",
        "$x$ :smile: @me",
        "a\\<br>b",
    ] {
        for around in
            ["", "h2", "li", "td", "blockquote", "a href=/x", "b", "i", "s", "code", "figcaption"]
        {
            let html = if around.is_empty() {
                format!("<p>{text}</p><p>after</p>")
            } else {
                let name = around.split(' ').next().unwrap();
                let html = format!("<{around}>{text}</{name}>");
                if name == "td" {
                    format!("<table><tr>{html}<td>{text}<tr><td>1<td>2</table>")
                } else {
                    html
                }
            };
            round_trip(&html);
        }
        round_trip(&format!("before<b>{text}</b>after <i>{text}</i><s>{text}</s>"));
        let plain = text_of(&parse(text), &[0], &[]);
        let back = rendered(&markdown_of_text(&plain));
        assert_eq!(words(text), words(&back), "{back}");
    }
}

#[test]
fn deep_nesting_stays_small() {
    let deep = format!("{}{}", "<blockquote><ul><li>".repeat(400), "x<br>".repeat(2_000));
    let markdown = round_trip(&deep);
    assert!(markdown.len() < 200_000, "{}", markdown.len());
    let deep = format!("{}{}", "<li><div>".repeat(400), "x<br>".repeat(2_000));
    assert!(super::tests::markdown(&deep).len() < 200_000);
}

/// Tags, ends of tags and text of all kinds, in any order, which the parser turns into a page.
/// Captions of tables are excluded: Markdown puts them before the table, wherever they are.
fn soup() -> impl Strategy<Value = String> {
    let names = [
        "p", "div", "b", "i", "em", "strong", "s", "code", "a href='/x?a=1&lt;(b)'", "ul",
        "ol start=4", "li", "blockquote", "h2", "h5", "pre", "table", "tr", "td", "th",
        "td colspan=2 rowspan=2", "tbody", "figure", "figcaption", "span", "dl", "dt", "dd",
        "section", "q", "sup", "img src=/i.png alt='*a* ] `'", "br", "hr", "menu",
    ];
    let texts = [
        "word", " two words ", "*", "_", "__", "**a", "`", "```", "#", "# x", "- ", "1. ", "+",
        "=", "---", "|", "| a |", "[", "](", ")", "!", "![", "&lt;b&gt;", "&amp;", "lt;", "\\",
        "~", "~~", ">", " ", "\n", "\n    four", "&nbsp;", "\u{200b}", "é", "漢字", ".", ":",
        "\"q\"", "a_b_c", "x*y*z", "&amp;copy;", "\u{301}",
    ];
    let piece = prop_oneof![
        prop::sample::select(names.to_vec()).prop_map(|name| format!("<{name}>")),
        prop::sample::select(names.to_vec())
            .prop_map(|n| format!("</{}>", n.split(' ').next().unwrap_or(n))),
        prop::sample::select(texts.to_vec()).prop_map(str::to_owned),
        prop::sample::select(texts.to_vec()).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn any_page_comes_back_as_the_same_words(html in soup()) {
        let markdown = markdown(&html);
        let back = rendered(&markdown);
        prop_assert_eq!(words(&html), words(&back), "\n{}\n--\n{}", markdown, back);
        // Every picture and every link with words is kept.
        prop_assert_eq!(
            all(&html, "img", "alt").len(), all(&back, "img", "alt").len(), "\n{}\n--\n{}", markdown, back
        );
        if !html.contains("<pre") {
            prop_assert_eq!(linked(&html), linked(&back), "\n{}\n--\n{}", markdown, back);
        }
        for address in all(&back, "a", "href") {
            prop_assert_eq!(address, "https://news.example/x?a=1%3C(b)");
        }
    }
}

#[test]
fn notes_are_footnotes() {
    let text =
        "<p>Wheels<sup><a href='#n1'>1</a></sup> turn <a href='#n2'>[2]</a>.</p><h2>More</h2>";
    let page = |notes: &str| markdown(&format!("{text}{notes}"));
    assert_eq!(
        page("<ol><li id=n1>Of oak. <a href='#r1'>back</a></li><li id=n2><p>Twice.<p>A day.</ol>"),
        "Wheels[^1] turn [^2].\n\n## More\n\n[^1]: Of oak. \
        [back](https://news.example/a/b.html#r1)\n\n[^2]: Twice.\n\n    A day."
    );
    assert_eq!(
        page("<p id=n1>Of oak.</p><p>Not a note.</p>"),
        "Wheels[^1] turn [\\[2\\]](https://news.example/a/b.html#n2).\n\n## More\n\n\
        [^1]: Of oak.\n\nNot a note."
    );
    // Links within the document lead nowhere in Markdown.
    assert_eq!(
        markdown("<p><a href='#a'>Above</a></p><h2 id=a>Oak</h2><a href='#z'>z</a>"),
        "Above\n\n## Oak\n\n[z](https://news.example/a/b.html#z)"
    );
    // A list with an item that is not a note stays a list, as does a list inside another block.
    let list = "<ol><li id=n1>Of oak.</li><li>Of stone.</li></ol>";
    assert!(!page(list).contains("[^"));
    assert!(page(list).ends_with("1. Of oak.\n2. Of stone."));
    let quoted =
        page(&format!("<blockquote>{}</blockquote>", list.replace("stone", "<a>stone</a>")));
    assert!(!quoted.contains("[^"), "{quoted}");
    let html = rendered(&page("<ol><li id=n1>Of oak.</li><li id=n2>Twice.</li></ol>"));
    assert_eq!(html.matches("footnote-reference").count(), 2, "{html}");
    assert_eq!(html.matches("footnote-definition\"").count(), 2, "{html}");
}

/// Each list is examined once: examining all items for each note would take minutes.
#[test]
fn many_notes_take_linear_time() {
    let links: String = (0..30_000).map(|n| format!("<p>words<a href=#f{n}>{n}</a>")).collect();
    let notes: String = (0..30_000).map(|n| format!("<li id=f{n}>note")).collect();
    let text = markdown(&format!("{links}<ol>{notes}</ol>"));
    assert!(text.starts_with("words[^0]\n\nwords[^1]\n\n"));
    assert!(text.ends_with("[^29999]: note"), "{}", &text[text.len() - 40..]);
}
