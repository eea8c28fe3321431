//! Pages are untrusted: nothing in them leaves the run folder, is evaluated in a spreadsheet or
//! runs in a browser.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::crawl::Crawl;
use crate::common::program::run;
use crate::common::prose;
use crate::common::results::{files, parse, text};

#[test]
fn names_of_sites_stay_in_the_run_folder() {
    let mut crawl = Crawl::new();
    for (seed, url) in [
        "https://../../../etc/passwd",
        "https://..%2f..%2fescape.example/notes/1",
        "https://a..b.example/notes/1",
        "https://.hidden.example/notes/1",
        "https://-dash.example/notes/1",
        "https://con/notes/1",
        "https://nul.txt/notes/1",
        "https://[::1]/notes/1",
        "https://127.0.0.1/notes/1",
        "https://\"quoted\".example/notes/1",
        "https://back\\slash.example/notes/1",
        "https://xn--bcher-kva.example/notes/1",
        "https://bücher.example/notes/1",
        "https://user:secret@login.example/notes/1",
        "file:///etc/passwd",
        "https://loc%00alhost/notes/1",
    ]
    .into_iter()
    .enumerate()
    {
        // Sites of one page have no file.
        for n in 0..4 {
            crawl.page(&format!("{url}{n}"), &prose::post(seed + n));
        }
    }
    let long = format!("https://{}.example/notes/1", "very-long-name.".repeat(16));
    for n in 0..4 {
        crawl.page(&format!("{long}{n}"), &prose::post(30 + n));
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("a/b/c");
    fs::create_dir_all(&place).unwrap();
    let archive = crawl.write(&place, "names.warc.gz");
    let results = run(&[&archive], &place.join("out"), &["--sinks", "jsonl,csv"]);
    let known = ["articles.csv", "articles.jsonl", "dropped.jsonl", "ledger.json"];
    for name in files(folder.path()).keys() {
        let Some(inside) = name.strip_prefix("a/b/c/out/") else {
            assert_eq!(name, "a/b/c/names.warc.gz", "written outside the run folder");
            continue;
        };
        let wrapper = inside.strip_prefix("wrappers/").is_some_and(|file| {
            file.ends_with(".json")
                && !file.contains(['/', '\\', ':', '"'])
                && !file.starts_with('.')
        });
        assert!(wrapper || known.contains(&inside), "{name}");
    }
    // Different sites have different files, each naming its site.
    let wrappers = files(&place.join("out/wrappers"));
    let named: BTreeSet<String> = wrappers
        .values()
        .map(|bytes| text(&parse(std::str::from_utf8(bytes).unwrap()), "site").to_owned())
        .collect();
    let sites: BTreeSet<String> =
        results.articles.iter().map(|a| text(a, "site").to_owned()).collect();
    assert!(sites.is_subset(&named), "{sites:?} {named:?}");
    assert_eq!(wrappers.len(), named.len());
    assert!(results.articles.len() >= 8, "{:?}", results.urls());
    assert_eq!(results.articles.len() + results.dropped.len(), 68);
    assert!(results.urls().iter().all(|url| url.starts_with("https://")));
}

#[test]
fn names_of_folders_and_files_stay_in_the_run_folder() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("..%2f..%2fevil \"site\"");
    fs::create_dir(&pages).unwrap();
    for (seed, name) in
        ["a#1.html", "a#2.html", "b?x.html", "%2e%2e.html", "'q\".html"].iter().enumerate()
    {
        fs::write(pages.join(name), prose::post(seed)).unwrap();
    }
    let results = run(&[&pages], &folder.path().join("out"), &[]);
    assert_eq!(results.articles.len(), 5, "{:?} {:?}", results.urls(), results.dropped);
    assert_eq!(results.urls().len(), 5, "two files share an address");
    let wrappers = files(&folder.path().join("out/wrappers"));
    assert_eq!(wrappers.len(), 1);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    // As a relative path, the folder has no name of its own.
    let inside = pages.join("sub");
    fs::create_dir(&inside).unwrap();
    let results = run(&[&inside.join("..")], &folder.path().join("dots"), &[]);
    assert_eq!(results.articles.len(), 5);
}

#[test]
fn cells_are_no_formulas() {
    let titles = [
        "=cmd|' /C calc'!A0",
        "+1+cmd",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(1+1)*cmd",
        "\t=1+1",
        "&#13;=1+1",
        "=HYPERLINK(\"https://evil.example\", \"click, me\")",
    ];
    let mut crawl = Crawl::new();
    for (n, title) in titles.iter().enumerate() {
        let head = format!(
            "<meta name=author content='=Ada Lovelace'>\
             <meta name=description content='@SUM(1+1) and other things of this kind, number {n}'>"
        );
        let post = prose::post_with(n, &head, "")
            .replace(&prose::title(n), title)
            .replacen("<p>The ", "<p>=1+1; the ", 1);
        crawl.page(&format!("https://cells.example/notes/{n}"), &post);
    }
    let results = crawl.run(&["--sinks", "jsonl,csv"]);
    let mut reader = csv::Reader::from_path(results.folder.join("articles.csv")).unwrap();
    let (mut rows, mut defused) = (0, 0);
    for row in reader.records().map(Result::unwrap) {
        rows += 1;
        for cell in &row {
            let harmful = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
            assert!(!harmful, "a spreadsheet would run {cell:?}");
            defused += usize::from(cell.starts_with('\''));
        }
    }
    assert_eq!(rows, titles.len());
    assert!(defused >= 3 * rows, "titles and texts are gone rather than harmless: {defused}");
    // In formats that evaluate nothing, nothing is changed.
    assert!(results.articles.iter().any(|a| text(a, "title").starts_with("=cmd|")));
    let untouched =
        |a: &serde_json::Value| text(a, "text").lines().any(|l| l.starts_with("=1+1; the "));
    assert!(results.articles.iter().any(untouched));
}

const HARM: &str = r#"
<script>alert(1)</script><p onclick="alert(1)" ONMOUSEOVER=alert(1)>Paragraph with a handler, for whom it may concern.</p>
<p>A <a href="javascript:alert(1)">link</a>, <a href=" JaVaScRiPt:alert(1)">another</a>,
<a href="java&#10;script:alert(1)">a third</a>, <a href="&#1;javascript:alert(1)">a fourth</a>,
<a href="vbscript:x">a fifth</a>, <a href="data:text/html,<script>alert(1)</script>">a sixth</a>,
<a href="/fine">a fine one</a>.</p>
<img src=x onerror=alert(1)><img src="javascript:alert(1)"><img srcset="javascript:alert(1) 2x">
<svg onload=alert(1)><script>alert(1)</script><a xlink:href="javascript:alert(1)">x</a></svg>
<math><a xlink:href="javascript:alert(1)">x</a></math>
<iframe src="https://evil.example" srcdoc="<script>alert(1)</script>"></iframe>
<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">
<form action="javascript:alert(1)"><button formaction="javascript:alert(1)">Go</button></form>
<style>p { background: url(javascript:alert(1)) }</style><p style="width: expression(alert(1))">Styled paragraph of some length.</p>
<noscript><p title="</noscript><img src=x onerror=alert(1)>">Without scripts there is this paragraph.</p></noscript>
<template><script>alert(1)</script></template><base href="javascript:alert(1)//">
<meta http-equiv=refresh content="0;url=javascript:alert(1)"><link rel=stylesheet href="javascript:alert(1)">
<p>Harmless words about &lt;script&gt;alert(1)&lt;/script&gt; and javascript: in a text.</p>
<blockquote cite="javascript:alert(1)"><p>A quotation that names its source in a wrong way.</p></blockquote>
<video src="javascript:alert(1)" poster="javascript:alert(1)" onplay=alert(1)></video>
"#;

#[test]
fn fragments_run_nothing() {
    let mut crawl = Crawl::new();
    for n in 0..4 {
        // Each page has text of its own beside the harm: what all siblings repeat is no text of an article.
        let own = prose::paragraphs(n + 20).join(" ");
        let harm = HARM
            .replace("Harmless words", &format!("{own} Harmless words"))
            .replace("a fine one</a>", &format!("a fine one</a> {own}"));
        crawl.page(&format!("https://harm.example/notes/{n}"), &prose::post_with(n, "", &harm));
    }
    let (folder, archive, _) = crawl.placed("harm.warc.gz");
    for engine in ["grove", "forest", "euclid", "text-density"] {
        let out = folder.path().join(engine);
        let results = run(&[Path::new(&archive)], &out, &["--engine", engine]);
        assert_eq!(results.articles.len(), 4, "{engine}");
        for article in &results.articles {
            check_fragment(text(article, "html"), engine);
        }
        let first = text(&results.articles[0], "html");
        assert!(first.contains("Harmless words"), "{engine}: {first}");
        assert!(first.contains("https://harm.example/fine"), "{engine}: {first}");
    }
}

/// Parses the fragment as a browser would and checks every element and attribute.
fn check_fragment(html: &str, engine: &str) {
    let document = dom::parse(html);
    for element in document.ids().filter_map(|id| Some((document.name(id)?, document.element(id)?)))
    {
        let (name, element) = element;
        let harmful = [
            "script", "style", "iframe", "object", "embed", "svg", "math", "form", "button",
            "base", "meta", "link", "template", "noscript",
        ];
        assert!(!harmful.contains(&&**name), "{engine}: <{name}> in {html}");
        for (attribute, value) in element.attributes() {
            let bare: String =
                value.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
            let bare = bare.to_lowercase();
            let runs = attribute.starts_with("on")
                || matches!(&**attribute, "style" | "srcdoc" | "formaction" | "ping")
                || ["javascript:", "vbscript:", "data:text"].iter().any(|s| bare.contains(s));
            assert!(!runs, "{engine}: {attribute}={value:?} in {html}");
        }
    }
    // `dom` drops scripts when parsing, so they are also searched for in the bytes.
    let lower = html.to_lowercase();
    for tag in [
        "<script", "<style", "<iframe", "<object", "<embed", "<svg", "<noscript", "<template",
        "<form",
    ] {
        assert!(!lower.contains(tag), "{engine}: {tag} in {html}");
    }
}
