//! What readers see of code, formulas, hidden texts and paragraphs, in HTML, Markdown and text alike.

use dom::parse;
use sitegrove_region::{ChosenArticle, PostStart, region_of};
use url::Url;

/// HTML, Markdown and text of a page that consists of this.
fn forms(html: &str) -> [String; 3] {
    let base = Url::parse("https://news.example/a/b").unwrap();
    let document = parse(&format!("<!doctype html><body>{html}"));
    let region = region_of(&document, &[0], &[], &base).unwrap();
    [region.html(), region.markdown(&base), region.text()]
}

/// Checks the lines of a block of code in all forms.
#[track_caller]
fn check_code(html: &str, language: &str, lines: &str) {
    let [written, markdown, text] = forms(&format!("<p>Look:</p>{html}<p>So.</p>"));
    let class =
        if language.is_empty() { String::new() } else { format!(" class=\"language-{language}\"") };
    let escaped = lines.replace('<', "&lt;").replace('>', "&gt;");
    let written = written.replace("<code>", "").replace("</code>", "");
    assert_eq!(written, format!("<p>Look:</p><pre{class}>{escaped}</pre><p>So.</p>"), "{html}");
    assert_eq!(markdown, format!("Look:\n\n```{language}\n{lines}\n```\n\nSo."), "{html}");
    assert_eq!(text, format!("Look:\n\n{lines}\n\nSo."), "{html}");
}

#[test]
fn code_has_its_lines_and_nothing_else() {
    let lines = "fn main() {\n    go();\n\n    stop();\n}";
    // Numbers before each line, in a column as text, as elements, and in a cell for each row.
    let numbered = |number: &str, end: &str| -> String {
        let line = |(at, line): (usize, &str)| {
            format!("<i class={number}>{}</i><b>{line}</b>{end}", at + 7)
        };
        lines.lines().enumerate().map(line).collect()
    };
    check_code(
        &format!("<pre><code class=lang-rust>{}</code></pre>", numbered("no", "\n")),
        "rust",
        lines,
    );
    check_code(&format!("<pre data-lang=rust>{}</pre>", numbered("nr", "<br>")), "rust", lines);
    check_code(
        &format!("<pre><button>Copy</button><b>Rust</b><code>{lines}</code><i>Copied!</i></pre>"),
        "",
        lines,
    );
    check_code(&format!("<div><pre>41\n42\n43\n44\n45</pre><pre>{lines}</pre></div>"), "", lines);
    let row = |(at, line): (usize, &str)| format!("<tr><td>{}</td><td>{line}</td></tr>", at + 1);
    let table: String = lines.lines().enumerate().map(row).collect();
    check_code(&format!("<table>{table}</table>"), "", lines);
    let broken = lines.replace('\n', "<br>\n").replace("    ", "\u{a0}\u{a0}\u{a0}\u{a0}");
    check_code(&format!("<div><code>{broken}</code></div>"), "", lines);
    let column = "1\n2\n3\n4\n5\n";
    check_code(
        &format!(
            "<table><tr><td><pre>{column}</pre></td><td><pre>{lines}\n</pre></td></tr></table>"
        ),
        "",
        lines,
    );
    check_code(
        &format!(
            "<div class='highlight rust'><div><div>1</div><div>2</div><div>3</div><div>4</div><div>5</div></div><pre>{lines}</pre></div>"
        ),
        "rust",
        lines,
    );
    let rows = |cell: fn(usize) -> String| -> String {
        let row = |(at, line): (usize, &str)| {
            format!("<tr>{}<td><code>{line}</code></td></tr>", cell(at + 1))
        };
        lines.lines().enumerate().map(row).collect()
    };
    check_code(&format!("<table>{}</table>", rows(|at| format!("<td>{at}</td>"))), "", lines);
    check_code(
        &format!("<table>{}</table>", rows(|at| format!("<td data-line-number={at}></td>"))),
        "",
        lines,
    );
    // A line that is an element, with and without its own line feed.
    let each = |open: &str, close: &str| -> String {
        lines.lines().map(|line| format!("{open}{line}{close}")).collect()
    };
    for (open, close) in [
        ("<div>", "</div>"),
        ("<div>", "</div>\n"),
        ("<span class=row>", "<br></span>"),
        ("<span class=row>", "\n</span>"),
        ("<span class=row>", "</span>"),
        (
            "<div><span style='-webkit-user-select: none; user-select: none'>$</span><div>",
            "</div></div>",
        ),
    ] {
        check_code(&format!("<pre>{}</pre>", each(open, close)), "", lines);
    }
    // Empty lines that are held open by a space or by a line feed in a box.
    let held = |open: &str, close: &str, empty: &str, end: &str| -> String {
        let line = |line: &str| {
            format!("{open}{}{close}{end}", if line.is_empty() { empty } else { line })
        };
        lines.lines().map(line).collect()
    };
    let (box_of_line, br) = ("<u style='display: inline-block'>\n</u>", "<br></span>");
    for html in [
        held("<span data-row>", "</span>", " ", "\n"),
        held("<span class=row>", br, box_of_line, ""),
        held("<span class=row><i class=no></i><u>", &format!("</u>{br}"), box_of_line, ""),
    ] {
        check_code(&format!("<pre><code>{html}</code></pre>"), "", lines);
    }
    let cells = rows(|_| "<td></td>".to_owned()).replace("<code></code>", "<code> </code>");
    check_code(
        &format!(
            "<pre><table>{}</table></pre>",
            cells.replace("<code>", "").replace("</code>", "")
        ),
        "",
        lines,
    );
    // A table in `pre` whose numbers come from a style sheet.
    let gutter = |at: usize| {
        format!("<td class=no data-line-number={at}><div data-line-number={at}></div></td>")
    };
    let table = rows(|_| String::new()).replace("<code>", "").replace("</code>", "");
    let table: String = (table.split_inclusive("</tr>").enumerate())
        .map(|(at, row)| row.replace("<tr>", &format!("<tr>{}", gutter(at + 1))))
        .collect();
    check_code(&format!("<pre><code><table>{table}</table></code></pre>"), "", lines);
    let rows: String = (lines.lines().enumerate())
        .map(|(at, line)| format!("<div><span>{}</span><div>{line}</div></div>", at + 1))
        .collect();
    check_code(&format!("<pre>{rows}</pre>"), "", lines);
    // A single line in a table, and one whose number is like those of another block.
    check_code(
        "<table><tr><td><pre>1</pre></td><td><pre>go now</pre></td></tr></table>",
        "",
        "go now",
    );
    let both = "<pre><i class=no>1</i>a\n<i class=no>2</i>b</pre><p>And</p><pre><i class=no>1</i>go now</pre>";
    assert_eq!(forms(both)[2], "a\nb\n\nAnd\n\ngo now");
    check_code("<pre><i>1</i>go now</pre>", "", "1go now");
    // Without `pre`, and with what belongs to the interface.
    check_code(
        &format!("<code style='display: block; white-space: pre'>{lines}\n</code>"),
        "",
        lines,
    );
    check_code(&format!("<div><code>{lines}</code></div>"), "", lines);
    check_code(
        &format!(
            "<div class=language-rust><div><span>Rust</span><button>Copy</button></div><pre>{lines}<button>Run</button><style>pre{{}}</style></pre></div>"
        ),
        "rust",
        lines,
    );
}

#[test]
fn code_of_any_highlighter_is_a_block() {
    let lines = "fn main() {\n    go();\n}";
    let each = |open: &str, close: &str| -> String {
        lines.lines().map(|line| format!("{open}{line}{close}")).collect()
    };
    let spaces = |html: String| html.replace(' ', "&nbsp;").replace("<li&nbsp;", "<li ");
    let items = spaces(each("<li><span>", "</span></li>"));
    check_code(&format!("<div class=old-highlighter><ol>{items}</ol></div>"), "", lines);
    let style = "font-family: Consolas, monospace; white-space: pre";
    check_code(&format!("<div style='{style}'>{}</div>", each("<div>", "</div>")), "", lines);
    check_code(&format!("<div style='{style}'>{lines}</div>"), "", lines);
    // A table without a word for code, and one with the name of the file.
    check_code(
        &format!(
            "<table><tr><td><div><div>1</div><div>2</div><div>3</div></div></td><td><div>{}</div></td></tr></table>",
            each("<div>", "</div>")
        ),
        "",
        lines,
    );
    check_code(
        &format!(
            "<table><tr><th colspan=2>main.rs</th></tr><tr><td><pre>1\n2\n3</pre></td><td><pre>{lines}</pre></td></tr></table>"
        ),
        "",
        lines,
    );
    let table = format!("<table><tr><td class=code><pre>{lines}</pre></td></tr></table>");
    check_code(&format!("<div class='highlight rust'>{table}</div>"), "rust", lines);
    // Lines of several lines, and lines with numbers and a space.
    check_code(
        "<pre><span id=a class=x>one</span><span id=b class=x>two<br>  three</span></pre>",
        "",
        "one\ntwo\n  three",
    );
    check_code(
        "<pre><b>01</b> one\n<b>02</b>   two\n<b>03</b> three</pre>",
        "",
        "one\n  two\nthree",
    );
    check_code("<pre><b>1</b>    one\n<b>2</b>      two</pre>", "", "    one\n      two");
    // A bar in `pre`.
    check_code(
        &format!(
            "<pre><div><div>rust</div><div><button>Copy</button></div><div><code class=lang-rust>{lines}</code></div></div></pre>"
        ),
        "rust",
        lines,
    );
    // An editor with a `pre` for each line.
    let editor = (lines.lines().enumerate())
        .map(|(at, line)| format!("<div><div>{}</div><pre>{line}</pre></div>", at + 1));
    check_code(&format!("<div>{}</div>", editor.collect::<String>()), "", lines);
    for (open, language) in [
        ("<pre class='brush: rust; title: ; notranslate'>", "rust"),
        ("<pre data-syntaxhighlighter-params='brush: rust; gutter: false'>", "rust"),
        ("<pre class='highlight hl-rust'>", "rust"),
        ("<pre syntax=rust>", "rust"),
        ("<pre lang=rust line=1>", "rust"),
        ("<pre lang=en>", ""),
        ("<pre class='lang:rust decode:true'>", "rust"),
        ("<pre class='prettyprint linenums'>", ""),
        ("<pre class='prettyprint shown' data-x=y data-enlighter-language=rust>", "rust"),
        ("<pre class='highlight rust'>", "rust"),
    ] {
        check_code(&format!("{open}{lines}</pre>"), language, lines);
    }
}

/// Text of the page if the engine found only its paragraphs.
fn text_of_paragraphs(html: &str) -> String {
    let base = Url::parse("https://news.example/a/b").unwrap();
    let document = parse(&format!("<!doctype html><body>{html}"));
    let is_paragraph = |id: &u32| document.name(*id).is_some_and(|name| **name == *"p");
    let keep: Vec<u32> = document.ids().filter(is_paragraph).collect();
    region_of(&document, &keep, &[], &base).unwrap().text()
}

#[test]
fn what_stands_between_paragraphs_is_read() {
    for (between, text) in [
        ("<ul><li>one</li><li>two</li></ul>", "one\ntwo"),
        ("<dl><div><dt>one</dt><dd>two</dd></div></dl>", "one\ntwo"),
        ("<details><summary>one</summary><pre>two</pre></details>", "one\n\ntwo"),
        ("<blockquote>one two</blockquote>", "one two"),
        (
            "<blockquote class=twitter-tweet>one <a href=https://x.com/a/status/1>two</a></blockquote>",
            "",
        ),
        ("<blockquote>one <a href=https://x.com/a/status/1>two</a></blockquote>", ""),
        (
            "<blockquote>one <a href=https://x.com/a/status/1>two</a> three</blockquote>",
            "one two three",
        ),
        ("<blockquote>one <a href=https://x.com/a>two</a></blockquote>", "one two"),
        ("<div>lone</div><ul><li>one</li><li>two</li></ul>", ""),
        ("<ul><li><a href=/1>one</a></li><li><a href=/2>two</a></li></ul>", ""),
        ("<ul><li><a href=/1><div>one</div></a><div>of the other page</div></li></ul>", ""),
        ("<ul><li><a href=/1>one</a>: of a number</li></ul>", "one: of a number"),
        (
            "<ul><li><a href=https://one.example/1>The first of the papers</a><li><a href=/f/2.pdf>The second of the papers</a></ul>",
            "The first of the papers\nThe second of the papers",
        ),
        (
            "<ul><li><a href=https://one.example/1>The first of the papers</a><li><a href=https://b.news.example/2>The second of the pages</a></ul>",
            "",
        ),
        (
            "<ul><li><a href='https://one.example/?u=https://news.example/a/b'>Share this page with friends</a><li><a href=https://two.example/1>The second of the papers</a></ul>",
            "",
        ),
        (
            "<ul><li><a href=/1>One that is as long as a headline</a>: what is said there</li></ul>",
            "",
        ),
        ("<ul><li><a href=/1>one</a><ul><li><a href=/2>two</a></li></ul></li></ul>", "one\n\ntwo"),
        ("<ul><li><a href=#1>one</a><ul><li><a href=#2>two</a></li></ul></li></ul>", ""),
        (
            "<div><div>shell</div><pre>one\ntwo</pre><div>shell</div><pre>three</pre></div>",
            "one\ntwo\n\nthree",
        ),
        (
            "<div><table><tr><td>1</td><td><code>one</code></td></tr><tr><td>2</td><td><code>two</code></td></tr></table><div><a href=/raw>view raw</a> with love by a host of code</div></div>",
            "one\ntwo",
        ),
        (
            "<div role=table><div role=row><span role=columnheader>Year</span><span role=columnheader>Level</span></div><div role=row><span role=cell>2021</span><span role=cell>4 m</span></div></div>",
            "Year\nLevel\n2021\n4 m",
        ),
        ("<div role=heading aria-level=3>one two</div>", "one two"),
        ("<div><h2>one</h2><span>[<a href=/edit>edit</a>]</span></div>", "one"),
        ("<div><h2><a href=/1>one</a></h2><a href=/1>Read more</a></div>", ""),
        ("<div><h2>one</h2><a href=/1><img src=/i.jpg>this</a></div>", ""),
        ("<blockquote><p>one two<div>Ann</div></blockquote>", "one two\n\nAnn"),
        ("<blockquote><p>one two<div><a href=/share>Quote</a></div></blockquote>", "one two"),
        ("<div class='callout tip'><div>Tip</div><div>one two</div></div>", "Tip\n\none two"),
        ("<div role=note>one two</div>", "one two"),
        ("<div role=note><a href=/1>one</a> two</div>", "one two"),
        ("<div class=callout><a href=/1>One of the other pages</a></div>", ""),
        ("<div>one two</div>", ""),
        (
            "<div>A box about something else, which has many words of its own, more than the bar of a block of code can have for labels and buttons. <pre>one</pre></div>",
            "",
        ),
    ] {
        let around = if text.is_empty() { String::new() } else { format!("\n\n{text}") };
        let page = format!("<p>Before all.</p>{between}<p>After it.</p>");
        assert_eq!(
            text_of_paragraphs(&page),
            format!("Before all.{around}\n\nAfter it."),
            "{between}"
        );
    }
}

#[test]
fn spaces_in_elements_of_their_own_stay() {
    for space in ["<b> </b>", "<span><span> </span></span>", "<a href=/x>\n</a>", " <i> </i> "] {
        let [_, markdown, text] = forms(&format!("<p>one<i>two</i>{space}<b>three</b>"));
        assert_eq!(text, "onetwo three", "{space}");
        assert_eq!(markdown, "one*two* **three**", "{space}");
    }
}

#[test]
fn lines_beside_the_text_of_an_item_stay() {
    let document =
        parse("<!doctype html><body><p>Prices.<ul><li>A pear<div>39 crowns</div><li>Plums</ul>");
    let is_item = |id: &u32| document.text(*id).is_some_and(|text| !text.starts_with("39"));
    let keep: Vec<u32> = document.ids().filter(is_item).collect();
    let base = Url::parse("https://news.example/a/b").unwrap();
    let region = region_of(&document, &keep, &[], &base).unwrap();
    assert_eq!(region.text(), "Prices.\n\nA pear\n\n39 crowns\n\nPlums");
}

#[test]
fn frames_that_wait_for_consent_are_shown() {
    for attribute in ["data-cookieblock-src", "data-src-cmplz", "uc-src"] {
        let html =
            format!("<p>One.<iframe src=about:blank {attribute}=//www.youtube.com/embed/a1>");
        assert!(forms(&html)[0].contains("data-embed"), "{attribute}");
    }
}

#[test]
fn the_address_of_a_marked_post_is_not_that_of_its_author() {
    let post = "https://www.reddit.com/r/towns/comments/1d/the_ferry/";
    let html = format!(
        "<p>One.</p><blockquote class=reddit-embed-bq><a href={post}>The ferry</a><br> by<a href=https://www.reddit.com/user/anna/>anna</a> in<a href=https://www.reddit.com/r/towns/>towns</a></blockquote><p>Two.</p>"
    );
    assert!(forms(&html)[0].contains(&format!("data-address=\"{post}\"")));
}

#[test]
fn a_post_of_which_only_a_link_is_on_the_page_is_shown() {
    let base = Url::parse("https://news.example/a/b").unwrap();
    let post = "<blockquote class=instagram-media><a href=https://www.instagram.com/p/Cx/>View it</a></blockquote>";
    let html = |between: &str| {
        let document = parse(&format!("<!doctype html><body><p>Before.</p>{between}<p>After."));
        let is_paragraph = |id: &u32| document.name(*id).is_some_and(|name| **name == *"p");
        let keep: Vec<u32> = document.ids().filter(is_paragraph).collect();
        region_of(&document, &keep, &[], &base).unwrap().html()
    };
    assert!(html(&format!("<div>{post}</div>")).contains("instagram.com/p/Cx/"));
    for other in ["<b>What others have posted on this day</b>", post] {
        assert!(!html(&format!("<aside>{other}{post}</aside>")).contains("instagram"), "{other}");
    }
}

#[test]
fn a_second_article_is_another_page() {
    let long = |word: &str| format!("<p>{}</p>", format!("{word} ").repeat(80));
    let article = |title: &str, word: &str, inside: &str| {
        format!("<article><h1>{title}</h1>{inside}{}</article>", long(word))
    };
    let time = "<time>4 May 2021</time>";
    let text = |first: &str, second: &str| {
        let page = format!("<main>{first}<div class=next>{second}<p>after it</p></div></main>");
        text_of_paragraphs(&page)
    };
    let (first, second) = (article("One", "alpha", time), article("Two", "beta", time));
    let own = text_of_paragraphs(&first);
    assert_eq!(text(&first, &second), own);
    // Sections of one page have no dates of their own, and one article may hold others.
    let undated = article("Two", "beta", "");
    assert!(
        text(&first, &undated).contains("beta beta")
            && text(&undated, &second).contains("after it")
    );
    let around = article("One", "alpha", &format!("{time}{second}"));
    assert!(text_of_paragraphs(&around).contains("beta beta"));
}

#[test]
fn titles_of_other_pages_at_the_end_are_left_out() {
    let text =
        "<p>Pears ripen early this year, and nobody has an idea of the reasons.</p>".repeat(5);
    let title = |at: usize| format!("<a href=/p/{at}>Why number {at} was late this year</a>");
    let own = text_of_paragraphs(&text);
    for end in [
        format!(
            "<h3>Latest news</h3><p>{}</p><p>» {}</p><p>{} 5 June 2026</p>",
            title(1),
            title(2),
            title(3)
        ),
        format!(
            "<p><strong>Read on</strong></p><p>{}<br>{}<br>{}</p>",
            title(1),
            title(2),
            title(3)
        ),
    ] {
        assert_eq!(text_of_paragraphs(&format!("{text}{end}")), own, "{end}");
        assert!(text_of_paragraphs(&format!("{text}{end}<p>So.</p>")).contains("number 2"));
    }
    for end in [
        format!("<p>{}</p><p>{}</p>", title(1), title(2)),
        format!(
            "<p>{}</p><p>{}</p><p>{} is what another of the growers says.</p>",
            title(1),
            title(2),
            title(3)
        ),
        format!("<p>{}</p><p>{}</p><p>{}</p>", title(1), title(2), title(3))
            .replace("/p/", "https://b.example/"),
    ] {
        assert!(text_of_paragraphs(&format!("{text}{end}")).contains("number 2"), "{end}");
    }
}

#[test]
fn another_page_has_the_form_of_the_first() {
    let long = |word: &str| format!("<p>{}</p>", format!("{word} ").repeat(80));
    let text = |heading: &str, second: &str, around: &str| {
        let page = format!(
            "<title>One thing - The Paper</title><main><div class=entry><h1 class=t>One thing</h1>{}</div>\
             <div {around}><div class=entry>{heading}{second}</div></div></main>",
            long("alpha")
        );
        text_of_paragraphs(&page)
    };
    let is_cut =
        |heading: &str, around: &str| !text(heading, &long("beta"), around).contains("beta");
    assert!(is_cut("<h1 class=t>Two things</h1>", ""), "a headline that is not in the title");
    assert!(is_cut("<h1 class=t>One thing</h1>", "data-url=/2"), "an address of its own");
    assert!(is_cut("<h2 class=t><a href=/2>Two things</a></h2>", ""), "a headline that is a link");
    assert!(!is_cut("<h1 class=t>One thing</h1>", ""));
    assert!(!is_cut("<h2>Two things</h2>", ""));
    let card = |n: usize| format!("<h2><a href=/{n}>Thing {n}</a></h2>{}", long("beta"));
    assert!(text(&card(2), &card(3), "").contains("beta"), "a list of cards");
}

#[test]
fn numbers_and_code_in_sentences_stay() {
    check_code(
        "<pre><b>3</b> apples\n<b>4</b> pears\n<b>9</b> plums</pre>",
        "",
        "3 apples\n4 pears\n9 plums",
    );
    check_code("<pre>1\n2\n3</pre>", "", "1\n2\n3");
    // Numbers beside each other are a line of code.
    for row in ["<b> 1  2  3</b>", "<b>1</b> <b>2</b> <b>3</b>"] {
        let row = format!(
            "<span class=row>a</span>\n<span class=row>{row}</span>\n<span class=row>b</span>"
        );
        let text = if row.contains("<b> ") { "a\n 1  2  3\nb" } else { "a\n1 2 3\nb" };
        check_code(&format!("<pre>{row}</pre>"), "", text);
    }
    let [html, markdown, text] = forms("<p>Call <code>go()</code> then\n<code>stop\n()</code>.");
    assert_eq!(html, "<p>Call <code>go()</code> then\n<code>stop\n()</code>.</p>");
    assert_eq!(markdown, "Call `go()` then `stop ()`.");
    assert_eq!(text, "Call go() then stop ().");
}

#[test]
fn formulas_are_tex_once() {
    let katex = "<span class=k><span><math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></semantics></math></span><span aria-hidden=true>x1</span></span>";
    let wiki = "<span><span style='display:none'><math alttext='{\\displaystyle x_1}'><mi>x</mi></math></span><img src=/f.svg aria-hidden=true alt=x_1></span>";
    let mathjax2 = "<span class=MathJax_Preview></span><span id=M-1-Frame role=presentation><span aria-hidden=true>x1</span><span><math><mi>x</mi></math></span></span><script type=math/tex id=M-1>x_1</script>";
    let mathjax3 = "<mjx-box><svg></svg><mjx-read><math><msub><mi>x</mi><mn>1</mn></msub></math></mjx-read></mjx-box>";
    let picture = "<img src=/render?x alt='x_1' class=latex>";
    for formula in [katex, wiki, mathjax2, mathjax3, picture, "<script type=math/tex>x_1</script>"]
    {
        let [html, markdown, text] = forms(&format!("<p>Let {formula} be small.</p>"));
        assert_eq!(text, "Let $x_1$ be small.", "{formula}");
        assert_eq!(markdown, "Let $x_1$ be small.", "{formula}");
        assert_eq!(html.matches("<math").count(), 1, "{html}");
        assert!(!html.contains("<img"), "{html}");
    }
    let display =
        "<p>So</p><script type='math/tex; mode=display'>\\frac{a}{b} < 1</script><p>holds.</p>";
    assert_eq!(forms(display)[1], "So\n\n$$\\frac{a}{b} < 1$$\n\nholds.");
    assert_eq!(forms(display)[2], forms(display)[1]);
    assert!(forms("<p>A photo <img src=/a.jpg alt='a_1 = b'> of it")[0].contains("<img"));
}

#[test]
fn formulas_without_a_source_are_read_from_what_they_show() {
    let fence = |open: &str, inner: &str, close: &str| {
        format!("<mrow><mo>{open}</mo>{inner}<mo>{close}</mo></mrow>")
    };
    let row =
        |cells: [&str; 2]| format!("<mtr><mtd>{}</mtd><mtd>{}</mtd></mtr>", cells[0], cells[1]);
    let rows = row(["<mi>a</mi>", "<mi>b</mi>"]) + &row(["", "<mi>c</mi>"]);
    let math: [(String, &str); 22] = [
        ("<mi data-x>α</mi><mi>x</mi>".into(), "\\alpha x"),
        ("<mi>k</mi><mo>≤</mo><mo>−</mo><mn>6</mn>".into(), "k\\le-6"),
        ("<msub><mi>log</mi><mn>2</mn></msub><mo>&#x2061;</mo><mi>n</mi>".into(), "\\log_2n"),
        ("<munder><mrow><mi>lim</mi><mo>&#x2061;</mo></mrow><mrow><mi>n</mi><mo>→</mo><mi mathvariant=normal>∞</mi></mrow></munder>".into(), "\\lim_{n\\to\\infty}"),
        ("<mover><mi>μ</mi><mo stretchy=false>^</mo></mover>".into(), "\\hat{\\mu}"),
        ("<mover><mi>z</mi><mo>―</mo></mover>".into(), "\\overline{z}"),
        ("<mi mathvariant=bold>E</mi><mi mathvariant=normal>d</mi>".into(), "\\mathbf{E}\\mathrm{d}"),
        ("<mi>ℝ</mi><mi>𝔸</mi><mi>𝑥</mi>".into(), "\\mathbb{R}\\mathbb{A}x"),
        (fence("(", "<mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac>", ")"), "\\binom{n}{k}"),
        (format!("<msup>{}<mi>k</mi></msup>", fence("(", "<mfrac><mn>1</mn><mn>2</mn></mfrac>", ")")), "\\left(\\frac{1}{2}\\right)^k"),
        ("<msup><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>10</mn></msup>".into(), "{a+b}^{10}"),
        (fence("(", &format!("<mtable>{rows}</mtable>"), ")"), "\\begin{pmatrix}a & b \\\\ & c\\end{pmatrix}"),
        (format!("<mrow><mo>{{</mo><mtable>{rows}</mtable><mo fence=true></mo></mrow>"), "\\begin{cases}a & b \\\\ & c\\end{cases}"),
        (format!("<mtable columnalign='right left'>{rows}</mtable>"), "\\begin{aligned}a & b \\\\ & c\\end{aligned}"),
        ("<mi>a</mi><mspace width=1em></mspace><mi>f</mi><mo>(</mo><msup><mi>x</mi><mo>′</mo></msup><mo>)</mo>".into(), "a\\quad f(x')"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot><mo>{</mo>".into(), "\\sqrt[3]{x}\\{"),
        ("<mi data-latex=y>x</mi>".into(), "x"),
        ("<mi>a</mi><mspace width=0.444em></mspace><mo stretchy=false>(</mo><mi>mod</mi><mspace width=0.333em></mspace><mo>(</mo><mi>n</mi><mo>)</mo><mo>)</mo>".into(), "a\\pmod{(n)}"),
        ("<mi>a</mi><mo>mod</mo><mi>n</mi>".into(), "a\\bmod n"),
        ("<mi>a</mi><mspace width=0.4444em></mspace><mo>(</mo><mi>n</mi><mo>)</mo><mi>b</mi>".into(), "a\\pod{n}b"),
        ("<mo data-mjx-texclass=ORD>∥</mo><mo stretchy=false>∥</mo><mi>v</mi><mi mathvariant=normal>∥</mi><mo>∥</mo>".into(), "\\|\\|v\\|\\parallel"),
        ("<msup><mrow></mrow><mn>14</mn></msup><mi>C</mi>".into(), "{}^{14}C"),
    ];
    for (inner, tex) in math {
        let [html, markdown, _] = forms(&format!("<p>Let <math>{inner}</math> be.</p>"));
        assert_eq!(markdown, format!("Let ${tex}$ be."), "{inner}");
        // Read again, it is the same.
        assert_eq!(forms(&html)[1], markdown);
    }
    let latex = "<math data-latex='\\ne 1'><mo>≠</mo><mn>1</mn></math>";
    assert_eq!(forms(&format!("<p>Let x {latex}.</p>"))[1], "Let x $\\ne 1$.");
    for (html, sign) in
        [("<span>\\(x_1 < 2\\)</span>", "$"), ("</p><div>\n\\[ x_1\n< 2 \\]</div><p>", "\n\n$$")]
    {
        let [html, markdown, text] = forms(&format!("<p>Let {html} be.</p>"));
        let close: String = sign.chars().rev().collect();
        let space = if sign == "$" { " " } else { "" };
        assert_eq!(markdown, format!("Let{space}{sign}x_1 < 2{close}{space}be."));
        assert_eq!(text, markdown);
        assert_eq!(html.matches("<math").count(), 1, "{html}");
    }
    let plain = "<p>In <code>\\(x\\)</code> and <b>\\(^o^)/</b> and <i>\\(a\\) or \\(b\\)</i>.</p>";
    assert_eq!(forms(plain)[2], "In \\(x\\) and \\(^o^)/ and \\(a\\) or \\(b\\).");
    let escaped = "<script type=math/tex>a &lt; b &amp; c</script>";
    assert_eq!(forms(&format!("<p>Let {escaped} be.</p>"))[1], "Let $a < b & c$ be.");
}

#[test]
fn boxes_of_katex_are_formulas() {
    let list = |rows: &[(&str, &str)], deep: &str| {
        let row = |&(top, inner): &(&str, &str)| {
            format!(
                "<span style='top:-{top}em;'><span class=pstrut style='height:3em'></span>{inner}</span>"
            )
        };
        let rows: String = rows.iter().map(row).collect();
        format!(
            "<span class='vlist-t {deep}'><span class=vlist-r><span class=vlist>{rows}</span></span></span>"
        )
    };
    let scripts = |rows: &[(&str, &str)], deep: &str| {
        format!("<span class=msupsub>{}</span>", list(rows, deep))
    };
    let boxes: [(String, &str); 20] = [
        (format!("<span class=mord>a</span>{}", scripts(&[("3.4", "2")], "")), "a^2"),
        (format!("<span class=mord>a</span>{}", scripts(&[("2.5", "n<span>+</span>1")], "vlist-t2")), "a_{n+1}"),
        (format!("<span class=mord>a</span>{}", scripts(&[("2.5", "i"), ("3.4", "2")], "vlist-t2")), "a_i^2"),
        (format!("<span class=mfrac>{}</span>", list(&[("2.3", "b"), ("3.2", "<span class=frac-line></span>"), ("3.6", "a")], "vlist-t2")), "\\frac{a}{b}"),
        (format!("<span class='mord katex-sqrt'>{}</span>", list(&[("3", "x"), ("3.1", "<span class=hide-tail></span>")], "")), "\\sqrt{x}"),
        (format!("<span class='mop op-limits'>{}</span>", list(&[("1.8", "i"), ("3", "<span><span class=mop>∑</span></span>"), ("4.3", "n")], "vlist-t2")), "\\sum_i^n"),
        (format!("<span class='mord accent'>{}</span>", list(&[("3", "μ"), ("3.1", "<span class=accent-body>^</span>")], "")), "\\hat{\\mu}"),
        (format!("<span class='mord accent'>{}</span><span class=mord>∣</span><span class=mrel>∣</span>", list(&[("3", "μ"), ("3", "<span class=accent-body>^</span>")], "vlist-t2")), "\\hat{\\mu}|\\mid"),
        (format!("<span class=mord><span class='mopen delimcenter'>(</span><span class=mfrac>{}</span><span class='mclose delimcenter'>)</span></span>", list(&[("2.3", "k"), ("3.6", "n")], "vlist-t2")), "\\binom{n}{k}"),
        (format!("<span class=minner><span class='mopen delimcenter'><span class='delimsizing size1'>{{</span></span><span class=mtable><span class=col-align-l>{}</span></span><span class='mclose nulldelimiter'></span></span>", list(&[("4", "1"), ("2", "0")], "")), "\\begin{cases}1 \\\\ 0\\end{cases}"),
        (format!("<span class='mord'></span>{}<span class='mspace' style='margin-right:0.1667em'></span><span class=mord>x</span>", scripts(&[("3.4", "14")], "")), "{}^{14}x"),
        ("<span class=mord>x</span><span class=mspace style='margin-right:0.1667em;'></span><span class=mord>d</span>".into(), "x\\,d"),
        (format!("<span class='mord accent'>{}</span>", list(&[("3", "F"), ("3.7", "<span class=accent-body><span class=katex-overlay></span></span>")], "")), "\\vec{F}"),
        (format!("<span class='mord munder'>{}</span>", list(&[("1.5", "n"), ("3", &format!("<span class='mord munder'>{}</span>", list(&[("2.3", "<span class=stretchy></span>"), ("3", "a")], "")))], "")), "\\underbrace{a}_n"),
        (
            format!("<span class=minner><span class=mopen><span class='delimsizing mult'><span style='width:0.333em;'></span></span></span><span class=mtable><span class=col-align-c>{}</span></span><span class=mclose><span class='delimsizing mult'><span style='width:0.333em;'></span></span></span></span>", list(&[("4", "a"), ("2", "b")], "")),
            "\\begin{vmatrix}a \\\\ b\\end{vmatrix}",
        ),
        ("<span class='mopen delimcenter'>(</span>x<span class='mclose delimcenter'>)</span>".into(), "\\left(x\\right)"),
        ("<span class=mord>b</span><span class='mspace allowbreak'></span><span class=mspace style='margin-right:0.4444em'></span></span><span class=base><span class=mopen>(</span><span class=mord><span class='mord mathrm'>mod</span></span><span class=mspace style='margin-right:0.3333em'></span><span class=mord>n</span><span class=mclose>)</span>".into(), "b\\pmod{n}"),
        ("<span class=mord>a</span><span class=mbin><span class=mord><span class='mord mathrm'>mod</span></span></span><span class=mord>n</span>".into(), "a\\bmod n"),
        ("<span class=mop>lo<span>g</span></span><span class=mord>n</span><span class='mord mathbb'>R</span>".into(), "\\log n\\mathbb{R}"),
        (format!("<span class=mtable><span class=col-align-r>{}</span><span class=arraycolsep></span><span class=col-align-l>{}</span></span>", list(&[("4", "a"), ("2", "")], ""), list(&[("4", "=b"), ("2", "=c")], "")), "\\begin{aligned}a & =b \\\\ & =c\\end{aligned}"),
    ];
    for (inner, tex) in boxes {
        let page = format!(
            "<p>Let <span class=katex><span class=katex-html aria-hidden=true><span class=base>{inner}</span></span></span> be.</p>"
        );
        let [html, markdown, text] = forms(&page);
        assert_eq!(markdown, format!("Let ${tex}$ be."), "{inner}");
        assert_eq!(text, markdown);
        assert!(html.contains("application/x-tex"), "{html}");
    }
}

/// Takes longer than anyone waits if parts are read again at each level.
#[test]
fn nested_boxes_take_linear_time() {
    for class in ["mfrac", "munder", "sqrt", "accent", "op-limits", "mtable", "msupsub", "mopen"] {
        let row = format!(
            "<span style='top:-1em'><span class={class}><span class=vlist><span style='top:-2em'>a</span>"
        );
        let page = format!("<p>Let <span class=katex-html>{}x</span> be.</p>", row.repeat(3_000));
        assert!(forms(&page)[2].contains("Let"), "{class}");
    }
}

#[test]
fn notes_without_their_texts_get_them_back() {
    let document = parse(
        "<!doctype html><body><p>A fact.<a href=#n1>[1]</a></p><ol><li id=n1><p>Its note.</p></li></ol>",
    );
    let left_out: Vec<_> = document
        .ids()
        .filter(|&id| {
            document.text_content(id) == "Its note."
                && document.name(id).is_some_and(|name| **name == *"p")
        })
        .collect();
    let base = Url::parse("https://news.example/a/b").unwrap();
    let region = region_of(&document, &[0], &left_out, &base).unwrap();
    assert_eq!(region.footnotes()[0].text, "Its note.");
    assert_eq!(region.markdown(&base), "A fact.[^1]\n\n[^1]: Its note.");
}

#[test]
fn notes_chosen_without_their_labels_are_whole() {
    let document = parse(
        "<!doctype html><body><p>A fact.<a href=#n1>1</a></p><div><a id=n1 href=#r>1</a><div><p>Its long note.</p></div></div>",
    );
    let paragraphs: Vec<_> =
        document.ids().filter(|&id| document.name(id).is_some_and(|name| **name == *"p")).collect();
    let base = Url::parse("https://news.example/a/b").unwrap();
    let region = region_of(&document, &paragraphs, &[], &base).unwrap();
    assert_eq!(region.footnotes()[0].text, "1 Its long note.");
    assert_eq!(region.html().matches("#article-n1").count(), 1, "{}", region.html());
}

#[test]
fn notes_in_lines_are_taken_out_of_them() {
    let note = "Seen at home in May.";
    for (line, is_read) in [
        (format!("<sup><a href=#n>1</a></sup><small id=n>{note}</small>"), true),
        (format!("<sup><a href=#n>1</a></sup><span hidden id=n>{note}</span>"), false),
        (format!("<a href='javascript:void(0)'>1</a><span role=tooltip id=n>{note}</span>"), false),
        (format!("<sup>1</sup><span hidden>{note}</span>"), false),
        (format!("<span><b>1</b><span style='display:none'>{note}</span></span>"), false),
    ] {
        let page = format!("<p>It fell.{line} It rose.</p><p>End.</p>");
        let [html, markdown, text] = forms(&page);
        let markdown = markdown.replace("**", "");
        assert_eq!(markdown, format!("It fell.[^1] It rose.\n\nEnd.\n\n[^1]: {note}"), "{html}");
        let read = if is_read { markdown } else { "It fell. It rose.\n\nEnd.".to_owned() };
        assert_eq!(text, read, "{html}");
    }
    // What is no note, or leads elsewhere.
    for line in [
        format!("<i>1975</i><span hidden>{note}</span>"),
        format!("<a href=/c>1</a><span hidden>{note}</span>"),
        "<sup>1</sup><span hidden>Open</span>".to_owned(),
    ] {
        let [html, markdown, _] = forms(&format!("<p>It fell {line} again.</p><p>End.</p>"));
        assert!(!markdown.contains("[^"), "{html}");
    }
    let around = forms("<p>It fell.<a href=#n>1</a> It rose.<br><a id=n></a>1. Seen at home.</p>");
    assert!(!around[1].contains("[^1]: It fell"), "{}", around[1]);
}

#[test]
fn headings_are_without_links_to_themselves_and_to_edit_them() {
    let edit = "<span>[<a href=/edit?1>bearbeiten</a> | <a href=/raw>Quelle</a>]</span>";
    for page in [
        format!(
            "<div><h2>One</h2>{edit}</div><p>Text.</p><div><h3>Two</h3>{edit}</div><p>More.</p>"
        ),
        format!("<h2>One {edit}</h2><p>Text.</p><h3>Two {edit}</h3><p>More.</p>"),
        "<h2>One<a href=#one>¶</a></h2><p>Text.</p><h3><a href=/p#two>#</a> Two</h3><p>More.</p>"
            .into(),
    ] {
        let [html, markdown, text] = forms(&page);
        assert_eq!(markdown, "## One\n\nText.\n\n### Two\n\nMore.", "{page}");
        assert_eq!(text, "One\n\nText.\n\nTwo\n\nMore.");
        assert!(!html.contains("<a"), "{html}");
    }
    // Buttons beside a heading are none of it; a heading may be a button.
    let buttons =
        "<h2>One <button>Copy link</button></h2><p>Text.</p><h3><button>Two</button> +</h3>";
    assert_eq!(forms(buttons)[1], "## One\n\nText.\n\n### Two +");
    // A single one, and words, may belong to the heading.
    let kept = "<h2>One <span><a href=/c>C#</a></span></h2><p>Text.</p><h2>Two <a href=#two>again</a></h2>";
    assert_eq!(forms(kept)[2], "One C#\n\nText.\n\nTwo again");
    let repeated = "<h2>first() -> <a href=/bool>bool</a></h2><p>Text.</p><h2>last() -> <a href=/bool>bool</a></h2>";
    assert_eq!(forms(repeated)[2], "first() -> bool\n\nText.\n\nlast() -> bool");
    let top = "<h2>One <a href=#top>top</a></h2><p>Text.</p><h2>Two <a href=#top>top</a></h2>";
    assert_eq!(forms(top)[2], "One\n\nText.\n\nTwo");
}

#[test]
fn what_nobody_sees_is_left_out() {
    let long = "The harbour was closed for nine days, and the boats stayed out at sea until it opened again.";
    for (html, text) in [
        (
            "<p>A mill<span hidden>a place where grain is ground</span> stood here.",
            "A mill stood here.",
        ),
        (
            "<p>A mill<span>2<span style='display: none;'>See below.</span></span> stood here.",
            "A mill2 stood here.",
        ),
        ("<p>Read <a href=/x>on<span class=visually-hidden> about mills</span></a>.", "Read on."),
        ("<p><span aria-hidden=true>T</span><span class='sr-only'>T</span>he mill.", "The mill."),
        (
            "<p>One.</p><div hidden><p>Folded until clicked.</p></div>",
            "One.\n\nFolded until clicked.",
        ),
        ("<div style='display:none'><p>All of the story.</p></div>", "All of the story."),
    ] {
        assert_eq!(forms(html)[2], text, "{html}");
        assert!(!forms(html)[0].contains("below") && !forms(html)[1].contains("ground"), "{html}");
    }
    let twice = format!(
        "<div><p>{long}</p><p>End.</p></div><div style='display:none'><p>{long}</p><p>End.</p></div>"
    );
    assert_eq!(forms(&twice)[2], format!("{long}\n\nEnd."));
    let labels = format!(
        "<p>{long}</p><div class=ad>Our partners</div><p>Two.</p><div class=ad>Our partners</div><p>Three."
    );
    assert_eq!(forms(&labels)[2], format!("{long}\n\nTwo.\n\nThree."));
}

#[test]
fn breaks_within_words_are_unseen() {
    let [html, markdown, text] =
        forms("<p>The com&#8203;pany&#8203; said&#8288; so.&#65279;</p><p>ภาษา&#8203;ไทย</p>");
    assert_eq!(text, "The company said so.\n\nภาษา ไทย");
    assert_eq!(markdown, text);
    assert_eq!(html, "<p>The company said so.</p><p>ภาษา\u{200b}ไทย</p>");
}

#[test]
fn lines_of_scripts_without_spaces_are_joined() {
    let [html, _, text] = forms("<p>湖面在星期一\n  三十年来首次，\n结冰\nFerry\n渡轮</p>");
    assert_eq!(text, "湖面在星期一三十年来首次，结冰 Ferry 渡轮");
    assert!(html.starts_with("<p>湖面在星期一三十年来首次，结冰\nFerry"), "{html}");
    assert_eq!(
        forms("<p>호수가\n얼었다</p><pre>湖面\n结冰</pre>")[2],
        "호수가 얼었다\n\n湖面\n结冰"
    );
}

#[test]
fn icons_and_what_opens_above_the_page_are_no_text() {
    let dialog = "<dialog><p>Our letter.</p></dialog><div popover id=p><p>Terms of use.</p></div>";
    let page = format!(
        "<p><i class='material-icons md-18'>arrow_forward</i> One <i>\u{f071}</i>two.</p>{dialog}\
         <dialog open><p>Three.</p></dialog><p>{}</p>",
        "Four is a longer text. ".repeat(4)
    );
    assert!(forms(&page)[2].starts_with("One two.\n\nThree.\n\nFour"), "{}", forms(&page)[2]);
}

#[test]
fn what_opens_above_the_page_is_left_out_of_chosen_texts() {
    let document = parse(
        "<!doctype html><body><p>An oak fell on the road in May, and nobody was hurt.</p><dialog><h2>Share</h2><p>Send it.</p></dialog><div popover><p>Elm.</p></div><p>The road is open again.</p>",
    );
    let paragraphs: Vec<_> =
        document.ids().filter(|&id| document.name(id).is_some_and(|name| **name == *"p")).collect();
    let base = Url::parse("https://news.example/a/b").unwrap();
    let text = region_of(&document, &paragraphs, &[], &base).unwrap().text();
    assert_eq!(
        text,
        "An oak fell on the road in May, and nobody was hurt.\n\nThe road is open again."
    );
}

#[test]
fn quotations_behind_completed_ones_are_read() {
    let document = parse(
        "<!doctype html><body><p>She said:</p><blockquote><p>It was an oak.</p><footer>\u{2014} <cite>Ann</cite></footer></blockquote><figure><blockquote>It was an elm.</blockquote><figcaption>Bob</figcaption></figure><p>Nobody knows.</p>",
    );
    let paragraphs: Vec<_> =
        document.ids().filter(|&id| document.name(id).is_some_and(|name| **name == *"p")).collect();
    let base = Url::parse("https://news.example/a/b").unwrap();
    let text = region_of(&document, &paragraphs, &[], &base).unwrap().text();
    assert!(text.contains("It was an elm."), "{text}");
}

#[test]
fn silent_copies_of_what_a_slider_shows_are_left_out() {
    let silent = |text: &str| format!("<div aria-hidden=true><p>{text}</p></div>");
    let [one, two] = ["An oak fell on the road.", "An elm fell on the roof."];
    let page = format!(
        "<p>A storm passed over the village in the night to Monday.</p><div>{}<div><p>{one}</p></div><div><p>{two}</p></div>{}</div><p>Nobody was hurt.</p>",
        silent(two),
        silent(one)
    );
    assert_eq!(
        forms(&page)[2],
        format!(
            "A storm passed over the village in the night to Monday.\n\n{one}\n\n{two}\n\nNobody was hurt."
        )
    );
    let other = forms(&format!("<p>A storm passed over the village.</p>{}<p>So.</p>", silent(one)));
    assert!(other[2].contains(one), "{}", other[2]);
}

#[test]
fn pictures_of_galleries_and_lines_stay() {
    let count = |html: &str| forms(html)[0].matches("<img").count();
    let slide = |text: &str| format!("<div><img src=/{}.jpg><div>{text}</div></div>", text.len());
    let kept = |between: &str| {
        let page = format!("<p>An oak fell.</p><main>{between}</main><p>It was old.</p>");
        let document = parse(&format!("<!doctype html><body>{page}"));
        let is = |id, name: &str| document.name(id).is_some_and(|own| &**own == name);
        let paragraphs: Vec<_> = document.ids().filter(|&id| is(id, "p")).collect();
        let base = Url::parse("https://news.example/a/b").unwrap();
        region_of(&document, &paragraphs, &[], &base).unwrap().images().0.len()
    };
    let text = "The oak of the village, as it was before the storm of this year, with";
    let slides = format!("{}{}{}", slide(text), slide(&text[1..]), slide(&text[2..]));
    assert_eq!(kept(&slides), 3);
    assert_eq!(kept(&slides.replace("The oak", "<a href=/b>The oak</a>")), 0);
    let linked = |to: &str| {
        format!("<p>An oak <a href={to}><img src=/o.jpg></a> fell.</p><p>It was old.</p>")
    };
    assert_eq!(count(&linked("https://park.example/")), 1);
    assert_eq!(count(&linked("/")), 0);
}

#[test]
fn a_beginning_that_follows_once_more_is_shown_once() {
    let [one, two, three] = [
        "The harbour was closed for nine days, and the boats stayed out at sea until it opened.",
        "Nobody saw the harbour before the ninth day, when the fog rose and the boats came home.",
        "It rained.",
    ];
    let whole = format!("<p>{one}</p><p>{two}</p><p>{three}</p>");
    for teaser in [
        format!("<div class=teaser><p>{one}</p><p>{two}</p></div>"),
        format!("<p>{one} {two}</p>"),
        format!("<p>{one} {}... <a href=#>Read more</a></p>", &two[..30]),
    ] {
        let text =
            forms(&format!("<h1>Harbour</h1>{teaser}<div class=text>{whole}</div>"))[2].clone();
        assert_eq!(text, format!("Harbour\n\n{one}\n\n{two}\n\n{three}"), "{teaser}");
    }
    let refrain = format!("<p>{three}</p><p>{three}</p>");
    assert_eq!(forms(&refrain)[2], format!("{three}\n\n{three}"));
}

#[test]
fn fractions_and_first_letters_are_parts_of_what_they_stand_at() {
    for (html, text) in [
        ("1<span class=sr-only>+</span><span>1</span>⁄<span>2</span> inch", "1 1⁄2 inch"),
        ("1<sup>1</sup>/<sub>2</sub> inch, 3 m<sup>1</sup>/s", "1 1/2 inch, 3 m^1/s"),
        ("<img src=/t.png alt=T>he mill", "The mill"),
    ] {
        assert_eq!(forms(&format!("<p>{html}"))[2], text);
    }
    let pasted = "<b style='font-weight:normal'><p>One <b>two</b>.</p></b>";
    assert_eq!(forms(pasted)[1], "One **two**.");
}

#[test]
fn what_continues_the_last_paragraph_belongs_to_the_article() {
    let rest = "<p>One is said of the harbour here.</p>";
    let more = "<div><b>Other</b> page</div>";
    for (html, text) in [
        ("<p>Two:</p><ul><li>a rope</li><li>a boat</li></ul>", "Two:\n\na rope\na boat"),
        ("<p>Two.</p><ul><li>a rope</li><li>a boat</li></ul>", "Two.\n\na rope\na boat"),
        (
            "<p>Two.</p><h2>Tools</h2><ul><li>a rope</ul><h3>Terms</h3><dl><dt>Bow<dd>its front</dl>",
            "Two.\n\nTools\n\na rope\n\nTerms\n\nBow\nits front",
        ),
        ("<p>Two.</p><h2>Answers</h2><ul><li><div>Ann</div>I saw it.</ul>", "Two."),
        ("<p>Two.</p><ul><li><a href=/c>Another boat</a></ul>", "Two."),
        ("<p>Two.</p><blockquote>a rope</blockquote>", "Two."),
        ("<p>Two.</p><pre>a rope\na boat</pre>", "Two.\n\na rope\na boat"),
        (
            "<p>Two.</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "Two.\n\na\nb\n1\n2",
        ),
        (
            "<p>Two.</p><h3>Others</h3><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "Two.",
        ),
    ] {
        let text = format!("One is said of the harbour here.\n\n{text}");
        assert_eq!(text_of_paragraphs(&format!("{rest}{html}{more}")), text, "{html}");
    }
}

#[test]
fn rows_of_one_form_between_paragraphs_are_read() {
    let row = |name: &str, of: &str| format!("<div class=r><i>{name}</i> <b>{of}</b></div>");
    let rows = format!("{}{}{}", row("Hull", "oak"), row("Mast", "elm"), row("Crew", "nine"));
    let read = "Hull oak\n\nMast elm\n\nCrew nine";
    let plain = "<div>The hull</div><div>The mast</div><div>The crew</div>";
    for (between, expected) in [
        (format!("<div>{rows}</div>"), Some(read)),
        (format!("<h3>Facts</h3><div><div>{rows}</div></div>"), Some(read)),
        (format!("<h3>Facts</h3><div>{rows}</div><h3>More</h3>"), Some(read)),
        (plain.to_owned(), Some("The hull\n\nThe mast\n\nThe crew")),
        // Pictures, links and names of other things, what is there once or says the same.
        (format!("<div>{rows}<img src=/a.jpg></div>"), None),
        (format!("<div>{rows}<a href=/b>More</a></div>"), None),
        (format!("<div class=share-box>{rows}</div>"), None),
        (format!("<aside>{rows}</aside>"), None),
        (format!("<div>{}{}</div>", row("Hull", "oak"), row("Mast", "elm")), None),
        (row("Hull", "oak").repeat(3), None),
        (format!("{plain}<section>{}</section>", "Another page of ours. ".repeat(3)), None),
    ] {
        let text = text_of_paragraphs(&format!("<p>She sank.</p>{between}<p>Nobody knows.</p>"));
        assert_eq!(text.contains("hull") || text.contains("Hull"), expected.is_some(), "{between}");
        assert!(text.contains(expected.unwrap_or_default()), "{text}");
    }
    let around = text_of_paragraphs(&format!("<p>She sank.</p><div>{rows}</div><b>Other</b>"));
    assert_eq!(around, "She sank.");
}

#[test]
fn titles_of_rows_are_read() {
    let page = |of: &dyn Fn(&str) -> String| {
        let row =
            |(who, says): (&str, &str)| format!("<div class=t>{}<p>{says}</p></div>", of(who));
        let rows: String =
            [("Ann", "It sank."), ("Bob", "It rose."), ("Eve", "It swam.")].map(row).concat();
        text_of_paragraphs(&format!("<p>They spoke.</p>{rows}<p>They left.</p>"))
    };
    assert_eq!(
        page(&|who| format!("<div>{who}</div>")),
        "They spoke.\n\nAnn\n\nIt sank.\n\nBob\n\nIt rose.\n\nEve\n\nIt swam.\n\nThey left."
    );
    for other in
        ["<div>Answer</div>", "<div><a href=/a>WHO</a></div>", "<div class=author>WHO</div>"]
    {
        let text = page(&|who| other.replace("WHO", who));
        assert_eq!(
            text, "They spoke.\n\nIt sank.\n\nIt rose.\n\nIt swam.\n\nThey left.",
            "{other}"
        );
    }
}

#[test]
fn headings_that_open_what_follows_are_read() {
    let page = |heading: &str| {
        text_of_paragraphs(&format!("<p>She sank.</p><div>{heading}</div><div><p>Oak.</p></div>"))
    };
    for heading in [
        "<h4><a href=#c1>Of what?</a></h4>",
        "<h4><a href='' role=button>Of what?</a></h4>",
        "<a href=#c1><h4>Of what?</h4></a>",
        "<h4><a href='javascript:open(1)'>Of what?</a></h4>",
        "<dl><dt><a href=#c1>Of what?</a></dt><dd><p>Wood.</p></dd></dl>",
    ] {
        assert!(page(heading).starts_with("She sank.\n\nOf what?"), "{heading}");
    }
    for heading in [
        "<h4><a href=/b>Of what?</a></h4>",
        "<h4><a href=#c1>Of what?</a> <a href=#c2>Of whom?</a></h4>",
    ] {
        assert!(!page(heading).contains("Of what?"), "{heading}");
    }
}

#[test]
fn tables_between_paragraphs_have_their_titles_and_sources() {
    let table = "<table><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></table>";
    let page = |more: &str| {
        let html = format!("<div><div>Boats of the harbour</div>{table}<div>{more}</div></div>");
        text_of_paragraphs(&format!("<p>She sank.</p>{html}<p>Nobody knows.</p>"))
    };
    assert_eq!(
        page("Source: the harbour"),
        "She sank.\n\nBoats of the harbour\n\na\n1\nb\n2\n\nSource: the harbour\n\nNobody knows."
    );
    assert!(!page("<a href=/b>Harbour</a>").contains("Boats"));
    assert!(!page(&"Another story of the harbour. ".repeat(6)).contains("Boats"));
}

#[test]
fn typed_bullets_are_no_text() {
    for items in [
        "<li>\u{2022} Oak<li>\u{2022} Elm",
        "<li><span>\u{2022}</span><p>Oak</p><li><span>\u{2022}</span><p>Elm</p>",
        "<li>- Oak<li>- Elm",
    ] {
        assert_eq!(
            forms(&format!("<p>Trees:</p><ul>{items}</ul>"))[1],
            "Trees:\n\n- Oak\n- Elm",
            "{items}"
        );
    }
    for items in [
        "<li><b>-</b>5 %<li><b>-</b>9 %",
        "<li>\u{2022} Oak<li>Elm",
        "<li><code>- a</code><li><code>- b</code>",
    ] {
        let text = &forms(&format!("<p>Trees:</p><ul>{items}</ul>"))[2];
        assert!(text.contains(['-', '\u{2022}']), "{text}");
    }
}

#[test]
fn photos_beside_the_first_and_the_last_paragraph_are_its_own() {
    let count = |before: &str, after: &str| {
        let page = format!(
            "<!doctype html><body><div><p id=k>An oak fell.</p></div><main>{before}<p>It was old.</p><p>Nobody knows how old.</p>{after}</main>"
        );
        let document = parse(&page);
        let is_own = |id: &u32| {
            document.name(*id).is_some_and(|name| **name == *"p")
                && document.text_content(*id).contains("old")
        };
        let keep: Vec<u32> = document.ids().filter(is_own).collect();
        let base = Url::parse("https://news.example/a/b").unwrap();
        region_of(&document, &keep, &[], &base).unwrap().images().0.len()
    };
    let photos = "<p><img src=/a.jpg></p><div><a href=/b-big.jpg><img src=/b.jpg></a></div>";
    assert_eq!((count(photos, ""), count("", photos)), (2, 2));
    for other in [
        "<p><img src=/a.gif></p>",
        "<p><a href=https://b.example/><img src=/a.jpg></a></p>",
        "<div>Another page <img src=/a.jpg></div>",
        "</main><p><img src=/a.jpg></p>",
        "<noscript><img src=/a.jpg></noscript>",
    ] {
        assert_eq!(count("", other), 0, "{other}");
    }
}

#[test]
fn captions_in_layouts_and_figures_around_others() {
    let base = Url::parse("https://news.example/a/b").unwrap();
    let picture = "<img src=/a.jpg width=600 height=400>";
    for html in [
        format!(
            "<div><a href=/File:A.jpg>{picture}</a><div class=thumbcaption>The bridge</div></div>"
        ),
        format!(
            "<table><tr><td>{picture}</td></tr><tr><td class=tr-caption>The bridge</td></tr></table>"
        ),
        format!("<figure><figure>{picture}</figure><figcaption>The bridge</figcaption></figure>"),
        format!("<div>{picture}<p>The bridge</p></div>"),
        format!("<center>{picture}<br><font size=1>The bridge</font></center>"),
        format!("<table><tr><td>{picture}</td></tr><tr><td>The bridge</td></tr></table>"),
        format!(
            "<div><div><a href=/a.jpg>{picture}</a></div><div><i>The</i> <b>bridge</b></div></div>"
        ),
        format!("<aside>{picture}<span>The bridge</span></aside>"),
    ] {
        let document =
            parse(&format!("<!doctype html><body><p>She sank.</p>{html}<p>Nobody knows.</p>"));
        let is_own = |id: &u32| document.text(*id).is_some_and(|text| text.ends_with('.'));
        let keep: Vec<u32> = document.ids().filter(is_own).collect();
        let region = region_of(&document, &keep, &[], &base).unwrap();
        assert_eq!(region.images().0[0].caption.as_deref(), Some("The bridge"), "{html}");
        assert_eq!(region.text(), "She sank.\n\nNobody knows.");
    }
    for html in [
        format!("<div><p>The bridge</p>{picture}</div>"),
        format!("<div>{picture}<span>Advertisement</span></div>"),
        format!("<div>{picture}<a href=/1>The bridge</a></div>"),
        format!("<div>{picture}<button>Show it</button></div>"),
        format!("<div>{}<p>Half price</p></div>", picture.replace("/a.jpg", "/ads/a.jpg")),
    ] {
        let [written, ..] = forms(&format!("<p>She sank.</p>{html}<p>Nobody knows.</p>"));
        assert!(!written.contains("figcaption"), "{html}");
    }
}

#[test]
fn a_table_whose_cell_has_paragraphs_between_line_breaks_is_no_data() {
    let base = Url::parse("https://news.example/a/b").unwrap();
    let text = |parts: usize| vec!["She sank in the night."; parts].join("<br>\n<br>");
    let page = |cell: &str| {
        format!(
            "<table><tr><td><div>{cell}</div></td><td>Get our letter</td></tr><tr><td>All rights reserved</td><td></td></tr></table>"
        )
    };
    for (html, is_data) in [
        (page(&text(6)), false),
        (page(&text(2)), true),
        (page(&text(6).replace("<br>\n", "")), true),
    ] {
        let document = parse(&html);
        let is_own = |id: &u32| document.text(*id).is_some_and(|text| text.ends_with('.'));
        let keep: Vec<u32> = document.ids().filter(is_own).collect();
        let text = region_of(&document, &keep, &[], &base).unwrap().text();
        assert_eq!(text.contains("All rights"), is_data, "{html}: {text}");
    }
}

#[test]
fn empty_cells_keep_the_others_in_their_columns() {
    let page = "<p>One.</p><table><tr><th></th><th>Mon</th></tr><tr><td>A</td><td></td></tr><tr><td><p>B and more of it</p></td><td>2</td></tr></table><p>Two.</p>";
    let document = parse(page);
    let is_paragraph = |id: &u32| document.name(*id).is_some_and(|name| **name == *"p");
    let keep: Vec<u32> = document.ids().filter(is_paragraph).collect();
    let base = Url::parse("https://news.example/a/b").unwrap();
    let html = region_of(&document, &keep, &[], &base).unwrap().html();
    assert!(html.contains("<tr><th></th><th>Mon</th></tr><tr><td>A</td><td></td></tr>"), "{html}");
}

#[test]
fn what_styles_set_apart_is_apart() {
    for (html, text) in [
        ("<div><b>Black frost</b><span>Clear and strong.</span></div>", "Black frost Clear"),
        ("<div><b>Black frost</b><span>clear and strong.</span></div>", "Black frostclear"),
        ("<p><span>Ice:</span><span>9 cm</span>", "Ice: 9 cm"),
        ("<p><span>It froze.</span><a href=/x>Then</a> it thawed.", "It froze. Then it"),
        (
            "<p><span>You</span><span>Tube</span>, Mc<b>Donald</b>, 12:<b>30</b>, std::<b>vec</b>",
            "YouTube, McDonald, 12:30, std::vec",
        ),
        ("<p>La<span>T</span>e<span>X</span> and <code>a:<b>b</b></code>", "LaTeX and a:b"),
        ("<p>e.<i>g</i>. x.<b>example</b>", "e.g. x.example"),
        ("<p><time>10:05</time>Ferry back", "10:05 Ferry back"),
        ("<h2><span>1</span><span>How it is</span></h2>", "1 How it is"),
        ("<p>H<small>2</small>O and Al<small>2</small>Se", "H2O and Al2Se"),
        ("<p><b>LINDAU, Germany —</b>The ice", "LINDAU, Germany — The ice"),
    ] {
        assert!(forms(html)[2].starts_with(text), "{html}: {}", forms(html)[2]);
    }
}

#[test]
fn code_is_without_messages_and_in_lines() {
    for (html, code) in [
        ("<pre><code>a = 1</code><span aria-live=polite>Copied!</span></pre>", "a = 1"),
        (
            "<pre><code><span style='display: block'>a</span><span style='display: block'>  b</span></code></pre>",
            "a\n  b",
        ),
        ("<pre><code>a\n<span class=highlight-line>b</span></code></pre>", "a\nb"),
    ] {
        let [_, markdown, text] = forms(&format!("<p>One.</p>{html}<p>Two.</p>"));
        assert_eq!(text, format!("One.\n\n{code}\n\nTwo."), "{html}");
        assert_eq!(markdown, format!("One.\n\n```\n{code}\n```\n\nTwo."), "{html}");
    }
    assert_eq!(forms("<ol><li value=3>a</li><li>b</li></ol>")[1], "3. a\n4. b");
}

#[test]
fn boxes_that_ask_for_an_e_mail_address_are_left_out() {
    let field = "<form><input type=email><button>Sign up</button></form>";
    let page = format!(
        "<p>One.</p><div><h3>Our letter</h3><p>Every Friday.</p>{field}</div><p>Two.</p>{}",
        "<p>Three is a longer text.</p>".repeat(12)
    );
    assert!(forms(&page)[2].starts_with("One.\n\nTwo.\n\nThree"), "{}", forms(&page)[2]);
}

#[test]
fn copies_beside_each_other_are_shown_once() {
    for (html, text) in [
        (
            "<div class=wide><b>Nobody saw the harbour.</b></div> <div class=narrow>Nobody saw the harbour.</div>",
            "Nobody saw the harbour.",
        ),
        (
            "<p class=wide>Nobody saw the harbour.</p><p class=narrow>Nobody saw the harbour.</p>",
            "Nobody saw the harbour.",
        ),
        ("<h2 class=wide>Rules</h2><h2 class=narrow>Rules</h2>", "Rules"),
        // Refrains, and short words that only look the same.
        (
            "<div class=a>Nobody saw the harbour.</div><div class=a>Nobody saw the harbour.</div>",
            "Nobody saw the harbour.\n\nNobody saw the harbour.",
        ),
        ("<div class=home>2</div><div class=away>2</div>", "2\n\n2"),
        (
            "<p><a href=/ann>Ann Lee<span aria-hidden=true>Ann Lee</span></a> spoke.",
            "Ann Lee spoke.",
        ),
        (
            "<p><span aria-hidden=true>O</span><span class=u>O</span>nce it rained.",
            "Once it rained.",
        ),
        (
            "<p><span aria-hidden=true>O</span><span class=sr-only>O</span>nce it rained.",
            "Once it rained.",
        ),
        (
            "<p><span class=sr-only>Once</span><span aria-hidden=true><i class=cap></i>Once</span> it rained.",
            "Once it rained.",
        ),
        ("<p><span aria-hidden=true>Once</span> it rained.", "Once it rained."),
        (
            "<p>The <span class=tip>mill<span class=tooltip-text>A place to grind corn.</span></span> closed.",
            "The mill closed.",
        ),
        (
            "<p>The mill closed...<span style='display:none'> and opened again.</span></p>",
            "The mill closed... and opened again.",
        ),
        (
            "<p>The mill<span style='display:none'> of the town</span> closed.</p>",
            "The mill closed.",
        ),
    ] {
        let [_, markdown, read] = forms(&format!("<p>First.</p>{html}</p><p>Last."));
        assert_eq!(read, format!("First.\n\n{text}\n\nLast."), "{html}");
        let markdown = markdown.replace("](https://news.example/ann)", "");
        let words =
            |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
        assert_eq!(words(&markdown), words(&read), "{html}");
    }
}

#[test]
fn controls_do_not_end_sentences() {
    let switch = "<p>It stood there.<label for=s></label><input type=checkbox id=s> And fell.";
    assert_eq!(forms(switch)[2], "It stood there. And fell.");
    assert_eq!(
        forms("<p>Choose <select><option>one</select> or <input type=text> now.")[2],
        "Choose or now."
    );
    let boxes = "<div><label><input type=radio>One way</label><label><input type=radio>Another</label></div>";
    assert_eq!(forms(boxes)[2], "One way\n\nAnother");
}

#[test]
fn signs_of_notes_belong_to_their_links() {
    for (html, mark, text) in [
        (
            "<p>It fell.<sup>[<a id=r href=#n>1</a>]</sup></p><div id=n><a href=#r>1</a>. Seen at home.</div>",
            "[1]",
            "Seen at home.",
        ),
        (
            "<p>It fell.<a id=r href=#n>[1]</a></p><ol><li id=n><p>^ <a href=#r>a</a>, <a href=#r>b</a> \u{201c}Seen\u{201d} at home.</p></ol>",
            "[1]",
            "\u{201c}Seen\u{201d} at home.",
        ),
        (
            "<p>It fell.<a id=r href=#n>1</a></p><p id=n><a href=#r>1</a>) Seen at home.</p>",
            "1",
            "Seen at home.",
        ),
        (
            "<p>It fell.<a id=r href=#n>1</a></p><aside id=n><b>[<a href=#r>1</a>]</b> Seen at home.</aside>",
            "1",
            "Seen at home.",
        ),
    ] {
        let [_, markdown, read] = forms(html);
        assert_eq!(read, format!("It fell.[^1]\n\n[^1]: {text}"), "{html}");
        assert_eq!(markdown, read);
        let base = Url::parse("https://news.example/a/b").unwrap();
        let document = parse(&format!("<!doctype html><body>{html}"));
        let note = region_of(&document, &[0], &[], &base).unwrap().footnotes().swap_remove(0);
        assert_eq!((&*note.label, &*note.text), (mark, text), "{html}");
    }
}

#[test]
fn formulas_of_pages_that_show_tex() {
    let page = |html: &str| {
        let base = Url::parse("https://news.example/a/b").unwrap();
        let document =
            parse(&format!("<!doctype html><script src=/mathjax.js></script><body>{html}"));
        let is_paragraph = |id: &u32| document.name(*id).is_some_and(|name| **name == *"p");
        let keep: Vec<u32> = document.ids().filter(is_paragraph).collect();
        region_of(&document, &keep, &[], &base).unwrap().text()
    };
    for (html, text) in [
        ("<p>Let $x_1$ be $5 and $10 or $a$.</p>", "Let $x_1$ be $5 and $10 or $a$."),
        (
            "<p>So \\begin{align*} a &amp;= b \\end{align*}</p>",
            "So\n\n$$\\begin{align*} a &= b \\end{align*}$$",
        ),
        (
            "<p>So</p><div class=stem><div>Equation 1</div><div>\\[x^2\\]</div></div><p>is.</p>",
            "So\n\n$$x^2$$\n\nis.",
        ),
        ("<p>So</p><div>$$x^2$$</div><p>is.</p>", "So\n\n$$x^2$$\n\nis."),
    ] {
        assert_eq!(page(html), text, "{html}");
    }
    for src in [
        "https://tex.example/latex?\\frac{a}{b}%2B1",
        "/equation?tex=%5Cfrac%7Ba%7D%7Bb%7D%2B1",
        "/chart?cht=tx&chl=%5Cfrac%7Ba%7D%7Bb%7D%2B1",
    ] {
        assert_eq!(
            forms(&format!("<p>Let <img src='{src}'> be.</p>"))[2],
            "Let $\\frac{a}{b}+1$ be.",
            "{src}"
        );
    }
}

#[test]
fn quotations_have_their_sources() {
    for (html, text) in [
        (
            "<blockquote><p>It was.</p><footer>\u{2014} Ann Lee</footer></blockquote>",
            "It was.\n\n\u{2014} Ann Lee",
        ),
        (
            "<figure><blockquote><p>It was.</p></blockquote><figcaption>Ann Lee</figcaption></figure>",
            "It was.\n\nAnn Lee",
        ),
    ] {
        assert_eq!(
            text_of_paragraphs(&format!("<p>First.</p>{html}<p>Last.</p>")),
            format!("First.\n\n{text}\n\nLast.")
        );
    }
}

#[test]
fn readings_are_in_brackets() {
    for html in
        ["<ruby>東京<rt>とうきょう</rt></ruby>", "<ruby>東京<rp>(<rt>とうきょう<rp>)</ruby>"]
    {
        for form in forms(&format!("<p>In {html}.")) {
            let bare = form.replace("<p>", "").replace("</p>", "");
            let bare = ["ruby", "rp", "rt"].iter().fold(bare, |bare, name| {
                bare.replace(&format!("<{name}>"), "").replace(&format!("</{name}>"), "")
            });
            assert_eq!(bare, "In 東京(とうきょう).");
        }
    }
}

#[test]
fn paragraphs_are_paragraphs() {
    for (html, expected) in [
        (
            "<div>One<br><br>two<br>lines<br> <br/>three</div>",
            "<p>One</p><p>two<br>lines</p><p>three</p>",
        ),
        ("<p>One<br><br>two", "<p>One</p><p>two</p>"),
        ("<div><div><div><p>One</p></div><div>two</div></div></div>", "<p>One</p><p>two</p>"),
        (
            "<div>One<ul><li>two<li>three<br><br>four</ul></div>",
            "<p>One</p><ul><li>two</li><li><p>three</p><p>four</p></li></ul>",
        ),
        ("<p><b>One</b><b><i><br></i></b><b>two</b>", "<p><b>One</b><br><b>two</b></p>"),
        ("<p>Soft&shy;ly", "<p>Softly</p>"),
        (
            "<table><tr><td><b>Name</b><td><b>Age</b><tr><td>Ada<td>9<tr><td>Bo<td>8</table>",
            "<table><tbody><tr><th><b>Name</b></th><th><b>Age</b></th></tr><tr><td>Ada</td><td>9</td></tr><tr><td>Bo</td><td>8</td></tr></tbody></table>",
        ),
        ("<table><tr><td><p>One</p><td><p>two</p></table>", "<p>One</p><p>two</p>"),
        ("One<p>&nbsp;</p>two", "<p>One</p><p>two</p>"),
        (
            "<div style='white-space: pre-wrap'>One\nline\n\ntwo\n</div>",
            "<p>One<br>line</p><p>two</p>",
        ),
        ("<dl><dt>f(x)<a href=#f>\u{b6}</a><dd>One</dl>", "<dl><dt>f(x)</dt><dd>One</dd></dl>"),
        ("<p>One<br>&nbsp;<br>two", "<p>One</p><p>two</p>"),
        ("<ul><p>One</p> <p>&nbsp;</p> <p>two</p></ul>", "<ul><li><p>One</p><p>two</p></li></ul>"),
        (
            "<span style='color: red; display: block'>One</span><span style='display: block'>two</span>",
            "<p>One</p><p>two</p>",
        ),
        (
            "<table><tfoot><tr><td>3<td>4</tfoot><tr><td>1<td>2</table>",
            "<table><tbody><tr><td>1</td><td>2</td></tr></tbody><tfoot><tr><td>3</td><td>4</td></tr></tfoot></table>",
        ),
        ("<p>One <img src=/1f600.png class=emoji alt='\u{1f600}'> two", "<p>One \u{1f600} two</p>"),
    ] {
        assert_eq!(forms(html)[0], expected, "{html}");
    }
    assert_eq!(forms("<p>From <del>10</del><ins>20</ins> men.")[2], "From 10 20 men.");
    assert_eq!(forms("<p>From <del>10</del><ins>20</ins> men.")[1], "From ~~10~~ 20 men.");
}

#[test]
fn an_article_ends_before_the_next() {
    let long = "The harbour was closed for nine days, and the boats stayed out at sea. ".repeat(6);
    let article = |heading: &str, text: &str| {
        format!("<article class=a><h1>{heading}</h1><p>{text} {long}</article>")
    };
    let first = article("One", "First.");
    let next = article("<a href=/a/c>Two</a>", "Second.");
    let [html, markdown, text] = forms(&format!("<main>{first}{next}{next}</main>"));
    for form in [html, markdown, text] {
        assert!(form.contains("First.") && !form.contains("Second."), "{form}");
    }
    // The other one may be short and called something else, and its headline may not be kept.
    let paragraph = |words: &str| format!("<p>{words}</p>");
    let other = format!(
        "<article class=b><header><h1><a href=/a/c>Two</a></h1></header>{}</article>",
        paragraph(&long[..160])
    );
    let page = format!("<main><article><h1>One</h1>{}</article>{other}</main>", paragraph(&long));
    assert_eq!(text_of_paragraphs(&page), long.trim());
    // A list of articles has no first one, and posts link to themselves.
    let list =
        forms(&format!("<main>{next}{}</main>", article("<a href=/a/d>Three</a>", "Third.")));
    assert!(list[2].contains("Second.") && list[2].contains("Third."));
    let posts =
        forms(&format!("<main>{first}{}</main>", article("<a href=#p2>Re: One</a>", "Reply.")));
    assert!(posts[2].contains("Reply."));
}

#[test]
fn notes_in_one_paragraph_are_several_notes() {
    let base = Url::parse("https://news.example/a/b").unwrap();
    let text =
        "<p>Oak<a href=#n2><sup>2</sup></a> and elm<a href=#n1><sup>1</sup></a>.</p><p>End.</p>";
    let link = "<p>Oak<a href=#n1>1</a>.</p>";
    let dl = "<dl><dt id=n1><a href=#r1>1</a></dt><dd>Cut in May.</dd></dl>";
    let document = parse(&format!("<!doctype html><body>{link}{dl}"));
    let is = |id, name: &str| document.name(id).is_some_and(|own| &**own == name);
    let chosen: Vec<_> = document.ids().filter(|&id| is(id, "p") || is(id, "dd")).collect();
    let region = region_of(&document, &chosen, &[], &base).unwrap();
    assert_eq!(region.markdown(&base), "Oak[^1].\n\n[^1]: Cut in May.");
    let notes = [
        "<p id=n1>1. Cut in May.</p><p id=n2>2. Not in June.</p>",
        "<dl><dt id=n1>[1]</dt><dd>Cut in May.</dd><dt id=n2>[2]</dt><dd>Not in June.</dd></dl>",
        "<table><tr id=n1><td>1</td><td>Cut in May.</td></tr><tr><td><a id=n2>2</a></td><td>Not in June.</td></tr></table>",
        "<p><a name=n1></a>1 Cut in May.<br>\n<a name=n2></a>2 Not in June.</p>",
        "<div id=n1>1 Cut in May. <span id=n2>2 Not in June.</span></div>",
        "<p><sup id=n1>1</sup> Cut in May.<br><br><sup><a id=n2>2</a></sup> Not in June.</p>",
    ];
    for notes in notes {
        let document = parse(&format!("<!doctype html><body>{text}{notes}"));
        let region = region_of(&document, &[0], &[], &base).unwrap();
        let found: Vec<_> =
            region.footnotes().into_iter().map(|note| (note.label, note.text)).collect();
        let wanted = [("1", "Cut in May."), ("2", "Not in June.")];
        assert_eq!(
            found,
            wanted.map(|(label, text)| (label.to_owned(), text.to_owned())),
            "{notes}"
        );
        let end = "Oak[^2] and elm[^1].\n\nEnd.\n\n[^1]: Cut in May.\n\n[^2]: Not in June.";
        assert_eq!(region.markdown(&base), end, "{notes}");
        assert!(region.text().contains("[^2]: "), "{}", region.text());
        assert_eq!(region.html().matches("id=\"article-n").count(), 2, "{}", region.html());
    }
}

#[test]
fn numbers_that_not_all_notes_begin_with_are_no_labels() {
    let text = "<p>Oak<a href=#n1>1</a> and elm<a href=#n2>2</a>.</p>";
    let notes = "<p id=n1>1. May.</p><p id=n2>Not in June.</p>";
    let markdown = "Oak[^1] and elm[^2].\n\n[^1]: 1\\. May.\n\n[^2]: Not in June.";
    assert_eq!(forms(&format!("{text}{notes}"))[1], markdown);
}

#[test]
fn empty_lines_within_phrases_separate_paragraphs() {
    for (html, written) in [
        ("<p><b>One.<br><br>Two.</b> Three.</p>", "<p><b>One.</b></p><p><b>Two.</b> Three.</p>"),
        (
            "<p>A <i>b <b>c<br>\n<br>d</b></i><br></p>",
            "<p>A <i>b <b>c</b></i></p><p><i><b>d</b></i></p>",
        ),
        ("<p>End.<br><br> <br></p><p>x</p>", "<p>End.</p><p>x</p>"),
        ("<em>a<br><br>b</em>", "<p><em>a</em></p><p><em>b</em></p>"),
        (
            "<p>x</p><em>a<br><br>b<ul><li>c</ul></em>",
            "<p>x</p><p><em>a</em></p><em>b<ul><li>c</li></ul></em>",
        ),
    ] {
        assert_eq!(forms(html)[0], written, "{html}");
    }
}

#[test]
fn captions_have_no_labels() {
    let figure = |label: &str, text: &str| {
        format!(
            "<figure><img src=/{}.jpg width=600><figcaption>{label}{text}</figcaption></figure>",
            text.len()
        )
    };
    let captions = |html: &str| -> Vec<String> {
        let base = Url::parse("https://news.example/a/b").unwrap();
        let document =
            parse(&format!("<!doctype html><body><p>Before it all.</p>{html}<p>After it all.</p>"));
        let region = region_of(&document, &[0], &[], &base).unwrap();
        region.images().0.into_iter().filter_map(|image| image.caption).collect()
    };
    let hidden = "<span class=visually-hidden>Podpis zdjęcia, </span>";
    assert_eq!(
        captions(&figure(hidden, "The bridge over the river")),
        ["The bridge over the river"]
    );
    let style = "<span style='position:absolute;clip:rect(0,0,0,0)'>Podpis</span> ";
    assert_eq!(
        captions(&figure(style, "The bridge over the river")),
        ["The bridge over the river"]
    );
    let both = |label: &str| {
        captions(
            &(figure(label, "The bridge in May")
                + "<p>Words.</p>"
                + &figure(label, "The old bridge, closed")),
        )
    };
    assert_eq!(both("<b class=x1>Podpis</b> "), ["The bridge in May", "The old bridge, closed"]);
    assert_eq!(both("Anna: ").len(), 2);
    assert_eq!(
        captions(&figure("<b>Anna Lee</b> ", "mends the bridge"))[0],
        "Anna Lee mends the bridge"
    );
}

#[test]
fn credits_behind_pictures_are_theirs() {
    let base = Url::parse("https://news.example/a/b").unwrap();
    let of = |html: &str| {
        let document =
            parse(&format!("<!doctype html><body><p>Before it all.</p>{html}<p>After it all.</p>"));
        let region = region_of(&document, &[0], &[], &base).unwrap();
        let image = region.images().0.swap_remove(0);
        (image.caption, image.credit, region.text())
    };
    let picture = "<img src=/a.jpg width=600 height=400>";
    for credit in [
        "Foto: Ann van Lee", "\u{a9} 2024 Ann Lee", "Ann Lee/Agency",
        "(Photo by: Ann Lee / Agency)", "Photo by Ann Lee on Agency", "Bild von Ann Lee",
    ] {
        for before in [format!("<figure>{picture}</figure>"), format!("<p>{picture}</p>")] {
            let (caption, found, text) = of(&format!("{before}<p><em>{credit}</em></p>"));
            assert_eq!((caption, found.as_deref()), (None, Some(credit)), "{before}");
            assert_eq!(text, "Before it all.\n\nAfter it all.", "{before}");
        }
    }
    let (caption, credit, _) = of(&format!(
        "<figure>{picture}<figcaption>The bridge</figcaption></figure><p>Photo: Ann Lee</p>"
    ));
    assert_eq!(
        (caption.as_deref(), credit.as_deref()),
        (Some("The bridge"), Some("Photo: Ann Lee"))
    );
    // What a class says, also where an engine left it out.
    for html in [
        format!(
            "<div class=media><div>{picture}</div><div class=media-caption>The bridge</div><div class=media-credit>Ann Lee for all</div></div>"
        ),
        format!(
            "<figure>{picture}<figcaption>The bridge</figcaption></figure><p class=credit>Ann Lee for all</p>"
        ),
        format!(
            "<div>{picture}</div><p class=caption>The bridge</p><p class=photographer>Ann Lee for all</p>"
        ),
        format!(
            "<p>{picture}</p><p class=caption>The bridge</p><div class=copyright>Ann Lee for all</div>"
        ),
        format!(
            "<figure>{picture}<figcaption>The bridge<p class=credit>Ann Lee for all</p></figcaption></figure>"
        ),
        format!(
            "<figure>{picture}<p class=credit>Ann Lee for all</p><figcaption>The bridge</figcaption></figure>"
        ),
    ] {
        let page = format!("<!doctype html><body><p>Before it all.</p>{html}<p>After it all.</p>");
        let document = parse(&page);
        let is_own = |id: &u32| {
            document.text_content(*id).ends_with("it all.") && document.text(*id).is_some()
        };
        let keep: Vec<u32> = document.ids().filter(is_own).collect();
        let region = region_of(&document, &keep, &[], &base).unwrap();
        let image = region.images().0.swap_remove(0);
        assert_eq!(image.caption.as_deref(), Some("The bridge"), "{html}");
        assert_eq!(image.credit.as_deref(), Some("Ann Lee for all"), "{html}");
        assert_eq!(region.text(), "Before it all.\n\nAfter it all.");
        assert_eq!(region.html().matches("<figure>").count(), 1);
    }
    let (caption, credit, text) =
        of(&format!("<p>{picture}</p><p><em>The bridge.</em></p><p><em>Then he left.</em></p>"));
    assert_eq!((caption.as_deref(), credit), (Some("The bridge."), None));
    assert_eq!(text, "Before it all.\n\nThe bridge.\n\nThen he left.\n\nAfter it all.");
    for text in [
        "Photo: the bridge was closed", "Ann Lee came home.", "Breakfast: Eggs",
        "Cooking / On Sale", "1/12", "He said and/or wrote much", "Photo of the Bridge",
        "Photos by us all",
    ] {
        assert!(of(&format!("<p>{picture}</p><p>{text}</p>")).2.contains(text), "{text}");
    }
}

#[test]
fn alternative_texts_that_name_files_are_none() {
    let alts = |pictures: &[(&str, &str)]| -> Vec<Option<String>> {
        let base = Url::parse("https://news.example/a/b").unwrap();
        let each = pictures.iter().map(|(source, alt)| {
            format!("<p><img src='{source}' alt='{alt}' width=600></p><p>Words.</p>")
        });
        let document =
            parse(&format!("<!doctype html><body><p>Before.</p>{}", each.collect::<String>()));
        let region = region_of(&document, &[0], &[], &base).unwrap();
        region.images().0.into_iter().map(|image| image.alt).collect()
    };
    assert_eq!(
        alts(&[("/x/DSC_0012.jpg", "DSC 0012"), ("/a.png", "holiday.PNG"), ("/b.jpg", "bridge-2")]),
        [None, None, Some("bridge-2".to_owned())]
    );
    assert_eq!(
        alts(&[("/1.jpg", "Placeholder image-1"), ("/2.jpg", "Placeholder image-2")]),
        [None, None]
    );
    assert_eq!(
        alts(&[
            ("/1.jpg", "The bridge over the river in May"),
            ("/2.jpg", "The bridge over the river in May")
        ]),
        [None, None]
    );
    let good = "The old bridge";
    assert_eq!(
        alts(&[("/the-old-bridge.jpg", good), ("/2.jpg", "COVID-19")]),
        [Some(good.to_owned()), Some("COVID-19".to_owned())]
    );
}

#[test]
fn posts_of_a_thread_are_apart() {
    let base = Url::parse("https://news.example/a/b").unwrap();
    for (open, close) in [("<div class=q>", "</div>"), ("<li>", "</li>")] {
        let html = format!(
            "<!doctype html><body><p>How?</p>{open}<p>So.</p>{close}{open}Or <b>so</b>.{close}"
        );
        let document = parse(&html);
        let name = &open[1..open.len().min(4)];
        let entries: Vec<_> = document
            .ids()
            .filter(|&id| document.name(id).is_some_and(|own| **own == *name.trim_end_matches('>')))
            .collect();
        let start = |(node, byline): (&u32, &str)| PostStart { node: *node, byline: byline.into() };
        let posts: Vec<PostStart> =
            entries.iter().zip(["Bob, 2024-03-01", ""]).map(start).collect();
        assert_eq!(posts.len(), 2);
        let region = ChosenArticle::of(&document, &[0], &[], &[], &base).unwrap().region(&posts);
        assert_eq!(region.text(), region_of(&document, &[0], &[], &base).unwrap().text());
        let markdown = region.markdown(&base);
        if open == "<li>" {
            assert!(markdown.contains("**Bob, 2024-03-01**"), "{markdown}");
            continue;
        }
        assert_eq!(markdown, "How?\n\n___\n\n**Bob, 2024-03-01**\n\nSo.\n\n___\n\nOr **so**.");
        let wanted = "<p>How?</p><hr><p><strong>Bob, 2024-03-01</strong></p><p>So.</p><hr><p>Or <b>so</b>.</p>";
        assert_eq!(region.html(), wanted);
    }
}

#[test]
fn notes_that_lead_back_are_footnotes() {
    let forms_of = |mark: &str, note: &str| forms(&format!("<p>Oak{mark} and elm.</p>{note}"));
    let named = "<a id=r1 href=#n1>1</a>";
    let back = "<a href=#r1>";
    for (mark, note) in [
        (
            named,
            format!(
                "<aside><aside id=n1><span>[{back}1</a>]</span><p>Cut in <i>May</i>.</p><p>Dry.</p></aside></aside>"
            ),
        ),
        (
            "<a id=r1 href=#n1><i>[</i>1<i>]</i></a>",
            format!(
                "<div id=n1><b>[1]</b> <i>({back}1</a>, {back}2</a>)</i><p>Cut in <i>May</i>.</p><p>Dry.</p></div>"
            ),
        ),
        (
            named,
            format!(
                "<dl><dt id=n1><span>{back}1</a></span></dt><dd><p>Cut in <i>May</i>.</p><p>Dry.</p></dd></dl>"
            ),
        ),
        (
            "<a id=r1 href=#n1>[1]</a>",
            format!(
                "<table id=n1><tr><td>{back}[1]</a></td><td><p>Cut in <i>May</i>.</p><p>Dry.</p></td></tr></table>"
            ),
        ),
        (
            "<sup id=r1><a href=#n1>1</a></sup>",
            format!(
                "<ol><li id=n1><p>Cut in <i>May</i>.</p><p>Dry. {back}\u{21a9}</a></p></li></ol>"
            ),
        ),
        (
            "<i id=r1></i><a href=#n1><sup>1</sup></a>",
            format!(
                "<section id=n1><p>Cut in <i>May</i>.</p><p>Dry. {back}Back up</a></p></section>"
            ),
        ),
    ] {
        let [html, markdown, text] = forms_of(mark, &note);
        let end = ".\n\n[^1]: Cut in *May*.\n\n    Dry.";
        assert_eq!(markdown, format!("Oak[^1] and elm{end}"), "{note}");
        assert_eq!(text, "Oak[^1] and elm.\n\n[^1]: Cut in May.\n\nDry.", "{note}");
        for part in [
            "href=\"#article-n1\"", "id=\"article-n1\"", "href=\"#article-r1\"",
            "Cut in <i>May</i>",
        ] {
            assert_eq!(
                html.matches(part).count(),
                if part.contains("r1") { note.matches("#r1").count() } else { 1 },
                "{part} in {html}"
            );
        }
    }
    // A second link to a note, with a label of its own.
    let twice = forms(
        "<p>Oak<sup><a id=r1 href=#n1>1</a></sup>, elm<sup><a id=r2 href=#n1>1:2</a></sup>.<ol><li id=n1>Cut. <a href=#r1>\u{21a9}</a> <a href=#r2>\u{21a9}</a></ol>",
    );
    assert_eq!(twice[1], "Oak[^1], elm[^1].\n\n[^1]: Cut.");
    // What does not lead back is no note, and other links of a note stay in it.
    let section = forms(
        "<p>See <a id=r1 href=#s1>2</a>.</p><section id=s1><h2>Oak</h2><p>Cut in May.</p></section>",
    );
    assert_eq!(section[1], "See 2.\n\n## Oak\n\nCut in May.");
    let other = forms(
        "<p id=p1>Oak<a id=r1 href=#n1>1</a>.</p><p id=p2>Elm.</p><ol><li id=n1>Not <a href=#p2>the elm</a>. <a href=#r1>Up</a></ol>",
    );
    assert_eq!(other[1], "Oak[^1].\n\nElm.\n\n[^1]: Not the elm.");
}

#[test]
fn tasks_have_their_ticks() {
    for html in [
        "<ul><li><input type=checkbox checked disabled> Sown<li><input type=checkbox disabled> Cut <b>dry</b><li>Sold</ul>",
        "<ul><li><label><input type=Checkbox checked>Sown</label><li><label><input type=checkbox>Cut <b>dry</b></label><li>Sold</ul>",
        "<ul><li><i role=checkbox aria-checked=true></i> Sown<li><i role=checkbox aria-checked=false></i> Cut <b>dry</b><li>Sold</ul>",
        "<ul><li>\u{2611} Sown<li>\u{2610} Cut <b>dry</b><li>Sold</ul>",
    ] {
        let [written, markdown, text] = forms(html);
        assert_eq!(markdown, "- [x] Sown\n- [ ] Cut **dry**\n- Sold", "{html}");
        assert_eq!(text, "\u{2611} Sown\n\u{2610} Cut dry\nSold", "{html}");
        assert_eq!(written.matches("<li>\u{2611} ").count(), 1, "{written}");
    }
    // Boxes that open folders, and those elsewhere.
    for html in [
        "<ul><li><input type=checkbox id=f><label for=f>Sown</label></ul>",
        "<ul><li>Sown <input type=checkbox></ul>",
        "<p><input type=checkbox> Sown</p>",
    ] {
        assert!(forms(html)[2] == "Sown" && forms(html)[1].ends_with("Sown"), "{html}");
    }
}

#[test]
fn tex_in_texts_is_read_where_the_page_shows_it() {
    let text = "<p>Let \\(x_1 < 2\\) and\n\\[ y\n= 3 \\] or $$z_1$$ be, not \\(w <code>\\(v_1\\)</code>.</p>";
    for head in [
        "<script src=https://cdn.example/npm/mathjax@3/es5/tex-chtml.js></script>",
        "<script type=text/x-mathjax-config>x</script>",
        "<link rel=stylesheet href=/static/KaTeX.min.css>",
    ] {
        let [html, markdown, read] = forms(&format!("{head}{text}"));
        assert_eq!(
            markdown,
            "Let $x_1 < 2$ and\n\n$$y = 3$$\n\nor\n\n$$z_1$$\n\nbe, not \\\\(w `\\(v_1\\)`.",
            "{head}"
        );
        assert_eq!(
            read,
            "Let $x_1 < 2$ and\n\n$$y = 3$$\n\nor\n\n$$z_1$$\n\nbe, not \\(w \\(v_1\\)."
        );
        assert_eq!(html.matches("<math").count(), 3, "{html}");
    }
    let [html, _, read] = forms(&format!("<script src=/tex.js></script>{text}"));
    assert!(read.contains("\\(x_1 < 2\\)") && !html.contains("<math"), "{html}");
}

#[test]
fn what_several_captions_end_with_is_a_credit() {
    let base = Url::parse("https://news.example/a/b").unwrap();
    let of = |html: &str| {
        let document =
            parse(&format!("<!doctype html><body><p>Before it all.</p>{html}<p>After it all.</p>"));
        let region = region_of(&document, &[0], &[], &base).unwrap();
        let each = region.images().0.into_iter().map(|image| (image.caption, image.credit));
        each.collect::<Vec<_>>()
    };
    let credit = Some("Ann van Lee".to_owned());
    let caption = |number: u32, text: &str| {
        format!("<figure><img src=/{number}.jpg width=600><figcaption>{text}</figcaption></figure>")
    };
    let images = of(&(caption(1, "The bridge in May. <span>Ann van Lee</span>")
        + &caption(2, "<p>The old bridge</p><p>Ann van Lee</p>")));
    let captions = ["The bridge in May.", "The old bridge"].map(|own| Some(own.to_owned()));
    assert_eq!(images, captions.map(|caption| (caption, credit.clone())));
    let different =
        of(&(caption(1, "The bridge. <b>Ann Lee</b>") + &caption(2, "The bridge. <b>Bo Lee</b>")));
    assert!(different.iter().all(|image| image.1.is_none()));
}
