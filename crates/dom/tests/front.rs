//! The fast tokenizer gives the same tree as html5ever's own, for any page.
//!
//! All inputs of html5lib's tokenizer and tree-construction tests are compared too, by a test that
//! is ignored by default and fails if `HTML5LIB_TESTS` does not name a checkout of html5lib-tests.

#![allow(clippy::print_stdout)]

#[path = "support/dat.rs"]
mod dat;

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use sitegrove_dom::{Keep, ParseOptions, parse_by_html5ever, parse_with};

/// Compares both trees of a page.
fn compare(html: &str) {
    for keep in [Keep::Scripts, Keep::Everything, Keep::Content] {
        let config = ParseOptions { keep, ..ParseOptions::CONTENT };
        let fast = parse_with(html, &config);
        let slow = parse_by_html5ever(html, &config);
        assert!(slow.notes().by_html5ever);
        assert_eq!(fast.notes().by_html5ever, html.contains('\0'));
        assert!(fast.same_tree(&slow), "{html:?}\nfast: {fast:#?}\nslow: {slow:#?}");
    }
}

#[test]
fn odd_constructs() {
    let tags = [
        "<",
        "</",
        "<!",
        "<?",
        "<p",
        "<p ",
        "<p a",
        "<p a=",
        "<p a='",
        "<p a='b",
        "<p a=b",
        "<p/",
        "<p/ >x",
        "<p / a>x",
        "<p a/b>x",
        "<p =>x",
        "<p ==b>x",
        "<p a==b>x",
        "<p a = b>x",
        "<p a=>x",
        "<p a='b'c>x",
        "<p a=\"b\"/>x",
        "<p a=b/>x",
        "<P ID=X iD=y>x",
        "<p a a a=b>x",
        "<p a<b='c'>x",
        "<p \"'=1>x",
        "<p a=b&amp;c&ampd&amp=e>x",
        "<p a='&lt;&ltx&lt=&notit;&#x41&#65;&#0;&#xd800;'>x",
        "</p>x",
        "</p a=b>x",
        "</>x",
        "</ p>x",
        "</3>x",
        "<3>x",
        "<é>x",
        "<pé>x",
        "a<b<c>d",
        "a < b > c",
        "<a\x0cb\tc\nd>x",
        "<br/>x<br / >y",
        "<!-->x",
        "<!--->x",
        "<!---->x",
        "<!--a-->x",
        "<!--a--!>x",
        "<!--a--",
        "<!--a-",
        "<!--",
        "<!-",
        "<!--a--->x",
        "<!--a--b-->x",
        "<!--a--!b-->x",
        "<!--a--!-->x",
        "<!--<!-->x",
        "<!--<!--->x",
        "<!-- <!-- -->x-->y",
        "<!--!>x-->y",
        "<!---!>x-->y",
        "<!----!>x",
        "<!x>y",
        "<!x",
        "<?x>y",
        "<?xml version='1.0'?>x",
        "<!doctype>x",
        "<!DocType HTML>x",
        "<!doctype html public \"-//W3C//DTD HTML 3.2//EN\">x<p><table>",
        "<!doctype",
        "<!doctype html",
        "<!doctype html SYSTEM '>'>x",
        "<p>a<!doctype html>b",
        "<![CDATA[a]]>b",
        "<svg><![CDATA[a<b>&amp;]]>c",
        "<svg><![CDATA[a]]",
        "<svg><![CDATA[",
        "<svg><p><![CDATA[a]]>b",
        "<math><mi><![CDATA[a]]>b",
        "&",
        "&amp",
        "&amp;",
        "&ampx",
        "&ltx",
        "&lt<b>",
        "&notit;",
        "&notin;",
        "&#",
        "&#x",
        "&#;",
        "&#x;",
        "&#65",
        "&#x80;",
        "&#x110000;",
        "&#xd800;",
        "&#13;",
        "&#1;",
        "&#xfdd0;",
        "&#99999999999999;",
        "&CounterClockwiseContourIntegral;",
        "&a",
        "&;",
        "a&b",
        "&\u{e9};",
        "&nbsp;&nbsp",
        "&am<p>p;",
        "\r\na\rb\n\rc",
        "<pre>\r\n\r\nx",
        "<pre>\n&#10;x",
        "<textarea>\r\nx</textarea>",
        "\u{feff}x",
        "<script></script>\u{feff}x",
        "\u{feff}\u{feff}x",
        "a\u{feff}b",
        "<p a='\r\n'>x",
        "<table>a<tr>b</table>c",
        "<table> <td>a",
        "<table><table><td>a</table>b</table>c",
        "<table><tr><table><td>a<table><tbody><table>b</table>c</table>d",
        "<td><template><tr><table><td>a</template>b",
        "<table><caption>a<table><caption>b<table><col><table>c",
        "<a><p></a>b",
    ];
    let raws = [
        "<title>a<b>&amp;</title >b",
        "<title>a</titl></title/>b",
        "<title>a</TITLE\n>b",
        "<title>a</title",
        "<title>a</title x='>'>b",
        "<title>a</title x",
        "<textarea></textarea>b",
        "<textarea>a</textareab></textarea>c",
        "<style>a<b>&amp;</style>b",
        "<style></sty</style>b",
        "<xmp><p></xmp>b",
        "<iframe><p></iframe>b",
        "<noembed><p></noembed>b",
        "<noframes><p></noframes>b",
        "<noscript><p></noscript>b",
        "<plaintext>a</plaintext>b<p>",
        "<script>a</script>b",
        "<script>a</script",
        "<script>a<b></script >c",
        "<script><!--a</script>b",
        "<script><!--a--></script>b",
        "<script><!--<script>a</script>b--></script>c",
        "<script><!--<script>a</script></script>c",
        "<script><!--<script>a-->b</script>c",
        "<script><!--></script>b",
        "<script><!---></script>b",
        "<script><!-a</script>b",
        "<script><!--<script </script>a</script>b",
        "<script><!--<scriptx></script>b",
        "<script><!--</scriptx></script>b",
        "<script><!--<script/>a</script/>b</script>c",
        "<script><!--<script>a</script b</script>c",
        "<script><!--<script>",
        "<script><!--",
        "<script><!--a--",
        "<script><!--<SCRIPT>a</Script>b</script>c",
        "<script><!--a-->b<!--c</script>d",
        "<script>a<!--b<script>c<!--d</script>e</script>f",
        "<script><!--<script-->a</script>b",
        "<script><!--<script>--!></script>a--></script>b",
        "<script type=application/ld+json>{\"a\":\"&amp;\"}</script>",
        "<svg><script>a<b></script>c",
        "<svg><title>a<b></title>c",
        "<svg><style>a<b></style>c",
        "<title/>a</title>b",
        "<select><title>a</select>b</title>c",
        "<template><title>a</title></template>b",
        "<frameset><noframes>a</noframes>b",
        "<listing>\nx",
        "<textarea>\n\nx",
        "<script></script><script></script>a",
    ];
    for html in tags.iter().chain(&raws) {
        compare(html);
        compare(&format!("<!doctype html><div>{html}"));
        compare(&format!("x{html}<p>y</div>z-->\"'>w</title></script></textarea>v"));
    }
}

/// Parts of markup, and fragments that break it.
const PIECES: &[&str] = &[
    "<",
    ">",
    "/",
    "=",
    "'",
    "\"",
    "!",
    "-",
    "--",
    "-->",
    "--!>",
    "<!--",
    "<!-",
    "?",
    "&",
    "&amp;",
    "&lt",
    "&not",
    "in;",
    "&#",
    "x41",
    ";",
    "&nbsp;",
    "]]>",
    "<![CDATA[",
    "<!doctype html>",
    "<!DOCTYPE ",
    "\r",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\x0c",
    "a",
    "B",
    "é",
    "\u{feff}",
    "p",
    "<p>",
    "</p>",
    "<p ",
    "<div",
    "<div>",
    "</div>",
    "<script",
    "<script>",
    "</script",
    "</script>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea",
    "<style>",
    "</style>",
    "<svg>",
    "</svg>",
    "<math>",
    "<mi>",
    "<table>",
    "<td>",
    "<select>",
    "<option>",
    "<pre>",
    "<a href=",
    "id=",
    "class='a b'",
    "ID",
    "/>",
    "<br/>",
    "<plaintext>",
    "<noscript>",
    "<iframe>",
    "</iframe>",
    "<xmp>",
    "<template>",
    "</template>",
    "<frameset>",
    "<noframes>",
    "<body a=b>",
    "<html c=d>",
    "<foreignObject>",
    "<annotation-xml encoding=text/html>",
    "<b>",
    "<i>",
    "</b>",
];

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        9 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => ".{0,3}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Whole tags, of the kinds that tree construction has rules for.
const TAGS: &[&str] = &[
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<ul>",
    "</ul>",
    "<ol>",
    "<li>",
    "</li>",
    "<dl>",
    "<dd>",
    "<dt>",
    "</dd>",
    "<a href=x>",
    "<a>",
    "</a>",
    "<b>",
    "</b>",
    "<b id=x>",
    "<i>",
    "</i>",
    "<em>",
    "</em>",
    "<font color=x>",
    "</font>",
    "<nobr>",
    "</nobr>",
    "<span>",
    "</span>",
    "<h1>",
    "</h1>",
    "<h2>",
    "</h2>",
    "<pre>",
    "</pre>",
    "\n",
    " ",
    "x",
    "yz",
    "<br>",
    "</br>",
    "<hr>",
    "<img src=x>",
    "<input>",
    "<input type=hidden>",
    "<button>",
    "</button>",
    "<form>",
    "</form>",
    "<table>",
    "</table>",
    "<tr>",
    "</tr>",
    "<td>",
    "</td>",
    "<th>",
    "</th>",
    "<tbody>",
    "</tbody>",
    "<thead>",
    "<tfoot>",
    "<caption>",
    "</caption>",
    "<colgroup>",
    "</colgroup>",
    "<col>",
    "<select>",
    "</select>",
    "<option>",
    "</option>",
    "<optgroup>",
    "<object>",
    "</object>",
    "<param>",
    "<marquee>",
    "<noscript>",
    "</noscript>",
    "<ruby>",
    "</ruby>",
    "<rb>",
    "<rt>",
    "<rp>",
    "<rtc>",
    "<svg>",
    "</svg>",
    "<path d=x>",
    "<path/>",
    "</path>",
    "<svg><g></g><title>x</title></svg>",
    "<math>",
    "<template>",
    "</template>",
    "<iframe>x</iframe>",
    "<textarea>x</textarea>",
    "<title>x</title>",
    "<style>x</style>",
    "<script>x</script>",
    "<meta name=a content=b>",
    "<link rel=a href=b>",
    "<base href=x>",
    "<head>",
    "</head>",
    "<body>",
    "<body class=x>",
    "</body>",
    "<html lang=x>",
    "</html>",
    "<!--x-->",
    "<!doctype html>",
    "<!doctype html public x>",
    "<section>",
    "</section>",
    "<address>",
    "<dialog>",
    "<embed>",
    "<noembed>x</noembed>",
    "<main>",
    "<x-y>",
    "</x-y>",
    "&#13;",
    "&amp;",
    "<script type=application/ld+json>{}</script>",
    "<listing>",
];

fn tags() -> impl Strategy<Value = String> {
    // Few different ones at a time, so that they meet each other.
    prop::sample::subsequence(TAGS, 1..12).prop_flat_map(|few| {
        let tag = prop_oneof![3 => prop::sample::select(few), 1 => prop::sample::select(TAGS)];
        prop::collection::vec(tag, 0..60).prop_map(|tags| tags.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_tags(html in tags()) {
        compare(&html);
    }

    #[test]
    fn any_soup(html in soup()) {
        compare(&html);
    }

    #[test]
    fn limits_hold_alike(html in soup(), max_depth in 1u32..20, max_nodes in 0u32..40) {
        let config = ParseOptions { keep: Keep::Everything, max_depth, max_nodes, ..ParseOptions::CONTENT };
        let fast = parse_with(&html, &config);
        let slow = parse_by_html5ever(&html, &config);
        prop_assert!(fast.same_tree(&slow), "{:?}", html);
        prop_assert_eq!((fast.notes().too_deep, fast.notes().too_many), (slow.notes().too_deep, slow.notes().too_many));
    }
}

#[test]
#[ignore = "needs a checkout of html5lib-tests: scripts/slow-checks html5lib"]
fn inputs_of_html5lib() {
    let folder = dat::html5lib_tests();
    let files = |sub: &str, extension: &str| -> Vec<PathBuf> {
        let of_folder = fs::read_dir(folder.join(sub)).unwrap();
        let path = of_folder.map(|entry| entry.unwrap().path());
        path.filter(|path: &PathBuf| path.extension().is_some_and(|e| e == extension)).collect()
    };
    let mut inputs: Vec<String> = Vec::new();
    for file in files("tree-construction", "dat") {
        let text = fs::read_to_string(file).unwrap();
        inputs.extend(dat::cases(&text).into_iter().map(|case| case.data));
    }
    for file in files("tokenizer", "test") {
        inputs.extend(tokenizer_inputs(&file));
    }
    assert!(inputs.len() > 5000, "{}", inputs.len());
    inputs.iter().for_each(|input| compare(input));
    println!("{} inputs, each with everything and with content: the same trees", inputs.len());
}

/// The `input`s of a tokenizer test, each after a prefix that puts the tokenizer in its initial
/// state.
fn tokenizer_inputs(file: &Path) -> Vec<String> {
    let tests: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let tests =
        tests.as_object().unwrap().values().flat_map(|tests| tests.as_array().unwrap().clone());
    let mut inputs = Vec::new();
    for test in tests {
        // Decoded pages cannot contain lone surrogates.
        let Some(input) = test["input"].as_str() else { continue };
        let input = match test["doubleEscaped"].as_bool() {
            Some(true) => match serde_json::from_str::<String>(&format!("\"{input}\"")) {
                Ok(input) => input,
                Err(_) => continue,
            },
            _ => input.to_owned(),
        };
        for before in
            ["", "<title>", "<style>", "<script>", "<script><!--", "<plaintext>", "<svg><![CDATA["]
        {
            inputs.push(format!("{before}{input}"));
        }
    }
    inputs
}
