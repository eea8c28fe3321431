//! What readers see of code, formulas, hidden texts and paragraphs, in HTML, Markdown and text alike.

use dom::parse;
use sitegrove_region::region_of;
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
    let rows: String = (lines.lines().enumerate())
        .map(|(at, line)| format!("<div><span>{}</span><div>{line}</div></div>", at + 1))
        .collect();
    check_code(&format!("<pre>{rows}</pre>"), "", lines);
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
fn numbers_and_code_in_sentences_stay() {
    check_code(
        "<pre><b>3</b> apples\n<b>4</b> pears\n<b>9</b> plums</pre>",
        "",
        "3 apples\n4 pears\n9 plums",
    );
    check_code("<pre>1\n2\n3</pre>", "", "1\n2\n3");
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
    // A list of articles has no first one, and posts link to themselves.
    let list =
        forms(&format!("<main>{next}{}</main>", article("<a href=/a/d>Three</a>", "Third.")));
    assert!(list[2].contains("Second.") && list[2].contains("Third."));
    let posts =
        forms(&format!("<main>{first}{}</main>", article("<a href=#p2>Re: One</a>", "Reply.")));
    assert!(posts[2].contains("Reply."));
}
