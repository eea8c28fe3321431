//! What the HTML of an article keeps, on a page that has everything.

use crate::common::program::{call, in_repository, parts};
use crate::common::results::{parse, text};
use serde_json::{Value, json};

fn article(engine: &str) -> Value {
    let page = in_repository("data/structure/tide-mill.html");
    let page = page.to_string_lossy();
    let (code, stdout, stderr) =
        parts(&call(&["extract", "--engine", engine, "--format", "json", &page]));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    parse(stdout.trim())
}

/// Whether white space apart the HTML has each of these pieces, in this order.
fn assert_has(html: &str, pieces: &[&str]) {
    let html = html.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = &*html;
    for piece in pieces {
        let at = rest.find(piece).unwrap_or_else(|| panic!("no {piece} in the rest of\n{html}"));
        rest = &rest[at + piece.len()..];
    }
}

#[test]
fn a_page_loses_nothing() {
    let article = article("grove");
    let html = text(&article, "html");
    assert_has(
        html,
        &[
            "<figure><img src=\"https://coastal-notes.example/img/mill-1600.webp\"",
            "alt=\"The mill at low water\" width=\"800\" height=\"533\">",
            "<figcaption>The mill at low water, before the new wheel. <span>Photo: Ida Brandt</span></figcaption></figure>",
            "<sup><a href=\"#article-fn1\" id=\"article-ref1\">1</a></sup>",
            "<h2>What had to be done first</h2>",
            "<ol start=\"2\"><li>clear the pond",
            "<li>rebuild the sluice",
            "<ul><li>its frame,</li><li>its gate,</li></ul></li>",
            "<li>hang the gate.</li></ol>",
            "<img src=\"https://coastal-notes.example/img/pond.jpg\" alt=\"The pond, empty\">",
            "<figure><img src=\"https://coastal-notes.example/img/sluice.jpg\" alt=\"The sluice\">",
            "<figcaption>The sluice, shut for the first time.</figcaption></figure>",
            "<table><caption>Level of the pond at dawn</caption><thead><tr><th scope=\"col\">Day</th>",
            "<tbody><tr><td>1</td><td>2.40 m</td><td>0.10 m</td></tr>",
            "<math display=\"inline\"><semantics><mrow><mi>h</mi><mo>=</mo><mfrac>",
            "<pre class=\"language-python\"><code>def loss(level, gap):",
            "<blockquote data-embed=\"post\" data-address=\"https://twitter.com/saltreach/status/1101\"><p>A wheel",
            "<p data-embed=\"video\"><a href=\"https://www.youtube.com/watch?v=Mill0001\">The first day of the mill</a></p>",
            "<video src=\"https://coastal-notes.example/media/gears.mp4\" controls=\"\" poster=\"https://coastal-notes.example/img/gears.jpg\"></video>",
            "<audio src=\"https://coastal-notes.example/media/wheel.mp3\" controls=\"\"></audio>",
            "<dl><dt>Spring</dt><dd>A tide of the full",
            "<details><summary>What it cost</summary><p>The oak was a gift.",
            "<li id=\"article-fn1\">The baker of Saltreach",
            "<a href=\"#article-ref1\">back</a></li></ol>",
        ],
    );
    for foreign in ["logo.png", "windmill.jpg", "lock.jpg", "Related", "iframe", "data:image"] {
        assert!(!html.contains(foreign), "{foreign} in {html}");
    }
}

#[test]
fn the_record_lists_what_it_holds() {
    let article = article("grove");
    let at = |path: &str| format!("https://coastal-notes.example{path}");
    assert_eq!(
        article["images"],
        json!([
            {
                "url": at("/img/mill-1600.webp"), "caption": "The mill at low water, before the new wheel.",
                "alt": "The mill at low water", "credit": "Photo: Ida Brandt", "width": 800, "height": 533,
            },
            {"url": at("/img/pond.jpg"), "alt": "The pond, empty"},
            {"url": at("/img/sluice.jpg"), "caption": "The sluice, shut for the first time.", "alt": "The sluice"},
        ])
    );
    assert_eq!(
        article["tables"],
        json!([{
            "caption": "Level of the pond at dawn", "header_rows": 1,
            "rows": [["Day", "Level", "Loss"], ["1", "2.40 m", "0.10 m"], ["8", "2.38 m", "0.02 m"], ["30", "2.40 m", "none"]],
        }])
    );
    assert_eq!(
        article["embeds"],
        json!([
            {"kind": "post", "url": "https://twitter.com/saltreach/status/1101"},
            {"kind": "video", "url": "https://www.youtube.com/watch?v=Mill0001", "title": "The first day of the mill"},
            {"kind": "video", "url": at("/media/gears.mp4")},
            {"kind": "audio", "url": at("/media/wheel.mp3")},
        ])
    );
    assert_eq!(
        article["footnotes"],
        json!([{"id": "article-fn1", "label": "1", "text": "The baker of Saltreach keeps the first sack in her window."}])
    );
}

#[test]
fn a_quoted_post_gives_no_metadata() {
    let article = article("grove");
    assert_eq!(article["published"], Value::Null, "{}", article["sources"]);
    assert_eq!(article["authors"], json!(["Maren Holloway"]));
}

#[test]
fn every_engine_keeps_structure() {
    for engine in ["forest", "euclid", "blocks"] {
        let article = article(engine);
        let html = text(&article, "html");
        assert_has(
            html,
            &["<ol start=\"2\"><li>", "<table><caption>", "language-python", "<dl><dt>Spring</dt>"],
        );
    }
}
