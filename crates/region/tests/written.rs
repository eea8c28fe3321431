//! What is written of each element, attribute, address and character.

use dom::parse;
use sitegrove_region::region_of;
use url::Url;

/// What is written of a page that consists of this.
fn written(html: &str) -> String {
    let base = Url::parse("https://news.example/a/b").unwrap();
    let document = parse(&format!("<!doctype html><body>{html}"));
    region_of(&document, &[0], &[], &base).map_or_else(String::new, |region| region.html())
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (html, expected) in cases {
        assert_eq!(written(html), *expected, "{html}");
    }
}

#[test]
fn elements_have_their_current_names() {
    check(&[
        ("<menu><li>a</menu>", "<ul><li>a</li></ul>"),
        ("<dir><li>a</dir>", "<ul><li>a</li></ul>"),
        ("<p><strike>a</strike> b", "<p><s>a</s> b</p>"),
        ("<p><tt>a</tt> b", "<p><code>a</code> b</p>"),
        ("<p><acronym title=x>a</acronym> b", "<p><abbr title=\"x\">a</abbr> b</p>"),
        ("<listing>a\nb</listing>", "<pre>a\nb</pre>"),
        ("<xmp>a</xmp>", "<pre>a</pre>"),
        ("<h2>a</h2><ol><li>b</ol>", "<h2>a</h2><ol><li>b</li></ol>"),
        // Elements without a meaning of their own: those that break the line do so still.
        ("<article>a</article><nav>b</nav>", "<p>a</p><p>b</p>"),
        (
            "<p><font color=red>a</font> <span>b</span> <span lang=de>c",
            "<p>a b <span lang=\"de\">c</span></p>",
        ),
        ("<p>a<wbr>b<br>c", "<p>a<wbr>b<br>c</p>"),
    ]);
}

#[test]
fn what_stands_around_texts_gives_them_a_structure() {
    let html = "<!doctype html><body><section><p>one</p><blockquote><p>two</p></blockquote>\
        <aside><p>three</p></aside><ul><li><p>four</p></ul></section>";
    let document = parse(html);
    let is_paragraph = |id: &u32| document.name(*id).is_some_and(|name| **name == *"p");
    let keep: Vec<u32> = document.ids().filter(is_paragraph).collect();
    let base = Url::parse("https://news.example/a/b").unwrap();
    let region = region_of(&document, &keep, &[], &base).unwrap();
    assert_eq!(
        region.html(),
        "<p>one</p><blockquote><p>two</p></blockquote><p>three</p><ul><li><p>four</p></li></ul>"
    );
}

#[test]
fn attributes_belong_to_their_elements() {
    check(&[
        (
            "<p lang=de dir=rtl title=t id=i class=c style=s>a",
            "<p lang=\"de\" dir=\"rtl\" title=\"t\">a</p>",
        ),
        ("<p colspan=2 span=2 datetime=x start=3 reversed type=a value=4>a", "<p>a</p>"),
        (
            "<ol start=3 reversed type=a value=4><li value=4 start=3>a</ol>",
            "<ol start=\"3\" reversed=\"\" type=\"a\"><li value=\"4\">a</li></ol>",
        ),
        ("<ul type=circle start=3><li>a</ul>", "<ul><li>a</li></ul>"),
        (
            "<p><time datetime=2026-10-05>a</time> <ins datetime=x>b</ins>",
            "<p><time datetime=\"2026-10-05\">a</time> <ins datetime=\"x\">b</ins></p>",
        ),
    ]);
    let table = written(
        "<table><colgroup><col span=2></colgroup><tr><th scope=col>a<th headers=h>b<tr><td colspan=2 rowspan=1 span=2>c<tr><td>d<td>e</table>",
    );
    for kept in [
        "<col span=\"2\">",
        "<th scope=\"col\">",
        "<th headers=\"h\">",
        "<td colspan=\"2\" rowspan=\"1\">",
    ] {
        assert!(table.contains(kept), "{kept} in {table}");
    }
    let formula =
        written("<p>a <math display=block onclick=x href=y><mi mathvariant=bold>x</mi></math> b");
    let kept =
        "<math alttext=\"\\mathbf{x}\" display=\"block\"><mi mathvariant=\"bold\">x</mi></math>";
    assert!(formula.contains(kept), "{formula}");
}

#[test]
fn only_links_that_a_reader_can_follow_are_links() {
    for (address, written_as) in [
        ("/c?d&e", Some("https://news.example/c?d&amp;e")),
        (" http://other.example/ ", Some("http://other.example/")),
        ("ftp://files.example/f", Some("ftp://files.example/f")),
        ("mailto:a@news.example", Some("mailto:a@news.example")),
        ("tel:+123", Some("tel:+123")),
        ("javascript:alert(1)", None),
        (" jAvA&#9;script:alert(1)", None),
        ("vbscript:x", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("", None),
    ] {
        let page = format!("<p><a href=\"{address}\">words</a> more");
        let link = match written_as {
            Some(address) => format!("<p><a href=\"{address}\">words</a> more</p>"),
            None => "<p><a>words</a> more</p>".to_owned(),
        };
        assert_eq!(written(&page), link, "{address}");
    }
}

#[test]
fn no_character_of_a_page_ends_a_text_or_an_attribute() {
    check(&[
        (
            "<p>a &amp;lt;b&amp;gt; &lt;i onclick=x&gt; \"c\"",
            "<p>a &amp;lt;b&amp;gt; &lt;i onclick=x&gt; \"c\"</p>",
        ),
        ("<p title='\" onclick=x \"'>a", "<p title=\"&quot; onclick=x &quot;\">a</p>"),
        ("<p title='&amp;quot;<b>&#13;'>a", "<p title=\"&amp;quot;&lt;b&gt;&#13;\">a</p>"),
        ("<p>a&nbsp;b\u{a2}c&#13;d", "<p>a&nbsp;b\u{a2}c&#13;d</p>"),
        ("<p title='a\0b'>c\0d", "<p title=\"a\u{fffd}b\">cd</p>"),
    ]);
}

/// Takes minutes if all notes are looked through for each link.
#[test]
fn many_notes_take_linear_time() {
    let links: String =
        (0..30_000).map(|n| format!("<p>words<a href=#f{n} id=r{n}>{n}</a>")).collect();
    let notes: String =
        (0..30_000).map(|n| format!("<li id=f{n}>note <a href=#r{n}>back</a>")).collect();
    let base = Url::parse("https://news.example/a/b").unwrap();
    let document = parse(&format!("<!doctype html><body>{links}<ol>{notes}</ol>"));
    let region = region_of(&document, &[0], &[], &base).unwrap();
    let html = region.html();
    assert_eq!(html.matches("href=\"#article-f").count(), 30_000);
    assert_eq!(html.matches("href=\"#article-r").count(), 30_000);
    let notes = region.footnotes();
    assert_eq!((notes.len(), notes[29_999].label.as_str()), (30_000, "29999"));
}
